/* Results as text (RFC 4180). The first line is the header, and csv_description.h describes the file beside the text:
 *
 *     time [s],kind,cyl1.p [Pa]
 *     0,c,101325
 *
 * kind is c at communication points, l and r left and right of an event. Rows of an event have values of the event's
 * subsystem only. Numbers have the shortest form that reads back exactly. NaN is an empty cell. If all values of an event are NaN, the first
 * cell of the subsystem is "nan", so that readers find the subsystem.
 *
 * Thread: see writer.h. Real-time: no. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/open_file.h"
#include "base/same_file.h"
#include "runtime/record/csv_description.h"
#include "runtime/record/log_csv.h"
#include "runtime/record/result_file.h"
#include "runtime/record/title.h"
#include "runtime/record/writer_ops.h"

enum {
    WRITE_BYTES = 1 << 16
}; /* bytes of rows that the writer collects before a write() (assumed) */

struct wr_writer {
    char *file;
    int fd;
    char *text;
    size_t n_bytes, cap_bytes;
    int64_t file_bytes;
    int64_t n_row, n_event_row; /* rows in the file */
    int n_stream;
    int *first_channel; /* [n_stream + 1] column of each stream's first channel */
    wr_log_csv log;     /* files beside the result file */
    wr_csv_description description;
    int is_failed, is_memory_out;
};

static void put_bytes(wr_writer *writer, const char *bytes, size_t n_bytes)
{
    if (n_bytes > writer->cap_bytes - writer->n_bytes) {
        size_t cap = writer->cap_bytes;
        while (n_bytes > cap - writer->n_bytes)
            cap = cap ? 2 * cap : 2 * WRITE_BYTES;
        char *const text = realloc(writer->text, cap);
        if (!text) {
            writer->is_memory_out = 1;
            return;
        }
        writer->text = text;
        writer->cap_bytes = cap;
    }
    memcpy(writer->text + writer->n_bytes, bytes, n_bytes);
    writer->n_bytes += n_bytes;
}

static void put(wr_writer *writer, const char *text) { put_bytes(writer, text, strlen(text)); }

static void put_number(wr_writer *writer, double value)
{
    char text[WR_NUMBER_CAP];
    if (!isnan(value))
        put_bytes(writer, text, (size_t)wr_number_print(value, text));
}

static void put_header(wr_writer *writer, const wr_recorder_options *options)
{
    put(writer, "time [s],kind");
    for (int i = 0; i < options->n_stream; i++)
        for (int j = 0; j < options->stream[i].n_channel; j++) {
            wr_text_buffer title = {0};
            wr_title_put(&title, options->stream[i].channel[j].name,
                         options->stream[i].channel[j].unit);
            const char *const text = wr_text_buffer_get(&title);
            writer->is_memory_out |= !text;
            const char *const quote = text && strpbrk(text, ",\"") ? "\"" : "";
            put(writer, ",");
            put(writer, quote);
            for (const char *c = text ? text : ""; *c; c++) {
                put(writer, *c == '"' ? "\"" : "");
                put_bytes(writer, c, 1);
            }
            put(writer, quote);
            wr_text_buffer_done(&title);
        }
    put(writer, "\n");
}

static const char *behind(const char *text, char mark, const char *end)
{
    const char *const found = memchr(text, mark, (size_t)(end - text));
    return found ? found + 1 : end;
}

/* Counts rows in a text of complete rows. */
static void count_rows(wr_writer *writer, size_t n_bytes)
{
    const char *const end = writer->text + n_bytes;
    for (const char *row = writer->text; row < end; row = behind(row, '\n', end)) {
        const char *const kind = behind(row, ',', end);
        if (kind < end)
            *(*kind == 'c' ? &writer->n_row : &writer->n_event_row) += 1;
    }
}

/* Removes an incomplete last row. Another program may read the row as complete, with a wrong number. */
static void cut_half_row(wr_writer *writer, size_t n_written)
{
    while (n_written > 0 && writer->text[n_written - 1] != '\n') {
        n_written--;
        writer->file_bytes--;
    }
    count_rows(writer, n_written);
    wr_csv_description_add(&writer->description, WR_CSV_RESULTS, writer->text, n_written);
    if (ftruncate(writer->fd, writer->file_bytes) != 0)
        return; /* ftruncate() fails for a pipe */
}

static wrsim_status csv_flush(wr_writer *writer, wrsim_error *err)
{
    if (writer->is_memory_out) {
        writer->is_failed = 1;
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory while writing results");
        return WRSIM_E_MEMORY;
    }
    int error_number = 0;
    const size_t n_written =
        wr_open_file_write_all(writer->fd, writer->text, writer->n_bytes, &error_number);
    writer->file_bytes += (int64_t)n_written;
    if (n_written < writer->n_bytes) {
        writer->is_failed = 1;
        cut_half_row(writer, n_written);
        return wr_result_file_fail(writer->file, error_number, NULL, err);
    }
    count_rows(writer, writer->n_bytes);
    wr_csv_description_add(&writer->description, WR_CSV_RESULTS, writer->text, writer->n_bytes);
    writer->n_bytes = 0;
    const wrsim_status status = wr_log_csv_flush(&writer->log, err);
    writer->is_failed = status < 0;
    return status;
}

static wrsim_status end_row(wr_writer *writer, wrsim_error *err)
{
    put(writer, "\n");
    return writer->n_bytes < WRITE_BYTES ? WRSIM_OK : csv_flush(writer, err);
}

