/* Propagation of the error of one subsystem. See propagation.h. Thread: as in propagation.h. Real-time: yes after placing. */
#include "runtime/relax/propagation.h"

#include <float.h>
#include <string.h>

#include "base/dense.h"
#include "base/finite.h"

/* Floating-point operations that take about as long as one state's part of a right-hand side (assumed). */
static const double FLOP_PER_STATE = 100.0;
/* Limits of a full Jacobian (assumed): with more states or entries the object stores only the diagonal of the states. */
enum { MOST_STATES = 48, MOST_ENTRIES = 1 << 13 };
enum { SELDOM = 4 }; /* with is_seldom one of SELDOM (assumed) calls measures a column */
enum { SWEEPS = 6 }; /* assumed number of sweeps in the cost of a propagation */

/* Largest range that is rounding, per size of the variable (assumed). */
static const double NOISE = 1e-12;
static const double STAGE = 0.29289321881345254; /* g = 1 - sqrt(1/2), the method's coefficient */
/* If g h times the largest rate in J is below this limit (assumed), wr_propagation_factor() uses J = 0. */
static const double SMALL = 0.5;

struct wr_propagation {
    wr_subsystem *subsystem;
    int n_x, n_u, n_y, n_d;
    int n_row;         /* rows of J: states and computed outputs */
    int is_full;       /* J is stored with all columns; 0: only its diagonal */
    int is_diagonal;   /* the step uses the diagonal of J only */
    int is_plain;      /* the step uses no J, because J is not stiff over factored_s */
    double factored_s; /* length of the step for which J is factored */
    /* bound on the rates in J, 1/s, from the last wr_propagation_measure_all(); 0 before */
    double fastest;
    int *row;                 /* [n_y] row of J of each output; -1 - i: the output is state i */
    const wr_matrix *pattern; /* pattern of J; NULL: not known */
    /* [n_x + n_u] colour of each column; columns of one colour share no row */
    int n_colour, *colour;
    double *error;    /* [n_x] */
    double *output;   /* [n_y] errors of published outputs */
    double *jacobian; /* [n_row (n_x + n_u)] by columns, or [n_x] */
    double *average;  /* mean of `jacobian` and the J at the start of the step */
    int i_column;     /* the next column to measure */
    int n_left_out;   /* number of calls with is_seldom */
    int has_bad;      /* 1: wr_propagation_measure() has found a derivative that is not finite */
    int is_complete;  /* 1: all columns are measured */
    int is_measured;  /* 1: all columns are measured at the present point */
    double *discrete; /* [n_d] values of discrete states at the last step */
    double discrete_error;     /* relative error of discrete states, if of_discrete is NULL */
    const double *of_discrete; /* [n_d] the owner's errors of discrete states; NULL: unknown */
    double *discrete_rate;     /* [n_row] effect of of_discrete on slopes and outputs */
    double *least;             /* [n_x + n_y + n_u] least range of each variable */
    double *low, *high;        /* [n_x + n_y + n_u] least and largest values so far */
    double *range; /* [n_x + n_y + n_u] range of each variable (wr_propagation_range()) */
    double *before,
        *mean; /* [n_u] errors of inputs at the start of the step; mean additional errors */
    /* Data of a step. */
    double *slope;  /* [n_row] slopes at the start of the step */
    double *start;  /* [n_x] errors at the start of the step */
    double *matrix; /* [n_x n_x] factors of (1 - g h J) */
    int *pivot;
    /* Work space of a call, which objects of one thread may share. */
    double *rate, *stage, *column; /* [n_x], [n_x], [n_row] */
    double *direction;             /* [n_x + n_u] */
    double *shift;                 /* [n_y] */
};

/* ---- placing ---- */

/* An array of the object. is_kept: a checkpoint contains the array. */
typedef struct array_room {
    double **array;
    int n, is_kept;
} array_room;

enum { ROOMS = 14 };

