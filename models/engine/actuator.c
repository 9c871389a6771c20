/* Actuator of a valve: first-order lag behind a command that follows a measured signal.
 *
 *     command = clamp(base + gain (feedback - reference) + trim, low, high)
 *     d(position)/dt = (command - position) / time_constant
 *
 * Branches at the two limits are frozen modes, continuous in the command.
 * Thread: one at a time. Real-time: yes.
 */
#include "models/engine/declare.h"
#include "models/engine/engine_airpath.h"

enum { P_TIME_CONSTANT, P_BASE, P_GAIN, P_REFERENCE, P_LOW, P_HIGH, N_PARAM };
enum { U_FEEDBACK, U_TRIM };
enum { Z_HIGH, Z_FREE };

static const wrsim_variable params[N_PARAM] = {
    [P_TIME_CONSTANT] =
        WR_TUNABLE("time_constant", "s", 0.02, 1e-6, 1e3, "time constant of the lag"),
    [P_BASE] = WR_TUNABLE("base", "1", 0, 0, 0, "command at feedback = reference"),
    [P_GAIN] = WR_TUNABLE("gain", "1/Pa", 0, 0, 0, "command per feedback"),
    [P_REFERENCE] =
        WR_TUNABLE("reference", "Pa", 0, 0, 0, "measured signal at which the command is base"),
    [P_LOW] = WR_TUNABLE("low", "1", 0, 0, 0, "smallest command"),
    [P_HIGH] = WR_TUNABLE("high", "1", 1, 0, 0, "largest command"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    if (!(self->param[P_LOW] < self->param[P_HIGH])) {
        self->message = "the actuator's limits are in the wrong order: set low < high";
        return -1;
    }
    ENGINE_DECLARE(&list, WRSIM_STATE,
                   WR_SIGNAL("position", "1", 1, "valve position, 0 closed, 1 open"));
    ENGINE_DECLARE(&list, WRSIM_INPUT, WR_REQUIRED("feedback", "Pa", 1e5, "measured signal"));
    ENGINE_DECLARE(&list, WRSIM_INPUT,
                   WR_SIGNAL("trim", "1", 1, "trim that is added to the command"));
    engine_ports(&list, U_FEEDBACK, 2);
    ENGINE_DECLARE(&list, WRSIM_OUTPUT, WR_STATE_OUTPUT("position", "1", 1, 0, "position"));
    ENGINE_DECLARE(&list, WRSIM_INDICATOR, WR_SIGNAL("at_high", NULL, 0, "command above high"));
    ENGINE_DECLARE(&list, WRSIM_INDICATOR, WR_SIGNAL("above_low", NULL, 0, "command above low"));
    engine_depends(&list, WRSIM_X_X, 0, 0);
    engine_depends_row(&list, WRSIM_U_X, 0, U_FEEDBACK, 2);
    engine_depends(&list, WRSIM_X_Y, 0, 0);
    engine_depends_not(&list, WRSIM_U_Y);
    engine_depends_not(&list, WRSIM_X_Z);
    engine_depends_row(&list, WRSIM_U_Z, Z_HIGH, U_FEEDBACK, 2);
    engine_depends_row(&list, WRSIM_U_Z, Z_FREE, U_FEEDBACK, 2);
    return list.status;
}

static double raw_command(const double *p, const double *const *port)
{
    return p[P_BASE] + p[P_GAIN] * (*port[U_FEEDBACK] - p[P_REFERENCE]) + *port[U_TRIM];
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double command = at->mode[Z_HIGH]   ? p[P_HIGH]
                           : at->mode[Z_FREE] ? raw_command(p, at->port)
                                              : p[P_LOW];
    ret_dx[0] = (command - at->x[0]) / p[P_TIME_CONSTANT];
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double command = raw_command(self->param, at->port);
    ret_z[Z_HIGH] = command - self->param[P_HIGH];
    ret_z[Z_FREE] = command - self->param[P_LOW];
    return 0;
}

const wrsim_model engine_actuator_model = {
    WR_MODEL("engine.actuator", "First-order valve actuator with limited command"),
    WR_MODEL_PARAMS(params),
    .describe = describe,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
