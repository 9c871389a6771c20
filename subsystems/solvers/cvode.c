/* The module 'sundials': CVODE's BDF and Adams methods (Hindmarsh et al., "SUNDIALS", ACM TOMS 31, 2005) as integrators.
 *
 * Each instance has a SUNContext, so instances share nothing. CVODE makes single steps with a stop time. BDF uses Newton's method with the
 * Jacobian of jac_color.h, Adams uses fixed-point iteration.
 *
 * Newton's method keeps the Jacobian over events, windows and rollbacks, although CVODE asks for another one after each start. After a start
 * one directional derivative shows up to which gamma the kept Jacobian serves the matrix I - gamma J (wr_jac_color_fits()).
 *
 * A multistep method cannot return to an earlier point, so start() and restore() begin at order 1. The length of the first step follows from
 * the error of the first step after the last start, which is of order 1, too (cvode_error.h). With a length for a high order, CVODE would
 * reject the step several times.
 *
 * CVODE counts time from the last start. Beside a large time the rounding of CVODE's sums of steps would be an error in short steps.
 *
 * Thread: one at a time. Real-time: no (SUNDIALS gives no guarantee; KLU allocates).
 */
#include <cvode/cvode.h>
#include <math.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/module.h"
#include "subsystems/solvers/cvode.h"
#include "subsystems/solvers/cvode_error.h"
#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/shifted_matrix.h"
#include "subsystems/solvers/step_control.h"
#include "subsystems/solvers/sundials.h"

/* Largest number of failures of one step. CVODE's limit of 7 is too small at the foot of a spike (problem OREGO;
 * docs/lab/2026-11-22-tolerances.md). Each later failure divides the step by at most 10. The least step ends the attempts if the step
 * cannot succeed. */
static const int MAX_ERROR_FAILURES = 20;

/* LEAST_STEP: least step relative to time (integrator.h). NAN_DISTANCE: largest distance of a failure from a value that is not finite, as a
 * share of |t| or of the first step, if longer (assumed). */
static const double LEAST_STEP = 1e-14, NAN_DISTANCE = 1e-6;

/* Largest ratio of the lengths of steps 2 to 10 after a start (docs/lab/2026-11-28-lsoda.md). With CVODE's ratio of 10 the first step of
 * order 2 mostly fails. */
static const double EARLY_GROWTH = 3.0;
/* Largest error of the nonlinear iteration, as a share of the error of a step (docs/lab/2026-11-28-lsoda.md). CVODE's default is 0.1. */
static const double ITERATION_SHARE = 0.2;

/* The method restarts after a step below this share (assumed) of the step before. A waveform of another subsystem may have begun a course
 * that the history does not contain. Polynomials of high order through such uneven points have errors far above their estimates. */
static const double SUDDEN = 0.01;

/* Counters of CVODE since its last start; their differences count a step. */
typedef struct wr_cvode_counts {
    long n_setup, n_error_fail, n_newton, n_solve_fail;
} wr_cvode_counts;

typedef struct wr_cvode {
    union {
        wr_integ_stats stats;
        wr_cvode_head head; /* first member */
    };
    const wr_equations *ode;
    int n_x, is_sparse;
    double least_step_s;
    wr_cvode_error control;
    /* SUNDIALS */
    void *cvode;
    wr_sundials its; /* its.other: a view of arrays of the caller */
    /* Jacobian */
    wr_jac_color *jac;
    double *jacobian; /* [n_nonzero] */
    int has_jacobian; /* jacobian has values */
    int may_keep;     /* the next matrix takes the kept Jacobian if it fits */
    double fits_to_s; /* largest gamma for which the Jacobian fits (wr_jac_color_fits()) */
    /* Present point and last step. */
    double origin_s; /* time of the last start, CVODE's time zero */
    double t_s, t_old_s;
    double *x_old, *f_start; /* [n_x] start of the last step; slope at a start */
    double *error;           /* [n_x] work */
    int is_fresh;            /* no step since the last start */
    int has_f;               /* f_start is f at the present point; only if is_fresh */
    int was_sudden; /* the last step is below SUDDEN of the step before, so the method restarts */
    int met_fatal;  /* f failed fatally since the last start */
    double nan_t_s; /* time of the last value that is not finite */
    wr_cvode_counts counts;
    int64_t
        n_change; /* number of steps and starts; equals saved_n_change if restore() has no effect */
    /* Data of the last save(). */
    double saved_t_s;
    double *saved_x;
    int64_t saved_n_change;
} wr_cvode;

