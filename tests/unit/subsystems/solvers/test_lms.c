/* Published properties of formulas: orders and error constants of the literature, and zero-stability against a second method. */
#include "wr_test.h"

#include "subsystems/solvers/lms.h"

/* Hairer, Norsett, Wanner 1993, "Solving ODEs I", III.2, tables 2.1 and 2.2; BDF: -1 / (k + 1). beste: Triverio (2014), lecture 16
 * (order 3; docs/METHODS.md, Sources), C_4 / sigma(1) = (1/6) / 6. */
TEST(orders_and_constants)
{
    const struct {
        const char *name;
        int order, is_explicit, is_zero_stable, is_strongly_stable;
        double error_constant;
    } rows[] = {
        {"euler", 1, 1, 1, 1, 1.0 / 2},         {"backward_euler", 1, 0, 1, 1, -1.0 / 2},
        {"trapezoidal", 2, 0, 1, 1, -1.0 / 12}, {"midpoint", 2, 1, 1, 0, 1.0 / 6},
        {"bdf1", 1, 0, 1, 1, -1.0 / 2},         {"bdf2", 2, 0, 1, 1, -1.0 / 3},
        {"bdf3", 3, 0, 1, 1, -1.0 / 4},         {"bdf4", 4, 0, 1, 1, -1.0 / 5},
        {"bdf5", 5, 0, 1, 1, -1.0 / 6},         {"bdf6", 6, 0, 1, 1, -1.0 / 7},
        {"ab1", 1, 1, 1, 1, 1.0 / 2},           {"ab2", 2, 1, 1, 1, 5.0 / 12},
        {"ab3", 3, 1, 1, 1, 3.0 / 8},           {"ab4", 4, 1, 1, 1, 251.0 / 720},
        {"ab5", 5, 1, 1, 1, 95.0 / 288},        {"am1", 2, 0, 1, 1, -1.0 / 12},
        {"am2", 3, 0, 1, 1, -1.0 / 24},         {"am3", 4, 0, 1, 1, -19.0 / 720},
        {"am4", 5, 0, 1, 1, -3.0 / 160},        {"beste", 3, 1, 0, 0, 1.0 / 36},
    };
    size_t n = 0;
    for (const wr_lms_named *at = wr_lms_table; at->name; at++)
        n++;
    assert_int_equal(n, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < n; i++) {
        wr_lms_facts facts;
        print_message("%s\n", rows[i].name);
        const wr_lms *const formula = &wr_lms_find(rows[i].name)->formula;
        assert_null(wr_lms_flaw(formula));
        assert_int_equal(wr_lms_examine(formula, &facts), WRSIM_OK);
        assert_int_equal(facts.order, rows[i].order);
        assert_int_equal(facts.is_explicit, rows[i].is_explicit);
        assert_int_equal(facts.is_zero_stable, rows[i].is_zero_stable);
        assert_int_equal(facts.is_strongly_stable, rows[i].is_strongly_stable);
        assert_close(facts.error_constant, rows[i].error_constant, 1e-11, 0.0);
    }
    assert_null(wr_lms_find("nothing"));
}

/* Roots of z^2 + 4 z - 5. */
TEST(beste_has_the_root_minus_five)
{
    wr_lms_facts facts;
    assert_int_equal(wr_lms_examine(&wr_lms_find("beste")->formula, &facts), WRSIM_OK);
    assert_int_equal(facts.n_root, 2);
    assert_close(creal(facts.root[0]), -5.0, 1e-14, 0.0);
    assert_close(cimag(facts.root[0]), 0.0, 0.0, 1e-14);
    assert_close(creal(facts.root[1]), 1.0, 1e-14, 0.0);
    assert_int_equal(facts.place[0], WR_LMS_OUTSIDE);
    assert_int_equal(facts.place[1], WR_LMS_ON_CIRCLE);
}

/* The seventh backward differentiation formula is the first formula that is not zero-stable (Cryer 1972, "On the instability of high order
 * backward-difference multistep methods"). */
TEST(bdf7_is_not_zero_stable)
{
    const wr_lms bdf7 = {7, {1089, -2940, 4410, -4900, 3675, -1764, 490, -60}, {420}};
    wr_lms_facts facts;
    assert_int_equal(wr_lms_examine(&bdf7, &facts), WRSIM_OK);
    assert_int_equal(facts.order, 7);
    assert_int_equal(facts.is_zero_stable, 0);
    assert_between(cabs(facts.root[0]), 1.01, 1.05);
}

TEST(flaws_are_reported)
{
    const wr_lms flawed[] = {
        {0, {1, -1}, {1}},
        {9, {1, -1}, {1}},
        {1, {0, 1}, {1}},
        {2, {1, 0, 0}, {1}},
        {1, {1, -1}, {0}},
        {1, {(double)NAN, 1}, {1}},
        {1, {1, -1}, {(double)INFINITY}},
    };
    for (size_t i = 0; i < sizeof flawed / sizeof flawed[0]; i++)
        assert_non_null(wr_lms_flaw(&flawed[i]));
}

