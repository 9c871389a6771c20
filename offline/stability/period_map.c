/* The map of a period. See period_map.h. Thread: one owner. Real-time: no. */
#include "offline/stability/period_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto_free.h"
#include "offline/algebra/lapack.h"
#include "subsystems/solvers/multistep.h"

/* Relative tolerance of variable-step methods, which replace the exact solution (assumed). */
static const double exact_rtol = 1e-10;
/* Distance of a grid of steps from the beginning of a period, in steps, that counts as 0 (assumed). */
static const double grid_rounding = 1e-6;
/* Number of cycles after which the past of a method is complete (assumed). */
enum { WARM_UP = 64 };

/* The equations x' = A x + B (u + (t - from) v) of one subsystem. */
typedef struct linear_ode {
    const wr_period_part *part;
    double from_s;
    const double *u, *v;
} linear_ode;

static int rhs(void *user, double t_s, const double *x, double *ret_dx)
{
    const linear_ode *const self = user;
    const wr_period_part *const p = self->part;
    const double since_s = t_s - self->from_s;
    memset(ret_dx, 0, (size_t)p->n_x * sizeof *ret_dx);
    for (int j = 0; j < p->n_x; j++)
        for (int i = 0; i < p->n_x; i++)
            ret_dx[i] += p->a[(size_t)j * (size_t)p->n_x + (size_t)i] * x[j];
    for (int j = 0; j < p->n_u; j++)
        for (int i = 0; i < p->n_x; i++)
            ret_dx[i] +=
                p->b[(size_t)j * (size_t)p->n_x + (size_t)i] * (self->u[j] + since_s * self->v[j]);
    return 0;
}

static int jacobian(void *user, double t_s, const double *x, double *ret_values)
{
    const wr_period_part *const p = ((const linear_ode *)user)->part;
    (void)t_s, (void)x;
    memcpy(ret_values, p->a, (size_t)p->n_x * (size_t)p->n_x * sizeof *ret_values);
    return 0;
}

/* One subsystem with its integrator. */
typedef struct runner {
    wr_arena *arena;
    linear_ode linear;
    wr_equations ode;
    const wr_integrator_ops *ops;
    wr_integrator *integrator; /* NULL: outputs only */
    int goes_on;               /* 1: the integrator continues from period to period */
    int n_past;                /* number of stored points besides x */
    double *input;             /* [2 n_u] u and v */
    double *result;            /* [2 n_x] x and x' at the end */
} runner;

static wrsim_status runner_make(runner *r, const wr_period_part *part)
{
    const size_t n = (size_t)part->n_x;
    wr_integ_options options = part->options;
    *r = (runner){.arena = wr_arena_create((1 << 20) + 1024 * n * n), .ops = part->integrator};
    WR_AUTO_FREE unsigned char *const full = malloc(n * n + 1);
    if (!r->arena || !full)
        return WRSIM_E_MEMORY;
    memset(full, 1, n * n);
    double *const one = WR_NEW_ARRAY(r->arena, double, part->n_x);
    r->input = WR_NEW_ARRAY(r->arena, double, 2 * part->n_u);
    r->result = WR_NEW_ARRAY(r->arena, double, 2 * part->n_x);
    const wr_matrix *const pattern = wr_sparsity_place(r->arena, part->n_x, part->n_x, full);
    if (!one || !r->input || !r->result || !pattern)
        return WRSIM_E_MEMORY;
    if (n == 0)
        return WRSIM_OK; /* outputs only */
    for (size_t i = 0; i < n; i++)
        one[i] = 1.0;
    r->linear = (linear_ode){.part = part, .u = r->input, .v = r->input + part->n_u};
    r->ode = (wr_equations){.n_x = part->n_x,
                            .self = &r->linear,
                            .rhs = rhs,
                            .jacobian = jacobian,
                            .pattern = pattern,
                            .nominal = one,
                            .tolerance_factor = one};
    if (part->kept)
        options.kept = wr_sparsity_place(r->arena, part->n_x, part->n_x, part->kept);
    if (part->kept && !options.kept)
        return WRSIM_E_MEMORY;
    if (!(r->ops->flags & WR_INTEG_FIXED_STEP)) {
        r->ops = wr_integrator_find("rosenbrock");
        options = (wr_integ_options){.rtol = exact_rtol, .atol_factor = 1.0};
    }
    return r->ops->place(r->arena, &r->ode, &options, &r->integrator);
}

/* Integrates over a period with the given inputs, from x, or from the present point if x is NULL. Returns WRSIM_OK, or an error of the
 * integrator. */
static wrsim_status runner_go(runner *r, const double *x, double from_s, double to_s)
{
    double t_s = from_s;
    int code = 0;
    r->linear.from_s = from_s;
    if (x)
        code = r->ops->start(r->integrator, from_s, x, NULL);
    else
        r->ops->inputs_changed(r->integrator, NULL);
    while (code == 0 && t_s < to_s)
        code = r->ops->step(r->integrator, to_s, &t_s);
    if (code == 0)
        r->ops->dense(r->integrator, to_s, r->result, r->result + r->ode.n_x);
    return code < 0 ? (wrsim_status)code : WRSIM_OK;
}

