/* A plug-in with small models on which a split can go wrong: computed outputs, contacts, counters,
 * samplers, events that set one another off at one instant. split_cases.py puts them together.
 *
 * Periodic times are t_first + k period, computed from the number k and never added up.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>

#include "models/describe.h"

#define PARAM(id, text, value) [id] = {.name = text, .description = text, .start = (value)}
#define INPUT(text)                                                                                \
    {                                                                                              \
        .name = text, .unit = "", .description = text                                              \
    }
#define STATE_VALUE(text, at_start)                                                                \
    {                                                                                              \
        .name = text, .unit = "", .description = text, .start = (at_start)                         \
    }
#define OUTPUT(text)                                                                               \
    {                                                                                              \
        .name = text, .unit = "", .description = text                                              \
    }
#define OUTPUT_STATE(text, i)                                                                      \
    {                                                                                              \
        .name = text, .unit = "", .description = text, .flags = WRSIM_IS_STATE, .index = (i)       \
    }
#define INDICATOR(text)                                                                            \
    {                                                                                              \
        .name = text, .unit = "", .description = text                                              \
    }
#define RISING(text)                                                                               \
    {                                                                                              \
        .name = text, .unit = "", .description = text, .flags = WRSIM_RISING_ONLY                  \
    }

#define MODEL(id, text, about, parameters, ...)                                                    \
    static const wrsim_model id = {.abi = WRSIM_MODEL_ABI,                                         \
                                   .struct_size = sizeof(wrsim_model),                             \
                                   .name = "split." text,                                          \
                                   .description = about,                                           \
                                   .caps = WRSIM_CAP_RT_SAFE,                                      \
                                   .n_param = WR_DESCRIBE_COUNT(parameters),                       \
                                   .params = parameters,                                           \
                                   __VA_ARGS__}

/* No output depends directly on an input. */
static int no_feedthrough(wrsim_description *to) { return to->depends(to, WRSIM_U_Y, -1, -1); }

/* Outputs that are the discrete states, in their order. */
static int output_discrete(const wrsim_point *at, int n, double *ret_y)
{
    for (int i = 0; i < n; i++)
        ret_y[i] = at->d[i];
    return 0;
}

static double tick_time(double t_first, double period, double k)
{
    return period > 0.0 ? t_first + k * period : HUGE_VAL;
}

/* Number of the first tick after the start. One at the start itself does not happen. */
static double first_tick(double t_first, double period, double t_s)
{
    double k = 0.0;
    while (tick_time(t_first, period, k) <= t_s)
        k += 1.0;
    return k;
}

/* ---- split.shaft: theta' = omega, y = scale cos(theta) */

enum { SHAFT_OMEGA, SHAFT_SCALE };
static const wrsim_variable shaft_params[] = {PARAM(SHAFT_OMEGA, "omega", 50.0),
                                              PARAM(SHAFT_SCALE, "scale", 1.0)};
static const wrsim_variable shaft_states[] = {STATE_VALUE("theta", 0.0)};
static const wrsim_variable shaft_outputs[] = {OUTPUT_STATE("theta", 0), OUTPUT("y")};

static int shaft_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, shaft_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, shaft_outputs)
               ? -1
               : 0;
}

static int shaft_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)at;
    ret_dx[0] = self->param[SHAFT_OMEGA];
    return 0;
}

static int shaft_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = at->x[0];
    ret_y[1] = self->param[SHAFT_SCALE] * cos(at->x[0]);
    return 0;
}

MODEL(shaft, "shaft", "theta' = omega, y = scale cos(theta)", shaft_params,
      .describe = shaft_describe, .rhs = shaft_rhs, .output = shaft_output);

/* ---- split.oscillator: x' = v, v' = -omega^2 x - damping v + b u; v += kick at every tick */

enum { OSC_OMEGA, OSC_DAMPING, OSC_B, OSC_KICK, OSC_PERIOD, OSC_FIRST };
static const wrsim_variable osc_params[] = {
    PARAM(OSC_OMEGA, "omega", 1.0),   PARAM(OSC_DAMPING, "damping", 0.0),
    PARAM(OSC_B, "b", 0.0),           PARAM(OSC_KICK, "kick", 0.0),
    PARAM(OSC_PERIOD, "period", 0.0), PARAM(OSC_FIRST, "t_first", 0.0)};
