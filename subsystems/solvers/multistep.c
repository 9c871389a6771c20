/* Linear multistep methods. See multistep.h. Thread: one at a time. Real-time: all but place and destroy. */
#include "subsystems/solvers/multistep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/solvers/extrapolation.h"
#include "subsystems/solvers/newton.h"

/* Two steps have the same length if they differ by less than length_rounding of the step plus time_rounding roundings of the time. The
 * limits (assumed) cover the rounding of times and of the division of windows. */
static const double length_rounding = 1e-9, time_rounding = 16.0;
/* Largest tolerance for the equations of implicit formulas (assumed), so that their residuals do not hide the order of the method. */
static const double loosest_rtol = 1e-6;

/* The run: equidistant points before the current point. */
typedef struct run {
    double step_s;   /* distance of the points, s; 0: the next step sets the distance */
    double newest_s; /* time of the newest past point */
    int n_past;      /* number of past points of the run, without the current point */
    int i_newest;    /* index of the newest past point in past[] */
    int is_on;       /* the current point is a point of the run */
} run;

typedef struct wr_multistep {
    wr_one_step base;
    wr_lms formula; /* alpha_0 = 1 */
    int order, is_explicit;
    int needs_f; /* the formula or the dense output needs the slope of the current point */
    wr_newton newton;
    wr_extrapolation start;
    double *x1, *f1, *b; /* [n_x] */
    run run, saved_run;
    int cap_past;              /* capacity of past[] in points: n_step - 1 */
    double *past, *saved_past; /* [cap_past][2 n_x] x and f, a cyclic buffer */
} wr_multistep;

static wr_multistep *multistep_of(wr_integrator *integrator)
{
    return (wr_multistep *)(void *)integrator;
}

static size_t past_bytes(const wr_multistep *self)
{
    return (size_t)self->cap_past * 2 * (size_t)self->base.n_x * sizeof *self->past;
}

void wr_multistep_destroy(wr_integrator *integrator)
{
    if (integrator && !multistep_of(integrator)->is_explicit)
        wr_newton_done(&multistep_of(integrator)->newton);
}

static wrsim_status examine(wr_multistep *self, const wr_lms *formula)
{
    wr_lms_facts facts;
    if (!formula || wr_lms_flaw(formula) || wr_lms_examine(formula, &facts) != WRSIM_OK ||
        facts.order < 1 || !facts.is_zero_stable)
        return WRSIM_E_ARG;
    self->formula = wr_lms_normalised(formula);
    self->order = facts.order;
    self->is_explicit = facts.is_explicit;
    self->cap_past = formula->n_step - 1;
    self->needs_f = facts.order > 1;
    for (int j = 1; j <= formula->n_step; j++)
        self->needs_f |= fpclassify(formula->beta[j]) != FP_ZERO;
    return WRSIM_OK;
}

wrsim_status wr_multistep_place(const wr_lms *formula, wr_arena *arena, const wr_equations *ode,
                                const wr_integ_options *options, wr_integrator **ret_integrator)
{
    wr_multistep *const self = WR_NEW(arena, wr_multistep);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(examine(self, formula));
    if (!(options->rtol > 0.0 && options->atol_factor >= 0.0))
        return WRSIM_E_ARG;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options,
                             self->order > 1 ? WR_DENSE_POLY_CUBIC : WR_DENSE_POLY_LINE, 1));
    wr_step_control_init(&self->base.control, ode, options, self->order + 1.0, 0.0);
    self->base.control.rtol = wr_min(options->rtol, loosest_rtol);
    double *const work = WR_NEW_ARRAY(arena, double, 3 * ode->n_x);
    self->past = WR_NEW_ARRAY(arena, double, 2 * ode->n_x * self->cap_past);
    self->saved_past = WR_NEW_ARRAY(arena, double, 2 * ode->n_x * self->cap_past);
    if (!work || !self->past || !self->saved_past)
        return WRSIM_E_MEMORY;
    self->x1 = work;
    self->f1 = work + ode->n_x;
    self->b = self->f1 + ode->n_x;
    WR_TRY(wr_extrapolation_place(&self->start, arena, &self->base,
                                  self->is_explicit ? NULL : &self->newton,
                                  self->cap_past > 0 ? self->order : 0));
    if (!self->is_explicit)
        WR_TRY(wr_newton_place(&self->newton, arena, &self->base, options->linear_solver));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* Begins a run at the current point. */
