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

/* A run begins or ends, and how. */
void wr_slack_clock_begin(wr_slack *slack);
void wr_slack_clock_end(wr_slack *slack, wrsim_status status);

/* Has the moment of simulated time t_s come? Moves the schedule where the clock has jumped. Thread: any. */
int wr_slack_clock_is_due(wr_slack *slack, double t_s);

/* Waits for the moment of t_s, or, if it needs any, for news after `seen`; until the run is to be left at the latest. */
void wr_slack_clock_wait(wr_slack *slack, int i_worker, double t_s, int needs_news, unsigned seen);

/* A sweep of the part's period begins; it is done; the period is. By who has claimed the part. */
void wr_slack_clock_enter(wr_slack *slack, wr_period_task *part);
void wr_slack_clock_rest(wr_slack *slack, wr_period_task *part);
void wr_slack_clock_leave(wr_slack *slack, wr_period_task *part);

#endif
