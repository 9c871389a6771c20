/* Reads the log of a run beside a result file in CSV format. See log_csv.h. Thread: one owner. Real-time: no. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/number.h"
#include "base/open_file.h"
#include "runtime/record/log_csv.h"
#include "runtime/record/results_read.h"

/* Texts of a row of the events. */
enum { SUBSYSTEM, TYPE, ITEM, UNIT, TEXTS };

typedef struct row {
    const char *text[TEXTS];
    int i; /* number of the row */
} row;

/* The text of a file, which the reader divides into cells in place. */
typedef struct reader {
    const char *file;
    char *text, *at, *end;
    int line, n_row; /* present line; complete lines after the header */
    wrsim_error *err;
} reader;

static wrsim_status memory_fail(const reader *r)
{
    return wr_results_fail(r->err, WRSIM_E_MEMORY, r->file, 0, "out of memory for the log '%s'",
                           r->file);
}

static wrsim_status line_fail(const reader *r, const char *what)
{
    return wr_results_fail(r->err, WRSIM_E_IO, r->file, r->line,
                           "'%s' line %d %s; repeat the run that wrote the log", r->file, r->line,
                           what);
}

/* Returns the number of complete lines after the header. */
static int count_lines(const reader *r)
{
    int n = -1;
    for (const char *c = r->text; (c = memchr(c, '\n', (size_t)(r->end - c))) != NULL; c++)
        n += n < INT_MAX;
    return n > 0 ? n : 0;
}

/* Reads a file of the log, and checks its check sum and that its first line begins with a header. */
static wrsim_status open_text(reader *r, const char *header, const wr_json_tree *description,
                              wr_csv_part part)
{
    wr_text_buffer text = {0};
    FILE *const stream = wr_open_file_read(r->file);
    char *at = NULL;
    do {
        at = stream ? wr_text_buffer_room(&text, 1 << 16) : NULL;
        text.n_bytes += at ? fread(at, 1, 1 << 16, stream) : 0;
    } while (at && !feof(stream) && !ferror(stream));
    const int is_bad = !stream || ferror(stream);
    const size_t n_bytes = text.n_bytes;
    if (is_bad)
        wr_results_fail(r->err, WRSIM_E_IO, r->file, 0,
                        "the event log '%s' cannot be read: %s; repeat the run into an .h5 or "
                        ".csv file with output.log = true",
                        r->file, strerror(errno));
    if (stream)
        fclose(stream);
    r->text = is_bad || !at ? NULL : wr_text_buffer_take(&text);
    wr_text_buffer_done(&text);
    if (is_bad || !r->text)
        return is_bad ? WRSIM_E_IO : memory_fail(r);
    r->at = r->text;
    r->end = r->text + n_bytes;
    r->line = 1;
    r->n_row = count_lines(r);
    WR_TRY(wr_csv_description_check_log(description, part, r->file, r->text, n_bytes, r->err));
    const size_t n_header = strlen(header);
    return n_bytes >= n_header && memcmp(r->text, header, n_header) == 0
               ? WRSIM_OK
               : line_fail(r, "is not the header of a log of wrsim");
}

/* Returns the next cell, without quotes, or NULL without a complete cell. *ret_is_last: the cell ends a line. */
static const char *next_cell(reader *r, int *ret_is_last)
{
    char *const begin = r->at, *to = r->at;
    int is_quoted = 0;
    char *c = r->at;
    for (; c < r->end && (is_quoted || (*c != ',' && *c != '\n')); c++) {
        if (*c != '"')
            *to++ = *c;
        else if (is_quoted && c + 1 < r->end && c[1] == '"')
            *to++ = *c++;
        else
            is_quoted = !is_quoted;
    }
    if (c == r->end) /* a row without an end */
        return NULL;
    *ret_is_last = *c == '\n';
    *to = '\0';
    r->at = c + 1;
    r->line += *ret_is_last;
    return begin;
}

static int read_number(const char *cell, double *ret_value)
{
    *ret_value = (double)NAN;
    return *cell == '\0' || wr_number_parse(cell, cell + strlen(cell), ret_value);
}

