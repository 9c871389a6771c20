/* The order of rows in a result. See merge.h. Thread: one owner. Real-time: no. */
#include "runtime/record/merge.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_TIME, ROW_KIND, ROW_VALUE }; /* layout of a stored row */

/* Unwritten rows of one stream, in a growing queue. */
typedef struct pending {
    double *row;            /* [cap * stride] the queued rows */
    size_t begin, end, cap; /* first row, row after the last row, and capacity of the queue, rows */
    size_t stride;
    int n_communication; /* number of communication rows in the queue */
} pending;

typedef struct event {
    const double *row;
    int i_stream;
    size_t sequence;
} event;

struct wr_merge {
    const wr_writer_ops *ops;
    wr_writer *writer;
    double start_s;
    int64_t decimation;
    int is_without_points;   /* 1: the merge writes no communication row */
    int64_t i_communication; /* number of the next communication row, omitted rows included */
    int64_t n_row, n_event_row;
    int n_stream;  /* number of streams, with waves and log */
    int n_merged;  /* number of streams of rows */
    int first_log; /* number of the first log stream; waves are n_merged .. first_log - 1 */
    int n_active;  /* number of streams of rows with channels */
    int may_lack;  /* 1: streams may drop rows; the merge writes only rows that all streams have */
    /* 1: streams have points of their own; a row lacks values of streams without this point */
    int is_sparse;
    void (*show)(void *context, double t_s, const double *const *values);
    void *show_context;
    int n_ready;           /* active streams with a waiting communication row */
    pending *stream;       /* [n_stream] queue of each stream */
    double *log_until_s;   /* [n_stream - first_log] all rows before this time are delivered */
    const double **values; /* [n_stream] values of the row being written */
    event *events;         /* [cap_event] events being written */
    size_t n_event, cap_event;
};

void wr_merge_resume(wr_merge *merge, int64_t n_communication)
{
    merge->i_communication = n_communication;
}

static int has_channels(const pending *stream) { return stream->stride > ROW_VALUE; }

static const double *front(const pending *stream)
{
    return stream->row + stream->begin * stream->stride;
}

wr_merge *wr_merge_create(const wr_recorder_options *options, const wr_writer_ops *ops,
                          wr_writer *writer)
{
    wr_merge *merge = calloc(1, sizeof *merge);
    if (!merge)
        return NULL;
    const int n_log = wr_writer_n_log(options);
    const size_t n_stream = (size_t)(options->n_stream + options->n_wave + n_log);
    merge->ops = ops;
    merge->writer = writer;
    merge->start_s = options->start_s;
    merge->decimation = options->decimation > 1 ? options->decimation : 1;
    merge->n_stream = (int)n_stream;
    merge->is_without_points = options->is_without_points;
    merge->n_merged = options->n_stream;
    merge->first_log = options->n_stream + options->n_wave;
    merge->may_lack = options->is_dropping && !options->is_sparse;
    merge->is_sparse = options->is_sparse;
    merge->show = options->show;
    merge->show_context = options->show_context;
    merge->stream = calloc(n_stream + 1, sizeof *merge->stream);
    merge->values = calloc(n_stream + 1, sizeof *merge->values);
    merge->log_until_s = calloc((size_t)n_log + 1, sizeof *merge->log_until_s);
    if (!merge->stream || !merge->values || !merge->log_until_s) {
        wr_merge_destroy(&merge);
        return NULL;
    }
    for (int i = 0; i < options->n_stream; i++) {
        merge->stream[i].stride = ROW_VALUE + (size_t)options->stream[i].n_channel;
        merge->n_active += has_channels(&merge->stream[i]);
    }
    for (int i = 0; i < options->n_wave; i++)
        merge->stream[options->n_stream + i].stride =
            ROW_VALUE + (size_t)options->wave[i].n_channel;
    for (int i = 0; i < n_log; i++) {
        pending *const stream = &merge->stream[merge->first_log + i];
        stream->stride = ROW_VALUE + (size_t)wr_writer_log_values(options, i);
        merge->log_until_s[i] = has_channels(stream) ? -(double)INFINITY : (double)INFINITY;
    }
    return merge;
}