static const wr_integrator_ops bdf_ops, adams_ops;

static wr_cvode *self_of(wr_integrator *integrator) { return (wr_cvode *)(void *)integrator; }

static int rhs(realtype t_cvode_s, N_Vector y, N_Vector ydot, void *user)
{
    wr_cvode *const self = user;
    const double t_s = self->origin_s + t_cvode_s;
    double *const dx = N_VGetArrayPointer_Serial(ydot);
    if (self->met_fatal)
        return -1;
    const double *const x = N_VGetArrayPointer_Serial(y);
    const size_t bytes = (size_t)self->n_x * sizeof *x;
    if (self->has_f && t_s >= self->t_s && t_s <= self->t_s && memcmp(x, self->x_old, bytes) == 0) {
        memcpy(dx, self->f_start, bytes);
        return 0;
    }
    self->stats.n_rhs++;
    const int code = self->ode->rhs(self->ode->self, t_s, x, dx);
    if (code < 0)
        self->met_fatal =
            1; /* without this flag fixed-point iteration would continue with a smaller step */
    if (code == 0 && !wr_step_control_is_finite(self->n_x, dx)) {
        self->nan_t_s = t_s;
        return 1;
    }
    return code;
}

static int eval_jacobian(wr_cvode *self, double t_s, const double *x, const double *f)
{
    self->has_jacobian = 0;
    const int code = wr_jac_color_eval(self->jac, &self->stats, t_s, x, f, self->jacobian);
    if (code != 0)
        return code;
    if (!wr_step_control_is_finite(self->ode->pattern->n_nonzero, self->jacobian)) {
        self->nan_t_s = t_s;
        return 1;
    }
    self->has_jacobian = 1;
    self->fits_to_s = (double)INFINITY;
    return 0;
}

/* Makes the matrix I - gamma J of Newton's method. may_reuse: CVODE sees no reason for a new Jacobian J. Sets *ret_is_new for a new
 * Jacobian. */
static int make_matrix(realtype t_cvode_s, N_Vector y, N_Vector fy, SUNMatrix matrix,
                       booleantype may_reuse, booleantype *ret_is_new, realtype gamma_s, void *user,
                       N_Vector work1, N_Vector work2, N_Vector work3)
{
    (void)work1, (void)work2, (void)work3;
    wr_cvode *const self = user;
    const double t_s = self->origin_s + t_cvode_s;
    const double *const x = N_VGetArrayPointer_Serial(y), *const f = N_VGetArrayPointer_Serial(fy);
    if (self->may_keep && self->has_jacobian) {
        const wr_jac_point at = {t_s, x, f, wr_cvode_error_unit(&self->control, x)};
        self->fits_to_s = wr_jac_color_fits(self->jac, &self->stats, &at, self->jacobian);
        if (self->fits_to_s < 0.0)
            return -1;
        may_reuse = 1;
    }
    self->may_keep = 0;
    *ret_is_new = !may_reuse || !self->has_jacobian || gamma_s > self->fits_to_s;
    const int code = *ret_is_new ? eval_jacobian(self, t_s, x, f) : 0;
    if (code != 0)
        return code;
    wr_sundials_fill(&self->its, self->jacobian, matrix);
    return SUNMatScaleAddI(-gamma_s, matrix);
}

static void free_sundials(wr_cvode *self)
{
    if (self->cvode)
        CVodeFree(&self->cvode);
    wr_sundials_free(&self->its);
}

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        free_sundials(self_of(integrator));
}

/* CVODE calls this function in each step, but applies changes of CVodeSVtolerances() at its next start only. */
static int error_weights(N_Vector y, N_Vector weight, void *user)
{
    const wr_cvode *const self = user;
    return wr_cvode_error_weights(&self->control, N_VGetArrayPointer_Serial(y),
                                  N_VGetArrayPointer_Serial(weight));
}

static int make_newton(wr_cvode *self, wr_arena *arena)
{
    wr_sundials *const its = &self->its;
    if (wr_sundials_linear(its, arena, self->ode->pattern, self->is_sparse) != 0 ||
        CVodeSetLinearSolver(self->cvode, its->linear, its->matrix) != 0)
        return -1;
    return CVodeSetLinSysFn(self->cvode, make_matrix);
}

static int make_fixed_point(wr_cvode *self)
{
    wr_sundials *const its = &self->its;
    its->nonlinear = SUNNonlinSol_FixedPoint(its->y, 0, its->context);
    return its->nonlinear ? CVodeSetNonlinearSolver(self->cvode, its->nonlinear) : -1;
}