static void list_rooms(wr_propagation *c, array_room ret_room[ROOMS])
{
    const int n_x = c->n_x, n_u = c->n_u, n_y = c->n_y, n_all = n_x + n_y + n_u;
    const int n_square = c->is_full ? n_x * n_x : 0;
    const int n_jacobian = c->is_full ? c->n_row * (n_x + n_u) : n_x;
    /* Arrays that one loop of the owner reads are adjacent. */
    const array_room rooms[ROOMS] = {
        {&c->error, n_x, 1},           {&c->output, n_y, 1},        {&c->range, n_all, 0},
        {&c->before, n_u, 0},          {&c->mean, n_u, 0},          {&c->start, n_x, 0},
        {&c->slope, c->n_row, 0},      {&c->matrix, n_square, 0},   {&c->discrete, c->n_d, 1},
        {&c->low, n_all, 1},           {&c->high, n_all, 1},        {&c->least, n_all, 0},
        {&c->jacobian, n_jacobian, 1}, {&c->average, n_jacobian, 0}};
    memcpy(ret_room, rooms, sizeof rooms);
}

static int place_arrays(wr_propagation *c, wr_arena *arena, double *work)
{
    const int n_x = c->n_x, n_u = c->n_u, n_y = c->n_y, n_all = n_x + n_y + n_u;
    array_room room[ROOMS];
    list_rooms(c, room);
    for (int i = 0; i < ROOMS; i++)
        if (!(*room[i].array = WR_NEW_ARRAY(arena, double, room[i].n)))
            return -1;
    if (!work && !(work = WR_NEW_ARRAY(arena, double, wr_propagation_n_work(c->subsystem))))
        return -1;
    c->rate = work;
    c->stage = c->rate + n_x;
    c->column = c->stage + n_x;
    c->direction = c->column + c->n_row;
    c->shift = c->direction + n_x + n_u;
    if (n_x > 0) /* a recorded subsystem has no states and no array */
        memcpy(c->least, c->subsystem->atol_x, (size_t)n_x * sizeof *c->least);
    memcpy(c->least + n_x, c->subsystem->atol_published, (size_t)n_y * sizeof *c->least);
    memcpy(c->least + n_x + n_y, c->subsystem->atol_external, (size_t)n_u * sizeof *c->least);
    for (int i = 0; i < n_all; i++) {
        c->low[i] = (double)INFINITY;
        c->high[i] = -(double)INFINITY;
    }
    return 0;
}

int wr_propagation_n_work(const wr_subsystem *s)
{
    return 4 * s->n_x + 2 * s->n_published + s->n_external;
}

wr_propagation *wr_propagation_place(wr_arena *arena, wr_subsystem *s, double *work)
{
    wr_propagation *const c = WR_NEW(arena, wr_propagation);
    int *const row = WR_NEW_ARRAY(arena, int, s->n_published);
    int *const pivot = WR_NEW_ARRAY(arena, int, s->n_x);
    if (!c || !row || !pivot)
        return NULL;
    *c = (wr_propagation){.subsystem = s,
                          .n_x = s->n_x,
                          .n_u = s->n_external,
                          .n_y = s->n_published,
                          .n_d = s->n_d,
                          .n_row = s->n_x,
                          .row = row,
                          .pivot = pivot};
    for (int i = 0; i < c->n_y; i++) {
        const int state = s->signal_state[i];
        c->row[i] = state >= 0 ? -1 - state : c->n_row++;
    }
    c->is_full =
        c->n_x <= MOST_STATES && (double)c->n_row * (c->n_x + c->n_u) <= (double)MOST_ENTRIES;
    return place_arrays(c, arena, work) == 0 ? c : NULL;
}

int wr_propagation_place_discrete(wr_propagation *c, wr_arena *arena)
{
    c->discrete_rate = WR_NEW_ARRAY(arena, double, c->n_row);
    return c->discrete_rate ? 0 : -1;
}

