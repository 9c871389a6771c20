/* Bouncing ball: h' = v, v' = -g; when h falls through zero, v+ = -restitution * v.
 *
 * From rest at h0 and with e = restitution < 1, the times between impacts form a geometric series. The impacts accumulate at
 * t = sqrt(2 h0 / g) (1 + e) / (1 - e) (Zeno point). A run beyond this time must end with the chattering error.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/describe.h"

enum { G, RESTITUTION, N_PARAM };
enum { H, V };

static const wrsim_variable params[N_PARAM] = {
    [G] = WR_TUNABLE("g", "m/s2", 9.81, 0.0, 1e6, "acceleration of gravity"),
    [RESTITUTION] = WR_TUNABLE("restitution", "1", 0.8, 0.0, 1.0,
                               "speed after an impact over speed before it (assumed)"),
};
static const wr_row rows[] = {
    WR_STATE("h", "m", 1.0, 1.0, "height"),
    WR_STATE("v", "m/s", 0.0, 1.0, "velocity"),
    WR_DISCRETE("n_impact", "1", 0, "number of impacts"),
    WR_COPY("h", "m", 1.0, H, "h"),
    WR_OUTPUT("v", "m/s", 1.0, "velocity, jumps at impacts",
              .flags = WRSIM_IS_STATE | WRSIM_DISCONTINUOUS, .index = V),
    WR_INDICATOR("impact", "m", 1.0, "height above ground", .flags = WRSIM_FALLING_ONLY),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return WR_DESCRIBE(to, rows, [WRSIM_X_X] = ".x ..", [WRSIM_X_Y] = "x. .x", [WRSIM_X_Z] = "x.",
                       [WRSIM_Z_D] = "x", [WRSIM_D_X] = ". .", [WRSIM_D_Z] = ".");
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[H] = at->x[V];
    ret_dx[V] = -self->param[G];
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    ret_z[0] = at->x[H];
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)at;
    if (what->fired[0] < 0) {
        /* The solver locates the event slightly below ground, so the action resets the height to zero. Without the reset, a bounce that is
         * lower than this depth would not rise above ground, and the ball would fall through. */
        x[H] = fmax(x[H], 0.0);
        x[V] = -self->param[RESTITUTION] * x[V];
        d[0] += 1.0;
    }
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)self;
    (void)at;
    ret_jac[0] = 0.0;
    ret_jac[1] = 0.0;
    ret_jac[2] = 1.0;
    ret_jac[3] = 0.0;
    return 0;
}

const wrsim_model wr_model_bouncing_ball = {
    WR_MODEL("bouncing_ball", "ball that bounces on hard ground", params, describe),
    .rhs = rhs,
    .indicator = indicator,
    .event = event,
    .jacobian = jacobian,
};
