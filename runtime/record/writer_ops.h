/* Interface between the recorder and a file format. Each extension of a result file is a row of WR_WRITER_LIST.
 *
 * Thread: the recorder's owner opens a writer, which then only the recorder's thread uses. Real-time: no. */
#ifndef WR_WRITER_OPS_H
#define WR_WRITER_OPS_H

#include "runtime/record/own_file.h"
#include "runtime/record/results_read.h"
#include "runtime/record/streams.h"

typedef struct wr_writer wr_writer; /* state of a format */

typedef struct wr_writer_ops {
    const char *extension; /* ".csv" */
    const char *help;
    const char *beside;      /* ending of the name of a further file of the results; NULL: none */
    wr_own_kind beside_kind; /* kind of the further file */
    /* Loads the format's operations from a module. Returns NULL with err on failure. If `load` is not NULL, the other functions of this row
     * are NULL. If `load` is NULL, this row has the operations. */
    const struct wr_writer_ops *(*load)(wrsim_error *err);
    /* Opens a file. Returns NULL with err on failure. The writer must not use the options after the call. */
    wr_writer *(*open)(const wr_recorder_options *options, wrsim_error *err);
    /* Writes a communication row. values[i_stream] are the values of a stream at t_s, or NULL if the stream has no values. */
    wrsim_status (*row)(wr_writer *writer, double t_s, const double *const *values,
                        wrsim_error *err);
    wrsim_status (*event)(wr_writer *writer, int i_stream, int kind, double t_s,
                          const double *values, wrsim_error *err);
    /* Writes a row of the log, see wr_log_info. i_log: number of the log's stream. NULL: the format has no log. */
    wrsim_status (*log)(wr_writer *writer, int i_log, int kind, double t_s, const double *values,
                        wrsim_error *err);
    /* Makes all written rows readable for other programs. The time of the call depends on the wall clock, so a flush must not change a byte
     * of the closed file. */
    wrsim_status (*flush)(wr_writer *writer, wrsim_error *err);
    /* Writes the remaining rows and frees the writer, also after a failure. On entry stats has the numbers of passed rows. On return
     * stats has the numbers of rows that are certainly in the file, and its size. */
    wrsim_status (*close)(wr_writer **writer, wr_recorder_stats *stats, wrsim_error *err);
    /* Writes whole results to a new file; NULL: row by row. */
    wrsim_status (*whole)(const char *file, const wr_results *results, const char *version,
                          wrsim_error *err);
} wr_writer_ops;

/* The extensions of result files, one row each. The file of a format defines wr_writer_NAME. */
#define WR_WRITER_LIST(X)                                                                          \
    X(csv)                                                                                         \
    X(h5)                                                                                          \
    X(hdf5)                                                                                        \
    X(mat)

#define WR_X(name) extern const wr_writer_ops wr_writer_##name;
WR_WRITER_LIST(WR_X)
WR_X(null) /* drops all rows */
#undef WR_X

/* Returns the number of channels of all streams, waves excluded. */
int wr_writer_n_channel(const wr_recorder_options *options);
/* Return the number of log streams, and the number of values of a log stream's rows; 0: the stream does not exist. */
int wr_writer_n_log(const wr_recorder_options *options);
int wr_writer_log_values(const wr_recorder_options *options, int i_log);

#endif
