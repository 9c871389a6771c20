/* The seam between the recorder and a file format: one file per format, one row of the table.
 *
 * Thread: the recorder's thread only. Real-time: no.
 */
#ifndef WR_WRITER_H
#define WR_WRITER_H

#include "runtime/record/recorder.h"

typedef struct wr_writer wr_writer; /* a format's own */

typedef struct wr_writer_ops {
    const char *extension; /* ".csv" */
    const char *help;
    wr_writer *(*open)(const wr_recorder_options *options, wrsim_error *err);
    /* values[i_stream] -> that stream's values at t_s. */
    wrsim_status (*row)(wr_writer *writer, double t_s, const double *const *values,
                        wrsim_error *err);
    wrsim_status (*event)(wr_writer *writer, int i_stream, int kind, double t_s,
                          const double *values, wrsim_error *err);
    /* Makes everything written so far readable by others. */
    wrsim_status (*flush)(wr_writer *writer, wrsim_error *err);
    wrsim_status (*close)(wr_writer **writer, int64_t *ret_bytes, wrsim_error *err);
} wr_writer_ops;

extern const wr_writer_ops *const wr_writers[]; /* NULL-terminated */

#endif
