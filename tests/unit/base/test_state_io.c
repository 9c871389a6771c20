#include "wr_test.h"

#include "base/state_io.h"

enum { MOST = 5 };

typedef struct thing {
    double t_s;
    int n, i_last; /* -1: none */
    double value[MOST];
    int fixed; /* must agree with the bytes that are read */
} thing;

static void pass_over(thing *t, wr_state_io *io)
{
    wr_state_begin(io, "thing", 7);
    wr_state_agree(io, t->fixed);
    WR_STATE(io, t->t_s);
    const int n = (int)wr_state_count(io, t->n, MOST);
    if (wr_state_reads(io))
        t->n = n;
    WR_STATE_ARRAY(io, t->value, n);
    wr_state_index(io, &t->i_last, MOST);
    wr_state_end(io);
    wr_state_begin(io, "more", 0);
    WR_STATE(io, t->t_s);
    wr_state_end(io);
}

static const thing made = {
    .t_s = 0.25, .n = 3, .i_last = 2, .value = {1.0, -2.0, 1e300}, .fixed = 9};

static size_t write_made(unsigned char *bytes, size_t cap_bytes, int has_sums)
{
    thing from = made;
    wr_state_io io = wr_state_writer(bytes, cap_bytes, has_sums);
    pass_over(&from, &io);
    assert_int_equal(io.fault, WR_STATE_SOUND);
    assert_memory_equal(&from, &made, sizeof from);
    return io.n_bytes;
}

static wr_state_fault read_into(thing *to, const unsigned char *bytes, size_t n, int has_sums)
{
    wr_state_io check = wr_state_reader(bytes, n, has_sums, 1);
    pass_over(to, &check);
    if (check.fault != WR_STATE_SOUND)
        return check.fault;
    wr_state_io read = wr_state_reader(bytes, n, has_sums, 0);
    pass_over(to, &read);
    assert_int_equal(read.n_bytes, n);
    return read.fault;
}

TEST(comes_back)
{
    unsigned char bytes[512];
    thing measured = made;
    wr_state_io io = wr_state_measure();
    pass_over(&measured, &io);
    for (int has_sums = 0; has_sums < 2; has_sums++) {
        const size_t n = write_made(bytes, sizeof bytes, has_sums);
        assert_int_equal(io.n_bytes - n,
                         2 * sizeof(double)); /* two values fewer than the maximum */
        thing to = {.n = 1, .i_last = -1, .fixed = 9, .value = {5.0, 5.0, 5.0, 5.0, 5.0}};
        assert_int_equal(read_into(&to, bytes, n, has_sums), WR_STATE_SOUND);
        assert_true(to.t_s == made.t_s && to.n == 3 && to.i_last == 2);
        assert_memory_equal(to.value, made.value, 3 * sizeof(double));
        assert_true(to.value[3] == 5.0);
    }
}

/* The reader detects each flipped bit and each cut. */
TEST(damage_is_seen)
{
    unsigned char bytes[512];
    const size_t n = write_made(bytes, sizeof bytes, 1);
    for (size_t i = 0; i < 8 * n; i++) {
        thing to = {.fixed = 9};
        const thing before = to;
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        assert_int_not_equal(read_into(&to, bytes, n, 1), WR_STATE_SOUND);
        assert_memory_equal(&to, &before, sizeof to);
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
    for (size_t cut = 0; cut < n; cut++) {
        thing to = {.fixed = 9};
        assert_int_equal(read_into(&to, bytes, cut, 1), WR_STATE_SHORT);
    }
}

/* Without check sums the reader still refuses a state that does not fit. */
TEST(other_things_are_refused)
{
    unsigned char bytes[512];
    const size_t n = write_made(bytes, sizeof bytes, 0), head = 32;
    const int64_t too_many = MOST + 1, negative = -1;
    thing to = {.fixed = 8};
    assert_int_equal(read_into(&to, bytes, n, 0), WR_STATE_OTHER);
    to.fixed = 9;
    memcpy(bytes + head + 16, &too_many, sizeof too_many);
    assert_int_equal(read_into(&to, bytes, n, 0), WR_STATE_OTHER);
    memcpy(bytes + head + 16, &negative, sizeof negative);
    assert_int_equal(read_into(&to, bytes, n, 0), WR_STATE_OTHER);
    write_made(bytes, sizeof bytes, 0);
    bytes[0] = 'T'; /* another name */
    assert_int_equal(read_into(&to, bytes, n, 0), WR_STATE_OTHER);
    assert_true(to.t_s == 0.0 && to.n == 0);
}

TEST(room_is_kept_to)
{
    unsigned char bytes[512];
    const size_t n = write_made(bytes, sizeof bytes, 1);
    for (size_t cap = 0; cap < n; cap++) {
        memset(bytes, 0xa5, sizeof bytes);
        thing from = made;
        wr_state_io io = wr_state_writer(bytes, cap, 1);
        pass_over(&from, &io);
        assert_int_equal(io.fault, WR_STATE_SHORT);
        for (size_t i = cap; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], 0xa5);
    }
}

/* The check sum is CRC-32, whose check value for "123456789" is published. */
TEST(sum)
{
    assert_int_equal(wr_state_sum(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(wr_state_sum(wr_state_sum(0, "1234", 4), "56789", 5), 0xcbf43926);
}
