/* Reads results in HDF5 format (hdf5_names.h), also while a run writes the file. Defines the table of the module 'hdf5' (hdf5.h).
 *
 * Thread: one owner. Real-time: no. */
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/module.h"
#include "base/names.h"
#include "runtime/record/hdf5.h"
#include "runtime/record/hdf5_names.h"
#include "runtime/record/log_hdf5.h"
#include "runtime/record/open_hdf5.h"
#include "runtime/record/quiet_hdf5.h"
#include "runtime/record/streams_hdf5.h"
#include "runtime/record/writer_hdf5.h"

/* A signal in a file. `column` is the place in the order of recording, because HDF5 visits the data sets in another order. */
typedef struct found_signal {
    hid_t dataset;
    char *name, *unit, *description; /* description NULL: not requested */
    int column;
} found_signal;

typedef struct hdf5_reader {
    found_signal *signal; /* [cap] signals found so far */
    int n_signal, cap;
    wr_results_extent extent;
    int is_memory_out;
} hdf5_reader;

static void forget_signal(found_signal *signal)
{
    if (signal->dataset >= 0)
        H5Dclose(signal->dataset);
    free(signal->name);
    free(signal->unit);
    free(signal->description);
}

/* Adds a data set below the group /signals. HDF5 calls this function for every object below the group. */
static herr_t visit_object(hid_t group, const char *path, const H5O_info_t *info, void *reader_at)
{
    hdf5_reader *const reader = reader_at;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    if (reader->n_signal == reader->cap) {
        const int cap = reader->cap ? 2 * reader->cap : 64;
        found_signal *const signal = realloc(reader->signal, (size_t)cap * sizeof *signal);
        if (!signal) {
            reader->is_memory_out = 1;
            return -1;
        }
        reader->signal = signal;
        reader->cap = cap;
    }
    found_signal signal = {.dataset = H5Dopen2(group, path, H5P_DEFAULT)};
    if (signal.dataset < 0)
        return -1;
    signal.name = wr_hdf5_read_text(signal.dataset, WR_HDF5_NAME);
    signal.unit = wr_hdf5_read_text(signal.dataset, WR_HDF5_UNIT);
    if (reader->extent == WR_RESULTS_WHOLE)
        signal.description = wr_hdf5_read_text(signal.dataset, WR_HDF5_DESCRIPTION);
    if (!signal.name || !signal.unit ||
        !wr_hdf5_read_integer(signal.dataset, WR_HDF5_COLUMN, &signal.column)) {
        forget_signal(&signal);
        return -1;
    }
    reader->signal[reader->n_signal++] = signal;
    return 0;
}

static int compare_columns(const void *a_at, const void *b_at)
{
    const found_signal *const a = a_at, *const b = b_at;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int read_rows(hid_t dataset, int n_row, double *ret_value)
{
    if (n_row == 0)
        return 1;
    const hsize_t start = 0, count = (hsize_t)n_row;
    const hid_t memory = H5Screate_simple(1, &count, NULL), space = H5Dget_space(dataset);
    const int is_done =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, ret_value) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return is_done;
}