static const wrsim_variable osc_states[] = {STATE_VALUE("x", 1.0), STATE_VALUE("v", 0.0)};
static const wrsim_variable osc_discretes[] = {STATE_VALUE("k_next", 0.0)};
static const wrsim_variable osc_inputs[] = {INPUT("u")};
static const wrsim_variable osc_outputs[] = {OUTPUT_STATE("x", 0), OUTPUT_STATE("v", 1)};

static int osc_describe(wrsim_instance *self, wrsim_description *to)
{
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, osc_states) ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, osc_discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, osc_inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, osc_outputs))
        return -1;
    if (!(self->param[OSC_B] < 0.0 || self->param[OSC_B] > 0.0) &&
        to->depends(to, WRSIM_U_X, -1, -1) != 0)
        return -1;
    return no_feedthrough(to);
}

static int osc_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[0] = first_tick(self->param[OSC_FIRST], self->param[OSC_PERIOD], t_s);
    return 0;
}

static int osc_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    ret_dx[0] = at->x[1];
    ret_dx[1] =
        -p[OSC_OMEGA] * p[OSC_OMEGA] * at->x[0] - p[OSC_DAMPING] * at->x[1] + p[OSC_B] * at->u[0];
    return 0;
}

static int osc_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                     double *x, double *d)
{
    (void)at;
    if (what->is_time_event) {
        x[1] += self->param[OSC_KICK];
        d[0] += 1.0;
    }
    return 0;
}

static double osc_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return tick_time(self->param[OSC_FIRST], self->param[OSC_PERIOD], at->d[0]);
}

MODEL(oscillator, "oscillator", "oscillator with an input, kicked at every tick", osc_params,
      .describe = osc_describe, .init = osc_init, .rhs = osc_rhs, .event = osc_event,
      .next_time = osc_next_time);

/* ---- split.linear: x' = a x + b1 u1 + b2 u2, outputs x and y = c x */

enum { LIN_A, LIN_B1, LIN_B2, LIN_C };
static const wrsim_variable lin_params[] = {PARAM(LIN_A, "a", 0.0), PARAM(LIN_B1, "b1", 1.0),
                                            PARAM(LIN_B2, "b2", 0.0), PARAM(LIN_C, "c", 1.0)};
static const wrsim_variable lin_states[] = {STATE_VALUE("x", 0.0)};
static const wrsim_variable lin_inputs[] = {INPUT("u1"), INPUT("u2")};
static const wrsim_variable lin_outputs[] = {OUTPUT_STATE("x", 0), OUTPUT("y")};

static int lin_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, lin_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, lin_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, lin_outputs) || no_feedthrough(to)
               ? -1
               : 0;
}

static int lin_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    ret_dx[0] = p[LIN_A] * at->x[0] + p[LIN_B1] * at->u[0] + p[LIN_B2] * at->u[1];
    return 0;
}

static int lin_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = at->x[0];
    ret_y[1] = self->param[LIN_C] * at->x[0];
    return 0;
}

MODEL(linear, "linear", "x' = a x + b1 u1 + b2 u2, y = c x", lin_params, .describe = lin_describe,
      .rhs = lin_rhs, .output = lin_output);

/* ---- split.map, without states: y = k1 u1 + k2 u2 + k12 u1 u2 + offset */

enum { MAP_K1, MAP_K2, MAP_K12, MAP_OFFSET };
static const wrsim_variable map_params[] = {PARAM(MAP_K1, "k1", 0.0), PARAM(MAP_K2, "k2", 0.0),
                                            PARAM(MAP_K12, "k12", 0.0),
                                            PARAM(MAP_OFFSET, "offset", 0.0)};
static const wrsim_variable map_outputs[] = {OUTPUT("y")};

static int map_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, lin_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, map_outputs)
               ? -1
               : 0;
}

static int map_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const p = self->param, *const u = at->u;
    ret_y[0] = p[MAP_K1] * u[0] + p[MAP_K2] * u[1] + p[MAP_K12] * u[0] * u[1] + p[MAP_OFFSET];
    return 0;
}

MODEL(map, "map", "y = k1 u1 + k2 u2 + k12 u1 u2 + offset", map_params, .describe = map_describe,
      .output = map_output);

/* ---- split.pad_ball: a ball on a stiff pad, without losses; outputs h, v and the pad's force */

enum { PAD_M, PAD_K, PAD_G };
static const wrsim_variable pad_params[] = {PARAM(PAD_M, "m", 1.0), PARAM(PAD_K, "k", 1e6),
                                            PARAM(PAD_G, "g", 9.81)};
