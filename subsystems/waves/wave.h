/* Waveforms: the coupled outputs of a subsystem over one window.
 *
 * A wr_wave stores the values and slopes of all coupled outputs of one subsystem at common nodes, such as the ends of steps. Cubic Hermite
 * polynomials join the nodes (order 4; docs/METHODS.md, Waveforms). A jump has two or more nodes at the same time: the left limit, and the
 * right limit after each round of events. A cubic over the whole window is a wave with two nodes, because values and slopes at both ends
 * determine a cubic.
 *
 * A reader uses a cursor, which stores the last found segment. Time mostly increases, so an evaluation finds its segment in amortised O(1).
 * At a jump a cursor gives the left limit until the reader calls wr_cursor_pass() for the jump. So a step that ends at the jump reads the
 * left limit, and the next step reads the right limit.
 *
 * Symbols: t time, y value, s slope dy/dt.
 *
 * Thread: one writer, then any number of readers, ordered by the scheduler's barrier, or in a slackened run by wave_store.h. Real-time: yes
 * after placing.
 */
#ifndef WR_WAVE_H
#define WR_WAVE_H

#include <math.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/state_io.h"
#include "subsystems/waves/causes.h"
#include "subsystems/waves/hermite.h"

/* Number of nodes in the small arrays of a wave (assumed), which are near the other memory that a window reads. Most waves have few
 * nodes. */
enum { WR_WAVE_FEW = 6 };

typedef struct wr_wave {
    int n_signal;
    int cap_node;
    int n_node;    /* number of nodes, >= 2 once published */
    int n_jump;    /* number of pairs of neighbours at the same time; 0: readers skip the search */
    double *t_s;   /* [cap_now] non-decreasing; equal neighbours are a jump */
    double *value; /* [cap_now * n_signal], node-major */
    double *slope; /* [cap_now * n_signal], per second */
    int cap_now;   /* capacity of the memory in use: WR_WAVE_FEW at most, or cap_node */
    double *few, *many; /* memory for the three arrays; many NULL: few is for cap_node nodes */
    wr_causes *causes;  /* causes of the jumps of a window, not part of the state; NULL: none */
} wr_wave;

typedef struct wr_cursor {
    int i_segment; /* last found segment */
    int i_floor;   /* first segment that the cursor has not passed, or the last segment */
} wr_cursor;

/* Places a wave. Returns NULL when the arena is exhausted. */
wr_wave *wr_wave_place(wr_arena *arena, int n_signal, int cap_node);

/* Moves the nodes to the memory for cap_node nodes. Returns WRSIM_E_LIMIT if the wave already uses this memory. */
wrsim_status wr_wave_grow(wr_wave *wave);

/* Moves a wave without nodes to the small arrays. */
void wr_wave_shrink(wr_wave *wave);

/* Removes all nodes. A wave with many nodes keeps its large arrays, because the next window probably also has many nodes. */
static inline void wr_wave_clear(wr_wave *wave)
{
    if (wave->cap_now > WR_WAVE_FEW && wave->n_node <= WR_WAVE_FEW)
        wr_wave_shrink(wave);
    wave->n_node = wave->n_jump = 0;
    if (wave->causes)
        wave->causes->n = 0;
}

/* Appends a node; t_s is not before the last node. Returns WRSIM_E_LIMIT when full. */
wrsim_status wr_wave_append(wr_wave *wave, double t_s, const double *value, const double *slope);

/* Appends a node like wr_wave_append(), but the caller writes the [n_signal] values and slopes. */
static inline wrsim_status wr_wave_extend(wr_wave *wave, double t_s, double **ret_value,
                                          double **ret_slope)
{
    const int n = wave->n_node;
    if (n == wave->cap_now)
        WR_TRY(wr_wave_grow(wave));
    WR_ASSERT(n == 0 || t_s >= wave->t_s[n - 1]);
    wave->n_jump += n > 0 && t_s <= wave->t_s[n - 1];
    wave->t_s[n] = t_s;
    wave->n_node = n + 1;
    *ret_value = wave->value + (size_t)n * (size_t)wave->n_signal;
    *ret_slope = wave->slope + (size_t)n * (size_t)wave->n_signal;
    return WRSIM_OK;
}

/* Copies the nodes and causes; both waves have the same number of signals. Returns WRSIM_E_LIMIT if the capacity of dst is too small. */
wrsim_status wr_wave_copy(wr_wave *dst, const wr_wave *src);

/* Reads or writes the nodes as state (base/state_io.h). */
void wr_wave_state(wr_wave *wave, wr_state_io *io);

/* Return the first and the last time, s. */
static inline double wr_wave_start(const wr_wave *wave) { return wave->t_s[0]; }
static inline double wr_wave_end(const wr_wave *wave) { return wave->t_s[wave->n_node - 1]; }

/* Returns the number of rounds of an instant at the wave's end. The rounds are the nodes at the end after the left limit. */
static inline int wr_wave_rounds_at_end(const wr_wave *wave)
{
    int n = 0;
    while (n + 1 < wave->n_node && wave->t_s[wave->n_node - 2 - n] >= wr_wave_end(wave))
        n++;
    return n;
}