/* Moves the signals and their values into the results. */
static int read_values(wr_results *results, hid_t time, hdf5_reader *reader)
{
    int64_t n_row = wr_hdf5_count_rows(time);
    for (int i = 0; i < reader->n_signal; i++) {
        const int64_t n = wr_hdf5_count_rows(reader->signal[i].dataset);
        n_row = n < n_row ? n : n_row;
    }
    if (n_row < 0)
        return 0;
    const size_t n_signal = (size_t)reader->n_signal, n = (size_t)n_row;
    results->n_signal = reader->n_signal;
    results->n_row = (int)n_row;
    results->name = calloc(n_signal + 1, sizeof *results->name);
    results->unit = calloc(n_signal + 1, sizeof *results->unit);
    results->time_s = malloc((n + 1) * sizeof *results->time_s);
    results->value = malloc((n * n_signal + 1) * sizeof *results->value);
    if (!results->name || !results->unit || !results->time_s || !results->value) {
        reader->is_memory_out = 1;
        return 0;
    }
    if (!read_rows(time, results->n_row, results->time_s))
        return 0;
    /* The loop removes rows with allocated space but without written values. */
    while (results->n_row > 0 && isnan(results->time_s[results->n_row - 1]))
        results->n_row--;
    for (int i = 0; i < reader->n_signal; i++) {
        found_signal *const signal = &reader->signal[i];
        results->name[i] = signal->name;
        results->unit[i] = signal->unit;
        signal->name = signal->unit = NULL;
        if (!read_rows(signal->dataset, results->n_row,
                       results->value + (size_t)i * (size_t)results->n_row))
            return 0;
    }
    return 1;
}

/* ---- whole results ---- */

/* Returns the name of a subsystem from the name of its group (hdf5_names.h), from malloc. */
static char *unescape(const char *link)
{
    char *const name = strdup(strcmp(link, "%") == 0 ? "" : link);
    char *to = name;
    for (const char *from = name; from && *from; to++) {
        char digits[3] = "";
        memcpy(digits, from + 1, *from == '%' && from[1] ? 2 : 0);
        char *end = digits;
        const unsigned long byte = strtoul(digits, &end, 16);
        *to = end == digits + 2 ? (char)byte : *from;
        from += end == digits + 2 ? 3 : 1;
    }
    if (to)
        *to = '\0';
    return name;
}

typedef struct stream_list {
    wr_results *results;
    wr_named *sorted; /* [n_signal] the signals by name */
} stream_list;

static int take_stream(const wr_stream_rows *rows, int n_wanted, const char *const *wanted,
                       void *to)
{
    (void)n_wanted, (void)wanted;
    const stream_list *const list = to;
    wr_results *const r = list->results;
    wr_results_stream *const stream = &r->stream[r->n_stream];
    const size_t n_channel = (size_t)rows->n_channel, n_row = (size_t)rows->n_row;
    if (r->n_stream == r->n_signal || n_channel == 0)
        return 1;
    r->n_stream++;
    stream->name = unescape(rows->link);
    stream->signal = calloc(n_channel + 1, sizeof *stream->signal);
    stream->time_s = malloc((n_row + 1) * sizeof *stream->time_s);
    stream->is_right = malloc(n_row + 1);
    stream->value = malloc((n_row * n_channel + 1) * sizeof *stream->value);
    if (!stream->name || !stream->signal || !stream->time_s || !stream->is_right || !stream->value)
        return 0;
    for (size_t c = 0; c < n_channel; c++) {
        const int i =
            wr_names_find(list->sorted, r->n_signal, rows->name[c], strlen(rows->name[c]));
        char *const subsystem = i >= 0 && !*r->subsystem[i] ? strdup(stream->name) : NULL;
        if (i < 0 || (!subsystem && *r->subsystem[i]))
            continue; /* the group names no signal, or a signal of another group */
        if (!subsystem)
            return 0;
        free(r->subsystem[i]);
        r->subsystem[i] = subsystem;
        const size_t k = (size_t)stream->n_signal++;
        stream->signal[k] = i;
        for (size_t row = 0; row < n_row; row++)
            stream->value[row * n_channel + k] = rows->value[row * n_channel + c];
    }
    const size_t n = (size_t)stream->n_signal;
    for (size_t row = 0; row < n_row; row++) {
        stream->time_s[row] = rows->time_s[row];
        stream->is_right[row] = rows->kind[row] > 1.5;
        memmove(stream->value + row * n, stream->value + row * n_channel, n * sizeof(double));
    }
    stream->n_row = n > 0 ? rows->n_row : 0;
    if (n == 0) { /* a stream without signals is no stream */
        free(stream->name);
        free(stream->signal);
        free(stream->time_s);
        free(stream->is_right);
        free(stream->value);
        *stream = (wr_results_stream){0};
        r->n_stream--;
    }
    return 1;
}

