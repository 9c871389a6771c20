/* Drops rows of a stream that the result file already has.
 *
 * A simulation may return to an earlier time (wrsim_snapshot_restore, wrsim_checkpoint_read), but a file cannot. Therefore
 * each stream stores the place of the simulation and of the file's last row: a time, and the number of rows at
 * this time. If the simulation repeats its course, the file equals the file of an uninterrupted run.
 *
 * Thread: the stream's. Real-time: yes.
 */
#ifndef WR_RESUME_FILTER_H
#define WR_RESUME_FILTER_H

#include <stdint.h>

#include "base/check.h"

/* A place between two rows. */
typedef struct wr_row_place {
    double t_s;      /* time of the last row; unset without a row */
    int64_t n_there; /* rows at time t_s; 0: no row so far */
} wr_row_place;

typedef struct wr_resume_filter {
    _Alignas(WR_CACHE_LINE) wr_row_place at;
    wr_row_place reached;
    int is_behind; /* 1: the simulation is before the file's last row */
} wr_resume_filter;

static inline int wr_row_place_is_before(const wr_row_place *a, const wr_row_place *b)
{
    if (a->n_there == 0 || b->n_there == 0)
        return a->n_there < b->n_there;
    return a->t_s < b->t_s || (a->t_s <= b->t_s && a->n_there < b->n_there);
}

/* Counts a row. Returns 1 if the file lacks the row. */
static inline int wr_resume_filter_pass(wr_resume_filter *gate, double t_s)
{
    wr_row_place *const at = &gate->at;
    if (at->n_there == 0 || t_s > at->t_s) {
        at->t_s = t_s;
        at->n_there = 0;
    }
    at->n_there++;
    if (gate->is_behind && !wr_row_place_is_before(&gate->reached, at))
        return 0;
    gate->is_behind = 0;
    gate->reached = *at;
    return 1;
}

/* Updates the filter after the simulation has changed its time. */
static inline void wr_resume_filter_move(wr_resume_filter *gate)
{
    gate->is_behind = wr_row_place_is_before(&gate->at, &gate->reached);
}

#endif