static void begin_run(wr_multistep *self)
{
    const double step_s = self->base.grid.step_s;
    self->run = (run){.step_s = isfinite(step_s) ? step_s : 0.0, .is_on = 1};
}

int wr_multistep_start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    const int code = wr_one_step_start(integrator, t_s, x, dx);
    begin_run(multistep_of(integrator));
    return code;
}

/* Returns the past point j; 0 is the newest. */
static double *past_x(const wr_multistep *self, int j)
{
    const size_t i = (size_t)((self->run.i_newest + j) % self->cap_past);
    return self->past + i * 2 * (size_t)self->base.n_x;
}

int wr_multistep_count_past(wr_integrator *integrator)
{
    return multistep_of(integrator)->run.n_past;
}

double *wr_multistep_past(wr_integrator *integrator, int j)
{
    return past_x(multistep_of(integrator), j);
}

/* Makes the current point the newest past point. */
static void push(wr_multistep *self)
{
    run *const r = &self->run;
    const size_t n = (size_t)self->base.n_x;
    if (self->cap_past == 0)
        return;
    r->i_newest = (r->i_newest + self->cap_past - 1) % self->cap_past;
    r->n_past += r->n_past < self->cap_past;
    r->newest_s = self->base.control.t_s;
    double *const to = self->past + (size_t)r->i_newest * 2 * n;
    memcpy(to, self->base.x, n * sizeof *to);
    memcpy(to + n, self->base.f, n * sizeof *to);
}

static int is_step_of_run(const wr_multistep *self, double from_s, double to_s)
{
    const double step_s = self->run.step_s;
    return fabs(to_s - from_s - step_s) <=
           length_rounding * step_s + time_rounding * DBL_EPSILON * fabs(to_s);
}

/* Sets b = sum_{j >= 1} (alpha_j x_{n-j} - h beta_j f_{n-j}), for the formula with alpha_0 = 1. */
static void sum_past(const wr_multistep *self, double h_s, double *restrict b)
{
    const wr_lms *const formula = &self->formula;
    const int n = self->base.n_x;
    const int needs_f = self->needs_f;
    for (int j = 1; j <= formula->n_step; j++) {
        const double *restrict const x = j == 1 ? self->base.x : past_x(self, j - 2);
        const double *restrict const f = j == 1 ? self->base.f : x + n;
        const double alpha = formula->alpha[j], beta = needs_f ? formula->beta[j] : 0.0;
        for (int i = 0; i < n; i++)
            b[i] = (j == 1 ? 0.0 : b[i]) + alpha * x[i] - (needs_f ? h_s * beta * f[i] : 0.0);
    }
}

/* Extrapolates the polynomial through the run by one step: x_n = sum (-1)^j C(m + 1, j + 1) x_{n-1-j} with m past points. */
static void predict(const wr_multistep *self, double *restrict x1)
{
    const int m = self->run.is_on ? self->run.n_past : 0;
    double factor = m + 1.0;
    for (int j = 0; j <= m; j++) {
        const double *restrict const x = j == 0 ? self->base.x : past_x(self, j - 1);
        for (int i = 0; i < self->base.n_x; i++)
            x1[i] = (j == 0 ? 0.0 : x1[i]) + factor * x[i];
        factor *= -(m - j) / (j + 2.0);
    }
}

