/* The log of a slackened run: which version each read got, to be replayed to the same bits.
 *
 * It is a result file like others, in its formats: a row for every period, at its beginning, a signal
 * "reader.producer" for every source of a subsystem, and as value how many periods of the producer the reader knew of; no
 * value where the row is of others' periods.
 * What is played has none: it is known ahead.
 *
 * Thread: the simulation's owner; rows are pushed by workers. Real-time: as the recorder.
 */
#ifndef WR_VERSION_LOG_H
#define WR_VERSION_LOG_H

#include "runtime/record/recorder.h"
#include "runtime/sim/lookup.h"

typedef struct wr_version_log wr_version_log;

/* That slack.log and slack.replay go together with the other keys, and replace nothing. */
void wr_version_log_check(const wr_settings *set, wr_diag *diag);

/* Opens what the settings ask for: a log to be written, one to be replayed, or none: *ret_log is NULL then. 0 or -1 with
 * errors in diag. The assembly outlives it. */
int wr_version_log_open(const wr_assembly *assembly, wr_version_log **ret_log, wr_diag *diag);

/* May the simulation go to another state? Not once a log has rows: WRSIM_E_STATE. log may be NULL. */
wrsim_status wr_version_log_check_move(const wr_version_log *log, const char *call,
                                       wrsim_error *err);

/* How far back its reads go, periods, about; 0 where nothing is replayed. At most some hundreds: as much is kept. */
int wr_version_log_most_delay(const wr_version_log *log);

/* What is to be set by wr_slack_set_log(). */
const wr_slack_log *wr_version_log_calls(const wr_version_log *log);

/* Writes out and closes. Adds to *n_dropped how many rows found no room (a replay ends there). Accepts NULL. */
wrsim_status wr_version_log_finish(wr_version_log *log, int64_t *n_dropped, wrsim_error *err);
void wr_version_log_destroy(wr_version_log **log);

#endif
