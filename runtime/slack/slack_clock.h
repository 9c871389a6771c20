/* Paces the tasks against the wall clock. Without a clock these functions do nothing.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_SLACK_CLOCK_H
#define WR_SLACK_CLOCK_H

#include "runtime/slack/slack_run.h"

/* As wr_slack_set_pace() and wr_slack_jumps(). */
wrsim_status wr_slack_clock_place(wr_slack *slack, wr_arena *arena, const wr_slack_pace *pace);
int64_t wr_slack_clock_jumps(const wr_slack *slack);

/* Start and end of a run. */
void wr_slack_clock_begin(wr_slack *slack);
void wr_slack_clock_end(wr_slack *slack, wrsim_status status);

/* Has the wall time of t_s come? If the clock has jumped, the schedule moves. Thread: any. */
int wr_slack_clock_is_due(wr_slack *slack, double t_s);

/* Waits for the wall time of t_s, or with needs_news for a passage of the gate after `seen`. Returns when workers must leave. */
void wr_slack_clock_wait(wr_slack *slack, int i_worker, double t_s, int needs_news, unsigned seen);

/* A sweep of a task begins; a sweep ends; the period ends. */
void wr_slack_clock_enter(wr_slack *slack, wr_period_task *part);
void wr_slack_clock_rest(wr_slack *slack, wr_period_task *part);
void wr_slack_clock_leave(wr_slack *slack, wr_period_task *part);

#endif
