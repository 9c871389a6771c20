/* Slackened synchronisation: subsystems integrate without waiting for one another (Ben Khaled et al. (2013), sections
 * 4.3 and 4.4; docs/METHODS.md, Slackened synchronisation).
 *
 * A task repeats three steps for each period of P seconds of its subsystem, independent of the progress of other tasks:
 *   1. The task selects a version of each source: with live delays the version published last, up to the present time t. The task ignores
 *      newer versions, so no subsystem reads the future. The age of a version is tau = t - the version's end (eq. 18).
 *   2. Over the period the task reads the version's prediction, which the producer has made (runtime/relax/predict.h).
 *   3. The task integrates the period, publishes the wave and its prediction, and passes the rows to the observers.
 *
 * With slack.bound = b the selection waits until tau <= b P, unless the next version ends after t. Bound 0 is the strictly synchronised
 * exchange (section 4.3). No bound is the slackened exchange (section 4.4). A connection may have a shorter period, P / 2^k. The subsystems
 * at both ends of this connection use the shorter period as P for all waves that these subsystems read and publish. If a producer has a
 * longer period, its reader selects the same version several times. With n > 1 sweeps a task integrates a period n times. From sweep 2 on
 * the task reads the waves of other tasks in this period, as in Gauss-Jacobi relaxation with a fixed number of sweeps. All subsystems then
 * wait for one another. The waves of recordings and ports are known ahead, so tasks read these waves of the same period.
 *
 * Results depend on the model and on the selected versions. With bound 0, several sweeps, fixed or drawn delays, or a replayed log, the
 * selected versions do not depend on the clock. Results then have the same bits on any number of workers, unless WR_DEADLINE_DEGRADE acts.
 * Otherwise the results depend on the clock, and the run can log the selected versions.
 *
 * In a run paced against the wall clock (wr_slack_set_pace()) a subsystem also waits for the start time of its period.
 *
 * Thread: one owner; tasks run on the team's workers, each task on one worker at a time. Real-time: wr_slack_run() after
 * wr_slack_start(), apart from the caller's observers.
 */
#ifndef WR_SLACK_H
#define WR_SLACK_H

#include "base/state_io.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/wiring.h"
#include "runtime/slack/delay_error.h"
#include "runtime/slack/slack_options.h"
#include "scheduler/team.h"
#include "wrsim/observer.h"

typedef struct wr_slack wr_slack;

/* Adds an observer before wr_slack_start(). The observer receives neither sweeps nor batches. A window has 1 or more periods that all tasks
 * have passed. */
void wr_slack_observe(wr_slack *slack, wr_observer *observers);

/* Sets the host's observer of tasks, waits and periods, which outlives the run; NULL: none. Between runs. */
void wr_slack_set_host_observer(wr_slack *slack, const wrsim_observer *observer);

/* Sets the log, which outlives the run, before wr_slack_start(). */
void wr_slack_set_log(wr_slack *slack, const wr_slack_log *log);

/* Returns WRSIM_E_ARG with err set if a subsystem advances in communication steps only and cannot end at t_end_s, else WRSIM_OK. */
wrsim_status wr_slack_check_end(const wr_slack *slack, double t_end_s, wrsim_error *err);

/* Runs all tasks to exactly t_end_s. Returns:
 *   - WRSIM_OK;
 *   - WRSIM_STOPPED after wr_slack_stop(): all tasks are at wr_slack_time(), the time of the furthest task at the stop. With shorter
 *     periods of connections this time is rounded up to an end of a whole period;
 *   - WRSIM_DEADLINE_MISSED or WRSIM_DELAY_EXCEEDED if a deadline (WR_DEADLINE_STOP) or a delay error (WR_ACTION_STOP) has
 *     stopped the run: the next run continues;
 *   - a failure with err set. If a task has failed, this task and slower tasks that wait for this task are at the start of the failed
 *     period. Other tasks may be ahead. Rows that observers have received stay. */
wrsim_status wr_slack_run(wr_slack *slack, double t_end_s, wrsim_error *err);

/* Requests a stop. Thread: any, async-signal-safe. */
void wr_slack_stop(wr_slack *slack);

/* Returns the time of the slowest task, s, between runs and in observers. */
double wr_slack_time(const wr_slack *slack);

/* Returns the number of whole periods P up to the time of the slowest task, between runs and in observers. */
int64_t wr_slack_periods(const wr_slack *slack);

/* Returns the first subsystem without a state for checkpoints, or -1 (slack_state.c). */
int wr_slack_opaque(const wr_slack *slack);

/* Reads or writes the state (base/state_io.h) between runs. After a failed run the state can only be read. If the results do not depend on
 * the clock, a run that continues from the state gives the same bits. Real-time: yes. */
void wr_slack_state(wr_slack *slack, wr_state_io *io);

/* ---- results; between runs ---- */

wr_slack_stats wr_slack_stats_get(const wr_slack *slack);
wr_slack_age wr_slack_age_get(const wr_slack *slack, int i_part, int i_external);
wr_slack_left wr_slack_left_get(const wr_slack *slack, int i_part);
/* Returns the numbers and times of the periods of a task that exceed the limits, and the present sweeps per period. */
wr_slack_limits wr_slack_limits_get(const wr_slack *slack, int i_part);
/* Returns 1 if task i_part waits for this source because of an exceeded limit. */
int wr_slack_is_awaited(const wr_slack *slack, int i_part, int i_source);
/* Returns the present interval between new versions of a source that the task can read, s. */
double wr_slack_exchange_s(const wr_slack *slack, int i_part, int i_source);

/* Returns the delay error of a task, or NULL if the task is not watched. */
const wr_delay_error *wr_slack_delay_error(const wr_slack *slack, int i_part);

#endif
