/* Results as HDF5 in the layout of hdf5_names.h: one data set per signal.
 *
 * The writer uses single-writer-multiple-reader mode (HDF5 1.10), so that other programs can read the file during the run
 * and after a kill. The bytes of the file do not depend on the times of flushes. The writer allocates space for a chunk
 * when the chunk's first row arrives, which depends on row counts only. A flush writes to allocated space. Object times are
 * off.
 *
 * Thread: see writer.h. Real-time: no. */
#include "runtime/record/writer_hdf5.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/record/disk_hdf5.h"
#include "runtime/record/hdf5_names.h"
#include "runtime/record/log_columns.h"
#include "runtime/record/objects_hdf5.h"
#include "runtime/record/quiet_hdf5.h"
#include "runtime/record/result_file.h"
#include "runtime/record/table_hdf5.h"

enum {
    CHUNK_ROW = 1024,      /* rows per chunk (assumed): 8 KiB per signal */
    EVENT_CHUNK_ROW = 256, /* event rows per chunk (assumed) */
    LOG_CHUNK_ROW = 512    /* rows of the log per chunk (assumed) */
};

struct wr_writer {
    char *file_name;
    hid_t file;
    wr_hdf5_objects objects;
    int n_stream, n_signal, is_failed; /* n_stream: waves included */
    int n_event_stream;                /* number of streams, waves excluded */
    wr_hdf5_fault fault;               /* the first failure */
    int64_t n_row, n_event_row;        /* rows that are certainly in the file */
    int *n_channel;                    /* [n_stream] */
    wr_hdf5_table rows;                /* columns: time, signals */
    wr_hdf5_table *events;             /* [n_stream] columns: time, kind, values */
    wr_hdf5_table event_log,
        window_log; /* columns: WR_EVENT_..., WR_WINDOW_...; without columns: no log */
    int64_t n_stop; /* stops in the event log */
};

/* ---- errors ---- */

static int is_good(wr_writer *writer, int64_t result)
{
    return wr_hdf5_is_good(&writer->fault, result);
}

static wrsim_status hdf5_fail(wr_writer *writer, wrsim_error *err)
{
    writer->is_failed = 1;
    return wr_result_file_fail(writer->file_name, writer->fault.disk.error_number,
                               writer->fault.text, err);
}

/* ---- tables ---- */

enum { EVENT_TIME, EVENT_KIND, EVENT_VALUES, EVENT_DATASETS };

/* Tables in the order of the file: communication rows (-1), events of streams, event log, window records. */
static wr_hdf5_table *table_of(wr_writer *writer, int i)
{
    return i < 0                   ? &writer->rows
           : i < writer->n_stream  ? &writer->events[i]
           : i == writer->n_stream ? &writer->event_log
                                   : &writer->window_log;
}

/* Returns the number of the last table. */
static int last_table(const wr_writer *writer) { return writer->n_stream + 1; }

/* Counts the rows in the file after a flush. Returns 1. */
static int count_rows(wr_writer *writer)
{
    writer->n_row = (int64_t)writer->rows.n_written;
    writer->n_event_row = 0;
    for (int i = 0; i < writer->n_event_stream; i++)
        writer->n_event_row += (int64_t)writer->events[i].n_written;
    return 1;
}

static int write_tables(wr_writer *writer, int first, int last, int is_times)
{
    for (int i = first; i <= last; i++)
        if (!wr_hdf5_table_write(table_of(writer, i), is_times, &writer->fault))
            return 0;
    return is_good(writer, H5Fflush(writer->file, H5F_SCOPE_LOCAL));
}

/* Writes and flushes tables [first, last]. A flush visits all memory of HDF5, so one flush per data set would have
 * quadratic cost. */
static int flush_tables(wr_writer *writer, int first, int last)
{
    int has_any = 0;
    for (int i = first; i <= last; i++)
        has_any |= table_of(writer, i)->n_written < table_of(writer, i)->n_row;
    return !has_any || (write_tables(writer, first, last, 0) &&
                        write_tables(writer, first, last, 1) && count_rows(writer));
}

