/* LSODA: Adams-Moulton methods, and backward differentiation formulas where the problem is stiff. The method changes by itself (Petzold,
 * "Automatic selection of methods for solving stiff and nonstiff systems of ordinary differential equations", SIAM J. Sci. Stat. Comput. 4,
 * 1983). The rules and constants of steps, orders, iterations and changes of method are those of Hindmarsh and Petzold's solver LSODA
 * (Hindmarsh, "ODEPACK", in "Scientific Computing", 1983; Radhakrishnan and Hindmarsh, "Description and use of LSODE", NASA RP-1327, 1993),
 * unless a comment states another source. The code is wrsim's own.
 *
 * Adams methods use fixed-point iteration with at least two iterations, so that each step measures the Lipschitz constant of f. BDF uses
 * Newton's method (corrector.h). lsoda_choice.h has the choice of method, order and length.
 *
 * Differences from LSODA. A step never passes its stop, and the steps up to a stop have equal lengths. save() copies the history, so a
 * repeated window continues with the order and the step size of its start. If stops have shortened the last steps so that the next step is more
 * than WR_LSODA_GROWTH times as long, the method restarts at order 1. After a discontinuity the method stays, and the Jacobian if it still
 * fits. The first step then has the length that the error control would have chosen for the first step after the last discontinuity.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/lsoda_choice.h"

#include <math.h>
#include <string.h>

/* CALIBRATION: factor on the tolerance, so that the global error is near the tolerance, as with the other methods
 * (docs/lab/2026-11-22-tolerances.md). FINEST_RTOL (assumed) keeps the tolerance above rounding. */
static const double CALIBRATION = 0.03, FINEST_RTOL = 1e-13;

/* Constants of LSODA. */
enum { RESTART_WAIT = 5 };
static const double FAILED_GROWTH = 2.0, RETREAT = 0.25, RESTART_RATIO = 0.1;

/* A step below this share of the step before restarts the method if waveforms drive f (as in cvode.c). */
static const double SUDDEN = 0.01;

/* Data that save() copies, besides the history. */
typedef struct lsoda_state {
    wr_lsoda_plan plan;
    double t_s;
    double before_s; /* length of the columns before the last step */
    double t_old_s;  /* start of the last step; equal to t_s after start() and restore() */
    double first_s;  /* length of the first step after a start; 0: not known */
    int last_order;  /* order of the last step, for dense output */
    int is_fresh;    /* no step since the last start */
    int has_f;       /* f is valid at t_s; only if is_fresh */
    int was_sudden;  /* the last step is far shorter than the step before, and waveforms drive f */
    int was_tiny;    /* the last step has not corrected the higher columns */
} lsoda_state;

typedef struct wr_lsoda {
    wr_integ_stats stats; /* first, because wr_integrator_stats() casts the instance */
    const wr_equations *ode;
    int n_x;
    wr_step_control control; /* tolerances and norm only */
    wr_corrector corrector;  /* its f is the slope at a start */
    wr_lsoda_choice choice;
    double *z, *next; /* [WR_NORDSIECK_COLUMNS * n_x] history now, and after the step */
    double *e_before; /* [n_x] correction of the step before */
    double *e_older;  /* [n_x] e_before at the start of the last step, if the step has changed it */
    lsoda_state before; /* data at the start of the last step; next has its history */
    int can_undo;       /* before is valid */
    int has_new_e;      /* the last step has changed e_before */
    double *x_old;      /* [n_x] state at the start of the last step */
    lsoda_state now, saved;
    double *saved_z, *saved_e, *saved_f;
} wr_lsoda;

