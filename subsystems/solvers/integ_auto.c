/* Chooses the method with the least counted work: an explicit pair or a Rosenbrock method.
 *
 * At intervals of steps, up to four further evaluations of f estimate the largest eigenvalue l of df/dx (spectrum.h). If the steps of
 * an explicit pair repeatedly fill the extent of its stability region in the direction of l, stability limits the steps. The
 * integrator then chooses the pair with the largest extent per evaluation, or tries an implicit method. The implicit method stays while its
 * work per simulated time is below the work of the best pair. This work assumes the present steps, or shorter steps that l requires.
 * (Detection as in Hairer, Wanner, "Solving ODEs II", IV.2. The estimate of Hairer and Wanner needs two stages at one time, which bs32
 * lacks, and covers the real axis only. The region of dopri54 extends to 3.3 on the real axis, but to 1.0 on the imaginary axis.)
 *
 * A trial of a method pays if the method needs less work per simulated time than the method before. A trial begins with the step that would
 * just pay, so a trial without a gain is short. The next trial then waits twice as long. Trials also compare RODAS and the W-method, at
 * equal error of the run.
 *
 * Explicit pairs are rk43 and a second pair: bs32, or dopri54 for tolerances below TIGHT. If waveforms of other subsystems drive f, rk43
 * is the only pair. Implicit methods are RODAS and the W-method. If a Jacobian takes many evaluations, the first trial is of the W-method.
 * No decision reads a clock. save() and restore() cover all data of decisions, so the choice is the same for repeated sweeps and any number
 * of workers.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/counted_work.h"
#include "subsystems/solvers/one_step.h"
#include "subsystems/solvers/rosenbrock.h"
#include "subsystems/solvers/spectrum.h"

#include <math.h>
#include <string.h>

/* Methods: explicit pairs first, then implicit methods. The integrator places only methods that the problem may use. */
enum { PAIR, STEADY, RODAS, W_METHOD, N_METHOD, NONE = -1 };

/* Tolerance below which dopri54 needs fewer evaluations of f than bs32 for the same error of the run. At 1e-4 bs32 needs 1 to 1.6 times the
 * evaluations of dopri54 for equal errors on problems that are not stiff (docs/lab/2026-11-25-solver-auto.md). */
static const double TIGHT = 3e-4;
/* Number of colours from which on auto tries the W-method, which keeps its Jacobian, first (docs/lab/2026-11-22-solver-auto.md). RODAS
 * makes 7 + colours evaluations of f per step. The W-method makes 4 evaluations and seldom a Jacobian, but about 2.5 times as many
 * steps. */
enum { MANY_COLOURS = 8 };
/* Steps between two estimates (assumed): LOOK_FIRST at first and after signs of stiffness, LOOK_LAST at most, LOOK_IMPLICIT if implicit. */
enum { LOOK_FIRST = 10, LOOK_LAST = 160, LOOK_IMPLICIT = 20 };
/* Number of successive estimates for a decision. DECIDE_STIFF: with an explicit pair. DECIDE_NOT: with an implicit method (assumed). */
enum { DECIDE_STIFF = 3, DECIDE_NOT = 2 };
/* Steps without a trial after a trial or an implicit method without a gain, or after a trial of one implicit method against the other.
 * WAIT_FIRST: at first. WAIT_LAST: at most (assumed). */
enum { WAIT_FIRST = 100, WAIT_LAST = 10000 };
/* Shares of the interval of stability. Stability limits steps that are longer than the share HITS (docs/lab/2026-11-22-solver-auto.md).
 * Steps that stability limits have the share FILLS on average. */
static const double HITS = 0.6, FILLS = 0.8;
/* Below the damping ratio LIGHTLY errors outlast many steps and add up. At 0.1, errors fall by a quarter in a step of rk43 that stability
 * limits. At the stability limit an explicit step errs by less than the tolerance, an implicit step by up to the tolerance. So an
 * implicit method must then need less work by the factor WORTH (docs/lab/2026-11-25-solver-auto.md). */
static const double LIGHTLY = 0.1, WORTH = 3.0;
/* In a trial, steps that grow by less than the factor GROWS have reached their size. TOO_SHORT successive steps that are too short to pay
 * end the trial (docs/lab/2026-11-25-solver-auto.md). */
