/* A model that fails on demand, for tests of error messages.
 *
 * With default parameters the model is sound: x' = -x + u, and the state s is constant. Each parameter *_time is the simulated time at
 * which one fault begins; negative: never. Unlike in a real model, branches depend on the time directly and not on
 * modes, to provoke faults.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/describe.h"

enum {
    NAN_TIME,
    NAN_OUTPUT_TIME,
    FAIL_TIME,
    RETRY_TIME,
    CHATTER_TIME,
    SLIDE_TIME,
    BLOWUP_TIME,
    INIT_FAILS,
    BURN,
    N_PARAM
};
enum { X, S };
enum { Z_CHATTER, Z_SLIDE };

/* Simulated time of a fault, s; negative: never. */
#define FROM_TIME(NAME, TEXT) WR_PARAM(NAME, "s", -1, 0, 0, TEXT "; negative: never")
static const wrsim_variable params[N_PARAM] = {
    [NAN_TIME] = FROM_TIME("nan_time", "time from which rhs() returns NaN"),
    [NAN_OUTPUT_TIME] = FROM_TIME("nan_output_time", "time from which output() returns NaN"),
    [FAIL_TIME] = FROM_TIME("fail_time", "time from which rhs() fails with a message"),
    [RETRY_TIME] = FROM_TIME("retry_time", "time from which rhs() requests ever smaller steps"),
    [CHATTER_TIME] =
        FROM_TIME("chatter_time", "time at which one event starts to trigger the next without end"),
    [SLIDE_TIME] = FROM_TIME("slide_time", "time from which s is driven back across its threshold"),
    [BLOWUP_TIME] =
        FROM_TIME("blowup_time", "time from which x' = x^2 + 1, which soon becomes infinite"),
    [INIT_FAILS] = WR_INTEGER("init_fails", "1", 0, 0.0, 1.0, "1: init() fails"),
    [BURN] = WR_INTEGER("burn", "1", 0, 0.0, 1e9,
                        "number of useless iterations in each rhs(), to slow the model down"),
};
#undef FROM_TIME

static const wr_row rows[] = {
    WR_STATE("x", "1", 1.0, 1.0, "decays"),
    WR_STATE("s", "1", 1e-3, 1e-3, "value that slides along zero from slide_time on"),
    WR_DISCRETE("flip", "1", 0, "flag that each event 'chatter' flips"),
    WR_INPUT("u", "1", 1.0, "input of x"),
    WR_OUTPUT("y", "1", 1.0, "x, or NaN from nan_output_time on"),
    WR_INDICATOR("chatter", "1", 1.0, "indicator that fires again after each event"),
    WR_INDICATOR("slide", "1", 1e-3, "sign of s"),
};

static int is_due(const wrsim_instance *self, int which, double t_s)
{
    return self->param[which] >= 0.0 && t_s >= self->param[which];
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE(to, rows, [WRSIM_X_X] = "x. ..", [WRSIM_U_X] = "x .", [WRSIM_X_Y] = "x.",
                       [WRSIM_U_Y] = ".", [WRSIM_X_Z] = ".. .x", [WRSIM_U_Z] = ". .",
                       [WRSIM_Z_D] = "x.", [WRSIM_D_X] = ". .", [WRSIM_D_Z] = "x .");
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s;
    (void)x;
    (void)d;
    if (self->param[INIT_FAILS] > 0.5) {
        self->message = "init() fails, because init_fails is 1";
        return -1;
    }
    return 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    volatile double sink = 0.0;
    for (long i = 0; i < (long)self->param[BURN]; i++)
        sink = sink + 1.0;
    if (is_due(self, FAIL_TIME, at->t_s)) {
        self->message = "rhs() fails from fail_time on";
        return -1;
    }
    if (is_due(self, RETRY_TIME, at->t_s)) {
        self->message = "rhs() needs a smaller step from retry_time on";
        return 1;
    }
    const double x = at->x[X];
    ret_dx[X] = is_due(self, BLOWUP_TIME, at->t_s) ? x * x + 1.0 : -x + at->u[0];
    if (is_due(self, NAN_TIME, at->t_s))
        ret_dx[X] = (double)NAN;
    /* The derivative drives s back to zero from both sides: the sliding mode that models must avoid. */
    ret_dx[S] = !is_due(self, SLIDE_TIME, at->t_s) ? 0.0 : at->mode[Z_SLIDE] ? -1.0 : 1.0;
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = is_due(self, NAN_OUTPUT_TIME, at->t_s) ? (double)NAN : at->x[X];
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double t_chatter_s = self->param[CHATTER_TIME];
    if (t_chatter_s < 0.0)
        ret_z[Z_CHATTER] = 1.0;
    else /* the indicator changes its sign at each of its events */
        ret_z[Z_CHATTER] = at->d[0] > 0.5 ? 1.0 : t_chatter_s - at->t_s;
    ret_z[Z_SLIDE] = at->x[S];
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->fired[Z_CHATTER] != 0)
        d[0] = 1.0 - d[0];
    return 0;
}

const wrsim_model wr_model_test_faulty = {
    WR_MODEL("test.faulty", "model that fails on demand, for tests of error messages", params,
             describe),
    .init = init,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
    .event = event,
};
