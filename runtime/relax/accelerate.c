/* Relaxation factor, Aitken and Anderson on interface waveforms. See accelerate.h.
 *
 * Sources: Aitken's factor for vectors (Irons and Tuck, 1969); Anderson (1965) in the form of IQN-ILS (Degroote, Bathe and
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

#include "subsystems/wave/hermite.h"

static const double FILTER = 1e-8; /* a column is dropped below this share of its length */
/* Residuals below this are noise; a step that was right leaves less than this of the residual; what is kept of an
 * amplification when another one is seen. */
static const double LEAST_RESIDUAL = 1e-3, FELL = 0.1, FORGET = 0.9;
/* What the residual may be amplified by where nothing has been seen, and at most. */
static const double UNSEEN = 1e4, MOST = 1e6;
enum { LEAST_EVEN = 65 };        /* of the grid's nodes */
static const double PLAIN = 0.5; /* contraction below which a constant factor gives way to 1 */
static const double OMEGA_MIN = 1e-3, OMEGA_MAX = 1e4;

struct wr_accelerate {
    wr_accelerate_kind kind;
    double factor, omega;
    double wanted; /* Aitken's omega before it is clamped */
    int depth, n_wave;
    const int *n_signal;
    size_t n;        /* values of all waves on the grid */
    double believed; /* Aitken's omega of the last step that proved right; 0 = none has */
    double last_residual, last_error;
    double least_residual; /* of this window */
    double amplification; /* of the residual to the error, as seen in the last windows; 0 = never */
    int n_sweep;          /* of this window so far */
    int n_column, i_newest;      /* ring of columns */
    double *w, *y, *r;           /* [n] */
    double *r_last, *y_last;     /* [n] */
    double *column_v, *column_w; /* [depth][n] */
    double *q;                   /* [depth][n] orthonormal columns */
    double *triangle, *c;        /* [depth * depth], [depth] */
    int *n_jump;                 /* [n_wave] nodes at jumps in the last sweep */
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
        if (!(*vectors[i] = WR_NEW_ARRAY(arena, double, n)))
            return NULL;
    const size_t n_column = kind == WR_ACCELERATE_KIND_ANDERSON ? (size_t)depth : 0;
    a->column_v = WR_NEW_ARRAY(arena, double, n_column *n);
    a->column_w = WR_NEW_ARRAY(arena, double, n_column *n);
    a->q = WR_NEW_ARRAY(arena, double, n_column *n);
    a->triangle = WR_NEW_ARRAY(arena, double, n_column *n_column);
    a->c = WR_NEW_ARRAY(arena, double, n_column);
    a->weight = WR_NEW_ARRAY(arena, double, n);
    a->all = WR_NEW_ARRAY(arena, int, largest);
    a->n_jump = WR_NEW_ARRAY(arena, int, n_wave);
    if (!a->column_v || !a->column_w || !a->q || !a->triangle || !a->c || !a->weight || !a->all ||
        !a->n_jump)
        return NULL;
    for (int i = 0; i < largest; i++)
        a->all[i] = i;
    return a;
}

void wr_accelerate_reset(wr_accelerate *a)
{
    a->n_sweep = a->n_column = a->i_newest = 0;
    a->omega = a->factor;
    a->least_residual = (double)INFINITY;
}

void wr_accelerate_state(wr_accelerate *a, wr_state_io *io)
{
    WR_STATE(io, a->wanted);
    WR_STATE(io, a->believed);
    WR_STATE(io, a->last_residual);
    WR_STATE(io, a->last_error);
    WR_STATE(io, a->amplification);
    WR_STATE_ARRAY(io, a->n_jump, a->n_wave);
    if (wr_state_reads(io))
        wr_accelerate_reset(a);
}

/* A slow mode beside fast ones shows late: a few sweeps of a window say nothing of it, those of earlier windows
 * did. A step is believed to have been the error once the residual after it is much smaller than any before; what it
 * amplified the residual by is kept, and forgotten by and by only where others are seen. In algebraic loops it is known
 * where the window ends: not less. */
