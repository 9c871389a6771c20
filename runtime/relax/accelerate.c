/* Anderson acceleration of interface waveforms. See accelerate.h.
 *
 * Sources: Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12, 1965, in the form of
 * Degroote, Bathe and Vierendeels, Performance of a new partitioned procedure versus a monolithic procedure in
 * fluid-structure interaction, Computers and Structures 87, 2009 (IQN-ILS). Modified Gram-Schmidt solves the least squares,
 * and omits a column that is nearly a combination of newer columns.
 *
 * Symbols: a sweep reads the waveforms w and computes y; r = y - w. V and W are the differences of r and of y between sweeps.
 *
 * Thread: serial section of the engine. Real-time: yes. */
#include "runtime/relax/accelerate.h"

#include <math.h>
#include <string.h>

#include "subsystems/waves/hermite.h"

/* If the orthogonal part of a column is shorter than this share of the column, the orthogonal part is rounding (assumed). */
static const double FILTER = 1e-8;
/* Share of the residual in the first step of a window (assumed). */
static const double FIRST_STEP = 0.5;
/* A residual below this limit, in tolerances, counts as rounding (docs/lab/2026-11-23-acceptance.md). */
static const double LEAST_RESIDUAL = 1e-3;
/* Ratio of a residual to the least residual since the last reset, below which the last step equals the error
 * (docs/lab/2026-11-23-acceptance.md). */
static const double FELL = 0.1;
/* Factor on the stored amplification at each observation (assumed). */
static const double FORGET = 0.9;
/* Amplification of the residual before any observation, and largest observed amplification (both assumed). */
static const double UNSEEN = 1e4, MOST = 1e6;
/* LEAST_EVEN: least number of evenly spaced grid points, points at jumps not counted (assumed). */
enum { LEAST_EVEN = 65, DEPTH = WR_ACCELERATE_DEPTH };

struct wr_accelerate {
    int n_wave;
    const int *n_signal;
    size_t n; /* number of values of all waves on their grids */
    double last_residual, last_error;
    double least_residual;   /* least residual since the last reset */
    double amplification;    /* observed error per residual; 0: no observation */
    int n_sweep;             /* number of steps since the last reset */
    int n_column, i_newest;  /* ring of columns: number of columns, index of the newest */
    double *w, *y, *r;       /* [n] waves read by the sweep, or guess; waves of the sweep; y - w */
    double *r_last, *y_last; /* [n] r and y of the last sweep */
    double *column_v, *column_w; /* [DEPTH][n] columns of V and W */
    double *q;                   /* [DEPTH][n] orthonormal columns */
    double triangle[DEPTH][DEPTH], c[DEPTH];
    int *n_jump;    /* [n_wave] number of jump nodes of each wave in the last sweep */
    double *weight; /* [n] 1 / tolerance unit */
    int *all;       /* [largest n_signal] the indices 0, 1, ... of the signals */
};

wr_accelerate *wr_accelerate_place(wr_arena *arena, int n_wave, const int *n_signal)
{
    wr_accelerate *const a = WR_NEW(arena, wr_accelerate);
    int *const n_signal_copy = WR_NEW_ARRAY(arena, int, n_wave);
    if (!a || !n_signal_copy)
        return NULL;
    int largest = 0;
    size_t n = 0;
    for (int i = 0; i < n_wave; i++) {
        n_signal_copy[i] = n_signal[i];
        largest = n_signal[i] > largest ? n_signal[i] : largest;
        n += (size_t)n_signal[i] * WR_ACCELERATE_GRID;
    }
    *a = (wr_accelerate){.n_wave = n_wave, .n_signal = n_signal_copy, .n = n};
    if (WR_NEW_DOUBLES(arena, n, &a->w, &a->y, &a->r, &a->r_last, &a->y_last, &a->weight) != 0 ||
        WR_NEW_DOUBLES(arena, DEPTH * n, &a->column_v, &a->column_w, &a->q) != 0)
        return NULL;
    a->all = WR_NEW_ARRAY(arena, int, largest);
    a->n_jump = WR_NEW_ARRAY(arena, int, n_wave);
    if (!a->all || !a->n_jump)
        return NULL;
    for (int i = 0; i < largest; i++)
        a->all[i] = i;
    return a;
}

