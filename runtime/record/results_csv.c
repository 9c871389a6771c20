/* Reads results in CSV format (writer_csv.c), or a table of another program with time in the first column and names in
 * the header. Columns of a table may also be separated by semicolons or tabs. The reader ignores a last line without a newline, because the
 * last number of such a line may lack digits. Versions of wrsim up to 0.1.0 wrote the config and the descriptions of signals as comment lines before the header:
 *
 *     # wrsim 0.2.0
 *     # <each line of the config>
 *     # signal cyl1.p [Pa] pressure
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/record/results_csv.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/unit.h"
#include "runtime/record/csv_description.h"
#include "runtime/record/log_columns.h"
#include "runtime/record/title.h"

static const char SIGNAL_COMMENT[] = "signal ";

static const char KINDS[] = "clr"; /* communication points, left and right limits of events */

typedef struct csv_reader {
    const char *file;
    const char *at, *end; /* unread text */
    int line;             /* number of the last line that the reader has read */
    char separator;       /* between two columns */
    wr_unit_scale to_s;   /* from times in the file to s */
    int has_kind;         /* 1: the second column has the kind of a row */
    const char *kinds;    /* wanted kinds of rows */
    char *kind;           /* [cap_row] kind of each stored row */
    double *row;          /* [cap_row * (1 + n_signal)], row by row */
    int *first;           /* [cap_row] signal of the first cell with a text; -1: none */
    int *line_of;         /* [cap_row] line of each stored row */
    size_t cap_row;
    wr_results *results;
    wr_results_extent extent;
} csv_reader;

static wrsim_status memory_fail(const csv_reader *reader, wrsim_error *err)
{
    wr_results_fail(err, WRSIM_E_MEMORY, reader->file, 0, "out of memory for the results '%s'",
                    reader->file);
    return WRSIM_E_MEMORY;
}

/* Finds the next complete line without its newline. Returns 0 at the end. */
static int next_line(csv_reader *reader, const char **ret_begin, const char **ret_end)
{
    const char *const newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    if (!newline)
        return 0;
    *ret_begin = reader->at;
    *ret_end = newline > reader->at && newline[-1] == '\r' ? newline - 1 : newline;
    reader->at = newline + 1;
    reader->line++;
    return 1;
}

/* Returns the first comma, semicolon or tab of a header outside of quotes; without any of these, a comma. */
static char find_separator(const char *at, const char *end)
{
    int is_quoted = 0;
    for (; at < end; at++)
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (*at == ',' || *at == ';' || *at == '\t'))
            return *at;
    return ',';
}

/* Returns a copy of a header field without quotes, from malloc, and moves *at behind the field's separator. *at becomes NULL after the last
 * field. */
static char *next_field(const char **at, const char *end, char separator)
{
    char *const field = malloc((size_t)(end - *at) + 1);
    if (!field)
        return NULL;
    size_t n = 0;
    int is_quoted = 0;
    const char *c = *at;
    for (; c < end && (is_quoted || *c != separator); c++) {
        if (*c != '"')
            field[n++] = *c;
        else if (is_quoted && c + 1 < end && c[1] == '"')
            field[n++] = *c++;
        else
            is_quoted = !is_quoted;
    }
    field[n] = 0;
    *at = c < end ? c + 1 : NULL;
    return field;
}

static int add_signal(wr_results *results, const char *name, const char *unit)
{
    const size_t n = (size_t)results->n_signal;
    char **const names = realloc(results->name, (n + 1) * sizeof *names);
    if (names)
        results->name = names;
    char **const units = realloc(results->unit, (n + 1) * sizeof *units);
    if (units)
        results->unit = units;
    if (!names || !units)
        return 0;
    names[n] = strdup(name);
    units[n] = strdup(unit);
    results->n_signal++;
    return names[n] && units[n];
}

/* Returns 1 if a line is the head of a table of a config, such as "[simulation]". begin: of a line. Binary files may contain a config. */
static int has_config_line(const char *begin, const char *text_end)
{
    for (const char *end; begin < text_end; begin = end + 1) {
        end = memchr(begin, '\n', (size_t)(text_end - begin));
        if (!end || memchr(begin, '\0', (size_t)(end - begin)))
            return 0;
        const char *last = end;
        while (last > begin && strchr(" \t\r", last[-1]))
            last--;
        if (*begin == '[' && last[-1] == ']')
            return 1;
    }
    return 0;
}

