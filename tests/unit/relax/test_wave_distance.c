#include "arena_test.h"
#include "wr_test.h"

#include "runtime/relax/wave_distance.h"

static wr_wave_distance *make(int n)
{
    wr_wave_distance *const c = wr_wave_distance_place(arena, n, 0);
    c->rtol = 1e-3;
    for (int i = 0; i < n; i++)
        c->atol[i] = 1e-3;
    c->jump_time_s = 1e-6;
    c->threshold = 1.0;
    return c;
}

static wr_wave *line(double offset, double slope)
{
    wr_wave *const wave = wr_wave_place(arena, 1, 8);
    for (int i = 0; i <= 4; i++) {
        const double t = i / 4.0, y = 1.0 + offset + slope * t;
        wr_wave_append(wave, t, &y, &slope);
    }
    return wave;
}

/* A constant difference in tolerance units: weight = 1e-3 * 1 + 1e-3. */
TEST(units)
{
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, line(0.0, 0.0), line(0.01, 0.0));
    assert_close(c->delta[0], 5.0, 1e-12, 0);
    assert_close(c->t_bad_s, 0.0, 0, 0);
}

/* A difference grows with time: the converged prefix ends where the difference exceeds the threshold. */
TEST(prefix)
{
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, line(0.0, 0.0), line(0.0, 0.004)); /* passes 0.002 at t = 0.5 */
    assert_close(c->delta[0], 2.0, 1e-12, 0);
    assert_between(c->t_bad_s, 0.5, 0.75);
    wr_wave_distance_compare(c, line(0.0, 0.0), line(0.0, 0.001));
    assert_true(isinf(c->t_bad_s));
}

static wr_wave *step(double t_jump)
{
    wr_wave *const wave = wr_wave_place(arena, 1, 8);
    const double zero = 0.0, one = 1.0;
    wr_wave_append(wave, 0.0, &zero, &zero);
    wr_wave_append(wave, t_jump, &zero, &zero);
    wr_wave_append(wave, t_jump, &one, &zero);
    wr_wave_append(wave, 1.0, &one, &zero);
    return wave;
}

/* The course bounds the differences up to the end of each part, also between nodes. With other jumps each part has the largest difference. */
TEST(course)
{
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, line(0.0, 0.0), line(0.0, 0.004));
    assert_true(isinf(c->course[0]));
    c->has_course = 1;
    wr_wave_distance_compare(c, line(0.0, 0.0), line(0.0, 0.004)); /* 2 t units */
    for (int k = 0; k < WR_COURSE_PARTS; k++) {
        const double end_s = (k + 1.0) / WR_COURSE_PARTS;
        assert_between(c->course[k], 2.0 * end_s - 1e-12, 2.0 * (end_s + 0.125));
    }
    assert_close(c->course[WR_COURSE_PARTS - 1], c->delta_max, 0.0, 0.0);
    wr_wave_distance_compare(c, step(0.5), step(0.6));
    assert_close(c->course[0], c->delta_max, 0.0, 0.0);
    wr_wave_distance_compare(c, step(0.5), step(0.5 + 2e-6));
    assert_close(c->course[WR_COURSE_PARTS / 2], 2.0, 1e-6, 0.0);
    wr_wave_distance_begin(c, line(0.0, 0.0));
    assert_close(c->course[WR_COURSE_PARTS - 1], 0.0, 0.0, 0.0);
}

/* A jump that moves by 2e-6 s, twice the time unit, counts as two tolerance units, not as a spike of 500 units. */
TEST(moved_jump_is_a_time)
{
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, step(0.5), step(0.5 + 2e-6));
    assert_close(c->delta[0], 2.0, 1e-6, 0);
    assert_close(c->jump_shift, 2.0, 1e-6, 0);
    wr_wave_distance_compare(c, step(0.5), line(-1.0, 0.0)); /* the jump is missing: a spike */
    assert_true(c->delta[0] > 100.0);
    assert_true(isinf(c->jump_shift));
    wr_wave_distance_compare(c, step(0.5), step(0.6)); /* too far away for a match */
    assert_true(isinf(c->jump_shift));
    wr_wave_distance_compare(c, line(0.0, 0.0), line(0.1, 1.0));
    assert_true(c->jump_shift <= 0.0);
}

/* A triangle that moves to the second half of the window differs by its height. The error to find: the comparison skips the time between
 * matched slope jumps. */
TEST(moved_triangle_is_seen)
{
    wr_wave *wave[2];
    for (int k = 0; k < 2; k++) {
        wave[k] = wr_wave_place(arena, 1, 16);
        const double t = k == 0 ? 0.2 : 0.6, zero = 0.0, one = 1.0, up = 20.0, down = -20.0;
        wr_wave_append(wave[k], 0.0, &zero, &zero);
        wr_wave_append(wave[k], t, &zero, &zero);
        wr_wave_append(wave[k], t, &zero, &up);
        wr_wave_append(wave[k], t + 0.05, &one, &up);
        wr_wave_append(wave[k], t + 0.05, &one, &down);
        wr_wave_append(wave[k], t + 0.1, &zero, &down);
        wr_wave_append(wave[k], t + 0.1, &zero, &zero);
        wr_wave_append(wave[k], 1.0, &zero, &zero);
    }
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, wave[0], wave[1]);
    assert_close(c->delta[0], 500.0, 1e-9, 0);
    assert_between(c->t_bad_s, 0.2, 0.26);
}