void wr_propagation_set_discrete(wr_propagation *c, const double *discrete)
{
    c->of_discrete = discrete;
}

int wr_propagation_feel_discrete(wr_propagation *c)
{
    int is_any = 0;
    for (int k = 0; k < c->n_d; k++)
        is_any |= fabs(c->of_discrete[k]) > 0.0;
    memset(c->discrete_rate, 0, (size_t)c->n_row * sizeof *c->discrete_rate);
    if (is_any && wr_subsystem_tangent_discrete(c->subsystem, c->of_discrete, c->discrete_rate,
                                                c->shift) != 0)
        memset(c->discrete_rate, 0, (size_t)c->n_row * sizeof *c->discrete_rate);
    else
        for (int i = 0; i < c->n_y && is_any; i++)
            if (c->row[i] >= 0)
                c->discrete_rate[c->row[i]] = c->shift[i];
    return is_any;
}

/* Without a pattern each column has a colour of its own. */
int wr_propagation_place_colours(wr_propagation *c, wr_arena *arena)
{
    const int n = c->n_x + c->n_u;
    c->colour = WR_NEW_ARRAY(arena, int, n);
    if (!c->colour)
        return -1;
    c->pattern = c->is_full ? wr_subsystem_pattern(c->subsystem, arena) : NULL;
    c->n_colour = c->pattern ? wr_sparsity_colour(c->pattern, c->colour) : n;
    for (int i = 0; i < n && !c->pattern; i++)
        c->colour[i] = i;
    return c->n_colour >= 0 ? 0 : -1;
}

double *wr_propagation_error(const wr_propagation *c) { return c->error; }

const double *wr_propagation_output(const wr_propagation *c) { return c->output; }

double wr_propagation_cost(const wr_propagation *c)
{
    const double n = c->n_x, m = c->n_u, per_rhs = (10.0 + n) * FLOP_PER_STATE;
    const double flop = c->is_full ? 0.67 * n * n * n + 4.0 * (double)c->n_row * (n + m) +
                                         SWEEPS * (6.0 * n * n + 4.0 * n * m)
                                   : 20.0 * n;
    return 2.0 + (flop + 30.0 * c->n_y) / per_rhs;
}

/* ---- ranges ---- */

static void find_range(wr_propagation *c, int i)
{
    const double range = c->high[i] - c->low[i];
    const double size = wr_max(fabs(c->low[i]), fabs(c->high[i]));
    c->range[i] = !(range >= 0.0) ? 0.0 : wr_max(range > NOISE * size ? range : size, c->least[i]);
}

static void widen(wr_propagation *c, int first, int n, const double *value)
{
    for (int i = 0; i < n; i++) {
        double *const low = &c->low[first + i], *const high = &c->high[first + i];
        if (value[i] >= *low && value[i] <= *high)
            continue;
        *low = wr_min(*low, value[i]);
        *high = wr_max(*high, value[i]);
        find_range(c, first + i);
    }
}

void wr_propagation_note_ranges(wr_propagation *c, const wr_wave *wave)
{
    widen(c, 0, c->n_x, c->subsystem->x);
    if (wave->n_node > 0)
        widen(c, c->n_x, c->n_y, wave->value + (size_t)(wave->n_node - 1) * (size_t)wave->n_signal);
    widen(c, c->n_x + c->n_y, c->n_u, c->subsystem->external);
}

double wr_propagation_range(const wr_propagation *c, int i) { return c->range[i]; }

double wr_propagation_size(const wr_propagation *c, int i)
{
    const double range = wr_propagation_range(c, i < c->n_x ? i : i + c->n_y);
    return range > 0.0 ? range : 1.0;
}

double wr_propagation_largest(const wr_propagation *c)
{
    double largest = 0.0;
    for (int k = 0; k < c->n_x; k++)
        largest = wr_max(largest, wr_propagation_relative(c->error[k], wr_propagation_range(c, k)));
    for (int k = 0; k < c->n_y; k++)
        largest = wr_max(
            largest, wr_propagation_relative(c->output[k], wr_propagation_range(c, c->n_x + k)));
    return largest;
}

