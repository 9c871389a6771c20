/* Relaxation factor, Aitken and Anderson on interface waveforms. See accelerate.h.
 *
 * Sources: Aitken as in METHODS 5; Anderson (1965) in the form of IQN-ILS (Degroote, Bathe and
 * Vierendeels 2009), least squares by modified Gram-Schmidt with a filter for columns that add
 * nothing.
 *
 * Symbols: w what was used, y what came out, r = y - w, V and W their differences over sweeps.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/accelerate.h"

#include <math.h>
#include <string.h>

static const double FILTER = 1e-8; /* a column is dropped below this share of its length */
static const double OMEGA_MIN = 1e-3, OMEGA_MAX = 2.0;

struct wr_accelerate {
    wr_accelerate_kind kind;
    double factor, omega;
    int depth, n_wave;
    const int *n_signal;
    size_t n;                    /* values of all waves on the grid; slopes follow in each vector */
    int n_sweep;                 /* of this window so far */
    int n_column, i_newest;      /* ring of columns */
    double *w, *y, *r;           /* [2 n]: values, then slopes */
    double *r_last, *y_last;     /* [2 n] */
    double *column_v, *column_w; /* [depth][2 n] */
    double *q;                   /* [depth][n] orthonormal columns, values only */
    double *triangle, *c;        /* [depth * depth], [depth] */
    double *weight;              /* [n] 1 / tolerance unit */
    int *all;                    /* 0 .. largest n_signal - 1 */
};

wr_accelerate *wr_accelerate_place(wr_arena *arena, wr_accelerate_kind kind, double factor,
                                   int depth, int n_wave, const int *n_signal)
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
    *a = (wr_accelerate){.kind = kind,
                         .factor = factor,
                         .omega = factor,
                         .depth = depth,
                         .n_wave = n_wave,
                         .n_signal = n_signal_copy,
                         .n = n};
    double **const vectors[] = {&a->w, &a->y, &a->r, &a->r_last, &a->y_last};
    for (size_t i = 0; i < WR_COUNT_OF(vectors); i++)
        if (!(*vectors[i] = WR_NEW_ARRAY(arena, double, 2 * n)))
            return NULL;
    const size_t n_column = kind == WR_ACCELERATE_KIND_ANDERSON ? (size_t)depth : 0;
    a->column_v = WR_NEW_ARRAY(arena, double, n_column * 2 * n);
    a->column_w = WR_NEW_ARRAY(arena, double, n_column * 2 * n);
    a->q = WR_NEW_ARRAY(arena, double, n_column *n);
    a->triangle = WR_NEW_ARRAY(arena, double, n_column *n_column);
    a->c = WR_NEW_ARRAY(arena, double, n_column);
    a->weight = WR_NEW_ARRAY(arena, double, n);
    a->all = WR_NEW_ARRAY(arena, int, largest);
    if (!a->column_v || !a->column_w || !a->q || !a->triangle || !a->c || !a->weight || !a->all)
        return NULL;
    for (int i = 0; i < largest; i++)
        a->all[i] = i;
    return a;
}

void wr_accelerate_reset(wr_accelerate *a)
{
    a->n_sweep = a->n_column = a->i_newest = 0;
    a->omega = a->factor;
}

static double grid_time(const wr_wave *now, int i)
{
    const double start = wr_wave_start(now), end = wr_wave_end(now);
    return i == WR_ACCELERATE_GRID - 1 ? end : start + (end - start) * i / (WR_ACCELERATE_GRID - 1);
}

/* Samples all waves on the grid of now's span: values to vector[0 .. n), slopes behind them. */
static void sample(const wr_accelerate *a, const wr_wave *const *waves, const wr_wave *const *now,
                   double *vector)
{
    size_t at = 0;
    for (int i = 0; i < a->n_wave; i++) {
        wr_cursor cursor = wr_cursor_start();
        for (int node = 0; node < WR_ACCELERATE_GRID && a->n_signal[i] > 0; node++) {
            wr_wave_eval_many(waves[i], &cursor, grid_time(now[i], node), a->n_signal[i], a->all,
                              vector + at, vector + a->n + at);
            at += (size_t)a->n_signal[i];
        }
    }
}

static void set_weights(wr_accelerate *a, const double *const *scale)
{
    size_t at = 0;
    for (int i = 0; i < a->n_wave; i++)
        for (int node = 0; node < WR_ACCELERATE_GRID; node++)
            for (int j = 0; j < a->n_signal[i]; j++)
                a->weight[at++] = 1.0 / scale[i][j];
}