static const wrsim_variable pad_states[] = {STATE_VALUE("h", 1.0), STATE_VALUE("v", 0.0)};
static const wrsim_variable pad_outputs[] = {OUTPUT_STATE("h", 0), OUTPUT_STATE("v", 1),
                                             OUTPUT("force")};
static const wrsim_variable pad_indicators[] = {INDICATOR("clear")};

static int pad_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, pad_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, pad_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, pad_indicators)
               ? -1
               : 0;
}

static double pad_force(const wrsim_instance *self, const wrsim_point *at)
{
    return at->mode[0] ? 0.0 : -self->param[PAD_K] * at->x[0];
}

static int pad_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = pad_force(self, at) / self->param[PAD_M] - self->param[PAD_G];
    return 0;
}

static int pad_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
    ret_y[2] = pad_force(self, at);
    return 0;
}

static int pad_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    ret_z[0] = at->x[0];
    return 0;
}

MODEL(pad_ball, "pad_ball", "ball on a stiff pad", pad_params, .describe = pad_describe,
      .rhs = pad_rhs, .output = pad_output, .indicator = pad_indicator);

/* ---- split.counter: how often the input rises and falls through a threshold */

static const wrsim_variable counter_params[] = {PARAM(0, "threshold", 0.5)};
static const wrsim_variable counter_discretes[] = {STATE_VALUE("n_rise", 0.0),
                                                   STATE_VALUE("n_fall", 0.0)};
static const wrsim_variable counter_inputs[] = {INPUT("u")};
static const wrsim_variable counter_outputs[] = {OUTPUT("rises"), OUTPUT("falls")};
static const wrsim_variable counter_indicators[] = {INDICATOR("above")};

static int counter_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, counter_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, counter_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, counter_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, counter_indicators) || no_feedthrough(to)
               ? -1
               : 0;
}

static int counter_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    return output_discrete(at, 2, ret_y);
}

static int counter_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->u[0] - self->param[0];
    return 0;
}

static int counter_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                         double *x, double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->fired[0] > 0)
        d[0] += 1.0;
    if (what->fired[0] < 0)
        d[1] += 1.0;
    return 0;
}

MODEL(counter, "counter", "counts crossings of a threshold", counter_params,
      .describe = counter_describe, .output = counter_output, .indicator = counter_indicator,
      .event = counter_event);

/* ---- split.parabola: h' = v, v' = -2, thrown anew at every tick; counts its own crossings of 0.
 *
 * From h = 1 - period^2 / 4 it goes up to 1 and back within a period. Every method of order 2 or
 * more takes it in one step, at both ends of which h is below zero. */

enum { PARABOLA_PERIOD };
static const wrsim_variable parabola_params[] = {PARAM(PARABOLA_PERIOD, "period", 10.0)};
static const wrsim_variable parabola_states[] = {STATE_VALUE("h", 0.0), STATE_VALUE("v", 0.0)};
static const wrsim_variable parabola_discretes[] = {
    STATE_VALUE("n_rise", 0.0), STATE_VALUE("n_fall", 0.0), STATE_VALUE("k_next", 1.0)};
static const wrsim_variable parabola_outputs[] = {OUTPUT_STATE("h", 0), OUTPUT("rises"),
                                                  OUTPUT("falls")};
static const wrsim_variable parabola_indicators[] = {INDICATOR("above")};

static int parabola_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, parabola_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, parabola_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, parabola_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, parabola_indicators)
               ? -1
               : 0;
}

static void throw(const wrsim_instance *self, double *x)
{
    const double half = 0.5 * self->param[PARABOLA_PERIOD];
    x[0] = 1.0 - half * half;
    x[1] = 2.0 * half;
}

static int parabola_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s;
    (void)d;
    throw(self, x);
    return 0;
}

static int parabola_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)self;
    ret_dx[0] = at->x[1];
    ret_dx[1] = -2.0;
    return 0;
}

static int parabola_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    return output_discrete(at, 2, ret_y + 1);
}

static int parabola_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                          double *x, double *d)
{
    if (what->is_time_event) {
        throw(self, x);
        d[2] += 1.0;
    }
    return counter_event(self, at, what, x, d);
}

static double parabola_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return tick_time(0.0, self->param[PARABOLA_PERIOD], at->d[2]);
}

MODEL(parabola, "parabola", "parabolas, and how often they cross zero", parabola_params,
      .describe = parabola_describe, .init = parabola_init, .rhs = parabola_rhs,
      .output = parabola_output, .indicator = pad_indicator, .event = parabola_event,
      .next_time = parabola_next_time);