/* ---- data of the subsystem ---- */

/* Computes the derivative of states and computed outputs along `direction`. Returns 0, or 1 if the model fails. */
static int differentiate(wr_propagation *c, double *ret)
{
    const double *const u = c->direction + c->n_x;
    if (wr_subsystem_tangent(c->subsystem, c->direction, u, ret) != 0)
        return 1;
    if (c->n_y == 0 || c->n_row == c->n_x)
        return 0;
    if (wr_subsystem_tangent_outputs(c->subsystem, c->direction, u, c->shift) != 0)
        return 1;
    for (int i = 0; i < c->n_y; i++)
        if (c->row[i] >= 0)
            ret[c->row[i]] = c->shift[i];
    return 0;
}

int wr_propagation_measure(wr_propagation *c, int is_seldom)
{
    const int is_first = !c->is_complete;
    const int n = c->is_full ? (c->n_row > 0 ? c->n_x + c->n_u : 0) : c->n_x;
    const int n_wanted = is_first ? n : n > 0 && !(is_seldom && ++c->n_left_out % SELDOM),
              n_kept = c->is_full ? c->n_row * n : 0;
    memcpy(c->average, c->jacobian, (size_t)n_kept * sizeof *c->average);
    for (int k = 0; k < n_wanted; k++) {
        const int i = c->i_column;
        c->i_column = (i + 1) % n;
        memset(c->direction, 0, (size_t)(c->n_x + c->n_u) * sizeof *c->direction);
        c->direction[i] = 1.0;
        if (differentiate(c, c->column) != 0)
            continue;
        c->has_bad |= wr_has_bad(c->column, c->n_row);
        if (c->is_full)
            memcpy(c->jacobian + (size_t)i * (size_t)c->n_row, c->column,
                   (size_t)c->n_row * sizeof *c->column);
        else
            c->jacobian[i] = c->column[i];
    }
    if (is_first)
        memcpy(c->average, c->jacobian, (size_t)n_kept * sizeof *c->average);
    c->is_complete = 1;
    return is_first ? 0 : n_wanted;
}

/* Returns a change of a variable in proportion to its size and tolerance, so that all variables of a colour count alike. */
static double change_of(const wr_propagation *c, int i)
{
    const wr_subsystem *const s = c->subsystem;
    const int is_state = i < c->n_x;
    const double value = is_state ? s->x[i] : s->external[i - c->n_x];
    return fabs(value) + (is_state ? s->atol_x[i] : s->atol_external[i - c->n_x]) / s->rtol;
}

/* Returns the largest row sum of |df/dx|, 1/s, scaled by the ranges of the states: a bound on rates of growth and decay. */
static double rate_of(const wr_propagation *c)
{
    double largest = 0.0;
    memset(c->column, 0, (size_t)c->n_row * sizeof *c->column);
    for (int i = 0; i < c->n_x; i++) {
        const double size = wr_propagation_size(c, i);
        for (int k = 0; k < c->n_x; k++)
            c->column[k] += fabs(c->jacobian[i * c->n_row + k]) * size / wr_propagation_size(c, k);
    }
    for (int k = 0; k < c->n_x; k++)
        largest = wr_max(largest, c->column[k]);
    return largest;
}

