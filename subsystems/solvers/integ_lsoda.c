/* LSODA: Adams-Moulton methods, and backward differentiation formulas where the problem is stiff. The method changes by itself (Petzold,
 * "Automatic selection of methods for solving stiff and nonstiff systems of ordinary differential equations", SIAM J. Sci. Stat. Comput. 4,
 * 1983). The rules and constants of steps, orders, iterations and changes of method are those of Hindmarsh and Petzold's solver LSODA
 * (Hindmarsh, "ODEPACK", in "Scientific Computing", 1983; Radhakrishnan and Hindmarsh, "Description and use of LSODE", NASA RP-1327, 1993),
 * unless a comment states another source. The code is wrsim's own.
 *
 * Adams methods use fixed-point iteration with at least two iterations, so that each step measures the Lipschitz constant of f. This
 * constant limits the steps to the region of stability. BDF uses Newton's method (corrector.h). A change from Adams to BDF pays if the steps
 * become longer by the factor PAYS.
 *
 * Differences from LSODA. A step never passes its stop, and the steps up to a stop have equal lengths. save() copies the history, so a
 * repeated window continues with the order and the step size of its start. If stops have shortened the last steps so that the next step is more
 * than GROWTH times as long, the method restarts at order 1. After a discontinuity the method stays, and the Jacobian if it still fits. The first
 * step then has the length that the error control would have chosen for the first step after the last discontinuity.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/corrector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* CALIBRATION: factor on the tolerance, so that the global error is near the tolerance, as with the other methods
 * (docs/lab/2026-11-22-tolerances.md). FINEST_RTOL (assumed) keeps the tolerance above rounding. */
static const double CALIBRATION = 0.03, FINEST_RTOL = 1e-13;

/* Constants of LSODA. */
enum { CHANGE_WAIT = 20, NO_CHANGE_WAIT = 3, RESTART_WAIT = 5 };
static const double GROWTH = 10.0, FAILED_GROWTH = 2.0;
static const double LEAST_GROWTH = 1.1, RETREAT = 0.25, LATE_RATIO = 0.2, RESTART_RATIO = 0.1;
static const double PAYS = 5.0;
/* Largest product of step and Lipschitz constant at which the Adams method of an order is stable. */
static const double STABLE[WR_NORDSIECK_COLUMNS] = {0.0,  0.5,  0.575, 0.55,  0.45, 0.35, 0.25,
                                                    0.20, 0.15, 0.10,  0.075, 0.05, 0.025};

/* STRETCH: largest factor by which a step may be longer than the error control chose, to reach a stop (as step_control.h). MOST_EQUAL
 * (assumed): number of steps up to a stop above which no rest needs care. */
static const double STRETCH = 1.05, MOST_EQUAL = 1e6;
/* Least step relative to time and in s; a step below the share SUDDEN of the step before restarts the method if waveforms drive f. All as
 * in the other methods (step_control.c, cvode.c). */
static const double LEAST_STEP = 1e-14, LEAST_STEP_S = 1e-30, SUDDEN = 0.01;

enum { LOWER, SAME, HIGHER, N_CHOICE };

/* Data that save() copies, besides the history. */
typedef struct lsoda_state {
    double t_s, wanted_s; /* time; length of the next step that the error control has chosen */
    double length_s;      /* step length h of the columns of the history */
    double before_s;      /* length_s before the last step */
    double t_old_s;       /* start of the last step; equal to t_s after start() and restore() */
    double first_s;       /* length of the first step after a start; 0: not known */
    double growth;        /* largest ratio of the next change of the step length */
    int method, order;
    int last_order;  /* order of the last step, for dense output */
    int wait;        /* number of steps before the next choice of order and length */
    int change_wait; /* number of steps before the next choice of the method */
    int is_fresh;    /* no step since the last start */
    int has_f;       /* f is valid at t_s; only if is_fresh */
    int was_sudden;  /* the last step is far shorter than the step before, and waveforms drive f */
    int was_tiny;    /* the last step has not corrected the higher columns */
    int is_bound;    /* stability limits the length of Adams steps */
} lsoda_state;

