/* The private state of one subsystem. During a run only the subsystem's task, requests (engine_requests.h) and engine_ahead.c read this
 * state.
 *
 * Thread: the subsystem's task; serial section: requests and engine_ahead.c. Real-time: plain data. */
#ifndef WR_ENGINE_RUN_H
#define WR_ENGINE_RUN_H

#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_record.h"
#include "runtime/relax/phase_cost.h"
#include "runtime/relax/predict.h"
#include "runtime/relax/publication.h"
#include "runtime/relax/wiring.h"

/* Each object lies in the memory of its subsystem, on cache lines of its own. */
typedef struct wr_run {
    _Alignas(WR_CACHE_LINE) wr_subsystem *subsystem;
    wr_record *record;
    wr_waves *waves;
    const wr_net_node *node;
    int i;
    wr_wave *iterate[2]; /* in turn the published wave and the wave that the task writes */
    wr_wave_distance *converge;
    wr_predict *predict;
    const wr_wiring *link;
    int64_t place
        [WR_PREDICT_SOURCES]; /* position of each source of the prediction in the phase record */
    /* [n_source] order of own events and each source's jumps in the last integration */
    uint64_t *order;
    double *x_end, *d_end; /* [n_x], [n_d] states at the end of the last integration */
    wr_phase_cost time;
    wr_fault fault;   /* the fault that ended a run or cut a window */
    wr_fault runaway; /* result of wr_request_find_runaway() */
} wr_run;

#endif
