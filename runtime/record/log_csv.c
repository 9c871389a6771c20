/* Writes the log of a run beside a result file in CSV format. See log_csv.h. Thread: one owner. Real-time: no. */
#include "runtime/record/log_csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "runtime/record/own_file.h"
#include "runtime/record/result_file.h"

enum { EVENTS, WINDOWS, FILES };
/* Bytes of rows that the log collects before a write() (assumed). */
enum { WRITE_BYTES = 1 << 16 };

static const char *const kinds[WR_LOGGED_KIND_COUNT] = {WR_LOGGED_KIND_TEXTS};
static const char *const endings[FILES] = {WR_LOG_CSV_EVENTS_ENDING, WR_LOG_CSV_WINDOWS_ENDING};

char *wr_log_csv_name(const char *file, int i)
{
    const char *const slash = strrchr(file, '/'), *const dot = strrchr(slash ? slash : file, '.');
    const size_t n = dot ? (size_t)(dot - file) : strlen(file), n_ending = strlen(endings[i]);
    char *const name = malloc(n + n_ending + 1);
    if (!name)
        return NULL;
    memcpy(name, file, n);
    memcpy(name + n, endings[i], n_ending + 1);
    return name;
}

static wrsim_status memory_fail(const char *file, wrsim_error *err)
{
    return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the log beside '%s'", file);
}

void wr_log_csv_remove(const char *file)
{
    for (int i = 0; i < FILES; i++) {
        char *const name = wr_log_csv_name(file, i);
        struct stat about;
        if (name && lstat(name, &about) == 0 && S_ISREG(about.st_mode) &&
            !wr_own_file_refusal(name, WR_OWN_LOG))
            unlink(name);
        free(name);
    }
}

static int copy_names(wr_log_names *names, int n, const char *const *text)
{
    names->text = calloc((size_t)n + 1, sizeof *names->text);
    for (int i = 0; names->text && i < n; i++, names->n++)
        if (!(names->text[i] = strdup(text[i])))
            return 0;
    return names->text != NULL;
}

static int copy_items(wr_log_csv *log, const wr_log_info *info)
{
    const char **const text = calloc((size_t)info->n_item + 1, sizeof *text);
    wr_log_names *const lists[] = {&log->item_name, &log->item_type, &log->item_unit};
    int is_done = text != NULL;
    for (int k = 0; is_done && k < 3; k++) {
        for (int i = 0; i < info->n_item; i++) {
            const wr_log_item *const item = &info->item[i];
            text[i] = k == 0 ? item->name : k == 1 ? item->type : item->unit;
        }
        is_done = copy_names(lists[k], info->n_item, text);
    }
    free(text);
    return is_done;
}

static wrsim_status open_one(wr_log_csv *log, int i, wrsim_error *err)
{
    log->fd[i] = wr_open_file_write(log->name[i]);
    const int error_number = log->fd[i] < 0 ? errno : wr_result_file_take(log->fd[i], NULL);
    return error_number == 0 ? WRSIM_OK
                             : wr_result_file_fail(log->name[i], error_number, NULL, err);
}

static void put_headers(wr_log_csv *log)
{
    wr_text_buffer_add(&log->text[EVENTS], WR_LOG_CSV_EVENTS "\n");
    if (log->fd[WINDOWS] < 0)
        return;
    wr_text_buffer_add(&log->text[WINDOWS], WR_LOG_CSV_WINDOWS);
    for (int i = 0; i < log->subsystem.n; i++)
        wr_text_buffer_cell(&log->text[WINDOWS], 0, log->subsystem.text[i]);
    wr_text_buffer_add(&log->text[WINDOWS], "\n");
}

wrsim_status wr_log_csv_check(const wr_recorder_options *options, wrsim_error *err)
{
    wrsim_status status = WRSIM_OK;
    for (int i = 0; i < FILES && options->log && status >= 0; i++) {
        char *const name = wr_log_csv_name(options->file, i);
        const char *const refusal = name ? wr_own_file_refusal(name, WR_OWN_LOG) : NULL;
        if (!name)
            status = memory_fail(options->file, err);
        else if (refusal)
            status = wr_error_set(err, WRSIM_E_CONFIG,
                                  "the log of the run is written to '%s', but this file is not "
                                  "%s; move the file, or set output.log = false",
                                  name, refusal);
        free(name);
    }
    return status;
}

wrsim_status wr_log_csv_open(wr_log_csv *log, const wr_recorder_options *options,
                             wr_csv_description *description, wrsim_error *err)
{
    const wr_log_info *const info = options->log;
    *log = (wr_log_csv){.fd = {-1, -1}, .description = description};
    wr_log_csv_remove(options->file);
    if (!info)
        return WRSIM_OK;
    wrsim_status status = WRSIM_OK;
    if (!(log->name[EVENTS] = wr_log_csv_name(options->file, EVENTS)) ||
        !(log->name[WINDOWS] = wr_log_csv_name(options->file, WINDOWS)) ||
        !copy_names(&log->subsystem, info->n_subsystem, info->subsystem) ||
        !copy_items(log, info) || !copy_names(&log->reason, info->n_reason, info->reason))
        status = memory_fail(options->file, err);
    for (int i = 0; i < FILES && status >= 0; i++)
        if (i == EVENTS || info->has_windows)
            status = open_one(log, i, err);
    if (status >= 0) {
        put_headers(log);
        status = wr_log_csv_flush(log, err);
    }
    if (status < 0)
        wr_log_csv_close(log);
    return status;
}