/* The writer flushes a full chunk, so that a full disk loses the next chunk at most. */
static int end_row(wr_writer *writer, int i_table)
{
    return !wr_hdf5_table_end_row(table_of(writer, i_table)) ||
           flush_tables(writer, i_table, i_table);
}

/* ---- the file ---- */

static int make_signal(wr_writer *writer, hid_t signals, const wr_channel *channel, int i_signal)
{
    const char *const dot = strchr(channel->name, '.');
    const size_t n_component = dot ? (size_t)(dot - channel->name) : 0;
    const char *const variable_name = dot ? dot + 1 : channel->name;
    char *const component = wr_hdf5_link_name(channel->name, n_component);
    char *const variable = wr_hdf5_link_name(variable_name, strlen(variable_name));
    int is_done = 0;
    if (component && variable) {
        const htri_t exists = H5Lexists(signals, component, H5P_DEFAULT);
        const hid_t group = exists > 0 ? H5Gopen2(signals, component, H5P_DEFAULT)
                                       : wr_hdf5_make_group(&writer->objects, signals, component);
        const hid_t dataset = group < 0 ? H5I_INVALID_HID
                                        : wr_hdf5_make_dataset(&writer->objects, group, variable,
                                                               H5T_IEEE_F64LE, CHUNK_ROW, 0);
        writer->rows.dataset[1 + i_signal] = dataset;
        is_done = dataset >= 0 &&
                  wr_hdf5_put_string(&writer->objects, dataset, WR_HDF5_NAME, channel->name) &&
                  wr_hdf5_put_string(&writer->objects, dataset, WR_HDF5_UNIT, channel->unit) &&
                  wr_hdf5_put_string(&writer->objects, dataset, WR_HDF5_DESCRIPTION,
                                     channel->description) &&
                  wr_hdf5_put_integer(&writer->objects, dataset, WR_HDF5_COLUMN, i_signal);
        if (group >= 0)
            H5Gclose(group);
    }
    free(component);
    free(variable);
    return is_done;
}

static int make_signals(wr_writer *writer, const wr_recorder_options *options)
{
    writer->rows.dataset[0] = wr_hdf5_make_dataset(&writer->objects, writer->file, WR_HDF5_TIME,
                                                   H5T_IEEE_F64LE, CHUNK_ROW, 0);
    if (writer->rows.dataset[0] < 0 ||
        !wr_hdf5_put_string(&writer->objects, writer->rows.dataset[0], WR_HDF5_UNIT, "s"))
        return 0;
    const hid_t signals = wr_hdf5_make_group(&writer->objects, writer->file, WR_HDF5_SIGNALS);
    int is_done = signals >= 0, i_signal = 0;
    for (int i = 0; i < options->n_stream; i++)
        for (int j = 0; is_done && j < options->stream[i].n_channel; j++)
            is_done = make_signal(writer, signals, &options->stream[i].channel[j], i_signal++);
    if (signals >= 0)
        H5Gclose(signals);
    return is_done;
}

/* Writes the names, units and descriptions of all signals as data sets, because some programs read no attributes. */
static int make_tables(wr_writer *writer, const wr_recorder_options *options)
{
    const char **const text = calloc(3 * (size_t)writer->n_signal + 1, sizeof *text);
    const char **const name = text, **const unit = name + writer->n_signal,
                       **const description = unit + writer->n_signal;
    int n = 0;
    for (int i = 0; text && i < options->n_stream; i++)
        for (int j = 0; j < options->stream[i].n_channel; j++, n++) {
            const wr_channel *const channel = &options->stream[i].channel[j];
            name[n] = channel->name;
            unit[n] = channel->unit ? channel->unit : "";
            description[n] = channel->description ? channel->description : "";
        }
    const int is_done =
        text &&
        (n == 0 || (wr_hdf5_put_strings(&writer->objects, writer->file, WR_HDF5_NAMES, n, name) &&
                    wr_hdf5_put_strings(&writer->objects, writer->file, WR_HDF5_UNITS, n, unit) &&
                    wr_hdf5_put_strings(&writer->objects, writer->file, WR_HDF5_DESCRIPTIONS, n,
                                        description)));
    free(text);
    return is_done;
}