/* Only the old wave has the pulse, between close nodes of the new wave. */
TEST(pulse_that_is_gone_is_seen)
{
    enum { N = 20 };
    static const double pulse[][2] = {
        {0.0, 1.0}, {0.51, 1.0}, {0.52, 2.0}, {0.53, 1.0}, {1.0, 1.0}};
    wr_wave *const flat = wr_wave_place(arena, 1, N + 1), *const spike = wr_wave_place(arena, 1, 8);
    const double one = 1.0, level = 0.0;
    for (int i = 0; i <= N; i++)
        wr_wave_append(flat, (double)i / N, &one, &level);
    for (size_t i = 0; i < sizeof pulse / sizeof *pulse; i++)
        wr_wave_append(spike, pulse[i][0], &pulse[i][1], &level);
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, flat, spike);
    assert_close(c->delta[0], 500.0, 1e-12, 0);
    assert_between(c->t_bad_s, 0.5, 0.53);
}

TEST(not_finite_is_infinitely_far)
{
    wr_wave_distance *const c = make(1);
    wr_wave_distance_compare(c, line(0.0, 0.0), line((double)NAN, 0.0));
    assert_true(isinf(c->delta_max));
    const double a[] = {1.0, 2.0}, b[] = {1.0, 2.1}, atol[] = {0.0, 0.0};
    assert_close(wr_wave_distance_state(2, a, b, 0.1, atol), 0.1 / 0.21, 1e-12, 0);
}

/* Returns the distance of two waves with a unit step, of which the older wave has the step shift_s later. The older wave may have a
 * jump beyond the window. */
static double step_moved_by(double shift_s, int has_jump_beyond)
{
    wr_wave_distance *const c = make(1);
    wr_wave *const now = wr_wave_place(arena, 1, 16), *const before = wr_wave_place(arena, 1, 16);
    const double zero = 0.0, one = 1.0;
    wr_wave_append(now, 0.0, &zero, &zero);
    wr_wave_append(now, 0.5, &zero, &zero);
    wr_wave_append(now, 0.5, &one, &zero);
    wr_wave_append(now, 1.0, &one, &zero);
    wr_wave_append(before, 0.0, &zero, &zero);
    wr_wave_append(before, 0.5 + shift_s, &zero, &zero);
    wr_wave_append(before, 0.5 + shift_s, &one, &zero);
    wr_wave_append(before, 1.2, &one, &zero);
    if (has_jump_beyond)
        wr_wave_append(before, 1.2, &zero, &zero);
    wr_wave_append(before, 1.7, has_jump_beyond ? &zero : &one, &zero);
    wr_wave_distance_compare(c, now, before);
    return c->delta_max;
}

/* The comparison covers the time between the new wave's nodes. A jump beyond the window's end does not prevent the match of other
 * jumps. */
TEST(moved_jumps_are_seen)
{
    const double near_s[] = {1e-6, 1e-4}, far_s[] = {0.01, 0.1, 0.2, 0.24, -0.01, -0.2};
    for (int beyond = 0; beyond < 2; beyond++) {
        for (size_t i = 0; i < WR_COUNT_OF(near_s); i++)
            assert_close(step_moved_by(near_s[i], beyond), near_s[i] / 1e-6, 1e-6, 0.0);
        for (size_t i = 0; i < WR_COUNT_OF(far_s); i++)
            assert_true(step_moved_by(far_s[i], beyond) > 100.0);
    }
}

/* In one wave signal 0 jumps. The other wave has no jump, only a slope jump of signal 1 at nearly the same time. So the full height of
 * the jump counts. The error to find: the jump matches the slope jump and counts as a shift in time. */
TEST(nodes_in_common_are_no_jumps)
{
    wr_wave_distance *const c = make(2);
    wr_wave *const now = wr_wave_place(arena, 2, 16), *const before = wr_wave_place(arena, 2, 16);
    const double low[] = {0.0, 0.0}, high[] = {0.01, 0.0}, flat[] = {0.0, 0.0}, up[] = {0.0, 1e-3};
    wr_wave_append(now, 0.0, low, flat);
    wr_wave_append(now, 0.5, low, flat);
    wr_wave_append(now, 0.5, high, flat);
    wr_wave_append(now, 1.0, high, flat);
    wr_wave_append(before, 0.0, low, flat);
    wr_wave_append(before, 0.5 + 2e-4, low, flat);
    wr_wave_append(before, 0.5 + 2e-4, low, up);
    wr_wave_append(before, 1.0, low, flat);
    wr_wave_distance_compare(c, now, before);
    assert_close(c->delta[0], 0.01 / (1e-3 * 0.01 + 1e-3), 1e-9, 0);
}

/* A ramp begins later, by less than the matching distance of jumps. The error to find: the slope jumps match, the comparison skips the time
 * between them, and the distance is 0. */
TEST(moved_ramp_is_seen)
{
    wr_wave *wave[2];
    for (int k = 0; k < 2; k++) {
        const double t = k == 0 ? 0.4 : 0.43, zero = 0.0, one = 1.0, up = 10.0;
        wave[k] = wr_wave_place(arena, 1, 16);
        wr_wave_append(wave[k], 0.0, &zero, &zero);
        wr_wave_append(wave[k], t, &zero, &zero);
        wr_wave_append(wave[k], t, &zero, &up);
        wr_wave_append(wave[k], t + 0.1, &one, &up);
        wr_wave_append(wave[k], t + 0.1, &one, &zero);
        wr_wave_append(wave[k], 1.0, &one, &zero);
    }
    wr_wave_distance *const c = make(1);
    c->jump_time_s = 1e-4;
    wr_wave_distance_compare(c, wave[0], wave[1]);
    assert_close(c->delta[0], 0.3 / 2e-3, 1e-9, 0);
    assert_between(c->t_bad_s, 0.4, 0.44);
}
