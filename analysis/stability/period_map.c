/* The map of a period. See period_map.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "analysis/stability/period_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/lapack.h"

/* Methods of variable steps stand for the exact solution. */
static const double exact_rtol = 1e-10;

/* x' = A x + B (u + t v) of one part. */
typedef struct linear_ode {
    const wr_period_part *part;
    const double *u, *v;
} linear_ode;

static int rhs(void *user, double t_s, const double *x, double *ret_dx)
{
    const linear_ode *const self = user;
    const wr_period_part *const p = self->part;
    memset(ret_dx, 0, (size_t)p->n_x * sizeof *ret_dx);
    for (int j = 0; j < p->n_x; j++)
        for (int i = 0; i < p->n_x; i++)
            ret_dx[i] += p->a[(size_t)j * (size_t)p->n_x + (size_t)i] * x[j];
    for (int j = 0; j < p->n_u; j++)
        for (int i = 0; i < p->n_x; i++)
            ret_dx[i] +=
                p->b[(size_t)j * (size_t)p->n_x + (size_t)i] * (self->u[j] + t_s * self->v[j]);
    return 0;
}

static int jacobian(void *user, double t_s, const double *x, double *ret_values)
{
    const wr_period_part *const p = ((const linear_ode *)user)->part;
    (void)t_s, (void)x;
    memcpy(ret_values, p->a, (size_t)p->n_x * (size_t)p->n_x * sizeof *ret_values);
    return 0;
}

/* One part with its integrator. */
typedef struct runner {
    wr_arena *arena;
    linear_ode linear;
    wr_ode ode;
    const wr_integrator_ops *ops;
    wr_integrator *integrator;
    double *input;  /* [2 n_u] u and v */
    double *result; /* [2 n_x] x and its slope at the end */
} runner;

static void runner_done(runner *r)
{
    if (r->integrator && r->ops->destroy)
        r->ops->destroy(r->integrator);
    wr_arena_destroy(&r->arena);
}

static wrsim_status runner_make(runner *r, const wr_period_part *part)
{
    const size_t n = (size_t)part->n_x;
    wr_integ_options options = part->options;
    *r = (runner){.arena = wr_arena_create((1 << 20) + 1024 * n * n), .ops = part->integrator};
    unsigned char *const full = malloc(n * n + 1);
    if (!r->arena || !full) {
        free(full);
        return WRSIM_E_MEMORY;
    }
    memset(full, 1, n * n);
    double *const one = WR_NEW_ARRAY(r->arena, double, part->n_x);
    r->input = WR_NEW_ARRAY(r->arena, double, 2 * part->n_u);
    r->result = WR_NEW_ARRAY(r->arena, double, 2 * part->n_x);
    const wr_sparsity *const pattern = wr_sparsity_place(r->arena, part->n_x, part->n_x, full);
    free(full);
    if (!one || !r->input || !r->result || !pattern)
        return WRSIM_E_MEMORY;
    if (n == 0)
        return WRSIM_OK; /* outputs only */
    for (size_t i = 0; i < n; i++)
        one[i] = 1.0;
    r->linear = (linear_ode){part, r->input, r->input + part->n_u};
    r->ode = (wr_ode){.n_x = part->n_x,
                      .self = &r->linear,
                      .rhs = rhs,
                      .jacobian = jacobian,
                      .pattern = pattern,
                      .nominal = one,
                      .tolerance_factor = one};
    if (!(r->ops->flags & WR_INTEG_FIXED_STEP)) {
        r->ops = wr_integrator_find("rosenbrock");
        options = (wr_integ_options){.rtol = exact_rtol, .atol_factor = 1.0};
    }
    return r->ops->place(r->arena, &r->ode, &options, &r->integrator);
}

/* From x over the period with the inputs set. */
static wrsim_status runner_go(runner *r, const double *x, double period_s)
{
    double t_s = 0.0;
    int code = r->ops->start(r->integrator, 0.0, x, NULL);
    while (code == 0 && t_s < period_s)
        code = r->ops->step(r->integrator, period_s, &t_s);
    if (code == 0)
        r->ops->dense(r->integrator, period_s, r->result, r->result + r->ode.n_x);
    return code < 0 ? (wrsim_status)code : WRSIM_OK;
}