static const double GROWS = 2.0;
enum { TOO_SHORT = 4 };

/* Error of a run divided by the tolerance and by the number of steps, relative to RODAS. In 114 pairs of runs this ratio of the W-method
 * has the median 3.6, and the upper quartile 9 (docs/lab/2026-11-25-solver-auto.md). */
static const double ERROR_PER_STEP[N_METHOD] = {[RODAS] = 1.0, [W_METHOD] = 9.0};
/* The solution lacks a mode if the mode at full size would have an error above this number of tolerances in the accepted steps
 * (docs/lab/2026-11-25-solver-auto.md). */
static const double ABSENT = 100.0;

/* An explicit pair: evaluations per step, stability function ("Solving ODEs II", IV.2), and leading term of the error estimate. This term
 * is error_factor (h l)^error_order x for x' = l x. */
typedef struct explicit_pair {
    const wr_integrator_ops *ops;
    double n_stage, error_factor, error_order;
    int degree;
    double r[7];
} explicit_pair;

enum { LOOSE, SMOOTH, DRIVEN };
static const explicit_pair PAIRS[] = {
    [LOOSE] = {&wr_integ_bs32, 3.0, 1.0 / 48, 3.0, 3, {1.0, 1.0, 1.0 / 2, 1.0 / 6}},
    [SMOOTH] = {&wr_integ_dopri54,
                6.0,
                97.0 / 120000,
                5.0,
                6,
                {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 600}},
    [DRIVEN] = {&wr_integ_rk43, 4.0, 1.0 / 72, 4.0, 4, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24}},
};

/* Data of decisions, all saved. */
typedef struct wr_auto_state {
    int i_method;
    int n_step;    /* number of steps since the last begin_count() */
    double span_s; /* length of the n_step steps */
    double work;   /* work of the n_step steps, in evaluations of f */
    double next_s; /* sum of the step lengths that the error control chooses after each step */
    int interval;  /* steps between estimates */
    int n_look;    /* number of successive estimates for a change of method */
    int n_wait;    /* number of steps without a trial from the present on */
    int wait_next; /* number of steps of the next wait */
    int has_paid;  /* the implicit method has needed less work than the explicit pairs */
    int i_next;    /* implicit method of the next trial */
    /* The present trial. */
    int i_before;         /* method that the trial competes with; NONE: no trial */
    double rate_before;   /* work per second of method i_before */
    double step_before_s; /* mean step of method i_before, s */
    int is_cut;           /* stops shorten the steps of method i_before */
    int n_short;          /* number of successive steps that are too short to pay */
    int has_settled;      /* the steps of the trial have reached their size */
    double
        h_s; /* length of the last step, s; 0: judge() has used the step, or a trial has just begun */
} wr_auto_state;

typedef struct wr_auto {
    wr_integ_stats stats; /* first, because wr_integrator_stats() casts the instance */
    const wr_equations *ode;
    const wr_integrator_ops *ops[N_METHOD];
    wr_integrator *method[N_METHOD];  /* NULL: not placed */
    const explicit_pair *pair[RODAS]; /* [PAIR, STEADY] the explicit pairs; NULL: not placed */
    wr_counted_work algebra;
    double
        least_work[N_METHOD]; /* least work of a step of an implicit method, in evaluations of f */
    wr_spectrum spectrum;
    int64_t n_rhs,
        n_switch; /* number of evaluations for estimates, and of switches of the method; stats includes these counts */
    double explicit_s, implicit_s; /* simulated time in all sweeps, s; stats includes these times */
    unsigned used;                 /* set of methods whose statistics may differ from zero */
    double loosening;              /* the last factor of loosen(); NaN: not known */
    wr_auto_state now, saved;
} wr_auto;

static wr_auto *self_of(wr_integrator *integrator) { return (wr_auto *)(void *)integrator; }

static wr_integrator *method_of(const wr_auto *self) { return self->method[self->now.i_method]; }

static const wr_integrator_ops *ops_of(const wr_auto *self)
{
    return self->ops[self->now.i_method];
}