typedef struct wr_lsoda {
    wr_integ_stats stats; /* first, because wr_integrator_stats() casts the instance */
    const wr_equations *ode;
    int n_x, highest[WR_NORDSIECK_METHODS];
    wr_step_control control; /* tolerances and norm only */
    wr_nordsieck_table table;
    wr_corrector corrector; /* its f is the slope at a start */
    double *z, *next;       /* [WR_NORDSIECK_COLUMNS * n_x] history now, and after the step */
    double *e_before;       /* [n_x] correction of the step before */
    double *e_older; /* [n_x] e_before at the start of the last step, if the step has changed it */
    lsoda_state before; /* data at the start of the last step; next has its history */
    int can_undo;       /* before is valid */
    int has_new_e;      /* the last step has changed e_before */
    double *x_old;      /* [n_x] state at the start of the last step */
    lsoda_state now, saved;
    double *saved_z, *saved_e, *saved_f;
} wr_lsoda;

static wr_lsoda *self_of(wr_integrator *integrator) { return (wr_lsoda *)(void *)integrator; }

static const wr_nordsieck_order *order_of(const wr_lsoda *self)
{
    return &self->table.of[self->now.method][self->now.order];
}

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        wr_corrector_done(&self_of(integrator)->corrector);
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    static const int most[] = {[WR_ADAMS] = WR_ADAMS_ORDER, [WR_BDF] = WR_BDF_ORDER};
    if (!(options->rtol > 0.0) || !(options->atol_factor >= 0.0))
        return WRSIM_E_ARG;
    const size_t n = (size_t)ode->n_x, n_history = WR_NORDSIECK_COLUMNS * n;
    wr_lsoda *const self = WR_NEW(arena, wr_lsoda);
    if (!self)
        return WRSIM_E_MEMORY;
    self->ode = ode;
    self->n_x = ode->n_x;
    for (int k = 0; k < WR_NORDSIECK_METHODS; k++)
        self->highest[k] =
            options->max_order > 0 && options->max_order < most[k] ? options->max_order : most[k];
    wr_integ_options own = *options;
    own.rtol = wr_max(CALIBRATION * options->rtol, wr_min(options->rtol, FINEST_RTOL));
    wr_step_control_init(&self->control, ode, &own, 2.0, 0.0);
    wr_nordsieck_fill(&self->table);
    self->now =
        (lsoda_state){.method = WR_ADAMS, .order = 1, .change_wait = CHANGE_WAIT, .is_fresh = 1};
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

/* ---- lengths of steps ---- */

static double least_step(const wr_lsoda *self)
{
    return self->control.min_step_s > 0.0 ? self->control.min_step_s
                                          : wr_max(LEAST_STEP * fabs(self->now.t_s), LEAST_STEP_S);
}

/* Returns the length of the next step: equal steps up to the stop, as long as the error control allows. */
static double fit(const wr_lsoda *self, double t_stop_s, int *ret_lands)
{
    const double left_s = t_stop_s - self->now.t_s, max_s = self->control.max_step_s;
    double wanted_s = max_s > 0.0 ? wr_min(self->now.wanted_s, max_s) : self->now.wanted_s;
    if (!(self->now.t_s + wanted_s > self->now.t_s))
        wanted_s = least_step(self);
    const double n = left_s / wanted_s;
    const double allowed = max_s > 0.0 && left_s > max_s ? 1.0 + 1e-9 : STRETCH;
    *ret_lands = n <= allowed;
    return *ret_lands ? left_s : n > MOST_EQUAL ? wanted_s : left_s / ceil(n * (1.0 - 1e-9));
}

/* Returns the last column that the next step or dense output reads. */
static int last_column(const lsoda_state *at)
{
    return at->order > at->last_order ? at->order : at->last_order;
}

/* Changes the step length of the history and of e_before, which is O(h^(q + 1)). */
static void rescale(wr_lsoda *self, double h_s)
{
    lsoda_state *const now = &self->now;
    const double ratio = h_s / now->length_s;
    if (ratio >= 1.0 && ratio <= 1.0)
        return;
    wr_nordsieck_rescale(self->n_x, last_column(now), ratio, self->z);
    const double scale = pow(ratio, now->order + 1);
    for (int i = 0; i < self->n_x; i++)
        self->e_before[i] *= scale;
    now->length_s = h_s;
}

/* Returns the largest step of the present Adams method of an order at which the method is stable, s. */
static double stable_length(const wr_lsoda *self, int order)
{
    return STABLE[order] / wr_max(self->corrector.now.lipschitz, 1e-6 / self->now.length_s);
}

/* ---- history ---- */

