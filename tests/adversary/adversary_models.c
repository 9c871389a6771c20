/* Models of the random adversary: a plug-in of small hybrid models that adversary.py connects at random. family_models.c has the models of
 * the families.
 *
 * Modes select branches. If a state switches its own branch, the right-hand side is continuous, or the event leads away from the switch.
 * Therefore no model chatters by itself. Periodic times are offset + k period with k in a discrete state.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include "adversary_shell.h"

/* ---- Sources */

/* Two sines of time without states, and the number of rises of the first sine through a level. */
static const wrsim_variable sine_params[] = {COMMON,
                                             P("a", "amplitude", 1.0),
                                             P("w", "angular frequency", 6.0),
                                             P("ph", "phase", 0.0),
                                             P("b", "mean", 0.0),
                                             P("level", "of what is counted", 0.3)};
ON_OUTPUT(sine_output)
{
    const double *const p = at->p;
    y[0] = p[3] + p[0] * sin(p[1] * at->t_s + p[2]);
    y[1] = p[3] + p[0] * cos(p[1] * at->t_s + p[2]);
    y[2] = at->d[0];
}
static void sine_indicator(const point *at, double *z)
{
    z[0] = sin(at->p[1] * at->t_s + at->p[2]) - at->p[4];
}
ON_EVENT(count_event) { d[0] = at->d[0] + (what->fired[0] > 0); }
static const kernel sine = {SIZES(0, 1, 0, 3, 1),
                            Y_IS("..."),
                            Z_WAY("r"),
                            Z_D("x"),
                            D_Z("."),
                            OUTPUT(sine_output),
                            INDICATOR(sine_indicator),
                            EVENT(count_event)};

/* A shaft: for k = 0 the angle is linear in time, but the outputs are not. */
static const wrsim_variable rotor_params[] = {COMMON, P("w", "speed", 20.0), P("x0", "angle", 0.0),
                                              P("a", "amplitude", 1.0),
                                              P("k", "of the input on the speed", 0.0)};
ON_START(one_start) { x[0] = p[1]; }
static void rotor_rhs(const point *at, double *dx) { dx[0] = at->p[0] + at->p[3] * at->v[0]; }
ON_OUTPUT(rotor_output)
{
    y[0] = at->p[2] * cos(at->x[0]);
    y[1] = at->p[2] * sin(2.0 * at->x[0]);
}
static const kernel rotor = {SIZES(1, 0, 1, 2, 0), Y_IS(".."),       U_Y(". ."),
                             X_Y("x x"),           U_X("x"),         X_X("."),
                             START(one_start),     RATES(rotor_rhs), OUTPUT(rotor_output)};

/* A staircase signal with jumps at times known in advance. */
static const wrsim_variable stair_params[] = {COMMON, P("period", "between steps", 0.2),
                                              P("offset", "of step 0", 0.0), P("a", "height", 1.0)};
static double stair_next(const point *at) { return at->p[1] + at->d[0] * at->p[0]; }
/* Returns 1 if a periodic event is due. If event 0 is at or before the start, it happens at the initial event. */
static int is_tick(const point *at, const wrsim_event *what, double offset_s)
{
    return what->is_time_event || (what->is_initial && offset_s <= at->t_s);
}
ON_EVENT(stair_event)
{
    if (is_tick(at, what, at->p[1]))
        d[0] = at->d[0] + 1.0;
}
ON_OUTPUT(stair_output)
{
    static const double height[] = {0.0, 1.0, -0.5, 0.7, 0.1};
    y[0] = at->p[2] * height[(int)fmod(at->d[0], 5.0)];
    y[1] = at->d[0];
}
static const kernel stair = {SIZES(0, 1, 0, 2, 0), Y_IS(".."), EVENT(stair_event),
                             OUTPUT(stair_output), NEXT_TIME(stair_next)};

/* ---- With states */

/* An oscillator, x0' = w x1. Outputs: x0, the product of both states, and a positive value. */
static const wrsim_variable osc_params[] = {COMMON,
                                            P("w", "angular frequency", 6.0),
                                            P("damping", "1 = critical", 0.0),
                                            P("k", "of the input", 0.0),
                                            P("x0", "start", 1.0),
                                            P("x1", "start", 0.0)};
