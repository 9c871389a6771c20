/* The account of the splitting's own error. See account.h.
 *
 * Thread: as there. Real-time: yes after placing.
 */
#include "runtime/relax/account.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/dense.h"

/* Right-hand sides it may spend, of those integrated: so much over the square of the number of states and
 * inputs, as those of few cost little beside what is done around them, and so many times that for windows that
 * outweigh all since the last one by so much. */
static const double SHARE = 3.0, SHARE_MOST = 0.5, BURST_MORE = 1.5, BURST = 2.0;
/* Floating-point operations that take about as long as one state's part of a right-hand side. */
static const double FLOP_PER_STATE = 100.0;
/* Larger Jacobians are not kept: of the states the diagonal is. */
enum { MOST_STATES = 48, MOST_ENTRIES = 1 << 13 };
enum { SELDOM = 4, FEW_WINDOWS = 2, ALIKE = 16 };
enum { SWEEPS = 6 }; /* over the subsystems, at most */
static const double AGREED = 0.02;

static const double SWEEP_MEAN = 1.0 / 3.0;    /* of a change that grows like the square of time */
static const double WAVE_MEAN = 1.0 / 720.0;   /* of h^4 y'''' */
static const double WAVE_MOST = 720.0 / 384.0; /* of the mean */
static const double STEP_RATIO = 4.0;          /* of two steps that a difference is taken over */
static const double UNSEEN = 0.3;  /* of what steps missed, were that at its largest all the time */
static const double NOISE = 1e-12; /* a smaller range of a signal is none */
static const double STAGE = 0.29289321881345254; /* 1 - sqrt(1/2) */

typedef struct part part;

typedef struct input {
    const part *producer;
    int i_signal;
} input;

/* What is kept of a subsystem. Values are in the order states, published outputs, inputs. */
struct part {
    wr_subsystem *subsystem;
    int n_x, n_u, n_y, n_d;
    int n_row;        /* of J: states, and outputs that are computed */
    int is_full;      /* J is known as a whole */
    int is_diagonal;  /* no more than its diagonal can be used at present */
    input *input;     /* [n_u] */
    int *row;         /* [n_y] of J, or -1 - state */
    double *error;    /* [n_x] */
    double *output;   /* [n_y] errors of what is published, ... */
    double *before;   /* [n_u] ... and those of inputs where errors have been carried to */
    double *jacobian; /* [n_row (n_x + n_u)] by columns, or [n_x] */
    double *average;  /* of it and the one where errors are carried on from */
    int i_column;     /* to be measured next, ... */
    int n_left_out;
    int is_complete;       /* ... all of them have been */
    double *discrete;      /* [n_d] as they were, and ... */
    double discrete_error; /* ... their relative error */
    double *least;         /* [n_x + n_y + n_u] ranges below it are as good as it */
    double *low, *high;    /* [n_x + n_y + n_u] of all values, ... */
    double *worst;         /* [n_x + n_y] ... and the largest errors */
    double node_s, *node;  /* [2 n_y] the last wave's node before its last; NaN: none */
    const wr_wave *last;   /* the last window's */
    /* Over time, since errors were carried on. */
    double *unseen; /* [n_x] */
    int has_unseen, has_rows;
    double *sweep;  /* [n_u] of inputs, in windows whose effect is not known; */
    double *source; /* [n_x] what it is in the others */
    /* What has come in. */
    double waves, readers, sweeps, *through; /* [n_u] */
    /* Work space. */
    double *wave;       /* [n_y] mean error of the last wave */
    double *mean, *end; /* [n_u] what inputs err by beside their producers' errors */
    double *slope, *rate, *stage, *column; /* [n_row], [n_x] ... */
    double *start;                         /* [n_x] errors where they are carried on from */
    double *direction;                     /* [n_x + n_u] */
    double *shift;                         /* [n_y] */
    double *matrix;                        /* [n_x n_x] */
    int *pivot;
};

struct wr_account {
    int n;
    part *part;
    double since_s, allowed, spent;
    double effect, effects; /* of this window, and of those before */
    int n_window;           /* since errors were carried on */
    int is_sample;          /* this window stands for all of them */
    int n_column,
        n_near; /* of the largest J; times in a row that few windows were between: <= n_column: J
                               is older than that somewhere */
};

/* ---- placing ---- */

