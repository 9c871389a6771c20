/* Examines linear multistep formulas. See lms.h. Thread: any (constant). Real-time: no. */
#include "subsystems/solvers/lms.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/polynomial.h"

/* A condition on coefficients holds if its sum is below this share (assumed) of the summed sizes of its terms. Coefficients are decimals of
 * 16 digits. */
static const double condition_rounding = 1e-13;
/* Roots have the error of coefficients that are off by root_rounding units of rounding. Two roots that are closer than root_apart times
 * that error are one multiple root (both assumed). */
static const double root_rounding = 100.0, root_apart = 10.0;

/* Formulas of Hairer, Norsett, Wanner, "Solving ODEs I", III.1, tables 1.1 and 1.2 and eq. 1.22'. "beste" is Dahlquist's example of the
 * most accurate explicit two-step formula (III.3, eq. 3.1). */
const wr_lms_named wr_lms_table[] = {
    {"euler", "forward Euler", {1, {1, -1}, {0, 1}}},
    {"backward_euler", "backward Euler", {1, {1, -1}, {1, 0}}},
    {"trapezoidal", "trapezoidal rule", {1, {1, -1}, {0.5, 0.5}}},
    {"midpoint", "explicit midpoint rule (leapfrog)", {2, {1, 0, -1}, {0, 2, 0}}},
    {"bdf1", "backward differentiation, 1 step", {1, {1, -1}, {1, 0}}},
    {"bdf2", "backward differentiation, 2 steps", {2, {3, -4, 1}, {2}}},
    {"bdf3", "backward differentiation, 3 steps", {3, {11, -18, 9, -2}, {6}}},
    {"bdf4", "backward differentiation, 4 steps", {4, {25, -48, 36, -16, 3}, {12}}},
    {"bdf5", "backward differentiation, 5 steps", {5, {137, -300, 300, -200, 75, -12}, {60}}},
    {"bdf6", "backward differentiation, 6 steps", {6, {147, -360, 450, -400, 225, -72, 10}, {60}}},
    {"ab1", "Adams-Bashforth, 1 step", {1, {1, -1}, {0, 1}}},
    {"ab2", "Adams-Bashforth, 2 steps", {2, {2, -2}, {0, 3, -1}}},
    {"ab3", "Adams-Bashforth, 3 steps", {3, {12, -12}, {0, 23, -16, 5}}},
    {"ab4", "Adams-Bashforth, 4 steps", {4, {24, -24}, {0, 55, -59, 37, -9}}},
    {"ab5", "Adams-Bashforth, 5 steps", {5, {720, -720}, {0, 1901, -2774, 2616, -1274, 251}}},
    {"am1", "Adams-Moulton, 1 step", {1, {2, -2}, {1, 1}}},
    {"am2", "Adams-Moulton, 2 steps", {2, {12, -12}, {5, 8, -1}}},
    {"am3", "Adams-Moulton, 3 steps", {3, {24, -24}, {9, 19, -5, 1}}},
    {"am4", "Adams-Moulton, 4 steps", {4, {720, -720}, {251, 646, -264, 106, -19}}},
    {"beste", "most accurate explicit formula of 2 steps", {2, {1, 4, -5}, {0, 4, 2}}},
    {NULL, NULL, {0}},
};

