/* A model that fails on demand. Tests of error messages use it.
 *
 * With default parameters the model behaves well: x' = -x + u, s constant. Each parameter *_time is the simulated time
 * at which one fault begins; negative: never. Unlike in a real model, branches depend on the time directly and not on
 * modes, to provoke faults.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>

#include "models/describe.h"

extern const wrsim_model wr_model_test_faulty;

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

#define NEVER (-1.0)
#define FROM_TIME(NAME, TEXT)                                                                      \
    {                                                                                              \
        .name = NAME, .unit = "s", .description = TEXT, .start = NEVER                             \
    }
static const wrsim_variable params[N_PARAM] = {
    [NAN_TIME] = FROM_TIME("nan_time", "time from which rhs() returns NaN; negative: never"),
    [NAN_OUTPUT_TIME] =
        FROM_TIME("nan_output_time", "time from which output() returns NaN; negative: never"),
    [FAIL_TIME] =
        FROM_TIME("fail_time", "time from which rhs() fails with a message; negative: never"),
    [RETRY_TIME] = FROM_TIME("retry_time",
                             "time from which rhs() requests ever smaller steps; negative: never"),
    [CHATTER_TIME] = FROM_TIME(
        "chatter_time",
        "time at which one event starts to trigger the next without end; negative: never"),
    [SLIDE_TIME] = FROM_TIME(
        "slide_time", "time from which s is driven back across its threshold; negative: never"),
    [BLOWUP_TIME] =
        FROM_TIME("blowup_time",
                  "time from which x' = x^2 + 1, which soon becomes infinite; negative: never"),
    [INIT_FAILS] = WR_INTEGER("init_fails", "1", 0, 0.0, 1.0, "1: init() fails"),
    [BURN] = WR_INTEGER("burn", "1", 0, 0.0, 1e9,
                        "number of useless iterations in each rhs(), to slow the model down"),
};
#undef FROM_TIME

static const wrsim_variable states[] = {
    [X] = WR_VALUE("x", "1", 1.0, 1.0, "decays"),
    [S] = WR_VALUE("s", "1", 1e-3, 1e-3, "value that slides along zero from slide_time on"),
};
static const wrsim_variable discretes[] = {
    WR_SIGNAL("flip", "1", 0, "flag that each event 'chatter' flips")};
static const wrsim_variable inputs[] = {WR_SIGNAL("u", "1", 1.0, "input of x")};
static const wrsim_variable outputs[] = {
    WR_SIGNAL("y", "1", 1.0, "x, or NaN from nan_output_time on")};
static const wrsim_variable indicators[] = {
    [Z_CHATTER] = WR_SIGNAL("chatter", "1", 1.0, "indicator that fires again after each event"),
    [Z_SLIDE] = WR_SIGNAL("slide", "1", 1e-3, "sign of s"),
};

static int is_due(const wrsim_instance *self, int which, double t_s)
{
    return self->param[which] >= 0.0 && t_s >= self->param[which];
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) || WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, indicators))
        return -1;
    return WR_DESCRIBE_PATTERNS(to, [WRSIM_X_X] = "x. ..", [WRSIM_U_X] = "x .", [WRSIM_X_Y] = "x.",
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

/* Computes without effect; the compiler cannot remove the loop. */
static void burn(double n_iterations)
{
    volatile double sink = 0.0;
    for (long i = 0; i < (long)n_iterations; i++)
        sink = sink + 1.0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    burn(self->param[BURN]);
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
    /* s is driven back to zero from both sides: the sliding mode that models must avoid. */
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
    else /* its sign changes at each of its events */
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
    WR_MODEL("test.faulty", "fails on demand, for tests of error messages"),
    WR_MODEL_PARAMS(params),
    .describe = describe,
    .init = init,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
    .event = event,
};
