/* Settles the delay errors of periods when newer versions are known, and acts on errors above a limit.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_DELAY_SETTLE_H
#define WR_DELAY_SETTLE_H

#include "runtime/slack/task_record.h"

/* Opens the record of the period that a task with sources integrates next. Every slack.watch-th period is watched. */
void wr_delay_settle_watch(const wr_slack_plan *plan, wr_period_task *part);

/* Settles the periods whose inputs are known, compares the errors with the limits, and acts. The task selects the versions of a new period
 * before the call. Returns 1 if an exceeded limit stops the run. */
int wr_delay_settle(const wr_slack_plan *plan, wr_period_task *part);

#endif