wr_account *wr_account_place(wr_arena *arena, int n)
{
    wr_account *const a = WR_NEW(arena, wr_account);
    if (!a || !(a->part = WR_NEW_ARRAY(arena, part, n)))
        return NULL;
    a->n = n;
    return a;
}

static void number_rows(part *p)
{
    p->n_row = p->n_x;
    for (int i = 0; i < p->n_y; i++) {
        const int state = p->subsystem->signal_state[i];
        p->row[i] = state >= 0 ? -1 - state : p->n_row++;
    }
}

/* An array of a part. */
typedef struct array_room {
    double **array;
    int n;
    int is_kept; /* from one window to the next; the others are made anew each time */
} array_room;

enum { ROOMS = 26 };

static void list_rooms(part *p, array_room ret_room[ROOMS])
{
    const int n_x = p->n_x, n_u = p->n_u, n_y = p->n_y, n_all = n_x + n_y + n_u;
    const int n_square = p->is_full ? n_x * n_x : 0;
    const int n_jacobian = p->is_full ? p->n_row * (n_x + n_u) : n_x;
    const array_room rooms[ROOMS] = {{&p->error, n_x, 1},
                                     {&p->output, n_y, 1},
                                     {&p->before, n_u, 0},
                                     {&p->discrete, p->n_d, 1},
                                     {&p->low, n_all, 1},
                                     {&p->high, n_all, 1},
                                     {&p->least, n_all, 0},
                                     {&p->worst, n_x + n_y, 1},
                                     {&p->node, 2 * n_y, 1},
                                     {&p->sweep, n_u, 1},
                                     {&p->through, n_u, 1},
                                     {&p->wave, n_y, 0},
                                     {&p->mean, n_u, 0},
                                     {&p->end, n_u, 1},
                                     {&p->slope, p->n_row, 0},
                                     {&p->rate, n_x, 0},
                                     {&p->stage, n_x, 0},
                                     {&p->column, p->n_row, 0},
                                     {&p->start, n_x, 0},
                                     {&p->unseen, n_x, 1},
                                     {&p->source, n_x, 1},
                                     {&p->direction, n_x + n_u, 0},
                                     {&p->shift, n_y, 0},
                                     {&p->matrix, n_square, 0},
                                     {&p->jacobian, n_jacobian, 1},
                                     {&p->average, n_jacobian, 0}};
    memcpy(ret_room, rooms, sizeof rooms);
}

static int place_arrays(part *p, wr_arena *arena)
{
    const int n_x = p->n_x, n_u = p->n_u, n_y = p->n_y, n_all = n_x + n_y + n_u;
    array_room room[ROOMS];
    list_rooms(p, room);
    for (int i = 0; i < ROOMS; i++)
        if (!(*room[i].array = WR_NEW_ARRAY(arena, double, room[i].n)))
            return -1;
    if (n_x > 0) /* or there is none: a subsystem that is played */
        memcpy(p->least, p->subsystem->atol_x, (size_t)n_x * sizeof *p->least);
    memcpy(p->least + n_x, p->subsystem->atol_published, (size_t)n_y * sizeof *p->least);
    memcpy(p->least + n_x + n_y, p->subsystem->atol_external, (size_t)n_u * sizeof *p->least);
    for (int i = 0; i < n_all; i++) {
        p->low[i] = (double)INFINITY;
        p->high[i] = -(double)INFINITY;
    }
    return 0;
}

int wr_account_place_part(wr_account *a, wr_arena *arena, int i, wr_subsystem *s)
{
    part *const p = &a->part[i];
    p->subsystem = s;
    p->n_x = s->n_x;
    p->n_u = s->n_external;
    p->n_y = s->n_published;
    p->n_d = s->n_d;
    p->node_s = (double)NAN;
    p->input = WR_NEW_ARRAY(arena, input, p->n_u);
    p->row = WR_NEW_ARRAY(arena, int, p->n_y);
    p->pivot = WR_NEW_ARRAY(arena, int, p->n_x);
    if (!p->input || !p->row || !p->pivot)
        return -1;
    number_rows(p);
    p->is_full =
        p->n_x <= MOST_STATES && (double)p->n_row * (p->n_x + p->n_u) <= (double)MOST_ENTRIES;
    if (p->n_x + p->n_u > a->n_column)
        a->n_column = p->n_x + p->n_u;
    a->n_near = a->n_column; /* all is measured at first */
    return place_arrays(p, arena);
}