void wr_accelerate_reset(wr_accelerate *a)
{
    a->n_sweep = a->n_column = a->i_newest = 0;
    a->least_residual = (double)INFINITY;
}

void wr_accelerate_state(wr_accelerate *a, wr_state_io *io)
{
    WR_STATE(io, a->last_residual);
    WR_STATE(io, a->last_error);
    WR_STATE(io, a->amplification);
    WR_STATE_ARRAY(io, a->n_jump, a->n_wave);
    if (wr_state_reads(io))
        wr_accelerate_reset(a);
}

/* Returns the error that corresponds to the residual. The object stores the ratio of error to residual over windows, because a slow mode
 * dominates only after several sweeps. If the residual falls below FELL times the least residual, the last step equals the error, so the
 * function updates the ratio. known: ratio in algebraic loops at the window's end, a lower bound; 0: not known. */
static double amplify(wr_accelerate *a, double residual, double error, double known)
{
    if (a->n_sweep > 0 && a->last_residual > LEAST_RESIDUAL &&
        residual < FELL * a->least_residual && isfinite(a->last_error))
        a->amplification = wr_max(wr_max(FORGET * a->amplification, 1.0),
                                  wr_min(a->last_error / a->last_residual, MOST));
    a->last_residual = residual;
    a->last_error = error;
    a->least_residual = wr_min(a->least_residual, residual);
    double seen = a->amplification > 0.0 ? a->amplification : UNSEEN, most = UNSEEN;
    if (known > 0.0) {
        seen = wr_max(known, a->n_sweep > 0 ? a->amplification : seen);
        most = seen;
    }
    if (!isfinite(error))
        error = a->n_sweep == 0 ? 0.0 : most * residual;
    else if (residual <= LEAST_RESIDUAL)
        error = wr_min(error, most * residual); /* rounding hides the ratio */
    return wr_max(error, seen * residual);
}

/* Times of the samples of a wave: evenly spaced points, and every node of its jumps. */
typedef struct grid {
    double t_s[WR_ACCELERATE_GRID];
    int node[WR_ACCELERATE_GRID]; /* the wave's node at a jump; -1: a point between jumps */
} grid;

static int is_in_jump(const wr_wave *wave, int i)
{
    return (i > 0 && wave->t_s[i] <= wave->t_s[i - 1]) ||
           (i + 1 < wave->n_node && wave->t_s[i + 1] <= wave->t_s[i]);
}

static int count_jump_nodes(const wr_wave *wave)
{
    int n = 0;
    for (int i = 0; wave->n_jump > 0 && i < wave->n_node; i++)
        n += is_in_jump(wave, i);
    return n;
}

/* Places the grid points of a wave. Returns 0, or -1 if the grid has too few points for all jumps. */
static int make_grid(const wr_wave *now, grid *g)
{
    const int n_jump = count_jump_nodes(now), n_even = WR_ACCELERATE_GRID - n_jump;
    if (n_even < LEAST_EVEN)
        return -1;
    const double start_s = wr_wave_start(now), end_s = wr_wave_end(now);
    const double step_s = (end_s - start_s) / (n_even - 1), aside_s = 1e-3 * step_s;
    int node = 0;
    for (int i = 0, k = 0; i < WR_ACCELERATE_GRID; i++) {
        while (n_jump > 0 && node < now->n_node && !is_in_jump(now, node))
            node++;
        const int has_jump = n_jump > 0 && node < now->n_node;
        double even_s = k == n_even - 1 ? end_s : start_s + k * step_s;
        if (has_jump && k < n_even && fabs(even_s - now->t_s[node]) <= aside_s)
            even_s = now->t_s[node] + (k == n_even - 1 ? -aside_s : aside_s);
        if (has_jump && (k == n_even || now->t_s[node] <= even_s)) {
            g->t_s[i] = now->t_s[node];
            g->node[i] = node++;
        } else {
            g->t_s[i] = i > 0 ? wr_max(even_s, g->t_s[i - 1] + aside_s) : even_s;
            if (i > 0 && has_jump && g->t_s[i] >= now->t_s[node])
                g->t_s[i] = 0.5 * (g->t_s[i - 1] + now->t_s[node]);
            g->node[i] = -1;
            k++;
        }
    }
    return 0;
}