/* ---- split.tick: n ticks so far; y = amplitude (n mod modulus), of a nominal that is a parameter */

enum { TICK_PERIOD, TICK_FIRST, TICK_MODULUS, TICK_AMPLITUDE, TICK_NOMINAL };
static const wrsim_variable tick_params[] = {
    PARAM(TICK_PERIOD, "period", 0.1), PARAM(TICK_FIRST, "t_first", 0.0),
    PARAM(TICK_MODULUS, "modulus", 1e9), PARAM(TICK_AMPLITUDE, "amplitude", 1.0),
    PARAM(TICK_NOMINAL, "nominal", 0.0)};
static const wrsim_variable tick_discretes[] = {STATE_VALUE("d_n", 0.0),
                                                STATE_VALUE("k_next", 0.0)};

static int tick_describe(wrsim_instance *self, wrsim_description *to)
{
    const wrsim_variable n = OUTPUT("n"), y = {.name = "y",
                                               .unit = "",
                                               .description = "amplitude (n mod modulus)",
                                               .nominal = self->param[TICK_NOMINAL]};
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, tick_discretes) || to->add(to, WRSIM_OUTPUT, &n) ||
                   to->add(to, WRSIM_OUTPUT, &y)
               ? -1
               : 0;
}

static int tick_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[1] = first_tick(self->param[TICK_FIRST], self->param[TICK_PERIOD], t_s);
    return 0;
}

static int tick_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = at->d[0];
    ret_y[1] = self->param[TICK_AMPLITUDE] * fmod(at->d[0], self->param[TICK_MODULUS]);
    return 0;
}

static int tick_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                      double *x, double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->is_time_event) {
        d[0] += 1.0;
        d[1] += 1.0;
    }
    return 0;
}

static double tick_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return tick_time(self->param[TICK_FIRST], self->param[TICK_PERIOD], at->d[1]);
}

MODEL(tick, "tick", "a counter of ticks", tick_params, .describe = tick_describe, .init = tick_init,
      .output = tick_output, .event = tick_event, .next_time = tick_next_time);

/* ---- split.collector: at every tick, and wherever `trigger` rises through 0.5, it takes u */

enum { COLLECTOR_PERIOD, COLLECTOR_FIRST };
enum { COLLECTOR_N, COLLECTOR_LAST, COLLECTOR_SUM, COLLECTOR_NEXT };
static const wrsim_variable collector_params[] = {PARAM(COLLECTOR_PERIOD, "period", 0.0),
                                                  PARAM(COLLECTOR_FIRST, "t_first", 0.0)};
static const wrsim_variable collector_discretes[] = {
    STATE_VALUE("d_n", 0.0), STATE_VALUE("d_last", 0.0), STATE_VALUE("d_sum", 0.0),
    STATE_VALUE("k_next", 0.0)};
static const wrsim_variable collector_inputs[] = {INPUT("u"), INPUT("trigger")};
static const wrsim_variable collector_outputs[] = {OUTPUT("n"), OUTPUT("last"), OUTPUT("sum"),
                                                   OUTPUT("mean")};
static const wrsim_variable collector_indicators[] = {RISING("triggered")};

static int collector_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    if (WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, collector_discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, collector_inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, collector_outputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, collector_indicators) || no_feedthrough(to))
        return -1;
    return to->depends(to, WRSIM_U_Z, 0, 1);
}

static int collector_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[COLLECTOR_NEXT] =
        first_tick(self->param[COLLECTOR_FIRST], self->param[COLLECTOR_PERIOD], t_s);
    return 0;
}

static int collector_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[3] = at->d[COLLECTOR_SUM] / fmax(at->d[COLLECTOR_N], 1.0);
    return output_discrete(at, 3, ret_y);
}

static int collector_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    ret_z[0] = at->u[1] - 0.5;
    return 0;
}

static int collector_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                           double *x, double *d)
{
    (void)self;
    (void)x;
    if (what->is_time_event)
        d[COLLECTOR_NEXT] += 1.0;
    if (what->is_time_event || what->fired[0] > 0) {
        d[COLLECTOR_N] += 1.0;
        d[COLLECTOR_LAST] = at->u[0];
        d[COLLECTOR_SUM] += at->u[0];
    }
    return 0;
}

static double collector_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return tick_time(self->param[COLLECTOR_FIRST], self->param[COLLECTOR_PERIOD],
                     at->d[COLLECTOR_NEXT]);
}