void wr_account_read(wr_account *a, int i, int i_external, int i_producer, int i_signal)
{
    a->part[i].input[i_external] = (input){&a->part[i_producer], i_signal};
}

/* ---- ranges ---- */

static void widen(part *p, int first, int n, const double *value)
{
    for (int i = 0; i < n; i++) {
        p->low[first + i] = wr_min(p->low[first + i], value[i]);
        p->high[first + i] = wr_max(p->high[first + i], value[i]);
    }
}

static const double *last_values(const wr_wave *wave)
{
    return wave->value + (size_t)(wave->n_node - 1) * (size_t)wave->n_signal;
}

static void note_ranges(part *p, const wr_wave *wave)
{
    widen(p, 0, p->n_x, p->subsystem->x);
    if (wave->n_node > 0)
        widen(p, p->n_x, p->n_y, last_values(wave));
    widen(p, p->n_x + p->n_y, p->n_u, p->subsystem->external);
}

/* The largest value where the range is noise, and no less than the absolute tolerance; 0 if none is known. */
static double range_of(const part *p, int i)
{
    const double range = p->high[i] - p->low[i];
    const double size = wr_max(fabs(p->low[i]), fabs(p->high[i]));
    return !(range >= 0.0) ? 0.0 : wr_max(range > NOISE * size ? range : size, p->least[i]);
}

static double relative(double error, double range)
{
    return range > 0.0 ? wr_min(fabs(error) / range, 1.0) : 0.0;
}

/* ---- what waves miss ---- */

/* A node of a wave: the one before its first is that of the window before. */
typedef struct node {
    double t_s;
    const double *value, *slope;
} node;

static node node_of(const part *p, const wr_wave *wave, int i)
{
    if (i < 0)
        return (node){p->node_s, p->node, p->node + p->n_y};
    const size_t at = (size_t)i * (size_t)wave->n_signal;
    return (node){wave->t_s[i], wave->value + at, wave->slope + at};
}

/* The fourth derivative from three nodes, into the errors of the cubic over the last step or, where the
 * three are the first of all, both. */
static void add_step(part *p, node left, node middle, node right, double length_s)
{
    const double h1 = middle.t_s - left.t_s, h2 = right.t_s - middle.t_s;
    if (!(h1 > 0.0) || !(h2 > 0.0) || !(h2 < STEP_RATIO * h1) || !(h1 < STEP_RATIO * h2))
        return;
    const wr_hermite w = wr_hermite_at(left.t_s, right.t_s, middle.t_s);
    const double per = 24.0 / (h1 * h1 * h2 * h2);
    const double mean = WAVE_MEAN * per * (h2 * h2 * h2 * h2) * (h2 / length_s);
    for (int i = 0; i < p->n_y; i++) {
        const double off = middle.value[i] - wr_hermite_value(&w, left.value[i], right.value[i],
                                                              left.slope[i], right.slope[i]);
        p->wave[i] -= mean * off;
    }
}

static void look_at_wave(part *p, const wr_wave *wave)
{
    const double length_s = wr_wave_end(wave) - wr_wave_start(wave);
    memset(p->wave, 0, (size_t)p->n_y * sizeof *p->wave);
    for (int i = isnan(p->node_s) ? 2 : 1; i < wave->n_node && length_s > 0.0; i++)
        add_step(p, node_of(p, wave, i - 2), node_of(p, wave, i - 1), node_of(p, wave, i),
                 length_s);
}

static void keep_node(part *p, const wr_wave *wave)
{
    p->node_s = (double)NAN;
    if (wave->n_node < 2 || p->n_y == 0)
        return;
    const node last = node_of(p, wave, wave->n_node - 2);
    p->node_s = last.t_s;
    memcpy(p->node, last.value, (size_t)p->n_y * sizeof *p->node);
    memcpy(p->node + p->n_y, last.slope, (size_t)p->n_y * sizeof *p->node);
}

/* ---- what is known of a subsystem ---- */

/* What the variables are measured in where they are compared with one another; i: states, then inputs. */
static double size_of(const part *p, int i)
{
    const double range = range_of(p, i < p->n_x ? i : i + p->n_y);
    return range > 0.0 ? range : 1.0;
}