/* Refuses the files of an event log, which are beside the result file. */
static wrsim_status check_no_log(const csv_reader *reader, wrsim_error *err)
{
    static const char *const headers[] = {WR_LOG_CSV_EVENTS, WR_LOG_CSV_WINDOWS};
    const size_t n_text = (size_t)(reader->end - reader->at), n_file = strlen(reader->file);
    for (int i = 0; i < 2; i++) {
        const size_t n_header = strlen(headers[i]);
        if (n_text < n_header || memcmp(reader->at, headers[i], n_header) != 0)
            continue;
        const char *const ending = i == 0 ? WR_LOG_CSV_EVENTS_ENDING : WR_LOG_CSV_WINDOWS_ENDING;
        const size_t n_ending = strlen(ending);
        const int has_name =
            n_file > n_ending && strcmp(reader->file + n_file - n_ending, ending) == 0;
        return wr_results_fail(
            err, WRSIM_E_IO, reader->file, 0,
            "'%s' has the %s of a run, not its results; name the result file "
            "%s%.*s%s",
            reader->file, i == 0 ? "event log" : "window records", has_name ? "'" : "of the run",
            has_name ? (int)(n_file - n_ending) : 0, reader->file, has_name ? ".csv'" : "");
    }
    return WRSIM_OK;
}

/* Refuses a file in which the line at begin is no header. */
static wrsim_status refuse_header(const csv_reader *reader, const char *begin, wrsim_error *err)
{
    if (has_config_line(begin, reader->end))
        return wr_results_fail(err, WRSIM_E_IO, reader->file, 0,
                               "'%s' is a config, not a result file; name the result file of a run",
                               reader->file);
    return wr_results_fail(err, WRSIM_E_IO, reader->file, reader->line,
                           "'%s' is not a result file: line %d must be a header such as "
                           "'time [s],speed [rad/s],pedal', whose first column is 'time', with "
                           "commas, semicolons or tabs between the columns",
                           reader->file, reader->line);
}

static wrsim_status read_header(csv_reader *reader, const char *begin, const char *end,
                                wrsim_error *err)
{
    int i_column = 0, i_unnamed = -1;
    reader->separator = find_separator(begin, end);
    for (const char *at = begin; at; i_column++) {
        char *const field = next_field(&at, end, reader->separator);
        if (!field)
            return memory_fail(reader, err);
        const char *const unit = wr_title_split(field);
        const int is_unnamed = !*field;
        int is_done = 1, is_wrong = 0;
        wr_unit_match match = WR_UNIT_FITS;
        if (i_column == 0) {
            is_wrong = strcmp(field, "time") != 0;
            match = wr_unit_convert(unit, "s", &reader->to_s);
        } else if (i_column == 1 && strcmp(field, "kind") == 0)
            reader->has_kind = 1;
        else
            is_done = add_signal(reader->results, field, unit);
        const int is_no_time = match != WR_UNIT_FITS && !is_wrong;
        if (is_no_time)
            wr_results_fail(
                err, WRSIM_E_IO, reader->file, reader->line,
                "'%s': the column 'time' has the unit '%.40s'; choose s or another unit "
                "of time",
                reader->file, unit);
        free(field);
        if (is_no_time)
            return WRSIM_E_IO;
        if (is_unnamed && i_unnamed >= 0)
            return wr_results_fail(err, WRSIM_E_IO, reader->file, reader->line,
                                   "columns %d and %d of '%s' have no name; name them in the "
                                   "header, or remove them",
                                   i_unnamed + 1, i_column + 1, reader->file);
        if (is_unnamed)
            i_unnamed = i_column;
        if (is_wrong)
            return refuse_header(reader, begin, err);
        if (!is_done)
            return memory_fail(reader, err);
    }
    return WRSIM_OK;
}