/* The order depends on the last digits of the coefficients. */
TEST(order_needs_all_digits)
{
    wr_lms_facts facts;
    const wr_lms exact = {2, {1, -4.0 / 3, 1.0 / 3}, {2.0 / 3}};
    const wr_lms rounded = {2, {1, -1.33333, 0.33333}, {0.6667}};
    const wr_lms other_slope = {1, {1, -1}, {0.9, 0.0}};
    assert_int_equal(wr_lms_examine(&exact, &facts), WRSIM_OK);
    assert_int_equal(facts.order, 2);
    assert_int_equal(wr_lms_examine(&rounded, &facts), WRSIM_OK);
    assert_int_equal(facts.order, 0);
    assert_int_equal(wr_lms_examine(&other_slope, &facts), WRSIM_OK);
    assert_int_equal(facts.order, 0);
    assert_close(facts.sum_rho, 0.1, 1e-14, 0.0);
}

/* Multiplies by (z - root), and by the conjugate factor if the root is complex; c[0] is the leading coefficient. */
static int put_root(double *c, int degree, double complex root)
{
    const int is_real = fabs(cimag(root)) < 1e-12;
    const double factor[3] = {1.0, is_real ? -creal(root) : -2.0 * creal(root),
                              creal(root * conj(root))};
    const int n = is_real ? 1 : 2;
    double product[WR_LMS_STEPS + 3] = {0};
    for (int i = 0; i <= degree; i++)
        for (int j = 0; j <= n; j++)
            product[i + j] += c[i] * factor[j];
    memcpy(c, product, (size_t)(degree + n + 1) * sizeof *c);
    return degree + n;
}

/* Random formulas have given roots on the circle, simple or double, at 1, at -1 and between, and random roots inside, possibly multiple. */
TEST(multiplicity_on_the_circle)
{
    uint64_t seed = 11;
    for (int k = 0; k < 2000; k++) {
        wr_lms formula = {.alpha = {1}, .beta = {1}};
        const double angle = 0.05 + 3.0 * wr_random_share(&seed);
        const double complex at[] = {1.0, -1.0, cexp(CMPLX(0, angle))};
        const double complex root = at[k % 3];
        const int is_multiple = k % 2;
        int n = put_root(formula.alpha, 0, root);
        if (is_multiple)
            n = put_root(formula.alpha, n, root);
        const double radius = 0.9 * wr_random_share(&seed);
        n = put_root(formula.alpha, n, radius * cexp(CMPLX(0, 3.0 * wr_random_share(&seed))));
        if (n < 7)
            n = put_root(formula.alpha, n, radius);
        if (n < 8)
            n = put_root(formula.alpha, n, radius);
        formula.n_step = n;
        wr_lms_facts facts;
        assert_int_equal(wr_lms_examine(&formula, &facts), WRSIM_OK);
        if (facts.is_zero_stable == is_multiple)
            print_error("case %d: root %g %+gi, multiple %d, radius %g\n", k, creal(root),
                        cimag(root), is_multiple, radius);
        assert_int_equal(facts.is_zero_stable, !is_multiple);
    }
}

/* Schur 1918, "Ueber Potenzreihen, die im Innern des Einheitskreises beschraenkt sind": all roots lie inside if |c_0| > |c_n| and the
 * polynomial one degree lower, (c_0 c_i - c_n c_{n-i}), has this property. The test computes no root. */
static int schur_is_inside(double *c, int n)
{
    for (; n > 0; n--) {
        if (!(fabs(c[0]) > fabs(c[n])))
            return 0;
        double lower[WR_LMS_STEPS + 1];
        for (int i = 0; i < n; i++)
            lower[i] = (c[0] * c[i] - c[n] * c[n - i]) / c[0];
        memcpy(c, lower, (size_t)n * sizeof *c);
    }
    return 1;
}

TEST(places_agree_with_schur)
{
    uint64_t seed = 5;
    int n_inside = 0;
    for (int k = 0; k < 5000; k++) {
        wr_lms formula = {.n_step = 1 + k % WR_LMS_STEPS, .alpha = {1}, .beta = {1}};
        double c[WR_LMS_STEPS + 1] = {1};
        for (int j = 1; j <= formula.n_step; j++)
            c[j] = formula.alpha[j] = 1.6 * (wr_random_share(&seed) - 0.5);
        wr_lms_facts facts;
        assert_int_equal(wr_lms_examine(&formula, &facts), WRSIM_OK);
        const int is_inside = cabs(facts.root[0]) < 1.0;
        if (fabs(cabs(facts.root[0]) - 1.0) < 1e-9)
            continue; /* undecidable for the two methods */
        n_inside += is_inside;
        assert_int_equal(schur_is_inside(c, formula.n_step), is_inside);
        assert_int_equal(facts.is_zero_stable, is_inside);
    }
    assert_between(n_inside, 1000, 4000);
}