/* The derivative along the direction, of states and computed outputs; 0, or 1 where the model fails. */
static int differentiate(part *p, double *ret)
{
    const double *const u = p->direction + p->n_x;
    if (wr_subsystem_tangent(p->subsystem, p->direction, u, ret) != 0)
        return 1;
    if (p->n_y == 0 || p->n_row == p->n_x)
        return 0;
    if (wr_subsystem_tangent_outputs(p->subsystem, p->direction, u, p->shift) != 0)
        return 1;
    for (int i = 0; i < p->n_y; i++)
        if (p->row[i] >= 0)
            ret[p->row[i]] = p->shift[i];
    return 0;
}

static void measure_column(part *p)
{
    const int n = p->is_full ? p->n_x + p->n_u : p->n_x, i = p->i_column;
    p->i_column = (i + 1) % n;
    memset(p->direction, 0, (size_t)(p->n_x + p->n_u) * sizeof *p->direction);
    p->direction[i] = 1.0;
    if (differentiate(p, p->column) != 0)
        return;
    if (p->is_full)
        memcpy(p->jacobian + (size_t)i * (size_t)p->n_row, p->column,
               (size_t)p->n_row * sizeof *p->column);
    else
        p->jacobian[i] = p->column[i];
}

/* All columns at first, then one at a time, seldom where time is short. Returns how many. */
static int measure_columns(part *p, int is_seldom)
{
    const int n = p->is_full ? (p->n_row > 0 ? p->n_x + p->n_u : 0) : p->n_x;
    const int n_wanted = !p->is_complete ? n : n > 0 && !(is_seldom && ++p->n_left_out % SELDOM),
              n_kept = p->is_full ? p->n_row * n : 0;
    memcpy(p->average, p->jacobian, (size_t)n_kept * sizeof *p->average);
    for (int i = 0; i < n_wanted; i++)
        measure_column(p);
    if (!p->is_complete)
        memcpy(p->average, p->jacobian, (size_t)n_kept * sizeof *p->average);
    p->is_complete = 1;
    return n_wanted;
}

/* ret[n] += J v, columns from the first on. */
static void add_product(const part *p, const double *jacobian, int n, int first, int n_column,
                        const double *v, double *ret)
{
    const double *column = jacobian + (size_t)first * (size_t)p->n_row;
    for (int i = 0; i < n_column; i++, column += p->n_row)
        for (int k = 0; k < n; k++)
            ret[k] += column[k] * v[i];
}

/* slope is the derivative along the direction: J gives it, and is otherwise as near to what it was as can
 * be. */
static void learn_direction(part *p)
{
    const int n = p->n_x + p->n_u;
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        const double units = p->direction[i] / size_of(p, i);
        square += units * units;
    }
    if (!(square > DBL_MIN))
        return;
    memset(p->column, 0, (size_t)p->n_row * sizeof *p->column);
    add_product(p, p->jacobian, p->n_row, 0, n, p->direction, p->column);
    for (int i = 0; i < n; i++) {
        const double size = size_of(p, i), by = p->direction[i] / (size * size) / square;
        for (int k = 0; k < p->n_row; k++)
            p->jacobian[i * p->n_row + k] += by * (p->slope[k] - p->column[k]);
    }
}

/* ---- carrying errors on ---- */

static double error_of(const input *from) { return from->producer->output[from->i_signal]; }

/* What inputs err by beside their producers' errors: in the mean over the time since, and at its end. Over
 * many windows the last one stands for all, as large changes are accepted where they do not matter, and what
 * matters is known at its end only; errors of windows far apart have signs of their own. */
static void find_means(part *p, double since_s, int n_window, int is_sample)
{
    const double by = is_sample && n_window > ALIKE ? sqrt(ALIKE / (double)n_window) : 1.0;
    const double wave_by = is_sample ? 1.0 / sqrt((double)n_window) : 1.0;
    for (int j = 0; j < p->n_u; j++) {
        const double moved = p->end[j];
        if (is_sample && !p->subsystem->has_effect)
            p->sweep[j] = -SWEEP_MEAN * since_s * moved;
        else if (is_sample)
            p->sweep[j] = 0.0;
        const double wave = p->input[j].producer->wave[p->input[j].i_signal];
        p->before[j] = error_of(&p->input[j]);
        p->mean[j] = wave_by * wave + by * p->sweep[j] / since_s;
        p->end[j] = WAVE_MOST * wave - moved;
    }
}