static wr_lsoda *self_of(wr_integrator *integrator) { return (wr_lsoda *)(void *)integrator; }

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        wr_corrector_done(&self_of(integrator)->corrector);
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    if (!(options->rtol > 0.0) || !(options->atol_factor >= 0.0))
        return WRSIM_E_ARG;
    const size_t n = (size_t)ode->n_x, n_history = WR_NORDSIECK_COLUMNS * n;
    wr_lsoda *const self = WR_NEW(arena, wr_lsoda);
    if (!self)
        return WRSIM_E_MEMORY;
    self->ode = ode;
    self->n_x = ode->n_x;
    wr_integ_options own = *options;
    own.rtol = wr_max(CALIBRATION * options->rtol, wr_min(options->rtol, FINEST_RTOL));
    wr_step_control_init(&self->control, ode, &own, 2.0, 0.0);
    wr_lsoda_choice_init(&self->choice, &self->corrector, &self->stats, ode->n_x,
                         options->max_order);
    self->now = (lsoda_state){.plan = wr_lsoda_plan_first(), .is_fresh = 1};
    double *const vectors = WR_NEW_ARRAY(arena, double, 3 * n_history + 5 * n);
    if (!vectors)
        return WRSIM_E_MEMORY;
    double **const place_of[] = {&self->z, &self->next, &self->saved_z};
    for (size_t i = 0; i < WR_COUNT_OF(place_of); i++)
        *place_of[i] = vectors + i * n_history;
    double **const place_of_one[] = {&self->e_before, &self->x_old, &self->saved_e, &self->saved_f,
                                     &self->e_older};
    for (size_t i = 0; i < WR_COUNT_OF(place_of_one); i++)
        *place_of_one[i] = vectors + 3 * n_history + i * n;
    WR_TRY(wr_corrector_place(&self->corrector, arena, ode, &self->control, &self->stats,
                              options->linear_solver));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* Returns the norm of v in tolerances between the states of the history and x. */
static double norm(const wr_lsoda *self, const double *v)
{
    return wr_corrector_norm(&self->corrector, self->z, v);
}

/* ---- history ---- */

/* Returns the length of the next step up to the stop. */
static double fit(const wr_lsoda *self, double t_stop_s, int *ret_lands)
{
    return wr_lsoda_fit(&self->now.plan, &self->control, self->now.t_s, t_stop_s, ret_lands);
}

/* Returns the last column that the next step or dense output reads. */
static int last_column(const lsoda_state *at)
{
    return at->plan.order > at->last_order ? at->plan.order : at->last_order;
}

/* Changes the step length of the history and of e_before, which is O(h^(q + 1)). */
static void rescale(wr_lsoda *self, double h_s)
{
    lsoda_state *const now = &self->now;
    const double ratio = h_s / now->plan.length_s;
    if (ratio >= 1.0 && ratio <= 1.0)
        return;
    wr_nordsieck_rescale(self->n_x, last_column(now), ratio, self->z);
    const double scale = pow(ratio, now->plan.order + 1);
    for (int i = 0; i < self->n_x; i++)
        self->e_before[i] *= scale;
    now->plan.length_s = h_s;
}

/* Makes the history of order 1 at the current point from x and f. */
static void begin_order_one(wr_lsoda *self)
{
    const int n = self->n_x;
    for (int i = 0; i < n; i++)
        self->z[n + i] = self->now.plan.length_s * self->corrector.f[i];
    self->now.plan.order = self->now.last_order = 1;
}

/* Evaluates f after a start, finds the first step length, and makes the history. */
static wrsim_status begin(wr_lsoda *self, double t_stop_s)
{
    lsoda_state *const now = &self->now;
    const int code = now->has_f ? 0 : wr_corrector_rhs(&self->corrector, now->t_s, self->z);
    if (code != 0)
        return code < 0 ? WRSIM_E_CALLBACK : self->corrector.is_nan ? WRSIM_E_NAN : WRSIM_E_SOLVER;
    now->has_f = 1;
    if (!(now->first_s > 0.0)) {
        self->control.t_s = now->t_s;
        WR_TRY(wr_step_control_first(&self->control, &self->stats, self->ode, self->z,
                                     self->corrector.f, t_stop_s, self->next));
        now->first_s = self->control.h_s;
    }
    now->plan.wanted_s = now->first_s;
    int lands;
    now->plan.length_s = fit(self, t_stop_s, &lands);
    now->plan.growth = WR_LSODA_GROWTH;
    now->plan.wait = 2;
    begin_order_one(self);
    return WRSIM_OK;
}

/* Begins anew at the current point, whose state is z_0. */
static void restart(wr_lsoda *self)
{
    lsoda_state *const now = &self->now;
    now->t_old_s = now->t_s;
    now->is_fresh = 1;
    now->has_f = now->was_sudden = now->was_tiny = now->plan.is_bound = 0;
    now->plan.order = now->last_order = 1;
    self->can_undo = 0;
    wr_corrector_doubt(&self->corrector);
}

