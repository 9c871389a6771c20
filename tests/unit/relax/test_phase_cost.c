/* Prediction of the cost of integrations. */
#include "arena_test.h"
#include "wr_test.h"

#include "runtime/relax/phase_cost.h"

static wr_phase_cost place(int has_period)
{
    wr_phase_cost c;
    assert_int_equal(wr_phase_cost_place(&c, arena, has_period), 0);
    return c;
}

/* Returns window i of n per period. */
static wr_phase_cost_span window(int i, int n)
{
    return (wr_phase_cost_span){((double)i + 0.3) / n, ((double)i + 1.3) / n};
}

/* Returns a high cost in the first quarter of the period, else a low cost. */
static double work_of(int i, int n) { return i % n < n / 4 ? 900.0 : 100.0; }

/* After one period the prediction of each window's cost is accurate, for windows longer and shorter than the recorded intervals. */
TEST(period)
{
    static const int per_period[] = {4, 48, 96, 512};
    for (size_t k = 0; k < sizeof per_period / sizeof *per_period; k++) {
        const int n = per_period[k];
        wr_phase_cost c = place(1);
        double error = 0.0, sum = 0.0;
        for (int i = 0; i < 3 * n; i++) {
            if (i >= n) {
                error += fabs(wr_phase_cost_expected(&c, window(i, n)) - work_of(i, n));
                sum += work_of(i, n);
            }
            wr_phase_cost_learn(&c, window(i, n), work_of(i, n), 0);
        }
        assert_between(error, 0.0, 0.05 * sum);
    }
}

/* For windows of another length the work is proportional to the length. */
TEST(other_length)
{
    wr_phase_cost c = place(1);
    for (int i = 0; i < 48; i++)
        wr_phase_cost_learn(&c, window(i, 48), work_of(i, 48), 0);
    assert_close(wr_phase_cost_expected(&c, (wr_phase_cost_span){1.1, 1.1 + 2.0 / 48}), 1800.0,
                 1e-5, 0.0);
    assert_close(wr_phase_cost_expected(&c, (wr_phase_cost_span){1.5, 1.5 + 0.5 / 48}), 50.0, 1e-5,
                 0.0);
}

/* Without a record the prediction is the recent cost. */
TEST(recent)
{
    wr_phase_cost plain = place(0), periodic = place(1);
    assert_close(wr_phase_cost_expected(&plain, window(0, 48)), 0.0, 0.0, 0.0);
    for (int i = 0; i < 20; i++) {
        wr_phase_cost_learn(&plain, window(i, 48), i < 10 ? 10.0 : 500.0, 0);
        wr_phase_cost_learn(&periodic, window(i, 48), i < 10 ? 10.0 : 500.0, 0);
    }
    assert_close(wr_phase_cost_expected(&plain, window(20, 48)), 500.0, 1e-2, 0.0);
    assert_close(wr_phase_cost_expected(&periodic, window(20, 48)), 500.0, 1e-2, 0.0);
    assert_close(wr_phase_cost_expected(&periodic, window(48 + 5, 48)), 10.0, 1e-5, 0.0);
}

/* The time per unit of work follows the measurements. A measurement during which the thread has no CPU has a low weight. */
TEST(time)
{
    wr_phase_cost c = place(0);
    assert_close(wr_phase_cost_of_work(&c, 7.0), 7.0, 0.0, 0.0);
    for (int i = 0; i < 50; i++)
        wr_phase_cost_learn(&c, window(i, 48), 100.0, 3000);
    assert_close(wr_phase_cost_of_work(&c, 7.0), 210.0, 1e-12, 0.0);
    wr_phase_cost_learn(&c, window(50, 48), 100.0, 50000000);
    assert_between(wr_phase_cost_of_work(&c, 7.0), 210.0, 240.0);
    wr_phase_cost_learn(&c, window(51, 48), 0.0, 3000); /* for example only an event */
    assert_between(wr_phase_cost_of_work(&c, 7.0), 210.0, 240.0);
}

/* A phase that is constant, falls, is huge or is not finite has no recorded intervals. */
TEST(no_phase)
{
    const wr_phase_cost_span odd[] = {
        {1.0, 1.0}, {2.0, 1.0}, {(double)NAN, 1.0}, {0.0, (double)INFINITY}, {1e300, 2e300}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        wr_phase_cost c = place(1);
        wr_phase_cost_learn(&c, odd[i], 40.0, 0);
        assert_close(wr_phase_cost_expected(&c, odd[i]), 40.0, 0.0, 0.0);
        assert_close(wr_phase_cost_expected(&c, window(3, 48)), 40.0, 0.0, 0.0);
    }
    wr_phase_cost c = place(1);
    wr_phase_cost_learn(&c, (wr_phase_cost_span){-0.3, -0.2}, 5.0, 0); /* the time before phase 0 */
    wr_phase_cost_learn(&c, (wr_phase_cost_span){-9.0, 9.0}, 360.0, 0); /* longer than a period */
    assert_close(wr_phase_cost_expected(&c, (wr_phase_cost_span){0.7, 0.8}), 2.0, 1e-5, 0.0);
}
