/* Evaluates Jacobians by colours. See jac_color.h. Thread: one at a time. Real-time: evaluation. */
#include "subsystems/solvers/jac_color.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Least size of a state, as a share of its nominal value (assumed). The share is small enough for species that stay far below the nominal
 * value, and large enough for rounding of f. */
static const double NOMINAL_PART = 0.01;
/* MOST_RATE (assumed): bound of the rate of Newton's method in a state by the error of a kept Jacobian. At this rate the error of an iterate is
 * at most its last change. UNEQUAL: multiples of the golden ratio spread evenly over the unit interval, so that changes of two entries of a
 * row do not cancel each other. */
static const double MOST_RATE = 0.5, UNEQUAL = 0.6180339887498949;

static int place_colours(wr_jac_color *jac, wr_arena *arena)
{
    const int n = jac->ode->n_x;
    int *const colour = WR_NEW_ARRAY(arena, int, n);
    int *const column = WR_NEW_ARRAY(arena, int, n);
    if (!colour || !column)
        return -1;
    const wr_matrix *const full = jac->ode->pattern;
    jac->n_colour = jac->pattern == full ? wr_sparsity_colour(full, colour)
                                         : wr_sparsity_colour_partial(full, jac->pattern, colour);
    int *const start = jac->n_colour < 0 ? NULL : WR_NEW_ARRAY(arena, int, jac->n_colour + 1);
    if (!start)
        return -1;
    int n_sorted = 0;
    for (int c = 0; c < jac->n_colour; c++) {
        start[c] = n_sorted;
        for (int i = 0; i < n; i++)
            if (colour[i] == c)
                column[n_sorted++] = i;
    }
    start[jac->n_colour] = n_sorted;
    jac->colour_start = start;
    jac->column = column;
    return 0;
}

/* Finds the places of the kept entries in the pattern of the ODE. Returns 0, or -1 if memory is exhausted or an entry has no place. */
static int place_part(wr_jac_color *jac, wr_arena *arena)
{
    const wr_matrix *const part = jac->pattern, *const full = jac->ode->pattern;
    int *const place = WR_NEW_ARRAY(arena, int, part->n_nonzero);
    jac->all = WR_NEW_ARRAY(arena, double, jac->ode->jacobian ? full->n_nonzero : 0);
    if (!place || !jac->all || part->n_column != full->n_column || part->n_row != full->n_row)
        return -1;
    for (int j = 0; j < part->n_column; j++)
        for (int i = part->start[j]; i < part->start[j + 1]; i++) {
            place[i] = wr_matrix_find(full, part->row[i], j);
            if (place[i] < 0)
                return -1;
        }
    jac->place = place;
    return 0;
}

wr_jac_color *wr_jac_color_place(wr_arena *arena, const wr_equations *ode)
{
    return wr_jac_color_place_part(arena, ode, ode->pattern);
}

wr_jac_color *wr_jac_color_place_part(wr_arena *arena, const wr_equations *ode,
                                      const wr_matrix *part)
{
    wr_jac_color *const jac = WR_NEW(arena, wr_jac_color);
    if (!jac)
        return NULL;
    jac->ode = ode;
    jac->pattern = part;
    if (part != ode->pattern && place_part(jac, arena) != 0)
        return NULL;
    if (ode->jacobian)
        return jac;
    jac->x = WR_NEW_ARRAY(arena, double, ode->n_x);
    jac->dx = WR_NEW_ARRAY(arena, double, ode->n_x);
    jac->inverse = WR_NEW_ARRAY(arena, double, ode->n_x);
    jac->kept = WR_NEW_ARRAY(arena, double, ode->n_x);
    jac->change = ode->tangent ? WR_NEW_ARRAY(arena, double, ode->n_x) : NULL;
    if (ode->tangent && !jac->change)
        return NULL;
    if (!jac->x || !jac->dx || !jac->inverse || !jac->kept || place_colours(jac, arena) != 0)
        return NULL;
    return jac;
}

static double increment(const wr_jac_color *jac, const double *x, int j)
{
    const double size = sqrt(DBL_EPSILON) * wr_max(fabs(x[j]), NOMINAL_PART * jac->ode->nominal[j]);
    return x[j] < 0.0 ? -size : size;
}

/* Shifts the states of one colour by their increments, and evaluates f at the shifted point. */
static int eval_shifted(wr_jac_color *jac, wr_integ_stats *stats, double t_s, const double *x,
                        int colour, double sign)
{
    for (int k = jac->colour_start[colour]; k < jac->colour_start[colour + 1]; k++) {
        const int j = jac->column[k];
        jac->x[j] = x[j] + sign * increment(jac, x, j);
        jac->inverse[j] = 1.0 / (jac->x[j] - x[j]); /* the rounded increment */
    }
    stats->n_rhs++;
    return jac->ode->rhs(jac->ode->self, t_s, jac->x, jac->dx);
}

/* Finds the columns of one colour by a directional derivative, which counts as an evaluation of f. Returns 0, or 1 if the derivative is not
 * available. */