/* Samples a wave's values on the grid of another wave. With has_same_jumps the jump nodes of both waves correspond in order. Otherwise the
 * function interpolates the values at jump nodes. */
static void sample_wave(const wr_accelerate *a, const wr_wave *wave, int n_signal, const grid *g,
                        int has_same_jumps, double *vector)
{
    wr_cursor cursor = wr_cursor_start();
    int node = 0;
    for (int i = 0; i < WR_ACCELERATE_GRID; i++, vector += n_signal) {
        if (g->node[i] < 0 || !has_same_jumps) {
            wr_wave_eval_many(wave, &cursor, g->t_s[i], n_signal, a->all, vector, NULL);
            continue;
        }
        while (!is_in_jump(wave, node))
            node++;
        const size_t at = (size_t)node++ * (size_t)n_signal;
        memcpy(vector, wave->value + at, (size_t)n_signal * sizeof *vector);
    }
}

/* Samples all waves on the grids of the waves of the sweep. Returns 0; 1 if a wave's number of jump nodes differs from the last call; -1
 * if a wave has too many jumps. */
static int sample(wr_accelerate *a, const wr_wave *const *before, const wr_wave *const *now)
{
    size_t at = 0;
    int is_other = 0;
    for (int i = 0; i < a->n_wave; i++) {
        grid g;
        if (a->n_signal[i] == 0)
            continue;
        if (make_grid(now[i], &g) != 0)
            return -1;
        const int n_jump = count_jump_nodes(now[i]);
        sample_wave(a, now[i], a->n_signal[i], &g, 1, a->y + at);
        sample_wave(a, before[i], a->n_signal[i], &g, count_jump_nodes(before[i]) == n_jump,
                    a->w + at);
        is_other |= n_jump != a->n_jump[i];
        a->n_jump[i] = n_jump;
        at += (size_t)a->n_signal[i] * WR_ACCELERATE_GRID;
    }
    return is_other;
}

/* Adds the newest column to V and W. */
static void push_column(wr_accelerate *a)
{
    a->i_newest = (a->i_newest + 1) % DEPTH;
    if (a->n_column < DEPTH)
        a->n_column++;
    double *const v = a->column_v + (size_t)a->i_newest * a->n;
    double *const w = a->column_w + (size_t)a->i_newest * a->n;
    for (size_t i = 0; i < a->n; i++) {
        v[i] = a->r[i] - a->r_last[i];
        w[i] = a->y[i] - a->y_last[i];
    }
}

