/* The objects of an engine. The header of each object names the file that writes the object.
 *
 * A task writes only the private state, the record, the waves and the other end (engine_ahead.c) of its subsystem, and the batch's flag of
 * failures. The last worker to arrive at the barrier runs the serial section between two batches. The serial section reads records and
 * waves, issues requests (engine_requests.h), publishes predictions and guesses, and writes the activity in the records and all other
 * objects. With one worker, part of the serial section runs between two tasks (wr_engine_check_early).
 *
 * Thread: see above. Real-time: plain data. */
#ifndef WR_ENGINE_PARTS_H
#define WR_ENGINE_PARTS_H

#include "runtime/relax/engine_options.h"
#include "runtime/relax/engine_record.h"
#include "runtime/relax/publication.h"
#include "wrsim/observer.h"

struct wr_engine {
    wr_engine_options options;
    int n;
    wr_record *record; /* [n] */
    double **value;    /* [n] the records' values */
    wr_waves *waves;   /* [n] */
    /* [n] private states; only tasks, requests and engine_ahead.c access them */
    struct wr_run **run;
    struct wr_net *net;
    struct wr_control *control;
    struct wr_window *rule; /* rule for the length of windows */
    struct wr_window_now *window;
    struct wr_sweep *sweep;
    struct wr_activity *activity;
    struct wr_event_check *event_check;
    struct wr_batch *batch;
    struct wr_contraction *contraction;
    struct wr_mix *mix;
    struct wr_ahead *ahead; /* NULL: no window begins ahead */
    struct wr_loops *loops;
    struct wr_slope *slope;
    struct wr_phase *phase;             /* NULL: no period */
    struct wr_splitting_error *account; /* NULL: one subsystem */
    struct wr_load *load;
    struct wr_lone *lone;
    struct wr_sweep_scheme *scheme;
    struct wr_measured *measured; /* numbers for the window rule */
    struct wr_engine_stats *stats;
    struct wr_observer *observer;        /* first of a list of observers */
    const wrsim_observer *host_observer; /* NULL: no observer */
    int i_serial_worker; /* with host_observer, worker of the present serial section */
    struct wr_team *team;
    struct wr_prefetch *prefetch; /* [n] */
    int is_large;                 /* 1: models exceed the caches, so workers prefetch */
};

#endif
