/* Models whose time scale is one parameter: all rates are in units of `rate`, all states are of order one. At
 * another rate a model has the same solution in units of 1 / rate. */
#include "split_models.h"

/* ---- split.relay: y = 1 until the input rises through high, then -1 until it falls through -high, and so on. */

enum { RELAY_HIGH };
static const wrsim_variable relay_params[] = {PARAM(RELAY_HIGH, "high", 1.0)};
enum { RELAY_Y, RELAY_N };
DECLARE(relay_describe, "discrete: d_y=1 d_n input: u output: y n indicator: above< below< U_Y: -")

static int relay_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    return output_discrete(at, 2, ret_y);
}

INDICATORS(relay_indicator)
{
    ret_z[0] = at->u[0] - self->param[RELAY_HIGH];
    ret_z[1] = -at->u[0] - self->param[RELAY_HIGH];
}

EVENT(relay_event)
{
    const double y = what->fired[0] > 0 ? -1.0 : what->fired[1] > 0 ? 1.0 : at->d[RELAY_Y];
    d[RELAY_N] = at->d[RELAY_N] + (y * at->d[RELAY_Y] < 0.0);
    d[RELAY_Y] = y;
}

MODEL(relay, "relay", "a relay with hysteresis, which counts how often it switches", relay_params,
      .describe = relay_describe, .output = relay_output, .indicator = relay_indicator,
      .event = relay_event);

/* ---- split.fast: x' = rate (a + b u) */

enum { FAST_RATE, FAST_A, FAST_B };
static const wrsim_variable fast_params[] = {PARAM(FAST_RATE, "rate", 1.0), PARAM(FAST_A, "a", 0.0),
                                             PARAM(FAST_B, "b", 1.0)};
DECLARE(fast_describe, "state: x input: u output: x:0 U_Y: -")

RHS(fast_rhs)
{
    const double *const p = self->param;
    ret_dx[0] = p[FAST_RATE] * (p[FAST_A] + p[FAST_B] * at->u[0]);
}

OUTPUTS(fast_output) { ret_y[0] = at->x[0]; }

MODEL(fast, "fast", "x' = rate (a + b u)", fast_params, .describe = fast_describe, .rhs = fast_rhs,
      .output = fast_output);

/* ---- split.turn: x' = rate v, v' = -rate x: a harmonic oscillation with the frequency rate / (2 pi) */

static const wrsim_variable turn_params[] = {PARAM(0, "rate", 1.0)};
DECLARE(turn_describe, "state: x v=1 output: x:0 v:1")

RHS(turn_rhs)
{
    ret_dx[0] = self->param[0] * at->x[1];
    ret_dx[1] = -self->param[0] * at->x[0];
}

OUTPUTS(turn_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
}

MODEL(turn, "turn", "a harmonic oscillation", turn_params, .describe = turn_describe,
      .rhs = turn_rhs, .output = turn_output);

/* ---- split.ball: h' = rate v, v' = -rate; v+ = -restitution v when h falls through 0 */

enum { BALL_RATE, BALL_RESTITUTION };
static const wrsim_variable ball_params[] = {PARAM(BALL_RATE, "rate", 1.0),
                                             PARAM(BALL_RESTITUTION, "restitution", 1.0)};
DECLARE(ball_describe, "state: h=0.5 v discrete: d_n output: h:0 v:1 n indicator: below<")

RHS(ball_rhs)
{
    ret_dx[0] = self->param[BALL_RATE] * at->x[1];
    ret_dx[1] = -self->param[BALL_RATE];
}

OUTPUTS(ball_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
    ret_y[2] = at->d[0];
}

INDICATORS(ball_indicator) { ret_z[0] = -at->x[0]; }

EVENT(ball_event)
{
    if (what->fired[0] > 0) {
        x[1] = -self->param[BALL_RESTITUTION] * at->x[1];
        d[0] = at->d[0] + 1.0;
    }
}

MODEL(ball, "ball", "a ball that bounces, of any time scale", ball_params,
      .describe = ball_describe, .rhs = ball_rhs, .output = ball_output,
      .indicator = ball_indicator, .event = ball_event);

const wrsim_model *const wr_split_scale_models[] = {&relay, &fast, &turn, &ball, NULL};
