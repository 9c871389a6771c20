/* The record of the task that integrates one subsystem period by period.
 *
 * Thread: the worker that has claimed the task; n_claim and clock_s: any. Real-time: plain data.
 */
#ifndef WR_TASK_RECORD_H
#define WR_TASK_RECORD_H

#include <stdatomic.h>

#include "runtime/relax/link.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"
#include "runtime/slack/delay_error.h"
#include "runtime/slack/slack_options.h"
#include "runtime/slack/sweep_residual.h"
#include "runtime/slack/versions.h"

typedef struct wr_period_task {
    /* Who adds one to 0 has it, and gives it back by 0: period_task.c. */
    _Alignas(WR_CACHE_LINE) atomic_int n_claim;
    int i;
    wr_subsystem *subsystem;
    wr_published out;
    const wr_link *link;
    wr_predict *predict;
    wr_history *history; /* NULL: it has none */
    wr_phase *phase;
    int i_phase_source, i_phase_signal; /* where it reads the phase; source -1: in its own wave */
    int64_t phase_place;
    double *weight; /* [n_published] tolerance units; at the start, values */
    double *slope;  /* [n_published] at the start */
    int n_source;
    int n_pick;                /* n_source, and those that are picked only for what they wish */
    wr_version_source *source; /* [n_pick] */
    int64_t *version;          /* [n_pick] for the log */
    int n_reader;
    wr_version_reader *reader; /* [n_reader] */
    /* The period in progress, or to come. */
    double t_s, end_s;
    int64_t n_tick;  /* grid point at or before t_s */
    int span;        /* ticks from a grid point of its own to the next */
    int next_span;   /* of the next period: what is published says where that ends */
    int sweep;       /* to be made next */
    int n_sweep;     /* of the period */
    int is_degraded; /* for want of time */
    double tolerance_factor;
    /* Of the period, where it is paced. */
    int64_t begun_ns; /* when this sweep began */
    wr_period_time time;
    wr_period_work work; /* counted before it */
    int is_begun, has_log, has_waited, is_saved;
    int is_timing; /* the whole period has begun that is timed */
    wrsim_status status;
    wr_slack_age *age;     /* [n_external] mean_s is the sum here */
    wr_delay_error *delay; /* NULL: nothing is watched */
    wr_slack_excess local, global;
    int n_relax;    /* sweeps of its periods, at least */
    double quiet_s; /* up to there records say nothing of what a limit has changed last */
    int i_pending;  /* source whose periods are to be shorter, which they are not yet; -1 */
    int64_t n_wait, n_stale, n_integration;
    wr_sweep_residual rest;
    /* Partner: wr_slack_run_time() in another worker's observer call. */
    _Alignas(WR_CACHE_LINE) _Atomic double clock_s;
} wr_period_task;

#endif