static int is_implicit(int i_method) { return i_method >= RODAS; }

static int other_implicit(int i_method) { return i_method == RODAS ? W_METHOD : RODAS; }

#define ADD_COUNTER(type, name, text) sum.name += a->name;

/* Sums the statistics of all methods and of the evaluations for estimates. */
static void sum_stats(wr_auto *self)
{
    wr_integ_stats sum = {.n_rhs = self->n_rhs,
                          .n_start = -self->n_switch,
                          .n_method_change = self->n_switch,
                          .explicit_s = self->explicit_s,
                          .implicit_s = self->implicit_s};
    for (int i = 0; i < N_METHOD; i++) {
        if (!self->method[i] || !(self->used >> i & 1U))
            continue;
        const wr_integ_stats *const a = wr_integrator_stats(self->method[i]);
        const double largest = wr_max(sum.unchecked_error, a->unchecked_error);
        WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_NOTHING, ADD_COUNTER)
        sum.unchecked_error = largest;
        sum.n_implicit_step += is_implicit(i) ? a->n_step : 0;
        sum.n_solve += a->n_solve;
        sum.n_refit += a->n_refit;
    }
    self->stats = sum;
}

static void destroy(wr_integrator *integrator)
{
    if (!integrator)
        return;
    wr_auto *const self = self_of(integrator);
    for (int i = RODAS; i < N_METHOD; i++)
        if (self->method[i])
            self->ops[i]->destroy(self->method[i]);
}

/* Chooses the explicit pairs, and the implicit method of the first trial. If waveforms drive f, the pair is rk43. dopri54 has no stage
 * between 0.3 and 0.8 of its long steps. So its error estimate misses the course of a waveform in this interval. At equal error rk43 also
 * needs less work than bs32 (docs/lab/2026-11-22-solver-auto.md). */
