/* Which rows of a stream a result file has already.
 *
 * A simulation may go back in time (wrsim_snapshot_restore, wrsim_checkpoint_read); a file cannot. So each stream knows
 * where the simulation is and how far the file has come, both as a time and how many rows there were at it: what the file
 * has is not written twice. One that goes on as before leaves the file that it would have left without going back.
 *
 * Thread: the stream's. Real-time: yes.
 */
#ifndef WR_RESUME_FILTER_H
#define WR_RESUME_FILTER_H

#include <stdint.h>

#include "base/check.h"

/* Between two rows. */
typedef struct wr_row_place {
    double t_s;      /* of the last row; nothing where there was none */
    int64_t n_there; /* rows at that time; 0: there was none at all */
} wr_row_place;

/* Each has its worker. */
typedef struct wr_resume_filter {
    _Alignas(WR_CACHE_LINE) wr_row_place at;
    wr_row_place reached;
    int is_behind; /* it has gone back, and has not come to what the file has reached */
} wr_resume_filter;

static inline int wr_row_place_is_before(const wr_row_place *a, const wr_row_place *b)
{
    if (a->n_there == 0 || b->n_there == 0)
        return a->n_there < b->n_there;
    return a->t_s < b->t_s || (a->t_s <= b->t_s && a->n_there < b->n_there);
}

/* A row comes: is it new to the file? */
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

/* The simulation is at another place from now on. */
static inline void wr_resume_filter_move(wr_resume_filter *gate)
{
    gate->is_behind = wr_row_place_is_before(&gate->at, &gate->reached);
}

#endif