void wr_merge_destroy(wr_merge **merge)
{
    if (!merge || !*merge)
        return;
    for (int i = 0; (*merge)->stream && i < (*merge)->n_stream; i++)
        free((*merge)->stream[i].row);
    free((*merge)->stream);
    free((*merge)->values);
    free((*merge)->log_until_s);
    free((*merge)->events);
    free(*merge);
    *merge = NULL;
}

static wrsim_status memory_fail(wrsim_error *err)
{
    wr_error_set(err, WRSIM_E_MEMORY, "out of memory for results that wait to be written");
    return WRSIM_E_MEMORY;
}

/* Makes room for a row at the end of the queue. If more than half of the queue is free, the rows move to the front. Otherwise the queue
 * doubles. */
static wrsim_status make_room(pending *stream, wrsim_error *err)
{
    if (stream->end < stream->cap)
        return WRSIM_OK;
    if (stream->begin > stream->cap / 2) {
        memmove(stream->row, front(stream),
                (stream->end - stream->begin) * stream->stride * sizeof(double));
        stream->end -= stream->begin;
        stream->begin = 0;
        return WRSIM_OK;
    }
    const size_t cap = stream->cap ? 2 * stream->cap : 16;
    if (cap > SIZE_MAX / 2 / sizeof(double) / stream->stride)
        return memory_fail(err);
    double *const row = realloc(stream->row, cap * stream->stride * sizeof(double));
    if (!row)
        return memory_fail(err);
    stream->row = row;
    stream->cap = cap;
    return WRSIM_OK;
}

wrsim_status wr_merge_add(wr_merge *merge, int i_stream, int kind, double t_s, const double *values,
                          wrsim_error *err)
{
    pending *const stream = &merge->stream[i_stream];
    if (!has_channels(stream))
        return WRSIM_OK;
    WR_TRY(make_room(stream, err));
    double *const row = stream->row + stream->end++ * stream->stride;
    row[ROW_TIME] = t_s;
    row[ROW_KIND] = kind;
    memcpy(row + ROW_VALUE, values, (stream->stride - ROW_VALUE) * sizeof(double));
    if (i_stream < merge->first_log && kind == WR_RECORD_COMMUNICATION)
        merge->n_ready += stream->n_communication++ == 0;
    return WRSIM_OK;
}

static void pop(wr_merge *merge, pending *stream)
{
    if (stream < merge->stream + merge->first_log &&
        front(stream)[ROW_KIND] == WR_RECORD_COMMUNICATION)
        merge->n_ready -= --stream->n_communication == 0;
    if (++stream->begin == stream->end)
        stream->begin = stream->end = 0;
}

static int is_recorded(const wr_merge *merge, double t_s)
{
    return t_s >= merge->start_s || wr_time_close(t_s, merge->start_s);
}