int wr_propagation_measure_all(wr_propagation *c)
{
    const int n = c->n_x + c->n_u;
    if (!c->is_full || c->n_row == 0)
        return wr_propagation_measure(c, 0);
    for (int colour = 0; colour < c->n_colour; colour++) {
        for (int i = 0; i < n; i++)
            c->direction[i] = c->colour[i] == colour ? change_of(c, i) : 0.0;
        if (differentiate(c, c->column) != 0)
            continue;
        for (int i = 0; i < n; i++) {
            double *const column = c->jacobian + (size_t)i * (size_t)c->n_row;
            if (c->colour[i] != colour)
                continue;
            const int first = c->pattern ? c->pattern->start[i] : 0;
            const int end = c->pattern ? c->pattern->start[i + 1] : c->n_row;
            for (int k = first; k < end; k++) {
                const int row = c->pattern ? c->pattern->row[k] : k;
                column[row] = c->column[row] / c->direction[i];
            }
        }
    }
    c->fastest = rate_of(c);
    c->is_complete = c->is_measured = 1;
    return c->n_colour;
}

/* Adds J v to ret[n], over n_column columns from `first` on. */
static void add_product(const wr_propagation *c, const double *jacobian, int n, int first,
                        int n_column, const double *v, double *ret)
{
    const double *column = jacobian + (size_t)first * (size_t)c->n_row;
    for (int i = 0; i < n_column; i++, column += c->n_row)
        for (int k = 0; k < n; k++)
            ret[k] += column[k] * v[i];
}

double wr_propagation_weight(const wr_propagation *c, int i_external)
{
    if (!c->is_full || c->n_x == 0)
        return 1.0;
    double largest = 0.0;
    const double *const column = c->jacobian + (size_t)(c->n_x + i_external) * (size_t)c->n_row;
    for (int k = 0; k < c->n_x; k++)
        largest = wr_max(largest, fabs(column[k]) / wr_propagation_size(c, k));
    return largest * wr_propagation_size(c, c->n_x + i_external);
}

/* ---- a step of the error's equation ---- */

/* Factors (1 - g h J). Returns 0; any other number: the step has to use the diagonal of J. */
static int factor(wr_propagation *c, double h, const double *jacobian)
{
    const int n = c->n_x;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            c->matrix[i * n + k] = (double)(i == k) - STAGE * h * jacobian[i * c->n_row + k];
    return wr_dense_factor(n, c->matrix, c->pivot);
}

/* Solves E' = J E + b over h, where `rate` is J E + b at the start. Two stages solve (1 - g h J) k = rate at E and at E + (1 - g) h k_1.
 * With the diagonal d of J, a state with d h < -1e-3 has the step (exp(d h) - 1) / d instead of h. If only the diagonal is stored, d is 1.5
 * times its entry (assumed). */
static void step(wr_propagation *c, double h, const double *start, double *ret)
{
    const int n = c->n_x;
    if (c->is_diagonal) {
        for (int k = 0; k < n; k++) {
            const double d = c->is_full ? c->average[k * c->n_row + k] : 1.5 * c->jacobian[k];
            ret[k] = start[k] + c->rate[k] * (d * h < -1e-3 ? expm1(d * h) / d : h);
        }
        return;
    }
    memcpy(c->stage, c->rate, (size_t)n * sizeof *c->stage);
    wr_dense_solve(n, c->matrix, c->pivot, c->stage);
    memset(c->column, 0, (size_t)n * sizeof *c->column);
    add_product(c, c->average, n, 0, n, c->stage, c->column);
    for (int k = 0; k < n; k++)
        c->rate[k] += (1.0 - STAGE) * h * c->column[k];
    wr_dense_solve(n, c->matrix, c->pivot, c->rate);
    for (int k = 0; k < n; k++)
        ret[k] = start[k] + h * ((1.0 - STAGE) * c->stage[k] + STAGE * c->rate[k]);
}

/* ---- if the owner propagates the errors of states ---- */

int wr_propagation_needs_rates(const wr_propagation *c, double h)
{
    return !c->is_full || !c->is_complete || !(STAGE * h * c->fastest < 0.5 * SMALL);
}

void wr_propagation_factor(wr_propagation *c, double h)
{
    c->factored_s = h;
    c->is_plain = c->is_full && STAGE * h * c->fastest < SMALL;
    c->is_diagonal = c->is_plain || !c->is_full || factor(c, h, c->jacobian) != 0;
}

