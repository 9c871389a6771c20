/* A slackened run: its tasks, and what all workers share.
 *
 * Thread: workers read; one owner writes between runs. Atomics as said there. Real-time: yes.
 */
#ifndef WR_SLACK_RUN_H
#define WR_SLACK_RUN_H

#include "runtime/relax/observer.h"
#include "runtime/slack/task_record.h"
#include "scheduler/barrier.h"
#include "scheduler/team.h"

typedef struct wr_slack {
    wr_slack_options options;
    struct wr_slack_clock *clock; /* NULL: the run is not paced */
    wr_deadlines *deadlines;      /* of the clock */
    wr_observer *observer;        /* the first */
    const wr_slack_log *log;
    wr_team *team;
    int n, n_active_worker;
    int n_tick; /* in a period of options.period_s: 2^k, for the shortest that there may be */
    double tick_s;
    wr_period_task *part;   /* [n] */
    const wr_link *link;    /* [n] */
    int *order;             /* [n] parts by worker, ... */
    int *first;             /* [n_worker + 1] ... and where each one's begin */
    double end_s;           /* of the run */
    double told_s;          /* up to there observers know; worker 0's */
    int is_catching_up;     /* all go to end_s, whatever is asked for and whoever fails */
    wr_gate news;           /* opened where somebody may wait for it */
    atomic_int is_exceeded; /* set by wr_delay_limit_judge() (relaxed: as stop) */
    /* Who has found nothing to do since the last news: how many, and which news (the gate's passage). All: nobody ever will. */
    _Atomic uint64_t idle;
    atomic_int is_stuck;   /* relaxed: as is_leaving */
    atomic_int is_leaving; /* relaxed: a flag and no more; what failed is read after the run */
    atomic_int stop;       /* set by wr_slack_stop (relaxed: only the flag itself matters) */
} wr_slack;

/* Time of the slowest task. */
double wr_slack_run_time(const wr_slack *slack);

/* Is t_s the end, or nearer to it than a period can be? Versions that end in between are not told apart. */
int wr_slack_run_is_end(const wr_slack *slack, double t_s, double t_end_s);

/* Must workers return? */
int wr_slack_run_is_leaving(wr_slack *slack);

#endif