static wrsim_status choose_methods(wr_auto *self, wr_arena *arena, const wr_integ_options *options)
{
    int *const colour = WR_NEW_ARRAY(arena, int, self->ode->n_x);
    const int n_colour = self->ode->jacobian ? 1
                         : colour            ? wr_sparsity_colour(self->ode->pattern, colour)
                                             : -1;
    if (n_colour < 0)
        return WRSIM_E_MEMORY;
    const int pair = self->ode->is_driven ? DRIVEN : options->rtol >= TIGHT ? LOOSE : SMOOTH;
    self->pair[PAIR] = &PAIRS[pair];
    self->pair[STEADY] = pair != DRIVEN ? &PAIRS[DRIVEN] : NULL;
    for (int i = 0; i < RODAS; i++)
        self->ops[i] = self->pair[i] ? self->pair[i]->ops : NULL;
    self->ops[RODAS] = &wr_integ_rosenbrock;
    self->ops[W_METHOD] = &wr_integ_rosenbrock_w;
    self->now.i_next = n_colour >= MANY_COLOURS ? W_METHOD : RODAS;
    self->algebra = wr_counted_work_of(self->ode, options->linear_solver);
    /* RODAS evaluates f, df/dt and five stages; the W-method evaluates three stages and f. */
    self->least_work[RODAS] = 7.0 + n_colour + self->algebra.factor + 6.0 * self->algebra.solve;
    self->least_work[W_METHOD] = 4.0 + 7.0 * self->algebra.solve;
    return WRSIM_OK;
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    wr_auto *const self = WR_NEW(arena, wr_auto);
    if (!self)
        return WRSIM_E_MEMORY;
    self->ode = ode;
    self->used = 1U << PAIR;
    self->loosening = (double)NAN;
    self->now = (wr_auto_state){.interval = LOOK_FIRST, .wait_next = WAIT_FIRST, .i_before = NONE};
    WR_TRY(wr_spectrum_place(&self->spectrum, arena, ode));
    WR_TRY(choose_methods(self, arena, options));
    for (int i = 0; i < N_METHOD; i++)
        if (self->ops[i])
            WR_TRY(self->ops[i]->place(arena, ode, options, &self->method[i]));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* ---- the choice ---- */

static void begin_count(wr_auto *self)
{
    self->now.n_step = 0;
    self->now.span_s = self->now.work = self->now.next_s = 0.0;
}

static wrsim_status change(wr_auto *self, int to_method, double next_s)
{
    const wr_one_step *const from = wr_one_step_of(method_of(self));
    const double t_s = from->control.t_s;
    self->now.i_method = to_method;
    self->used |= 1U << to_method;
    self->n_switch++;
    wr_one_step *const to = wr_one_step_of(method_of(self));
    const double *const f = from->has_f ? from->f : NULL;
    if (to_method == W_METHOD)
        wr_rosenbrock_w_forget(method_of(self));
    wr_step_control_forget(&to->control, next_s);
    begin_count(self);
    self->now.n_look = 0;
    self->now.interval = is_implicit(to_method) ? LOOK_IMPLICIT : LOOK_FIRST;
    return ops_of(self)->start(method_of(self), t_s, from->x, f) == 0 ? WRSIM_OK : WRSIM_E_SOLVER;
}

static int twice(int n, int n_max) { return 2 * n < n_max ? 2 * n : n_max; }

/* Returns the steps per second that stability alone requires of explicit pair i. */
static double stable_rate(const wr_auto *self, int i)
{
    const explicit_pair *const pair = self->pair[i];
    const wr_spectrum_scalars *const largest = &self->spectrum.now;
    if (largest->size_per_s <= 0.0) /* the scan of wr_spectrum_reach() would change nothing */
        return 0.0;
    return largest->size_per_s /
           (FILLS * wr_spectrum_reach(pair->r, pair->degree, largest->cosine));
}

/* Returns the explicit pair with the least work per second, *ret_work. rate: steps per second that accuracy requires. If stability allows
 * this rate, the function returns PAIR. */
static int best_explicit(const wr_auto *self, double rate, double *ret_work)
{
    const double stable = stable_rate(self, PAIR),
                 work = self->pair[PAIR]->n_stage * wr_max(rate, stable);
    *ret_work = work;
    if (stable <= rate || !self->method[STEADY])
        return PAIR;
    const double steady = self->pair[STEADY]->n_stage * wr_max(rate, stable_rate(self, STEADY));
    *ret_work = wr_min(work, steady);
    return steady < work ? STEADY : PAIR;
}

/* Returns whether close stops make steps much shorter than the tolerance allows. */
static int is_cut(const wr_auto *self) { return self->now.next_s > GROWS * self->now.span_s; }

/* Returns the factor on the work of an implicit method in a comparison with explicit pairs. */
static double handicap(const wr_auto *self)
{
    return self->spectrum.now.cosine < LIGHTLY ? WORTH : 1.0;
}

/* Begins a trial of another method, with the step that would just pay. A method that needs steps shorter than this step does not pay. */
static wrsim_status begin_trial(wr_auto *self, int i_method)
{
    wr_auto_state *const now = &self->now;
    now->i_before = now->i_method;
    now->rate_before = now->work / now->span_s;
    now->step_before_s = now->span_s / now->n_step;
    now->is_cut = is_cut(self);
    now->n_short = now->has_settled = 0;
    now->h_s = 0.0;
    const double counts = is_implicit(now->i_before) ? 1.0 : handicap(self);
    return change(self, i_method, counts * self->least_work[i_method] / now->rate_before);
}

/* Returns whether a mode of the largest eigenvalue would have an error far above the tolerance with steps of h. */
static int is_smoother(const wr_auto *self, double h_s)
{
    const explicit_pair *const pair = self->pair[self->now.i_method];
    const double rtol = wr_one_step_of(method_of(self))->control.rtol;
    return pair->error_factor * pow(h_s * self->spectrum.now.size_per_s, pair->error_order) >
           ABSENT * rtol;
}

/* If stability limits the steps, changes to the explicit pair with the least work per second. On the imaginary axis rk43 makes 1.4 |l|
 * evaluations per second, dopri54 6 |l|. If PAIR needs less work than STEADY again, changes to PAIR. If no pair needs less work, or the
 * solution lacks the mode of the eigenvalue (is_smoother()), begins a trial of an implicit method. The trial waits until n_wait is 0. Each
 * decision needs several successive estimates. */
static wrsim_status look_at_explicit(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    const double mean_s = now->span_s / now->n_step, rate = now->work / now->span_s;
    const double pair_work = self->pair[PAIR]->n_stage * stable_rate(self, PAIR);
    const int is_limited = mean_s * stable_rate(self, now->i_method) > HITS / FILLS;
    const int is_free = !is_limited && now->i_method == STEADY && pair_work < FILLS * rate;
    double work = 0.0;
    if (!is_limited && !is_free && !is_smoother(self, mean_s)) {
        now->interval = now->n_look > 0 ? LOOK_FIRST : twice(now->interval, LOOK_LAST);
        now->n_look = 0;
        return WRSIM_OK;
    }
    if (++now->n_look < DECIDE_STIFF) {
        now->interval = LOOK_FIRST;
        return WRSIM_OK;
    }
    if (is_free)
        return change(self, PAIR, mean_s);
    const int best = best_explicit(self, 0.0, &work);
    if (is_limited && best != now->i_method && FILLS * rate > work)
        return change(self, best, mean_s);
    if (now->n_wait > 0) {
        now->interval = twice(now->interval, LOOK_LAST);
        return WRSIM_OK;
    }
    now->has_paid = 0;
    return begin_trial(self, now->i_next);
}

/* Keeps an implicit method while the method needs less work than the best explicit pair. Begins a trial of the other implicit method at
 * intervals. No trial begins if stops prevent longer steps and a step of the other method needs more work. */
static wrsim_status look_at_implicit(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    const double rate = now->n_step / now->span_s;
    double work = 0.0;
    const int best = best_explicit(self, rate, &work);
    if (handicap(self) * now->work / now->span_s < work) {
        const int other = other_implicit(now->i_method);
        const int is_dear = is_cut(self) && self->least_work[other] * now->n_step > now->work;
        now->has_paid = 1;
        now->n_look = 0;
        return now->n_wait == 0 && !is_dear ? begin_trial(self, other) : WRSIM_OK;
    }
    if (++now->n_look < DECIDE_NOT)
        return WRSIM_OK;
    now->n_wait = now->has_paid ? 0 : now->wait_next;
    now->wait_next = now->has_paid ? WAIT_FIRST : twice(now->wait_next, WAIT_LAST);
    if (!now->has_paid)
        now->i_next = other_implicit(now->i_method);
    return change(self, best, self->pair[best]->n_stage / work);
}

/* ---- a trial ---- */

/* Returns the work per second of the trial's method at the accuracy of the method before the trial. A step of h takes `work`. Errors of
 * steps add up, and each is proportional to the tolerance, so the error of a run is ERROR_PER_STEP / h. At equal error, steps may be longer
 * by the ratio of these errors to the power of 1 / q. q + 1 is the order of the error estimate. This formula is invalid against an explicit
 * pair that stability limits, and with close stops. */
static double rate_at_equal_error(const wr_auto *self, double work, double h_s)
{
    const wr_auto_state *const now = &self->now;
    const double q = wr_one_step_of(method_of(self))->control.error_order - 1.0;
    if (!is_implicit(now->i_before))
        return handicap(self) * work / h_s;
    if (now->is_cut)
        return work / h_s;
    const double own = ERROR_PER_STEP[now->i_method] / h_s;
    const double other = ERROR_PER_STEP[now->i_before] / now->step_before_s;
    return work / h_s * pow(own / other, 1.0 / q);
}

static wrsim_status end_trial(wr_auto *self, int pays)
{
    wr_auto_state *const now = &self->now;
    const int before = now->i_before;
    now->i_before = NONE;
    now->i_next = pays ? now->i_method : other_implicit(now->i_method);
    if (!pays || is_implicit(before)) {
        now->n_wait = now->wait_next;
        now->wait_next = twice(now->wait_next, WAIT_LAST);
    }
    begin_count(self);
    return pays ? WRSIM_OK : change(self, before, now->step_before_s);
}

/* Judges a step of a trial. All steps of RODAS need the same work, so a trial of RODAS pays if its steps are long enough and no longer
 * grow. The work of the W-method depends on the number of steps with one Jacobian, so a trial of the W-method takes several steps. */
static wrsim_status judge(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    const double h_s = now->h_s, next_s = wr_one_step_of(method_of(self))->control.h_s;
    now->h_s = 0.0;
    if (now->has_settled && now->n_step >= LOOK_FIRST)
        return end_trial(self, rate_at_equal_error(self, now->work / now->n_step,
                                                   now->span_s / now->n_step) < now->rate_before);
    const int is_short =
        !(rate_at_equal_error(self, self->least_work[now->i_method], h_s) < now->rate_before);
    now->n_short = is_short ? now->n_short + 1 : 0;
    if (now->n_short >= TOO_SHORT)
        return end_trial(self, 0);
    if (now->has_settled || is_short || next_s > GROWS * h_s)
        return WRSIM_OK;
    now->has_settled = 1;
    begin_count(self);
    return now->i_method == RODAS ? end_trial(self, 1) : WRSIM_OK;
}

static wrsim_status look(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    if (now->i_before != NONE)
        return now->h_s > 0.0 ? judge(self) : WRSIM_OK;
    if (now->n_step < now->interval)
        return WRSIM_OK;
    wr_one_step *const base = wr_one_step_of(method_of(self));
    WR_TRY(wr_one_step_ensure_f(base));
    if (wr_spectrum_look(&self->spectrum, base->control.t_s, base->x, base->f, &self->n_rhs) < 0)
        return WRSIM_E_CALLBACK;
    const wrsim_status status =
        is_implicit(now->i_method) ? look_at_implicit(self) : look_at_explicit(self);
    begin_count(self);
    return status;
}

/* Returns the work since `before`, by differences of counts, which are exact. Factors that are still valid after a rollback count as new
 * factors, so that the choice does not depend on rollbacks. */
static double work_since(const wr_auto *self, const wr_integ_stats *before)
{
    const wr_integ_stats *const s = wr_integrator_stats(method_of(self));
    const wr_integ_stats step = {.n_rhs = s->n_rhs - before->n_rhs,
                                 .n_factor = s->n_refit - before->n_refit,
                                 .n_solve = s->n_solve - before->n_solve};
    return wr_counted_work_sum(&self->algebra, &step);
}

static void count_step(wr_auto *self, double h_s, const wr_integ_stats *before)
{
    wr_auto_state *const now = &self->now;
    now->n_step++;
    now->h_s = h_s;
    now->n_wait -= now->n_wait > 0;
    now->span_s += h_s;
    now->work += work_since(self, before);
    now->next_s += wr_one_step_of(method_of(self))->control.h_s;
    *(is_implicit(now->i_method) ? &self->implicit_s : &self->explicit_s) += h_s;
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_auto *const self = self_of(integrator);
    int status = look(self);
    if (status == 0) {
        const double t0_s = wr_one_step_of(method_of(self))->control.t_s;
        const wr_integ_stats before = *wr_integrator_stats(method_of(self));
        status = ops_of(self)->step(method_of(self), t_stop_s, ret_t_s);
        if (status == 0 && *ret_t_s > t0_s)
            count_step(self, *ret_t_s - t0_s, &before);
    }
    sum_stats(self);
    return status;
}

/* ---- other operations ---- */

static int start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    wr_auto *const self = self_of(integrator);
    wr_spectrum_forget(&self->spectrum);
    const int status = ops_of(self)->start(method_of(self), t_s, x, dx);
    sum_stats(self);
    return status;
}

