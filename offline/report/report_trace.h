/* Reads a trace of a run (wrsim run --trace) for a report: tasks of the workers over wall time, and the compute time and mean step of each
 * window. Thread: one owner. Real-time: no. */
#ifndef WR_REPORT_TRACE_H
#define WR_REPORT_TRACE_H

#include "base/diag.h"
#include "base/json.h"

/* Reads the file and writes the member "trace". config: of the results; "": the results have no config. Returns WRSIM_OK, or a failure with err. Causes are a file
 * that cannot be read or is no trace of wrsim, a trace of a run with another config, and no memory. */
wrsim_status wr_report_trace_json(wr_json *json, const char *file, const char *config,
                                  wrsim_error *err);

#endif
