/* The table of a sweep. See run_table.h. Thread: one owner. Real-time: no. */
#include "offline/runs/run_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/number.h"
#include "base/text_file.h"
#include "offline/runs/csv_cells.h"

/* Returns the row of a run: names and values. Returns NULL with err on failure. */
static wr_csv *load_row(const wr_run_sweep *sweep, int i_run, wrsim_error *err)
{
    char path[WR_RUN_PATH_BYTES], number[16];
    wr_run_folder_file(&sweep->folder, i_run, "row.csv", path);
    WR_AUTO_FREE char *const text = wr_run_file_read(path, err);
    wr_csv *csv = text ? wr_csv_parse(text, err) : NULL;
    snprintf(number, sizeof number, "%d", i_run + 1);
    if (csv && csv->n_row == 2 && csv->row[0].n_cell == csv->row[1].n_cell &&
        strcmp(csv->row[0].cell[0], "run") == 0 && strcmp(csv->row[1].cell[0], number) == 0)
        return csv;
    if (csv)
        wr_error_set(err, WRSIM_E_IO,
                     "the file is not the row of a run; remove the file, and repeat the command "
                     "with --resume");
    wr_csv_destroy(&csv);
    snprintf(err->file, sizeof err->file, "%.*s", (int)sizeof err->file - 1, path);
    return NULL;
}

static int find(char *const *name, int n, const char *wanted, int likely)
{
    if (likely < n && strcmp(name[likely], wanted) == 0)
        return likely;
    for (int i = 0; i < n; i++)
        if (strcmp(name[i], wanted) == 0)
            return i;
    return -1;
}

/* Adds the columns that the table lacks, each after its predecessor in the header. Returns 0, or -1 when out of memory. */
static int add_columns(wr_run_table *table, const wr_csv_row *header)
{
    int last = -1;
    for (int j = 0; j < header->n_cell; j++) {
        const int at = find(table->column, table->n_column, header->cell[j], last + 1);
        if (at >= 0) {
            last = at;
            continue;
        }
        char **const grown = realloc(table->column, ((size_t)table->n_column + 1) * sizeof *grown);
        char *const name = grown ? strdup(header->cell[j]) : NULL;
        if (grown)
            table->column = grown;
        if (!name)
            return -1;
        last++;
        memmove(&grown[last + 1], &grown[last], (size_t)(table->n_column - last) * sizeof *grown);
        grown[last] = name;
        table->n_column++;
    }
    return 0;
}

static int add_cells(wr_run_table *table, const wr_csv *csv)
{
    char **const cell = table->cell + (size_t)table->n_row * (size_t)table->n_column;
    for (int j = 0; j < table->n_column; j++) {
        const int at = find(csv->row[0].cell, csv->row[0].n_cell, table->column[j], j);
        cell[j] = strdup(at >= 0 ? csv->row[1].cell[at] : "");
        if (!cell[j])
            return -1;
    }
    table->n_row++;
    return 0;
}

/* Reads the rows of all finished runs. The first call (is_columns 1) collects columns, the second call cells, so that memory contains only
 * the table and one row. */
static int collect(wr_run_table *table, const wr_run_sweep *sweep, int is_columns, wrsim_error *err)
{
    for (int i = 0; i < sweep->plan.n_run; i++) {
        if (!wr_run_folder_is_done(&sweep->folder, i))
            continue;
        WR_AUTO(wr_csv_destroy) wr_csv *csv = load_row(sweep, i, err);
        if (!csv)
            return -1;
        if ((is_columns ? add_columns(table, &csv->row[0]) : add_cells(table, csv)) < 0) {
            wr_error_memory(err);
            return -1;
        }
    }
    return 0;
}

wr_run_table *wr_run_table_load(const wr_run_sweep *sweep, wrsim_error *err)
{
    wr_run_table *table = calloc(1, sizeof *table);
    if (!table) {
        wr_error_memory(err);
        return NULL;
    }
    int failed = collect(table, sweep, 1, err) < 0;
    if (!failed) {
        table->cell =
            calloc((size_t)sweep->plan.n_run * (size_t)table->n_column + 1, sizeof *table->cell);
        if (!table->cell)
            wr_error_memory(err);
        failed = !table->cell || collect(table, sweep, 0, err) < 0;
    }
    if (failed)
        wr_run_table_destroy(&table);
    return table;
}

void wr_run_table_destroy(wr_run_table **table)
{
    if (!table || !*table)
        return;
    for (int j = 0; j < (*table)->n_column; j++)
        free((*table)->column[j]);
    for (size_t i = 0; i < (size_t)(*table)->n_row * (size_t)(*table)->n_column; i++)
        free((*table)->cell[i]);
    free((*table)->column);
    free((*table)->cell);
    free(*table);
    *table = NULL;
}

static void put_line(wr_text_buffer *text, char *const *cell, int n)
{
    for (int j = 0; j < n; j++)
        wr_text_buffer_cell(text, j == 0, cell[j]);
    wr_text_buffer_add(text, "\n");
}

wrsim_status wr_run_table_write(const wr_run_table *table, const wr_run_sweep *sweep,
                                wrsim_error *err)
{
    char path[WR_RUN_PATH_BYTES];
    wr_text_buffer text = {0};
    struct stat about;
    snprintf(path, sizeof path, "%s/table.csv", sweep->folder.path);
    /* unlink() removes a link, because the link's target does not belong to the sweep */
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && unlink(path) != 0)
        return wr_text_file_fail(path, errno, err);
    put_line(&text, table->column, table->n_column);
    for (int i = 0; i < table->n_row; i++)
        put_line(&text, table->cell + (size_t)i * (size_t)table->n_column, table->n_column);
    return wr_text_buffer_write(&text, path, err);
}

void wr_run_table_json(wr_json *json, const wr_run_table *table)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "tool", "wrsim sweep");
    wr_json_array(json, "columns");
    for (int j = 0; j < table->n_column; j++)
        wr_json_string(json, NULL, table->column[j]);
    wr_json_end(json);
    wr_json_array(json, "rows");
    for (int i = 0; i < table->n_row; i++) {
        wr_json_object(json, NULL);
        for (int j = 0; j < table->n_column; j++) {
            const char *const cell = table->cell[(size_t)i * (size_t)table->n_column + (size_t)j];
            double value;
            if (!cell[0])
                wr_json_null(json, table->column[j]);
            else if (wr_number_parse(cell, cell + strlen(cell), &value) && isfinite(value))
                wr_json_number(json, table->column[j], value);
            else
                wr_json_string(json, table->column[j], cell);
        }
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_end(json);
}

const char *wr_run_table_get(const wr_run_table *table, int i_row, const char *column)
{
    const int j = find(table->column, table->n_column, column, 0);
    return j >= 0 ? table->cell[(size_t)i_row * (size_t)table->n_column + (size_t)j] : "";
}
