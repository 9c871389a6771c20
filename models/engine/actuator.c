/* Actuator of a valve: first-order lag behind a command that follows a measured signal.
 *
 *     command = clamp(base + gain (feedback - reference) + trim, low, high)
 *     d(position)/dt = (command - position) / time_constant
 *
 * Event modes select the branches at the two limits. The position's rate is continuous in the command.
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(TUNABLE, TIME_CONSTANT, "time_constant", "s", 0.02, 1e-6, 1e3, "time constant of the lag") \
    ROW(TUNABLE, BASE, "base", "1", 0, 0, 0, "command at feedback = reference")                    \
    ROW(TUNABLE, GAIN, "gain", "1/Pa", 0, 0, 0, "command per feedback")                            \
    ROW(TUNABLE, REFERENCE, "reference", "Pa", 0, 0, 0,                                            \
        "measured signal at which the command is base")                                            \
    ROW(TUNABLE, LOW, "low", "1", 0, 0, 0, "smallest command")                                     \
    ROW(TUNABLE, HIGH, "high", "1", 1, 0, 0, "largest command")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { U_FEEDBACK, U_TRIM };
enum { Z_HIGH, Z_FREE };

static const wr_row rows[] = {
    WR_STATE("position", "1", 0, 1, "valve position, 0 closed, 1 open"),
    WR_NEEDED("feedback", "Pa", 1e5, "measured signal"),
    WR_INPUT("trim", "1", 1, "trim that is added to the command"),
    WR_COPY("position", "1", 1, 0, "position"),
    WR_INDICATOR("at_high", NULL, 0, "command above high"),
    WR_INDICATOR("above_low", NULL, 0, "command above low"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    if (!(self->param[P_LOW] < self->param[P_HIGH])) {
        self->message = "the actuator's limits are in the wrong order: set low < high";
        return -1;
    }
    if (WR_DESCRIBE_ROWS(to, rows) || to->port(to, U_FEEDBACK, 1) || to->port(to, U_TRIM, 1))
        return -1;
    return WR_DESCRIBE_PATTERNS(to, [WRSIM_X_X] = "x", [WRSIM_U_X] = "xx", [WRSIM_X_Y] = "x",
                                [WRSIM_U_Y] = "..", [WRSIM_X_Z] = ". .", [WRSIM_U_Z] = "xx xx");
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
    WR_MODEL("engine.actuator", "First-order valve actuator with limited command", params,
             describe),
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
