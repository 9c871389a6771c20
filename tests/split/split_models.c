/* A plug-in with small models on which a split can go wrong: computed outputs, contacts, counters,
 * samplers, events that cause one another at one instant. case_table.py connects the models.
 *
 * Periodic times are t_first + k period, computed from the number k and never added up.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>
#include <time.h>

#include "split_models.h"

static double tick_time(double t_first, double period, double k)
{
    return period > 0.0 ? t_first + k * period : HUGE_VAL;
}

/* Returns the number of the first tick after the start t_s. A tick at the start does not happen. */
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
DECLARE(shaft_describe, "state: theta output: theta:0 y")

RHS(shaft_rhs) { ret_dx[0] = self->param[SHAFT_OMEGA]; }

OUTPUTS(shaft_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = self->param[SHAFT_SCALE] * cos(at->x[0]);
}

MODEL(shaft, "shaft", "theta' = omega, y = scale cos(theta)", shaft_params,
      .describe = shaft_describe, .rhs = shaft_rhs, .output = shaft_output);

/* ---- split.oscillator: x' = v, v' = -omega^2 x - damping v + b u; v += kick at every tick */

enum { OSC_OMEGA, OSC_DAMPING, OSC_B, OSC_KICK, OSC_PERIOD, OSC_FIRST };
static const wrsim_variable osc_params[] = {
    PARAM(OSC_OMEGA, "omega", 1.0),   PARAM(OSC_DAMPING, "damping", 0.0),
    PARAM(OSC_B, "b", 0.0),           PARAM(OSC_KICK, "kick", 0.0),
    PARAM(OSC_PERIOD, "period", 0.0), PARAM(OSC_FIRST, "t_first", 0.0)};
static int osc_describe(wrsim_instance *self, wrsim_description *to)
{
    const int is_read = self->param[OSC_B] < 0.0 || self->param[OSC_B] > 0.0;
    return wr_declare(to, "state: x=1 v discrete: k_next input: u output: x:0 v:1 U_Y: -") ||
           (!is_read && wr_declare(to, "U_X: -"));
}

INIT(osc_init) { d[0] = first_tick(self->param[OSC_FIRST], self->param[OSC_PERIOD], t_s); }

RHS(osc_rhs)
{
    const double *const p = self->param;
    ret_dx[0] = at->x[1];
    ret_dx[1] =
        -p[OSC_OMEGA] * p[OSC_OMEGA] * at->x[0] - p[OSC_DAMPING] * at->x[1] + p[OSC_B] * at->u[0];
}

EVENT(osc_event)
{
    if (what->is_time_event) {
        x[1] += self->param[OSC_KICK];
        d[0] += 1.0;
    }
}

NEXT_TIME(osc_next_time)
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
DECLARE(lin_describe, "state: x input: u1 u2 output: x:0 y U_Y: -")

RHS(lin_rhs)
{
    const double *const p = self->param;
    ret_dx[0] = p[LIN_A] * at->x[0] + p[LIN_B1] * at->u[0] + p[LIN_B2] * at->u[1];
}

OUTPUTS(lin_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = self->param[LIN_C] * at->x[0];
}

MODEL(linear, "linear", "x' = a x + b1 u1 + b2 u2, y = c x", lin_params, .describe = lin_describe,
      .rhs = lin_rhs, .output = lin_output);

/* ---- split.map, without states: y = k1 u1 + k2 u2 + k12 u1 u2 + offset */

enum { MAP_K1, MAP_K2, MAP_K12, MAP_OFFSET };
static const wrsim_variable map_params[] = {PARAM(MAP_K1, "k1", 0.0), PARAM(MAP_K2, "k2", 0.0),
                                            PARAM(MAP_K12, "k12", 0.0),
                                            PARAM(MAP_OFFSET, "offset", 0.0)};
DECLARE(map_describe, "input: u1 u2 output: y")

OUTPUTS(map_output)
{
    const double *const p = self->param, *const u = at->u;
    ret_y[0] = p[MAP_K1] * u[0] + p[MAP_K2] * u[1] + p[MAP_K12] * u[0] * u[1] + p[MAP_OFFSET];
}

MODEL(map, "map", "y = k1 u1 + k2 u2 + k12 u1 u2 + offset", map_params, .describe = map_describe,
      .output = map_output);

/* ---- split.pad_ball: a ball on a stiff pad, without losses; outputs h, v and the pad's force */

enum { PAD_M, PAD_K, PAD_G };
static const wrsim_variable pad_params[] = {PARAM(PAD_M, "m", 1.0), PARAM(PAD_K, "k", 1e6),
                                            PARAM(PAD_G, "g", 9.81)};
