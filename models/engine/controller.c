/* Engine control: speed governor, boost control and load steps, sampled.
 *
 * Every sample_time the controller reads speed and boost. A filter reduces the effect of single firings on the speed.
 * Three outputs stay constant until the next sample or the load step (Kp, Kb, Ke: speed_gain, boost_gain, egr_gain):
 *
 *     fuel_factor    = clamp(1 + Kp e + I, low, high) (1 + step)     e = reference - filtered speed
 *     wastegate_trim = clamp(Kb (boost - reference) + Ib, 0, limit)
 *     egr_trim       = clamp(-Ke (fuel_factor - 1), +-limit)         less EGR under more load
 *
 * I and Ib sum up integral gain times error times sample_time. If an output is limited, its sum does not grow further beyond the
 * limit (conditional integration; Astrom and Hagglund, PID Controllers, 1995, sec. 3.5). A load step multiplies the fuel by
 * 1 + step_size from step_time on. step_size = 0 means no step.
 *
 * The samples are at start + k sample_time, without an accumulated rounding error. Thread: one at a time per instance.
 * Real-time: yes, except describe() and init(). */
#include <math.h>

#include "models/describe.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(PARAM, SAMPLE, "sample_time", "s", 0.010, 1e-6, 1e3, "time between samples")               \
    ROW(TUNABLE, SPEED, "speed_reference", "rad/s", 261.8, 0, 0,                                   \
        "reference of the speed (2500 rpm)")                                                       \
    ROW(TUNABLE, FILTER, "speed_filter", "1", 0.2, 1e-3, 1,                                        \
        "weight of a new sample in the filtered speed")                                            \
    ROW(TUNABLE, SPEED_GAIN, "speed_gain", "s/rad", 0.004, 0, 0, "fuel factor per speed error")    \
    ROW(TUNABLE, SPEED_RATE, "speed_rate", "1/rad", 0.01, 0, 0,                                    \
        "integral gain of the fuel factor")                                                        \
    ROW(TUNABLE, FUEL_LOW, "fuel_low", "1", 0.2, 0, 1, "smallest fuel factor")                     \
    ROW(TUNABLE, FUEL_HIGH, "fuel_high", "1", 1.2, 1, 10, "largest fuel factor")                   \
    ROW(TUNABLE, BOOST, "boost_reference", "Pa", 1.9e5, 0, 0,                                      \
        "boost pressure above which the waste-gate opens further")                                 \
    ROW(TUNABLE, BOOST_GAIN, "boost_gain", "1/Pa", 1e-6, 0, 0, "waste-gate trim per boost error")  \
    ROW(TUNABLE, BOOST_RATE, "boost_rate", "1/(Pa s)", 1e-5, 0, 0,                                 \
        "integral gain of the waste-gate trim")                                                    \
    ROW(TUNABLE, WASTEGATE_LIMIT, "wastegate_limit", "1", 0.3, 0, 1,                               \
        "largest trim of the waste-gate")                                                          \
    ROW(TUNABLE, EGR_GAIN, "egr_gain", "1", 0.5, 0, 0,                                             \
        "closing of the EGR valve per fuel factor above 1")                                        \
    ROW(TUNABLE, EGR_LIMIT, "egr_limit", "1", 0.1, 0, 1, "largest trim of the EGR valve")          \
    ROW(PARAM, STEP_TIME, "step_time", "s", 0, 0, 0, "time of the load step")                      \
    ROW(PARAM, STEP_SIZE, "step_size", "1", 0, -1, 1,                                              \
        "relative change of the fuel at step_time; 0: none")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { D_SAMPLES, D_SPEED, D_SPEED_SUM, D_BOOST_SUM, D_GOVERNOR, D_STEP, D_WASTEGATE, D_EGR };
enum { U_OMEGA, U_BOOST };
enum { Y_FUEL, Y_WASTEGATE, Y_EGR };

/* Share of sample_time by which an event may be early (assumed), far above the rounding error of the time of a sample. */
static const double time_slack = 1e-6;

static const wr_row rows[] = {
    WR_DISCRETE("samples", "1", 0, "number of samples"),
    WR_DISCRETE("speed", "rad/s", 261.8, "filtered speed"),
    WR_DISCRETE("speed_sum", "1", 0, "integral part of the fuel"),
    WR_DISCRETE("boost_sum", "1", 0, "integral part of the waste-gate trim"),
    WR_ROW(DISCRETE, WR_VALUE("governor", "1", 1, 0, "fuel factor before the step")),
    WR_DISCRETE("is_stepped", "1", 0, "1 after the load step"),
    WR_DISCRETE("wastegate_now", "1", 0, "waste-gate trim"),
    WR_DISCRETE("egr_now", "1", 0, "EGR valve trim"),
    WR_NEEDED("omega", "rad/s", 261.8, "crankshaft speed"),
    WR_NEEDED("p_im", "Pa", 2e5, "measured intake pressure"),
    WR_OUTPUT("fuel_factor", "1", 1, "injected fuel over the fuel of the operating point",
              .flags = WRSIM_DISCONTINUOUS),
    WR_OUTPUT("wastegate_trim", "1", 1, "trim of the waste-gate's command",
              .flags = WRSIM_DISCONTINUOUS),
    WR_OUTPUT("egr_trim", "1", 1, "trim of the EGR valve's command", .flags = WRSIM_DISCONTINUOUS),
};

