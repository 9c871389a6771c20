/* The record of the task that integrates one subsystem period by period, and the plan of a run, which is constant after placing.
 *
 * slack_place.c, period_length.c and period_history.c place the record. period_task.c, version_select.c, period_length.c, delay_settle.c
 * and slack_state.c write the record, and slack_clock.c writes its `timing`.
 *
 * Thread: the worker that has claimed the task; n_claim and clock_s: any. Real-time: plain data.
 */
#ifndef WR_TASK_RECORD_H
#define WR_TASK_RECORD_H

#include <stdatomic.h>

#include "runtime/relax/predict.h"
#include "runtime/relax/wiring.h"
#include "runtime/slack/delay_error.h"
#include "runtime/slack/slack_options.h"
#include "runtime/slack/sweep_residual.h"
#include "runtime/slack/versions.h"

/* Wall times of a paced task (slack_clock.c). */
typedef struct wr_task_timing {
    int64_t begun_ns; /* start of the present sweep */
    wr_period_time time;
    wr_period_work work;     /* counts at the start of the period */
    int is_timing;           /* 1: the task measures a whole period */
    int is_degraded;         /* 1: WR_DEADLINE_DEGRADE is in force */
    double tolerance_factor; /* factor on tolerances in the period */
} wr_task_timing;

/* Excesses of the delay error and the actions against them (delay_settle.c). */
typedef struct wr_task_limits {
    wr_slack_excess local, global;
    int is_exceeded; /* 1: an exceeded limit stops the run */
    int n_relax;     /* least number of sweeps of a period */
    double quiet_s;  /* time up to which the last action has no effect, s */
    /* source whose last version still has longer periods than requested; -1: none */
    int i_pending;
} wr_task_limits;

typedef struct wr_period_task {
    /* The worker that raises n_claim from 0 owns the task until this worker stores 0 (period_task.c). */
    _Alignas(WR_CACHE_LINE) atomic_int n_claim;
    int i;
    int i_worker; /* worker that owns the task */
    wr_subsystem *subsystem;
    wr_published out;
    const wr_wiring *link;
    wr_predict *predict;
    struct wr_period_history *history; /* NULL: predictions do not use past periods */
    /* [n_published] tolerance units; at the start of the run, values */
    double *weight;
    double *slope; /* [n_published] slopes at the start of the run */
    int n_source;
    /* n_source, plus the number of readers that are no sources but request periods */
    int n_pick;
    wr_version_source *source; /* [n_pick] */
    int64_t *version;          /* [n_pick] selected versions, for the log */
    int n_reader;
    wr_version_reader *reader; /* [n_reader] */
    /* start of the present or next period, s; end of the present period, valid if is_begun is 1, s */
    double t_s, end_s;
    int64_t n_tick; /* number of the grid point at or before t_s */
    int span;       /* ticks of the period */
    int next_span;  /* ticks of the next period, as published */
    int sweep;      /* next sweep, from 0 */
    int n_sweep;    /* number of sweeps of the period */
    int is_begun, has_log, has_waited, is_saved;
    wrsim_status status;
    wr_slack_age *age;     /* [n_external] ages; mean_s is the sum of the ages */
    wr_delay_error *delay; /* NULL: the task is not watched */
    int64_t n_wait, n_stale, n_integration;
    wr_task_timing timing;
    wr_task_limits limits;
    wr_sweep_residual rest;
    /* Copy of t_s for all threads (relaxed: no other data belongs to clock_s). */
    _Alignas(WR_CACHE_LINE) _Atomic double clock_s;
} wr_period_task;

typedef struct wr_slack_plan {
    wr_slack_options options;
    int n_tick; /* ticks of options.period_s: 2^k, for the shortest period of a connection */
    double tick_s;
    int n;
    wr_period_task *part;  /* [n] */
    const wr_wiring *link; /* [n] */
    const wr_slack_log *log;
} wr_slack_plan;

#endif
