/* Actions of a task whose delay error exceeds a limit.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_DELAY_LIMIT_H
#define WR_DELAY_LIMIT_H

#include "runtime/slack/slack_plan.h"

/* Compares a settled period with the limits, and acts. */
void wr_delay_limit_judge(const wr_slack_plan *plan, wr_period_task *part,
                          const wr_delay_verdict *verdict);

/* After versions have been selected: has the last action taken effect? */
void wr_delay_limit_await(const wr_slack_plan *plan, wr_period_task *part);

#endif
