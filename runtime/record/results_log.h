/* Reads the event log and the window records of a run (docs/reference/event_log.md). Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_LOG_H
#define WR_RESULTS_LOG_H

#include "runtime/record/run_log.h"

/* Reads the log of a result file, also of an incomplete file. Checks all indices. On failure sets err: WRSIM_E_IO if the file has no log, or
 * a log of another layout. */
wrsim_status wr_results_log_load(const char *file, wr_run_log *ret, wrsim_error *err);

#endif