static int is_multistep(const wr_integrator_ops *ops) { return ops->start == wr_multistep_start; }

/* Copies x and f of each stored point to s if is_read is 1, else from s. */
static void exchange_past(runner *r, double *s, int is_read)
{
    const size_t n = 2 * (size_t)r->ode.n_x;
    for (int j = 0; j < r->n_past; j++) {
        double *const point = wr_multistep_past(r->integrator, j);
        memcpy(is_read ? s + (size_t)j * n : point, is_read ? point : s + (size_t)j * n,
               n * sizeof *s);
    }
}

/* The map, column by column. at_x, at_past, at_y, at_dy: positions of each subsystem's x, past, y and y' in s. */
typedef struct map {
    const wr_period_part *part;
    runner *runner;
    int n_part, n, n_period; /* n: size of s; n_period: number of periods of the map */
    int *at_x, *at_past, *at_y, *at_dy;
    double period_s, from_s;
    wr_period_order order;
    double *m; /* [n * n] matrix of the map, column-major */
} map;

static int lay_out(map *m)
{
    m->at_x = calloc(4 * (size_t)m->n_part + 1, sizeof *m->at_x);
    if (!m->at_x)
        return -1;
    m->at_past = m->at_x + m->n_part;
    m->at_y = m->at_past + m->n_part;
    m->at_dy = m->at_y + m->n_part;
    for (int i = 0; i < m->n_part; i++) {
        m->at_x[i] = m->n;
        m->at_past[i] = m->n + m->part[i].n_x;
        m->at_y[i] = m->at_past[i] + m->runner[i].n_past * 2 * m->part[i].n_x;
        m->at_dy[i] = m->at_y[i] + m->part[i].n_y;
        m->n = m->at_dy[i] + (m->order == WR_PERIOD_LINEAR ? m->part[i].n_y : 0);
    }
    m->m = calloc((size_t)m->n * (size_t)m->n + 1, sizeof *m->m);
    return m->m ? 0 : -1;
}

/* Adds C x + D u to y[n_y]. */
static void add_outputs(const wr_period_part *p, const double *x, const double *u, double *y)
{
    const size_t n_y = (size_t)p->n_y;
    for (size_t i = 0; i < n_y; i++) {
        for (size_t j = 0; j < (size_t)p->n_x; j++)
            y[i] += p->c[j * n_y + i] * x[j];
        for (size_t j = 0; j < (size_t)p->n_u; j++)
            y[i] += p->d[j * n_y + i] * u[j];
    }
}

static int is_zero(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(value[i]) > 0.0)
            return 0;
    return 1;
}

/* Advances subsystem i by period k of the map, from s to next, which is zero. Returns WRSIM_OK, or an error of the integrator. */
static wrsim_status advance(const map *m, int i, int k, const double *s, double *next)
{
    const wr_period_part *const p = &m->part[i];
    runner *const r = &m->runner[i];
    const double from_s = m->from_s + k * m->period_s;
    double *const u = r->input, *const v = u + p->n_u;
    for (int j = 0; j < p->n_u; j++) {
        const int from = p->source_part[j];
        u[j] = from >= 0 ? s[m->at_y[from] + p->source_output[j]] : 0.0;
        v[j] = from >= 0 && m->order == WR_PERIOD_LINEAR ? s[m->at_dy[from] + p->source_output[j]]
                                                         : 0.0;
    }
    /* A subsystem at rest without inputs stays at rest, but its grid of steps may shift. */
    const int rests = is_zero(s + m->at_x[i], m->at_y[i] - m->at_x[i]) && is_zero(u, 2 * p->n_u);
    if (rests && (!r->goes_on || m->n_period == 1))
        return WRSIM_OK;
    if (p->n_x > 0)
        WR_TRY(runner_go(r, r->goes_on ? NULL : s + m->at_x[i], from_s, from_s + m->period_s));
    memcpy(next + m->at_x[i], r->result, (size_t)p->n_x * sizeof *next);
    exchange_past(r, next + m->at_past[i], 1);
    if (m->order == WR_PERIOD_LINEAR)
        add_outputs(p, r->result + p->n_x, v, next + m->at_dy[i]);
    for (int j = 0; j < p->n_u; j++)
        u[j] += m->period_s * v[j];
    add_outputs(p, r->result, u, next + m->at_y[i]);
    return WRSIM_OK;
}