/* Returns the index of a name, which the list adopts if the list lacks the name; -1: out of memory. *hint: last result. */
static int intern(wr_log_names *names, const char *text, int *hint)
{
    if (*hint < names->n && strcmp(names->text[*hint], text) == 0)
        return *hint;
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->text[i], text) == 0)
            return *hint = i;
    char **const grown = realloc(names->text, ((size_t)names->n + 1) * sizeof *grown);
    names->text = grown ? grown : names->text;
    if (!grown || !(names->text[names->n] = strdup(text)))
        return -1;
    return *hint = names->n++;
}

static int compare_rows(const void *a_at, const void *b_at)
{
    const row *const a = a_at, *const b = b_at;
    int order = 0;
    for (int k = 0; k < TEXTS && order == 0; k++)
        order = strcmp(a->text[k], b->text[k]);
    return order != 0 ? order : a->i - b->i;
}

static int add_name(wr_log_names *names, const char *text)
{
    char **const grown = realloc(names->text, ((size_t)names->n + 1) * sizeof *grown);
    if (!grown)
        return 0;
    names->text = grown;
    if (!(names->text[names->n] = strdup(text)))
        return 0;
    names->n++;
    return 1;
}

/* Makes the list of items, and sets the column of items. Sorts the rows by their texts. */
static int make_items(wr_run_log *log, row *rows, int n)
{
    qsort(rows, (size_t)n, sizeof *rows, compare_rows);
    for (int i = 0; i < n; i++) {
        int is_same = i > 0;
        for (int k = 0; k < TEXTS && is_same; k++)
            is_same = strcmp(rows[i].text[k], rows[i - 1].text[k]) == 0;
        const int is_new = rows[i].text[ITEM][0] != '\0' && !is_same;
        if (is_new && !(add_name(&log->item_name, rows[i].text[ITEM]) &&
                        add_name(&log->item_type, rows[i].text[TYPE]) &&
                        add_name(&log->item_unit, rows[i].text[UNIT])))
            return 0;
        log->event.column[WR_EVENT_ITEM][rows[i].i] =
            rows[i].text[ITEM][0] ? log->item_name.n - 1 : -1;
    }
    return 1;
}

static const char *const kinds[WR_LOGGED_KIND_COUNT] = {WR_LOGGED_KIND_TEXTS};

static int kind_of(const char *text)
{
    for (int i = 0; i < WR_LOGGED_KIND_COUNT; i++)
        if (strcmp(kinds[i], text) == 0)
            return i;
    return -1;
}

/* Columns of the file: numbers go to a column of the table, texts to a row's text. */
static const struct {
    int column, text;
} cells[] = {{WR_EVENT_TIME, -1},
             {WR_EVENT_STOP, -1},
             {-1, SUBSYSTEM},
             {WR_EVENT_KIND, -1},
             {-1, TYPE},
             {-1, ITEM},
             {-1, UNIT},
             {WR_EVENT_ROUND, -1},
             {WR_EVENT_DIRECTION, -1},
             {WR_EVENT_BEFORE, -1},
             {WR_EVENT_AFTER, -1}};

static wrsim_status read_events(reader *r, wr_run_log *log)
{
    const int n = r->n_row, n_cell = (int)WR_COUNT_OF(cells);
    r->at = memchr(r->text, '\n', (size_t)(r->end - r->text));
    row *const rows = calloc((size_t)n + 1, sizeof *rows);
    wrsim_status status = WRSIM_OK;
    int hint = 0, i = 0;
    if (!r->at || !rows || !wr_log_table_place(&log->event, WR_EVENT_COLUMNS, n, 1)) {
        free(rows);
        return r->at ? memory_fail(r) : line_fail(r, "has no end");
    }
    r->at++;
    for (; i < n && status >= 0; i++) {
        rows[i].i = i;
        for (int k = 0, is_last = 0; k < n_cell && status >= 0; k++) {
            const char *const cell = next_cell(r, &is_last);
            if (!cell || is_last != (k == n_cell - 1))
                status = line_fail(r, "has another number of cells than the header");
            else if (cells[k].text >= 0)
                rows[i].text[cells[k].text] = cell;
            else if (cells[k].column == WR_EVENT_KIND)
                log->event.column[WR_EVENT_KIND][i] = kind_of(cell);
            else if (!read_number(cell, &log->event.column[cells[k].column][i]))
                status = line_fail(r, "has a cell that is not a number");
        }
        const int subsystem =
            status < 0 ? 0 : intern(&log->subsystem, rows[i].text[SUBSYSTEM], &hint);
        log->event.column[WR_EVENT_SUBSYSTEM][i] = subsystem;
        status = subsystem < 0 ? memory_fail(r) : status;
    }
    if (status >= 0 && !make_items(log, rows, n))
        status = memory_fail(r);
    free(rows);
    return status;
}

