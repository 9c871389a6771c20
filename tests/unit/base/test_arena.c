#include "wr_test.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/arena.h"

TEST(push_is_zeroed_and_aligned)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    assert_non_null(arena);
    for (int i = 1; i < 50; i++) {
        double *const block = WR_NEW_ARRAY(arena, double, i);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (int j = 0; j < i; j++) {
            assert_true(block[j] == 0.0);
            block[j] = 1.0;
        }
    }
    wr_arena_destroy(&arena);
    assert_null(arena);
}

/* Small blocks lie close together, unless the caller requests a new cache line. */
TEST(lines_are_shared_only_where_allowed)
{
    enum { LINE = 64, SMALL = 24, PAIRS = 40000 };
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)1 << 24);
    wr_arena_line(arena); /* before the first block */
    assert_non_null(wr_arena_push(arena, 1, 16));
    const size_t gap_bytes = wr_arena_used_bytes(arena) - 16; /* between blocks, under ASan */
    uintptr_t last = 0;
    for (int i = 0; i < PAIRS; i++) { /* fills several chunks */
        wr_arena_line(arena);
        unsigned char *const a = wr_arena_push(arena, 1, SMALL);
        unsigned char *const b = wr_arena_push(arena, 1, SMALL);
        assert_non_null(b);
        assert_int_equal((uintptr_t)a % LINE, 0);
        assert_true((uintptr_t)a / LINE != last / LINE);
        last = (uintptr_t)b + SMALL - 1;
    }
    assert_true(wr_arena_used_bytes(arena) <= (PAIRS + 1) * (LINE + 2 * gap_bytes));
    wr_arena_destroy(&arena);

    arena = wr_arena_create(100);
    assert_non_null(wr_arena_push(arena, 1, 20));
    wr_arena_line(arena);
    wr_arena_line(arena);
    assert_null(wr_arena_push(arena, 1, 60)); /* the line's padding exceeds the limit */
}

/* Cold blocks take no memory between other blocks. */
TEST(reserved_blocks_lie_apart)
{
    enum { BLOCKS = 3000, NEAR_BYTES = 64, ASIDE_BYTES = 1500 };
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)1 << 24);
    unsigned char *const first = wr_arena_push(arena, 1, NEAR_BYTES), *last = first;
    uintptr_t gap_bytes = (uintptr_t)wr_arena_push(arena, 1, 1) - (uintptr_t)first - NEAR_BYTES;
    assert_int_equal(wr_arena_cold(arena, 0), 0);
    for (int i = 0; i < BLOCKS; i++) {
        assert_int_equal(wr_arena_cold(arena, 1), 0);
        unsigned char *const aside = wr_arena_push(arena, 1, ASIDE_BYTES);
        assert_non_null(aside);
        memset(aside, 1, ASIDE_BYTES);
        assert_int_equal(wr_arena_cold(arena, 0), 1);
        unsigned char *const near = wr_arena_push(arena, 1, NEAR_BYTES);
        assert_non_null(near);
        if (i < 1000) { /* all within the first chunk */
            assert_true(near > last && (uintptr_t)(near - last) <= NEAR_BYTES + 16 + 2 * gap_bytes);
            last = near;
        }
    }
    assert_int_equal(first[0], 0);
    assert_true(wr_arena_used_bytes(arena) >= (size_t)BLOCKS * (NEAR_BYTES + ASIDE_BYTES));
    wr_arena_seal(arena);
}

TEST(exhaustion_and_overflow_give_null)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 18);
    assert_null(wr_arena_push(arena, 1 << 19, 1));
    assert_null(wr_arena_push(arena, SIZE_MAX / 4, 8));
    assert_non_null(wr_arena_push(arena, 1000, 8));
    while (wr_arena_push(arena, 1000, 8))
        continue;
    assert_true(wr_arena_used_bytes(arena) <= 1 << 18);
    wr_arena_seal(arena);
    wr_arena_destroy(&arena);

    /* Without a limit a block larger than the address space fails. */
    arena = wr_arena_create(SIZE_MAX);
    assert_null(wr_arena_push(arena, SIZE_MAX / 2, 1));
    assert_non_null(wr_arena_push(arena, 1000, 1));
}