static int make_sundials(wr_cvode *self, wr_arena *arena, int method,
                         const wr_integ_options *options)
{
    if (wr_sundials_begin(&self->its, self->n_x) != 0)
        return -1;
    self->its.other = N_VNewEmpty_Serial(self->n_x, self->its.context);
    self->cvode = CVodeCreate(method, self->its.context);
    if (!self->its.other || !self->cvode)
        return -1;
    N_VConst(0.0, self->its.y);
    void *const cvode = self->cvode;
    if (CVodeSetErrHandlerFn(cvode, wr_sundials_silence, NULL) != 0 ||
        CVodeInit(cvode, rhs, 0.0, self->its.y) != 0 || CVodeSetUserData(cvode, self) != 0 ||
        CVodeWFtolerances(cvode, error_weights) != 0 ||
        CVodeSetMaxStep(cvode, options->step_s) != 0 ||
        CVodeSetMaxErrTestFails(cvode, MAX_ERROR_FAILURES) != 0 ||
        CVodeSetEtaMaxEarlyStep(cvode, EARLY_GROWTH) != 0 ||
        CVodeSetNonlinConvCoef(cvode, ITERATION_SHARE) != 0)
        return -1;
    const int highest = method == CV_BDF ? bdf_ops.order : adams_ops.order;
    if (options->max_order > 0 && options->max_order < highest &&
        CVodeSetMaxOrd(cvode, options->max_order) != 0)
        return -1;
    return method == CV_BDF ? make_newton(self, arena) : make_fixed_point(self);
}

static wrsim_status place_arrays(wr_cvode *self, wr_arena *arena)
{
    const wr_equations *const ode = self->ode;
    const size_t n = (size_t)self->n_x;
    double *const vectors = WR_NEW_ARRAY(arena, double, 4 * n);
    self->jac = wr_jac_color_place(arena, ode);
    self->jacobian = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    if (!vectors || !self->jac || !self->jacobian)
        return WRSIM_E_MEMORY;
    self->x_old = vectors;
    self->f_start = vectors + n;
    self->saved_x = vectors + 2 * n;
    self->error = vectors + 3 * n;
    return WRSIM_OK;
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          int method, wr_integrator **ret_integrator)
{
    wr_cvode *const self = WR_NEW(arena, wr_cvode);
    if (!self)
        return WRSIM_E_MEMORY;
    self->head.ops = method == CV_BDF ? &bdf_ops : &adams_ops;
    self->ode = ode;
    self->n_x = ode->n_x;
    self->is_sparse = method == CV_BDF && wr_shifted_is_sparse(options->linear_solver, ode->n_x);
    if (self->is_sparse && !WR_SUNDIALS_KLU)
        return WRSIM_E_CONFIG; /* the caller gives the reason: the module 'klu' is missing */
    self->least_step_s = options->min_step_s;
    self->nan_t_s = -(double)INFINITY;
    WR_TRY(wr_cvode_error_place(&self->control, arena, ode, options));
    WR_TRY(place_arrays(self, arena));
    if (make_sundials(self, arena, method, options) != 0) {
        free_sundials(self);
        return WRSIM_E_MEMORY;
    }
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

static wrsim_status place_bdf(wr_arena *arena, const wr_equations *ode,
                              const wr_integ_options *options, wr_integrator **ret_integrator)
{
    return place(arena, ode, options, CV_BDF, ret_integrator);
}

static wrsim_status place_adams(wr_arena *arena, const wr_equations *ode,
                                const wr_integ_options *options, wr_integrator **ret_integrator)
{
    return place(arena, ode, options, CV_ADAMS, ret_integrator);
}

/* Restarts at order 1 at (t, x). */
static int begin(wr_cvode *self, double t_s, const double *x)
{
    double *const y = N_VGetArrayPointer_Serial(self->its.y);
    memmove(y, x, (size_t)self->n_x * sizeof *x);
    memcpy(self->x_old, y, (size_t)self->n_x * sizeof *y);
    self->origin_s = self->t_s = self->t_old_s = t_s;
    self->is_fresh = 1;
    self->has_f = 0;
    memset(self->f_start, 0, (size_t)self->n_x * sizeof *self->f_start);
    self->was_sudden = 0;
    self->met_fatal = 0;
    self->may_keep = 1;
    self->n_change++;
    self->counts = (wr_cvode_counts){0, 0, 0, 0};
    return CVodeReInit(self->cvode, 0.0, self->its.y) == 0 ? 0 : WRSIM_E_SOLVER;
}

static int start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    wr_cvode *const self = self_of(integrator);
    self->stats.n_start++;
    const int code = begin(self, t_s, x);
    if (dx)
        memcpy(self->f_start, dx, (size_t)self->n_x * sizeof *dx);
    self->has_f = dx != NULL;
    return code;
}