static void dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx)
{
    wr_one_step_dense(method_of(self_of(integrator)), t_s, ret_x, ret_dx);
}

static void inputs_changed(wr_integrator *integrator, const double *dx)
{
    wr_one_step_inputs_changed(method_of(self_of(integrator)), dx);
}

/* Saves the chosen method only, because another method starts anew after a switch. */
static void save(wr_integrator *integrator)
{
    wr_auto *const self = self_of(integrator);
    self->saved = self->now;
    wr_spectrum_save(&self->spectrum);
    ops_of(self)->save(method_of(self));
}

static void restore(wr_integrator *integrator)
{
    wr_auto *const self = self_of(integrator);
    self->now = self->saved;
    wr_spectrum_restore(&self->spectrum);
    ops_of(self)->restore(method_of(self));
}

/* Rejects a state that needs method i_method if this method is not placed. NONE needs no method. */
static void refuse_unplaced(const wr_auto *self, wr_state_io *io, int i_method)
{
    const int is_reader = io->mode == WR_STATE_CHECK || io->mode == WR_STATE_READ;
    if (is_reader && io->fault == WR_STATE_SOUND && i_method != NONE && !self->method[i_method])
        io->fault = WR_STATE_OTHER;
}

static int method_state(const wr_auto *self, wr_state_io *io, int i_method)
{
    const int i = (int)wr_state_count(io, i_method + 1, N_METHOD) - 1;
    refuse_unplaced(self, io, i);
    return i;
}

