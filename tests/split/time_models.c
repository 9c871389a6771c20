/* Models that depend on the time: smooth pulses, much shorter than the steps that the other equations allow. */
#include <math.h>

#include "split_models.h"

/* A pulse: (1 - z^2)^k where |z| < 1, z = (t - center - n period) / half, n = 0, 1, ... Period 0: one pulse only. */
enum {
    PULSE_CENTER,
    PULSE_HALF,
    PULSE_PERIOD,
    PULSE_K,
    PULSE_SIZE,
    PULSE_DECLARES,
    PULSE_ANNOUNCES,
    N_PULSE
};
#define PULSE_PARAMS                                                                               \
    PARAM(PULSE_CENTER, "center", 1.0), PARAM(PULSE_HALF, "half", 0.01),                           \
        PARAM(PULSE_PERIOD, "period", 0.0), PARAM(PULSE_K, "k", 2.0),                              \
        PARAM(PULSE_SIZE, "size", 1.0), PARAM(PULSE_DECLARES, "declares", 0.0),                    \
        PARAM(PULSE_ANNOUNCES, "announces", 0.0)

/* Returns the number of the pulse nearest to t. */
static double pulse_number(const double *p, double t_s)
{
    return p[PULSE_PERIOD] > 0.0 ? fmax(0.0, floor((t_s - p[PULSE_CENTER]) / p[PULSE_PERIOD] + 0.5))
                                 : 0.0;
}

static double pulse(const double *p, double t_s)
{
    const double center = p[PULSE_CENTER] + pulse_number(p, t_s) * p[PULSE_PERIOD];
    const double z = (t_s - center) / p[PULSE_HALF], height = 1.0 - z * z;
    return height > 0.0 ? p[PULSE_SIZE] * pow(height, p[PULSE_K]) : 0.0;
}

/* `declares`: declares the length of a pulse as the time scale. `announces`: pulse_next_time() returns the begin of the next pulse. */
static void pulse_declare(const double *p, wrsim_description *to)
{
    if (p[PULSE_DECLARES] > 0.5)
        to->time_scale_s = 2.0 * p[PULSE_HALF];
}

static double pulse_begin(const double *p, double n)
{
    return p[PULSE_CENTER] + n * p[PULSE_PERIOD] - p[PULSE_HALF];
}

EVENT(pulse_event)
{
    if (what->is_time_event)
        d[0] += 1.0;
}

NEXT_TIME(pulse_next_time)
{
    const double *const p = self->param;
    if (!(p[PULSE_ANNOUNCES] > 0.5) || (at->d[0] > 0.5 && !(p[PULSE_PERIOD] > 0.0)))
        return HUGE_VAL;
    return pulse_begin(p, at->d[0]);
}

/* ---- split.time_driven: x' = a x + b u + pulse(t) (c + c_x x + c_u u), outputs x and y = pulse(t) */

enum { DRIVEN_A = N_PULSE, DRIVEN_B, DRIVEN_C, DRIVEN_C_X, DRIVEN_C_U };
static const wrsim_variable driven_params[] = {PULSE_PARAMS,
                                               PARAM(DRIVEN_A, "a", 0.0),
                                               PARAM(DRIVEN_B, "b", 0.0),
                                               PARAM(DRIVEN_C, "c", 1.0),
                                               PARAM(DRIVEN_C_X, "c_x", 0.0),
                                               PARAM(DRIVEN_C_U, "c_u", 0.0)};
static int driven_describe(wrsim_instance *self, wrsim_description *to)
{
    pulse_declare(self->param, to);
    return wr_declare(to, "state: x discrete: n input: u output: x:0 y U_Y: -");
}

RHS(driven_rhs)
{
    const double *const p = self->param;
    ret_dx[0] =
        p[DRIVEN_A] * at->x[0] + p[DRIVEN_B] * at->u[0] +
        pulse(p, at->t_s) * (p[DRIVEN_C] + p[DRIVEN_C_X] * at->x[0] + p[DRIVEN_C_U] * at->u[0]);
}

OUTPUTS(driven_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = pulse(self->param, at->t_s);
}

MODEL(driven, "time_driven", "a state that is driven by pulses in time", driven_params,
      .describe = driven_describe, .rhs = driven_rhs, .output = driven_output, .event = pulse_event,
      .next_time = pulse_next_time);

/* ---- split.time_gate: y = pulse(t), without states; an indicator at a share of the pulse size counts the pulses */

enum { GATE_LEVEL = N_PULSE };
enum { GATE_N, GATE_RISES, GATE_FALLS };
static const wrsim_variable gate_params[] = {PULSE_PARAMS, PARAM(GATE_LEVEL, "level", 0.05)};
static int gate_describe(wrsim_instance *self, wrsim_description *to)
{
    pulse_declare(self->param, to);
    return wr_declare(to, "discrete: n n_rise n_fall output: y rises falls indicator: is_high");
}

OUTPUTS(gate_output)
{
    ret_y[0] = pulse(self->param, at->t_s);
    ret_y[1] = at->d[GATE_RISES];
    ret_y[2] = at->d[GATE_FALLS];
}

INDICATORS(gate_indicator)
{
    const double *const p = self->param;
    ret_z[0] = pulse(p, at->t_s) - p[GATE_LEVEL] * p[PULSE_SIZE];
}

EVENT(gate_event)
{
    if (what->is_time_event)
        d[GATE_N] += 1.0;
    if (what->fired[0] > 0)
        d[GATE_RISES] += 1.0;
    else if (what->fired[0] < 0)
        d[GATE_FALLS] += 1.0;
}

MODEL(gate, "time_gate", "pulses in time, without states", gate_params, .describe = gate_describe,
      .output = gate_output, .indicator = gate_indicator, .event = gate_event,
      .next_time = pulse_next_time);

const wrsim_model *const wr_split_time_models[] = {&driven, &gate, NULL};