ON_START(osc_start)
{
    x[0] = p[3];
    x[1] = p[4];
}
static void osc_rhs(const point *at, double *dx)
{
    const double *const p = at->p;
    dx[0] = p[0] * at->x[1];
    dx[1] = p[0] * (p[2] * at->v[0] - at->x[0] - 2.0 * p[1] * at->x[1]);
}
ON_OUTPUT(osc_output)
{
    y[0] = at->x[0];
    y[1] = at->x[0] * at->x[1];
    y[2] = 2.0 + tanh(at->x[1]);
}
static const kernel osc = {SIZES(2, 0, 1, 3, 0), Y_IS("0.."),    U_Y(". . ."),
                           X_Y("x. xx .x"),      U_X(". x"),     X_X(".x xx"),
                           START(osc_start),     RATES(osc_rhs), OUTPUT(osc_output)};

/* A lag with a bias. */
static const wrsim_variable lag_params[] = {COMMON, P("T", "time constant", 0.2),
                                            P("x0", "start", 0.0), P("k", "of the input", 1.0),
                                            P("c", "bias", 0.0)};
static void lag_rhs(const point *at, double *dx)
{
    dx[0] = (at->p[2] * at->v[0] + at->p[3] - at->x[0]) / at->p[0];
}
#define ONE_STATE                                                                                  \
    .n_x = 1, .n_y = 1, .y_is = "0", .x_y = "x", .start = one_start, .output = wr_shell_first_state
static const kernel lag = {ONE_STATE, .n_u = 1, .u_y = ".", .u_x = "x", .x_x = "x", .rhs = lag_rhs};

/* An integrator. The models rectifier and power have the same parameters. */
static const wrsim_variable integrator_params[] = {COMMON, P("k", "gain", 1.0),
                                                   P("x0", "start", 0.0)};
static void integrator_rhs(const point *at, double *dx) { dx[0] = at->p[0] * at->v[0]; }
static const kernel integrator = {ONE_STATE,  .n_u = 1,   .u_y = ".",
                                  .u_x = "x", .x_x = ".", .rhs = integrator_rhs};

/* Integrates the absolute value of its input. A mode stores the sign of the input. */
static void rectifier_rhs(const point *at, double *dx)
{
    dx[0] = at->mode[0] ? at->p[0] * at->v[0] : -at->p[0] * at->v[0];
}
static void input_indicator(const point *at, double *z) { z[0] = at->v[0]; }
static const kernel rectifier = {ONE_STATE,
                                 .n_u = 1,
                                 .n_z = 1,
                                 .z_way = "b",
                                 .u_y = ".",
                                 .u_x = "x",
                                 .x_x = ".",
                                 .u_z = "x",
                                 .x_z = ".",
                                 .rhs = rectifier_rhs,
                                 .indicator = input_indicator};

/* Integrates the product of two inputs. */
static void power_rhs(const point *at, double *dx) { dx[0] = at->p[0] * at->v[0] * at->v[1]; }
static const kernel power = {ONE_STATE,   .n_u = 2,   .u_y = "..",
                             .u_x = "xx", .x_x = ".", .rhs = power_rhs};

/* ---- Without states */

static const wrsim_variable gain_params[] = {COMMON, P("a", "gain", 1.0), P("c", "offset", 0.0)};
ON_OUTPUT(gain_output) { y[0] = at->p[0] * at->v[0] + at->p[1]; }
static const kernel gain = {SIZES(0, 0, 1, 1, 0), Y_IS("."), U_Y("x"), OUTPUT(gain_output)};

static const wrsim_variable sum_params[] = {COMMON, P("a", "gain", 1.0), P("b", "gain", 1.0)};
ON_OUTPUT(sum_output) { y[0] = at->p[0] * at->v[0] + at->p[1] * at->v[1]; }
static const kernel sum = {SIZES(0, 0, 2, 1, 0), Y_IS("."), U_Y("xx"), OUTPUT(sum_output)};

static const wrsim_variable product_params[] = {COMMON, P("a", "gain", 1.0)};
ON_OUTPUT(product_output) { y[0] = at->p[0] * at->v[0] * at->v[1]; }
static const kernel product = {
    .n_u = 2, .n_y = 1, .y_is = ".", .u_y = "xx", .output = product_output};