/* Solves min ||V c + r|| by modified Gram-Schmidt, newest column first. Sets a->w to y + W c. */
static void take_step(wr_accelerate *a)
{
    int n_used = 0;
    int used[DEPTH];
    double *const residual = a->w; /* r = y - w is stored, so the memory of w is free */
    for (size_t i = 0; i < a->n; i++)
        residual[i] = a->r[i] * a->weight[i];
    for (int k = 0; k < a->n_column; k++) {
        const int column = (a->i_newest - k + DEPTH) % DEPTH;
        const double *const v = a->column_v + (size_t)column * a->n;
        double *const q = a->q + (size_t)n_used * a->n;
        double before = 0.0, after = 0.0;
        for (size_t i = 0; i < a->n; i++) {
            q[i] = v[i] * a->weight[i];
            before += q[i] * q[i];
        }
        for (int j = 0; j < n_used; j++) {
            const double *const other = a->q + (size_t)j * a->n;
            double dot = 0.0;
            for (size_t i = 0; i < a->n; i++)
                dot += other[i] * q[i];
            for (size_t i = 0; i < a->n; i++)
                q[i] -= dot * other[i];
            a->triangle[j][n_used] = dot;
        }
        for (size_t i = 0; i < a->n; i++)
            after += q[i] * q[i];
        const double norm = sqrt(after);
        if (!(norm > FILTER * sqrt(before)) || !(norm > 0.0))
            continue;
        for (size_t i = 0; i < a->n; i++)
            q[i] /= norm;
        a->triangle[n_used][n_used] = norm;
        used[n_used++] = column;
    }
    for (int j = 0; j < n_used; j++) {
        const double *const q = a->q + (size_t)j * a->n;
        double dot = 0.0;
        for (size_t i = 0; i < a->n; i++)
            dot += q[i] * residual[i];
        for (size_t i = 0; i < a->n; i++)
            residual[i] -= dot * q[i];
        a->c[j] = -dot;
    }
    for (int j = n_used - 1; j >= 0; j--) {
        for (int k = j + 1; k < n_used; k++)
            a->c[j] -= a->triangle[j][k] * a->c[k];
        a->c[j] /= a->triangle[j][j];
    }
    memcpy(a->w, a->y, a->n * sizeof *a->w);
    for (int j = 0; j < n_used; j++) {
        const double *const w = a->column_w + (size_t)used[j] * a->n;
        for (size_t i = 0; i < a->n; i++)
            a->w[i] += a->c[j] * w[i];
    }
}

/* Returns the correction w - y of signal k at grid point j. The wave's values begin at start in the vectors. */
static inline double move_at(const wr_accelerate *a, size_t start, int n_signal, int j, int k)
{
    const size_t i = start + (size_t)j * (size_t)n_signal + (size_t)k;
    return a->w[i] - a->y[i];
}

/* Returns the slope of the correction between grid points j and j + 1; NaN: two sides of a jump, or outside of the grid. */
static inline double move_chord(const wr_accelerate *a, size_t start, int n_signal, const grid *g,
                                int j, int k)
{
    if (j < 0 || j + 1 >= WR_ACCELERATE_GRID || !(g->t_s[j + 1] > g->t_s[j]))
        return (double)NAN;
    return (move_at(a, start, n_signal, j + 1, k) - move_at(a, start, n_signal, j, k)) /
           (g->t_s[j + 1] - g->t_s[j]);
}

/* Returns the slope of the correction at grid point j: the slope of the parabola through j and its neighbours between jumps. The function
 * limits the slope, because a jump of the last iterate near a node may put two points very close together. The residual contains no slopes,
 * so Anderson's step gives no slopes. */
static double move_slope(const wr_accelerate *a, size_t start, int n_signal, const grid *g, int j,
                         int k)
{
    const double left = move_chord(a, start, n_signal, g, j - 1, k);
    const double right = move_chord(a, start, n_signal, g, j, k);
    if (isnan(left) || isnan(right))
        return isnan(left) && isnan(right) ? 0.0 : isnan(left) ? right : left;
    const double left_s = g->t_s[j] - g->t_s[j - 1], right_s = g->t_s[j + 1] - g->t_s[j];
    const double slope = (right_s * left + left_s * right) / (left_s + right_s);
    const double steepest = (fabs(left) * left_s + fabs(right) * right_s) / wr_max(left_s, right_s);
    return wr_clamp(slope, -steepest, steepest);
}

/* Writes the guess: the wave of the sweep plus the correction, interpolated from the grid. The guess has the wave's nodes, so slope
 * jumps and details between grid points remain. */
