/* A plug-in with small models that are difficult for a solver by their equations, or by the way of their implementation. awkward_cases.py
 * connects the models.
 *
 * Thread: one at a time per instance. Real-time: no (awkward.slow sleeps).
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep, access */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "models/describe.h"
#include "tests/harness/wr_model.h"

#define PARAM(id, value) [id] = {.name = #id, .description = #id, .start = (value)}
#define MODEL(id, text, about, parameters, ...)                                                    \
    static const wrsim_model id = {.abi = WRSIM_MODEL_ABI,                                         \
                                   .struct_size = sizeof(wrsim_model),                             \
                                   .name = "awkward." text,                                        \
                                   .description = about,                                           \
                                   .n_param = WR_DESCRIBE_COUNT(parameters),                       \
                                   .params = parameters,                                           \
                                   __VA_ARGS__}

/* One state, which is the output, and one input. */
DECLARE(one_state, "state: x input: u output: x:0")

INIT(start_at_first) { x[0] = self->param[0]; }

/* ---- rod: heat conduction in n cells, cold at both ends, from half a wave of a sine, without a pattern of its Jacobian.
 * tau x' = (n + 1)^2 (difference of second order): the slowest part decays about as exp(-pi^2 t / tau) ---- */

enum { rod_n, rod_tau };
static const wrsim_variable rod_params[] = {
    [rod_n] = {.name = "n", .description = "cells", .start = 200.0, .flags = WRSIM_INTEGER},
    [rod_tau] = {.name = "tau", .description = "unit of time, s", .start = 1.0}};

static int rod_describe(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = (double)INFINITY; /* no right-hand side depends on time */
    for (int i = 0; i < (int)self->param[rod_n]; i++) {
        char name[24];
        snprintf(name, sizeof name, "x%d", i);
        const wrsim_variable cell = {.name = name, .description = "temperature"};
        if (to->add(to, WRSIM_STATE, &cell) != 0)
            return -1;
    }
    return wr_declare(to, "output: x:0");
}

INIT(rod_init)
{
    const int n = (int)self->param[rod_n];
    for (int i = 0; i < n; i++)
        x[i] = sin(3.14159265358979 * (i + 1) / (n + 1));
}

RHS(rod_rhs)
{
    const int n = (int)self->param[rod_n];
    const double scale = (n + 1.0) * (n + 1.0) / self->param[rod_tau];
    for (int i = 0; i < n; i++) {
        const double left = i > 0 ? at->x[i - 1] : 0.0, right = i < n - 1 ? at->x[i + 1] : 0.0;
        ret_dx[i] = scale * (left - 2.0 * at->x[i] + right);
    }
}

MODEL(rod, "rod", "a rod that declares no pattern", rod_params, .describe = rod_describe,
      .init = rod_init, .rhs = rod_rhs);

/* ---- growth: x' = x^2 + u; for u = 0 x becomes infinite at 1 / x0 ---- */

static const wrsim_variable x0_params[] = {{.name = "x0", .description = "x0", .start = 1.0}};

RHS(growth_rhs) { ret_dx[0] = at->x[0] * at->x[0] + at->u[0]; }

MODEL(growth, "growth", "blows up", x0_params, .describe = one_state, .init = start_at_first,
      .rhs = growth_rhs);

/* ---- lag: tau x' = gain u^power - x ---- */

enum { lag_x0, lag_tau, lag_gain, lag_power };
static const wrsim_variable lag_params[] = {
    [lag_x0] = {.name = "x0", .description = "x0", .start = 1.0},
    [lag_tau] = {.name = "tau", .description = "tau", .start = 1.0},
    [lag_gain] = {.name = "gain", .description = "gain", .start = 1.0},
    [lag_power] = {.name = "power", .description = "power", .start = 1.0}};

RHS(lag_rhs)
{
    const double *const p = self->param;
    ret_dx[0] = (p[lag_gain] * pow(at->u[0], p[lag_power]) - at->x[0]) / p[lag_tau];
}