/* Data of an instance, constant after init(). */
typedef struct controller_data {
    double start_s;
} controller_data;

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(controller_data);
    return WR_DESCRIBE(to, rows, [WRSIM_U_Y] = ".. .. ..");
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x, (void)d;
    ((controller_data *)self->data)->start_s = t_s;
    return 0;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double sample_due(const wrsim_instance *self, double sample)
{
    return ((const controller_data *)self->data)->start_s + sample * self->param[P_SAMPLE];
}

static int has_step(const wrsim_instance *self) { return self->param[P_STEP_SIZE] != 0; }

/* Returns sum + rate. If raw is beyond a limit and rate would move raw further beyond this limit, returns sum. */
static double integrate(double sum, double rate, double raw, double low, double high)
{
    const int is_blocked = (raw > high && rate > 0) || (raw < low && rate < 0);
    return is_blocked ? sum : sum + rate;
}

static void sample(const wrsim_instance *self, const double *u, double *d)
{
    const double *const p = self->param;
    d[D_SAMPLES] += 1;
    d[D_SPEED] += p[P_FILTER] * (u[U_OMEGA] - d[D_SPEED]);

    const double slow = p[P_SPEED] - d[D_SPEED];
    const double fuel = 1 + p[P_SPEED_GAIN] * slow + d[D_SPEED_SUM];
    d[D_SPEED_SUM] = integrate(d[D_SPEED_SUM], p[P_SPEED_RATE] * slow * p[P_SAMPLE], fuel,
                               p[P_FUEL_LOW], p[P_FUEL_HIGH]);
    d[D_GOVERNOR] = clamp(fuel, p[P_FUEL_LOW], p[P_FUEL_HIGH]);

    const double over = u[U_BOOST] - p[P_BOOST], limit = p[P_WASTEGATE_LIMIT];
    const double trim = p[P_BOOST_GAIN] * over + d[D_BOOST_SUM];
    d[D_BOOST_SUM] =
        integrate(d[D_BOOST_SUM], p[P_BOOST_RATE] * over * p[P_SAMPLE], trim, 0.0, limit);
    d[D_WASTEGATE] = clamp(trim, 0.0, limit);
}

/* Returns the fuel factor with the load step. The limits fuel_low and fuel_high apply to the factor before the step only. */
static double fuel_factor(const wrsim_instance *self, const double *d)
{
    const double step = d[D_STEP] > 0.5 ? self->param[P_STEP_SIZE] : 0.0;
    return d[D_GOVERNOR] * (1 + step);
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)x;
    const double *const p = self->param;
    const double slack = time_slack * p[P_SAMPLE];
    if (what->is_initial && d[D_SPEED] == 0)
        d[D_SPEED] = at->u[U_OMEGA]; /* without a start value, the measured speed */
    if (has_step(self) && at->t_s >= p[P_STEP_TIME] - slack)
        d[D_STEP] = 1;
    if (what->is_time_event && at->t_s >= sample_due(self, d[D_SAMPLES] + 1) - slack)
        sample(self, at->u, d);
    const double limit = self->param[P_EGR_LIMIT];
    d[D_EGR] = clamp(-self->param[P_EGR_GAIN] * (fuel_factor(self, d) - 1), -limit, limit);
    return 0;
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    const double *const p = self->param;
    double number = at->d[D_SAMPLES] + 1;
    while (sample_due(self, number) <= at->t_s)
        number += 1; /* skips samples that are not after t_s */
    const double due = sample_due(self, number);
    const int waits = has_step(self) && at->d[D_STEP] < 0.5 && p[P_STEP_TIME] > at->t_s;
    return waits && p[P_STEP_TIME] < due ? p[P_STEP_TIME] : due;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[Y_FUEL] = fuel_factor(self, at->d);
    ret_y[Y_WASTEGATE] = at->d[D_WASTEGATE];
    ret_y[Y_EGR] = at->d[D_EGR];
    return 0;
}

const wrsim_model engine_controller_model = {
    WR_MODEL("engine.controller", "Sampled speed governor and boost control, load steps", params,
             describe),
    .init = init,
    .output = output,
    .event = event,
    .next_time = next_time,
};
