/* The seam between the recorder and a file format: one file per format, one row of the table.
 *
 * Thread: opened by the recorder's owner, then the recorder's thread only. Real-time: no.
 */
#ifndef WR_WRITER_OPS_H
#define WR_WRITER_OPS_H

#include "runtime/record/streams.h"

typedef struct wr_writer wr_writer; /* a format's own */

typedef struct wr_writer_ops {
    const char *extension; /* ".csv" */
    const char *help;
    /* Finds the format's functions in a module: NULL with err if that cannot be loaded. The other
     * functions of this row are NULL then. NULL: they are here. */
    const struct wr_writer_ops *(*load)(wrsim_error *err);
    /* NULL with err on failure. Nothing of options may be used after the call. */
    wr_writer *(*open)(const wr_recorder_options *options, wrsim_error *err);
    /* values[i_stream] -> that stream's values at t_s. */
    wrsim_status (*row)(wr_writer *writer, double t_s, const double *const *values,
                        wrsim_error *err);
    wrsim_status (*event)(wr_writer *writer, int i_stream, int kind, double t_s,
                          const double *values, wrsim_error *err);
    /* Makes everything written so far readable by others. Called at times that depend on the wall
     * clock: it must not change a byte of the closed file. */
    wrsim_status (*flush)(wr_writer *writer, wrsim_error *err);
    /* Writes the rest and frees the writer, also after a failure. stats: in, the rows that were given;
     * out, those that are in the file for sure, and its bytes. */
    wrsim_status (*close)(wr_writer **writer, wr_recorder_stats *stats, wrsim_error *err);
} wr_writer_ops;

extern const wr_writer_ops *const wr_writers[]; /* NULL-terminated */
extern const wr_writer_ops wr_writer_csv, wr_writer_h5, wr_writer_hdf5, wr_writer_null;

/* Channels of all streams together. */
int wr_writer_n_channel(const wr_recorder_options *options);

#endif