MODEL(lag, "lag", "follows its input", lag_params, .describe = one_state, .init = start_at_first,
      .rhs = lag_rhs);

/* ---- hasty: x' = u - x, and at any time the next time event is a short time ahead ---- */

static const wrsim_variable hair_params[] = {
    {.name = "hair", .description = "to the next time event", .start = 1e-13}};

RHS(hasty_rhs) { ret_dx[0] = at->u[0] - at->x[0]; }

NEXT_TIME(hasty_next_time) { return at->t_s + self->param[0]; }

MODEL(hasty, "hasty", "time events a hair ahead", hair_params, .describe = one_state,
      .rhs = hasty_rhs, .next_time = hasty_next_time);

/* ---- relay: x' = u - sign(x), a branch by value without an event indicator ---- */

RHS(relay_rhs) { ret_dx[0] = (at->x[0] > 0.0 ? -1.0 : 1.0) + at->u[0]; }

MODEL(relay, "relay", "a branch by value", x0_params, .describe = one_state, .init = start_at_first,
      .rhs = relay_rhs);

/* ---- sign: y = sign(-u), a branch by value ---- */

DECLARE(sign_describe, "input: u output: y")

OUTPUTS(sign_output) { ret_y[0] = at->u[0] > 0.0 ? -1.0 : 1.0; }

MODEL(sign, "sign", "an output that branches by value", x0_params, .describe = sign_describe,
      .output = sign_output);

/* ---- stairs: y follows a table of steps that depends on an angle by value, f times a second: jumps that a solver can pass ---- */

static const wrsim_variable f_params[] = {{.name = "f", .description = "1/s", .start = 600.0}};
DECLARE(stairs_describe, "state: x y output: y:1")

RHS(stairs_rhs)
{
    const double f = self->param[0], turn = 4.0 * at->x[0];
    ret_dx[0] = f;
    ret_dx[1] = f * (floor(turn) - turn + 0.5 - at->x[1]);
}

MODEL(stairs, "stairs", "jumps that are passed", f_params, .describe = stairs_describe,
      .rhs = stairs_rhs);

/* ---- ball: falls from x0 with v = 0 and bounces at x = 0 without loss ---- */

DECLARE(ball_describe, "state: x=1 v indicator: z output: x:0")

RHS(ball_rhs)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = -9.81;
}

INDICATORS(ball_indicator) { ret_z[0] = at->x[0]; }

EVENT(ball_event)
{
    if (what->fired[0] < 0)
        x[1] = fabs(x[1]);
}

MODEL(ball, "ball", "bounces without loss", x0_params, .describe = ball_describe,
      .init = start_at_first, .rhs = ball_rhs, .indicator = ball_indicator, .event = ball_event);

/* ---- crossing: x' = 1; y jumps at x = 1, by the mode of the indicator or by a discrete state that the event sets ---- */

static const wrsim_variable by_event_params[] = {
    {.name = "by_event", .description = "1: y is switched in the event", .start = 0.0}};
DECLARE(crossing_describe, "state: x output: x:0 y indicator: z discrete: d")

RHS(crossing_rhs) { ret_dx[0] = 1.0; }

OUTPUTS(crossing_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = self->param[0] > 0.0 ? at->d[0] : (at->mode[0] ? 1.0 : 0.0);
}

INDICATORS(crossing_indicator) { ret_z[0] = at->x[0] - 1.0; }

EVENT(crossing_event) { d[0] = at->mode[0] ? 1.0 : 0.0; }

MODEL(crossing, "crossing", "an output that jumps at a crossing", by_event_params,
      .describe = crossing_describe, .rhs = crossing_rhs, .output = crossing_output,
      .indicator = crossing_indicator, .event = crossing_event);

/* ---- sampler: samples v when u rises through 1 ---- */

DECLARE(sampler_describe, "input: u v output: y indicator: z discrete: d")