/* omega_{k+1} = -omega_k <r_{k-1}, r_k - r_{k-1}> / ||r_k - r_{k-1}||^2 (METHODS 5). */
static void update_aitken(wr_accelerate *a)
{
    double above = 0.0, below = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        const double weight = a->weight[i] * a->weight[i], difference = a->r[i] - a->r_last[i];
        above += a->r_last[i] * difference * weight;
        below += difference * difference * weight;
    }
    if (below > 0.0)
        a->omega = -a->omega * above / below;
    const double size = wr_clamp(fabs(a->omega), OMEGA_MIN, OMEGA_MAX);
    a->omega = a->omega < 0.0 ? -size : size;
}

static void push_column(wr_accelerate *a)
{
    a->i_newest = (a->i_newest + 1) % a->depth;
    if (a->n_column < a->depth)
        a->n_column++;
    double *const v = a->column_v + (size_t)a->i_newest * 2 * a->n;
    double *const w = a->column_w + (size_t)a->i_newest * 2 * a->n;
    for (size_t i = 0; i < 2 * a->n; i++) {
        v[i] = a->r[i] - a->r_last[i];
        w[i] = a->y[i] - a->y_last[i];
    }
}

/* Solves min ||V c + r|| by modified Gram-Schmidt, newest column first; columns that add nothing
 * new are left out. Adds W c to y in a->w. */
static void anderson(wr_accelerate *a)
{
    int n_used = 0;
    int used[64];
    const int depth = a->n_column < 64 ? a->n_column : 64;
    double *const residual = a->w; /* w is not needed any more */
    for (size_t i = 0; i < a->n; i++)
        residual[i] = a->r[i] * a->weight[i];
    for (int k = 0; k < depth; k++) {
        const int column = (a->i_newest - k + a->depth) % a->depth;
        const double *const v = a->column_v + (size_t)column * 2 * a->n;
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
            a->triangle[j * a->depth + n_used] = dot;
        }
        for (size_t i = 0; i < a->n; i++)
            after += q[i] * q[i];
        const double norm = sqrt(after);
        if (!(norm > FILTER * sqrt(before)) || !(norm > 0.0))
            continue;
        for (size_t i = 0; i < a->n; i++)
            q[i] /= norm;
        a->triangle[n_used * a->depth + n_used] = norm;
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
            a->c[j] -= a->triangle[j * a->depth + k] * a->c[k];
        a->c[j] /= a->triangle[j * a->depth + j];
    }
    memcpy(a->w, a->y, 2 * a->n * sizeof *a->w);
    for (int j = 0; j < n_used; j++) {
        const double *const w = a->column_w + (size_t)used[j] * 2 * a->n;
        for (size_t i = 0; i < 2 * a->n; i++)
            a->w[i] += a->c[j] * w[i];
    }
}

static wrsim_status write_waves(const wr_accelerate *a, const wr_wave *const *now,
                                wr_wave *const *next)
{
    size_t at = 0;
    for (int i = 0; i < a->n_wave; i++) {
        wr_wave_clear(next[i]);
        for (int node = 0; node < WR_ACCELERATE_GRID; node++) {
            WR_TRY(wr_wave_append(next[i], grid_time(now[i], node), a->w + at, a->w + a->n + at));
            at += (size_t)a->n_signal[i];
        }
    }
    return WRSIM_OK;
}

wrsim_status wr_accelerate_step(wr_accelerate *a, const wr_wave *const *before,
                                const wr_wave *const *now, const double *const *scale,
                                wr_wave *const *next)
{
    sample(a, before, now, a->w);
    sample(a, now, now, a->y);
    set_weights(a, scale);
    for (size_t i = 0; i < 2 * a->n; i++)
        a->r[i] = a->y[i] - a->w[i];
    if (a->n_sweep > 0 && a->kind == WR_ACCELERATE_KIND_AITKEN)
        update_aitken(a);
    if (a->n_sweep > 0 && a->kind == WR_ACCELERATE_KIND_ANDERSON) {
        push_column(a);
        anderson(a);
    } else {
        for (size_t i = 0; i < 2 * a->n; i++)
            a->w[i] += a->omega * a->r[i];
    }
    a->n_sweep++;
    memcpy(a->r_last, a->r, 2 * a->n * sizeof *a->r);
    memcpy(a->y_last, a->y, 2 * a->n * sizeof *a->y);
    return write_waves(a, now, next);
}