static int make_event_names(wr_writer *writer, hid_t group, const wr_stream_info *stream)
{
    const char **const names = calloc((size_t)stream->n_channel, sizeof *names);
    for (int i = 0; names && i < stream->n_channel; i++)
        names[i] = stream->channel[i].name;
    const int is_done = names && wr_hdf5_put_strings(&writer->objects, group, WR_HDF5_NAMES,
                                                     stream->n_channel, names);
    free(names);
    return is_done;
}

static int make_events_of(wr_writer *writer, hid_t events, const wr_stream_info *stream,
                          int i_stream)
{
    wr_hdf5_table *const b = &writer->events[i_stream];
    char *const link = wr_hdf5_link_name(stream->name, strlen(stream->name));
    const hid_t group = link ? wr_hdf5_make_group(&writer->objects, events, link) : H5I_INVALID_HID;
    free(link);
    if (group < 0)
        return 0;
    b->dataset[EVENT_TIME] = wr_hdf5_make_dataset(&writer->objects, group, WR_HDF5_TIME,
                                                  H5T_IEEE_F64LE, EVENT_CHUNK_ROW, 0);
    b->dataset[EVENT_KIND] = wr_hdf5_make_dataset(&writer->objects, group, WR_HDF5_KIND,
                                                  H5T_STD_U8LE, EVENT_CHUNK_ROW, 0);
    b->dataset[EVENT_VALUES] =
        wr_hdf5_make_dataset(&writer->objects, group, WR_HDF5_VALUES, H5T_IEEE_F64LE,
                             EVENT_CHUNK_ROW, stream->n_channel);
    const int is_done =
        b->dataset[EVENT_TIME] >= 0 && b->dataset[EVENT_KIND] >= 0 &&
        b->dataset[EVENT_VALUES] >= 0 &&
        wr_hdf5_put_string(&writer->objects, b->dataset[EVENT_TIME], WR_HDF5_UNIT, "s") &&
        make_event_names(writer, group, stream);
    H5Gclose(group);
    return is_done;
}

/* Creates groups for n streams from number `first` on. */
static int make_events(wr_writer *writer, const char *name, const wr_stream_info *stream, int n,
                       int first)
{
    const hid_t events = wr_hdf5_make_group(&writer->objects, writer->file, name);
    int is_done = events >= 0;
    for (int i = 0; is_done && i < n; i++)
        if (stream[i].n_channel > 0)
            is_done = make_events_of(writer, events, &stream[i], first + i);
    if (events >= 0)
        H5Gclose(events);
    return is_done;
}

/* ---- the log ---- */

static hid_t type_of(wr_log_type_in_file type)
{
    switch (type) {
    case WR_LOG_REAL:
        return H5T_IEEE_F64LE;
    case WR_LOG_INT64:
        return H5T_STD_I64LE;
    case WR_LOG_INT32:
        return H5T_STD_I32LE;
    case WR_LOG_INT8:
        return H5T_STD_I8LE;
    case WR_LOG_UINT8:
        break;
    }
    return H5T_STD_U8LE;
}

/* Creates a group for the log with the data sets of its columns; width: values per row of the last column. Returns the group. */
static hid_t make_log_group(wr_writer *writer, wr_hdf5_table *t, const char *name,
                            const wr_log_column *columns, int n_column, int width)
{
    const hid_t group = wr_hdf5_make_group(&writer->objects, writer->file, name);
    int is_done = group >= 0 &&
                  wr_hdf5_put_integer(&writer->objects, group, WR_HDF5_LAYOUT, WR_HDF5_LOG_LAYOUT);
    for (int i = 0; is_done && i < n_column; i++) {
        t->dataset[i] =
            wr_hdf5_make_dataset(&writer->objects, group, columns[i].name, type_of(columns[i].type),
                                 LOG_CHUNK_ROW, i == n_column - 1 ? width : 0);
        is_done = t->dataset[i] >= 0;
    }
    if (is_done && wr_hdf5_put_string(&writer->objects, t->dataset[0], WR_HDF5_UNIT, "s"))
        return group;
    if (group >= 0)
        H5Gclose(group);
    return H5I_INVALID_HID;
}