/* Finds x1 and, for implicit formulas, the slope at x1. */
static wrsim_status apply_formula(wr_multistep *self, double t1_s)
{
    const int n = self->base.n_x;
    const double t0_s = self->base.control.t_s;
    const double h_s = is_step_of_run(self, t0_s, t1_s) ? self->run.step_s : t1_s - t0_s;
    sum_past(self, h_s, self->b);
    if (self->is_explicit) {
        for (int i = 0; i < n; i++)
            self->x1[i] = -self->b[i];
        return WRSIM_OK;
    }
    const double c = 1.0 / (h_s * self->formula.beta[0]);
    for (int i = 0; i < n; i++)
        self->b[i] *= c;
    predict(self, self->x1);
    WR_TRY(wr_newton_solve(&self->newton, t1_s, c, self->b, self->x1));
    for (int i = 0; i < n; i++)
        self->f1[i] = c * self->x1[i] + self->b[i];
    return WRSIM_OK;
}

static wrsim_status advance(wr_multistep *self, double t1_s)
{
    wr_one_step *const base = &self->base;
    run *const r = &self->run;
    const double t0_s = base->control.t_s;
    if (self->needs_f)
        WR_TRY(wr_one_step_ensure_f(base));
    if (!isfinite(base->grid.step_s) && !is_step_of_run(self, t0_s, t1_s)) {
        begin_run(self);
        r->step_s = t1_s - t0_s;
    }
    const int uses_formula = self->cap_past == 0 || (r->is_on && r->n_past == self->cap_past &&
                                                     is_step_of_run(self, t0_s, t1_s));
    WR_TRY(uses_formula ? apply_formula(self, t1_s)
                        : wr_extrapolation_step(&self->start, t1_s, self->x1));
    if (r->is_on)
        push(self);
    WR_TRY(self->needs_f && (self->is_explicit || !uses_formula)
               ? wr_one_step_land(base, t1_s, self->x1, self->f1)
               : wr_one_step_take(base, t1_s, self->x1, self->needs_f ? self->f1 : NULL));
    r->is_on = self->cap_past == 0 || is_step_of_run(self, r->newest_s, t1_s);
    return WRSIM_OK;
}

int wr_multistep_step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_multistep *const self = multistep_of(integrator);
    wr_one_step *const base = &self->base;
    if (!wr_step_control_is_there(base->control.t_s, t_stop_s))
        WR_TRY(advance(self, wr_step_grid_next(&base->grid, base->control.t_s, t_stop_s)));
    *ret_t_s = base->control.t_s;
    return 0;
}

int wr_multistep_coarse(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    const int code = wr_one_step_coarse(integrator, t_stop_s, ret_t_s);
    begin_run(multistep_of(integrator));
    return code;
}

void wr_multistep_save(wr_integrator *integrator)
{
    wr_multistep *const self = multistep_of(integrator);
    wr_one_step_save(integrator);
    self->saved_run = self->run;
    memcpy(self->saved_past, self->past, past_bytes(self));
}

void wr_multistep_restore(wr_integrator *integrator)
{
    wr_multistep *const self = multistep_of(integrator);
    wr_one_step_restore(integrator);
    self->run = self->saved_run;
    memcpy(self->past, self->saved_past, past_bytes(self));
}

void wr_multistep_state(wr_integrator *integrator, wr_state_io *io)
{
    wr_multistep *const self = multistep_of(integrator);
    wr_one_step_state(integrator, io);
    WR_STATE(io, self->run.step_s);
    WR_STATE(io, self->run.newest_s);
    const int n_past = (int)wr_state_count(io, self->run.n_past, self->cap_past);
    const int i_newest = (int)wr_state_count(io, self->run.i_newest, self->cap_past);
    const int is_on = (int)wr_state_count(io, self->run.is_on, 1);
    if (wr_state_reads(io)) {
        self->run.n_past = n_past;
        self->run.i_newest = i_newest;
        self->run.is_on = is_on;
    }
    wr_state_bytes(io, self->past, past_bytes(self));
    if (!self->is_explicit)
        wr_shifted_state(&self->newton.shifted, io);
}