static void decision_state(const wr_auto *self, wr_auto_state *at, wr_state_io *io)
{
    const int i_method = (int)wr_state_count(io, at->i_method, N_METHOD - 1);
    refuse_unplaced(self, io, i_method);
    if (wr_state_reads(io))
        at->i_method = i_method;
    WR_STATE(io, at->n_step);
    WR_STATE(io, at->span_s);
    WR_STATE(io, at->work);
    WR_STATE(io, at->next_s);
    WR_STATE(io, at->interval);
    WR_STATE(io, at->n_look);
    WR_STATE(io, at->n_wait);
    WR_STATE(io, at->wait_next);
    WR_STATE(io, at->has_paid);
    const int i_next = method_state(self, io, at->i_next);
    const int i_before = method_state(self, io, at->i_before);
    if (wr_state_reads(io)) {
        at->i_next = i_next;
        at->i_before = i_before;
    }
    WR_STATE(io, at->rate_before);
    WR_STATE(io, at->step_before_s);
    WR_STATE(io, at->is_cut);
    WR_STATE(io, at->n_short);
    WR_STATE(io, at->has_settled);
    WR_STATE(io, at->h_s);
}

/* Reads or writes the state of all methods, because all have counts. */
static void state(wr_integrator *integrator, wr_state_io *io)
{
    wr_auto *const self = self_of(integrator);
    WR_STATE(io, self->stats);
    WR_STATE(io, self->n_rhs);
    WR_STATE(io, self->n_switch);
    WR_STATE(io, self->explicit_s);
    WR_STATE(io, self->implicit_s);
    decision_state(self, &self->now, io);
    wr_spectrum_state(&self->spectrum, io);
    for (int i = 0; i < N_METHOD; i++)
        if (self->method[i])
            self->ops[i]->state(self->method[i], io);
    if (wr_state_reads(io)) {
        self->used = (1U << N_METHOD) - 1U;
        self->loosening = (double)NAN;
    }
}

