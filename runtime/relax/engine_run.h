/* The private state of one subsystem: only its own task and requests (engine_requests.h) read it.
 *
 * Thread: the subsystem's task, and requests. Real-time: plain data.
 */
#ifndef WR_ENGINE_RUN_H
#define WR_ENGINE_RUN_H

#include "runtime/relax/converge.h"
#include "runtime/relax/engine_record.h"
#include "runtime/relax/engine_waves.h"
#include "runtime/relax/link.h"
#include "runtime/relax/predict.h"
#include "runtime/relax/task_time.h"

/* Each object lies in the memory of its subsystem, on cache lines of its own. */
typedef struct wr_run {
    _Alignas(WR_CACHE_LINE) wr_subsystem *subsystem;
    wr_record *record; /* its own */
    wr_waves *waves;   /* its own */
    int i;
    wr_wave *iterate[2]; /* one is published, the other is written */
    wr_converge *converge;
    wr_predict *predict;
    const wr_link *link;
    int64_t place[WR_PREDICT_SOURCES]; /* of the phase one period back, and at the history source */
    uint64_t *order; /* [n_source] order of events and each source's jumps, last integration */
    double *x_end, *d_end; /* [n_x], [n_d] of the last integration */
    wr_task_time time;
    wr_fault fault;   /* that ended a run or cut a window */
    wr_fault runaway; /* found by wr_request_find_runaway() */
} wr_run;

/* The results of a comparison of waves, except those in the values. */
static inline void wr_run_note_comparison(const wr_run *p)
{
    wr_record *const r = p->record;
    const wr_converge *const c = p->converge;
    r->change = c->delta_max;
    r->end_change = c->end_change;
    r->t_bad_s = c->t_bad_s;
    r->jump_shift = c->jump_shift;
    r->is_end_new = (unsigned char)c->is_end_new;
}

/* Where the subsystem stands, and its next time event. */
static inline void wr_run_note_time(const wr_run *p)
{
    wr_record *const r = p->record;
    r->t_s = p->subsystem->t_s;
    if (r->ends_windows)
        r->next_event_s = wr_subsystem_next_event(p->subsystem, &r->event_gap_s);
}

#endif
