/* Points of long curves for pictures: every span keeps its extremes, and each chosen point is a point of the curve. */
#include "wr_test.h"

#include <math.h>

#include "offline/report/thin.h"

enum { N = 20000, CAP = 1000 };
static double t_s[N], value[N], second[N];
static size_t chosen[N];

static void make(void)
{
    uint64_t seed = 5;
    for (int i = 0; i < N; i++) {
        t_s[i] = i * 1e-3;
        value[i] = sin(t_s[i]) + 1e-3 * (double)(wr_random_bits(&seed) % 1000);
        second[i] = value[i];
    }
}

static int contains(size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (chosen[k] == i)
            return 1;
    return 0;
}

TEST(short_curves_stay_whole)
{
    make();
    assert_int_equal(wr_thin(CAP, t_s, value, NULL, CAP, chosen), CAP);
    assert_int_equal(wr_thin(0, t_s, value, NULL, CAP, chosen), 0);
    for (size_t i = 0; i < CAP; i++)
        assert_int_equal(chosen[i], i);
}

TEST(long_curves_keep_extremes)
{
    make();
    value[7777] = 50.0;
    value[12345] = -50.0;
    value[3] = (double)NAN;
    second[19000] = value[19000] + 0.5;
    const size_t n = wr_thin(N, t_s, value, second, CAP, chosen);
    assert_true(n <= CAP && n > CAP / 8);
    for (size_t k = 1; k < n; k++)
        assert_true(chosen[k - 1] < chosen[k]);
    assert_true(contains(n, 0) && contains(n, N - 1));
    assert_true(contains(n, 7777) && contains(n, 12345) && contains(n, 3) && contains(n, 19000));
}

/* In each tenth of the time the chosen points have the range of all points. */
TEST(each_span_has_its_range)
{
    make();
    const size_t n = wr_thin(N, t_s, value, NULL, CAP, chosen);
    for (int part = 0; part < 10; part++) {
        double all[2] = {(double)INFINITY, -(double)INFINITY}, some[2] = {all[0], all[1]};
        const size_t first = (size_t)part * N / 10, end = first + N / 10;
        for (size_t i = first; i < end; i++) {
            all[0] = fmin(all[0], value[i]);
            all[1] = fmax(all[1], value[i]);
        }
        for (size_t k = 0; k < n; k++)
            if (chosen[k] >= first && chosen[k] < end) {
                some[0] = fmin(some[0], value[chosen[k]]);
                some[1] = fmax(some[1], value[chosen[k]]);
            }
        assert_close(some[0], all[0], 0.0, 0.0);
        assert_close(some[1], all[1], 0.0, 0.0);
    }
}

TEST(equal_times_and_extreme_times)
{
    make();
    for (int i = 0; i < N; i++)
        t_s[i] = 1.0;
    assert_true(wr_thin(N, t_s, value, NULL, CAP, chosen) <= CAP);
    for (int i = 0; i < N; i++)
        t_s[i] = (1e-4 * i - 1.0) * 1e308;
    assert_true(wr_thin(N, t_s, value, second, CAP, chosen) <= CAP);
    for (int i = 0; i < N; i++)
        t_s[i] = i * 5e-324;
    assert_true(wr_thin(N, t_s, value, second, CAP, chosen) <= CAP);
}