/* (1 - g h J), factored; without it steps go by the diagonal. */
static int factor(part *p, double h)
{
    const int n = p->n_x;
    if (!p->is_full || n == 0)
        return 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            p->matrix[i * n + k] = (double)(i == k) - STAGE * h * p->average[i * p->n_row + k];
    return wr_dense_factor(n, p->matrix, p->pivot);
}

/* Of where errors are carried on from, which average holds, and of here: J and the derivative along the
 * direction. */
static void take_average(part *p)
{
    const int n = p->n_row * (p->n_x + p->n_u);
    memset(p->column, 0, (size_t)p->n_row * sizeof *p->column);
    add_product(p, p->average, p->n_row, 0, p->n_x + p->n_u, p->direction, p->column);
    for (int k = 0; k < p->n_x; k++)
        p->slope[k] = 0.5 * (p->slope[k] + p->column[k]);
    for (int i = 0; i < n; i++)
        p->average[i] = 0.5 * (p->average[i] + p->jacobian[i]);
}

/* The derivative where errors are carried on from. */
static int begin_part(part *p, double h, int is_near)
{
    memcpy(p->start, p->error, (size_t)p->n_x * sizeof *p->error);
    memcpy(p->direction, p->error, (size_t)p->n_x * sizeof *p->error);
    for (int j = 0; j < p->n_u; j++)
        p->direction[p->n_x + j] = p->before[j] + p->mean[j];
    if (differentiate(p, p->slope) != 0)
        memset(p->slope, 0, (size_t)p->n_row * sizeof *p->slope);
    else if (p->is_full) {
        if (is_near)
            learn_direction(p);
        take_average(p);
    }
    return factor(p, h) != 0;
}

/* E' = J E + b over h, where rate is J E + b at the start: two stages, (1 - g h J) k = rate at E and at
 * E + (1 - g) h k_1. */
static void step_full(part *p, double h, const double *start, double *ret)
{
    const int n = p->n_x;
    memcpy(p->stage, p->rate, (size_t)n * sizeof *p->stage);
    wr_dense_solve(n, p->matrix, p->pivot, p->stage);
    memset(p->column, 0, (size_t)n * sizeof *p->column);
    add_product(p, p->average, n, 0, n, p->stage, p->column);
    for (int k = 0; k < n; k++)
        p->rate[k] += (1.0 - STAGE) * h * p->column[k];
    wr_dense_solve(n, p->matrix, p->pivot, p->rate);
    for (int k = 0; k < n; k++)
        ret[k] = start[k] + h * ((1.0 - STAGE) * p->stage[k] + STAGE * p->rate[k]);
}

/* With the diagonal: (exp(d h) - 1) / d instead of h. */
static void step_diagonal(part *p, double h, const double *start, double *ret)
{
    for (int k = 0; k < p->n_x; k++) {
        const double d = p->is_full ? p->average[k * p->n_row + k] : 1.5 * p->jacobian[k];
        ret[k] = start[k] + p->rate[k] * (d * h < -1e-3 ? expm1(d * h) / d : h);
    }
}

static void step(part *p, double h, const double *start, double *ret)
{
    if (p->is_diagonal)
        step_diagonal(p, h, start, ret);
    else
        step_full(p, h, start, ret);
}

/* No error is larger than what there is. */
static double limited(double error, double most)
{
    return isfinite(error) ? wr_clamp(error, -most, most) : most;
}

/* What is published errs by, with the errors of states and of inputs at the end in direction. Returns the
 * largest change, relative to the range. */
static double show_outputs(part *p)
{
    double largest = 0.0;
    memset(p->column, 0, (size_t)p->n_row * sizeof *p->column);
    if (p->is_full && p->n_row > p->n_x)
        add_product(p, p->jacobian, p->n_row, 0, p->n_x + p->n_u, p->direction, p->column);
    for (int i = 0; i < p->n_y; i++) {
        const int row = p->row[i];
        const double range = range_of(p, p->n_x + i);
        double error = row < 0 ? p->error[-1 - row] : p->is_full ? p->column[row] : p->slope[row];
        if (row >= 0) /* of what it has moved by, not of its size */
            error +=
                copysign(p->discrete_error * (p->high[p->n_x + i] - p->low[p->n_x + i]), error);
        error = limited(error, range);
        largest = wr_max(largest, relative(error - p->output[i], range));
        p->output[i] = error;
    }
    return largest;
}