/* Writes names, types and units of all items. */
static int put_items(wr_writer *writer, hid_t group, const wr_log_info *log)
{
    const char **const text = calloc((size_t)log->n_item + 1, sizeof *text);
    static const char *const lists[] = {WR_LOG_ITEM_NAMES, WR_LOG_ITEM_TYPES, WR_LOG_ITEM_UNITS};
    int is_done = text != NULL;
    for (int k = 0; is_done && k < 3; k++) {
        for (int i = 0; i < log->n_item; i++) {
            const wr_log_item *const item = &log->item[i];
            text[i] = k == 0 ? item->name : k == 1 ? item->type : item->unit;
        }
        is_done = wr_hdf5_put_strings(&writer->objects, group, lists[k], log->n_item, text);
    }
    free(text);
    return is_done;
}

static int make_log(wr_writer *writer, const wr_log_info *log)
{
    if (!log)
        return 1;
    hid_t group = make_log_group(writer, &writer->event_log, WR_HDF5_EVENT_LOG, wr_event_columns,
                                 WR_EVENT_COLUMNS, 0);
    int is_done = group >= 0 &&
                  wr_hdf5_put_strings(&writer->objects, group, WR_LOG_SUBSYSTEMS, log->n_subsystem,
                                      log->subsystem) &&
                  put_items(writer, group, log);
    if (group >= 0)
        H5Gclose(group);
    if (!is_done || !log->has_windows)
        return is_done;
    group = make_log_group(writer, &writer->window_log, WR_HDF5_WINDOW_LOG, wr_window_columns,
                           WR_WINDOW_COLUMNS, log->n_subsystem);
    is_done =
        group >= 0 &&
        wr_hdf5_put_strings(&writer->objects, group, WR_LOG_SUBSYSTEMS, log->n_subsystem,
                            log->subsystem) &&
        wr_hdf5_put_strings(&writer->objects, group, WR_LOG_REASONS, log->n_reason, log->reason);
    if (group >= 0)
        H5Gclose(group);
    return is_done;
}

static hid_t make_file(const char *name, wr_disk_hdf5 *disk)
{
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_obj_track_times(creation, 0);
    /* The fixed format makes later libraries write the same bytes. */
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* Objects share no metadata blocks, because a flush would end such blocks and move later objects. */
    H5Pset_meta_block_size(access, 0);
    H5Pset_small_data_block_size(access, 0);
    const hid_t file = wr_disk_hdf5_use(access, disk) < 0
                           ? H5I_INVALID_HID
                           : H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    return file;
}

static int let_readers_in(wr_writer *writer)
{
    if (!is_good(writer, H5Fstart_swmr_write(writer->file)))
        return 0;
    wr_disk_hdf5_share(&writer->fault.disk);
    return 1;
}

static int make_all(wr_writer *writer, const wr_recorder_options *options)
{
    const char *const config = options->config_text ? options->config_text : "";
    writer->fault.disk.summary = options->summary;
    return wr_hdf5_objects_init(&writer->objects, &writer->fault) &&
           is_good(writer, writer->file = make_file(options->file, &writer->fault.disk)) &&
           wr_hdf5_put_string(&writer->objects, writer->file, WR_HDF5_PROGRAM, "wrsim") &&
           wr_hdf5_put_string(&writer->objects, writer->file, WR_HDF5_VERSION, options->version) &&
           wr_hdf5_put_integer(&writer->objects, writer->file, WR_HDF5_LAYOUT,
                               WR_HDF5_LAYOUT_NUMBER) &&
           wr_hdf5_put_strings(&writer->objects, writer->file, WR_HDF5_CONFIG, -1, &config) &&
           make_tables(writer, options) && make_signals(writer, options) &&
           make_events(writer, WR_HDF5_EVENTS, options->stream, options->n_stream, 0) &&
           (options->n_wave == 0 || make_events(writer, WR_HDF5_WAVES, options->wave,
                                                options->n_wave, options->n_stream)) &&
           make_log(writer, options->log) && let_readers_in(writer);
}