/* Adds the counts of CVODE during a step to the statistics. */
static void count(wr_cvode *self)
{
    wr_cvode_counts now = self->counts;
    (void)CVodeGetNumLinSolvSetups(self->cvode, &now.n_setup); /* these calls fail on NULL only */
    (void)CVodeGetNumErrTestFails(self->cvode, &now.n_error_fail);
    (void)CVodeGetNumNonlinSolvIters(self->cvode, &now.n_newton);
    (void)CVodeGetNumStepSolveFails(self->cvode, &now.n_solve_fail);
    wr_integ_stats *const stats = &self->stats;
    stats->n_factor += now.n_setup - self->counts.n_setup;
    stats->factor_flop += self->its.factor_flop * (double)(now.n_setup - self->counts.n_setup);
    stats->n_newton += now.n_newton - self->counts.n_newton;
    stats->n_rejected +=
        now.n_error_fail - self->counts.n_error_fail + now.n_solve_fail - self->counts.n_solve_fail;
    self->counts = now;
}

/* Returns the status of a failure of CVODE at t: WRSIM_E_NAN if values near t are not finite, else WRSIM_E_SOLVER. */
static wrsim_status failure(const wr_cvode *self, double t_s)
{
    const double close_s = NAN_DISTANCE * wr_max(fabs(t_s), self->control.now.first_step_s);
    return fabs(self->nan_t_s - t_s) <= close_s ? WRSIM_E_NAN : WRSIM_E_SOLVER;
}

static wrsim_status status_of(const wr_cvode *self, int code)
{
    switch (code) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN:
        return WRSIM_OK;
    case CV_RHSFUNC_FAIL:
    case CV_LSETUP_FAIL:
        return WRSIM_E_CALLBACK;
    case CV_MEM_FAIL:
        return WRSIM_E_MEMORY;
    default:
        return failure(self, self->t_s);
    }
}

/* Limits the first step to the stop, because CVODE requires this limit. */
static int fit_first_step(wr_cvode *self, double t_stop_s)
{
    const double left_s = t_stop_s - self->t_s;
    return CVodeSetInitStep(self->cvode, wr_min(wr_cvode_error_first(&self->control), left_s));
}

/* Returns the estimated errors of the states in the last step; NULL: unknown. */
static const double *last_error(wr_cvode *self)
{
    N_VSetArrayPointer_Serial(self->error, self->its.other);
    return CVodeGetEstLocalErrors(self->cvode, self->its.other) == 0 ? self->error : NULL;
}

static long step_count(const wr_cvode *self)
{
    long n = 0;
    (void)CVodeGetNumSteps(self->cvode, &n); /* the call fails on NULL only */
    return n;
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_cvode *const self = self_of(integrator);
    const double *const y = N_VGetArrayPointer_Serial(self->its.y);
    if (wr_step_control_is_there(self->t_s, t_stop_s)) {
        *ret_t_s = self->t_s;
        return 0;
    }
    if (self->was_sudden)
        WR_TRY(begin(self, self->t_s, y));
    if (self->is_fresh)
        wr_cvode_error_before_first(&self->control, self->t_s, y);
    const double least_s = wr_max(self->least_step_s, LEAST_STEP * fabs(self->t_s));
    if ((self->is_fresh && fit_first_step(self, t_stop_s) != 0) ||
        CVodeSetMinStep(self->cvode, least_s) != 0 ||
        CVodeSetStopTime(self->cvode, t_stop_s - self->origin_s) != 0)
        return WRSIM_E_SOLVER;
    memcpy(self->x_old, y, (size_t)self->n_x * sizeof *y);
    double t_cvode_s = self->t_s - self->origin_s;
    const long n_before = step_count(self);
    int code = CVode(self->cvode, t_stop_s - self->origin_s, self->its.y, &t_cvode_s, CV_ONE_STEP);
    /* CVODE may end a step some roundings past a stop. The next call then returns that stop without a step. The code makes only one more
     * call, because dense output covers the last step only. */
    if (code == CV_SUCCESS && step_count(self) == n_before)
        code = CVode(self->cvode, t_stop_s - self->origin_s, self->its.y, &t_cvode_s, CV_ONE_STEP);
    count(self);
    self->n_change++; /* a failed step also moves CVODE from the saved point */
    if (self->met_fatal)
        return WRSIM_E_CALLBACK;
    WR_TRY(status_of(self, code));
    const double t_s = self->origin_s + t_cvode_s;
    const int landed = code == CV_TSTOP_RETURN || wr_step_control_is_there(t_s, t_stop_s);
    /* Before a point at which f is not defined, CVODE's steps shrink without end. */
    if (!landed && t_s - self->t_s < 0.5 * least_s) /* times are rounded */
        return failure(self, t_s);
    if (self->is_fresh)
        wr_cvode_error_note_first(&self->control, t_s - self->t_s, y, last_error(self));
    self->was_sudden = !self->is_fresh && t_s - self->t_s < SUDDEN * (self->t_s - self->t_old_s);
    self->is_fresh = self->has_f = 0;
    self->stats.n_step++;
    self->t_old_s = self->t_s;
    self->t_s = landed ? t_stop_s : t_s;
    *ret_t_s = self->t_s;
    wr_cvode_error_after(&self->control, self->t_s, y, last_error(self));
    return 0;
}

