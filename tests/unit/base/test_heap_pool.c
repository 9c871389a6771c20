#include "wr_test.h"

#include <stdalign.h>

#include "base/heap_pool.h"

/* Blocks are zeroed, aligned, disjoint and do not move. */
TEST(blocks)
{
    AUTO(wr_heap_pool_destroy) wr_heap_pool *memory = wr_heap_pool_create(NULL);
    assert_non_null(memory);
    enum { N_BLOCKS = 3000 };
    static unsigned char *blocks[N_BLOCKS];
    static size_t sizes[N_BLOCKS];
    for (int i = 0; i < N_BLOCKS; i++) {
        /* The sizes include some larger than a chunk. */
        sizes[i] = i % 500 == 499 ? 70000 + (size_t)i : (size_t)(i * 37 % 211);
        blocks[i] = wr_heap_pool_take(memory, sizes[i], 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], i % 255 + 1, sizes[i]);
    }
    for (int i = 0; i < N_BLOCKS; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(blocks[i][j], i % 255 + 1);
    assert_string_equal(wr_heap_pool_text(memory, "abcdef", 3), "abc");
    assert_string_equal(wr_heap_pool_text(memory, "", 0), "");
    assert_false(wr_heap_pool_is_short(memory));
    wr_heap_pool_destroy(&memory);
    assert_null(memory);
    wr_heap_pool_destroy(NULL);
}

/* A size that overflows fails, and all later requests fail. */
TEST(overflow)
{
    AUTO(wr_heap_pool_destroy) wr_heap_pool *memory = wr_heap_pool_create(NULL);
    assert_null(wr_heap_pool_take(memory, SIZE_MAX / 4, 16));
    assert_true(wr_heap_pool_is_short(memory));
    assert_null(wr_heap_pool_take(memory, 1, 1));
}
