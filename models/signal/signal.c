/* Sources and small blocks without continuous states: constant, step, sine, gain, sampler.
 *
 * Jumps are declared time events that change a discrete state: between events every output is a smooth function of time
 * and inputs.
 *
 * Outputs and inputs have no unit, so they fit any connection. A variable without a nominal value has the nominal value of
 * the connected variable. Only step and sine declare the size of their signal.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <float.h>
#include <math.h>

#include "models/describe.h"

#define TWO_PI 6.283185307179586477

static const wrsim_variable output_y = WR_SIGNAL("y", "", 0, "value of the signal");
static const wrsim_variable output_jumping =
    WR_SIGNAL("y", "", 0, "value of the signal", .flags = WRSIM_DISCONTINUOUS);
static const wrsim_variable input_u = WR_REQUIRED("u", "", 0, "input");
static const wrsim_variable has_begun =
    WR_SIGNAL("has_begun", "1", 0, "1 after the time of the jump");

/* ---- signal.constant: y = value */

static const wrsim_variable constant_params[] = {
    WR_TUNABLE("value", "", 1.0, 0, 0, "value of the signal")};

static int constant_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return to->add(to, WRSIM_OUTPUT, &output_y);
}

static int constant_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)at;
    ret_y[0] = self->param[0];
    return 0;
}

const wrsim_model wr_model_signal_constant = {
    WR_MODEL("signal.constant", "a constant value", constant_params, constant_describe),
    .output = constant_output,
};

/* Callbacks shared by step and sine. The discrete state d[0] becomes 1 at a time known in advance. */

/* Declares a signal. size: largest absolute value of the signal; 0: the signal is always 0. */
static int switch_describe(wrsim_description *to, double size)
{
    wrsim_variable y = output_jumping;
    y.nominal = fmin(size, DBL_MAX);
    return to->add(to, WRSIM_DISCRETE, &has_begun) || to->add(to, WRSIM_OUTPUT, &y) ? -1 : 0;
}

/* ---- signal.step: y = before, from t_step on y = after */

enum { STEP_BEFORE, STEP_AFTER, STEP_TIME, N_STEP };

static const wrsim_variable step_params[N_STEP] = {
    [STEP_BEFORE] = WR_TUNABLE("before", "", 0, 0, 0, "value before the step"),
    [STEP_AFTER] = WR_TUNABLE("after", "", 1.0, 0, 0, "value after the step"),
    [STEP_TIME] = WR_PARAM("t_step", "s", 0, 0, 0, "time of the step"),
};

static int step_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    return switch_describe(to, fmax(fabs(self->param[STEP_BEFORE]), fabs(self->param[STEP_AFTER])));
}

static int step_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[0] = t_s >= self->param[STEP_TIME] ? 1.0 : 0.0;
    return 0;
}

static int step_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = self->param[at->d[0] > 0.5 ? STEP_AFTER : STEP_BEFORE];
    return 0;
}

static int step_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                      double *x, double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->is_time_event)
        d[0] = 1.0;
    return 0;
}

static double step_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return at->d[0] > 0.5 ? HUGE_VAL : self->param[STEP_TIME];
}

const wrsim_model wr_model_signal_step = {
    WR_MODEL("signal.step", "a step at a given time", step_params, step_describe),
    .init = step_init,
    .output = step_output,
    .event = step_event,
    .next_time = step_next_time,
};

/* ---- signal.sine: y = offset, from t_on on y = offset + amplitude sin(2 pi f (t - t_on) + phase)
 */

enum { SINE_AMPLITUDE, SINE_FREQUENCY, SINE_PHASE, SINE_OFFSET, SINE_ON, N_SINE };

static const wrsim_variable sine_params[N_SINE] = {
    [SINE_AMPLITUDE] = WR_TUNABLE("amplitude", "", 1.0, 0, 0, "amplitude"),
    [SINE_FREQUENCY] = WR_TUNABLE("frequency", "Hz", 1.0, 0, 0, "frequency"),
    [SINE_PHASE] = WR_TUNABLE("phase", "rad", 0, 0, 0, "phase at t_on"),
    [SINE_OFFSET] = WR_TUNABLE("offset", "", 0, 0, 0, "mean value"),
    [SINE_ON] = WR_PARAM("t_on", "s", 0, 0, 0, "time at which the sine starts"),
};

static int sine_describe(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = 0.5 / fabs(self->param[SINE_FREQUENCY]);
    return switch_describe(to, fabs(self->param[SINE_OFFSET]) + fabs(self->param[SINE_AMPLITUDE]));
}

