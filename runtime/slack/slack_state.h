/* The state of a slackened run as bytes.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_SLACK_STATE_H
#define WR_SLACK_STATE_H

#include "runtime/slack/slack_plan.h"

/* As wr_slack_opaque() and wr_slack_state(). Thread: the owner, between runs. */
int wr_slack_state_opaque(const wr_slack_plan *plan);
void wr_slack_state_pass(const wr_slack_plan *plan, wr_state_io *io);

#endif