/* Stores the comment lines after the first comment line as the config's text, and finds the header. */
static wrsim_status read_comments(csv_reader *reader, const char **ret_begin, const char **ret_end,
                                  wrsim_error *err)
{
    char *const config = malloc((size_t)(reader->end - reader->at) + 1);
    if (!config)
        return memory_fail(reader, err);
    reader->results->config_text = config;
    size_t n_bytes = 0;
    const char *begin, *end;
    for (;;) {
        if (!next_line(reader, &begin, &end))
            return wr_results_fail(
                err, WRSIM_E_IO, reader->file, 0,
                "'%s' is not a result file: it has no header; name a result file", reader->file);
        if (begin == end || *begin != '#')
            break;
        if (reader->line == 1)
            continue;
        const size_t skip = end - begin > 1 && begin[1] == ' ' ? 2 : 1;
        const size_t length = (size_t)(end - begin) - skip;
        memcpy(config + n_bytes, begin + skip, length);
        n_bytes += length;
        config[n_bytes++] = '\n';
    }
    config[n_bytes] = 0;
    *ret_begin = begin;
    *ret_end = end;
    return WRSIM_OK;
}

static wrsim_status make_room(csv_reader *reader, wrsim_error *err)
{
    const size_t n_column = 1 + (size_t)reader->results->n_signal;
    if ((size_t)reader->results->n_row < reader->cap_row)
        return WRSIM_OK;
    const size_t cap = reader->cap_row ? 2 * reader->cap_row : 256;
    if (cap > INT_MAX || cap > SIZE_MAX / 2 / sizeof(double) / n_column)
        return memory_fail(reader, err);
    double *const row = realloc(reader->row, cap * n_column * sizeof *row);
    if (!row)
        return memory_fail(reader, err);
    reader->row = row;
    char *const kind = realloc(reader->kind, cap);
    if (!kind)
        return memory_fail(reader, err);
    reader->kind = kind;
    int *const first = realloc(reader->first, cap * sizeof *first);
    if (!first)
        return memory_fail(reader, err);
    reader->first = first;
    int *const line_of = realloc(reader->line_of, cap * sizeof *line_of);
    if (!line_of)
        return memory_fail(reader, err);
    reader->line_of = line_of;
    reader->cap_row = cap;
    return WRSIM_OK;
}

/* Reads a line of values. Skips rows of unwanted kinds. */
static wrsim_status read_row(csv_reader *reader, const char *begin, const char *end,
                             wrsim_error *err)
{
    const int n_cell = 1 + reader->has_kind + reader->results->n_signal;
    WR_TRY(make_room(reader, err));
    double *const row =
        reader->row + (size_t)reader->results->n_row * (1 + (size_t)reader->results->n_signal);
    int i_value = 0, i_first = -1;
    char kind = 'c';
    const char *cell = begin;
    for (int i = 0; i < n_cell; i++) {
        const char *next = cell ? memchr(cell, reader->separator, (size_t)(end - cell)) : NULL;
        if (!cell || (i == n_cell - 1) != (next == NULL))
            return wr_results_fail(err, WRSIM_E_IO, reader->file, reader->line,
                                   "'%s' line %d must have %d values; correct this line",
                                   reader->file, reader->line, n_cell);
        const char *const cell_end = next ? next : end;
        if (i == 1 && reader->has_kind) {
            kind = cell < cell_end ? *cell : '\0';
            if (cell_end - cell != 1 || !kind || !strchr(KINDS, kind))
                return wr_results_fail(
                    err, WRSIM_E_IO, reader->file, reader->line,
                    "'%s' line %d: the kind of row '%.*s' is unknown; choose c, l or r",
                    reader->file, reader->line, (int)(cell_end - cell < 40 ? cell_end - cell : 40),
                    cell);
            if (!strchr(reader->kinds, kind))
                return WRSIM_OK;
        } else if (cell == cell_end) {
            row[i_value++] = (double)NAN;
        } else if (!wr_number_parse(cell, cell_end, &row[i_value++])) {
            const int has_comma = memchr(cell, ',', (size_t)(cell_end - cell)) != NULL;
            return wr_results_fail(
                err, WRSIM_E_IO, reader->file, reader->line,
                "'%s' line %d: '%.*s' is not a number; %s", reader->file, reader->line,
                (int)(cell_end - cell < 40 ? cell_end - cell : 40), cell,
                has_comma ? "write a point instead of the decimal comma" : "correct this value");
        } else if (i_value > 1 && i_first < 0) {
            i_first = i_value - 2;
        }
        cell = next ? next + 1 : NULL;
    }
    if (!strchr(reader->kinds, kind)) /* a table without kinds has communication points only */
        return WRSIM_OK;
    reader->first[reader->results->n_row] = i_first;
    reader->line_of[reader->results->n_row] = reader->line;
    reader->kind[reader->results->n_row++] = kind;
    return WRSIM_OK;
}

