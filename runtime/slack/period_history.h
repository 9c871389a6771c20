/* Predictions from waveforms one period earlier, for models with a period.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_PERIOD_HISTORY_H
#define WR_PERIOD_HISTORY_H

#include "runtime/slack/task_record.h"

/* Places the history of a task, if options.history_period > 0 and the run chooses degrees. A task that is played, publishes no signals, or
 * neither publishes nor reads the signal of the phase, gets no history.
 * Returns 0, also without a history, or -1 when memory is exhausted. */
int wr_period_history_place(const wr_slack_plan *plan, wr_period_task *part, wr_arena *arena);

/* Offers a final wave of the task to the predictor as wr_predict_offer() does. If the task has a history, appends the wave to the
 * history. */
wrsim_status wr_period_history_offer(const wr_slack_plan *plan, const wr_period_task *part,
                                     const wr_wave *wave, double horizon_s,
                                     wr_wave *ret_prediction);

/* Reads or writes the state of the history and the predictor. */
void wr_period_history_state(wr_period_task *part, wr_state_io *io);

#endif