/* The error at the end with what inputs err by there now. Returns the largest change of an output. */
static double carry_part(part *p, double h)
{
    for (int k = 0; k < p->n_x; k++)
        p->rate[k] = p->slope[k] + p->source[k] / h;
    for (int j = 0; j < p->n_u; j++) {
        const double error = error_of(&p->input[j]);
        p->direction[p->n_x + j] = 0.5 * (error - p->before[j]);
    }
    if (p->is_full && p->n_x > 0)
        add_product(p, p->average, p->n_x, p->n_x, p->n_u, p->direction + p->n_x, p->rate);
    step(p, h, p->start, p->error);
    for (int k = 0; k < p->n_x; k++)
        p->direction[k] = p->error[k] = limited(p->error[k], range_of(p, k));
    for (int j = 0; j < p->n_u; j++)
        p->direction[p->n_x + j] = error_of(&p->input[j]) + p->end[j];
    return show_outputs(p);
}

/* What is set at an event is as wrong as what it was set from. */
static void find_discrete(part *p)
{
    const wr_subsystem *const s = p->subsystem;
    int has_changed = 0;
    for (int i = 0; i < p->n_d; i++) {
        has_changed |= s->d[i] < p->discrete[i] || s->d[i] > p->discrete[i];
        p->discrete[i] = s->d[i];
    }
    if (!has_changed)
        return;
    p->discrete_error = 0.0;
    for (int j = 0; j < p->n_u; j++)
        p->discrete_error = wr_max(p->discrete_error, relative(p->before[j] + p->mean[j],
                                                               range_of(p, p->n_x + p->n_y + j)));
    for (int k = 0; k < p->n_x; k++)
        p->discrete_error = wr_max(p->discrete_error, relative(p->error[k], range_of(p, k)));
}

static void end_part(part *p)
{
    for (int k = 0; k < p->n_x && p->has_unseen; k++)
        p->error[k] += UNSEEN * p->unseen[k];
    for (int k = 0; k < p->n_x && p->has_rows; k++)
        p->worst[k] = wr_max(p->worst[k], fabs(p->error[k]));
    for (int i = 0; i < p->n_y && p->has_rows; i++)
        p->worst[p->n_x + i] = wr_max(p->worst[p->n_x + i], fabs(p->output[i]));
}

/* ---- where errors come from ---- */

/* What an input that errs by its range does to a state, of the state's range and per second. */
static double weight_of(const part *p, int j)
{
    if (!p->is_full || p->n_x == 0)
        return 1.0;
    double largest = 0.0;
    const double *const column = p->jacobian + (size_t)(p->n_x + j) * (size_t)p->n_row;
    for (int k = 0; k < p->n_x; k++)
        largest = wr_max(largest, fabs(column[k]) / size_of(p, k));
    return largest * size_of(p, p->n_x + j);
}

static void note_sources(part *p, double since_s)
{
    for (int j = 0; j < p->n_u; j++) {
        const double weight = weight_of(p, j) / size_of(p, p->n_x + j);
        const double missed = p->input[j].producer->wave[p->input[j].i_signal];
        const double wave = weight * since_s * fabs(missed), sweep = weight * fabs(p->sweep[j]);
        p->waves += wave;
        p->sweeps += sweep;
        p->through[j] += wave + sweep;
        if (p->subsystem->has_effect)
            p->through[j] += weight * SWEEP_MEAN * since_s * fabs(p->end[j]);
    }
    double unseen = 0.0, sweeps = 0.0;
    for (int k = 0; k < p->n_x; k++) {
        unseen = wr_max(unseen, UNSEEN * fabs(p->unseen[k]) / size_of(p, k));
        sweeps = wr_max(sweeps, fabs(p->source[k]) / size_of(p, k));
        p->unseen[k] = p->source[k] = 0.0;
    }
    p->readers += unseen;
    p->sweeps += sweeps;
    p->has_unseen = 0;
    p->has_rows = 0;
    memset(p->sweep, 0, (size_t)p->n_u * sizeof *p->sweep);
}

/* ---- windows ---- */

