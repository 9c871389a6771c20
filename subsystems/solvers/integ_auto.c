/* One of the explicit pairs or Rosenbrock methods, whichever takes the least counted work just now.
 *
 * Every so many steps two more evaluations of f tell where the largest eigenvalue l of df/dx lies (spectrum.h). An explicit
 * pair is stopped by stability, not by accuracy, where its steps fill what its stability region spans in that direction, look
 * after look. Then the pair is taken that reaches furthest there for its evaluations, or else an implicit method is tried. It
 * stays while its work per simulated time is below what the best pair would need, taking the shorter of the steps that l allows
 * and those that are being taken. (Detection as in Hairer, Wanner, "Solving ODEs II", IV.2; their estimate of |l| needs two
 * stages at one time, which bs32 lacks, and looks along the real axis only, where dopri54 reaches 3.3, but on the imaginary
 * one 1.0.)
 *
 * A trial begins with the step that would just pay, so it is short where there is nothing to gain; and the next one waits
 * twice as long. RODAS and the W-method are tried against each other, at equal error of the run.
 *
 * Explicit are bs32, below TIGHT dopri54, and rk43; only rk43 where others' waveforms drive f. Implicit are RODAS and the
 * W-method, which comes first where a Jacobian takes many evaluations. No decision reads a clock; what decides is saved and restored, so sweeps
 * that go back and any number of workers see the same choice.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/counted_work.h"
#include "subsystems/solvers/members.h"
#include "subsystems/solvers/one_step.h"
#include "subsystems/solvers/spectrum.h"

#include <math.h>
#include <string.h>

/* Methods, in the order of the table below; those that a problem has no use for are not placed. */
enum { PAIR, STEADY, RODAS, W_METHOD, N_METHOD, NONE = -1 };

/* Tolerance below which dopri54 needs fewer evaluations of f than bs32 for the same error of the run: at 1e-4 it takes 1 to 1.3
 * times as many for a fifth to a tenth of the error (docs/lab/2026-11-25-solver-auto.md). */
static const double TIGHT = 3e-4;
/* Colours from which on a kept Jacobian is tried first: RODAS takes 7 + colours evaluations of f per step, the W-method 4 and
 * a Jacobian now and then, but some 2.5 times the steps. */
enum { MANY_COLOURS = 8 };
/* Steps between two looks: at first and while something is suspected; at most. */
enum { LOOK_FIRST = 10, LOOK_LAST = 160, LOOK_IMPLICIT = 20 };
/* Looks in a row that make a decision. */
enum { DECIDE_STIFF = 3, DECIDE_NOT = 2 };
/* Steps to wait after a trial that did not pay. */
enum { WAIT_FIRST = 100, WAIT_LAST = 10000 };
/* Part of the interval of stability that steps fill where it limits them; the longest mean. */
static const double HITS = 0.6, FILLS = 0.8;
/* Below this damping ratio errors outlast many steps and add up (at 0.1 they fall by a quarter in a step of rk43 that stability
 * limits); then an implicit method, each of whose steps may err by the tolerance, has to take so many times less work than an
 * explicit one, whose steps err by less where stability limits them. */
static const double LIGHTLY = 0.1, WORTH = 3.0;
/* In a trial steps have found their size when they grow by less; so many in a row that are too short to pay end it. */
static const double GROWS = 2.0;
enum { TOO_SHORT = 4 };

/* A run's error over the tolerance and the number of steps: the W-method's is 3.6 times RODAS's in the median of the problems in
 * bench/solvers, and up to 9 times in three quarters of them. */
static const double ERROR_PER_STEP[N_METHOD] = {[RODAS] = 1.0, [W_METHOD] = 9.0};
/* What a mode that is not in the solution would err by, in tolerances. */
static const double ABSENT = 100.0;

/* An explicit pair: its evaluations per step, its stability function ("Solving ODEs II", IV.2), and the leading term of its
 * error estimate for x' = l x, error_factor (h l)^error_order x. */
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

/* What decides; all of it is saved. */
typedef struct wr_auto_state {
    int i_method;
    int n_step;    /* since the last look, or since the trial's steps have settled, */
    double span_s; /* their length */
    double work;   /* and work, in evaluations of f; */
    double next_s; /* what the tolerance asked for after each, in all */
    int interval;  /* steps between looks */
    int n_look;    /* in a row that spoke for another kind of method */
    int n_wait;    /* steps in which no trial is made */
    int wait_next; /* how long to wait after the next trial that does not pay */
    int has_paid;  /* the implicit method in charge, against explicit ones */
    int i_next;    /* the implicit method that is tried next: not one that has just failed */
    /* A trial: */
    int i_before;         /* the method that it is against; NONE: there is none */
    double rate_before;   /* its work per second */
    double step_before_s; /* its mean step */
    int is_cut;           /* stops cut its steps short */
    int n_short;          /* steps in a row that were too short to pay */
    int has_settled;      /* steps have found their size */
    double h_s;           /* the last step, 0 once it has been judged */
} wr_auto_state;

