/* Finds consistent points of a DAE. See consistent.h. Thread: one at a time. Real-time: all but place. */
#include "subsystems/solvers/consistent.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

enum { MOST_STEPS = 20, MOST_HALVINGS = 10 };
/* Sizes of steps relative to |x| + nominal (assumed). Newton's method ends before a step below done_size. A step below rounding_size that
 * does not shrink because of rounding is no failure. */
static const double done_size = 1e-10, rounding_size = 1e-7;
/* Increment of a difference along the solution, relative to |x| + nominal (assumed). */
static const double slope_part = 1e-6;

wr_consistent *wr_consistent_place(wr_arena *arena, const wr_equations *ode)
{
    wr_consistent *const c = WR_NEW(arena, wr_consistent);
    const size_t n = (size_t)ode->n_x, m = (size_t)ode->mass->n_algebraic;
    if (!c)
        return NULL;
    c->ode = ode;
    c->jac = wr_jac_color_place(arena, ode);
    c->jacobian = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    c->f = WR_NEW_ARRAY(arena, double, 4 * n);
    c->matrix = wr_arena_push(arena, m * m, sizeof(double));
    c->z = WR_NEW_ARRAY(arena, double, m);
    c->pivot = WR_NEW_ARRAY(arena, int, m);
    if (!c->jac || !c->jacobian || !c->f || !c->matrix || !c->z || !c->pivot)
        return NULL;
    c->x = c->f + n;
    c->move = c->x + n;
    c->sum = c->move + n;
    return c;
}

static int fail(wr_consistent *c, const char *message, int i_worst)
{
    c->message = message;
    c->i_worst = i_worst;
    return WRSIM_E_SOLVER;
}

static int eval(const wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x,
                double *ret_f)
{
    stats->n_rhs++;
    return c->ode->rhs(c->ode->self, t_s, x, ret_f);
}