const wr_lms_named *wr_lms_find(const char *name)
{
    for (const wr_lms_named *row = wr_lms_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static int is_zero(double a) { return fpclassify(a) == FP_ZERO; }

const char *wr_lms_flaw(const wr_lms *formula)
{
    int has_beta = 0, has_past = 0;
    if (formula->n_step < 1 || formula->n_step > WR_LMS_STEPS)
        return "the formula needs 1 to 8 steps";
    for (int j = 0; j <= formula->n_step; j++) {
        if (!isfinite(formula->alpha[j]) || !isfinite(formula->beta[j]))
            return "a coefficient is not finite";
        has_beta |= !is_zero(formula->beta[j]);
        has_past |= j > 0 && !is_zero(formula->alpha[j]);
    }
    if (is_zero(formula->alpha[0]))
        return "alpha_0, the factor of the new state, is zero";
    if (!has_past)
        return "all alpha except alpha_0 are zero, so no past state has a factor";
    return has_beta ? NULL : "all beta are zero, so no slope has a factor";
}

wr_lms wr_lms_normalised(const wr_lms *formula)
{
    wr_lms unit = *formula;
    for (int j = 0; j <= unit.n_step; j++) {
        unit.alpha[j] /= formula->alpha[0];
        unit.beta[j] /= formula->alpha[0];
    }
    return unit;
}

/* Returns C_q = 1/q! (sum alpha_j (-j)^q - q sum beta_j (-j)^{q-1}), the residual of t^q around t_n ("Solving ODEs I", III.2, eq. 2.6).
 * *ret_size: sum of the sizes of the terms. */
static double order_condition(const wr_lms *unit, int q, double *ret_size)
{
    double sum = 0.0, size = 0.0, factorial = 1.0;
    for (int i = 2; i <= q; i++)
        factorial *= i;
    for (int j = 0; j <= unit->n_step; j++) {
        const double a = unit->alpha[j] * pow(-j, q);
        const double b = q > 0 ? q * unit->beta[j] * pow(-j, q - 1) : 0.0;
        sum += (a - b) / factorial;
        size += (fabs(a) + fabs(b)) / factorial;
    }
    *ret_size = size;
    return sum;
}

static void find_order(const wr_lms *unit, wr_lms_facts *facts)
{
    double size, sigma = 0.0;
    int q = 0;
    facts->sum_alpha = order_condition(unit, 0, &size);
    facts->sum_rho = order_condition(unit, 1, &size);
    /* No formula of k steps has an order above 2 k. */
    for (; q <= 2 * unit->n_step; q++)
        if (fabs(order_condition(unit, q, &size)) > condition_rounding * size)
            break;
    facts->order = q > 0 ? q - 1 : 0;
    facts->residual_constant = order_condition(unit, q, &size);
    for (int j = 0; j <= unit->n_step; j++)
        sigma += unit->beta[j];
    facts->error_constant = facts->residual_constant / sigma;
}

static double distance_to_next(const wr_lms_facts *facts, int i)
{
    double least = (double)INFINITY;
    for (int j = 0; j < facts->n_root; j++)
        if (j != i)
            least = wr_min(least, cabs(facts->root[j] - facts->root[i]));
    return least;
}

/* Finds the place of root i relative to the unit circle. The error of a simple root is the error of rho over |rho'|, and at most 0.1
 * (assumed). A root on the circle is multiple if the nearest other root is closer than root_apart times the error. */
static wr_lms_place place_of(const wr_lms_facts *facts, int i, int degree,
                             const double complex *rho)
{
    const double complex z = facts->root[i];
    double complex slope[WR_LMS_STEPS + 1];
    double size = 0.0;
    for (int j = 0; j <= degree; j++)
        size += cabs(rho[j]) * pow(cabs(z), j);
    wr_polynomial_differentiate(degree, rho, slope);
    const double steepness = cabs(wr_polynomial_eval(degree - 1, slope, z));
    const double moved = wr_min(root_rounding * DBL_EPSILON * size / steepness, 0.1);
    if (cabs(z) > 1.0 + moved)
        return WR_LMS_OUTSIDE;
    if (cabs(z) < 1.0 - moved)
        return WR_LMS_INSIDE;
    return distance_to_next(facts, i) < root_apart * moved ? WR_LMS_MULTIPLE : WR_LMS_ON_CIRCLE;
}

wrsim_status wr_lms_examine(const wr_lms *formula, wr_lms_facts *ret_facts)
{
    const wr_lms unit = wr_lms_normalised(formula);
    wr_lms_facts facts = {
        .is_explicit = is_zero(unit.beta[0]), .is_zero_stable = 1, .is_strongly_stable = 1};
    double complex rho[WR_LMS_STEPS + 1];
    for (int j = 0; j <= unit.n_step; j++)
        rho[unit.n_step - j] = unit.alpha[j];
    find_order(&unit, &facts);
    WR_TRY(wr_polynomial_roots(unit.n_step, rho, facts.root, &facts.n_root));
    for (int i = 1; i < facts.n_root; i++)
        for (int j = i; j > 0 && cabs(facts.root[j]) > cabs(facts.root[j - 1]); j--) {
            const double complex root = facts.root[j];
            facts.root[j] = facts.root[j - 1];
            facts.root[j - 1] = root;
        }
    int n_circle = 0;
    for (int i = 0; i < facts.n_root; i++) {
        facts.place[i] = place_of(&facts, i, unit.n_step, rho);
        n_circle += facts.place[i] == WR_LMS_ON_CIRCLE;
        if (facts.place[i] == WR_LMS_MULTIPLE || facts.place[i] == WR_LMS_OUTSIDE)
            facts.is_zero_stable = 0;
    }
    facts.is_strongly_stable = facts.is_zero_stable && n_circle == 1;
    *ret_facts = facts;
    return WRSIM_OK;
}