/* Reads the header of the windows: the names of the subsystems follow the fixed columns. */
static wrsim_status read_window_header(reader *r, wr_log_names *subsystem)
{
    static const char *const header = WR_LOG_CSV_WINDOWS;
    int is_last = 0;
    for (const char *c = header; c; c = strchr(c + 1, ','))
        if (!next_cell(r, &is_last))
            return line_fail(r, "has no end");
    while (!is_last) {
        const char *const cell = next_cell(r, &is_last);
        if (!cell)
            return line_fail(r, "has no end");
        if (!add_name(subsystem, cell))
            return memory_fail(r);
    }
    return WRSIM_OK;
}

static wrsim_status read_windows(reader *r, wr_run_log *log)
{
    static const int columns[] = {WR_WINDOW_START,       WR_WINDOW_END,   WR_WINDOW_REASON,
                                  WR_WINDOW_SWEEP_COUNT, WR_WINDOW_RATE,  WR_WINDOW_CHANGE,
                                  WR_WINDOW_PREDICTION,  WR_WINDOW_FAILED};
    enum { FIXED = WR_COUNT_OF(columns) };
    const int n = r->n_row, n_subsystem = log->subsystem.n;
    if (!wr_log_table_place(&log->window, WR_WINDOW_COLUMNS, n, n_subsystem) ||
        !add_name(&log->reason, "accepted"))
        return memory_fail(r);
    int hint = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0, is_last = 0; k < FIXED + n_subsystem; k++) {
            const char *const cell = next_cell(r, &is_last);
            if (!cell || is_last != (k == FIXED + n_subsystem - 1))
                return line_fail(r, "has another number of cells than the header");
            double value = -1.0;
            if (k < FIXED && columns[k] == WR_WINDOW_REASON)
                value = intern(&log->reason, cell, &hint);
            else if (k < FIXED && columns[k] == WR_WINDOW_FAILED) {
                for (int j = 0; j < n_subsystem; j++)
                    value = strcmp(log->subsystem.text[j], cell) == 0 ? j : value;
            } else if (!read_number(cell, &value))
                return line_fail(r, "has a cell that is not a number");
            if (k < FIXED)
                log->window.column[columns[k]][i] = value;
            else
                log->window.column[WR_WINDOW_INTEGRATIONS]
                                  [(size_t)i * (size_t)n_subsystem + (size_t)(k - FIXED)] = value;
        }
    return WRSIM_OK;
}

wrsim_status wr_log_csv_read(const char *file, wr_run_log *ret, wrsim_error *err)
{
    FILE *const result = wr_open_file_read(file);
    if (!result)
        return wr_results_fail(err, WRSIM_E_IO, file, 0,
                               "results '%s' cannot be read: %s; check the path and its "
                               "permissions",
                               file, strerror(errno));
    fclose(result);
    /* The description precedes the log, which may grow. */
    WR_AUTO(wr_json_tree_free) wr_json_tree *description = NULL;
    WR_TRY(wr_csv_description_load(file, &description, err));
    char *const name[] = {wr_log_csv_name(file, 0), wr_log_csv_name(file, 1)};
    reader events = {.file = name[0], .err = err}, windows = {.file = name[1], .err = err};
    wrsim_status status = name[0] && name[1]
                              ? WRSIM_OK
                              : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for a log");
    FILE *const stream = status >= 0 ? fopen(name[1], "re") : NULL;
    const int has_windows = stream || wr_csv_description_has(description, WR_CSV_WINDOWS);
    if (stream)
        fclose(stream);
    if (status >= 0)
        status = open_text(&events, WR_LOG_CSV_EVENTS, description, WR_CSV_EVENTS);
    if (status >= 0 && has_windows)
        status = open_text(&windows, WR_LOG_CSV_WINDOWS, description, WR_CSV_WINDOWS);
    if (status >= 0 && has_windows)
        status = read_window_header(&windows, &ret->subsystem);
    if (status >= 0)
        status = read_events(&events, ret);
    if (status >= 0 && has_windows)
        status = read_windows(&windows, ret);
    free(events.text);
    free(windows.text);
    free(name[0]);
    free(name[1]);
    return status;
}