static wrsim_status csv_row(wr_writer *writer, double t_s, const double *const *values,
                            wrsim_error *err)
{
    put_number(writer, t_s);
    put(writer, ",c");
    for (int i = 0; i < writer->n_stream; i++)
        for (int j = 0; j < writer->first_channel[i + 1] - writer->first_channel[i]; j++) {
            put(writer, ",");
            if (values[i])
                put_number(writer, values[i][j]);
        }
    return end_row(writer, err);
}

static wrsim_status csv_event(wr_writer *writer, int i_stream, int kind, double t_s,
                              const double *values, wrsim_error *err)
{
    if (i_stream >= writer->n_stream) /* CSV has no waves */
        return WRSIM_OK;
    const int begin = writer->first_channel[i_stream], end = writer->first_channel[i_stream + 1];
    int has_value = 0;
    for (int i = begin; i < end; i++)
        has_value |= !isnan(values[i - begin]);
    put_number(writer, t_s);
    put(writer, kind == WR_RECORD_LEFT ? ",l" : ",r");
    for (int i = 0; i < writer->first_channel[writer->n_stream]; i++) {
        put(writer, i == begin && !has_value ? ",nan" : ",");
        if (i >= begin && i < end)
            put_number(writer, values[i - begin]);
    }
    return end_row(writer, err);
}

static wrsim_status csv_log(wr_writer *writer, int i_log, int kind, double t_s,
                            const double *values, wrsim_error *err)
{
    return wr_log_csv_add(&writer->log, i_log, kind, t_s, values, err);
}

static wrsim_status csv_close(wr_writer **writer_at, wr_recorder_stats *stats, wrsim_error *err)
{
    wr_writer *const writer = *writer_at;
    if (!writer)
        return WRSIM_OK;
    wrsim_status status = WRSIM_OK;
    if (writer->fd >= 0) {
        if (!writer->is_failed)
            status = csv_flush(writer, err);
        if (status == WRSIM_OK && !writer->is_failed)
            status = wr_result_file_check(writer->fd, writer->file, err);
        wr_result_file_release(writer->fd);
        if (close(writer->fd) != 0 && status == WRSIM_OK && !writer->is_failed)
            status = wr_result_file_fail(writer->file, errno, NULL, err);
        stats->file_bytes = writer->file_bytes;
        stats->n_row = writer->n_row;
        stats->n_event_row = writer->n_event_row;
    }
    wr_log_csv_close(&writer->log);
    wr_csv_description_close(&writer->description);
    free(writer->file);
    free(writer->text);
    free(writer->first_channel);
    free(writer);
    *writer_at = NULL;
    return status;
}

/* Removes the description and the log of the results that a run replaces through a link. The new description and log are beside the link. */
static void remove_beside_target(const char *file)
{
    char place[PATH_MAX];
    struct stat about;
    if (lstat(file, &about) != 0 || !S_ISLNK(about.st_mode) || wr_same_file_place(file, place) != 0)
        return;
    wr_csv_description_remove(place);
    wr_log_csv_remove(place);
}

static wr_writer *csv_open(const wr_recorder_options *options, wrsim_error *err)
{
    wrsim_status status = WRSIM_E_MEMORY;
    wr_recorder_stats stats;
    wr_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        goto fail;
    writer->fd = writer->description.fd = writer->log.fd[0] = writer->log.fd[1] = -1;
    writer->n_stream = options->n_stream;
    writer->file = strdup(options->file);
    writer->first_channel = calloc((size_t)options->n_stream + 1, sizeof *writer->first_channel);
    if (!writer->file || !writer->first_channel)
        goto fail;
    for (int i = 0; i < options->n_stream; i++)
        writer->first_channel[i + 1] = writer->first_channel[i] + options->stream[i].n_channel;
    status = wr_log_csv_check(options, err);
    if (status < 0)
        goto fail;
    writer->fd = wr_open_file_write(options->file);
    const int error_number =
        writer->fd < 0 ? errno : wr_result_file_take(writer->fd, options->summary);
    if (error_number != 0) {
        status = wr_result_file_fail(options->file, error_number, NULL, err);
        goto fail;
    }
    struct stat about;
    /* Pipes and devices have no description and no log. */
    const int is_regular = fstat(writer->fd, &about) == 0 && S_ISREG(about.st_mode);
    if (is_regular) {
        remove_beside_target(options->file);
        status = wr_csv_description_open(&writer->description, options, err);
    }
    if (status < 0)
        goto fail;
    put_header(writer, options);
    status = csv_flush(writer, err);
    if (status == WRSIM_OK && is_regular)
        status = wr_log_csv_open(&writer->log, options, &writer->description, err);
    if (status < 0)
        goto fail;
    writer->n_row = writer->n_event_row = 0; /* the header is no row */
    return writer;
fail:
    if (status == WRSIM_E_MEMORY)
        wr_error_set(err, status, "out of memory for the result file '%s'", options->file);
    if (writer)
        writer->is_failed = 1;
    (void)csv_close(&writer, &stats, NULL); /* err is already filled */
    return NULL;
}

const wr_writer_ops wr_writer_csv = {
    .extension = ".csv",
    .help = "text",
    .beside = ".json",
    .beside_kind = WR_OWN_DESCRIPTION,
    .open = csv_open,
    .row = csv_row,
    .event = csv_event,
    .log = csv_log,
    .flush = csv_flush,
    .close = csv_close,
};
