/* Waveforms: what a subsystem publishes about its coupled outputs over one window.
 *
 * One wr_wave carries all coupled outputs of one subsystem on one common set of nodes, which are
 * the accepted steps of its integrator: value and slope of each signal at each node, joined by
 * cubic Hermite polynomials (order 4; docs/METHODS.md, Waveforms). A discontinuity is a jump node: two nodes at the
 * same time, the left limit and the right limit. A prediction is the same thing with two nodes: a
 * cubic is exactly represented by values and slopes at both ends.
 *
 * Reading is by cursor: time mostly moves forward, so a look-up is amortised O(1). At a jump a
 * cursor gives the left limit until wr_cursor_pass() was called for it: a step that ends at the
 * jump sees the left side, the one that starts there the right side.
 *
 * Symbols: t time, y value, s slope dy/dt.
 *
 * Thread: one writer, then any number of readers, ordered by the scheduler's barrier.
 * Real-time: yes after placing.
 */
#ifndef WR_WAVE_H
#define WR_WAVE_H

#include <math.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/state_io.h"
#include "subsystems/waves/causes.h"
#include "subsystems/waves/hermite.h"

/* Of the many nodes that a wave may have, most have few: those lie side by side, beside what else a
 * window reads. */
enum { WR_WAVE_FEW = 6 };

typedef struct wr_wave {
    int n_signal;
    int cap_node;
    int n_node;         /* >= 2 once published */
    int n_jump;         /* pairs of neighbours at the same time: mostly 0, and nobody has to look */
    double *t_s;        /* [cap_now] non-decreasing; equal neighbours are a jump */
    double *value;      /* [cap_now * n_signal], node-major */
    double *slope;      /* [cap_now * n_signal], per second */
    int cap_now;        /* of the room in use: few's or cap_node */
    double *few, *many; /* rooms for the three arrays; many NULL where few are all */
    wr_causes *causes;  /* of its jumps; NULL: none are kept. Of one window: no part of its state */
} wr_wave;

typedef struct wr_cursor {
    int i_segment; /* segment found last */
    int i_floor;   /* segments before this one lie before a passed jump */
} wr_cursor;

/* Places a wave. NULL when the arena is exhausted. */
wr_wave *wr_wave_place(wr_arena *arena, int n_signal, int cap_node);

/* More nodes than few: those there are move to the room for many. WRSIM_E_LIMIT when they lie there. */
wrsim_status wr_wave_grow(wr_wave *wave);

/* Empties the wave. */
void wr_wave_clear(wr_wave *wave);

/* Appends a node; t_s must not be before the last one. Returns WRSIM_E_LIMIT when full. */
wrsim_status wr_wave_append(wr_wave *wave, double t_s, const double *value, const double *slope);

/* The same to be filled in by the caller: [n_signal] values and slopes. */
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

/* Copies nodes; dst must have the same signals. Returns WRSIM_E_LIMIT if it has too few nodes. */
wrsim_status wr_wave_copy(wr_wave *dst, const wr_wave *src);

/* Passes over its nodes. */
void wr_wave_state(wr_wave *wave, wr_state_io *io);

/* First and last time, s. */
static inline double wr_wave_start(const wr_wave *wave) { return wave->t_s[0]; }
static inline double wr_wave_end(const wr_wave *wave) { return wave->t_s[wave->n_node - 1]; }

/* Of what happens at its end: nodes there after that on the left. */
static inline int wr_wave_rounds_at_end(const wr_wave *wave)
{
    int n = 0;
    while (n + 1 < wave->n_node && wave->t_s[wave->n_node - 2 - n] >= wr_wave_end(wave))
        n++;
    return n;
}

/* Starts reading at the wave's beginning. */
static inline wr_cursor wr_cursor_start(void) { return (wr_cursor){0, 0}; }

/* Declares that the jump at t_s was handled: from now on t_s reads as its right limit. */
void wr_cursor_pass(wr_cursor *cursor, const wr_wave *wave, double t_s);

/* One cubic of a wave: what is to be read for low < t <= high. The ends of a wave and of what lies
 * behind a passed jump are extrapolated, so low and high may be infinite. */
typedef struct wr_piece {
    double low_s, high_s;
    double t0_s, t1_s;               /* its ends; equal: y1 holds */
    const double *y0, *y1, *s0, *s1; /* [n_signal] values and slopes there */
} wr_piece;

/* First segment from the floor on whose end is not before t: a time that is exactly a node belongs
 * to the segment on its left, unless the cursor has passed it. */
static inline int wr_wave_segment(const wr_wave *wave, wr_cursor *cursor, double t_s)
{
    const double *const t = wave->t_s;
    const int last = wave->n_node - 2;
    if (last == 0) /* most predictions */
        return 0;
    int i = cursor->i_segment;
    if (i > last)
        i = last;
    while (i < last && t[i + 1] < t_s)
        i++;
    while (i > cursor->i_floor && t[i] >= t_s)
        i--;
    /* A segment of no length is the jump itself: its left neighbour ends at the same time. */
    if (i > cursor->i_floor && t[i] >= t[i + 1])
        i--;
    if (i < cursor->i_floor)
        i = cursor->i_floor;
    cursor->i_segment = i;
    return i;
}

/* The piece that is read at t. */
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

/* Is it the piece to be read at t? Of a zeroed one never. */
static inline int wr_piece_holds(const wr_piece *piece, double t_s)
{
    return t_s > piece->low_s && t_s <= piece->high_s;
}

/* Its first n signals at t, inside or outside of it, and their slopes. */
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

/* Evaluates one signal, or n listed ones, and optionally slopes. Times
 * outside the wave are extrapolated by its first or last polynomial. ret_slope may be NULL. */
double wr_wave_eval(const wr_wave *wave, wr_cursor *cursor, double t_s, int i_signal);
void wr_wave_eval_many(const wr_wave *wave, wr_cursor *cursor, double t_s, int n,
                       const int *i_signal, double *ret_value, double *ret_slope);

/* The first node after t, but for rounding, that the cursor has not passed; n_node: there is none. */
int wr_wave_node_after(const wr_wave *wave, const wr_cursor *cursor, double t_s);

/* Do nodes i and i + 1 stand at one time, where one of the n listed signals jumps by more than its limit? */
int wr_wave_is_jump(const wr_wave *wave, int i, int n, const int *i_signal, const double *limit);

/* Time of the first jump strictly after t_s (or at t_s if not yet passed by the cursor) whose size
 * exceeds limit[i] in any of the n listed signals, where limit is indexed like i_signal; INFINITY
 * if there is none. Two adjacent nodes at the same time are a jump. */
double wr_wave_next_jump(const wr_wave *wave, const wr_cursor *cursor, double t_s, int n,
                         const int *i_signal, const double *limit);

/* Walks the whole wave and asserts its invariants (times ordered, values finite). */
void wr_wave_check(const wr_wave *wave);

#endif
