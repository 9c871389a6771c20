#include "arena_test.h"
#include "wr_test.h"

#include "subsystems/waves/wave.h"

/* Returns a wave of sin(t) and a cubic on n segments of [0, 2]. */
static wr_wave *make_wave(int n)
{
    wr_wave *const wave = wr_wave_place(arena, 2, n + 1);
    for (int i = 0; i <= n; i++) {
        const double t = 2.0 * i / n;
        const double value[2] = {sin(t), 1 + t * (2 + t * (3 + t * 4))};
        const double slope[2] = {cos(t), 2 + t * (6 + t * 12)};
        assert_int_equal(wr_wave_append(wave, t, value, slope), WRSIM_OK);
    }
    return wave;
}

static double max_error(const wr_wave *wave)
{
    wr_cursor cursor = wr_cursor_start();
    double error = 0.0;
    for (int i = 0; i <= 1000; i++) {
        const double t = 2.0 * i / 1000;
        error = fmax(error, fabs(wr_wave_eval(wave, &cursor, t, 0) - sin(t)));
    }
    return error;
}

TEST(order_four_and_exact_cubics)
{
    const double coarse = max_error(make_wave(8)), fine = max_error(make_wave(16));
    assert_between(log2(coarse / fine), 3.9, 4.1);

    const wr_wave *const wave = make_wave(1);
    wr_cursor cursor = wr_cursor_start();
    const int one = 1;
    for (int i = 0; i <= 20; i++) {
        const double t = -0.5 + 3.0 * i / 20; /* extrapolates beyond the two ends */
        double value, slope;
        wr_wave_eval_many(wave, &cursor, t, 1, &one, &value, &slope);
        assert_close(value, 1 + t * (2 + t * (3 + t * 4)), 1e-13, 1e-13);
        assert_close(slope, 2 + t * (6 + t * 12), 1e-13, 1e-13);
    }
}

/* Reads of one signal, of listed signals, and of a cached piece give the same bits. */
TEST(every_way_of_reading_gives_the_same_bits)
{
    const wr_wave *const wave = make_wave(5);
    wr_cursor cursor = wr_cursor_start();
    wr_piece piece = {0};
    int n_piece = 0;
    static const int both[2] = {0, 1};
    for (int i = 0; i <= 40; i++) {
        const double t = -0.1 + 2.2 * i / 40;
        double many[2], many_slope[2], kept[2], kept_slope[2], one[2];
        wr_wave_eval_many(wave, &cursor, t, 2, both, many, many_slope);
        if (!wr_piece_holds(&piece, t)) {
            piece = wr_wave_piece(wave, &cursor, t);
            n_piece++;
        }
        assert_true(wr_piece_holds(&piece, t));
        wr_piece_values(&piece, t, 2, kept);
        wr_piece_slopes(&piece, t, 2, kept_slope);
        for (int k = 0; k < 2; k++)
            one[k] = wr_wave_eval(wave, &cursor, t, k);
        assert_memory_equal(kept, many, sizeof kept);
        assert_memory_equal(kept_slope, many_slope, sizeof kept);
        assert_memory_equal(one, many, sizeof kept);
    }
    assert_int_equal(n_piece, 5);
}