/* The map column by column: where each part's x, y and y' are in s. */
typedef struct map {
    const wr_period_part *part;
    int n_part, n; /* of s */
    int *at_x, *at_y, *at_dy;
    double period_s;
    wr_period_order order;
    double *m; /* [n * n] */
} map;

static int lay_out(map *m)
{
    m->at_x = calloc(3 * (size_t)m->n_part + 1, sizeof *m->at_x);
    if (!m->at_x)
        return -1;
    m->at_y = m->at_x + m->n_part;
    m->at_dy = m->at_y + m->n_part;
    for (int i = 0; i < m->n_part; i++) {
        m->at_x[i] = m->n;
        m->at_y[i] = m->n + m->part[i].n_x;
        m->at_dy[i] = m->at_y[i] + m->part[i].n_y;
        m->n = m->at_dy[i] + (m->order == WR_PERIOD_LINEAR ? m->part[i].n_y : 0);
    }
    m->m = calloc((size_t)m->n * (size_t)m->n + 1, sizeof *m->m);
    return m->m ? 0 : -1;
}

/* y[n_y] += C x + D u */
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

/* What part i makes of the unit vector of s that column stands for, in that column. */
static wrsim_status fill(map *m, int i, runner *r, const double *s, int column)
{
    const wr_period_part *const p = &m->part[i];
    double *const u = r->input, *const v = u + p->n_u,
                  *const to = m->m + (size_t)column * (size_t)m->n;
    int is_touched = column >= m->at_x[i] && column < m->at_y[i];
    for (int k = 0; k < p->n_u; k++) {
        const int from = p->source_part[k];
        u[k] = from >= 0 ? s[m->at_y[from] + p->source_output[k]] : 0.0;
        v[k] = from >= 0 && m->order == WR_PERIOD_LINEAR ? s[m->at_dy[from] + p->source_output[k]]
                                                         : 0.0;
        is_touched |= fabs(u[k]) > 0.0 || fabs(v[k]) > 0.0;
    }
    if (!is_touched)
        return WRSIM_OK;
    if (p->n_x > 0)
        WR_TRY(runner_go(r, s + m->at_x[i], m->period_s));
    memcpy(to + m->at_x[i], r->result, (size_t)p->n_x * sizeof *to);
    if (m->order == WR_PERIOD_LINEAR)
        add_outputs(p, r->result + p->n_x, v, to + m->at_dy[i]);
    for (int k = 0; k < p->n_u; k++)
        u[k] += m->period_s * v[k];
    add_outputs(p, r->result, u, to + m->at_y[i]);
    return WRSIM_OK;
}

static wrsim_status fill_all(map *m)
{
    double *const s = calloc((size_t)m->n + 1, sizeof *s);
    wrsim_status status = s ? WRSIM_OK : WRSIM_E_MEMORY;
    for (int i = 0; i < m->n_part && status == WRSIM_OK; i++) {
        runner r;
        status = runner_make(&r, &m->part[i]);
        for (int column = 0; column < m->n && status == WRSIM_OK; column++) {
            s[column] = 1.0;
            status = fill(m, i, &r, s, column);
            s[column] = 0.0;
        }
        runner_done(&r);
    }
    free(s);
    return status;
}

wrsim_status wr_period_map_radius(const wr_period_part *part, int n_part, double period_s,
                                  wr_period_order order, double *ret_radius)
{
    map m = {.part = part, .n_part = n_part, .period_s = period_s, .order = order};
    wrsim_status status = lay_out(&m) == 0 ? fill_all(&m) : WRSIM_E_MEMORY;
    double complex *const value =
        status == WRSIM_OK ? calloc((size_t)m.n + 1, sizeof *value) : NULL;
    if (status == WRSIM_OK)
        status = value ? wr_lapack_eigen(m.n, m.m, value, NULL, NULL) : WRSIM_E_MEMORY;
    double radius = 0.0;
    for (int i = 0; i < m.n && status == WRSIM_OK; i++)
        radius = wr_max(radius, cabs(value[i]));
    if (status == WRSIM_OK)
        *ret_radius = radius;
    free(value);
    free(m.at_x);
    free(m.m);
    return status;
}