/* Writes the k-th derivative at t into ret. The times of CVODE differ from t by rounding. */
static void derivative(wr_cvode *self, double t_s, int k, double *ret)
{
    double t_cvode_s = t_s - self->origin_s, h_s = 0.0;
    (void)CVodeGetCurrentTime(self->cvode, &t_cvode_s); /* the calls fail on NULL only */
    (void)CVodeGetLastStep(self->cvode, &h_s);
    N_VSetArrayPointer_Serial(ret, self->its.other);
    (void)CVodeGetDky(self->cvode, wr_clamp(t_s - self->origin_s, t_cvode_s - h_s, t_cvode_s), k,
                      self->its.other);
}

static void dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx)
{
    wr_cvode *const self = self_of(integrator);
    const size_t bytes = (size_t)self->n_x * sizeof *ret_x;
    if (ret_dx && self->is_fresh)
        memcpy(ret_dx, self->f_start, bytes);
    else if (ret_dx)
        derivative(self, t_s, 1, ret_dx);
    if (!ret_x)
        return;
    if (self->is_fresh || t_s >= self->t_s)
        memcpy(ret_x, N_VGetArrayPointer_Serial(self->its.y), bytes);
    else if (t_s <= self->t_old_s)
        memcpy(ret_x, self->x_old, bytes);
    else
        derivative(self, t_s, 0, ret_x);
}

/* Keeps the history, because inputs of neighbouring windows agree within the tolerance of the relaxation. At a jump the subsystem calls
 * start(). */
static void inputs_changed(wr_integrator *integrator, const double *dx)
{
    (void)dx;
    self_of(integrator)->has_f = 0;
}

static void save(wr_integrator *integrator)
{
    wr_cvode *const self = self_of(integrator);
    memcpy(self->saved_x, N_VGetArrayPointer_Serial(self->its.y),
           (size_t)self->n_x * sizeof *self->saved_x);
    self->saved_t_s = self->t_s;
    self->control.saved = self->control.now;
    self->saved_n_change = self->n_change;
}

static void restore(wr_integrator *integrator)
{
    wr_cvode *const self = self_of(integrator);
    if (self->n_change == self->saved_n_change)
        return;
    self->control.now = self->control.saved;
    (void)begin(self, self->saved_t_s,
                self->saved_x); /* CVODE has accepted these arguments before */
    /* The present point is the saved point, so restore() before the next step has no effect. */
    self->saved_n_change = self->n_change;
}

static void loosen(wr_integrator *integrator, double factor)
{
    self_of(integrator)->control.loosened = wr_max(factor, 1.0);
}

#define OPERATIONS                                                                                 \
    .destroy = destroy, .start = start, .step = step, .dense = dense,                              \
    .inputs_changed = inputs_changed, .save = save, .restore = restore, .loosen = loosen

static const wr_integrator_ops bdf_ops = {WR_CVODE_BDF, .place = place_bdf, OPERATIONS};
static const wr_integrator_ops adams_ops = {WR_CVODE_ADAMS, .place = place_adams, OPERATIONS};

static const wr_cvode_ops ops = {.bdf = &bdf_ops, .adams = &adams_ops};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