/* Returns a cursor at the beginning of a wave. */
static inline wr_cursor wr_cursor_start(void) { return (wr_cursor){0, 0}; }

/* Passes all nodes up to t_s. At a jump at t_s the cursor then gives the right limit. */
void wr_cursor_pass(wr_cursor *cursor, const wr_wave *wave, double t_s);

/* A cubic of a wave, valid for low_s < t <= high_s. low_s and high_s may be infinite, because readers extrapolate the first and last
 * cubics of a wave, and the first cubic after a passed jump. */
typedef struct wr_piece {
    double low_s, high_s;
    double t0_s, t1_s;               /* ends of the cubic; equal: the value is y1 */
    const double *y0, *y1, *s0, *s1; /* [n_signal] values and slopes at the ends */
} wr_piece;

/* Returns the first segment from i_floor on that ends at t_s or later. Else returns the last segment, or the segment before a jump at the
 * wave's end. The time of a node belongs to the segment on its left, unless the cursor has passed the node. */
static inline int wr_wave_segment(const wr_wave *wave, wr_cursor *cursor, double t_s)
{
    const double *const t = wave->t_s;
    const int last = wave->n_node - 2;
    if (last == 0) /* most predictions have one segment */
        return 0;
    int i = cursor->i_segment;
    if (i > last)
        i = last;
    while (i < last && t[i + 1] < t_s)
        i++;
    while (i > cursor->i_floor && t[i] >= t_s)
        i--;
    /* A segment of zero length is a jump; its left neighbour ends at the same time. */
    if (i > cursor->i_floor && t[i] >= t[i + 1])
        i--;
    if (i < cursor->i_floor)
        i = cursor->i_floor;
    cursor->i_segment = i;
    return i;
}

/* Returns the piece of wr_wave_segment(). */
static inline wr_piece wr_wave_piece(const wr_wave *wave, wr_cursor *cursor, double t_s)
{
    WR_ASSERT(wave->n_node >= 2);
    const int i = wr_wave_segment(wave, cursor, t_s), n = wave->n_signal;
    const double *const t = wave->t_s + i;
    const double *const y = wave->value + (size_t)i * (size_t)n;
    const double *const s = wave->slope + (size_t)i * (size_t)n;
    return (wr_piece){.low_s = i <= cursor->i_floor ? -(double)INFINITY : t[0],
                      .high_s = i >= wave->n_node - 2 ? (double)INFINITY : t[1],
                      .t0_s = t[0],
                      .t1_s = t[1],
                      .y0 = y,
                      .y1 = y + n,
                      .s0 = s,
                      .s1 = s + n};
}

/* Returns whether the piece is valid at t_s. A zeroed piece is never valid. */
static inline int wr_piece_holds(const wr_piece *piece, double t_s)
{
    return t_s > piece->low_s && t_s <= piece->high_s;
}

/* Evaluate values and slopes of the first n signals at t_s, which may be outside of the piece. */
static inline void wr_piece_values(const wr_piece *p, double t_s, int n, double *restrict ret_value)
{
    const wr_hermite w = wr_hermite_at(p->t0_s, p->t1_s, t_s);
    for (int i = 0; i < n; i++)
        ret_value[i] = wr_hermite_value(&w, p->y0[i], p->y1[i], p->s0[i], p->s1[i]);
}

static inline void wr_piece_slopes(const wr_piece *p, double t_s, int n, double *restrict ret_slope)
{
    const wr_hermite w = wr_hermite_at(p->t0_s, p->t1_s, t_s);
    for (int i = 0; i < n; i++)
        ret_slope[i] = wr_hermite_slope(&w, p->y0[i], p->y1[i], p->s0[i], p->s1[i]);
}

/* Evaluate one signal, or n listed signals and their slopes (ret_slope may be NULL). Outside of the wave the functions extrapolate the
 * first or last polynomial. */
double wr_wave_eval(const wr_wave *wave, wr_cursor *cursor, double t_s, int i_signal);
void wr_wave_eval_many(const wr_wave *wave, wr_cursor *cursor, double t_s, int n,
                       const int *i_signal, double *ret_value, double *ret_slope);

/* Returns the first node after t_s, up to rounding, that the cursor has not passed; n_node: none. */
int wr_wave_node_after(const wr_wave *wave, const wr_cursor *cursor, double t_s);

/* Returns whether nodes i and i + 1 are a jump, and a listed signal jumps by more than its limit. */
int wr_wave_is_jump(const wr_wave *wave, int i, int n, const int *i_signal, const double *limit);

/* Returns the time of the first jump at or after t_s in the segments from cursor->i_floor on. At the jump a listed signal i_signal[j]
 * changes by more than limit[j]. INFINITY: none. */
double wr_wave_next_jump(const wr_wave *wave, const wr_cursor *cursor, double t_s, int n,
                         const int *i_signal, const double *limit);

/* Asserts the invariants of the wave: number of nodes, ordered times, number of jumps, finite times, values and slopes. */
void wr_wave_check(const wr_wave *wave);

#endif
