/* Predictions from one period ago, for models that repeat themselves.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_PERIOD_HISTORY_H
#define WR_PERIOD_HISTORY_H

#include "runtime/slack/slack_plan.h"

/* Places the history of a task, if the options want one and the task knows the phase. 0, or -1 when out of memory. */
int wr_period_history_place(const wr_slack_plan *plan, wr_period_task *part, wr_arena *arena);

/* As wr_predict_offer() for a final wave of the task; the wave is then part of the history. */
wrsim_status wr_period_history_offer(const wr_slack_plan *plan, const wr_period_task *part,
                                     const wr_wave *wave, double horizon_s,
                                     wr_wave *ret_prediction);

/* Passes over history and predictor. */
void wr_period_history_state(wr_period_task *part, wr_state_io *io);

#endif