static void damp(wr_integrator *integrator, double *v)
{
    wr_auto *const self = self_of(integrator);
    if (ops_of(self)->damp)
        ops_of(self)->damp(method_of(self), v);
}

static void loosen(wr_integrator *integrator, double factor)
{
    wr_auto *const self = self_of(integrator);
    if (factor >= self->loosening && factor <= self->loosening)
        return;
    self->loosening = factor;
    for (int i = 0; i < N_METHOD; i++)
        if (self->method[i])
            wr_one_step_loosen(self->method[i], factor);
}

static void limit(wr_integrator *integrator, int64_t n_rhs)
{
    for (int i = 0; i < N_METHOD; i++)
        if (self_of(integrator)->method[i])
            wr_one_step_limit(self_of(integrator)->method[i], n_rhs);
}

static const wr_integrator_ops *current(wr_integrator *integrator)
{
    return ops_of(self_of(integrator));
}

const wr_integrator_ops wr_integ_auto = {
    .name = "auto",
    .help = "explicit pair or Rosenbrock method, chosen by counted work while running",
    .order = 3,
    .dense_order = 3,
    .loosest_rtol = 2e-4,
    .flags = WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F,
    .family = {"explicit pairs", "Rosenbrock methods"},
    .place = place,
    .destroy = destroy,
    .start = start,
    .step = step,
    .damp = damp,
    .dense = dense,
    .inputs_changed = inputs_changed,
    .save = save,
    .restore = restore,
    .state = state,
    .loosen = loosen,
    .limit = limit,
    .current = current,
};
