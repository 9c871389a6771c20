/* An explicit pair or a Rosenbrock method, whichever takes less counted work just now.
 *
 * Every so many steps one more evaluation of f carries on a power iteration for the spectral radius
 * rho of df/dx (as RKC does: Sommeijer, Shampine, Verwer, "RKC: an explicit solver for parabolic
 * PDEs", J. Comp. Appl. Math. 88 (1997)). The pair is stopped by stability, not by accuracy, where
 * its steps fill its interval of stability, h rho > HITS * reach, look after look; then the
 * Rosenbrock method is tried. It stays while its work per simulated time is below what the pair would
 * need, taking the shorter of the steps that rho allows and those that are being taken. A trial that
 * does not pay makes the next one wait twice as long, so that trials cost little where they are
 * useless. (Detection as in Hairer, Wanner, "Solving ODEs II", IV.2; that estimate of rho needs two
 * stages at one time, which bs32 lacks.)
 *
 * The pair is bs32, below TIGHT dopri54, and rk43 where others' waveforms drive f; the Rosenbrock method
 * RODAS, or where its Jacobian takes many evaluations the W-method. No decision reads a clock; what
 * decides is saved and restored, so sweeps that go back and any number of workers see the same choice.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/integrators/members.h"
#include "subsystems/integrators/one_step.h"
#include "subsystems/integrators/shifted.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { EXPLICIT, IMPLICIT, N_METHOD };

/* Tolerance below which dopri54 needs fewer evaluations of f than bs32 (docs/NUMERICS.md). */
static const double TIGHT = 3e-5;
/* Colours from which on a Jacobian is better kept: RODAS takes 7 + colours evaluations of f per
 * step, the W-method 5 and a Jacobian now and then, but some 2.5 times the steps. */
enum { MANY_COLOURS = 8 };
/* Steps between two looks: at first and while something is suspected; at most. */
enum { LOOK_FIRST = 10, LOOK_LAST = 160, LOOK_IMPLICIT = 20 };
/* Looks in a row that make a decision. */
enum { DECIDE_STIFF = 3, DECIDE_NOT = 2 };
/* Steps to wait after a trial that did not pay. */
enum { WAIT_FIRST = 100, WAIT_LAST = 10000 };
enum { POWER_FIRST = 4 };
/* Part of the interval of stability that steps fill where it limits them; the longest mean. */
static const double HITS = 0.6, FILLS = 0.8;
/* Increment of the power iteration relative to the state, or to this part of its nominal value. */
static const double NOMINAL_PART = 0.01;

/* What decides; all of it is saved. */
typedef struct wr_auto_state {
    int i_method;
    int n_step;     /* since the last look, */
    double span_s;  /* their length */
    double work;    /* and work, in evaluations of f */
    int interval;   /* steps between looks */
    int n_look;     /* in a row that spoke for the other method */
    int n_wait;     /* steps in which no trial is made */
    int wait_next;  /* how long to wait after the next trial that does not pay */
    int has_paid;   /* the present trial */
    int has_vector; /* v is valid */
    double rho_per_s;
} wr_auto_state;

typedef struct wr_auto {
    wr_integ_stats stats; /* first: wr_integrator_stats() */
    const wr_ode *ode;
    const wr_integrator_ops *ops[N_METHOD];
    wr_integrator *method[N_METHOD];
    double n_stage, reach;          /* of the pair: evaluations per step, interval of stability */
    double factor_work, solve_work; /* of the matrix, in evaluations of f */
    double n_solve;                 /* per step of the Rosenbrock method */
    int64_t n_rhs, n_switch;        /* own evaluations; of stats */
    double taken_s[N_METHOD];       /* of stats: simulated time, all sweeps */
    wr_auto_state now, saved;
    double *v, *saved_v; /* [n_x] unit vector of the power iteration, states scaled */
    double *x, *dx;      /* [n_x] work */
} wr_auto;

static wr_auto *self_of(wr_integrator *integrator) { return (wr_auto *)(void *)integrator; }

static wr_integrator *method_of(const wr_auto *self) { return self->method[self->now.i_method]; }

static const wr_integrator_ops *ops_of(const wr_auto *self)
{
    return self->ops[self->now.i_method];
}

