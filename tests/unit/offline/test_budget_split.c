/* Division of an error budget: against the closed form for power laws, and at the ends of curves. */
#include "wr_test.h"

#include "offline/budget_split.h"

/* Returns n points of error = c x^q and work = d x^-r, from x = first on, with per_decade points per decade. */
static wr_budget_curve power_law(double first, double per_decade, int n, double c, double q,
                                 double d, double r)
{
    wr_budget_curve curve = {.n = n};
    for (int i = 0; i < n; i++) {
        curve.x[i] = first * pow(10.0, i / per_decade);
        curve.error[i] = c * pow(curve.x[i], q);
        curve.work[i] = d * pow(curve.x[i], -r);
    }
    return curve;
}

TEST(fit_finds_power_laws)
{
    wr_budget_curve curve = power_law(1e-8, 3.0, 12, 20.0, 0.8, 3.0, 0.25);
    curve.floor = 2.0 * curve.error[3]; /* the other errors dominate the first points */
    for (int i = 0; i < 4; i++)
        curve.error[i] = curve.floor;
    wr_budget_fit(&curve);
    assert_close(curve.q, 0.8, 0.0, 1e-9);
    assert_close(curve.c, 20.0, 0.0, 1e-6);
    assert_close(wr_budget_work(&curve, 3e-7) / (3.0 * pow(3e-7, -0.25)), 1.0, 0.0, 1e-9);
    /* Beyond the points: the work grows with the last slope for tighter tolerances and is constant for looser tolerances. */
    assert_close(wr_budget_work(&curve, 1e-9) / (3.0 * pow(1e-9, -0.25)), 1.0, 0.0, 1e-9);
    assert_close(wr_budget_work(&curve, 1.0), curve.work[11], 0.0, 1e-12);
}

TEST(a_floor_bounds_invisible_errors)
{
    wr_budget_curve curve = power_law(1e-8, 3.0, 6, 1e-3, 1.0, 1.0, 0.2);
    curve.floor = 1e-6; /* above all errors of the curve */
    wr_budget_fit(&curve);
    assert_close(curve.q, 1.0, 0.0, 0.0);
    assert_close(wr_budget_error(&curve, curve.x[5]), 1e-6, 0.0, 1e-18);
}

TEST(work_becomes_falling_and_convex)
{
    wr_budget_curve curve = power_law(1e-6, 3.0, 7, 1.0, 1.0, 1.0, 0.2);
    const double at_4 = curve.work[4];
    curve.work[2] *= 1.3;
    curve.work[6] *= 2.0;
    wr_budget_fit(&curve);
    for (int i = 1; i + 1 < curve.n; i++) {
        assert_true(curve.work[i + 1] <= curve.work[i]);
        assert_true(log(curve.work[i]) <=
                    0.5 * (log(curve.work[i - 1]) + log(curve.work[i + 1])) + 1e-12);
    }
    assert_close(curve.work[4], at_4, 0.0, 1e-12);
    assert_close(curve.work[6], curve.work[5], 0.0, 1e-12);
}

/* Lagrange: q_i error_i lambda = r_i work_i for all i, and the errors have the total as their sum. */
TEST(split_meets_the_lagrange_condition)
{
    static const double c[] = {20.0, 0.5, 100.0}, q[] = {1.0, 0.9, 0.75}, d[] = {4.0, 10.0, 1.0},
                        r[] = {0.25, 0.15, 0.3};
    const double total = 1e-4;
    wr_budget_curve curve[3];
    double x[3], lambda[3], errors = 0.0;
    for (int i = 0; i < 3; i++) {
        curve[i] = power_law(1e-10, 2.0, WR_BUDGET_POINTS, c[i], q[i], d[i], r[i]);
        wr_budget_fit(&curve[i]);
    }
    wr_budget_split(curve, 3, total, x);
    for (int i = 0; i < 3; i++) {
        const double error = c[i] * pow(x[i], q[i]);
        errors += error;
        lambda[i] = r[i] * d[i] * pow(x[i], -r[i]) / (q[i] * error);
    }
    assert_close(errors / total, 1.0, 0.0, 1e-6);
    for (int i = 1; i < 3; i++) /* adjacent candidates differ by 4 % of x */
        assert_close(lambda[i] / lambda[0], 1.0, 0.0, 0.1);
}

TEST(split_at_the_ends)
{
    wr_budget_curve curve[2] = {power_law(1e-6, 3.0, 6, 1.0, 1.0, 1.0, 0.2),
                                power_law(1e-6, 3.0, 6, 1.0, 0.5, 1.0, 0.2)};
    double x[2];
    for (int i = 0; i < 2; i++)
        wr_budget_fit(&curve[i]);
    wr_budget_split(curve, 2, 1e3, x); /* more than the largest total error */
    for (int i = 0; i < 2; i++)
        assert_close(x[i], curve[i].x[5], 0.0, 1e-12);
    wr_budget_split(curve, 2, 1e-5, x); /* less than the error of the tightest points */
    assert_close(x[0] + pow(x[1], 0.5), 1e-5, 0.0, 1e-12);
    assert_true(x[0] <= curve[0].x[0] && x[1] <= curve[1].x[0]);
}