OUTPUTS(sampler_output) { ret_y[0] = at->d[0]; }

INDICATORS(sampler_indicator) { ret_z[0] = at->u[0] - 1.0; }

EVENT(sampler_event)
{
    if (what->fired[0] > 0)
        d[0] = 1.0 + at->u[1]; /* 0: no sample yet */
}

MODEL(sampler, "sampler", "holds what it sees at a crossing", x0_params,
      .describe = sampler_describe, .output = sampler_output, .indicator = sampler_indicator,
      .event = sampler_event);

/* ---- slow: a circle whose right-hand side takes ms milliseconds, or no time if a file "haste" exists ---- */

static const wrsim_variable ms_params[] = {
    {.name = "ms", .description = "wall time of f", .start = 1.0}};
DECLARE(slow_describe, "state: x=1 y output: x:0")

RHS(slow_rhs)
{
    const double wait_s = 1e-3 * self->param[0];
    const struct timespec wait = {.tv_sec = (time_t)wait_s,
                                  .tv_nsec = (long)(1e9 * (wait_s - floor(wait_s)))};
    if (wait_s > 0.0 && access("haste", F_OK) != 0)
        (void)nanosleep(&wait, NULL);
    ret_dx[0] = -at->x[1];
    ret_dx[1] = at->x[0];
}

MODEL(slow, "slow", "takes wall time", ms_params, .describe = slow_describe, .rhs = slow_rhs);

/* ---- product: x' = u x, from x0 ---- */

enum { product_x0 };
static const wrsim_variable product_params[] = {
    [product_x0] = {.name = "x0", .description = "start", .start = 1.0}};

RHS(product_rhs) { ret_dx[0] = at->u[0] * at->x[0]; }

MODEL(product, "product", "grows as fast as its input says", product_params, .describe = one_state,
      .init = start_at_first, .rhs = product_rhs);

/* ---- saw: x' = rate, from low; at top x jumps back to low. The input has a negligible effect ---- */

enum { saw_rate, saw_top, saw_low };
static const wrsim_variable saw_params[] = {
    [saw_rate] = {.name = "rate", .description = "1/s", .start = 1.0},
    [saw_top] = {.name = "top", .description = "where it falls", .start = 1.0},
    [saw_low] = {.name = "low", .description = "to where", .start = 0.0}};

static int saw_describe(wrsim_instance *self, wrsim_description *to)
{
    return one_state(self, to) || wr_declare(to, "indicator: z") ? -1 : 0;
}

INIT(saw_init) { x[0] = self->param[saw_low]; }

RHS(saw_rhs) { ret_dx[0] = self->param[saw_rate] + 1e-9 * at->u[0]; }

INDICATORS(saw_indicator) { ret_z[0] = at->x[0] - self->param[saw_top]; }

EVENT(saw_event)
{
    if (what->fired[0] > 0)
        x[0] = self->param[saw_low];
}

MODEL(saw, "saw", "rises and falls", saw_params, .describe = saw_describe, .init = saw_init,
      .rhs = saw_rhs, .indicator = saw_indicator, .event = saw_event);

/* ---- swing: x' = w v, v' = -w x ---- */

enum { swing_w };
static const wrsim_variable swing_params[] = {
    [swing_w] = {.name = "w", .description = "1/s", .start = 1.0}};
DECLARE(swing_describe, "state: x=0.5 v=-0.5 output: x:0")

RHS(swing_rhs)
{
    ret_dx[0] = self->param[swing_w] * at->x[1];
    ret_dx[1] = -self->param[swing_w] * at->x[0];
}

MODEL(swing, "swing", "swings by itself", swing_params, .describe = swing_describe,
      .rhs = swing_rhs);

PLUGIN(&rod, &growth, &lag, &hasty, &relay, &sign, &stairs, &ball, &crossing, &sampler, &slow,
       &product, &saw, &swing)