/* Statistics are the sum of both methods' and the looks'. */
static void sum_stats(wr_auto *self)
{
    const wr_integ_stats *const a = wr_integrator_stats(self->method[EXPLICIT]);
    const wr_integ_stats *const b = wr_integrator_stats(self->method[IMPLICIT]);
    self->stats =
        (wr_integ_stats){.n_step = a->n_step + b->n_step,
                         .n_rejected = a->n_rejected + b->n_rejected,
                         .n_rhs = a->n_rhs + b->n_rhs + self->n_rhs,
                         .n_jacobian = b->n_jacobian,
                         .n_factor = b->n_factor,
                         .factor_flop = b->factor_flop,
                         .n_start = a->n_start + b->n_start - self->n_switch,
                         .n_implicit = b->n_step,
                         .explicit_s = self->taken_s[EXPLICIT],
                         .implicit_s = self->taken_s[IMPLICIT],
                         .n_switch = self->n_switch,
                         .n_unchecked = a->n_unchecked + b->n_unchecked,
                         .unchecked_error = wr_max(a->unchecked_error, b->unchecked_error)};
}

static void destroy(wr_integrator *integrator)
{
    if (!integrator)
        return;
    wr_auto *const self = self_of(integrator);
    if (self->method[IMPLICIT])
        self->ops[IMPLICIT]->destroy(self->method[IMPLICIT]);
}

/* Work of the linear algebra. An evaluation of f is taken to cost 500 + 50 n operations, which is
 * what the models that ship come to, inputs and outputs included. */
static void rate_linear_algebra(wr_auto *self, wr_linear_solver choice)
{
    const double n = (double)self->ode->n_x, rhs = 500.0 + 50.0 * n;
    const double n_nonzero = (double)self->ode->pattern->n_nonzero;
    const int is_sparse = wr_shifted_is_sparse(choice, self->ode->n_x);
    self->factor_work = (is_sparse ? 100.0 * n_nonzero : 2.0 / 3.0 * n * n * n) / rhs;
    self->solve_work = (is_sparse ? 10.0 * n_nonzero : 2.0 * n * n) / rhs;
}

/* -1 when out of memory. */
static int count_colours(wr_arena *arena, const wr_ode *ode)
{
    int *const colour = WR_NEW_ARRAY(arena, int, ode->n_x);
    return ode->jacobian ? 1 : colour ? wr_sparsity_colour(ode->pattern, colour) : -1;
}

/* dopri54 has no stage between 0.3 and 0.8 of its long steps: what a waveform does in there neither the
 * step nor its error estimate sees. At equal error rk43 takes less than bs32, too (docs/NUMERICS.md). */
static void choose_explicit(wr_auto *self, const wr_integ_options *options)
{
    /* "Solving ODEs II", IV.2: where the stability functions leave the unit disk. */
    enum { LOOSE, SMOOTH, DRIVEN };
    static const struct {
        const wr_integrator_ops *ops;
        double reach, n_stage;
    } pairs[] = {[LOOSE] = {&wr_integ_bs32, 2.5, 3.0},
                 [SMOOTH] = {&wr_integ_dopri54, 3.3, 6.0},
                 [DRIVEN] = {&wr_integ_rk43, 2.8, 4.0}};
    const int pair = self->ode->is_driven ? DRIVEN : options->rtol >= TIGHT ? LOOSE : SMOOTH;
    self->ops[EXPLICIT] = pairs[pair].ops;
    self->reach = pairs[pair].reach;
    self->n_stage = pairs[pair].n_stage;
}

static wrsim_status choose_methods(wr_auto *self, wr_arena *arena, const wr_integ_options *options)
{
    const int n_colour = count_colours(arena, self->ode);
    if (n_colour < 0)
        return WRSIM_E_MEMORY;
    const int is_dear = n_colour >= MANY_COLOURS;
    choose_explicit(self, options);
    self->ops[IMPLICIT] = is_dear ? &wr_integ_rosenbrock_w : &wr_integ_rosenbrock;
    self->n_solve = is_dear ? 7.0 : 6.0;
    rate_linear_algebra(self, options->linear_solver);
    return WRSIM_OK;
}

