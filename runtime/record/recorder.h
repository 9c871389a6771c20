/* The recorder: workers push rows, a thread of its own writes them.
 *
 * Every subsystem has a stream (single producer, single consumer ring). Rows of one stream come in
 * time order. The writer thread merges the streams: communication rows, which all streams have at
 * the same times, become one row of the result; event rows are written per stream, ordered by
 * (time, stream). Row order and content do not depend on timing, so result files are byte-identical
 * for equal runs.
 *
 * A stream without channels has no part in this: its rows are accepted and dropped. At the end of a
 * run that was cut short, communication rows that not all streams have delivered are dropped, and
 * event rows after them.
 *
 * Thread: push by one thread at a time per stream; the rest by the owner. Real-time: push (it waits
 * only when the disk cannot follow; waits are counted).
 */
#ifndef WR_RECORDER_H
#define WR_RECORDER_H

#include <stdint.h>

#include "base/diag.h"

/* What a row is; the same numbers as wr_row_kind. */
typedef enum wr_record_kind {
    WR_RECORD_COMMUNICATION,
    WR_RECORD_LEFT,  /* left of an event */
    WR_RECORD_RIGHT, /* right of it */
    WR_RECORD_NODE,  /* of a wave */
    WR_RECORD_KIND_COUNT
} wr_record_kind;

typedef struct wr_channel {
    const char *name; /* "component.variable" */
    const char *unit, *description;
} wr_channel;

typedef struct wr_stream_info {
    const char *name; /* subsystem */
    int n_channel;
    const wr_channel *channel; /* [n_channel] in the order of pushed values */
} wr_stream_info;

typedef struct wr_recorder_options {
    const char *file;        /* by extension: .csv, .h5 / .hdf5; "" = count and drop */
    const char *summary;     /* file that tells of the results which were there before, taken away
                              * as soon as they are given up; NULL or "" = none */
    const char *config_text; /* stored with the results (resolved config) */
    const char *version;     /* of the program */
    int decimation;          /* keep every n-th communication row, from the first on */
    double start_s;          /* drop rows before */
    double communication_step_s;
    int n_stream;
    const wr_stream_info *stream;
    int cap_row; /* rows a ring can hold, at least */
    /* Waves: streams n_stream .. n_stream + n_wave - 1, whose rows are nodes only, values and then slopes. They take no
     * part in the merging, and formats may leave them out. */
    int n_wave;
    const wr_stream_info *wave; /* [n_wave] */
    int cap_node;               /* nodes their rings can hold, at least */
} wr_recorder_options;

typedef struct wr_recorder wr_recorder;

typedef struct wr_recorder_stats {
    int64_t n_row;       /* communication rows in the file; without one, given */
    int64_t n_event_row; /* event rows, likewise */
    int64_t n_wait;      /* pushes that had to wait for the disk */
    int64_t file_bytes;
} wr_recorder_stats;

/* Opens the file, writes headers, starts the thread. Errors (unknown extension, cannot write) go to
 * diag. Nothing of options is used after the call. The thread inherits the caller's affinity:
 * create the recorder before pinning the caller. */
wr_recorder *wr_recorder_create(const wr_recorder_options *options, wr_diag *diag);

/* Pushes one row. kind: wr_record_kind. Rows of a stream must not go back in time.
 * Returns WRSIM_OK, or the writer thread's failure (WRSIM_E_DISK, WRSIM_E_IO). */
wrsim_status wr_recorder_push(wr_recorder *recorder, int i_stream, int kind, double t_s,
                              const double *values);

/* The failure the writer met so far, or WRSIM_OK; err may be NULL. Thread: any. */
wrsim_status wr_recorder_status(wr_recorder *recorder, wrsim_error *err);

/* Drains everything, closes the file and ends the thread. What was written stays readable whatever
 * happens. */
wrsim_status wr_recorder_finish(wr_recorder *recorder, wr_recorder_stats *ret_stats,
                                wrsim_error *err);
void wr_recorder_destroy(wr_recorder **recorder);

#endif