static wrsim_status write_wave(const wr_accelerate *a, const wr_wave *now, size_t at, wr_wave *next)
{
    const int n_signal = now->n_signal;
    const size_t bytes = (size_t)n_signal * sizeof *now->value;
    grid g;
    if (make_grid(now, &g) != 0)
        return WRSIM_E_LIMIT;
    for (int node = 0, j = 0; node < now->n_node; node++) {
        const double t_s = now->t_s[node];
        const int is_jump = is_in_jump(now, node);
        double *value, *slope;
        WR_TRY(wr_wave_extend(next, t_s, &value, &slope));
        memcpy(value, now->value + (size_t)node * (size_t)n_signal, bytes);
        memcpy(slope, now->slope + (size_t)node * (size_t)n_signal, bytes);
        while (is_jump ? g.node[j] != node : j + 2 < WR_ACCELERATE_GRID && g.t_s[j + 1] <= t_s)
            j++;
        if (is_jump) {
            for (int k = 0; k < n_signal; k++) {
                value[k] += move_at(a, at, n_signal, j, k);
                slope[k] += move_slope(a, at, n_signal, &g, j, k);
            }
            continue;
        }
        const wr_hermite h = wr_hermite_at(g.t_s[j], g.t_s[j + 1], t_s);
        for (int k = 0; k < n_signal; k++) {
            const double d0 = move_at(a, at, n_signal, j, k);
            const double d1 = move_at(a, at, n_signal, j + 1, k);
            const double s0 = move_slope(a, at, n_signal, &g, j, k);
            const double s1 = move_slope(a, at, n_signal, &g, j + 1, k);
            value[k] += wr_hermite_value(&h, d0, d1, s0, s1);
            slope[k] += wr_hermite_slope(&h, d0, d1, s0, s1);
        }
    }
    return WRSIM_OK;
}

wrsim_status wr_accelerate_step(wr_accelerate *a, const wr_wave *const *before,
                                const wr_wave *const *now, const double *const *scale,
                                wr_wave *const *next, double residual, double amplification,
                                double *ret_error)
{
    const int is_other = sample(a, before, now);
    if (is_other > 0) /* differences of waves with other jumps are no measure of contraction */
        wr_accelerate_reset(a);
    if (is_other)
        return WRSIM_E_LIMIT;
    size_t at = 0;
    for (int i = 0; i < a->n_wave; i++)
        for (int node = 0; node < WR_ACCELERATE_GRID; node++)
            for (int j = 0; j < a->n_signal[i]; j++)
                a->weight[at++] = 1.0 / scale[i][j];
    double largest = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        a->r[i] = a->y[i] - a->w[i];
        largest = wr_max(largest, fabs(a->r[i]) * a->weight[i]);
    }
    residual = wr_max(residual, largest);
    double error = residual > 0.0 ? (double)INFINITY : residual;
    if (a->n_sweep > 0) {
        push_column(a);
        take_step(a);
        error =
            0.0; /* the largest weighted step from y - r, which the sweep read, to the guess w */
        for (size_t i = 0; i < a->n; i++) {
            const double size = fabs(a->w[i] - (a->y[i] - a->r[i])) * a->weight[i];
            if (!(size <= error))
                error = isfinite(size) ? size : (double)INFINITY;
        }
    } else
        for (size_t i = 0; i < a->n; i++)
            a->w[i] += FIRST_STEP * a->r[i];
    error = amplify(a, residual, error, amplification);
    *ret_error = wr_max(error, amplification * residual);
    a->n_sweep++;
    memcpy(a->r_last, a->r, a->n * sizeof *a->r);
    memcpy(a->y_last, a->y, a->n * sizeof *a->y);
    at = 0;
    for (int i = 0; i < a->n_wave; i++) {
        if (a->n_signal[i] == 0)
            continue;
        wr_wave_clear(next[i]);
        WR_TRY(write_wave(a, now[i], at, next[i]));
        wr_causes_copy(next[i]->causes, now[i]->causes);
        at += (size_t)a->n_signal[i] * WR_ACCELERATE_GRID;
    }
    return WRSIM_OK;
}