static double share_of(double n) { return wr_min(SHARE_MOST, SHARE / (n * n)); }

void wr_account_note(wr_account *a, int i, double length_s, const wr_account_window *window)
{
    part *const p = &a->part[i];
    const wr_subsystem *const s = p->subsystem;
    if (i == 0) {
        a->since_s += length_s;
        a->n_window++;
    }
    a->effect = i == 0 ? window->effect : wr_max(a->effect, window->effect);
    a->allowed += window->n_rhs * share_of(p->n_x + p->n_u + 1);
    for (int k = 0; k < p->n_x && s->has_unseen; k++)
        p->unseen[k] += s->unseen[k];
    p->has_unseen |= s->has_unseen;
    p->has_rows |= s->n_row > 0 || s->n_recorded == 0;
    p->last = window->wave;
    for (int j = 0; j < p->n_u; j++) {
        p->end[j] = window->moved[j];
        if (!s->has_effect)
            p->sweep[j] -= SWEEP_MEAN * length_s * window->moved[j];
    }
    for (int k = 0; k < p->n_x && s->has_effect; k++) {
        const double effect = wr_min(SWEEP_MEAN, window->modelled) * s->effect[k];
        p->source[k] -= isfinite(effect) ? effect : 0.0;
    }
    note_ranges(p, window->wave);
}

/* What carrying on would cost, in right-hand sides. */
static double cost_of(const part *p)
{
    const double n = p->n_x, m = p->n_u, per_rhs = (10.0 + n) * FLOP_PER_STATE;
    const double flop = p->is_full ? 0.67 * n * n * n + 4.0 * (double)p->n_row * (n + m) +
                                         SWEEPS * (6.0 * n * n + 4.0 * n * m)
                                   : 20.0 * n;
    return 2.0 + (flop + 30.0 * p->n_y) / per_rhs;
}

static double largest_error(const wr_account *a)
{
    double largest = 0.0;
    for (int i = 0; i < a->n; i++) {
        const part *const p = &a->part[i];
        for (int k = 0; k < p->n_x; k++)
            largest = wr_max(largest, relative(p->error[k], range_of(p, k)));
        for (int k = 0; k < p->n_y; k++)
            largest = wr_max(largest, relative(p->output[k], range_of(p, p->n_x + k)));
    }
    return largest;
}

/* What comes in over h beside producers' errors makes of a state, or of an output, at most. */
static double source_of(part *p, double h)
{
    double largest = 0.0;
    for (int k = 0; k < p->n_x; k++)
        p->rate[k] = p->source[k] / h;
    memset(p->start, 0, (size_t)p->n_x * sizeof *p->start);
    if (p->is_full)
        add_product(p, p->average, p->n_x, p->n_x, p->n_u, p->mean, p->rate);
    else /* with what comes of all errors: inputs alone are not known */
        for (int k = 0; k < p->n_x; k++)
            p->rate[k] += p->slope[k];
    step(p, h, p->start, p->direction);
    memcpy(p->direction + p->n_x, p->end, (size_t)p->n_u * sizeof *p->end);
    memcpy(p->column, p->slope, (size_t)p->n_row * sizeof *p->column);
    if (p->is_full) {
        memset(p->column, 0, (size_t)p->n_row * sizeof *p->column);
        add_product(p, p->jacobian, p->n_row, 0, p->n_x + p->n_u, p->direction, p->column);
    }
    for (int k = 0; k < p->n_x; k++)
        largest = wr_max(largest, relative(p->direction[k], range_of(p, k)));
    for (int i = 0; i < p->n_y; i++)
        if (p->row[i] >= 0)
            largest = wr_max(largest, relative(p->column[p->row[i]], range_of(p, p->n_x + i)));
    return largest;
}

/* Over many windows a derivative at one time says nothing of growth: there errors do not grow by
 * themselves. */
static void limit_growth(wr_account *a, double before, double h)
{
    double most = before;
    for (int i = 0; i < a->n; i++)
        most += source_of(&a->part[i], h);
    const double now = largest_error(a);
    for (int i = 0; i < a->n && now > most; i++) {
        part *const p = &a->part[i];
        for (int k = 0; k < p->n_x; k++)
            p->error[k] *= most / now;
        for (int k = 0; k < p->n_y; k++)
            p->output[k] *= most / now;
    }
}

