/* Models whose time scale is one parameter: all rates are in units of `rate`, all states are of order one. The same model at
 * another rate has the same solution in units of 1 / rate. */
#include "split_models.h"

/* ---- split.relay: y = 1 until the input rises through high, then -1 until it falls through -high, and so on. */

enum { RELAY_HIGH };
static const wrsim_variable relay_params[] = {PARAM(RELAY_HIGH, "high", 1.0)};
enum { RELAY_Y, RELAY_N };
static const wrsim_variable relay_discretes[] = {
    [RELAY_Y] = STATE_VALUE("d_y", 1.0), [RELAY_N] = STATE_VALUE("d_n", 0.0)};
static const wrsim_variable relay_inputs[] = {INPUT("u")};
static const wrsim_variable relay_outputs[] = {OUTPUT("y"), OUTPUT("n")};
static const wrsim_variable relay_indicators[] = {RISING("above"), RISING("below")};

static int relay_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, relay_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, relay_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, relay_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, relay_indicators)
               ? -1
               : no_feedthrough(to);
}

static int relay_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    return output_discrete(at, 2, ret_y);
}

static int relay_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->u[0] - self->param[RELAY_HIGH];
    ret_z[1] = -at->u[0] - self->param[RELAY_HIGH];
    return 0;
}

static int relay_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    (void)self;
    (void)x;
    const double y = what->fired[0] > 0 ? -1.0 : what->fired[1] > 0 ? 1.0 : at->d[RELAY_Y];
    d[RELAY_N] = at->d[RELAY_N] + (y * at->d[RELAY_Y] < 0.0);
    d[RELAY_Y] = y;
    return 0;
}

MODEL(relay, "relay", "a relay with hysteresis, which counts how often it switches", relay_params,
      .describe = relay_describe, .output = relay_output, .indicator = relay_indicator,
      .event = relay_event);

/* ---- split.fast: x' = rate (a + b u) */

enum { FAST_RATE, FAST_A, FAST_B };
static const wrsim_variable fast_params[] = {PARAM(FAST_RATE, "rate", 1.0), PARAM(FAST_A, "a", 0.0),
                                             PARAM(FAST_B, "b", 1.0)};
static const wrsim_variable fast_states[] = {STATE_VALUE("x", 0.0)};
static const wrsim_variable fast_outputs[] = {OUTPUT_STATE("x", 0)};

static int fast_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, fast_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, relay_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, fast_outputs)
               ? -1
               : no_feedthrough(to);
}

static int fast_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    ret_dx[0] = p[FAST_RATE] * (p[FAST_A] + p[FAST_B] * at->u[0]);
    return 0;
}

static int fast_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    return 0;
}

MODEL(fast, "fast", "x' = rate (a + b u)", fast_params, .describe = fast_describe, .rhs = fast_rhs,
      .output = fast_output);

/* ---- split.turn: x' = rate v, v' = -rate x: a harmonic oscillation with the frequency rate / (2 pi) */

static const wrsim_variable turn_params[] = {PARAM(0, "rate", 1.0)};
static const wrsim_variable turn_states[] = {STATE_VALUE("x", 0.0), STATE_VALUE("v", 1.0)};
static const wrsim_variable turn_outputs[] = {OUTPUT_STATE("x", 0), OUTPUT_STATE("v", 1)};

static int turn_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, turn_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, turn_outputs)
               ? -1
               : 0;
}

static int turn_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = self->param[0] * at->x[1];
    ret_dx[1] = -self->param[0] * at->x[0];
    return 0;
}

static int turn_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
    return 0;
}

MODEL(turn, "turn", "a harmonic oscillation", turn_params, .describe = turn_describe,
      .rhs = turn_rhs, .output = turn_output);

/* ---- split.ball: h' = rate v, v' = -rate; from h = 0 upwards, v+ = -restitution v where h falls through 0 */

enum { BALL_RATE, BALL_RESTITUTION };
static const wrsim_variable ball_params[] = {PARAM(BALL_RATE, "rate", 1.0),
                                             PARAM(BALL_RESTITUTION, "restitution", 1.0)};
static const wrsim_variable ball_states[] = {STATE_VALUE("h", 0.5), STATE_VALUE("v", 0.0)};
static const wrsim_variable ball_discretes[] = {STATE_VALUE("d_n", 0.0)};
static const wrsim_variable ball_outputs[] = {OUTPUT_STATE("h", 0), OUTPUT_STATE("v", 1),
                                              OUTPUT("n")};
static const wrsim_variable ball_indicators[] = {RISING("below")};

static int ball_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, ball_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, ball_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, ball_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, ball_indicators)
               ? -1
               : 0;
}

static int ball_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = self->param[BALL_RATE] * at->x[1];
    ret_dx[1] = -self->param[BALL_RATE];
    return 0;
}

static int ball_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
    ret_y[2] = at->d[0];
    return 0;
}

static int ball_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    ret_z[0] = -at->x[0];
    return 0;
}

static int ball_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                      double *x, double *d)
{
    if (what->fired[0] > 0) {
        x[1] = -self->param[BALL_RESTITUTION] * at->x[1];
        d[0] = at->d[0] + 1.0;
    }
    return 0;
}

MODEL(ball, "ball", "a ball that bounces, of any time scale", ball_params,
      .describe = ball_describe, .rhs = ball_rhs, .output = ball_output,
      .indicator = ball_indicator, .event = ball_event);

const wrsim_model *const wr_split_scale_models[] = {&relay, &fast, &turn, &ball, NULL};