/* A sine of its input, with more extrema than the input. */
ON_OUTPUT(wobble_output) { y[0] = sin(at->p[0] * at->v[0]); }
static const kernel wobble = {SIZES(0, 0, 1, 1, 0), Y_IS("."), U_Y("x"), OUTPUT(wobble_output)};

/* A logarithm: needs a positive input, also at the start. */
static const wrsim_variable plain_params[] = {COMMON};
static int logarithm_output(const point *at, double *y)
{
    if (!(at->v[0] > 0.0))
        return 1;
    y[0] = log(at->v[0]);
    return 0;
}
static const kernel logarithm = {
    .n_u = 1, .n_y = 1, .y_is = ".", .u_y = "x", .u_start = 1.0, .output = logarithm_output};

/* Saturation and dead zone, whose branches meet at the limits. */
static const wrsim_variable limits_params[] = {COMMON, P("low", "limit", -0.5),
                                               P("high", "limit", 0.5)};
ON_OUTPUT(saturation_output) { y[0] = !at->mode[0] ? at->p[0] : at->mode[1] ? at->p[1] : at->v[0]; }
ON_OUTPUT(dead_zone_output)
{
    y[0] = !at->mode[0] ? at->v[0] - at->p[0] : at->mode[1] ? at->v[0] - at->p[1] : 0.0;
}
static void limits_indicator(const point *at, double *z)
{
    z[0] = at->v[0] - at->p[0];
    z[1] = at->v[0] - at->p[1];
}
static const kernel saturation = {SIZES(0, 0, 1, 1, 2),
                                  Y_IS("."),
                                  Z_WAY("bb"),
                                  U_Y("x"),
                                  U_Z("x x"),
                                  OUTPUT(saturation_output),
                                  INDICATOR(limits_indicator)};
static const kernel dead_zone = {SIZES(0, 0, 1, 1, 2),
                                 Y_IS("."),
                                 Z_WAY("bb"),
                                 U_Y("x"),
                                 U_Z("x x"),
                                 OUTPUT(dead_zone_output),
                                 INDICATOR(limits_indicator)};

/* The output is input 0 while input 1 is above a level, else -0.5 times input 0. */
static const wrsim_variable level_params[] = {COMMON, P("level", "threshold", 0.3)};
ON_OUTPUT(gate_output) { y[0] = at->mode[0] ? at->v[0] : -0.5 * at->v[0]; }
static void gate_indicator(const point *at, double *z) { z[0] = at->v[1] - at->p[0]; }
static const kernel gate = {
    SIZES(0, 0, 2, 1, 1),     Y_IS("."), Z_WAY("b"), U_Y("x."), U_Z(".x"), OUTPUT(gate_output),
    INDICATOR(gate_indicator)};

/* ---- Contacts */

/* A ball on a stiff pad without losses. Output 0 is the contact force relative to its maximum, a short pulse. */
static const wrsim_variable pad_params[] = {
    COMMON, P("g", "gravity", 9.81), P("x0", "height at the start", 1.0), P("k", "stiffness", 1e5)};
ON_START(pad_start)
{
    x[0] = p[1];
    x[1] = 0.0;
}
static double pad_force(const point *at) { return at->mode[0] ? 0.0 : -at->p[2] * at->x[0]; }
static void pad_rhs(const point *at, double *dx)
{
    dx[0] = at->x[1];
    dx[1] = pad_force(at) - at->p[0];
}
ON_OUTPUT(pad_output)
{
    y[0] = pad_force(at) / sqrt(2.0 * at->p[0] * at->p[1] * at->p[2]);
    y[1] = at->x[0];
}
static void height_indicator(const point *at, double *z) { z[0] = at->x[0]; }
static const kernel pad = {SIZES(2, 0, 0, 2, 1), Y_IS(".0"),
                           Z_WAY("b"),           X_Y("x. x."),
                           X_X(".x x."),         X_Z("x."),
                           START(pad_start),     RATES(pad_rhs),
                           OUTPUT(pad_output),   INDICATOR(height_indicator)};

/* A ball that each impact on the ground throws up again. The input changes the speed after the impact. */
static const wrsim_variable ball_params[] = {
    COMMON, P("g", "gravity", 9.81), P("x0", "height at the start", 1.0),
    P("kick", "speed after an impact", 3.0), P("k", "of the input on the kick", 0.0)};