/* Computes the image of s over all periods of the map; overwrites s and next. Returns WRSIM_OK, or an error of an integrator. */
static wrsim_status fill_column(const map *m, double *s, double *next, double *ret_column)
{
    for (int i = 0; i < m->n_part; i++) {
        runner *const r = &m->runner[i];
        if (!r->goes_on)
            continue;
        r->ops->restore(r->integrator);
        memcpy(wr_one_step_of(r->integrator)->x, s + m->at_x[i],
               (size_t)m->part[i].n_x * sizeof *s);
        exchange_past(r, s + m->at_past[i], 0);
    }
    for (int k = 0; k < m->n_period; k++) {
        memset(next, 0, (size_t)m->n * sizeof *next);
        for (int i = 0; i < m->n_part; i++)
            WR_TRY(advance(m, i, k, s, next));
        memcpy(s, next, (size_t)m->n * sizeof *s);
    }
    memcpy(ret_column, s, (size_t)m->n * sizeof *s);
    return WRSIM_OK;
}

static wrsim_status fill(map *m)
{
    const size_t n = (size_t)m->n;
    WR_AUTO_FREE double *const s = calloc(2 * n + 1, sizeof *s);
    if (!s)
        return WRSIM_E_MEMORY;
    for (size_t column = 0; column < n; column++) {
        memset(s, 0, n * sizeof *s);
        s[column] = 1.0;
        WR_TRY(fill_column(m, s, s + n, m->m + column * n));
    }
    return WRSIM_OK;
}

/* ---- continued steps ---- */

static int has_fixed_step(const wr_period_part *part)
{
    return part->n_x > 0 && (part->integrator->flags & WR_INTEG_FIXED_STEP);
}

/* Returns the number of periods after which all grids of fixed steps meet the beginning of a period again; at most WR_PERIOD_CYCLE. */
static int cycle_of(const wr_period_part *part, int n_part, double period_s)
{
    for (int n = 1; n < WR_PERIOD_CYCLE; n++) {
        int is_met = 1;
        for (int i = 0; i < n_part && is_met; i++) {
            const double n_step =
                has_fixed_step(&part[i]) ? n * period_s / part[i].options.step_s : 0.0;
            is_met = fabs(n_step - round(n_step)) <= grid_rounding;
        }
        if (is_met)
            return n;
    }
    return WR_PERIOD_CYCLE;
}

int wr_period_map_minds_start(const wr_period_part *part, int n_part, double period_s)
{
    for (int i = 0; i < n_part; i++)
        if (has_fixed_step(&part[i]) && is_multistep(part[i].integrator))
            return 1;
    return cycle_of(part, n_part, period_s) > 1;
}

static wrsim_status make_runners(map *m, wr_period_start start)
{
    m->runner = calloc((size_t)m->n_part + 1, sizeof *m->runner);
    if (!m->runner)
        return WRSIM_E_MEMORY;
    m->n_period = start == WR_PERIOD_GO_ON ? cycle_of(m->part, m->n_part, m->period_s) : 1;
    for (int i = 0; i < m->n_part; i++) {
        runner *const r = &m->runner[i];
        WR_TRY(runner_make(r, &m->part[i]));
        r->goes_on = start == WR_PERIOD_GO_ON && has_fixed_step(&m->part[i]);
        if (!r->goes_on)
            continue;
        const double cycle_s = m->n_period * m->period_s;
        WR_TRY(runner_go(r, r->result, 0.0, cycle_s / m->n_period));
        for (int k = 1; k < m->n_period * WARM_UP; k++)
            WR_TRY(runner_go(r, NULL, k * cycle_s / m->n_period, (k + 1) * cycle_s / m->n_period));
        r->n_past = is_multistep(r->ops) ? wr_multistep_count_past(r->integrator) : 0;
        r->ops->save(r->integrator);
        m->from_s = WARM_UP * cycle_s;
    }
    return WRSIM_OK;
}

static wrsim_status find_radius(map *m, wr_period_start start, double *ret_radius)
{
    WR_TRY(make_runners(m, start));
    if (lay_out(m) < 0)
        return WRSIM_E_MEMORY;
    WR_TRY(fill(m));
    WR_AUTO_FREE double complex *const value = calloc((size_t)m->n + 1, sizeof *value);
    if (!value)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_lapack_eigen(m->n, m->m, value, NULL, NULL));
    double radius = 0.0;
    for (int i = 0; i < m->n; i++)
        radius = wr_max(radius, cabs(value[i]));
    *ret_radius = pow(radius, 1.0 / m->n_period);
    return WRSIM_OK;
}

wrsim_status wr_period_map_radius(const wr_period_part *part, int n_part, double period_s,
                                  wr_period_order order, wr_period_start start, double *ret_radius)
{
    map m = {.part = part, .n_part = n_part, .period_s = period_s, .order = order};
    const wrsim_status status = find_radius(&m, start, ret_radius);
    for (int i = 0; m.runner && i < m.n_part; i++) {
        runner *const r = &m.runner[i];
        if (r->integrator && r->ops->destroy)
            r->ops->destroy(r->integrator);
        wr_arena_destroy(&r->arena);
    }
    free(m.runner);
    free(m.at_x);
    free(m.m);
    return status;
}