DECLARE(pad_describe, "state: h=1 v output: h:0 v:1 force indicator: clear")

static double pad_force(const wrsim_instance *self, const wrsim_point *at)
{
    return at->mode[0] ? 0.0 : -self->param[PAD_K] * at->x[0];
}

RHS(pad_rhs)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = pad_force(self, at) / self->param[PAD_M] - self->param[PAD_G];
}

OUTPUTS(pad_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
    ret_y[2] = pad_force(self, at);
}

INDICATORS(pad_indicator) { ret_z[0] = at->x[0]; }

MODEL(pad_ball, "pad_ball", "ball on a stiff pad", pad_params, .describe = pad_describe,
      .rhs = pad_rhs, .output = pad_output, .indicator = pad_indicator);

/* ---- split.counter: counts how often the input rises and falls through a threshold */

static const wrsim_variable counter_params[] = {PARAM(0, "threshold", 0.5)};
DECLARE(counter_describe,
        "discrete: n_rise n_fall input: u output: rises falls indicator: above U_Y: -")

static int counter_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    return output_discrete(at, 2, ret_y);
}

INDICATORS(counter_indicator) { ret_z[0] = at->u[0] - self->param[0]; }

EVENT(counter_event)
{
    if (what->fired[0] > 0)
        d[0] += 1.0;
    if (what->fired[0] < 0)
        d[1] += 1.0;
}

MODEL(counter, "counter", "counts crossings of a threshold", counter_params,
      .describe = counter_describe, .output = counter_output, .indicator = counter_indicator,
      .event = counter_event);

/* ---- split.parabola: h' = v, v' = -2, thrown anew at every tick; counts its own crossings of 0.
 *
 * From h = 1 - period^2 / 4 the parabola rises to 1 and falls back within a period. A method of order 2 or
 * more integrates a period in one step, and h is below zero at both ends of this step. */

enum { PARABOLA_PERIOD };
static const wrsim_variable parabola_params[] = {PARAM(PARABOLA_PERIOD, "period", 10.0)};
DECLARE(parabola_describe,
        "state: h v discrete: n_rise n_fall k_next=1 output: h:0 rises falls indicator: above")

static void throw(const wrsim_instance *self, double *x)
{
    const double half = 0.5 * self->param[PARABOLA_PERIOD];
    x[0] = 1.0 - half * half;
    x[1] = 2.0 * half;
}

INIT(parabola_init) { throw(self, x); }

RHS(parabola_rhs)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = -2.0;
}

static int parabola_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
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

NEXT_TIME(parabola_next_time) { return tick_time(0.0, self->param[PARABOLA_PERIOD], at->d[2]); }

MODEL(parabola, "parabola", "parabolas, and how often they cross zero", parabola_params,
      .describe = parabola_describe, .init = parabola_init, .rhs = parabola_rhs,
      .output = parabola_output, .indicator = pad_indicator, .event = parabola_event,
      .next_time = parabola_next_time);

/* ---- split.tick: n = number of ticks; y = amplitude (n mod modulus), with a nominal value by parameter */

enum { TICK_PERIOD, TICK_FIRST, TICK_MODULUS, TICK_AMPLITUDE, TICK_NOMINAL };
static const wrsim_variable tick_params[] = {
    PARAM(TICK_PERIOD, "period", 0.1), PARAM(TICK_FIRST, "t_first", 0.0),
    PARAM(TICK_MODULUS, "modulus", 1e9), PARAM(TICK_AMPLITUDE, "amplitude", 1.0),
    PARAM(TICK_NOMINAL, "nominal", 0.0)};
static int tick_describe(wrsim_instance *self, wrsim_description *to)
{
    return wr_declare(to, "discrete: d_n k_next output: n") ||
           to->add(to, WRSIM_OUTPUT,
                   &(wrsim_variable){.name = "y", .nominal = self->param[TICK_NOMINAL]});
}

INIT(tick_init) { d[1] = first_tick(self->param[TICK_FIRST], self->param[TICK_PERIOD], t_s); }

OUTPUTS(tick_output)
{
    ret_y[0] = at->d[0];
    ret_y[1] = self->param[TICK_AMPLITUDE] * fmod(at->d[0], self->param[TICK_MODULUS]);
}

EVENT(tick_event)
{
    if (what->is_time_event) {
        d[0] += 1.0;
        d[1] += 1.0;
    }
}

NEXT_TIME(tick_next_time)
{
    return tick_time(self->param[TICK_FIRST], self->param[TICK_PERIOD], at->d[1]);
}

MODEL(tick, "tick", "a counter of ticks", tick_params, .describe = tick_describe, .init = tick_init,
      .output = tick_output, .event = tick_event, .next_time = tick_next_time);