static void ball_rhs(const point *at, double *dx)
{
    dx[0] = at->x[1];
    dx[1] = -at->p[0];
}
ON_OUTPUT(ball_output)
{
    y[0] = at->x[0];
    y[1] = at->x[1];
    y[2] = at->d[0];
}
ON_EVENT(ball_event)
{
    if (what->fired[0] < 0) {
        x[1] = at->p[2] * (1.0 + at->p[3] * tanh(at->v[0]));
        d[0] = at->d[0] + 1.0;
    }
}
static const kernel ball = {SIZES(2, 1, 1, 3, 1),
                            Y_IS("01."),
                            Z_WAY("f"),
                            U_Y(". . ."),
                            X_Y("x. .x .."),
                            U_X(". ."),
                            X_X(".x .."),
                            U_Z("."),
                            X_Z("x."),
                            Z_D("x"),
                            D_X(". ."),
                            D_Z("."),
                            START(pad_start),
                            RATES(ball_rhs),
                            OUTPUT(ball_output),
                            INDICATOR(height_indicator),
                            EVENT(ball_event)};

/* ---- Discrete */

/* Counts how often its input rises through a level. */
ON_OUTPUT(discrete_output) { y[0] = at->d[0]; }
ON_OUTPUT(two_discrete_output)
{
    y[0] = at->d[0];
    y[1] = at->d[1];
}
static void level_indicator(const point *at, double *z) { z[0] = at->v[0] - at->p[0]; }
static const kernel counter = {SIZES(0, 1, 1, 1, 1),
                               Y_IS("."),
                               Z_WAY("r"),
                               U_Y("."),
                               U_Z("x"),
                               Z_D("x"),
                               D_Z("."),
                               OUTPUT(discrete_output),
                               INDICATOR(level_indicator),
                               EVENT(count_event)};

/* A relay with hysteresis that counts its switching. If the input is outside the band at the start, the initial event sets the relay
 * to fit the input. */
static const wrsim_variable relay_params[] = {
    COMMON, P("low", "switches off below", -0.3), P("high", "switches on above", 0.3),
    P("start", "state before the start", 0.0), P("sign", "1 or -1: what on is", 1.0)};
ON_START(relay_start) { d[0] = p[2]; }
ON_EVENT(relay_event)
{
    double on = at->d[0];
    if (what->is_initial)
        on = at->mode[1] ? 1.0 : !at->mode[0] ? 0.0 : on;
    if (what->fired[1] > 0)
        on = 1.0;
    if (what->fired[0] < 0)
        on = 0.0;
    d[1] = at->d[1] + (fabs(on - at->d[0]) > 0.5);
    d[0] = on;
}
ON_OUTPUT(relay_output)
{
    y[0] = at->p[3] * (2.0 * at->d[0] - 1.0);
    y[1] = at->d[1];
}
static const kernel relay = {SIZES(0, 2, 1, 2, 2), Y_IS(".."),
                             Z_WAY("fr"),          U_Y(". ."),
                             U_Z("x x"),           Z_D("xx xx"),
                             D_Z(".. .."),         START(relay_start),
                             OUTPUT(relay_output), INDICATOR(limits_indicator),
                             EVENT(relay_event)};

/* Toggles between 0 and 1 whenever the input passes a level, rising or falling. */
ON_EVENT(toggle_event)
{
    if (what->fired[0])
        d[0] = 1.0 - at->d[0];
}
static const kernel toggle = {SIZES(0, 1, 1, 1, 1),
                              Y_IS("."),
                              Z_WAY("b"),
                              U_Y("."),
                              U_Z("x"),
                              Z_D("x"),
                              D_Z("."),
                              OUTPUT(discrete_output),
                              INDICATOR(level_indicator),
                              EVENT(toggle_event)};

