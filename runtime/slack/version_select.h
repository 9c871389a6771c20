/* Selects the version of each source that a period reads.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_VERSION_SELECT_H
#define WR_VERSION_SELECT_H

#include "runtime/slack/task_record.h"

/* Selects the versions for the task's next sweep. Returns 1, 0 if a version is missing, or a negative status with the subsystem's fault
 * set. *ret_played: a played source that the reader integrates first, or -1. */
int wr_version_select(const wr_slack_plan *plan, wr_period_task *part, int *ret_played);

/* Releases the versions that a task at the end of the run no longer needs, because its producers may be behind and need free slots. */
void wr_version_select_let_go(const wr_slack_plan *plan, wr_period_task *part);

#endif
