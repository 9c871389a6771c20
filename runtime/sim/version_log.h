/* The log of a slackened run: the version of each read, for a replay with the same bits.
 *
 * The log is a result file in one of the usual formats. The log has a row at the start of each period, and a signal "reader.producer" for
 * each source and listener of a subsystem. The value is the number of the version that the reader has selected. Rows of other subsystems'
 * periods have no value. Played sources have no signal, because their waves are known ahead.
 *
 * Thread: the simulation's owner; workers push rows. Real-time: as the recorder.
 */
#ifndef WR_VERSION_LOG_H
#define WR_VERSION_LOG_H

#include "runtime/record/recorder.h"
#include "runtime/sim/assembly.h"
#include "runtime/slack/slack.h"

typedef struct wr_version_log wr_version_log;

/* Checks that slack.log and slack.replay agree with the other keys. Errors go to diag. */
void wr_version_log_check(const wr_settings *set, wr_diag *diag);

/* Opens the log of the settings for writing or replay; *ret_log NULL: no log. Returns 0, or -1 with errors in diag. The assembly outlives
 * the log. */
int wr_version_log_open(const wr_assembly *assembly, wr_version_log **ret_log, wr_diag *diag);

/* Checks that the simulation may change to a stored state. Returns WRSIM_E_STATE if the log has rows. log may be NULL. */
wrsim_status wr_version_log_check_move(const wr_version_log *log, const char *call,
                                       wrsim_error *err);

/* Returns the approximate largest delay of the reads in a replayed log, periods; 0 without a replay. The delay is at most 256, because the
 * run stores the waves of all periods up to this delay. */
int wr_version_log_most_delay(const wr_version_log *log);

/* Returns the functions for wr_slack_set_log(). */
const wr_slack_log *wr_version_log_calls(const wr_version_log *log);

/* Writes and closes the log. Adds the number of its lost rows to *n_dropped. A replay ends at the first dropped row. log may be NULL. */
wrsim_status wr_version_log_finish(wr_version_log *log, int64_t *n_dropped, wrsim_error *err);
void wr_version_log_destroy(wr_version_log **log);

#endif