/* ---- split.collector: samples u at every tick, and when `trigger` rises through 0.5 */

enum { COLLECTOR_PERIOD, COLLECTOR_FIRST };
enum { COLLECTOR_N, COLLECTOR_LAST, COLLECTOR_SUM, COLLECTOR_NEXT };
static const wrsim_variable collector_params[] = {PARAM(COLLECTOR_PERIOD, "period", 0.0),
                                                  PARAM(COLLECTOR_FIRST, "t_first", 0.0)};
DECLARE(collector_describe,
        "discrete: d_n d_last d_sum k_next input: u trigger output: n last sum mean "
        "indicator: triggered< U_Y: - U_Z: 0,1")

INIT(collector_init)
{
    d[COLLECTOR_NEXT] =
        first_tick(self->param[COLLECTOR_FIRST], self->param[COLLECTOR_PERIOD], t_s);
}

static int collector_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[3] = at->d[COLLECTOR_SUM] / fmax(at->d[COLLECTOR_N], 1.0);
    return output_discrete(at, 3, ret_y);
}

INDICATORS(collector_indicator) { ret_z[0] = at->u[1] - 0.5; }

EVENT(collector_event)
{
    if (what->is_time_event)
        d[COLLECTOR_NEXT] += 1.0;
    if (what->is_time_event || what->fired[0] > 0) {
        d[COLLECTOR_N] += 1.0;
        d[COLLECTOR_LAST] = at->u[0];
        d[COLLECTOR_SUM] += at->u[0];
    }
}

NEXT_TIME(collector_next_time)
{
    return tick_time(self->param[COLLECTOR_FIRST], self->param[COLLECTOR_PERIOD],
                     at->d[COLLECTOR_NEXT]);
}

MODEL(collector, "collector", "takes, adds up and averages samples of its input", collector_params,
      .describe = collector_describe, .init = collector_init, .output = collector_output,
      .indicator = collector_indicator, .event = collector_event, .next_time = collector_next_time);

/* ---- split.leader and split.token: components in a ring count by events at one instant.
 *
 * If the predecessor of a split.token has a larger number, the token adds one to its own number. The leader adds one at every tick.
 * When the number has passed the ring, the leader adds one again, until the leader's number is a multiple of `rounds`. */

enum { LEADER_PERIOD, LEADER_FIRST, LEADER_ROUNDS };
static const wrsim_variable leader_params[] = {PARAM(LEADER_PERIOD, "period", 0.5),
                                               PARAM(LEADER_FIRST, "t_first", 0.0),
                                               PARAM(LEADER_ROUNDS, "rounds", 3.0)};
DECLARE(leader_describe, "discrete: d_n k_next input: u output: n indicator: must_go< U_Y: -")

INIT(leader_init) { d[1] = first_tick(self->param[LEADER_FIRST], self->param[LEADER_PERIOD], t_s); }

static int token_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    return output_discrete(at, 1, ret_y);
}

INDICATORS(leader_indicator)
{
    const int is_done = fmod(at->d[0], self->param[LEADER_ROUNDS]) < 0.5;
    ret_z[0] = is_done ? -1.0 : at->u[0] - at->d[0] + 0.5;
}

EVENT(leader_event)
{
    if (what->is_time_event)
        d[1] += 1.0;
    if (what->is_time_event || what->fired[0] > 0)
        d[0] += 1.0;
}

MODEL(leader, "leader", "sends a token round a ring at every tick", leader_params,
      .describe = leader_describe, .init = leader_init, .output = token_output,
      .indicator = leader_indicator, .event = leader_event, .next_time = tick_next_time);

DECLARE(token_describe, "discrete: d_n input: u output: n indicator: must_go< U_Y: -")

INDICATORS(token_indicator) { ret_z[0] = at->u[0] - at->d[0] - 0.5; }

EVENT(token_event)
{
    if (what->fired[0] > 0)
        d[0] += 1.0;
}

static const wrsim_model token = {.abi = WRSIM_MODEL_ABI,
                                  .struct_size = sizeof(wrsim_model),
                                  .name = "split.token",
                                  .description = "passes a token on",
                                  .caps = WRSIM_CAP_RT_SAFE,
                                  .describe = token_describe,
                                  .output = token_output,
                                  .indicator = token_indicator,
                                  .event = token_event};

/* ---- split.twice: a time event that schedules another at the same instant.
 *
 * A tick increments n and schedules a second time event at the next floating-point number. The second event samples u. */

