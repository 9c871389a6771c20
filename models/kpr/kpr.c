/* Kvaerno-Prothero-Robinson problem: a slow u and a fast v with a known solution.
 *
 *     u' = G a + e b + r' / (2 u)       a = (-1 + u^2 - r) / (2 u),  r = cos(t) / 2
 *     v' = e a -   b + s' / (2 sqrt(2 + s))   b = (-2 + v^2 - s) / (2 v),  s = cos(w t)
 *
 * Solution: u = sqrt(1 + r), v = sqrt(2 + s). Source: the multirate example ark_kpr_mri of
 * SUNDIALS/ARKODE, with G = -100 1/s, e = 0.5 1/s, w = 100 rad/s. Each half is a component.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/describe.h"

static const double PI = 3.14159265358979323846;
enum { W, E, G, N_PARAM_U };
enum { N_PARAM_V = G };

static const wrsim_variable params[N_PARAM_U] = {
    [W] = WR_PARAM("w", "rad/s", 100.0, 0, 0, "angular frequency of v (ARKODE example: 100 rad/s)"),
    [E] = WR_PARAM("e", "1/s", 0.5, 0, 0, "coupling coefficient e (ARKODE example: 0.5)"),
    [G] = WR_PARAM("G", "1/s", -100.0, 0, 0, "stiffness coefficient G of u (ARKODE example: -100)"),
};

static double slow(double t_s) { return 0.5 * cos(t_s); }
static double slow_rate(double t_s) { return -0.5 * sin(t_s); }
/* Return the terms a and b of the comment at the top of this file, which are zero on the solution. */
static double defect_u(double t_s, double u) { return (-1.0 + u * u - slow(t_s)) / (2.0 * u); }
static double defect_v(double t_s, double w, double v)
{
    return (-2.0 + v * v - cos(w * t_s)) / (2.0 * v);
}

/* Declares one half: one state, one input (the other half's state) and one output (the half's own state). */
static int describe_half(wrsim_description *to, const wrsim_variable *state,
                         const wrsim_variable *input, const wrsim_variable *output)
{
    if (to->add(to, WRSIM_STATE, state) || to->add(to, WRSIM_INPUT, input) ||
        to->add(to, WRSIM_OUTPUT, output))
        return -1;
    return WR_DESCRIBE_PATTERNS(
        to, [WRSIM_X_X] = "x", [WRSIM_U_X] = "x", [WRSIM_X_Y] = "x", [WRSIM_U_Y] = ".");
}

/* Start values of the solution at t = 0: u = sqrt(3/2), v = sqrt(3). */
#define START_U 1.2247448713915890
#define START_V 1.7320508075688772

static int describe_u(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = PI / fmax(1.0, fabs(self->param[W]));
    (void)self;
    static const wrsim_variable state = WR_VALUE("u", "1", START_U, 1.0, "slow state");
    static const wrsim_variable input =
        WR_VALUE("v", "1", START_V, 1.0, "fast state of the other half", .flags = WRSIM_REQUIRED);
    static const wrsim_variable output = WR_STATE_OUTPUT("u", "1", 1.0, 0, "slow state");
    return describe_half(to, &state, &input, &output);
}

static int rhs_u(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double u = at->x[0];
    ret_dx[0] = p[G] * defect_u(at->t_s, u) + p[E] * defect_v(at->t_s, p[W], at->u[0]) +
                slow_rate(at->t_s) / (2.0 * u);
    return 0;
}

static int jacobian_u(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const double square = at->x[0] * at->x[0];
    ret_jac[0] = 0.5 * self->param[G] * (1.0 + (1.0 + slow(at->t_s)) / square) -
                 slow_rate(at->t_s) / (2.0 * square);
    return 0;
}

const wrsim_model wr_model_kpr_u = {
    WR_MODEL("kpr.u", "slow, stiff half of the Kvaerno-Prothero-Robinson problem", params,
             describe_u),
    .rhs = rhs_u,
    .jacobian = jacobian_u,
};

static int describe_v(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = PI / fabs(self->param[W]);
    (void)self;
    static const wrsim_variable state = WR_VALUE("v", "1", START_V, 1.0, "fast state");
    static const wrsim_variable input =
        WR_VALUE("u", "1", START_U, 1.0, "slow state of the other half", .flags = WRSIM_REQUIRED);
    static const wrsim_variable output = WR_STATE_OUTPUT("v", "1", 1.0, 0, "fast state");
    return describe_half(to, &state, &input, &output);
}

static int rhs_v(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double s = cos(p[W] * at->t_s), s_rate = -p[W] * sin(p[W] * at->t_s);
    ret_dx[0] = p[E] * defect_u(at->t_s, at->u[0]) - defect_v(at->t_s, p[W], at->x[0]) +
                s_rate / (2.0 * sqrt(2.0 + s));
    return 0;
}

static int jacobian_v(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const double s = cos(self->param[W] * at->t_s);
    ret_jac[0] = -0.5 * (1.0 + (2.0 + s) / (at->x[0] * at->x[0]));
    return 0;
}

const wrsim_model wr_model_kpr_v = {
    WR_MODEL_BASE("kpr.v", "fast half of the Kvaerno-Prothero-Robinson problem", describe_v),
    .n_param = N_PARAM_V,
    .params = params,
    .rhs = rhs_v,
    .jacobian = jacobian_v,
};
