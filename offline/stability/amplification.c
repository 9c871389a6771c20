/* Growth per step. See amplification.h. Thread: any. Real-time: no. */
#include "offline/stability/amplification.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Relative rounding error of a root's magnitude (assumed). */
static const double root_rounding = 1e-11;
/* slow_growth: tolerance of growth for the extent of a region. ray_from to ray_to, with the ratio ray_growth, are the examined
 * points before bisection. All values are assumed. */
static const double slow_growth = 1e-6;
static const double ray_from = 1e-2, ray_to = 1e6, ray_growth = 1.01;
/* Number of samples of the boundary curve for the angle, and number of steps of the ternary search for each minimum (assumed). */
enum { ANGLE_SAMPLES = 4096, ANGLE_CUTS = 60 };

wr_amplification wr_amplification_of_formula(const wr_lms *formula)
{
    const wr_lms unit = wr_lms_normalised(formula);
    wr_amplification a = {.degree_z = unit.n_step, .degree_q = 1};
    for (int j = 0; j <= unit.n_step; j++) {
        a.c[unit.n_step - j][0] = unit.alpha[j];
        a.c[unit.n_step - j][1] = -unit.beta[j];
    }
    return a;
}

wr_amplification wr_amplification_of_ratio(const double numerator[WR_AMPLIFICATION_Q + 1],
                                           const double denominator[WR_AMPLIFICATION_Q + 1])
{
    wr_amplification a = {.degree_z = 1, .degree_q = WR_AMPLIFICATION_Q};
    for (int j = 0; j <= WR_AMPLIFICATION_Q; j++) {
        a.c[0][j] = -numerator[j];
        a.c[1][j] = denominator[j];
    }
    return a;
}

double complex wr_amplification_largest(const wr_amplification *a, double complex q)
{
    double complex in_z[WR_LMS_STEPS + 1], root[WR_LMS_STEPS + 1];
    double size = 0.0;
    if (!isfinite(creal(q)) || !isfinite(cimag(q)))
        return CMPLX(NAN, NAN);
    for (int i = 0; i <= a->degree_z; i++) {
        double complex sum = 0.0;
        for (int j = a->degree_q; j >= 0; j--)
            sum = sum * q + a->c[i][j];
        in_z[i] = sum;
        size = wr_max(size, cabs(sum));
    }
    if (!(cabs(in_z[a->degree_z]) > root_rounding * root_rounding * size))
        return CMPLX(INFINITY, 0.0); /* a root is at infinity */
    int n;
    double complex largest = 0.0;
    if (wr_polynomial_roots(a->degree_z, in_z, root, &n) != WRSIM_OK)
        return CMPLX(NAN, NAN);
    for (int i = 0; i < n; i++)
        largest = cabs(root[i]) > cabs(largest) ? root[i] : largest;
    return largest;
}

double wr_amplification_radius(const wr_amplification *a, double complex q)
{
    return cabs(wr_amplification_largest(a, q));
}

int wr_amplification_is_stable(const wr_amplification *a, double complex q)
{
    return wr_amplification_radius(a, q) <= 1.0 + root_rounding;
}

double wr_amplification_reach(const wr_amplification *a, double angle, double most)
{
    const double complex along = cexp(CMPLX(0.0, angle));
    double low = 0.0, high = ray_from;
    const double to = wr_min(most, ray_to);
    while (low < to && wr_amplification_is_stable(a, wr_min(high, to) * along)) {
        low = wr_min(high, to);
        high *= ray_growth;
    }
    if (!(low > 0.0))
        return 0.0;
    if (low >= to)
        return (double)INFINITY;
    high = wr_min(high, to);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (wr_amplification_is_stable(a, middle * along))
            low = middle;
        else
            high = middle;
    }
    /* Growth with a high power of r exceeds rounding only far from 0. If the growth at twice the extent is below slow_growth, no r is
     * stable. */
    return wr_amplification_radius(a, 2.0 * low * along) < 1.0 + slow_growth ? 0.0 : low;
}