/* A latch: input 0 sets it and input 1 resets it by rising through a level. The model counts how often input 0 sets the latch. */
static void latch_indicator(const point *at, double *z)
{
    z[0] = at->v[0] - at->p[0];
    z[1] = at->v[1] - at->p[0];
}
ON_EVENT(latch_event)
{
    if (what->fired[1] > 0)
        d[0] = 0.0;
    if (what->fired[0] > 0) {
        d[0] = 1.0;
        d[1] = at->d[1] + 1.0;
    }
}
static const kernel latch = {SIZES(0, 2, 2, 2, 2),
                             Y_IS(".."),
                             Z_WAY("rr"),
                             U_Y(".. .."),
                             U_Z("x. .x"),
                             Z_D("xx x."),
                             D_Z(".. .."),
                             OUTPUT(two_discrete_output),
                             INDICATOR(latch_indicator),
                             EVENT(latch_event)};

/* Samples its input. Outputs: the last sample, the mean of all samples, their number. */
static const wrsim_variable sampler_params[] = {COMMON, P("period", "between samples", 0.1),
                                                P("offset", "of sample 0", 0.0)};
enum { D_HELD, D_NEXT, D_SUM };
static double sampler_next(const point *at) { return at->p[1] + at->d[D_NEXT] * at->p[0]; }
ON_EVENT(sampler_event)
{
    if (!is_tick(at, what, at->p[1]))
        return;
    d[D_HELD] = at->v[0];
    d[D_NEXT] = at->d[D_NEXT] + 1.0;
    d[D_SUM] = at->d[D_SUM] + at->v[0];
}
ON_OUTPUT(sampler_output)
{
    y[0] = at->d[D_HELD];
    y[1] = at->d[D_NEXT] > 0.0 ? at->d[D_SUM] / at->d[D_NEXT] : 0.0;
    y[2] = at->d[D_NEXT];
}
static const kernel sampler = {SIZES(0, 3, 1, 3, 0), Y_IS("..."),
                               U_Y(". . ."),         OUTPUT(sampler_output),
                               EVENT(sampler_event), NEXT_TIME(sampler_next)};

/* Samples input 0 when input 1 rises through a level, and counts the samples. */
ON_EVENT(trigger_event)
{
    if (what->fired[0] > 0) {
        d[0] = at->v[0];
        d[1] = at->d[1] + 1.0;
    }
}
static const kernel trigger = {SIZES(0, 2, 2, 2, 1),
                               Y_IS(".."),
                               Z_WAY("r"),
                               U_Y(".. .."),
                               U_Z(".x"),
                               Z_D("x x"),
                               D_Z(".."),
                               OUTPUT(two_discrete_output),
                               INDICATOR(gate_indicator),
                               EVENT(trigger_event)};

/* A pulse: on for `width` after the input rises through a level. The state event announces the time event that ends the pulse. */
static const wrsim_variable pulse_params[] = {COMMON, P("level", "threshold", 0.3),
                                              P("width", "how long it is on", 0.2)};
ON_EVENT(pulse_event)
{
    if (what->is_time_event)
        d[0] = 0.0;
    if (what->fired[0] > 0 && !(d[0] > 0.5)) {
        d[0] = 1.0;
        d[1] = at->d[1] + 1.0;
        d[2] = at->t_s + at->p[1];
    }
}
static double pulse_next(const point *at) { return at->d[0] > 0.5 ? at->d[2] : (double)INFINITY; }
static const kernel pulse = {SIZES(0, 3, 1, 2, 1),
                             Y_IS(".."),
                             Z_WAY("r"),
                             U_Y(". ."),
                             U_Z("x"),
                             Z_D("x x x"),
                             D_Z("..."),
                             OUTPUT(two_discrete_output),
                             INDICATOR(level_indicator),
                             EVENT(pulse_event),
                             NEXT_TIME(pulse_next)};

/* In every period the first time event announces a second time event at the next floating-point number. The second event reads the input
 * with the consequences of the first event. */
static const wrsim_variable echo_params[] = {COMMON, P("period", "between pairs", 0.1),
                                             P("offset", "of pair 0", 0.1)};