void wr_propagation_solve(wr_propagation *c, double *value)
{
    if (c->is_plain)
        return;
    if (!c->is_diagonal) {
        wr_dense_solve(c->n_x, c->matrix, c->pivot, value);
        return;
    }
    for (int k = 0; k < c->n_x; k++) {
        const double d = c->is_full ? c->jacobian[k * c->n_row + k] : c->jacobian[k];
        value[k] /= 1.0 - STAGE * c->factored_s * wr_min(d, 0.0);
    }
}

/* ---- propagation ---- */

/* Finds the relative error of discrete states if the owner supplies no errors. If a discrete state has changed, this error becomes the
 * largest relative error of inputs and states. */
static void find_discrete(wr_propagation *c)
{
    const wr_subsystem *const s = c->subsystem;
    int has_changed = 0;
    for (int i = 0; i < c->n_d; i++) {
        has_changed |= s->d[i] < c->discrete[i] || s->d[i] > c->discrete[i];
        c->discrete[i] = s->d[i];
    }
    if (!has_changed)
        return;
    c->discrete_error = 0.0;
    for (int j = 0; j < c->n_u; j++) {
        const double range = wr_propagation_range(c, c->n_x + c->n_y + j);
        c->discrete_error =
            wr_max(c->discrete_error, wr_propagation_relative(c->before[j] + c->mean[j], range));
    }
    for (int k = 0; k < c->n_x; k++)
        c->discrete_error = wr_max(
            c->discrete_error, wr_propagation_relative(c->error[k], wr_propagation_range(c, k)));
}

static int is_zero(int n, const double *value)
{
    int i = 0;
    while (i < n && value[i] >= 0.0 && value[i] <= 0.0)
        i++;
    return i == n;
}

int wr_propagation_is_zero(const wr_propagation *c, const double *input, const double *mean_more,
                           const double *end_more, const double *source)
{
    const int has_discrete = c->of_discrete ? !is_zero(c->n_d, c->of_discrete) : c->n_d > 0;
    return is_zero(c->n_x, c->error) && is_zero(c->n_u, mean_more) && is_zero(c->n_u, end_more) &&
           is_zero(c->n_x, source) && is_zero(c->n_u, input) && is_zero(c->n_y, c->output) &&
           !has_discrete && !c->has_bad;
}

void wr_propagation_begin(wr_propagation *c, double h, const double *input, const double *mean_more)
{
    memcpy(c->before, input, (size_t)c->n_u * sizeof *c->before);
    memcpy(c->mean, mean_more, (size_t)c->n_u * sizeof *c->mean);
    if (!c->of_discrete)
        find_discrete(c);
    memcpy(c->start, c->error, (size_t)c->n_x * sizeof *c->error);
    memcpy(c->direction, c->error, (size_t)c->n_x * sizeof *c->error);
    for (int j = 0; j < c->n_u; j++)
        c->direction[c->n_x + j] = c->before[j] + c->mean[j];
    if (differentiate(c, c->slope) != 0)
        memset(c->slope, 0, (size_t)c->n_row * sizeof *c->slope);
    else if (c->is_measured)
        memcpy(c->average, c->jacobian,
               (size_t)c->n_row * (size_t)(c->n_x + c->n_u) * sizeof *c->average);
    else if (c->is_full) { /* means over the step of J, and of the derivative along `direction` */
        memset(c->column, 0, (size_t)c->n_row * sizeof *c->column);
        add_product(c, c->average, c->n_row, 0, c->n_x + c->n_u, c->direction, c->column);
        for (int k = 0; k < c->n_x; k++)
            c->slope[k] = 0.5 * (c->slope[k] + c->column[k]);
        for (int i = 0; i < c->n_row * (c->n_x + c->n_u); i++)
            c->average[i] = 0.5 * (c->average[i] + c->jacobian[i]);
    }
    c->is_measured = 0;
    c->is_diagonal = !c->is_full || c->n_x == 0 || factor(c, h, c->average) != 0;
}