/* Returns 1 if the mapping of an address has the flag in its VmFlags, else 0; -1 if the system lists no VmFlags of the mapping. */
static int mapping_has_flag(const void *address, const char *flag)
{
    FILE *const maps = fopen("/proc/self/smaps", "r");
    char line[512];
    int is_it = 0, has = -1;
    while (maps && has < 0 && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
            is_it = begin <= (uintptr_t)address && (uintptr_t)address < end;
        else if (is_it && strncmp(line, "VmFlags:", 8) == 0)
            has = strstr(line, flag) != NULL;
    }
    if (maps)
        fclose(maps);
    return has;
}

/* wr_arena_bytes_since() returns the bytes from a mark to the last block's end, without cold blocks. Without a mark, or if the mark
 * and the block lie in different chunks, the function returns 0. */
TEST(neighbouring_blocks_are_known)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)1 << 30);
    assert_null(wr_arena_mark(arena));
    assert_int_equal(wr_arena_bytes_since(arena, NULL), 0);
    assert_non_null(wr_arena_push(arena, 3, 16));
    const unsigned char *const mark = wr_arena_mark(arena);
    assert_int_equal(wr_arena_bytes_since(arena, mark), 0);
    unsigned char *const first = wr_arena_push(arena, 10, 16);
    assert_ptr_equal(first, mark);
    wr_arena_cold(arena, 1);
    assert_non_null(wr_arena_push(arena, 5000, 16));
    wr_arena_cold(arena, 0);
    const unsigned char *const last = wr_arena_push(arena, 10, 16);
    const size_t bytes = wr_arena_bytes_since(arena, mark);
    assert_true(first + bytes >= last + 160 && first + bytes <= last + 160 + 64);
    /* A block too large for the free end of a chunk begins the next chunk: the blocks are not adjacent. */
    assert_non_null(wr_arena_push(arena, 1 << 20, 1));
    assert_int_equal(wr_arena_bytes_since(arena, mark), 0);
}

/* Small chunks have small pages; large chunks begin on a huge page. */
TEST(large_chunks_are_made_of_huge_pages)
{
    enum { HUGE_PAGE = 1 << 21, HEAD = 64, LARGE = 5 };
    const int has_huge = access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0;
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)1 << 30);
    const void *const small = wr_arena_push(arena, 1000, 1);
    assert_non_null(small);
    assert_int_not_equal(mapping_has_flag(small, " hg"), 1);
    for (int i = 0; i < LARGE; i++) { /* each larger than the free end of the chunk before */
        const size_t bytes = ((size_t)5 << i) * 1000 * 1000;
        unsigned char *const block = wr_arena_push(arena, bytes, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % HUGE_PAGE, HEAD);
        assert_int_equal(block[0] | block[bytes - 1], 0);
        block[0] = block[bytes - 1] = 1;
        if (has_huge)
            assert_int_not_equal(mapping_has_flag(block, " hg"), 0);
    }
    wr_arena_seal(arena);
}

TEST(many_blocks_of_all_sizes_stay_apart)
{
    enum { BLOCKS = 60 };
    unsigned char *block[BLOCKS];
    size_t all = 0;
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)1 << 30);
    for (int i = 0; i < BLOCKS; i++) { /* some larger than any chunk before */
        const size_t bytes = (size_t)1 << (i % 12 + 11);
        block[i] = wr_arena_push(arena, bytes, 1);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        memset(block[i], i + 1, bytes);
        all += bytes;
    }
    wr_arena_seal(arena);
    for (int i = 0; i < BLOCKS; i++) {
        const size_t bytes = (size_t)1 << (i % 12 + 11);
        assert_int_equal(block[i][0], i + 1);
        assert_int_equal(block[i][bytes - 1], i + 1);
    }
    assert_true(wr_arena_used_bytes(arena) >= all);
}