int wr_amplification_locus(const wr_amplification *a, double phi, double complex *ret_q)
{
    const double complex z = cexp(CMPLX(0.0, phi));
    double complex in_q[WR_AMPLIFICATION_Q + 1];
    for (int j = 0; j <= a->degree_q; j++) {
        double complex sum = 0.0;
        for (int i = a->degree_z; i >= 0; i--)
            sum = sum * z + a->c[i][j];
        in_q[j] = sum;
    }
    int n;
    return wr_polynomial_roots(a->degree_q, in_q, ret_q, &n) == WRSIM_OK ? n : 0;
}

/* Returns the smallest angle |arg(-q)|, in degrees, of the curve's points at phi; 90 without points in the left half-plane. Omits
 * points near 0, which is on the boundary of every region. */
static double angle_at(const wr_amplification *a, double phi)
{
    double complex q[WR_AMPLIFICATION_Q + 1];
    double least = 90.0;
    const int n = wr_amplification_locus(a, phi, q);
    for (int i = 0; i < n; i++)
        if (creal(q[i]) < 0.0 && cabs(q[i]) > 1e-4)
            least = wr_min(least, atan2(fabs(cimag(q[i])), -creal(q[i])) * 180.0 / M_PI);
    return least;
}

static double least_between(const wr_amplification *a, double low, double high)
{
    for (int i = 0; i < ANGLE_CUTS; i++) {
        const double third = (high - low) / 3.0;
        if (angle_at(a, low + third) < angle_at(a, high - third))
            high -= third;
        else
            low += third;
    }
    return angle_at(a, 0.5 * (low + high));
}

double wr_amplification_angle(const wr_amplification *a)
{
    const double step = M_PI / ANGLE_SAMPLES;
    double least = 90.0;
    for (int k = 1; k < ANGLE_SAMPLES; k++) {
        const double here = angle_at(a, k * step);
        if (here <= angle_at(a, (k - 1) * step) && here <= angle_at(a, (k + 1) * step))
            least = wr_min(least, least_between(a, (k - 1) * step, (k + 1) * step));
    }
    /* The sector contains no boundary, so two points of the sector decide. */
    return wr_amplification_is_stable(a, -1.0) && least > 0.0 && wr_amplification_is_stable(a, -1e5)
               ? least
               : 0.0;
}

wr_stepper wr_stepper_of_formula(const wr_lms *formula)
{
    wr_lms_facts facts;
    return (wr_stepper){.name = "formula",
                        .help = "linear multistep formula",
                        .formula = formula,
                        .order = wr_lms_examine(formula, &facts) == WRSIM_OK ? facts.order : 0,
                        .amplification = wr_amplification_of_formula(formula)};
}

static int find_formula(const char *name, wr_stepper *ret_stepper)
{
    const wr_lms_named *const named = wr_lms_find(name);
    if (!named)
        return 0;
    *ret_stepper = wr_stepper_of_formula(&named->formula);
    ret_stepper->name = named->name;
    ret_stepper->help = named->help;
    return 1;
}

/* Returns 1 if the integrator is a one-step method of fixed step that is no formula. */
static int has_growth(const wr_integrator_ops *integrator)
{
    return integrator->growth.denominator[0] != 0.0;
}

int wr_stepper_of_integrator(const wr_integrator_ops *integrator, wr_stepper *ret_stepper)
{
    if (integrator->formula)
        return find_formula(integrator->formula, ret_stepper);
    *ret_stepper = (wr_stepper){.name = integrator->name,
                                .help = integrator->help,
                                .order = integrator->order,
                                .amplification = wr_amplification_of_ratio(
                                    integrator->growth.numerator, integrator->growth.denominator)};
    return has_growth(integrator);
}

int wr_stepper_find(const char *name, wr_stepper *ret_stepper)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(name);
    return (integrator && wr_stepper_of_integrator(integrator, ret_stepper)) ||
           find_formula(name, ret_stepper);
}

int wr_stepper_names(const char **ret_name, int most)
{
    int n = 0;
    for (const wr_lms_named *row = wr_lms_table; row->name; row++, n++)
        if (n < most)
            ret_name[n] = row->name;
    for (const wr_integrator_ops *const *row = wr_integrators; *row; row++)
        if (has_growth(*row) && n++ < most)
            ret_name[n - 1] = (*row)->name;
    return n;
}