MODEL(collector, "collector", "takes, adds up and averages samples of its input", collector_params,
      .describe = collector_describe, .init = collector_init, .output = collector_output,
      .indicator = collector_indicator, .event = collector_event, .next_time = collector_next_time);

/* ---- split.leader and split.token: a token goes round a ring of events, all at one instant.
 *
 * Whoever sees the one before it ahead takes one step; the leader takes one at every tick, and then
 * one for each round of the ring until its number is a multiple of `rounds`. */

enum { LEADER_PERIOD, LEADER_FIRST, LEADER_ROUNDS };
static const wrsim_variable leader_params[] = {PARAM(LEADER_PERIOD, "period", 0.5),
                                               PARAM(LEADER_FIRST, "t_first", 0.0),
                                               PARAM(LEADER_ROUNDS, "rounds", 3.0)};
static const wrsim_variable token_discretes[] = {STATE_VALUE("d_n", 0.0)};
static const wrsim_variable token_outputs[] = {OUTPUT("n")};
static const wrsim_variable token_indicators[] = {RISING("must_go")};

static int leader_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, tick_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, counter_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, token_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, token_indicators) || no_feedthrough(to)
               ? -1
               : 0;
}

static int leader_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[1] = first_tick(self->param[LEADER_FIRST], self->param[LEADER_PERIOD], t_s);
    return 0;
}

static int token_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    return output_discrete(at, 1, ret_y);
}

static int leader_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const int is_done = fmod(at->d[0], self->param[LEADER_ROUNDS]) < 0.5;
    ret_z[0] = is_done ? -1.0 : at->u[0] - at->d[0] + 0.5;
    return 0;
}

static int leader_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                        double *x, double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->is_time_event)
        d[1] += 1.0;
    if (what->is_time_event || what->fired[0] > 0)
        d[0] += 1.0;
    return 0;
}

MODEL(leader, "leader", "sends a token round a ring at every tick", leader_params,
      .describe = leader_describe, .init = leader_init, .output = token_output,
      .indicator = leader_indicator, .event = leader_event, .next_time = tick_next_time);

static int token_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, token_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, counter_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, token_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, token_indicators) || no_feedthrough(to)
               ? -1
               : 0;
}

static int token_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    ret_z[0] = at->u[0] - at->d[0] - 0.5;
    return 0;
}

static int token_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->fired[0] > 0)
        d[0] += 1.0;
    return 0;
}

static const wrsim_variable no_params[1];
static const wrsim_model token = {.abi = WRSIM_MODEL_ABI,
                                  .struct_size = sizeof(wrsim_model),
                                  .name = "split.token",
                                  .description = "passes a token on",
                                  .caps = WRSIM_CAP_RT_SAFE,
                                  .params = no_params,
                                  .describe = token_describe,
                                  .output = token_output,
                                  .indicator = token_indicator,
                                  .event = token_event};

/* ---- split.twice: a time event that schedules another at the same instant.
 *
 * At a tick n is counted, and a second time event is asked for at the next time that is a number:
 * closer than any clock can tell. That one takes u. */

enum { TWICE_N, TWICE_K, TWICE_AGAIN, TWICE_LAST, TWICE_SUM };
static const wrsim_variable twice_params[] = {PARAM(0, "period", 0.5), PARAM(1, "t_first", 0.0)};
static const wrsim_variable twice_discretes[] = {
    STATE_VALUE("d_n", 0.0), STATE_VALUE("k_next", 0.0), STATE_VALUE("t_again", 0.0),
    STATE_VALUE("d_last", 0.0), STATE_VALUE("d_sum", 0.0)};
static const wrsim_variable twice_outputs[] = {OUTPUT("n"), OUTPUT("last"), OUTPUT("sum")};

static int twice_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, twice_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, counter_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, twice_outputs) || no_feedthrough(to)
               ? -1
               : 0;
}

static int twice_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[TWICE_K] = first_tick(self->param[1], self->param[0], t_s);
    d[TWICE_AGAIN] = -1.0;
    return 0;
}

static int twice_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->d[TWICE_N];
    ret_y[1] = at->d[TWICE_LAST];
    ret_y[2] = at->d[TWICE_SUM];
    return 0;
}

static int twice_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    (void)self;
    (void)x;
    if (!what->is_time_event)
        return 0;
    if (at->d[TWICE_AGAIN] > 0.0) {
        d[TWICE_AGAIN] = -1.0;
        d[TWICE_LAST] = at->u[0];
        d[TWICE_SUM] += at->u[0];
    } else {
        d[TWICE_N] += 1.0;
        d[TWICE_K] += 1.0;
        d[TWICE_AGAIN] = nextafter(at->t_s, HUGE_VAL);
    }
    return 0;
}