static double limited(double error, double most)
{
    return isfinite(error) ? wr_clamp(error, -most, most) : most;
}

/* Finds errors of published outputs from the errors of states and inputs in `direction`. Returns the largest change, relative
 * to the range. */
static double show_outputs(wr_propagation *c)
{
    double largest = 0.0;
    memset(c->column, 0, (size_t)c->n_row * sizeof *c->column);
    if (c->is_full && c->n_row > c->n_x)
        add_product(c, c->jacobian, c->n_row, 0, c->n_x + c->n_u, c->direction, c->column);
    for (int i = 0; i < c->n_y; i++) {
        const int row = c->row[i];
        const double range = wr_propagation_range(c, c->n_x + i);
        double error = row < 0 ? c->error[-1 - row] : c->is_full ? c->column[row] : c->slope[row];
        if (row >= 0 && c->of_discrete)
            error += c->discrete_rate[row];
        else if (row >= 0) /* discrete_error is relative to the output's range */
            error +=
                copysign(c->discrete_error * (c->high[c->n_x + i] - c->low[c->n_x + i]), error);
        error = limited(error, range);
        largest = wr_max(largest, wr_propagation_relative(error - c->output[i], range));
        c->output[i] = error;
    }
    return largest;
}

double wr_propagation_on(wr_propagation *c, double h, const double *input, const double *end_more,
                         const double *source)
{
    for (int k = 0; k < c->n_x; k++)
        c->rate[k] = c->slope[k] + (source ? source[k] / h : 0.0) +
                     (c->of_discrete ? c->discrete_rate[k] : 0.0);
    for (int j = 0; j < c->n_u; j++)
        c->direction[c->n_x + j] = 0.5 * (input[j] - c->before[j]);
    if (c->is_full && c->n_x > 0)
        add_product(c, c->average, c->n_x, c->n_x, c->n_u, c->direction + c->n_x, c->rate);
    step(c, h, c->start, c->error);
    for (int k = 0; k < c->n_x; k++)
        c->direction[k] = c->error[k] = limited(c->error[k], wr_propagation_range(c, k));
    for (int j = 0; j < c->n_u; j++)
        c->direction[c->n_x + j] = input[j] + end_more[j];
    return show_outputs(c);
}

void wr_propagation_limit_states(const wr_propagation *c, double *error)
{
    for (int k = 0; k < c->n_x; k++)
        error[k] = limited(error[k], wr_propagation_range(c, k));
}

double wr_propagation_show(wr_propagation *c, const double *input, const double *output)
{
    for (int i = 0; i < c->n_y && output; i++)
        c->output[i] = limited(output[i], wr_propagation_range(c, c->n_x + i));
    if (output)
        return 0.0;
    memcpy(c->before, input, (size_t)c->n_u * sizeof *c->before);
    memset(c->mean, 0, (size_t)c->n_u * sizeof *c->mean);
    c->is_measured = 0;
    if (!c->of_discrete)
        find_discrete(c);
    memcpy(c->direction, c->error, (size_t)c->n_x * sizeof *c->direction);
    memcpy(c->direction + c->n_x, input, (size_t)c->n_u * sizeof *input);
    if (!c->is_full && differentiate(c, c->slope) != 0)
        memset(c->slope, 0, (size_t)c->n_row * sizeof *c->slope);
    return show_outputs(c);
}

static double largest_of_states(const wr_propagation *c, const double *error)
{
    double largest = 0.0;
    for (int k = 0; k < c->n_x; k++)
        largest = wr_max(largest, wr_propagation_relative(error[k], wr_propagation_range(c, k)));
    return largest;
}