static int compare_streams(const void *a_at, const void *b_at)
{
    const wr_results_stream *const a = a_at, *const b = b_at;
    return a->signal[0] < b->signal[0] ? -1 : a->signal[0] > b->signal[0];
}

/* Reads descriptions, subsystems and rows at events. Signals without a group share a stream. */
static int read_whole(hid_t file, wr_results *r, hdf5_reader *reader)
{
    wr_named *const sorted = malloc(((size_t)r->n_signal + 1) * sizeof *sorted);
    r->stream = calloc((size_t)r->n_signal + 1, sizeof *r->stream);
    int is_done = sorted && r->stream && wr_results_place_texts(r);
    reader->is_memory_out |= !is_done;
    for (int i = 0; is_done && i < r->n_signal; i++) {
        sorted[i] = (wr_named){r->name[i], i};
        if (reader->signal[i].description) {
            free(r->description[i]);
            r->description[i] = reader->signal[i].description;
            reader->signal[i].description = NULL;
        }
    }
    if (is_done) {
        wr_names_sort(sorted, r->n_signal);
        is_done = wr_hdf5_read_streams(file, WR_HDF5_EVENTS, 1, 0, NULL, take_stream,
                                       &(stream_list){r, sorted}, &reader->is_memory_out);
    }
    wr_results_stream *rest = NULL;
    for (int i = 0; is_done && i < r->n_signal; i++) {
        if (*r->subsystem[i])
            continue;
        if (!rest) {
            rest = &r->stream[r->n_stream++];
            rest->name = strdup("signals");
            rest->signal = calloc((size_t)(r->n_signal - i), sizeof *rest->signal);
            is_done = rest->name && rest->signal;
            reader->is_memory_out |= !is_done;
        }
        if (is_done)
            rest->signal[rest->n_signal++] = i;
    }
    if (is_done && r->n_stream > 1)
        qsort(r->stream, (size_t)r->n_stream, sizeof *r->stream, compare_streams);
    r->has_waves = H5Lexists(file, WR_HDF5_WAVES, H5P_DEFAULT) > 0;
    free(sorted);
    return is_done;
}

static int read_file(hid_t file, wr_results *results, hdf5_reader *reader)
{
    int layout = 0;
    if (!wr_hdf5_read_integer(file, WR_HDF5_LAYOUT, &layout) || layout < 1)
        return 0;
    const hid_t signals = H5Gopen2(file, WR_HDF5_SIGNALS, H5P_DEFAULT);
    const hid_t time = H5Dopen2(file, WR_HDF5_TIME, H5P_DEFAULT);
    const hid_t config = H5Dopen2(file, WR_HDF5_CONFIG, H5P_DEFAULT);
    int is_done = signals >= 0 && time >= 0 && config >= 0 &&
                  H5Ovisit2(signals, H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, reader,
                            H5O_INFO_BASIC) >= 0;
    if (is_done) {
        if (reader->n_signal > 1)
            qsort(reader->signal, (size_t)reader->n_signal, sizeof *reader->signal,
                  compare_columns);
        results->config_text = wr_hdf5_dataset_text(config);
        is_done = results->config_text && read_values(results, time, reader) &&
                  (reader->extent == WR_RESULTS_POINTS || read_whole(file, results, reader));
    }
    if (config >= 0)
        H5Dclose(config);
    if (time >= 0)
        H5Dclose(time);
    if (signals >= 0)
        H5Gclose(signals);
    return is_done;
}