static const char *text_of(const wr_log_names *names, double i)
{
    return i >= 0.0 ? names->text[(int)i] : "";
}

/* Appends a number as a cell; NaN is an empty cell. */
static void put_number(wr_text_buffer *text, double value)
{
    wr_text_buffer_put(text, ",", 1);
    if (!isnan(value))
        wr_text_buffer_number(text, value);
}

static void add_event(wr_log_csv *log, int i_subsystem, int kind, double t_s, const double *values)
{
    wr_text_buffer *const text = &log->text[EVENTS];
    const double item = values[WR_LOG_ENTRY_ITEM];
    log->n_stop += kind == WR_LOGGED_STOP;
    wr_text_buffer_number(text, t_s);
    put_number(text, (double)(log->n_stop - 1));
    wr_text_buffer_cell(text, 0, log->subsystem.text[i_subsystem]);
    wr_text_buffer_cell(text, 0, kinds[kind]);
    wr_text_buffer_cell(text, 0, text_of(&log->item_type, item));
    wr_text_buffer_cell(text, 0, text_of(&log->item_name, item));
    wr_text_buffer_cell(text, 0, text_of(&log->item_unit, item));
    for (int i = WR_LOG_ENTRY_ROUND; i < WR_LOG_ENTRY_VALUES; i++)
        put_number(text, values[i]);
    wr_text_buffer_put(text, "\n", 1);
}

static void add_window(wr_log_csv *log, double start_s, const double *values)
{
    wr_text_buffer *const text = &log->text[WINDOWS];
    wr_text_buffer_number(text, start_s);
    put_number(text, values[WR_LOG_WINDOW_END]);
    wr_text_buffer_cell(text, 0, text_of(&log->reason, values[WR_LOG_WINDOW_REASON]));
    put_number(text, values[WR_LOG_WINDOW_SWEEPS]);
    put_number(text, values[WR_LOG_WINDOW_CONTRACTION]);
    put_number(text, values[WR_LOG_WINDOW_CHANGE]);
    put_number(text, values[WR_LOG_WINDOW_PREDICTION]);
    wr_text_buffer_cell(text, 0, text_of(&log->subsystem, values[WR_LOG_WINDOW_FAILED]));
    for (int i = 0; i < log->subsystem.n; i++)
        put_number(text, values[WR_LOG_WINDOW_VALUES + i]);
    wr_text_buffer_put(text, "\n", 1);
}

wrsim_status wr_log_csv_add(wr_log_csv *log, int i_log, int kind, double t_s, const double *values,
                            wrsim_error *err)
{
    const int is_window = i_log == log->subsystem.n, i = is_window ? WINDOWS : EVENTS;
    if (log->fd[i] < 0)
        return WRSIM_OK;
    if (is_window)
        add_window(log, t_s, values);
    else
        add_event(log, i_log, kind, t_s, values);
    return log->text[i].n_bytes < WRITE_BYTES ? WRSIM_OK : wr_log_csv_flush(log, err);
}

/* Closes a file. */
static void close_one(wr_log_csv *log, int i)
{
    if (log->fd[i] < 0)
        return;
    wr_result_file_release(log->fd[i]);
    close(log->fd[i]);
    log->fd[i] = -1;
}

/* Writes the rows of a file. Removes an incomplete last row, because another program may read the row as complete. */
static wrsim_status write_one(wr_log_csv *log, int i, wrsim_error *err)
{
    wr_text_buffer *const text = &log->text[i];
    int error_number = 0;
    if (log->fd[i] < 0 || (text->n_bytes == 0 && !text->is_failed))
        return WRSIM_OK;
    if (text->is_failed) {
        close_one(log, i);
        return memory_fail(log->name[i], err);
    }
    const wr_csv_part part = i == EVENTS ? WR_CSV_EVENTS : WR_CSV_WINDOWS;
    size_t n = wr_open_file_write_all(log->fd[i], text->text, text->n_bytes, &error_number);
    if (n == text->n_bytes) {
        wr_csv_description_add(log->description, part, text->text, n);
        wr_text_buffer_done(text);
        return WRSIM_OK;
    }
    const off_t end = lseek(log->fd[i], 0, SEEK_CUR);
    size_t n_half = 0; /* bytes of the incomplete row */
    while (n > n_half && text->text[n - 1 - n_half] != '\n')
        n_half++;
    wr_csv_description_add(log->description, part, text->text, n - n_half);
    if (end >= (off_t)n_half && ftruncate(log->fd[i], end - (off_t)n_half) != 0)
        n_half = 0; /* the failed write is reported */
    close_one(log, i);
    return wr_result_file_fail(log->name[i], error_number, NULL, err);
}

wrsim_status wr_log_csv_flush(wr_log_csv *log, wrsim_error *err)
{
    for (int i = 0; i < FILES; i++)
        WR_TRY(write_one(log, i, err));
    return WRSIM_OK;
}

void wr_log_csv_close(wr_log_csv *log)
{
    wr_log_names *const lists[] = {&log->subsystem, &log->item_name, &log->item_type,
                                   &log->item_unit, &log->reason};
    for (int i = 0; i < FILES; i++) {
        close_one(log, i);
        free(log->name[i]);
        wr_text_buffer_done(&log->text[i]);
    }
    for (size_t k = 0; k < WR_COUNT_OF(lists); k++)
        wr_log_names_done(lists[k]);
    *log = (wr_log_csv){.fd = {-1, -1}};
}
