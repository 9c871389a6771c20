/* Streams of rows: what a recorder is given, and what becomes of it in a file.
 *
 * Thread: plain data. Real-time: yes.
 */
#ifndef WR_STREAMS_H
#define WR_STREAMS_H

#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"

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
    /* 1: no push ever waits: without room rows are dropped and counted. Of communication points those are in the file that all
     * streams have. */
    int is_dropping;
    /* 1: streams have communication points of their own, and no other rows; what has none at a time has no values there
     * (CSV: nothing, HDF5: NaN). */
    int is_sparse;
    const wr_memory *memory; /* of the rings; NULL: the system's */
    /* Waves: streams n_stream .. n_stream + n_wave - 1, whose rows are nodes only, values and then slopes, at times of
     * their own. Decimation and counts of rows do not concern them; before start_s one node is kept. Formats may leave
     * them out. */
    int n_wave;
    const wr_stream_info *wave; /* [n_wave] */
    int cap_node;               /* nodes their rings can hold, at least */
} wr_recorder_options;

typedef struct wr_recorder_stats {
    int64_t n_row;       /* communication rows in the file; without one, given */
    int64_t n_event_row; /* event rows, likewise */
    int64_t n_wait;      /* pushes that had to wait for the disk */
    int64_t n_dropped;   /* rows that found no room */
    int64_t file_bytes;
} wr_recorder_stats;

#endif