static int start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    wr_lsoda *const self = self_of(integrator);
    const size_t bytes = (size_t)self->n_x * sizeof *x;
    self->stats.n_start++;
    memmove(self->z, x, bytes);
    self->now.t_s = t_s;
    restart(self);
    if (dx)
        memmove(self->corrector.f, dx, bytes);
    else
        memset(self->corrector.f, 0, bytes); /* dense() gives a slope before the first step */
    self->now.has_f = dx != NULL;
    return 0;
}

/* Returns the error of the step in tolerances: of the states, and of outputs computed from states. */
static double estimate(wr_lsoda *self, double t_s)
{
    const wr_equations *const ode = self->ode;
    const double scale = 1.0 / wr_lsoda_order(&self->choice, &self->now.plan)->test[1];
    for (int i = 0; i < self->n_x; i++)
        self->corrector.work[i] = scale * self->corrector.e[i];
    const double error = norm(self, self->corrector.work);
    if (!ode->computed_error || !(error <= 1.0))
        return error;
    const double computed =
        ode->computed_error(ode->self, t_s, self->corrector.x, self->corrector.work) /
        (self->control.rtol * self->control.loosening);
    return isfinite(computed) ? wr_max(error, computed) : error;
}

static wr_lsoda_history history_of(const wr_lsoda *self)
{
    return (wr_lsoda_history){.z = self->z, .e_before = self->e_before};
}

static void swap(double **a, double **b)
{
    double *const old = *a;
    *a = *b;
    *b = old;
}

/* Makes the corrected step the history, and chooses the next steps. If a stop makes a step far shorter than the steps of the history, rounding
 * dominates the correction, and longer steps would amplify the rounding. So the higher columns then keep their predicted values. */
static void accept(wr_lsoda *self, double t_s, double error)
{
    lsoda_state *const now = &self->now;
    const int n = self->n_x, q = now->plan.order;
    const double *const l = wr_lsoda_order(&self->choice, &self->now.plan)->l,
                        h_s = now->plan.length_s;
    self->before = *now;
    self->can_undo = 1;
    self->has_new_e = 0;
    const int is_tiny =
        !now->is_fresh && h_s * WR_LSODA_GROWTH < wr_min(now->before_s, now->plan.wanted_s);
    for (int j = 0; j <= (is_tiny ? 1 : q); j++)
        for (int i = 0; i < n; i++)
            self->next[j * n + i] += l[j] * self->corrector.e[i];
    swap(&self->z, &self->next);
    /* The length that the error control would have chosen for this step. A step that a stop has made far shorter is no measure. */
    if (now->is_fresh && h_s * WR_LSODA_GROWTH >= now->plan.wanted_s)
        now->first_s = h_s * wr_clamp(wr_lsoda_ratio(error, 2.0, 1.2), 0.1, WR_LSODA_GROWTH);
    now->was_sudden =
        self->ode->is_driven && !now->is_fresh && h_s < SUDDEN * (now->t_s - now->t_old_s);
    now->was_tiny = is_tiny;
    now->is_fresh = now->has_f = 0;
    now->t_old_s = now->t_s;
    now->t_s = t_s;
    now->last_order = q;
    self->corrector.now.age += now->plan.method == WR_BDF;
    self->stats.n_step++;
    if (now->plan.method == WR_BDF) {
        self->stats.n_implicit_step++;
        self->stats.implicit_s += h_s;
    } else
        self->stats.explicit_s += h_s;
    if (is_tiny)
        return; /* the error is rounding */
    self->has_new_e = wr_lsoda_choose(&self->choice, &now->plan, history_of(self), error);
    if (self->has_new_e) {
        swap(&self->e_before, &self->e_older);
        memcpy(self->e_before, self->corrector.e, (size_t)n * sizeof *self->corrector.e);
    }
}

