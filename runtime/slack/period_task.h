/* The next sweep of a task: read, integrate, publish.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_PERIOD_TASK_H
#define WR_PERIOD_TASK_H

#include "runtime/slack/task_record.h"

typedef struct wr_slack wr_slack;

typedef enum wr_slack_progress {
    WR_SLACK_FINISHED, /* the task is at the end of the run, or has failed before */
    WR_SLACK_BLOCKED,  /* the task waits for other tasks, or another worker has claimed the task */
    WR_SLACK_EARLY,    /* the task waits for the start time of its period */
    WR_SLACK_DONE      /* the task has integrated a sweep, or has failed */
} wr_slack_progress;

/* Integrates the next sweep of a task, unless the task is finished, blocked or early. Returns the progress of the task. Thread: any. */
wr_slack_progress wr_period_task_step(wr_slack *slack, wr_period_task *part, int i_worker);

/* Discards the end of a period that the last run has begun and not integrated. Thread: the owner, between runs. */
void wr_period_task_reopen(wr_period_task *part);

#endif