static wrsim_status place(wr_arena *arena, const wr_ode *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    const size_t n = (size_t)ode->n_x;
    wr_auto *const self = WR_NEW(arena, wr_auto);
    double *const vector = WR_NEW_ARRAY(arena, double, 4 * n);
    if (!self || !vector)
        return WRSIM_E_MEMORY;
    self->ode = ode;
    self->v = vector;
    self->saved_v = vector + n;
    self->x = vector + 2 * n;
    self->dx = vector + 3 * n;
    self->now = (wr_auto_state){.interval = LOOK_FIRST, .wait_next = WAIT_FIRST};
    WR_TRY(choose_methods(self, arena, options));
    for (int i = 0; i < N_METHOD; i++)
        WR_TRY(self->ops[i]->place(arena, ode, options, &self->method[i]));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* ---- spectral radius ---- */

static double scale(const wr_auto *self, const double *x, int i)
{
    return fabs(x[i]) + NOMINAL_PART * self->ode->nominal[i];
}

/* Makes v a unit vector; returns its length before, 0 when it has none. */
static double normalise(double *v, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    const double length = sqrt(sum);
    if (!isfinite(length) || !(length > 0.0))
        return 0.0;
    for (int i = 0; i < n; i++)
        v[i] /= length;
    return length;
}

/* One power iteration at the current point: v = J v by a difference. */
static wrsim_status iterate(wr_auto *self)
{
    wr_one_step *const base = wr_one_step_of(method_of(self));
    const int n = base->n_x;
    const double *const x = base->x;
    WR_TRY(wr_one_step_ensure_f(base));
    if (!self->now.has_vector) {
        for (int i = 0; i < n; i++)
            self->v[i] = base->f[i] / scale(self, x, i);
        if (!(normalise(self->v, n) > 0.0))
            for (int i = 0; i < n; i++)
                self->v[i] = 1.0 / sqrt((double)n);
    }
    const double size = sqrt(DBL_EPSILON);
    for (int i = 0; i < n; i++)
        self->x[i] = x[i] + size * scale(self, x, i) * self->v[i];
    self->n_rhs++;
    const int code = self->ode->rhs(self->ode->self, base->control.t_s, self->x, self->dx);
    if (code < 0)
        return WRSIM_E_CALLBACK;
    for (int i = 0; i < n; i++)
        self->v[i] = code > 0 ? 0.0 : (self->dx[i] - base->f[i]) / (size * scale(self, x, i));
    self->now.rho_per_s = normalise(self->v, n);
    self->now.has_vector = self->now.rho_per_s > 0.0;
    return WRSIM_OK;
}

/* ---- the choice ---- */

static wrsim_status change(wr_auto *self, double next_s)
{
    const wr_one_step *const from = wr_one_step_of(method_of(self));
    const double t_s = from->control.t_s;
    self->now.i_method = !self->now.i_method;
    self->n_switch++;
    wr_one_step *const to = wr_one_step_of(method_of(self));
    const double *const f = from->has_f ? from->f : NULL;
    if (ops_of(self) == &wr_integ_rosenbrock_w)
        wr_rosenbrock_w_forget(method_of(self));
    wr_step_control_forget(&to->control, next_s);
    return ops_of(self)->start(method_of(self), t_s, from->x, f) == 0 ? WRSIM_OK : WRSIM_E_SOLVER;
}

static int twice(int n, int n_max) { return 2 * n < n_max ? 2 * n : n_max; }

static wrsim_status look_at_pair(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    const double mean_s = now->span_s / now->n_step;
    if (!(mean_s * now->rho_per_s > HITS * self->reach)) {
        now->interval = now->n_look > 0 ? LOOK_FIRST : twice(now->interval, LOOK_LAST);
        now->n_look = 0;
        return WRSIM_OK;
    }
    now->interval = LOOK_FIRST;
    if (++now->n_look < DECIDE_STIFF)
        return WRSIM_OK;
    now->n_look = 0;
    now->interval = LOOK_IMPLICIT;
    now->has_paid = 0;
    return change(self, mean_s);
}

static wrsim_status look_at_rosenbrock(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    const double rate = now->n_step / now->span_s;
    const double stable = now->rho_per_s / (FILLS * self->reach);
    if (now->work / now->span_s < self->n_stage * wr_max(rate, stable)) {
        now->has_paid = 1;
        now->n_look = 0;
        return WRSIM_OK;
    }
    if (++now->n_look < DECIDE_NOT)
        return WRSIM_OK;
    now->n_wait = now->has_paid ? 0 : now->wait_next;
    now->wait_next = now->has_paid ? WAIT_FIRST : twice(now->wait_next, WAIT_LAST);
    now->n_look = 0;
    now->interval = LOOK_FIRST;
    return change(self, 1.0 / wr_max(rate, stable));
}

static wrsim_status look(wr_auto *self)
{
    wr_auto_state *const now = &self->now;
    if (now->n_step < now->interval)
        return WRSIM_OK;
    if (now->n_wait > 0) {
        now->n_step = 0;
        now->span_s = now->work = 0.0;
        return WRSIM_OK;
    }
    const int n_iteration = now->has_vector ? 1 : POWER_FIRST;
    for (int i = 0; i < n_iteration; i++)
        WR_TRY(iterate(self));
    const wrsim_status status =
        now->i_method == EXPLICIT ? look_at_pair(self) : look_at_rosenbrock(self);
    now->n_step = 0;
    now->span_s = now->work = 0.0;
    return status;
}

/* In evaluations of f, Jacobians by differences included. */
static double work_of(const wr_auto *self)
{
    const wr_integ_stats *const s = wr_integrator_stats(method_of(self));
    const double n_try = (double)(s->n_step + s->n_rejected);
    const double algebra =
        self->factor_work * (double)s->n_factor + self->solve_work * self->n_solve * n_try;
    return (double)s->n_rhs + (self->now.i_method == IMPLICIT ? algebra : 0.0);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_auto *const self = self_of(integrator);
    wr_auto_state *const now = &self->now;
    int status = look(self);
    if (status == 0) {
        const double t0_s = wr_one_step_of(method_of(self))->control.t_s, work = work_of(self);
        status = ops_of(self)->step(method_of(self), t_stop_s, ret_t_s);
        if (status == 0 && *ret_t_s > t0_s) {
            now->n_step++;
            now->n_wait -= now->n_wait > 0;
            now->span_s += *ret_t_s - t0_s;
            self->taken_s[now->i_method] += *ret_t_s - t0_s;
            now->work += work_of(self) - work;
        }
    }
    sum_stats(self);
    return status;
}

/* ---- the rest is the method's ---- */

static int start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    wr_auto *const self = self_of(integrator);
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
    memcpy(self->saved_v, self->v, (size_t)self->ode->n_x * sizeof *self->v);
    ops_of(self)->save(method_of(self));
}