static void carry(wr_account *a)
{
    const double h = a->since_s;
    a->n_near = a->n_window > FEW_WINDOWS ? 0 : a->n_near + (a->n_near <= a->n_column);
    const int is_limited = a->n_near <= a->n_column;
    const double before = is_limited ? largest_error(a) : 0.0;
    double change = 1.0, largest = 0.0;
    for (int i = 0; i < a->n; i++)
        look_at_wave(&a->part[i], a->part[i].last);
    for (int i = 0; i < a->n; i++) {
        part *const p = &a->part[i];
        find_means(p, h, a->n_window, a->is_sample);
        find_discrete(p);
        const int is_first = !p->is_complete;
        const int n_column = measure_columns(p, a->n_window > FEW_WINDOWS);
        a->spent += is_first ? 0.0 : n_column;
        p->is_diagonal = begin_part(p, h, a->n_window <= ALIKE);
    }
    for (int k = 0; k < SWEEPS && change > AGREED * largest; k++) {
        change = 0.0;
        for (int i = 0; i < a->n; i++)
            change = wr_max(change, carry_part(&a->part[i], h));
        largest = wr_max(largest, change);
    }
    if (is_limited)
        limit_growth(a, before, h);
    for (int i = 0; i < a->n; i++) {
        end_part(&a->part[i]);
        note_sources(&a->part[i], h);
    }
    a->since_s = 0.0;
    a->n_window = 0;
}

void wr_account_carry(wr_account *a)
{
    double cost = 0.0;
    for (int i = 0; i < a->n; i++)
        cost += cost_of(&a->part[i]);
    const int is_burst = a->effect > BURST * a->effects && a->spent <= BURST_MORE * a->allowed;
    a->effects += a->effect;
    if (a->spent <= a->allowed || is_burst) {
        a->is_sample = !is_burst && a->n_window > FEW_WINDOWS;
        a->effects = 0.0;
        a->spent += cost;
        carry(a);
    }
    for (int i = 0; i < a->n; i++)
        keep_node(&a->part[i], a->part[i].last);
}

void wr_account_close(wr_account *a)
{
    if (a->n_window == 0)
        return;
    a->is_sample = a->n_window > ALIKE;
    a->effects = 0.0;
    carry(a);
}

wr_account_sum wr_account_get(const wr_account *a, int i)
{
    const part *const p = &a->part[i];
    wr_account_sum sum = {
        .waves = p->waves, .readers = p->readers, .sweeps = p->sweeps, .i_external = -1};
    for (int k = 0; k < p->n_x + p->n_y; k++)
        sum.error = wr_max(sum.error, relative(p->worst[k], range_of(p, k)));
    for (int j = 0; j < p->n_u; j++)
        if (p->through[j] > sum.through) {
            sum.through = p->through[j];
            sum.i_external = j;
        }
    return sum;
}

/* ---- state ---- */

void wr_account_state(wr_account *a, wr_state_io *io)
{
    wr_state_agree(io, a->n);
    WR_STATE(io, a->since_s);
    WR_STATE(io, a->allowed);
    WR_STATE(io, a->spent);
    WR_STATE(io, a->effect);
    WR_STATE(io, a->effects);
    WR_STATE(io, a->n_window);
    WR_STATE(io, a->is_sample);
    WR_STATE(io, a->n_near);
}

void wr_account_part_state(wr_account *a, int i, wr_state_io *io, const wr_wave *last)
{
    part *const p = &a->part[i];
    array_room room[ROOMS];
    list_rooms(p, room);
    for (int k = 0; k < ROOMS; k++)
        if (room[k].is_kept)
            WR_STATE_ARRAY(io, *room[k].array, room[k].n);
    const int i_column = (int)wr_state_count(io, p->i_column, p->n_x + p->n_u);
    WR_STATE(io, p->n_left_out);
    WR_STATE(io, p->is_complete);
    WR_STATE(io, p->discrete_error);
    WR_STATE(io, p->node_s);
    WR_STATE(io, p->has_unseen);
    WR_STATE(io, p->has_rows);
    WR_STATE(io, p->waves);
    WR_STATE(io, p->readers);
    WR_STATE(io, p->sweeps);
    if (!wr_state_reads(io))
        return;
    p->i_column = i_column;
    p->last = last;
}