typedef struct wr_auto {
    wr_integ_stats stats; /* first: wr_integrator_stats() */
    const wr_equations *ode;
    const wr_integrator_ops *ops[N_METHOD];
    wr_integrator *method[N_METHOD];  /* NULL: not placed */
    const explicit_pair *pair[RODAS]; /* of explicit ones */
    wr_counted_work algebra;
    double least_work[N_METHOD]; /* of a step of implicit ones, with a Jacobian that serves */
    wr_spectrum spectrum;
    int64_t n_rhs, n_switch;       /* own evaluations; of stats */
    double explicit_s, implicit_s; /* of stats: simulated time, all sweeps */
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

/* Sums the statistics of all methods and of the own evaluations. */
static void sum_stats(wr_auto *self)
{
    wr_integ_stats sum = {.n_rhs = self->n_rhs,
                          .n_start = -self->n_switch,
                          .n_method_change = self->n_switch,
                          .explicit_s = self->explicit_s,
                          .implicit_s = self->implicit_s};
    for (int i = 0; i < N_METHOD; i++) {
        if (!self->method[i])
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

/* -1 when out of memory. */
static int count_colours(wr_arena *arena, const wr_equations *ode)
{
    int *const colour = WR_NEW_ARRAY(arena, int, ode->n_x);
    return ode->jacobian ? 1 : colour ? wr_sparsity_colour(ode->pattern, colour) : -1;
}

/* dopri54 has no stage between 0.3 and 0.8 of its long steps: what a waveform does in there neither the
 * step nor its error estimate sees. At equal error rk43 takes less than bs32, too (docs/lab/2026-11-22-solver-auto.md). */
static wrsim_status choose_methods(wr_auto *self, wr_arena *arena, const wr_integ_options *options)
{
    const int n_colour = count_colours(arena, self->ode);
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
    /* f, df/dt and five stages; three stages and f. */
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

/* Steps per second that stability alone makes an explicit pair take. */
static double stable_rate(const wr_auto *self, int i)
{
    const explicit_pair *const pair = self->pair[i];
    const wr_spectrum_scalars *const largest = &self->spectrum.now;
    return largest->size_per_s /
           (FILLS * wr_spectrum_reach(pair->r, pair->degree, largest->cosine));
}

/* The explicit pair that stability allows the least work per second; PAIR where it allows `rate` steps per second, which is
 * what accuracy asks for: at this tolerance PAIR is then the best. */
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

/* Are steps much shorter than the tolerance asks for, as stops are close? */
static int is_cut(const wr_auto *self) { return self->now.next_s > GROWS * self->now.span_s; }

/* By how much an implicit method's work counts more than an explicit one's. */
static double handicap(const wr_auto *self)
{
    return self->spectrum.now.cosine < LIGHTLY ? WORTH : 1.0;
}

/* Another method takes over for a while, with the step that would just pay: if it cannot take that one it is not worth more. */
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

/* Would a mode of the largest eigenvalue, were it in the solution, err by far more than the tolerance with steps of h? */
static int is_smoother(const wr_auto *self, double h_s)
{
    const explicit_pair *const pair = self->pair[self->now.i_method];
    const double rtol = wr_one_step_of(method_of(self))->control.rtol;
    return pair->error_factor * pow(h_s * self->spectrum.now.size_per_s, pair->error_order) >
           ABSENT * rtol;
}

/* Where steps fill their region of stability it is stability that limits them: then another pair may reach further in the
 * eigenvalue's direction: on the imaginary axis rk43 takes 1.4 |l| evaluations per second, dopri54 6 |l|. Else, or where
 * the solution is smoother than its eigenvalue, an implicit method is tried. Each only when look after look says so. */
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

/* An implicit method stays while it takes less than the best explicit one would, whose steps are the shorter of those that
 * stability allows and those that are being taken. The other implicit method is tried now and then, but not where it
 * could not take longer steps and they are dearer. */
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

/* Work per second that the method of the trial needs, steps of h taking `work`, to be as exact as the one before it. Errors of
 * steps add up, and each is in proportion to the tolerance, so a run's error is error_per_step / h: where the other method's
 * is E, steps may be (E h / error_per_step)^(1 / q) as long, q + 1 the order of the estimate. Where steps are shorter than the
 * tolerance asks for, against an explicit pair that stability limits and where stops are close, this says nothing. */
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

/* After a step of a trial. Once steps are long enough and no longer grow RODAS has won, all its steps being alike; of the
 * W-method some are measured, for it depends on how long its Jacobian serves. */
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

/* From differences of counts, which are exact. Factors that are still there after going back count as made, or the choice
 * would depend on it. */
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

/* ---- the rest is the method's ---- */

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

/* The method not in charge holds nothing that matters: it is started afresh. */
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

/* A method that has not been placed cannot be in charge or tried, whoever says so. */
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

/* All methods', for all have counted. */
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
}

static void damp(wr_integrator *integrator, double *v)
{
    wr_auto *const self = self_of(integrator);
    if (ops_of(self)->damp)
        ops_of(self)->damp(method_of(self), v);
}

static void loosen(wr_integrator *integrator, double factor)
{
    for (int i = 0; i < N_METHOD; i++)
        if (self_of(integrator)->method[i])
            wr_one_step_loosen(self_of(integrator)->method[i], factor);
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