/* Converts the rows at communication points to signals. */
static wrsim_status transpose(const csv_reader *reader, wrsim_error *err)
{
    wr_results *const results = reader->results;
    const size_t n_all = (size_t)results->n_row, n_signal = (size_t)results->n_signal;
    size_t n_row = 0;
    for (size_t i = 0; i < n_all; i++)
        n_row += reader->kind[i] == 'c';
    results->n_row = (int)n_row;
    results->time_s = malloc((n_row + 1) * sizeof *results->time_s);
    results->value = malloc((n_row * n_signal + 1) * sizeof *results->value);
    if (!results->time_s || !results->value)
        return memory_fail(reader, err);
    for (size_t from = 0, i = 0; from < n_all; from++) {
        const double *const row = reader->row + from * (1 + n_signal);
        if (reader->kind[from] != 'c')
            continue;
        results->time_s[i] = wr_unit_apply(reader->to_s, row[0]);
        for (size_t j = 0; j < n_signal; j++)
            results->value[j * n_row + i] = row[1 + j];
        i++;
    }
    return WRSIM_OK;
}

/* Adds a row at an event to the streams of which the row has values. A row without values belongs to the stream of its first cell with a
 * text, or to the only stream. */
static wrsim_status take_event(const csv_reader *reader, size_t i_row, double *value,
                               wrsim_error *err)
{
    wr_results *const results = reader->results;
    const double *const row = reader->row + i_row * (1 + (size_t)results->n_signal);
    int is_taken = 0;
    for (int k = 0; k < results->n_stream; k++) {
        wr_results_stream *const stream = &results->stream[k];
        int has_row = results->n_stream == 1;
        for (int j = 0; j < stream->n_signal; j++) {
            value[j] = row[1 + stream->signal[j]];
            has_row |= !isnan(value[j]) || stream->signal[j] == reader->first[i_row];
        }
        if (has_row && !wr_results_stream_add(stream, wr_unit_apply(reader->to_s, row[0]),
                                              reader->kind[i_row] == 'r', value))
            return memory_fail(reader, err);
        is_taken |= has_row;
    }
    return is_taken || results->n_stream == 0
               ? WRSIM_OK
               : wr_results_fail(err, WRSIM_E_IO, reader->file, reader->line_of[i_row],
                                 "'%s' line %d: the row at an event has no value, so its subsystem "
                                 "is unknown; write nan into a cell of the subsystem, or remove "
                                 "the line",
                                 reader->file, reader->line_of[i_row]);
}

static wrsim_status take_streams(const csv_reader *reader, size_t n_all, wrsim_error *err)
{
    wr_results *const results = reader->results;
    double *const value = malloc(((size_t)results->n_signal + 1) * sizeof *value);
    wrsim_status status =
        value && wr_results_place_streams(results) ? WRSIM_OK : memory_fail(reader, err);
    for (size_t i = 0; status >= 0 && i < n_all; i++)
        if (reader->kind[i] != 'c')
            status = take_event(reader, i, value, err);
    free(value);
    return status;
}

/* Takes the description of signal i from the comment "name [unit] description". */
static wrsim_status take_comment(csv_reader *reader, int i, const char *comment, wrsim_error *err)
{
    wr_results *const r = reader->results;
    const size_t n = strlen(r->name[i]) + strlen(r->unit[i]) + sizeof " [] " - 1;
    if (!r->description || strlen(comment) < n)
        return WRSIM_OK;
    char *const description = strdup(comment + n);
    if (!description)
        return memory_fail(reader, err);
    free(r->description[i]);
    r->description[i] = description;
    return WRSIM_OK;
}

