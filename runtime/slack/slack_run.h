/* A slackened run: its plan, and the state that all workers share.
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
    wr_slack_plan plan;
    struct wr_slack_clock *clock;        /* NULL: the run is not paced */
    wr_deadlines *deadlines;             /* deadlines of the clock */
    wr_observer *observer;               /* first observer of the list */
    const wrsim_observer *host_observer; /* NULL: none */
    wr_team *team;
    int n_active_worker;
    int *order;         /* [n] tasks by worker */
    int *first;         /* [n_worker + 1] index in `order` of each worker's first task, then n */
    double end_s;       /* end of the run, s */
    double reported_s;  /* time of the last call of observers, s; worker 0 writes this member */
    int is_catching_up; /* 1: all tasks advance to end_s, in spite of stops and failures */
    /* gate that a worker opens after each sweep, after a claim that another worker has missed, and with is_stuck */
    wr_gate news;
    atomic_int is_exceeded; /* a delay error has exceeded its limit (relaxed: as stop) */
    /* Low half: number of workers without work since the gate's passage in the high half. If the number equals n_active_worker, the last
     * worker searches once more (give_up() in slack.c). */
    _Atomic uint64_t idle;
    atomic_int is_stuck;   /* 1: all tasks wait for one another (relaxed: as is_leaving) */
    atomic_int is_leaving; /* 1: workers return (relaxed: only a flag) */
    atomic_int stop;       /* set by wr_slack_stop (relaxed: only the flag itself matters) */
} wr_slack;

/* Returns 1 if workers must return. */
static inline int wr_slack_run_is_leaving(wr_slack *slack)
{
    if (!slack->is_catching_up && slack->deadlines && wr_deadlines_is_stopping(slack->deadlines))
        return 1;
    /* relaxed: only flags. Other data is read after all workers have returned. */
    return atomic_load_explicit(&slack->is_leaving, memory_order_relaxed) ||
           (!slack->is_catching_up &&
            (atomic_load_explicit(&slack->stop, memory_order_relaxed) ||
             atomic_load_explicit(&slack->is_exceeded, memory_order_relaxed)));
}

#endif