/* Adds f_x x to ret_y, with f_x of the last factorise(). */
static void add_jacobian_times(const wr_consistent *c, const double *x, double *ret_y)
{
    const wr_matrix *const pattern = c->ode->pattern;
    for (int j = 0; j < pattern->n_column; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            ret_y[pattern->row[i]] += c->jacobian[i] * x[j];
}

/* Evaluates f_x, and factorises N^T f_x Q, at (t, x). c->f: f at (t, x). Returns as wr_consistent_solve(). */
static int factorise(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x)
{
    const wr_mass *const mass = c->ode->mass;
    const int m = mass->n_algebraic;
    const size_t bytes = (size_t)c->ode->n_x * sizeof *c->sum;
    const int code = wr_jac_color_eval(c->jac, stats, t_s, x, c->f, c->jacobian);
    if (code != 0)
        return code;
    c->t_s = t_s;
    memset(c->z, 0, (size_t)m * sizeof *c->z);
    for (int k = 0; k < m; k++) {
        c->z[k] = 1.0;
        wr_row_matrix_multiply(&mass->right, c->z, c->move);
        c->z[k] = 0.0;
        memset(c->sum, 0, bytes);
        add_jacobian_times(c, c->move, c->sum);
        wr_row_matrix_multiply(&mass->left, c->sum, c->matrix + (size_t)k * (size_t)m);
    }
    stats->n_factor++;
    stats->factor_flop += wr_dense_flop(m);
    return wr_dense_factor(m, c->matrix, c->pivot) == 0
               ? 0
               : fail(c,
                      "the algebraic equations do not determine the algebraic variables; give "
                      "equations of index 1, or start values away from singular points",
                      -1);
}

/* Writes Newton's step at f into ret_move. Returns the size of the step; *ret_i_worst: the state that moves most. */
static double find_move(wr_consistent *c, const double *x, const double *f, double *ret_move,
                        int *ret_i_worst)
{
    const wr_mass *const mass = c->ode->mass;
    wr_row_matrix_multiply(&mass->left, f, c->z);
    wr_dense_solve(mass->n_algebraic, c->matrix, c->pivot, c->z);
    for (int k = 0; k < mass->n_algebraic; k++)
        c->z[k] = -c->z[k];
    wr_row_matrix_multiply(&mass->right, c->z, ret_move);
    double largest = 0.0;
    for (int i = 0; i < c->ode->n_x; i++) {
        const double size = fabs(ret_move[i]) / (fabs(x[i]) + c->ode->nominal[i]);
        if (size <= largest)
            continue;
        largest = isfinite(size) ? size : (double)INFINITY;
        *ret_i_worst = i;
    }
    return largest;
}

/* Makes Newton's step from c->x if the step exceeds done_size; c->f: f at c->x. Sets *size to the next step's size. Returns as
 * wr_consistent_solve(). */
static int make_step(wr_consistent *c, wr_integ_stats *stats, double t_s, double *size)
{
    const int n = c->ode->n_x;
    int i_worst = -1, i_next = -1;
    double part = 1.0;
    *size = find_move(c, c->x, c->f, c->move, &i_worst);
    if (!isfinite(*size))
        return fail(c, "the algebraic equations are not finite; check parameters and start values",
                    i_worst);
    for (int halving = 0; halving <= MOST_HALVINGS && *size > done_size; halving++, part *= 0.5) {
        for (int i = 0; i < n; i++)
            c->x[i] += part * c->move[i];
        const int code = eval(c, stats, t_s, c->x, c->f);
        if (code < 0)
            return code;
        const double next = code > 0 ? (double)INFINITY : find_move(c, c->x, c->f, c->sum, &i_next);
        if (next <= (1.0 - 0.25 * part) * *size || (*size <= rounding_size && isfinite(next))) {
            *size = wr_min(next, *size <= rounding_size ? done_size : next);
            return 0;
        }
        for (int i = 0; i < n; i++)
            c->x[i] -= part * c->move[i];
    }
    return *size <= done_size
               ? 0
               : fail(c,
                      "Newton's method does not solve the algebraic equations; check "
                      "the equations, or give start values nearer to a solution",
                      i_worst);
}

int wr_consistent_solve(wr_consistent *c, wr_integ_stats *stats, double t_s, double *x)
{
    const size_t bytes = (size_t)c->ode->n_x * sizeof *x;
    memcpy(c->x, x, bytes);
    int code = eval(c, stats, t_s, x, c->f);
    for (int step = 0; step < MOST_STEPS && code == 0; step++) {
        double size;
        code = factorise(c, stats, t_s, c->x);
        if (code == 0)
            code = make_step(c, stats, t_s, &size);
        if (code != 0 || size <= done_size) {
            if (code == 0)
                memcpy(x, c->x, bytes);
            return code;
        }
        stats->n_newton++;
    }
    return code != 0 ? code
                     : fail(c,
                            "20 steps of Newton's method do not solve the algebraic equations; "
                            "check the equations, or give start values nearer to a solution",
                            -1);
}

int wr_consistent_prepare(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x)
{
    const int code = eval(c, stats, t_s, x, c->f);
    return code != 0 ? code : factorise(c, stats, t_s, x);
}

void wr_consistent_split(wr_consistent *c, const double *df, double *ret_rate, double *ret_shift)
{
    int i_worst;
    (void)find_move(c, c->x, df, c->move, &i_worst);
    memcpy(c->sum, df, (size_t)c->ode->n_x * sizeof *df);
    add_jacobian_times(c, c->move, c->sum);
    if (ret_shift)
        memcpy(ret_shift, c->move, (size_t)c->ode->n_x * sizeof *df);
    wr_row_matrix_multiply(&c->ode->mass->solve, c->sum, ret_rate);
}

int wr_consistent_slope(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x,
                        double *ret_dx)
{
    const int n = c->ode->n_x;
    int code = wr_consistent_prepare(c, stats, t_s, x);
    if (code != 0)
        return code;
    wr_row_matrix_multiply(&c->ode->mass->solve, c->f, ret_dx);
    double fastest = 1.0 / (1.0 + fabs(t_s));
    for (int i = 0; i < n; i++)
        fastest = wr_max(fastest, fabs(ret_dx[i]) / (fabs(x[i]) + c->ode->nominal[i]));
    const double by_s = slope_part / fastest;
    for (int i = 0; i < n; i++)
        c->x[i] = x[i] + by_s * ret_dx[i];
    code = eval(c, stats, t_s + by_s, c->x, c->sum);
    if (code != 0)
        return code;
    for (int i = 0; i < n; i++)
        c->sum[i] = (c->sum[i] - c->f[i]) / by_s;
    int i_worst;
    (void)find_move(c, x, c->sum, c->move, &i_worst);
    for (int i = 0; i < n; i++)
        ret_dx[i] += c->move[i];
    return 0;
}
