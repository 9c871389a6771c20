/* History: the last accepted waveforms of one subsystem, for prediction.
 *
 * The subsystem's task writes a ring of nodes, window by window. A node has the time, and the value and slope of every signal. Two nodes at
 * one time are a jump. Other tasks may read the nodes up to the last wr_history_show().
 *
 * Thread: the subsystem's worker writes; any task reads the n_shown nodes. Real-time: yes after placing. */
#ifndef WR_HISTORY_H
#define WR_HISTORY_H

#include <stdint.h>

#include "subsystems/waves/wave.h"

typedef struct wr_history {
    int n_signal;
    int cap_node; /* a power of two */
    /* number of nodes since the start: written, readable for other tasks */
    int64_t n_written, n_shown;
    double oldest_s, newest_s; /* first and last readable time, if n_shown >= 2 */
    double *t_s;               /* [cap_node], node i at wr_history_at(i) */
    double *value, *slope;     /* [cap_node * n_signal], node-major */
} wr_history;

/* Places a history of at least cap_node nodes. Returns NULL when the arena is exhausted. */
wr_history *wr_history_place(wr_arena *arena, int n_signal, int cap_node);

/* Appends an accepted wave that begins at the end of the last wave. */
void wr_history_append(wr_history *history, const wr_wave *wave);

/* Lets other tasks read the last written nodes, at most cap_node / 2. During the call no task uses the history. */
void wr_history_show(wr_history *history);

/* Visits the nodes (base/state_io.h). */
void wr_history_state(wr_history *history, wr_state_io *io);

/* Returns 1 if readable nodes exist on both sides of t_s. One half of the ring is readable; the writer may overwrite the other half. */
static inline int wr_history_has(const wr_history *h, double t_s)
{
    return h->n_shown >= 2 && h->oldest_s <= t_s && t_s < h->newest_s;
}

/* Returns the last readable node at or before t_s. Requires wr_history_has(t_s). The search begins at `node`, the result of an earlier
 * search; -1: no earlier search. */
int64_t wr_history_find(const wr_history *history, int64_t node, double t_s);

/* Returns a node's position in the ring. cap_node is a power of two, because a division would cost more than the read. */
static inline size_t wr_history_at(const wr_history *h, int64_t node)
{
    return (size_t)(node & (h->cap_node - 1));
}

static inline double wr_history_time(const wr_history *h, int64_t node)
{
    return h->t_s[wr_history_at(h, node)];
}

static inline const double *wr_history_value(const wr_history *h, int64_t node)
{
    return h->value + wr_history_at(h, node) * (size_t)h->n_signal;
}

static inline const double *wr_history_slope(const wr_history *h, int64_t node)
{
    return h->slope + wr_history_at(h, node) * (size_t)h->n_signal;
}

/* Returns the piece from this node to the next node. */
static inline wr_piece wr_history_piece(const wr_history *h, int64_t node)
{
    return (wr_piece){.t0_s = wr_history_time(h, node),
                      .t1_s = wr_history_time(h, node + 1),
                      .y0 = wr_history_value(h, node),
                      .y1 = wr_history_value(h, node + 1),
                      .s0 = wr_history_slope(h, node),
                      .s1 = wr_history_slope(h, node + 1)};
}

#endif
