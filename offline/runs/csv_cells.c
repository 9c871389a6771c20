/* CSV to cells and back. See csv_cells.h. Thread: one owner. Real-time: no. */
#include "offline/runs/csv_cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/open_file.h"

enum { MAX_BYTES = 16 * 1024 * 1024 }; /* largest size of a file (assumed) */

char *wr_run_file_read(const char *file, wrsim_error *err)
{
    const wr_where where = {.file = file};
    FILE *const in = wr_open_file_read(file);
    if (!in) {
        wr_error_set_at(err, WRSIM_E_IO, &where,
                        "the file cannot be opened: %s; check the path and its permissions",
                        strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t n = 0, cap = 4096;
    int error_number = 0;
    while (error_number == 0 && !feof(in) && n <= MAX_BYTES) {
        cap *= 2;
        char *const grown = realloc(text, cap);
        text = grown ? grown : text;
        error_number = grown ? 0 : ENOMEM;
        if (grown)
            n += fread(text + n, 1, cap - 1 - n, in);
        if (ferror(in))
            error_number = errno;
    }
    fclose(in);
    if (error_number == 0 && n <= MAX_BYTES) {
        text[n] = '\0';
        if (strlen(text) == n)
            return text;
    }
    free(text);
    wr_error_set_at(err, WRSIM_E_IO, &where, "the file %s%s; name a %s file",
                    error_number    ? "cannot be read: "
                    : n > MAX_BYTES ? "is larger than 16 MiB"
                                    : "contains a NUL character",
                    error_number ? strerror(error_number) : "", n > MAX_BYTES ? "smaller" : "text");
    return NULL;
}

/* Returns the list of n items with room for one more item; the capacity doubles. Returns NULL when out of memory. */
static void *grow(void *list, int n, size_t bytes)
{
    const int is_full = (n & (n - 1)) == 0; /* n is 0 or a power of two */
    return is_full ? realloc(list, (size_t)(n > 0 ? 2 * n : 1) * bytes) : list;
}

/* Returns the end of the cell that begins at `from`, and sets *ret_is_open to 1 after an unclosed quote. */
static const char *cell_end(const char *from, int *ret_is_open)
{
    int is_quoted = *from == '"';
    const char *at = from + is_quoted;
    for (; *at && (is_quoted || !strchr(",\r\n", *at)); at++)
        if (*at == '"' && is_quoted && at[1] == '"')
            at++;
        else if (*at == '"' && is_quoted)
            is_quoted = 0;
    *ret_is_open = is_quoted;
    return at;
}

static int take_row(wr_csv_row *row, const char **at, int *line, int *ret_is_open)
{
    *row = (wr_csv_row){.line = *line};
    for (int is_more = 1; is_more;) {
        char **const cells = grow(row->cell, row->n_cell, sizeof *cells);
        if (!cells)
            return -1;
        row->cell = cells;
        const char *from = *at, *const end = cell_end(from, ret_is_open);
        char *const cell = malloc((size_t)(end - from) + 1);
        const int has_quotes = *from == '"';
        size_t n = 0;
        if (!cell)
            return -1;
        for (from += has_quotes; from < end; from++) {
            *line += *from == '\n';
            if (has_quotes && *from == '"' && from[1] != '"')
                continue; /* the closing quote */
            from += has_quotes && *from == '"';
            cell[n++] = *from;
        }
        cell[n] = '\0';
        *at = end;
        cells[row->n_cell++] = cell;
        is_more = **at == ',';
        *at += is_more;
    }
    return 0;
}

wr_csv *wr_csv_parse(const char *text, wrsim_error *err)
{
    wr_csv *csv = calloc(1, sizeof *csv);
    const char *at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    int is_open = 0, is_short = !csv;
    for (int line = 1; *at && !is_short && !is_open;) {
        if (*at == '\r' || *at == '\n') {
            line += *at++ == '\n';
            continue;
        }
        wr_csv_row *const rows = grow(csv->row, csv->n_row, sizeof *rows);
        is_short = !rows;
        if (is_short)
            break;
        csv->row = rows;
        is_short = take_row(&rows[csv->n_row++], &at, &line, &is_open) < 0;
    }
    if (!is_short && !is_open)
        return csv;
    const int line = csv && csv->n_row > 0 ? csv->row[csv->n_row - 1].line : 0;
    wr_error_set(err, is_open ? WRSIM_E_CONFIG : WRSIM_E_MEMORY, "%s",
                 is_open ? "a quote is not closed; add the closing quote" : "out of memory");
    if (err && is_open)
        err->line = line;
    wr_csv_destroy(&csv);
    return NULL;
}

void wr_csv_destroy(wr_csv **csv)
{
    if (!csv || !*csv)
        return;
    for (int i = 0; i < (*csv)->n_row; i++) {
        for (int j = 0; j < (*csv)->row[i].n_cell; j++)
            free((*csv)->row[i].cell[j]);
        free((*csv)->row[i].cell);
    }
    free((*csv)->row);
    free(*csv);
    *csv = NULL;
}
