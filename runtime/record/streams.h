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

/* An item of the event log: an indicator, a component or a variable. */
typedef struct wr_log_item {
    const char *name, *type,
        *unit; /* "component.variable" or "component"; type of the item; unit or "" */
} wr_log_item;

/* Names in the event log and the window records (docs/reference/event_log.md). The log has one stream for each subsystem, numbers 0 ..
 * n_subsystem - 1, with entries of WR_LOG_ENTRY_VALUES values. With has_windows it also has the stream n_subsystem, with records of
 * WR_LOG_WINDOW_VALUES + n_subsystem values. */
typedef struct wr_log_info {
    int n_subsystem;
    const char *const *subsystem; /* [n_subsystem] names */
    const unsigned char *has_log; /* [n_subsystem] 1: the subsystem has a stream */
    int n_item;
    const wr_log_item *item; /* [n_item] */
    int has_windows;
    int n_reason;
    /* [n_reason] texts of WR_LOG_WINDOW_REASON; the last text belongs to records that stand for lost records */
    const char *const *reason;
    int cap_entry; /* smallest capacity of a ring buffer, entries */
} wr_log_info;

/* Values of an entry of a subsystem's stream; kind of the row: wr_logged_kind. */
enum {
    WR_LOG_ENTRY_ITEM, /* index of the item; -1: none */
    WR_LOG_ENTRY_ROUND,
    WR_LOG_ENTRY_DIRECTION,
    WR_LOG_ENTRY_BEFORE,
    WR_LOG_ENTRY_AFTER,
    WR_LOG_ENTRY_VALUES
};

/* Values of a window's record, whose time is the window's start; the integrations of each subsystem follow. */
enum {
    WR_LOG_WINDOW_END,
    WR_LOG_WINDOW_REASON, /* index of the reason; 0: accepted */
    WR_LOG_WINDOW_SWEEPS,
    WR_LOG_WINDOW_CONTRACTION,
    WR_LOG_WINDOW_CHANGE,
    WR_LOG_WINDOW_PREDICTION,
    WR_LOG_WINDOW_FAILED, /* index of the subsystem that failed; -1: none */
    WR_LOG_WINDOW_VALUES
};

/* Kinds of entries, with the numbers of wr_log_kind (subsystems/event_log.h). WR_LOGGED_LOST also stands for lost window records. The last
 * value of an entry, or the sweeps of a window's record, is their number. */
typedef enum wr_logged_kind {
    WR_LOGGED_STOP,
    WR_LOGGED_STATE_EVENT,
    WR_LOGGED_TIME_EVENT,
    WR_LOGGED_INPUT_JUMP,
    WR_LOGGED_VALUE,
    WR_LOGGED_SLOPE,
    WR_LOGGED_LOST,
    WR_LOGGED_KIND_COUNT
} wr_logged_kind;

/* Causes of a stop, as bits of the direction of a stop's entry. */
enum {
    WR_LOGGED_CAUSE_STATE = 1,
    WR_LOGGED_CAUSE_TIME = 2,
    WR_LOGGED_CAUSE_JUMP = 4,
    WR_LOGGED_CAUSE_START = 8
};

typedef struct wr_recorder_options {
    const char *file; /* format by extension: .csv, .h5, .hdf5; "": the recorder only counts */
    /* summary file of the old results, which the recorder removes with the old results; NULL or "": none */
    const char *summary;
    const char *config_text; /* resolved config, stored with the results */
    const char *version;     /* version of the program */
    int decimation; /* the file has every decimation-th communication row, counted from the run's first row */
    int is_without_points; /* 1: the file has no communication rows */
    double start_s;        /* the recorder drops rows before this time, s */
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
    const wr_log_info *log;     /* NULL: the run has no log. Formats may omit the log. */
    /* The recorder's thread calls `show` for each complete communication row, also for rows that the file omits; `values` is as in
     * wr_writer_ops. NULL: no call */
    void (*show)(void *context, double t_s, const double *const *values);
    void *show_context;
} wr_recorder_options;

typedef struct wr_recorder_stats {
    int64_t n_row; /* communication rows in the file; without a file, rows that a file would have */
    int64_t n_event_row; /* event rows, in the same way */
    int64_t n_wait;      /* pushes that waited for the disk */
    int64_t
        n_dropped; /* rows of the results and of the log that are lost, because the disk was too slow */
    int64_t file_bytes;
} wr_recorder_stats;

#endif