static void restore(wr_integrator *integrator)
{
    wr_auto *const self = self_of(integrator);
    self->now = self->saved;
    memcpy(self->v, self->saved_v, (size_t)self->ode->n_x * sizeof *self->v);
    ops_of(self)->restore(method_of(self));
}

static void decision_state(wr_auto_state *at, wr_state_io *io)
{
    const int i_method = (int)wr_state_count(io, at->i_method, N_METHOD - 1);
    if (wr_state_reads(io))
        at->i_method = i_method;
    WR_STATE(io, at->n_step);
    WR_STATE(io, at->span_s);
    WR_STATE(io, at->work);
    WR_STATE(io, at->interval);
    WR_STATE(io, at->n_look);
    WR_STATE(io, at->n_wait);
    WR_STATE(io, at->wait_next);
    WR_STATE(io, at->has_paid);
    WR_STATE(io, at->has_vector);
    WR_STATE(io, at->rho_per_s);
}

/* Both methods', for both have counted. */
static void state(wr_integrator *integrator, wr_state_io *io)
{
    wr_auto *const self = self_of(integrator);
    WR_STATE(io, self->stats);
    WR_STATE(io, self->n_rhs);
    WR_STATE(io, self->n_switch);
    WR_STATE(io, self->taken_s);
    decision_state(&self->now, io);
    WR_STATE_ARRAY(io, self->v, self->ode->n_x);
    for (int i = 0; i < N_METHOD; i++)
        self->ops[i]->state(self->method[i], io);
}

static void loosen(wr_integrator *integrator, double factor)
{
    for (int i = 0; i < N_METHOD; i++)
        wr_one_step_loosen(self_of(integrator)->method[i], factor);
}

static void limit(wr_integrator *integrator, int64_t n_rhs)
{
    for (int i = 0; i < N_METHOD; i++)
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
    .flags = WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F,
    .place = place,
    .destroy = destroy,
    .start = start,
    .step = step,
    .dense = dense,
    .inputs_changed = inputs_changed,
    .save = save,
    .restore = restore,
    .state = state,
    .loosen = loosen,
    .limit = limit,
    .current = current,
};