/* Chooses the length, and possibly the order, of the next attempt after n_failed rejected errors. Returns 0, or the code of f. */
static int retreat(wr_lsoda *self, double t_s, double error, int n_failed)
{
    lsoda_state *const now = &self->now;
    const double h_s = now->plan.length_s;
    now->plan.growth = FAILED_GROWTH;
    if (n_failed <= 2) {
        wr_lsoda_retreat(&self->choice, &now->plan, history_of(self), error, n_failed);
        return 0;
    }
    const int code = wr_corrector_rhs(&self->corrector, t_s, self->z);
    if (code == 0)
        begin_order_one(self);
    now->plan.wanted_s = RESTART_RATIO * h_s;
    now->plan.wait = RESTART_WAIT;
    return code;
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_lsoda *const self = self_of(integrator);
    lsoda_state *const now = &self->now;
    *ret_t_s = now->t_s;
    if (wr_step_control_is_there(now->t_s, t_stop_s))
        return 0;
    int lands;
    self->can_undo = 0;
    if (now->was_sudden || (!now->is_fresh && !now->was_tiny &&
                            wr_lsoda_outgrows(&now->plan, &self->control, now->t_s, t_stop_s)))
        restart(self);
    if (now->is_fresh)
        WR_TRY(begin(self, t_stop_s));
    memcpy(self->x_old, self->z, (size_t)self->n_x * sizeof *self->z);
    now->before_s = now->plan.length_s;
    for (int n_failed = 0;;) {
        const double wanted_s = fit(self, t_stop_s, &lands),
                     t_s = lands ? t_stop_s : now->t_s + wanted_s;
        const double h_s = t_s - now->t_s; /* the rounding of t_s is part of the step */
        rescale(self, h_s);
        wr_nordsieck_predict(self->n_x, now->plan.order, self->z, self->next);
        const int code = wr_corrector_solve(
            &self->corrector,
            &(wr_corrector_step){.method = now->plan.method,
                                 .order = now->plan.order,
                                 .constants = wr_lsoda_order(&self->choice, &self->now.plan),
                                 .t_s = t_s,
                                 .h_s = h_s,
                                 .start = self->z,
                                 .predicted = self->next});
        const double error = code == 0 ? estimate(self, t_s) : 0.0;
        if (code == 0 && error <= 1.0) {
            accept(self, t_s, error);
            break;
        }
        if (code < 0)
            return WRSIM_E_CALLBACK;
        self->stats.n_rejected++;
        if (code > 0 || !isfinite(error)) {
            now->plan.growth = FAILED_GROWTH;
            now->plan.wanted_s = RETREAT * h_s;
            now->plan.wait = now->plan.order + 1;
        } else if (retreat(self, now->t_s, error, ++n_failed) < 0)
            return WRSIM_E_CALLBACK;
        if (!(now->plan.wanted_s >= wr_step_control_least(&self->control, now->t_s)))
            return self->corrector.is_nan || !isfinite(error) ? WRSIM_E_NAN : WRSIM_E_SOLVER;
    }
    *ret_t_s = now->t_s;
    return 0;
}

/* ---- other operations ---- */

/* Takes the last step back. The Jacobian and the length of a first step stay. */
static void undo(wr_integrator *integrator)
{
    wr_lsoda *const self = self_of(integrator);
    if (!self->can_undo)
        return;
    const double first_s = self->now.first_s;
    self->stats.n_method_change -= self->now.plan.method != self->before.plan.method;
    swap(&self->z, &self->next);
    if (self->has_new_e)
        swap(&self->e_before, &self->e_older);
    self->now = self->before;
    self->now.first_s = first_s;
    self->now.t_old_s = self->now.t_s;
    self->now.last_order = self->now.plan.order;
    self->now.is_fresh = 0; /* z has the slope */
    self->can_undo = 0;
}

static void dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx)
{
    wr_lsoda *const self = self_of(integrator);
    const lsoda_state *const now = &self->now;
    const size_t bytes = (size_t)self->n_x * sizeof *ret_x;
    if (now->is_fresh) {
        if (ret_x)
            memcpy(ret_x, self->z, bytes);
        if (ret_dx)
            memcpy(ret_dx, self->corrector.f, bytes);
        return;
    }
    const double s = (wr_clamp(t_s, now->t_old_s, now->t_s) - now->t_s) / now->plan.length_s;
    wr_nordsieck_eval(self->n_x, now->last_order, self->z, s, ret_x, ret_dx);
    for (int i = 0; ret_dx && i < self->n_x; i++)
        ret_dx[i] /= now->plan.length_s;
    if (ret_x && t_s <= now->t_old_s && now->t_old_s < now->t_s)
        memcpy(ret_x, self->x_old, bytes);
}

/* Keeps the history, because inputs of neighbouring windows agree within the tolerance of the relaxation. At a jump the subsystem calls
 * start(). A slope that start() has received is of the old inputs. */