static wr_results *read_quietly(const char *file, wr_results_extent extent, wrsim_error *err)
{
    hdf5_reader reader = {.extent = extent};
    int is_done = 0;
    wr_results *results = calloc(1, sizeof *results);
    const hid_t handle = results ? wr_hdf5_open_results(file) : H5I_INVALID_HID;
    if (handle >= 0)
        is_done = read_file(handle, results, &reader);
    for (int i = 0; i < reader.n_signal; i++)
        forget_signal(&reader.signal[i]);
    free(reader.signal);
    if (handle >= 0)
        H5Fclose(handle);
    if (is_done)
        return results;
    wr_hdf5_fail_to_read(file, !results || reader.is_memory_out, err);
    wr_results_destroy(&results);
    return NULL;
}

static void leave(void) { (void)H5dont_atexit(); }

static wr_results *read_results(const char *file, wr_results_extent extent, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    wr_results *const results = read_quietly(file, extent, err);
    wr_hdf5_quiet_end(&before);
    return results;
}

/* ---- rows of single subsystems: events and waves ---- */

static wrsim_status read_streams_of(const char *file, const char *parent_name, int has_kind,
                                    int n_wanted, const char *const *wanted, wr_take_rows take_rows,
                                    void *to, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    int is_memory_out = 0;
    const hid_t handle = wr_hdf5_open_results(file);
    const int is_done = handle >= 0 && wr_hdf5_read_streams(handle, parent_name, has_kind, n_wanted,
                                                            wanted, take_rows, to, &is_memory_out);
    if (handle >= 0)
        H5Fclose(handle);
    wr_hdf5_quiet_end(&before);
    return is_done ? WRSIM_OK : wr_hdf5_fail_to_read(file, is_memory_out, err);
}

typedef struct part_list {
    wr_results_part *part;
    int n;
} part_list;

static int take_part(const wr_stream_rows *rows, int n_wanted, const char *const *wanted, void *to)
{
    part_list *const list = to;
    const size_t n_row = (size_t)rows->n_row, n_channel = (size_t)rows->n_channel;
    const size_t n_half = n_channel / 2;
    int *const column = calloc(n_half + 1, sizeof *column);
    wr_results_part *const part = wr_results_part_add(&list->part, &list->n, n_half, n_row);
    if (!column || !part) {
        free(column);
        return 0;
    }
    part->n_node = rows->n_row;
    for (size_t i = 0; i < n_half; i++) {
        const int k = wr_hdf5_place_of(rows->name[i], n_wanted, wanted);
        if (k < 0)
            continue;
        column[part->n_signal] = (int)i;
        part->signal[part->n_signal++] = k;
    }
    const size_t n_signal = (size_t)part->n_signal;
    for (size_t i = 0; i < n_row; i++) {
        const double *const row = rows->value + i * n_channel;
        part->t_s[i] = rows->time_s[i];
        for (size_t k = 0; k < n_signal; k++) {
            part->value[i * n_signal + k] = row[column[k]];
            part->slope[i * n_signal + k] = row[n_half + (size_t)column[k]];
        }
    }
    free(column);
    return 1;
}

/* Reads the units of wanted signals below /signals. */
static wrsim_status read_units(const char *file, int n_wanted, const char *const *wanted,
                               char **ret_unit, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    hdf5_reader reader = {0};
    const hid_t handle = wr_hdf5_open_results(file);
    const hid_t signals =
        handle >= 0 ? H5Gopen2(handle, WR_HDF5_SIGNALS, H5P_DEFAULT) : H5I_INVALID_HID;
    const int is_done = signals >= 0 && H5Ovisit2(signals, H5_INDEX_NAME, H5_ITER_NATIVE,
                                                  visit_object, &reader, H5O_INFO_BASIC) >= 0;
    for (int i = 0; i < reader.n_signal; i++) {
        found_signal *const signal = &reader.signal[i];
        const int k = wr_hdf5_place_of(signal->name, n_wanted, wanted);
        if (k >= 0 && !ret_unit[k]) {
            ret_unit[k] = signal->unit;
            signal->unit = NULL;
        }
        forget_signal(signal);
    }
    free(reader.signal);
    if (signals >= 0)
        H5Gclose(signals);
    if (handle >= 0)
        H5Fclose(handle);
    wr_hdf5_quiet_end(&before);
    return is_done ? WRSIM_OK : wr_hdf5_fail_to_read(file, reader.is_memory_out, err);
}

