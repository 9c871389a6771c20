/* Paces the tasks against the wall clock. In an unpaced run all periods are due, and no caller may use wr_slack_clock_wait().
 *
 * Thread: enter, rest and leave: the worker that has claimed the task. Wait: any worker. Set, begin and end: the owner, between runs.
 * Real-time: yes after placing.
 */
#ifndef WR_SLACK_CLOCK_H
#define WR_SLACK_CLOCK_H

#include "runtime/slack/task_record.h"

typedef struct wr_slack wr_slack;

/* Paces the run against the wall clock, before wr_slack_start(). Returns WRSIM_OK, WRSIM_E_ARG for an invalid member, or WRSIM_E_MEMORY. */
wrsim_status wr_slack_set_pace(wr_slack *slack, wr_arena *arena, const wr_slack_pace *pace);

/* Returns the number of changes of the shift, because of jumps of the clock or of too large lateness. Between runs. */
int64_t wr_slack_jumps(const wr_slack *slack);

/* Note the start and the end of a run at t_s. */
void wr_slack_clock_begin(wr_slack *slack, double t_s);
void wr_slack_clock_end(wr_slack *slack, double t_s, wrsim_status status);

/* Returns 1 if the wall time of t_s has passed, or if the run does not wait for the clock. Changes the shift in the cases of slack_clock.c.
 * Thread: any. */
int wr_slack_clock_is_due(wr_slack *slack, double t_s);

/* Waits for the wall time of t_s. If needs_news is 1, a passage of the gate after `seen` also ends the wait. The wait also ends if workers
 * must return (wr_slack_run_is_leaving()), or if a host's clock has stopped. */
void wr_slack_clock_wait(wr_slack *slack, int i_worker, double t_s, int needs_news, unsigned seen);

/* Note the start of a sweep, the end of a sweep that is not the last, and the end of the period. */
void wr_slack_clock_enter(wr_slack *slack, wr_period_task *part);
void wr_slack_clock_rest(wr_slack *slack, wr_period_task *part);
void wr_slack_clock_leave(wr_slack *slack, wr_period_task *part);

/* After the end of a period: returns 1 if the period has ended a whole period with a deadline, and the wall time from the deadline to the
 * end, ns. */
int wr_slack_clock_over(const wr_slack *slack, const wr_period_task *part, int64_t *ret_over_ns);

#endif