static double amplify(wr_accelerate *a, double residual, double error, double omega, double known)
{
    if (a->n_sweep > 0 && a->last_residual > LEAST_RESIDUAL &&
        residual < FELL * a->least_residual && isfinite(a->last_error)) {
        a->amplification = wr_max(wr_max(FORGET * a->amplification, 1.0),
                                  wr_min(a->last_error / a->last_residual, MOST));
        a->believed = omega;
    }
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
        error = wr_min(error, most * residual); /* steps from noise say nothing */
    return wr_max(error, seen * residual);
}

/* Times at which a wave is sampled: evenly, and at both sides and all rounds of its jumps. */
typedef struct grid {
    double t_s[WR_ACCELERATE_GRID];
    int node[WR_ACCELERATE_GRID]; /* of the wave, at a jump; -1: between nodes */
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

/* 0, or -1 where there is no room for all jumps. */
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

/* Samples a wave's values on a grid. Jumps of another wave than the grid's are those in the same place, or,
 * where their number differs, what it is just before. */
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

/* Samples all waves on the grids of those that came out. Returns 0, 1 where the jumps are not those of the last
 * sweep, or -1 where there are too many. */
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

static void set_weights(wr_accelerate *a, const double *const *scale)
{
    size_t at = 0;
    for (int i = 0; i < a->n_wave; i++)
        for (int node = 0; node < WR_ACCELERATE_GRID; node++)
            for (int j = 0; j < a->n_signal[i]; j++)
                a->weight[at++] = 1.0 / scale[i][j];
}

/* Largest weighted value of share * r, or of the step from what was used, y - r, to w. */
static double size_of_residual(const wr_accelerate *a, double share)
{
    double largest = 0.0;
    for (size_t i = 0; i < a->n; i++)
        largest = wr_max(largest, fabs(share * a->r[i]) * a->weight[i]);
    return largest;
}

static double size_of_step(const wr_accelerate *a)
{
    double largest = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        const double size = fabs(a->w[i] - (a->y[i] - a->r[i])) * a->weight[i];
        if (!(size <= largest))
            largest = isfinite(size) ? size : (double)INFINITY;
    }
    return largest;
}

/* Change of what came out over that of what was used, w = y - r, from the last sweep to this one. */
static double contraction_of(const wr_accelerate *a)
{
    double out = 0.0, in = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        const double dy = a->y[i] - a->y_last[i], dr = a->r[i] - a->r_last[i];
        out = wr_max(out, fabs(dy) * a->weight[i]);
        in = wr_max(in, fabs(dy - dr) * a->weight[i]);
    }
    return out / in;
}

/* omega_{k+1} = -omega_k <r_{k-1}, r_k - r_{k-1}> / ||r_k - r_{k-1}||^2. Differences of noise say
 * nothing of it: then what was right before is. */
static void update_aitken(wr_accelerate *a)
{
    double above = 0.0, below = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        const double weight = a->weight[i] * a->weight[i], difference = a->r[i] - a->r_last[i];
        above += a->r_last[i] * difference * weight;
        below += difference * difference * weight;
    }
    if (a->last_residual <= LEAST_RESIDUAL)
        a->omega = a->believed != 0.0 ? a->believed : a->factor;
    else if (below > 0.0)
        a->omega = -a->omega * above / below;
    a->wanted = a->omega;
    const double size = wr_clamp(fabs(a->omega), OMEGA_MIN, OMEGA_MAX);
    a->omega = a->omega < 0.0 ? -size : size;
}

