/* Van der Pol's oscillator, stiff for large mu:
 *
 *     y1' = y2        y2' = mu (1 - y1^2) y2 - y1
 *
 * Source: Test Set for IVP Solvers (Mazzia and Magherini, 2008), problem VDPOL, in the unscaled form
 * with mu = 1000 and t in 0..2000. The model vanderpol has both states. vanderpol.position and vanderpol.velocity have one state
 * each, and the output of the other model as input.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

static const wrsim_variable params[] = {
    WR_TUNABLE("mu", "1", 1000.0, 0.0, 1e9, "strength of the non-linear damping")};
static const wrsim_variable variable_y1 = WR_VALUE("y1", "1", 2.0, 1.0, "position");
static const wrsim_variable output_y1 = WR_STATE_OUTPUT("y1", "1", 1.0, 0, "position");

/* Returns the nominal value of y2. On the slow branches y2 is about y1 / (mu (1 - y1^2)), of the order 1/mu. For mu > 1 the nominal
 * value is therefore 1/mu, so that the absolute tolerance is meaningful on these branches. Between the branches y2 reaches
 * about 4 mu / 3. */
static double slow_velocity(double mu) { return mu > 1.0 ? 1.0 / mu : 1.0; }

static int add_velocity(const wrsim_instance *self, wrsim_description *to, int index)
{
    const double nominal = slow_velocity(self->param[0]);
    const wrsim_variable state = WR_VALUE("y2", "1", 0.0, nominal, "velocity");
    const wrsim_variable output = WR_STATE_OUTPUT("y2", "1", nominal, index, "velocity");
    return to->add(to, WRSIM_STATE, &state) || to->add(to, WRSIM_OUTPUT, &output) ? -1 : 0;
}

static double acceleration(double mu, double y1, double y2)
{
    return mu * (1.0 - y1 * y1) * y2 - y1;
}

static int describe_both(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    if (to->add(to, WRSIM_STATE, &variable_y1) || to->add(to, WRSIM_OUTPUT, &output_y1) ||
        add_velocity(self, to, 1))
        return -1;
    return WR_DESCRIBE_PATTERNS(to, [WRSIM_X_X] = ".x xx", [WRSIM_X_Y] = "x. .x");
}

static int rhs_both(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = acceleration(self->param[0], at->x[0], at->x[1]);
    return 0;
}

static int jacobian_both(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const double mu = self->param[0], y1 = at->x[0], y2 = at->x[1];
    ret_jac[0] = 0.0;
    ret_jac[1] = -2.0 * mu * y1 * y2 - 1.0;
    ret_jac[2] = 1.0;
    ret_jac[3] = mu * (1.0 - y1 * y1);
    return 0;
}

const wrsim_model wr_model_vanderpol = {
    WR_MODEL("vanderpol", "van der Pol's oscillator, both states", params, describe_both),
    .rhs = rhs_both,
    .jacobian = jacobian_both,
};

static int describe_position(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    static const wrsim_variable input = WR_REQUIRED("y2", "1", 1.0, "velocity");
    if (to->add(to, WRSIM_STATE, &variable_y1) || to->add(to, WRSIM_INPUT, &input) ||
        to->add(to, WRSIM_OUTPUT, &output_y1))
        return -1;
    return WR_DESCRIBE_PATTERNS(
        to, [WRSIM_X_X] = ".", [WRSIM_U_X] = "x", [WRSIM_X_Y] = "x", [WRSIM_U_Y] = ".");
}

static int rhs_position(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)self;
    ret_dx[0] = at->u[0];
    return 0;
}

static int jacobian_position(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)self;
    (void)at;
    ret_jac[0] = 0.0;
    return 0;
}

const wrsim_model wr_model_vanderpol_position = {
    WR_MODEL_BASE("vanderpol.position", "position half of van der Pol's oscillator: y1' = velocity",
                  describe_position),
    .rhs = rhs_position,
    .jacobian = jacobian_position,
};

static int describe_velocity(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    static const wrsim_variable input =
        WR_VALUE("y1", "1", 2.0, 1.0, "position", .flags = WRSIM_REQUIRED);
    if (add_velocity(self, to, 0) || to->add(to, WRSIM_INPUT, &input))
        return -1;
    return WR_DESCRIBE_PATTERNS(
        to, [WRSIM_X_X] = "x", [WRSIM_U_X] = "x", [WRSIM_X_Y] = "x", [WRSIM_U_Y] = ".");
}

static int rhs_velocity(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = acceleration(self->param[0], at->u[0], at->x[0]);
    return 0;
}

static int jacobian_velocity(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    ret_jac[0] = self->param[0] * (1.0 - at->u[0] * at->u[0]);
    return 0;
}

const wrsim_model wr_model_vanderpol_velocity = {
    WR_MODEL("vanderpol.velocity",
             "velocity half of van der Pol's oscillator: y2' = mu (1 - y1^2) y2 - y1", params,
             describe_velocity),
    .rhs = rhs_velocity,
    .jacobian = jacobian_velocity,
};