static int place_all(wr_writer *writer, const wr_recorder_options *options)
{
    writer->n_stream = options->n_stream + options->n_wave;
    writer->n_event_stream = options->n_stream;
    writer->n_signal = wr_writer_n_channel(options);
    writer->file_name = strdup(options->file);
    writer->n_channel = calloc((size_t)writer->n_stream + 1, sizeof *writer->n_channel);
    writer->events = calloc((size_t)writer->n_stream + 1, sizeof *writer->events);
    if (!writer->file_name || !writer->n_channel || !writer->events ||
        !wr_hdf5_table_init(&writer->rows, 1 + writer->n_signal, NULL, CHUNK_ROW))
        return 0;
    for (int i = 0; i < writer->n_stream; i++) {
        writer->n_channel[i] = i < options->n_stream
                                   ? options->stream[i].n_channel
                                   : options->wave[i - options->n_stream].n_channel;
        const int width[EVENT_DATASETS] = {[EVENT_VALUES] = writer->n_channel[i]};
        if (writer->n_channel[i] > 0 &&
            !wr_hdf5_table_init(&writer->events[i], EVENT_DATASETS, width, EVENT_CHUNK_ROW))
            return 0;
    }
    if (!options->log)
        return 1;
    const int width[WR_WINDOW_COLUMNS] = {[WR_WINDOW_INTEGRATIONS] = options->log->n_subsystem};
    return wr_hdf5_table_init(&writer->event_log, WR_EVENT_COLUMNS, NULL, LOG_CHUNK_ROW) &&
           (!options->log->has_windows ||
            wr_hdf5_table_init(&writer->window_log, WR_WINDOW_COLUMNS, width, LOG_CHUNK_ROW));
}

static wrsim_status hdf5_close(wr_writer **writer_at, wr_recorder_stats *stats, wrsim_error *err)
{
    wr_writer *const writer = *writer_at;
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    wrsim_status status = WRSIM_OK;
    int is_done =
        writer->file <= 0 || writer->is_failed || flush_tables(writer, -1, last_table(writer));
    for (int i = -1; i <= last_table(writer); i++)
        if (i < 0 || i >= writer->n_stream || writer->events)
            is_done = wr_hdf5_table_done(table_of(writer, i), &writer->fault) && is_done;
    if (writer->file > 0 && !writer->is_failed)
        status = wr_result_file_check(writer->fault.disk.fd, writer->file_name, err);
    if (writer->file > 0)
        is_done = is_good(writer, H5Fclose(writer->file)) && is_done;
    wr_disk_hdf5_release(&writer->fault.disk);
    if (is_done && !writer->is_failed)
        count_rows(writer);
    else if (!writer->is_failed)
        status = hdf5_fail(writer, err);
    wr_hdf5_objects_done(&writer->objects);
    struct stat about;
    stats->n_row = writer->n_row;
    stats->n_event_row = writer->n_event_row;
    stats->file_bytes =
        writer->file_name && stat(writer->file_name, &about) == 0 ? about.st_size : 0;
    free(writer->file_name);
    free(writer->n_channel);
    free(writer->events);
    free(writer);
    *writer_at = NULL;
    wr_hdf5_quiet_end(&before);
    return status;
}

static wr_writer *hdf5_open(const wr_recorder_options *options, wrsim_error *err)
{
    wr_writer *writer = calloc(1, sizeof *writer);
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    if (!writer || !place_all(writer, options)) {
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the result file '%s'", options->file);
        goto fail;
    }
    if (!make_all(writer, options)) {
        hdf5_fail(writer, err);
        goto fail;
    }
    wr_hdf5_quiet_end(&before);
    return writer;
fail:
    if (writer) {
        wr_recorder_stats stats;
        writer->is_failed = 1;
        (void)hdf5_close(&writer, &stats, NULL); /* err is already filled */
    }
    wr_hdf5_quiet_end(&before);
    return NULL;
}