static wrsim_status read_waves(const char *file, int n_wanted, const char *const *wanted,
                               wr_results_part **ret_part, int *ret_n, char **ret_unit,
                               wrsim_error *err)
{
    part_list list = {*ret_part, *ret_n};
    const wrsim_status status =
        read_streams_of(file, WR_HDF5_WAVES, 0, n_wanted, wanted, take_part, &list, err);
    *ret_part = list.part;
    *ret_n = list.n;
    return status < 0 ? status : read_units(file, n_wanted, wanted, ret_unit, err);
}

static int take_events(const wr_stream_rows *rows, int n_wanted, const char *const *wanted,
                       void *to)
{
    wr_results_events *const events = to;
    const size_t n_before = (size_t)events->n_row, n_row = n_before + (size_t)rows->n_row;
    const size_t n = (size_t)n_wanted, n_channel = (size_t)rows->n_channel;
    double *const time_s = realloc(events->time_s, (n_row + 1) * sizeof *time_s);
    events->time_s = time_s ? time_s : events->time_s;
    unsigned char *const is_right = realloc(events->is_right, n_row + 1);
    events->is_right = is_right ? is_right : events->is_right;
    double *const value = realloc(events->value, (n_row * n + 1) * sizeof *value);
    events->value = value ? value : events->value;
    if (!time_s || !is_right || !value)
        return 0;
    for (size_t i = 0; i < (size_t)rows->n_row; i++) {
        time_s[n_before + i] = rows->time_s[i];
        is_right[n_before + i] = rows->kind[i] > 1.5;
        for (size_t k = 0; k < n; k++)
            value[(n_before + i) * n + k] = (double)NAN;
    }
    for (size_t c = 0; c < n_channel; c++) {
        const int k = wr_hdf5_place_of(rows->name[c], n_wanted, wanted);
        for (size_t i = 0; k >= 0 && i < (size_t)rows->n_row; i++)
            value[(n_before + i) * n + (size_t)k] = rows->value[i * n_channel + c];
    }
    events->n_row = (int)n_row;
    return 1;
}

static wrsim_status read_events(const char *file, int n_wanted, const char *const *wanted,
                                wr_results_events *ret, wrsim_error *err)
{
    *ret = (wr_results_events){0};
    const wrsim_status status =
        read_streams_of(file, WR_HDF5_EVENTS, 1, n_wanted, wanted, take_events, ret, err);
    if (status < 0)
        wr_results_events_done(ret);
    return status;
}

static wrsim_status read_log(const char *file, wr_run_log *ret, wrsim_error *err)
{
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    const hid_t handle = wr_hdf5_open_results(file);
    const int has_log = handle >= 0 && H5Lexists(handle, WR_HDF5_EVENT_LOG, H5P_DEFAULT) > 0;
    int is_memory_out = 0;
    const int is_done = has_log && wr_log_hdf5_read(handle, ret, &is_memory_out);
    if (handle >= 0)
        H5Fclose(handle);
    wr_hdf5_quiet_end(&before);
    if (is_done)
        return WRSIM_OK;
    return handle >= 0 && !has_log
               ? wr_results_fail(err, WRSIM_E_IO, file, 0,
                                 "'%s' has no event log; repeat the run with output.log = true",
                                 file)
               : wr_hdf5_fail_to_read(file, is_memory_out, err);
}

static const wr_hdf5_ops ops = {.writer = &wr_hdf5_writer,
                                .read = read_results,
                                .waves = read_waves,
                                .events = read_events,
                                .log = read_log,
                                .leave = leave};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