enum { TWICE_N, TWICE_K, TWICE_AGAIN, TWICE_LAST, TWICE_SUM };
static const wrsim_variable twice_params[] = {PARAM(0, "period", 0.5), PARAM(1, "t_first", 0.0)};
DECLARE(twice_describe,
        "discrete: d_n k_next t_again d_last d_sum input: u output: n last sum U_Y: -")

INIT(twice_init)
{
    d[TWICE_K] = first_tick(self->param[1], self->param[0], t_s);
    d[TWICE_AGAIN] = -1.0;
}

OUTPUTS(twice_output)
{
    ret_y[0] = at->d[TWICE_N];
    ret_y[1] = at->d[TWICE_LAST];
    ret_y[2] = at->d[TWICE_SUM];
}

static int twice_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
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

NEXT_TIME(twice_next_time)
{
    const double next = tick_time(self->param[1], self->param[0], at->d[TWICE_K]);
    return at->d[TWICE_AGAIN] > 0.0 ? fmin(next, at->d[TWICE_AGAIN]) : next;
}

MODEL(twice, "twice", "a time event schedules another at the same instant", twice_params,
      .describe = twice_describe, .init = twice_init, .output = twice_output, .event = twice_event,
      .next_time = twice_next_time);

/* ---- split.blink: y becomes 1 at every tick and 0 again at the same instant */

static const wrsim_variable blink_params[] = {PARAM(0, "period", 0.5), PARAM(1, "t_first", 0.0)};
DECLARE(blink_describe, "discrete: is_lit k_next output: y indicator: lit<")

INDICATORS(blink_indicator) { ret_z[0] = at->d[0] - 0.5; }

EVENT(blink_event)
{
    if (what->is_time_event) {
        d[0] = 1.0;
        d[1] += 1.0;
    }
    if (what->fired[0] > 0)
        d[0] = 0.0;
}

MODEL(blink, "blink", "0, 1, 0 at every tick", blink_params, .describe = blink_describe,
      .init = leader_init, .output = token_output, .indicator = blink_indicator,
      .event = blink_event, .next_time = tick_next_time);

/* ---- split.root: x' = sqrt(u) - x, y = log(u): requires a positive input, also at the start */

DECLARE(root_describe, "state: x input: u output: x:0 y U_Y: 1,0")

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
                                 .describe = root_describe,
                                 .rhs = root_rhs,
                                 .output = root_output};

/* ---- split.play: y = u - gap above a gap, else 0. Its pattern wrongly declares that y never depends on u. */

enum { PLAY_GAP };
static const wrsim_variable play_params[] = {PARAM(PLAY_GAP, "gap", 1.0)};

DECLARE(play_describe, "input: u output: y U_Y: -")

OUTPUTS(play_output)
{
    const double gap = self->param[PLAY_GAP];
    ret_y[0] = at->u[0] > gap ? at->u[0] - gap : 0.0;
}

MODEL(play, "play", "y = u beyond a gap, which its pattern denies", play_params,
      .describe = play_describe, .output = play_output);

/* ---- split.slow: y = u, after 20 us */

DECLARE(slow_describe, "input: u output: y")

OUTPUTS(slow_output)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 20000);
    ret_y[0] = at->u[0];
}

static const wrsim_model slow = {.abi = WRSIM_MODEL_ABI,
                                 .struct_size = sizeof(wrsim_model),
                                 .name = "split.slow",
                                 .description = "y = u, after 20 us",
                                 .describe = slow_describe,
                                 .output = slow_output};

/* ---- The plug-in's table: the models above, then the models of the topics in meson.build.
 *
 * SPLIT_TOPICS is X(topic) for each file topic_models.c, which defines the table wr_split_topic_models. A constructor fills the table of
 * all models before any call of wrsim_plugin_models(). */

enum { MAX_MODELS = 256 };
static const wrsim_model *const own_models[] = {
    &shaft,  &oscillator, &linear, &map,   &pad_ball, &counter, &parabola, &tick, &collector,
    &leader, &token,      &twice,  &blink, &root,     &play,    &slow,     NULL};
static const wrsim_model *all_models[MAX_MODELS + 1];

#define X(topic) extern const wrsim_model *const wr_split_##topic##_models[];
SPLIT_TOPICS
#undef X

__attribute__((constructor)) static void collect_models(void)
{
    static const wrsim_model *const *const tables[] = {own_models,
#define X(topic) wr_split_##topic##_models,
                                                       SPLIT_TOPICS
#undef X
    };
    int n = 0;
    for (int i = 0; i < WR_DESCRIBE_COUNT(tables); i++)
        for (int k = 0; tables[i][k] && n < MAX_MODELS; k++)
            all_models[n++] = tables[i][k];
}

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    return abi == WRSIM_MODEL_ABI ? all_models : NULL;
}
