/* Streams of rows, the options of a recorder, and the counts of its rows. Thread: plain data. Real-time: yes. */
#ifndef WR_STREAMS_H
#define WR_STREAMS_H

#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"

/* Kind of a row, with the numbers of wr_row_kind (subsystems/subsystem.h). */
typedef enum wr_record_kind {
    WR_RECORD_COMMUNICATION,
    WR_RECORD_LEFT,  /* left limit at an event */
    WR_RECORD_RIGHT, /* right limit at an event */
    WR_RECORD_NODE,  /* node of a waveform */
    WR_RECORD_KIND_COUNT
} wr_record_kind;

typedef struct wr_channel {
    const char *name; /* "component.variable" */
    const char *unit, *description;
} wr_channel;

typedef struct wr_stream_info {
    const char *name; /* name of the subsystem */
    int n_channel;
    const wr_channel *channel; /* [n_channel] in the order of pushed values */
} wr_stream_info;

typedef struct wr_recorder_options {
    const char *file; /* format by extension: .csv, .h5, .hdf5; "": the recorder only counts */
    /* summary file of the old results, which the recorder removes with the old results; NULL or "": none */
    const char *summary;
    const char *config_text; /* resolved config, stored with the results */
    const char *version;     /* version of the program */
    int decimation; /* the file has every decimation-th communication row, counted from the run's first row */
    double start_s; /* the recorder drops rows before this time, s */
    double communication_step_s;
    int n_stream;
    const wr_stream_info *stream;
    int cap_row; /* smallest capacity of a ring buffer, rows */
    /* 1: no push waits; the recorder drops and counts rows without room. Without is_sparse the file then has only the communication points
     * at which every stream has a row. */
    int is_dropping;
    /* 1: streams have communication points of their own, and no other rows. A stream without a point has no values in the point's row (CSV:
     * empty, HDF5: NaN). */
    int is_sparse;
    const wr_memory *memory; /* source of the ring buffers' memory; NULL: the system */
    /* Number of waves: streams n_stream .. n_stream + n_wave - 1. The rows of waves are nodes at any time, values then slopes. Decimation
     * and counts of rows exclude waves. If no node is at start_s, the recorder keeps one node before start_s. Formats may omit waves. */
    int n_wave;
    const wr_stream_info *wave; /* [n_wave] description of each wave */
    int cap_node;               /* smallest capacity of a wave's ring buffer, nodes */
} wr_recorder_options;

typedef struct wr_recorder_stats {
    int64_t n_row; /* communication rows in the file; without a file, rows that a file would have */
    int64_t n_event_row; /* event rows, in the same way */
    int64_t n_wait;      /* pushes that waited for the disk */
    int64_t n_dropped;   /* rows dropped for lack of room */
    int64_t file_bytes;
} wr_recorder_stats;

#endif