static int sine_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    d[0] = t_s >= self->param[SINE_ON] ? 1.0 : 0.0;
    return 0;
}

static int sine_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const p = self->param;
    const double angle = TWO_PI * p[SINE_FREQUENCY] * (at->t_s - p[SINE_ON]) + p[SINE_PHASE];
    ret_y[0] = p[SINE_OFFSET] + (at->d[0] > 0.5 ? p[SINE_AMPLITUDE] * sin(angle) : 0.0);
    return 0;
}

static double sine_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return at->d[0] > 0.5 ? HUGE_VAL : self->param[SINE_ON];
}

const wrsim_model wr_model_signal_sine = {
    WR_MODEL("signal.sine", "a sine that starts at a given time", sine_params, sine_describe),
    .init = sine_init,
    .output = sine_output,
    .event = step_event,
    .next_time = sine_next_time,
};

/* ---- signal.gain: y = k u + offset, direct feedthrough */

enum { GAIN_K, GAIN_OFFSET, N_GAIN };

static const wrsim_variable gain_params[N_GAIN] = {
    [GAIN_K] = WR_TUNABLE("k", "", 1.0, 0, 0, "gain"),
    [GAIN_OFFSET] = WR_TUNABLE("offset", "", 0, 0, 0, "offset added to the result"),
};

static int gain_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    if (to->add(to, WRSIM_INPUT, &input_u) || to->add(to, WRSIM_OUTPUT, &output_y))
        return -1;
    return to->depends(to, WRSIM_U_Y, 0, 0);
}

static int gain_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = self->param[GAIN_K] * at->u[0] + self->param[GAIN_OFFSET];
    return 0;
}

const wrsim_model wr_model_signal_gain = {
    WR_MODEL("signal.gain", "gain and offset, y = k u + offset", gain_params, gain_describe),
    .output = gain_output,
};

/* ---- signal.sampler: y = u at the last sample. Samples are at t_first + i period, i = 0, 1, ...; a start after t_first is also a
 * sample. */

enum { SAMPLER_PERIOD, SAMPLER_OFFSET, N_SAMPLER };
enum { SAMPLER_HELD, SAMPLER_NEXT };

static const wrsim_variable sampler_params[N_SAMPLER] = {
    [SAMPLER_PERIOD] = WR_PARAM("period", "s", 1e-3, 1e-12, 1e12, "time between samples"),
    [SAMPLER_OFFSET] = WR_PARAM("t_first", "s", 0, 0, 0, "time of sample 0"),
};
static const wrsim_variable sampler_discretes[] = {
    [SAMPLER_HELD] = WR_SIGNAL("held", "", 1.0, "last sample"),
    [SAMPLER_NEXT] = WR_SIGNAL("i_next", "1", 1.0, "number of the next sample"),
};

static int sampler_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    if (WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, sampler_discretes) ||
        to->add(to, WRSIM_INPUT, &input_u) || to->add(to, WRSIM_OUTPUT, &output_jumping))
        return -1;
    return to->depends(to, WRSIM_U_Y, -1, -1); /* a held output has no direct feedthrough */
}

/* Returns the time of sample i, computed from its number without accumulated rounding. */
static double sample_time(const wrsim_instance *self, double i)
{
    return self->param[SAMPLER_OFFSET] + i * self->param[SAMPLER_PERIOD];
}

/* Finds the first sample after the start; the initial event samples at the start itself. */
static int sampler_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    double i = fmax(0.0, ceil((t_s - self->param[SAMPLER_OFFSET]) / self->param[SAMPLER_PERIOD]));
    while (sample_time(self, i) <= t_s)
        i += 1.0;
    d[SAMPLER_NEXT] = i;
    return 0;
}

static int sampler_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->d[SAMPLER_HELD];
    return 0;
}

static int sampler_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                         double *x, double *d)
{
    (void)x;
    if (what->is_time_event)
        d[SAMPLER_NEXT] += 1.0;
    if (what->is_time_event || (what->is_initial && at->t_s >= self->param[SAMPLER_OFFSET]))
        d[SAMPLER_HELD] = at->u[0];
    return 0;
}

static double sampler_next_time(wrsim_instance *self, const wrsim_point *at)
{
    return sample_time(self, at->d[SAMPLER_NEXT]);
}

const wrsim_model wr_model_signal_sampler = {
    WR_MODEL("signal.sampler", "sample and hold with a fixed period", sampler_params,
             sampler_describe),
    .init = sampler_init,
    .output = sampler_output,
    .event = sampler_event,
    .next_time = sampler_next_time,
};