static int compare_events(const void *a_at, const void *b_at)
{
    const event *const a = a_at, *const b = b_at;
    if (a->row[ROW_TIME] < b->row[ROW_TIME] || a->row[ROW_TIME] > b->row[ROW_TIME])
        return a->row[ROW_TIME] < b->row[ROW_TIME] ? -1 : 1;
    if (a->i_stream != b->i_stream)
        return a->i_stream < b->i_stream ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static wrsim_status collect_event(wr_merge *merge, int i_stream, const double *row,
                                  wrsim_error *err)
{
    if (!is_recorded(merge, row[ROW_TIME]))
        return WRSIM_OK;
    if (merge->n_event == merge->cap_event) {
        const size_t cap = merge->cap_event ? 2 * merge->cap_event : 64;
        event *const events = realloc(merge->events, cap * sizeof *events);
        if (!events)
            return memory_fail(err);
        merge->events = events;
        merge->cap_event = cap;
    }
    merge->events[merge->n_event] =
        (event){.row = row, .i_stream = i_stream, .sequence = merge->n_event};
    merge->n_event++;
    return WRSIM_OK;
}

/* Writes and removes the event rows of all streams, except waves, up to their next communication row. */
static wrsim_status write_events(wr_merge *merge, wrsim_error *err)
{
    merge->n_event = 0;
    for (int i = 0; i < merge->n_merged; i++) {
        pending *const stream = &merge->stream[i];
        while (stream->begin < stream->end && front(stream)[ROW_KIND] != WR_RECORD_COMMUNICATION) {
            WR_TRY(collect_event(merge, i, front(stream), err));
            pop(merge, stream); /* the row stays in memory until the next add */
        }
    }
    if (merge->n_event > 1)
        qsort(merge->events, merge->n_event, sizeof *merge->events, compare_events);
    for (size_t i = 0; i < merge->n_event; i++) {
        const event *const e = &merge->events[i];
        WR_TRY(merge->ops->event(merge->writer, e->i_stream, (int)e->row[ROW_KIND],
                                 e->row[ROW_TIME], e->row + ROW_VALUE, err));
        merge->n_event_row++;
    }
    return WRSIM_OK;
}

/* ---- log ---- */

void wr_merge_log_until(wr_merge *merge, int i_log, double t_s)
{
    if (t_s > merge->log_until_s[i_log])
        merge->log_until_s[i_log] = t_s;
}

/* Returns the time up to which all log streams have delivered their rows. */
static double log_until(const wr_merge *merge)
{
    double until_s = (double)INFINITY;
    for (int i = 0; i < merge->n_stream - merge->first_log; i++)
        until_s = wr_min(until_s, merge->log_until_s[i]);
    return until_s;
}

/* Writes and removes the rows of all log streams before end_s. */
static wrsim_status write_log(wr_merge *merge, double end_s, wrsim_error *err)
{
    merge->n_event = 0;
    for (int i = merge->first_log; i < merge->n_stream; i++) {
        pending *const stream = &merge->stream[i];
        while (stream->begin < stream->end && front(stream)[ROW_TIME] < end_s) {
            WR_TRY(collect_event(merge, i, front(stream), err));
            pop(merge, stream); /* the row stays in memory until the next add */
        }
    }
    if (merge->n_event > 1)
        qsort(merge->events, merge->n_event, sizeof *merge->events, compare_events);
    for (size_t i = 0; i < merge->n_event && merge->ops->log; i++) {
        const event *const e = &merge->events[i];
        WR_TRY(merge->ops->log(merge->writer, e->i_stream - merge->first_log, (int)e->row[ROW_KIND],
                               e->row[ROW_TIME], e->row + ROW_VALUE, err));
    }
    return WRSIM_OK;
}

/* ---- waves ---- */

static int is_before(double t_s, double end_s) { return t_s < end_s && !wr_time_close(t_s, end_s); }

/* Writes the nodes before end_s, wave by wave. If no node is at start_s, the output begins with the last node before start_s, because
 * the waveform at start_s depends on this node. */
static wrsim_status write_nodes(wr_merge *merge, double end_s, wrsim_error *err)
{
    for (int i = merge->n_merged; i < merge->first_log; i++) {
        pending *const stream = &merge->stream[i];
        while (stream->begin < stream->end && is_before(front(stream)[ROW_TIME], end_s)) {
            const double *const node = front(stream), *const next = node + stream->stride;
            const int is_early = !is_recorded(merge, node[ROW_TIME]);
            if (is_early && stream->begin + 1 == stream->end)
                break;
            if (!is_early || is_before(merge->start_s, next[ROW_TIME]))
                WR_TRY(merge->ops->event(merge->writer, i, WR_RECORD_NODE, node[ROW_TIME],
                                         node + ROW_VALUE, err));
            pop(merge, stream);
        }
    }
    return WRSIM_OK;
}

/* ---- communication rows ---- */

/* Returns the earliest time of all streams' first communication rows. */
static double next_time(const wr_merge *merge)
{
    double next_s = (double)INFINITY;
    for (int i = 0; i < merge->n_merged; i++) {
        const pending *const stream = &merge->stream[i];
        const double *row = front(stream);
        if (stream->n_communication == 0)
            continue;
        while (row[ROW_KIND] != WR_RECORD_COMMUNICATION)
            row += stream->stride;
        next_s = wr_min(next_s, row[ROW_TIME]);
    }
    return next_s;
}

/* Drops the first communication row of each stream whose row is before the latest first row, because another stream has dropped this row.
 * Returns 1 if all first rows have the same time. */
static int drop_incomplete(wr_merge *merge)
{
    double latest_s = -(double)INFINITY;
    int n_same = 0;
    for (int i = 0; i < merge->n_merged; i++)
        if (has_channels(&merge->stream[i]))
            latest_s = wr_max(latest_s, front(&merge->stream[i])[ROW_TIME]);
    for (int i = 0; i < merge->n_merged; i++) {
        pending *const stream = &merge->stream[i];
        if (!has_channels(stream))
            continue;
        if (wr_time_close(front(stream)[ROW_TIME], latest_s))
            n_same++;
        else
            pop(merge, stream);
    }
    return n_same == merge->n_active;
}

/* Writes the communication row at t_s, which is at the front of each stream that has this row. */
static wrsim_status write_row(wr_merge *merge, double t_s, wrsim_error *err)
{
    for (int i = 0; i < merge->n_merged; i++) {
        const pending *const stream = &merge->stream[i];
        merge->values[i] =
            (stream->n_communication > 0 && wr_time_close(front(stream)[ROW_TIME], t_s))
                ? front(stream) + ROW_VALUE
                : NULL;
        if (has_channels(stream) && !merge->values[i] && !merge->is_sparse)
            return wr_error_set(err, WRSIM_E_INTERNAL,
                                "stream %d of the recorder is at %.17g s, but other streams are at "
                                "%.17g s; report this error of wrsim",
                                i, front(&merge->stream[i])[ROW_TIME], t_s);
    }
    if (merge->show)
        merge->show(merge->show_context, t_s, merge->values);
    if (merge->i_communication++ % merge->decimation == 0 && !merge->is_without_points &&
        is_recorded(merge, t_s)) {
        WR_TRY(merge->ops->row(merge->writer, t_s, merge->values, err));
        merge->n_row++;
    }
    for (int i = 0; i < merge->n_merged; i++)
        if (merge->values[i])
            pop(merge, &merge->stream[i]);
    return WRSIM_OK;
}

/* Writes complete rows. Nodes come before the next communication row, so that the order in the file does not depend on timing. */
static wrsim_status write_settled(wr_merge *merge, int is_end, wrsim_error *err)
{
    while (merge->n_active > 0 && (merge->n_ready == merge->n_active ||
                                   (is_end && merge->is_sparse && merge->n_ready > 0))) {
        const double t_s = next_time(merge);
        /* A wave has delivered all nodes before t_s only if it has a later node. */
        int has_waves_until = 1;
        for (int i = merge->n_merged; i < merge->first_log && has_waves_until; i++) {
            const pending *const stream = &merge->stream[i];
            if (has_channels(stream) &&
                (stream->begin == stream->end ||
                 !is_before(t_s, stream->row[(stream->end - 1) * stream->stride + ROW_TIME])))
                has_waves_until = 0;
        }
        if (!is_end && !(has_waves_until && log_until(merge) >= t_s))
            break;
        WR_TRY(write_log(merge, t_s, err));
        WR_TRY(write_events(merge, err));
        WR_TRY(write_nodes(merge, t_s, err));
        if (!merge->may_lack || drop_incomplete(merge))
            WR_TRY(write_row(merge, next_time(merge), err));
    }
    return WRSIM_OK;
}

wrsim_status wr_merge_write(wr_merge *merge, wrsim_error *err)
{
    WR_TRY(write_settled(merge, 0, err));
    return merge->n_active > 0 ? WRSIM_OK : write_log(merge, log_until(merge), err);
}

wrsim_status wr_merge_finish(wr_merge *merge, wrsim_error *err)
{
    WR_TRY(write_settled(merge, 1, err));
    WR_TRY(write_log(merge, (double)INFINITY, err));
    WR_TRY(write_events(merge, err));
    return write_nodes(merge, (double)INFINITY, err);
}

int64_t wr_merge_n_row(const wr_merge *merge) { return merge->n_row; }
int64_t wr_merge_n_event_row(const wr_merge *merge) { return merge->n_event_row; }