static double twice_next_time(wrsim_instance *self, const wrsim_point *at)
{
    const double next = tick_time(self->param[1], self->param[0], at->d[TWICE_K]);
    return at->d[TWICE_AGAIN] > 0.0 ? fmin(next, at->d[TWICE_AGAIN]) : next;
}

MODEL(twice, "twice", "a time event schedules another at the same instant", twice_params,
      .describe = twice_describe, .init = twice_init, .output = twice_output, .event = twice_event,
      .next_time = twice_next_time);

/* ---- split.blink: y becomes 1 at every tick and 0 again at the same instant */

static const wrsim_variable blink_params[] = {PARAM(0, "period", 0.5), PARAM(1, "t_first", 0.0)};
static const wrsim_variable blink_discretes[] = {STATE_VALUE("is_lit", 0.0),
                                                 STATE_VALUE("k_next", 0.0)};
static const wrsim_variable blink_outputs[] = {OUTPUT("y")};
static const wrsim_variable blink_indicators[] = {RISING("lit")};

static int blink_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, blink_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, blink_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, blink_indicators)
               ? -1
               : 0;
}

static int blink_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    ret_z[0] = at->d[0] - 0.5;
    return 0;
}

static int blink_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->is_time_event) {
        d[0] = 1.0;
        d[1] += 1.0;
    }
    if (what->fired[0] > 0)
        d[0] = 0.0;
    return 0;
}

MODEL(blink, "blink", "0, 1, 0 at every tick", blink_params, .describe = blink_describe,
      .init = leader_init, .output = token_output, .indicator = blink_indicator,
      .event = blink_event, .next_time = tick_next_time);

/* ---- split.root: x' = sqrt(u) - x, y = log(u): needs a positive input, from the start on */

static const wrsim_variable root_outputs[] = {OUTPUT_STATE("x", 0), OUTPUT("y")};

static int root_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, lin_states) ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, counter_inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, root_outputs))
        return -1;
    return to->depends(to, WRSIM_U_Y, 1, 0);
}

static int root_checked(wrsim_instance *self, const wrsim_point *at)
{
    if (at->u[0] > 0.0)
        return 0;
    self->message = "the input must be positive";
    return 1;
}

static int root_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const int rc = root_checked(self, at);
    if (rc == 0)
        ret_dx[0] = sqrt(at->u[0]) - at->x[0];
    return rc;
}

static int root_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const int rc = root_checked(self, at);
    if (rc == 0) {
        ret_y[0] = at->x[0];
        ret_y[1] = log(at->u[0]);
    }
    return rc;
}

static const wrsim_model root = {.abi = WRSIM_MODEL_ABI,
                                 .struct_size = sizeof(wrsim_model),
                                 .name = "split.root",
                                 .description = "needs a positive input",
                                 .caps = WRSIM_CAP_RT_SAFE,
                                 .params = no_params,
                                 .describe = root_describe,
                                 .rhs = root_rhs,
                                 .output = root_output};

/* ---- split.play: y = u beyond a gap. Its pattern says that y never depends on u, which is wrong. */

enum { PLAY_GAP };
static const wrsim_variable play_params[] = {PARAM(PLAY_GAP, "gap", 1.0)};

static int play_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, counter_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, map_outputs)
               ? -1
               : no_feedthrough(to);
}

static int play_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double gap = self->param[PLAY_GAP];
    ret_y[0] = at->u[0] > gap ? at->u[0] - gap : 0.0;
    return 0;
}

MODEL(play, "play", "y = u beyond a gap, which its pattern denies", play_params,
      .describe = play_describe, .output = play_output);

extern const wrsim_model wr_split_comparator, wr_split_latch, wr_split_toggle,
    wr_split_bead; /* causes_models.c */

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model *const models[] = {&shaft,          &oscillator,
                                                &linear,         &map,
                                                &pad_ball,       &counter,
                                                &parabola,       &tick,
                                                &collector,      &leader,
                                                &token,          &twice,
                                                &blink,          &root,
                                                &play,           &wr_split_comparator,
                                                &wr_split_latch, &wr_split_toggle,
                                                &wr_split_bead,  NULL};
    return abi == WRSIM_MODEL_ABI ? models : NULL;
}