/* Makes the history of order 1 at the current point from x and f. */
static void begin_order_one(wr_lsoda *self)
{
    const int n = self->n_x;
    for (int i = 0; i < n; i++)
        self->z[n + i] = self->now.length_s * self->corrector.f[i];
    self->now.order = self->now.last_order = 1;
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
    now->wanted_s = now->first_s;
    int lands;
    now->length_s = fit(self, t_stop_s, &lands);
    now->growth = GROWTH;
    now->wait = 2;
    begin_order_one(self);
    return WRSIM_OK;
}

/* Begins anew at the current point, whose state is z_0. */
static void restart(wr_lsoda *self)
{
    lsoda_state *const now = &self->now;
    now->t_old_s = now->t_s;
    now->is_fresh = 1;
    now->has_f = now->was_sudden = now->was_tiny = now->is_bound = 0;
    now->order = now->last_order = 1;
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

/* ---- order, length and method of the next steps ---- */

/* Returns the ratio of step lengths at which an error in tolerances becomes 1 with a margin, for an error of O(h^power). */
static double ratio_for(double error, double power, double margin)
{
    return 1.0 / (margin * pow(error, 1.0 / power) + 1e-6 * margin);
}

/* Chooses the order and the ratio of lengths by the error of the last step, in tolerances. has_failed: the step was rejected, so the order
 * cannot rise. Returns the ratio. */
static double choose_order(wr_lsoda *self, double error, int has_failed, int *ret_order)
{
    lsoda_state *const now = &self->now;
    const wr_nordsieck_order *const order = order_of(self);
    const int q = now->order, n = self->n_x;
    double ratio[N_CHOICE] = {0.0};
    ratio[SAME] = ratio_for(error, q + 1, 1.2);
    if (q > 1)
        ratio[LOWER] = ratio_for(norm(self, &self->z[q * n]) / order->test[LOWER], q, 1.3);
    if (!has_failed && q < self->highest[now->method]) {
        for (int i = 0; i < n; i++)
            self->corrector.work[i] = self->corrector.e[i] - self->e_before[i];
        ratio[HIGHER] =
            ratio_for(norm(self, self->corrector.work) / order->test[HIGHER], q + 2, 1.4);
    }
    if (now->method == WR_ADAMS) {
        for (int k = 0; k < N_CHOICE; k++)
            if (q - 1 + k >= 1 && q - 1 + k <= WR_ADAMS_ORDER)
                ratio[k] = wr_min(ratio[k], stable_length(self, q - 1 + k) / now->length_s);
        self->corrector.now.lipschitz_max = 0.0;
    }
    int best = ratio[SAME] >= ratio[LOWER] ? SAME : LOWER;
    if (ratio[HIGHER] > ratio[best])
        best = HIGHER;
    *ret_order = q - 1 + best;
    return ratio[best];
}

/* Limits a ratio of lengths, and makes it the ratio of the next step. */
static void take_ratio(wr_lsoda *self, double ratio)
{
    lsoda_state *const now = &self->now;
    ratio = wr_min(ratio, now->growth);
    if (now->method == WR_ADAMS) {
        const double stable = stable_length(self, now->order) / now->length_s;
        now->is_bound = ratio * 1.00001 >= stable;
        ratio = wr_min(ratio, stable);
    }
    now->wanted_s = now->length_s * ratio;
    now->wait = now->order + 1;
}

/* Chooses order and length after an accepted step. A step that a stop has shortened does not shorten the next steps. */
static void choose_next(wr_lsoda *self, double error)
{
    lsoda_state *const now = &self->now;
    const int n = self->n_x, q = now->order;
    int order;
    const double ratio = wr_min(choose_order(self, error, 0, &order), now->growth);
    const int is_stable_limit = now->method == WR_ADAMS &&
                                ratio * now->length_s * 1.00001 >= stable_length(self, order) &&
                                ratio < LEAST_GROWTH;
    if (ratio * now->length_s < LEAST_GROWTH * now->wanted_s && !is_stable_limit) {
        now->wait = NO_CHANGE_WAIT;
        return;
    }
    if (order > q) {
        const double scale = order_of(self)->l[q] / (q + 1);
        for (int i = 0; i < n; i++)
            self->z[order * n + i] = scale * self->corrector.e[i];
    }
    now->order = order;
    take_ratio(self, ratio);
    now->growth = GROWTH;
}

/* Returns the ratio of errors of the two methods at an order, Adams over BDF. */
static double error_ratio(const wr_lsoda *self, int q)
{
    const wr_nordsieck_order *const adams = &self->table.of[WR_ADAMS][q], *const bdf =
                                                                              &self->table
                                                                                   .of[WR_BDF][q];
    return adams->test[SAME] * adams->l[q] / (bdf->test[SAME] * bdf->l[q]);
}

static void change_method(wr_lsoda *self, int method, int order, double ratio)
{
    lsoda_state *const now = &self->now;
    now->method = method;
    now->order = order;
    now->change_wait = CHANGE_WAIT;
    self->corrector.now.lipschitz = 0.0;
    self->corrector.now.is_due = 1;
    self->stats.n_method_change++;
    take_ratio(self, ratio);
    now->growth = GROWTH;
}

/* Changes from Adams to BDF if steps of BDF would be PAYS times as long. Returns whether the method has changed. */
static int leave_adams(wr_lsoda *self, double error)
{
    lsoda_state *const now = &self->now;
    const int q = now->order, most = self->highest[WR_BDF], order = q < most ? q : most;
    double own = 0.0, other = 2.0;
    if (error > 100.0 * DBL_EPSILON && self->corrector.now.lipschitz_max > 0.0) {
        own = ratio_for(error, q + 1, 1.2);
        const double h_l = self->corrector.now.lipschitz * now->length_s;
        own = wr_min(own, h_l * own > 1e-5 ? STABLE[q] / h_l : 2.0 * own);
        const wr_nordsieck_order *const bdf = &self->table.of[WR_BDF][order];
        const double error_bdf = q > most ? norm(self, &self->z[(most + 1) * self->n_x]) /
                                                (bdf->test[SAME] * bdf->l[most])
                                          : error * error_ratio(self, q);
        other = ratio_for(error_bdf, order + 1, 1.2);
    } else if (!now->is_bound)
        return 0; /* the error is rounding, and stability does not limit the step */
    if (other < PAYS * own)
        return 0;
    change_method(self, WR_BDF, order, other);
    return 1;
}

/* Changes from BDF to Adams if steps of Adams would be at least as long, PAYS times shorter steps included. Returns whether the method has
 * changed. */
static int leave_bdf(wr_lsoda *self, double error)
{
    lsoda_state *const now = &self->now;
    const int q = now->order;
    const double error_adams = error / error_ratio(self, q);
    double own = ratio_for(error, q + 1, 1.2), other = ratio_for(error_adams, q + 1, 1.2);
    const double h_l = self->corrector.now.jacobian_norm * now->length_s;
    other = wr_min(other, h_l * other > 1e-5 ? STABLE[q] / h_l : 2.0 * other);
    if (other * PAYS < PAYS * own)
        return 0;
    const double least = pow(wr_max(0.001, other), 1.0 / (q + 1)) * error_adams;
    if (least <= 1000.0 * DBL_EPSILON * norm(self, self->z))
        return 0;
    change_method(self, WR_ADAMS, q, other);
    return 1;
}

/* Returns the error of the step in tolerances: of the states, and of outputs computed from states. */
static double estimate(wr_lsoda *self, double t_s)
{
    const wr_equations *const ode = self->ode;
    const double scale = 1.0 / order_of(self)->test[SAME];
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
    const int n = self->n_x, q = now->order;
    const double *const l = order_of(self)->l, h_s = now->length_s;
    self->before = *now;
    self->can_undo = 1;
    self->has_new_e = 0;
    const int is_tiny = !now->is_fresh && h_s * GROWTH < wr_min(now->before_s, now->wanted_s);
    for (int j = 0; j <= (is_tiny ? 1 : q); j++)
        for (int i = 0; i < n; i++)
            self->next[j * n + i] += l[j] * self->corrector.e[i];
    swap(&self->z, &self->next);
    /* The length that the error control would have chosen for this step. A step that a stop has made far shorter is no measure. */
    if (now->is_fresh && h_s * GROWTH >= now->wanted_s)
        now->first_s = h_s * wr_clamp(ratio_for(error, 2.0, 1.2), 0.1, GROWTH);
    now->was_sudden =
        self->ode->is_driven && !now->is_fresh && h_s < SUDDEN * (now->t_s - now->t_old_s);
    now->was_tiny = is_tiny;
    now->is_fresh = now->has_f = 0;
    now->t_old_s = now->t_s;
    now->t_s = t_s;
    now->last_order = q;
    self->corrector.now.age += now->method == WR_BDF;
    self->stats.n_step++;
    if (now->method == WR_BDF) {
        self->stats.n_implicit_step++;
        self->stats.implicit_s += h_s;
    } else
        self->stats.explicit_s += h_s;
    if (is_tiny)
        return; /* the error is rounding */
    now->change_wait -= now->change_wait >= 0;
    now->wait--;
    if (now->change_wait < 0 &&
        (now->method == WR_ADAMS ? leave_adams(self, error) : leave_bdf(self, error)))
        ;
    else if (now->wait <= 0)
        choose_next(self, error);
    else if (now->wait == 1) {
        self->has_new_e = 1;
        swap(&self->e_before, &self->e_older);
        memcpy(self->e_before, self->corrector.e, (size_t)n * sizeof *self->corrector.e);
    }
}

/* Chooses the length, and possibly the order, of the next attempt after n_failed rejected errors. Returns 0, or the code of f. */
static int retreat(wr_lsoda *self, double t_s, double error, int n_failed)
{
    lsoda_state *const now = &self->now;
    const double h_s = now->length_s;
    now->growth = FAILED_GROWTH;
    if (n_failed <= 2) {
        int order;
        double ratio = wr_min(1.0, choose_order(self, error, 1, &order));
        ratio = n_failed == 2 ? wr_min(ratio, LATE_RATIO) : ratio;
        now->order = order;
        take_ratio(self, ratio);
        return 0;
    }
    const int code = wr_corrector_rhs(&self->corrector, t_s, self->z);
    if (code == 0)
        begin_order_one(self);
    now->wanted_s = RESTART_RATIO * h_s;
    now->wait = RESTART_WAIT;
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
                            fit(self, t_stop_s, &lands) > GROWTH * STRETCH * now->length_s))
        restart(self);
    if (now->is_fresh)
        WR_TRY(begin(self, t_stop_s));
    memcpy(self->x_old, self->z, (size_t)self->n_x * sizeof *self->z);
    now->before_s = now->length_s;
    for (int n_failed = 0;;) {
        const double h_s = fit(self, t_stop_s, &lands), t_s = lands ? t_stop_s : now->t_s + h_s;
        rescale(self, h_s);
        wr_nordsieck_predict(self->n_x, now->order, self->z, self->next);
        const int code =
            wr_corrector_solve(&self->corrector, &(wr_corrector_step){.method = now->method,
                                                                      .order = now->order,
                                                                      .constants = order_of(self),
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
            now->growth = FAILED_GROWTH;
            now->wanted_s = RETREAT * h_s;
            now->wait = now->order + 1;
        } else if (retreat(self, now->t_s, error, ++n_failed) < 0)
            return WRSIM_E_CALLBACK;
        if (!(now->wanted_s >= least_step(self)))
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
    self->stats.n_method_change -= self->now.method != self->before.method;
    swap(&self->z, &self->next);
    if (self->has_new_e)
        swap(&self->e_before, &self->e_older);
    self->now = self->before;
    self->now.first_s = first_s;
    self->now.t_old_s = self->now.t_s;
    self->now.last_order = self->now.order;
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
    const double s = (wr_clamp(t_s, now->t_old_s, now->t_s) - now->t_s) / now->length_s;
    wr_nordsieck_eval(self->n_x, now->last_order, self->z, s, ret_x, ret_dx);
    for (int i = 0; ret_dx && i < self->n_x; i++)
        ret_dx[i] /= now->length_s;
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
    WR_STATE(io, at->wanted_s);
    WR_STATE(io, at->length_s);
    WR_STATE(io, at->before_s);
    WR_STATE(io, at->t_old_s);
    WR_STATE(io, at->first_s);
    WR_STATE(io, at->growth);
    const int method = (int)wr_state_count(io, at->method, WR_NORDSIECK_METHODS - 1);
    const int order = (int)wr_state_count(io, at->order, WR_ADAMS_ORDER);
    const int last_order = (int)wr_state_count(io, at->last_order, WR_ADAMS_ORDER);
    if (wr_state_reads(io)) {
        at->method = method;
        at->order = order;
        at->last_order = last_order;
    }
    WR_STATE(io, at->wait);
    WR_STATE(io, at->change_wait);
    WR_STATE(io, at->is_fresh);
    WR_STATE(io, at->has_f);
    WR_STATE(io, at->was_sudden);
    WR_STATE(io, at->was_tiny);
    WR_STATE(io, at->is_bound);
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
    .loosest_rtol = 1e-4,
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
