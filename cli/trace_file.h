/* Writes a trace (trace.h) as a file in the trace-event format, JSON. Thread: one owner, between advances. Real-time: no. */
#ifndef WR_TRACE_FILE_H
#define WR_TRACE_FILE_H

#include "cli/trace.h"

/* Texts of the file. */
typedef struct wr_trace_about {
    const char *config;      /* name of the config; "": the config has no name */
    const char *config_text; /* the resolved config, as in the results of the run */
    const char *state;       /* how the run has ended, such as "complete" */
} wr_trace_about;

/* Writes the whole file. trace NULL: no record yet, and sim may be NULL. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY;
 * after a failure an old file stays. */
wrsim_status wr_trace_file_write(const wr_trace *trace, const wrsim *sim,
                                 const wr_trace_about *about, const char *path, wrsim_error *err);

#endif
