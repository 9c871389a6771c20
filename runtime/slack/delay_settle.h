/* Delay errors of periods, once newer versions are known.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_DELAY_SETTLE_H
#define WR_DELAY_SETTLE_H

#include "runtime/slack/slack_plan.h"

/* Watches the period that is about to be integrated, if its turn has come. */
void wr_delay_settle_watch(const wr_slack_plan *plan, wr_period_task *part);

/* Settles periods whose inputs are known, after versions have been selected for a new period. */
void wr_delay_settle(const wr_slack_plan *plan, wr_period_task *part);

#endif
