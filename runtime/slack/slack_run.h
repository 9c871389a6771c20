/* A slackened run: its tasks, and what all workers share.
 *
 * Thread: workers read; one owner writes between runs. Atomics: per member. Real-time: yes.
 */
#ifndef WR_SLACK_RUN_H
#define WR_SLACK_RUN_H

#include "runtime/relax/observer.h"
#include "runtime/slack/task_record.h"
#include "scheduler/barrier.h"
#include "scheduler/team.h"
#include "wrsim/observer.h"

typedef struct wr_slack {
    wr_slack_options options;
    struct wr_slack_clock *clock;        /* NULL: the run is not paced */
    wr_deadlines *deadlines;             /* of the clock */
    wr_observer *observer;               /* first of the list */
    const wrsim_observer *host_observer; /* NULL: none */
    const wr_slack_log *log;
    wr_team *team;
    int n, n_active_worker;
    int n_tick; /* ticks of options.period_s: 2^k, for the shortest period of a connection */
    double tick_s;
    wr_period_task *part;   /* [n] */
    const wr_link *link;    /* [n] */
    int *order;             /* [n] tasks by worker */
    int *first;             /* [n_worker + 1] first task of each worker in order */
    double end_s;           /* end of the run */
    double told_s;          /* time of the last call of observers; worker 0 */
    int is_catching_up;     /* all tasks go to end_s, in spite of stops and failures */
    wr_gate news;           /* opened after each sweep */
    atomic_int is_exceeded; /* set by wr_delay_limit_judge() (relaxed: as stop) */
    /* Low half: workers without work since the gate's passage in the high half. If all workers are counted, the run is stuck. */
    _Atomic uint64_t idle;
    atomic_int is_stuck;   /* relaxed: as is_leaving */
    atomic_int is_leaving; /* relaxed: only a flag; failures are read after the run */
    atomic_int stop;       /* set by wr_slack_stop (relaxed: only the flag itself matters) */
} wr_slack;

/* Time of the slowest task. */
double wr_slack_run_time(const wr_slack *slack);

/* Is t_s the end, or nearer to the end than the shortest period? Versions that end in between count as ending at the end. */
int wr_slack_run_is_end(const wr_slack *slack, double t_s, double t_end_s);

/* Must workers return? */
int wr_slack_run_is_leaving(wr_slack *slack);

#endif