static void inputs_changed(wr_integrator *integrator, const double *dx)
{
    wr_lsoda *const self = self_of(integrator);
    self->stats.n_rhs += dx != NULL;
    if (!self->now.is_fresh)
        return;
    self->now.has_f = dx != NULL;
    if (dx)
        memmove(self->corrector.f, dx, (size_t)self->n_x * sizeof *dx);
}

static void save(wr_integrator *integrator)
{
    wr_lsoda *const self = self_of(integrator);
    const size_t bytes = (size_t)self->n_x * sizeof *self->z;
    const int last = last_column(&self->now);
    self->saved = self->now;
    wr_corrector_save(&self->corrector);
    memcpy(self->saved_z, self->z, (size_t)(last + 1) * bytes);
    memcpy(self->saved_e, self->e_before, bytes);
    memcpy(self->saved_f, self->corrector.f, bytes);
}

static void restore(wr_integrator *integrator)
{
    wr_lsoda *const self = self_of(integrator);
    const size_t bytes = (size_t)self->n_x * sizeof *self->z;
    const int last = last_column(&self->saved);
    self->now = self->saved;
    self->can_undo = 0;
    wr_corrector_restore(&self->corrector);
    self->now.t_old_s = self->now.t_s;
    memcpy(self->z, self->saved_z, (size_t)(last + 1) * bytes);
    memcpy(self->e_before, self->saved_e, bytes);
    memcpy(self->corrector.f, self->saved_f, bytes);
}

static void state_scalars(lsoda_state *at, wr_state_io *io)
{
    WR_STATE(io, at->t_s);
    WR_STATE(io, at->plan.wanted_s);
    WR_STATE(io, at->plan.length_s);
    WR_STATE(io, at->before_s);
    WR_STATE(io, at->t_old_s);
    WR_STATE(io, at->first_s);
    WR_STATE(io, at->plan.growth);
    const int method = (int)wr_state_count(io, at->plan.method, WR_NORDSIECK_METHODS - 1);
    const int order = (int)wr_state_count(io, at->plan.order, WR_ADAMS_ORDER);
    const int last_order = (int)wr_state_count(io, at->last_order, WR_ADAMS_ORDER);
    if (wr_state_reads(io)) {
        at->plan.method = method;
        at->plan.order = order;
        at->last_order = last_order;
    }
    WR_STATE(io, at->plan.wait);
    WR_STATE(io, at->plan.change_wait);
    WR_STATE(io, at->is_fresh);
    WR_STATE(io, at->has_f);
    WR_STATE(io, at->was_sudden);
    WR_STATE(io, at->was_tiny);
    WR_STATE(io, at->plan.is_bound);
}

static void state(wr_integrator *integrator, wr_state_io *io)
{
    wr_lsoda *const self = self_of(integrator);
    const int n = self->n_x, n_history = WR_NORDSIECK_COLUMNS * n;
    WR_STATE(io, self->stats);
    state_scalars(&self->now, io);
    state_scalars(&self->saved, io);
    WR_STATE_ARRAY(io, self->z, n_history);
    WR_STATE_ARRAY(io, self->saved_z, n_history);
    double *const vector[] = {self->e_before, self->saved_e, self->saved_f, self->x_old};
    for (size_t i = 0; i < WR_COUNT_OF(vector); i++)
        WR_STATE_ARRAY(io, vector[i], n);
    wr_corrector_state_io(&self->corrector, io);
}

static void loosen(wr_integrator *integrator, double factor)
{
    self_of(integrator)->control.loosening = wr_max(factor, 1.0);
}

const wr_integrator_ops wr_integ_lsoda = {
    .name = "lsoda",
    .help =
        "Adams methods of order 1 to 12, or BDF of order 1 to 5 where stiff, chosen while running",
    .order = WR_ADAMS_ORDER,
    .dense_order = WR_ADAMS_ORDER,
    .loosest_rtol = 3e-5,
    .flags = WR_INTEG_STIFF | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_ORDERS,
    .family = {"Adams methods", "BDF"},
    .place = place,
    .destroy = destroy,
    .start = start,
    .step = step,
    .undo = undo,
    .dense = dense,
    .inputs_changed = inputs_changed,
    .save = save,
    .restore = restore,
    .state = state,
    .loosen = loosen,
};
