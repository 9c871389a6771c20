/* Tests steps of linearly implicit Euler as maps, against closed forms. */
#include "wr_test.h"

#include "offline/stability/linear_step.h"

static const double ones[2] = {1, 1};

static double largest_radius(const wr_linear_step *step, double h_s, double growth)
{
    wr_mode mode[2];
    double radius = 0.0;
    assert_int_equal(wr_linear_step_modes(step, h_s, growth, 0.0, ones, mode), WRSIM_OK);
    for (int i = 0; i < step->n; i++)
        radius = fmax(radius, mode[i].radius);
    return radius;
}

/* With the whole Jacobian a step multiplies the state by 1 / (1 - h lambda). With no entry the factor is 1 + h lambda, so steps are stable
 * if h lambda lies between -2 and 0. */
TEST(all_and_nothing_of_the_jacobian)
{
    const double a[1] = {-50.0};
    const unsigned char none[1] = {0};
    const wr_linear_step whole = {.n = 1, .a = a}, explicit = {.n = 1, .a = a, .kept = none};
    double largest_s;
    for (double h_s = 1e-3; h_s < 10.0; h_s *= 1.7) {
        assert_close(largest_radius(&whole, h_s, 0.0), 1.0 / (1.0 + 50.0 * h_s), 1e-12, 0.0);
        assert_close(largest_radius(&explicit, h_s, 0.0), fabs(1.0 - 50.0 * h_s), 1e-9, 1e-12);
    }
    assert_int_equal(wr_linear_step_largest(&whole, 1e-3, 0.0, (double)INFINITY, &largest_s),
                     WRSIM_OK);
    assert_true(isinf(largest_s));
    assert_int_equal(wr_linear_step_largest(&explicit, 1e-3, 0.0, (double)INFINITY, &largest_s),
                     WRSIM_OK);
    assert_close(largest_s, 0.04, 1e-6, 0.0);
    assert_int_equal(wr_linear_step_largest(&explicit, 1e-3, 0.0, 0.03, &largest_s), WRSIM_OK);
    assert_true(isinf(largest_s)); /* stable up to 0.03 s */
}

/* x' = -x + y, 0 = 2 x - y: y = 2 x, so x' = x. A step multiplies the algebraic mode by 0. */
TEST(algebraic_equation)
{
    const double a[4] = {-1, 2, 1, -1}, l[4] = {1, 0, 0, 0};
    const wr_linear_step step = {.n = 2, .a = a, .l = l};
    wr_mode mode[2];
    double growth;
    assert_int_equal(wr_linear_step_growth(&step, 0.1, &growth), WRSIM_OK);
    assert_close(growth, 1.0, 1e-9, 0.0);
    assert_int_equal(wr_linear_step_modes(&step, 0.05, growth, 0.0, ones, mode), WRSIM_OK);
    const int slow = mode[0].radius > mode[1].radius ? 0 : 1;
    assert_close(mode[slow].radius, 1.0 / 0.95, 1e-12, 0.0);
    assert_int_equal(mode[slow].kind,
                     WR_MODE_STABLE); /* the model itself grows at this rate (x' = x) */
    assert_true(mode[1 - slow].radius < 1e-12);
    assert_int_equal(mode[1 - slow].kind, WR_MODE_STABLE);
}

/* x' = 50 x and x' = -x: steps of 0.1 s with the whole Jacobian give 1 / (1 - 5) instead of e^5. */
TEST(growth_that_is_lost)
{
    const double a[4] = {50, 0, 0, -1};
    const wr_linear_step step = {.n = 2, .a = a};
    wr_mode mode[2];
    for (int is_long = 0; is_long < 2; is_long++) {
        const double h_s = is_long ? 0.1 : 0.01;
        double growth;
        assert_int_equal(wr_linear_step_growth(&step, h_s, &growth), WRSIM_OK);
        assert_close(growth, 50.0, 1e-9, 0.0);
        assert_int_equal(wr_linear_step_modes(&step, h_s, growth, 0.0, ones, mode), WRSIM_OK);
        assert_int_equal(mode[0].is_lost + mode[1].is_lost, is_long);
    }
}

/* 0 = x: without its entry in the Jacobian, L / h - J is singular. */
TEST(singular_step_is_an_error)
{
    const double a[1] = {1.0}, l[1] = {0.0};
    const unsigned char none[1] = {0};
    const wr_linear_step step = {.n = 1, .a = a, .l = l, .kept = none};
    wr_mode mode[1];
    assert_int_equal(wr_linear_step_modes(&step, 0.1, 0.0, 0.0, ones, mode), WRSIM_E_SOLVER);
}