void wr_propagation_limit(wr_propagation *c, double h, const double *input, double before)
{
    const double now = largest_of_states(c, c->error);
    if (now <= before || !c->is_full || c->n_x == 0)
        return;
    memset(c->rate, 0, (size_t)c->n_x * sizeof *c->rate);
    memset(c->start, 0, (size_t)c->n_x * sizeof *c->start);
    for (int j = 0; j < c->n_u; j++)
        c->direction[c->n_x + j] = c->mean[j] + 0.5 * (input[j] + c->before[j]);
    add_product(c, c->average, c->n_x, c->n_x, c->n_u, c->direction + c->n_x, c->rate);
    step(c, h, c->start, c->direction);
    const double most = before + largest_of_states(c, c->direction);
    if (now > most)
        wr_propagation_scale(c, most / now);
}

/* If J is known, the function adds input errors without growth or decay. Near the pole at a growth of 3.4 / h, (1 - g h J)^-1 makes small
 * errors arbitrarily large. */
double wr_propagation_response(wr_propagation *c, double h, const double *end_more,
                               const double *source)
{
    double largest = 0.0;
    for (int k = 0; k < c->n_x; k++)
        c->rate[k] = source[k] / h + (c->of_discrete ? c->discrete_rate[k] : 0.0);
    memset(c->start, 0, (size_t)c->n_x * sizeof *c->start);
    if (c->is_full)
        add_product(c, c->average, c->n_x, c->n_x, c->n_u, c->mean, c->rate);
    else /* `slope` contains the effect of all errors; the effect of inputs alone is not known */
        for (int k = 0; k < c->n_x; k++)
            c->rate[k] += c->slope[k];
    if (c->is_full)
        for (int k = 0; k < c->n_x; k++)
            c->direction[k] = h * c->rate[k];
    else
        step(c, h, c->start, c->direction);
    memcpy(c->direction + c->n_x, end_more, (size_t)c->n_u * sizeof *end_more);
    memcpy(c->column, c->slope, (size_t)c->n_row * sizeof *c->column);
    if (c->is_full) {
        memset(c->column, 0, (size_t)c->n_row * sizeof *c->column);
        add_product(c, c->jacobian, c->n_row, 0, c->n_x + c->n_u, c->direction, c->column);
    }
    for (int k = 0; k < c->n_x; k++)
        largest =
            wr_max(largest, wr_propagation_relative(c->direction[k], wr_propagation_range(c, k)));
    for (int i = 0; i < c->n_y; i++) {
        const int row = c->row[i];
        if (row >= 0)
            largest = wr_max(largest, wr_propagation_relative(c->column[row],
                                                              wr_propagation_range(c, c->n_x + i)));
    }
    return largest;
}

void wr_propagation_scale(wr_propagation *c, double factor)
{
    for (int k = 0; k < c->n_x; k++)
        c->error[k] *= factor;
    for (int k = 0; k < c->n_y; k++)
        c->output[k] *= factor;
}

/* ---- state ---- */

void wr_propagation_state(wr_propagation *c, wr_state_io *io)
{
    array_room room[ROOMS];
    list_rooms(c, room);
    for (int k = 0; k < ROOMS; k++)
        if (room[k].is_kept)
            WR_STATE_ARRAY(io, *room[k].array, room[k].n);
    const int i_column = (int)wr_state_count(io, c->i_column, c->n_x + c->n_u);
    WR_STATE(io, c->n_left_out);
    WR_STATE(io, c->is_complete);
    WR_STATE(io, c->discrete_error);
    WR_STATE(io, c->fastest);
    WR_STATE_ARRAY(io, c->discrete_rate, c->discrete_rate ? c->n_row : 0);
    if (!wr_state_reads(io))
        return;
    c->i_column = i_column;
    c->has_bad = wr_has_bad(c->jacobian, c->is_full ? c->n_row * (c->n_x + c->n_u) : c->n_x);
    for (int i = 0; i < c->n_x + c->n_y + c->n_u; i++)
        find_range(c, i);
}