static int eval_tangent(wr_jac_color *jac, wr_integ_stats *stats, double t_s, const double *x,
                        int colour, double *ret_values)
{
    const wr_equations *const ode = jac->ode;
    const wr_matrix *const pattern = jac->pattern;
    const int *const first = jac->column + jac->colour_start[colour];
    const int *const end = jac->column + jac->colour_start[colour + 1];
    for (const int *j = first; j < end; j++)
        jac->change[*j] = 1.0;
    stats->n_rhs++;
    const int code = ode->tangent(ode->self, t_s, x, jac->change, jac->dx);
    for (const int *j = first; j < end; j++) {
        jac->change[*j] = 0.0;
        for (int i = pattern->start[*j]; i < pattern->start[*j + 1] && !code; i++)
            ret_values[i] = jac->dx[pattern->row[i]];
    }
    return code != 0;
}

static int eval_own(wr_jac_color *jac, double t_s, const double *x, double *ret_values)
{
    const wr_equations *const ode = jac->ode;
    const int code = ode->jacobian(ode->self, t_s, x, jac->place ? jac->all : ret_values);
    for (int i = 0; jac->place && code == 0 && i < jac->pattern->n_nonzero; i++)
        ret_values[i] = jac->all[jac->place[i]];
    return code;
}

int wr_jac_color_eval(wr_jac_color *jac, wr_integ_stats *stats, double t_s, const double *x,
                      const double *f, double *ret_values)
{
    const wr_equations *const ode = jac->ode;
    const wr_matrix *const pattern = jac->pattern;
    stats->n_jacobian++;
    if (ode->jacobian)
        return eval_own(jac, t_s, x, ret_values);
    memcpy(jac->x, x, (size_t)ode->n_x * sizeof *x);
    for (int colour = 0; colour < jac->n_colour; colour++) {
        if (ode->tangent && eval_tangent(jac, stats, t_s, x, colour, ret_values) == 0)
            continue;
        int code = eval_shifted(jac, stats, t_s, x, colour, 1.0);
        if (code > 0)
            code = eval_shifted(jac, stats, t_s, x, colour, -1.0);
        if (code != 0)
            return code;
        for (int k = jac->colour_start[colour]; k < jac->colour_start[colour + 1]; k++) {
            const int j = jac->column[k];
            for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++) {
                const int row = pattern->row[i];
                ret_values[i] = (jac->dx[row] - f[row]) * jac->inverse[j];
            }
            jac->x[j] = x[j];
        }
    }
    return 0;
}

/* Finds the change of f, jac->dx, for the change jac->inverse of the states. Returns non-zero if the change is not available. */
static int eval_change(wr_jac_color *jac, wr_integ_stats *stats, const wr_jac_point *at)
{
    const wr_equations *const ode = jac->ode;
    stats->n_rhs++;
    if (ode->tangent)
        return ode->tangent(ode->self, at->t_s, at->x, jac->inverse, jac->dx);
    const int code = ode->rhs(ode->self, at->t_s, jac->x, jac->dx);
    for (int i = 0; i < ode->n_x; i++)
        jac->dx[i] -= at->f[i];
    return code;
}

double wr_jac_color_fits(wr_jac_color *jac, wr_integ_stats *stats, const wr_jac_point *at,
                         const double *values)
{
    const wr_matrix *const pattern = jac->pattern;
    const double *const x = at->x, share = sqrt(DBL_EPSILON);
    const int n = jac->ode->n_x;
    if (jac->ode->jacobian || jac->n_colour <= 1)
        return 0.0;
    double *const kept = jac->kept, *const change = jac->inverse;
    memset(kept, 0, (size_t)n * sizeof *kept);
    for (int j = 0; j < n; j++) {
        const double size = wr_max(fabs(increment(jac, x, j)), share * at->tolerance[j]);
        jac->x[j] = x[j] + copysign((1.0 + fmod(j * UNEQUAL, 1.0)) * size, x[j]);
        change[j] = jac->x[j] - x[j];
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            kept[pattern->row[i]] += values[i] * change[j];
    }
    const int code = eval_change(jac, stats, at);
    if (code != 0)
        return code < 0 && !jac->ode->tangent ? -1.0 : 0.0;
    double gamma_s = (double)INFINITY;
    for (int i = 0; i < n; i++) {
        const double excess =
            fabs(jac->dx[i] - kept[i]) - MOST_RATE * wr_min(fabs(jac->dx[i]), fabs(kept[i]));
        if (!isfinite(excess))
            return 0.0;
        if (excess > 0.0)
            gamma_s = wr_min(gamma_s, MOST_RATE * share * at->tolerance[i] / excess);
    }
    return gamma_s;
}

double wr_jac_color_norm(const wr_matrix *pattern, const double *values, const double *tolerance,
                         double *work)
{
    const int n = pattern->n_column;
    double largest = 0.0;
    memset(work, 0, (size_t)n * sizeof *work);
    for (int j = 0; j < n; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            work[pattern->row[i]] += fabs(values[i]) * tolerance[j];
    for (int i = 0; i < n; i++)
        if (work[i] > 0.0)
            largest = wr_max(largest, work[i] / tolerance[i]);
    return largest;
}