/* Forward and backward reading give the same bits. */
TEST(cursor_order_does_not_matter)
{
    const wr_wave *const wave = make_wave(13);
    wr_cursor forward = wr_cursor_start(), jumping = wr_cursor_start();
    for (int i = 0; i <= 500; i++) {
        const double t = 2.0 * i / 500;
        const double far = 2.0 - t;
        wr_wave_eval(wave, &jumping, far, 0);
        const double a = wr_wave_eval(wave, &forward, t, 0), b = wr_wave_eval(wave, &jumping, t, 0);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

TEST(jump_has_two_sides)
{
    wr_wave *const wave = wr_wave_place(arena, 1, 8);
    const double zero = 0.0, one = 1.0, five = 5.0, six = 6.0;
    wr_wave_append(wave, 0.0, &zero, &one);
    wr_wave_append(wave, 1.0, &one, &one);
    wr_wave_append(wave, 1.0, &five, &one);
    wr_wave_append(wave, 2.0, &six, &one);
    wr_cursor cursor = wr_cursor_start();
    const int signal = 0;
    const double limit = 3.9, too_large = 4.1;
    assert_close(wr_wave_next_jump(wave, &cursor, 0.0, 1, &signal, &limit), 1.0, 0, 0);
    assert_true(isinf(wr_wave_next_jump(wave, &cursor, 0.0, 1, &signal, &too_large)));
    assert_close(wr_wave_eval(wave, &cursor, 1.0, 0), 1.0, 0, 0);
    assert_close(wr_wave_eval(wave, &cursor, 1.5, 0), 5.5, 1e-15, 0);
    assert_close(wr_wave_eval(wave, &cursor, 1.0, 0), 1.0, 0,
                 0); /* the jump is not passed: the left limit */
    wr_cursor_pass(&cursor, wave, 1.0);
    assert_close(wr_wave_eval(wave, &cursor, 1.0, 0), 5.0, 0, 0);
    assert_true(isinf(wr_wave_next_jump(wave, &cursor, 1.0, 1, &signal, &limit)));
    assert_close(wr_wave_eval(wave, &cursor, 2.0, 0), 6.0, 0, 0);
    assert_int_equal(wave->n_jump, 1);
    wr_wave_check(wave);
    wr_wave *const copy = wr_wave_place(arena, 1, 8);
    assert_int_equal(wr_wave_copy(copy, wave), WRSIM_OK);
    wr_wave_check(copy);
    assert_int_equal(copy->n_jump, 1);
    wr_wave_clear(copy);
    assert_int_equal(copy->n_jump, 0);
}

TEST(limits)
{
    wr_wave *const wave = wr_wave_place(arena, 1, 2), *const small = wr_wave_place(arena, 1, 1);
    const double zero = 0.0;
    assert_int_equal(wr_wave_append(wave, 0.0, &zero, &zero), WRSIM_OK);
    assert_int_equal(wr_wave_append(wave, 1.0, &zero, &zero), WRSIM_OK);
    assert_int_equal(wr_wave_append(wave, 2.0, &zero, &zero), WRSIM_E_LIMIT);
    assert_int_equal(wr_wave_copy(small, wave), WRSIM_E_LIMIT);
    wr_wave *const copy = wr_wave_place(arena, 1, 2);
    assert_int_equal(wr_wave_copy(copy, wave), WRSIM_OK);
    assert_close(wr_wave_end(copy), 1.0, 0, 0);
}

/* Nodes are equal in small and large storage. After a wave of many nodes the next wave begins in the large storage. */
TEST(few_nodes_lie_apart_from_many)
{
    enum { MANY = 4 * WR_WAVE_FEW };
    wr_wave *const wave = wr_wave_place(arena, 2, MANY), *const copy =
                                                             wr_wave_place(arena, 2, MANY);
    static const int count[] = {WR_WAVE_FEW, WR_WAVE_FEW + 1, MANY, MANY, WR_WAVE_FEW, 2, MANY};
    for (size_t k = 0; k < WR_COUNT_OF(count); k++) {
        wr_wave_clear(wave);
        const int starts_in_many = k > 0 && count[k - 1] > WR_WAVE_FEW;
        assert_ptr_equal(wave->t_s, starts_in_many ? wave->many : wave->few);
        for (int i = 0; i < count[k]; i++) {
            const double value[2] = {i + 0.25, i + 0.5}, slope[2] = {-i, 1000.0 - i};
            assert_int_equal(wr_wave_append(wave, i, value, slope), WRSIM_OK);
        }
        assert_ptr_equal(wave->t_s,
                         starts_in_many || count[k] > WR_WAVE_FEW ? wave->many : wave->few);
        wr_wave_check(wave);
        assert_int_equal(wr_wave_copy(copy, wave), WRSIM_OK);
        for (int i = 0; i < count[k]; i++)
            for (int j = 0; j < 2; j++) {
                assert_close(copy->t_s[i], i, 0, 0);
                assert_close(wave->value[2 * i + j], i + 0.25 * (j + 1), 0, 0);
                assert_close(copy->value[2 * i + j], i + 0.25 * (j + 1), 0, 0);
                assert_close(copy->slope[2 * i + j], 1000.0 * j - i, 0, 0);
            }
    }
    const double none[2] = {0.0, 0.0};
    assert_int_equal(wr_wave_append(wave, MANY, none, none), WRSIM_E_LIMIT);
    assert_int_equal(wave->n_node, MANY);
}