static wrsim_status read_all(csv_reader *reader, wrsim_error *err)
{
    const char *begin = NULL, *end = NULL;
    WR_TRY(check_no_log(reader, err));
    WR_TRY(read_comments(reader, &begin, &end, err));
    WR_TRY(read_header(reader, begin, end, err));
    if (reader->extent == WR_RESULTS_WHOLE && !wr_results_place_texts(reader->results))
        return memory_fail(reader, err);
    /* The last comment lines describe the signals and do not belong to the config's text. */
    char *const config = reader->results->config_text;
    size_t n_bytes = strlen(config);
    for (int i = reader->results->n_signal - 1; i >= 0 && n_bytes > 0; i--) {
        size_t first = n_bytes - 1;
        while (first > 0 && config[first - 1] != '\n')
            first--;
        if (strncmp(config + first, SIGNAL_COMMENT, sizeof SIGNAL_COMMENT - 1) != 0)
            break;
        config[n_bytes - 1] = 0;
        WR_TRY(take_comment(reader, i, config + first + sizeof SIGNAL_COMMENT - 1, err));
        n_bytes = first;
    }
    config[n_bytes] = 0;
    while (next_line(reader, &begin, &end))
        if (begin < end)
            WR_TRY(read_row(reader, begin, end, err));
    return WRSIM_OK;
}

wr_results *wr_results_csv_read(const char *file, const char *text, size_t n_bytes,
                                wr_results_extent extent, const wr_json_tree *description,
                                wrsim_error *err)
{
    const int is_whole = extent == WR_RESULTS_WHOLE;
    csv_reader reader = {.file = file,
                         .at = text,
                         .end = text + n_bytes,
                         .kinds = is_whole ? KINDS : "c",
                         .extent = extent};
    reader.results = calloc(1, sizeof *reader.results);
    wrsim_status status = reader.results ? read_all(&reader, err) : memory_fail(&reader, err);
    const size_t n_all = status >= 0 ? (size_t)reader.results->n_row : 0;
    if (status >= 0)
        status = transpose(&reader, err);
    if (status >= 0 && is_whole)
        status = wr_csv_description_apply(description, file, text, n_bytes, reader.results, err);
    if (status >= 0 && is_whole)
        status = take_streams(&reader, n_all, err);
    if (status < 0)
        wr_results_destroy(&reader.results);
    free(reader.row);
    free(reader.kind);
    free(reader.first);
    free(reader.line_of);
    return reader.results;
}

static wrsim_status take_events(const csv_reader *reader, int n_wanted, const char *const *wanted,
                                wr_results_events *ret, wrsim_error *err)
{
    const size_t n_row = (size_t)reader->results->n_row, n = (size_t)n_wanted;
    const size_t n_column = 1 + (size_t)reader->results->n_signal;
    ret->time_s = malloc((n_row + 1) * sizeof *ret->time_s);
    ret->is_right = malloc(n_row + 1);
    ret->value = malloc((n_row * n + 1) * sizeof *ret->value);
    if (!ret->time_s || !ret->is_right || !ret->value)
        return memory_fail(reader, err);
    ret->n_row = (int)n_row;
    for (size_t i = 0; i < n_row; i++) {
        ret->time_s[i] = wr_unit_apply(reader->to_s, reader->row[i * n_column]);
        ret->is_right[i] = reader->kind[i] == 'r';
    }
    for (size_t j = 0; j < n; j++) {
        const int column = wr_results_find(reader->results, wanted[j]);
        for (size_t i = 0; i < n_row; i++)
            ret->value[i * n + j] =
                column < 0 ? (double)NAN : reader->row[i * n_column + 1 + (size_t)column];
    }
    return WRSIM_OK;
}

wrsim_status wr_results_csv_events(const char *file, const char *text, size_t n_bytes, int n_wanted,
                                   const char *const *wanted, wr_results_events *ret,
                                   wrsim_error *err)
{
    csv_reader reader = {.file = file, .at = text, .end = text + n_bytes, .kinds = "lr"};
    wrsim_status status = WRSIM_E_MEMORY;
    *ret = (wr_results_events){0};
    reader.results = calloc(1, sizeof *reader.results);
    if (!reader.results)
        memory_fail(&reader, err);
    else
        status = read_all(&reader, err);
    if (status >= 0)
        status = take_events(&reader, n_wanted, wanted, ret, err);
    if (status < 0)
        wr_results_events_done(ret);
    wr_results_destroy(&reader.results);
    free(reader.row);
    free(reader.kind);
    free(reader.first);
    free(reader.line_of);
    return status;
}