static wrsim_status hdf5_row(wr_writer *writer, double t_s, const double *const *values,
                             wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    int i_column = 0;
    int is_done = wr_hdf5_table_begin_row(&writer->rows, &writer->fault);
    if (is_done) {
        *wr_hdf5_table_at(&writer->rows, i_column++) = t_s;
        for (int i = 0; i < writer->n_event_stream; i++)
            for (int j = 0; j < writer->n_channel[i]; j++)
                *wr_hdf5_table_at(&writer->rows, i_column++) =
                    values[i] ? values[i][j] : (double)NAN;
        is_done = end_row(writer, -1);
    }
    const wrsim_status status = is_done ? WRSIM_OK : hdf5_fail(writer, err);
    wr_hdf5_quiet_end(&before);
    return status;
}

static wrsim_status hdf5_event(wr_writer *writer, int i_stream, int kind, double t_s,
                               const double *values, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    wr_hdf5_table *const t = &writer->events[i_stream];
    int is_done = wr_hdf5_table_begin_row(t, &writer->fault);
    if (is_done) {
        *wr_hdf5_table_at(t, EVENT_TIME) = t_s;
        *wr_hdf5_table_at(t, EVENT_KIND) = kind;
        memcpy(wr_hdf5_table_at(t, EVENT_VALUES), values,
               (size_t)writer->n_channel[i_stream] * sizeof *values);
        is_done = end_row(writer, i_stream);
    }
    const wrsim_status status = is_done ? WRSIM_OK : hdf5_fail(writer, err);
    wr_hdf5_quiet_end(&before);
    return status;
}

static wrsim_status hdf5_log(wr_writer *writer, int i_log, int kind, double t_s,
                             const double *values, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    const int is_window = i_log == writer->n_event_stream,
              n = is_window ? WR_LOG_WINDOW_VALUES : WR_LOG_ENTRY_VALUES;
    wr_hdf5_table *const t = is_window ? &writer->window_log : &writer->event_log;
    int is_done = wr_hdf5_table_begin_row(t, &writer->fault);
    if (is_done) {
        *wr_hdf5_table_at(t, 0) = t_s;
        if (is_window)
            memcpy(wr_hdf5_table_at(t, WR_WINDOW_INTEGRATIONS), values + n,
                   (size_t)writer->n_event_stream * sizeof *values);
        else {
            writer->n_stop += kind == 0;
            *wr_hdf5_table_at(t, WR_EVENT_STOP) = (double)(writer->n_stop - 1);
            *wr_hdf5_table_at(t, WR_EVENT_SUBSYSTEM) = i_log;
            *wr_hdf5_table_at(t, WR_EVENT_KIND) = kind;
        }
        for (int i = 0; i < n; i++)
            *wr_hdf5_table_at(t, (is_window ? WR_WINDOW_VALUES : WR_EVENT_ENTRY) + i) = values[i];
        is_done = end_row(writer, writer->n_stream + is_window);
    }
    const wrsim_status status = is_done ? WRSIM_OK : hdf5_fail(writer, err);
    wr_hdf5_quiet_end(&before);
    return status;
}

static wrsim_status hdf5_flush(wr_writer *writer, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    const int is_done = flush_tables(writer, -1, last_table(writer));
    const wrsim_status status = is_done ? WRSIM_OK : hdf5_fail(writer, err);
    wr_hdf5_quiet_end(&before);
    return status;
}

const wr_writer_ops wr_hdf5_writer = {
    .extension = ".h5",
    .help = "HDF5",
    .open = hdf5_open,
    .row = hdf5_row,
    .event = hdf5_event,
    .log = hdf5_log,
    .flush = hdf5_flush,
    .close = hdf5_close,
};