enum { D_FIRST, D_SECOND, D_PAIR, D_PENDING };
static double echo_next(const point *at)
{
    const double t_s = at->p[1] + at->d[D_PAIR] * at->p[0];
    return at->d[D_PENDING] > 0.5 ? nextafter(at->t_s, (double)INFINITY) : t_s;
}
ON_EVENT(echo_event)
{
    if (!what->is_time_event)
        return;
    if (at->d[D_PENDING] > 0.5) {
        d[D_SECOND] = at->v[0];
        d[D_PAIR] = at->d[D_PAIR] + 1.0;
        d[D_PENDING] = 0.0;
    } else {
        d[D_FIRST] = at->v[0];
        d[D_PENDING] = 1.0;
    }
}
ON_OUTPUT(echo_output)
{
    y[0] = at->d[D_FIRST];
    y[1] = at->d[D_SECOND];
    y[2] = at->d[D_PAIR];
}
static const kernel echo = {SIZES(0, 4, 1, 3, 0), Y_IS("..."),       U_Y(". . ."),
                            OUTPUT(echo_output),  EVENT(echo_event), NEXT_TIME(echo_next)};

/* A state without an output grows to 1, at a rate that the input changes. At 1 it falls by 1, and the output jumps. */
static const wrsim_variable filler_params[] = {COMMON, P("w", "rate", 3.0), P("x0", "start", 0.0),
                                               P("k", "of the input on the rate", 0.0)};
static void filler_rhs(const point *at, double *dx)
{
    dx[0] = at->p[0] * (1.0 + at->p[2] * tanh(at->v[0]));
}
static void filler_indicator(const point *at, double *z) { z[0] = at->x[0] - 1.0; }
ON_EVENT(filler_event)
{
    if (what->fired[0] > 0) {
        x[0] = at->x[0] - 1.0;
        d[0] = at->d[0] + 1.0;
    }
}
ON_OUTPUT(filler_output)
{
    static const double value[] = {0.2, 1.0, -0.6};
    y[0] = value[(int)fmod(at->d[0], 3.0)];
    y[1] = at->d[0];
}
static const kernel filler = {SIZES(1, 1, 1, 2, 1),
                              Y_IS(".."),
                              Z_WAY("r"),
                              U_Y(". ."),
                              X_Y(". ."),
                              U_X("x"),
                              X_X("."),
                              U_Z("."),
                              X_Z("x"),
                              Z_D("x"),
                              D_X("."),
                              D_Z("."),
                              START(one_start),
                              RATES(filler_rhs),
                              OUTPUT(filler_output),
                              INDICATOR(filler_indicator),
                              EVENT(filler_event)};

/* All models of this file, with kernel and parameters. */
#define MODELS(X)                                                                                  \
    X(sine, sine_params)                                                                           \
    X(rotor, rotor_params)                                                                         \
    X(stair, stair_params)                                                                         \
    X(osc, osc_params)                                                                             \
    X(lag, lag_params)                                                                             \
    X(integrator, integrator_params)                                                               \
    X(rectifier, integrator_params)                                                                \
    X(power, integrator_params)                                                                    \
    X(gain, gain_params)                                                                           \
    X(sum, sum_params)                                                                             \
    X(product, product_params)                                                                     \
    X(wobble, product_params)                                                                      \
    X(logarithm, plain_params)                                                                     \
    X(saturation, limits_params)                                                                   \
    X(dead_zone, limits_params)                                                                    \
    X(gate, level_params)                                                                          \
    X(pad, pad_params)                                                                             \
    X(ball, ball_params)                                                                           \
    X(counter, level_params)                                                                       \
    X(relay, relay_params)                                                                         \
    X(toggle, level_params)                                                                        \
    X(latch, level_params)                                                                         \
    X(sampler, sampler_params)                                                                     \
    X(trigger, level_params)                                                                       \
    X(pulse, pulse_params)                                                                         \
    X(echo, echo_params)                                                                           \
    X(filler, filler_params)

MODELS(DEFINE_MODEL)

/* The models of family_models.c, followed by NULL. */
extern const wrsim_model *const wr_family_models[];

enum { MAX_MODELS = 128 };
static const wrsim_model *const own_models[] = {MODELS(LIST_MODEL) NULL};
static const wrsim_model *all_models[MAX_MODELS + 1];

__attribute__((constructor)) static void collect_models(void)
{
    const wrsim_model *const *const tables[] = {own_models, wr_family_models};
    int n = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; tables[i][k] && n < MAX_MODELS; k++)
            all_models[n++] = tables[i][k];
}

/* Visible even when compiled with -fvisibility=hidden. */
__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    return abi == WRSIM_MODEL_ABI ? all_models : NULL;
}