static void push_column(wr_accelerate *a)
{
    a->i_newest = (a->i_newest + 1) % a->depth;
    if (a->n_column < a->depth)
        a->n_column++;
    double *const v = a->column_v + (size_t)a->i_newest * a->n;
    double *const w = a->column_w + (size_t)a->i_newest * a->n;
    for (size_t i = 0; i < a->n; i++) {
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
    memcpy(a->w, a->y, a->n * sizeof *a->w);
    for (int j = 0; j < n_used; j++) {
        const double *const w = a->column_w + (size_t)used[j] * a->n;
        for (size_t i = 0; i < a->n; i++)
            a->w[i] += a->c[j] * w[i];
    }
}

/* What signal k of a wave is moved by at the grid's node j: from what came out (y) to the guess (w). The wave's
 * first node stands at start. */
static inline double move_at(const wr_accelerate *a, size_t start, int n_signal, int j, int k)
{
    const size_t i = start + (size_t)j * (size_t)n_signal + (size_t)k;
    return a->w[i] - a->y[i];
}

/* The slope of that between the grid's nodes j and j + 1; NaN where they are the sides of a jump, or outside. */
static inline double move_chord(const wr_accelerate *a, size_t start, int n_signal, const grid *g,
                                int j, int k)
{
    if (j < 0 || j + 1 >= WR_ACCELERATE_GRID || !(g->t_s[j + 1] > g->t_s[j]))
        return (double)NAN;
    return (move_at(a, start, n_signal, j + 1, k) - move_at(a, start, n_signal, j, k)) /
           (g->t_s[j + 1] - g->t_s[j]);
}

/* The slope of that at node j: of the parabola through its neighbours between jumps. Beside a jump that came elsewhere
 * before a node may be very near: what happens there must not tilt all of the next interval, so no slope takes it further
 * than the neighbours are apart. Slopes are not mixed as values are: nobody's residual sees them, and wrong ones would
 * stay. */
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

/* What came out, moved on the grid, at its own nodes: slope jumps and all that the grid does not show stay as they
 * are, and where nothing is moved any more the guess is what came out. */
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

static wrsim_status write_waves(const wr_accelerate *a, const wr_wave *const *now,
                                wr_wave *const *next)
{
    size_t at = 0;
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

wrsim_status wr_accelerate_step(wr_accelerate *a, const wr_wave *const *before,
                                const wr_wave *const *now, const double *const *scale,
                                wr_wave *const *next, double residual, double amplification,
                                double *ret_error)
{
    const int is_other = sample(a, before, now);
    if (is_other < 0)
        return WRSIM_E_LIMIT;
    if (is_other) { /* what happens has to settle first: jumps are not to be mixed with none */
        wr_accelerate_reset(a);
        return WRSIM_E_LIMIT;
    }
    set_weights(a, scale);
    for (size_t i = 0; i < a->n; i++)
        a->r[i] = a->y[i] - a->w[i];
    const int has_last = a->n_sweep > 0;
    const double r = has_last ? contraction_of(a) : (double)INFINITY, omega = a->omega;
    residual = wr_max(residual, size_of_residual(a, 1.0));
    const double bound = r < 1.0 ? residual / (1.0 - r) : residual;
    *ret_error = residual > 0.0 && !(r < 1.0) ? (double)INFINITY : bound;
    if (has_last && a->kind == WR_ACCELERATE_KIND_AITKEN) {
        update_aitken(a);
        *ret_error = wr_max(size_of_residual(a, a->wanted), r < 1.0 ? bound : 0.0);
    }
    if (has_last && a->kind == WR_ACCELERATE_KIND_ANDERSON) {
        push_column(a);
        anderson(a);
        *ret_error = size_of_step(a);
    } else {
        /* Where the iteration contracts well by itself a part of a step is slower than all of it. */
        const int is_plain = a->kind == WR_ACCELERATE_KIND_RELAXATION && r < PLAIN;
        for (size_t i = 0; i < a->n; i++)
            a->w[i] += (is_plain ? 1.0 : a->omega) * a->r[i];
    }
    /* A constant factor makes one iteration of all sweeps, whose contraction says what is left. */
    if (a->kind != WR_ACCELERATE_KIND_RELAXATION || !(r < 1.0))
        *ret_error = amplify(a, residual, *ret_error, omega, amplification);
    *ret_error = wr_max(*ret_error, amplification * residual);
    a->n_sweep++;
    memcpy(a->r_last, a->r, a->n * sizeof *a->r);
    memcpy(a->y_last, a->y, a->n * sizeof *a->y);
    return write_waves(a, now, next);
}
