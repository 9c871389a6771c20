/* The row of a run: a table with one row. See run_sweep.h. Thread: one owner. Real-time: no. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"
#include "base/text_file.h"
#include "offline/runs/csv_cells.h"
#include "offline/runs/run_sweep.h"

static void put(wr_text_buffer *header, wr_text_buffer *values, const char *name, const char *value)
{
    wr_text_buffer_cell(header, 0, name);
    wr_text_buffer_cell(values, 0, value);
}

static void put_number(wr_text_buffer *header, wr_text_buffer *values, const char *name,
                       double value)
{
    char text[WR_NUMBER_CAP];
    wr_number_print(value, text);
    put(header, values, name, isnan(value) ? "" : text);
}

/* Returns a value for the table: a plain TOML string loses its quotes, other values are unchanged. */
static const char *shown(const char *value, char *buffer, size_t cap)
{
    const size_t n = strlen(value);
    if (n < 2 || n - 2 >= cap || !strchr("\"'", value[0]) || value[n - 1] != value[0] ||
        memchr(value + 1, value[0], n - 2) || memchr(value, '\\', n))
        return value;
    memcpy(buffer, value + 1, n - 2);
    buffer[n - 2] = '\0';
    return buffer;
}

static int has_signal(const wr_run_results *results)
{
    for (int i = 0; i < results->n; i++)
        if (results->result[i].kind != WR_RUN_STAT)
            return 1;
    return 0;
}

wrsim_status wr_run_row_write(const wr_run_sweep *sweep, int i_run, const wr_run_outcome *outcome,
                              wrsim_error *err)
{
    char path[WR_RUN_PATH_BYTES], text[WR_RUN_PLAN_TEXT_BYTES], why[256];
    WR_AUTO(wr_text_buffer_done) wr_text_buffer header = {0}, values = {0};
    const int is_done = strcmp(outcome->status, "failed") != 0;
    WR_AUTO(wr_json_tree_free)
    wr_json_tree *summary =
        wr_json_tree_load(wr_run_folder_file(&sweep->folder, i_run, "summary.json", path), why);
    wrsim_error without = {0};
    wr_text_buffer_add(&header, "run");
    wr_text_buffer_add(&values, "%d", i_run + 1);
    for (int k = 0; k < sweep->plan.n_key; k++)
        put(&header, &values, sweep->plan.key[k].name,
            shown(wr_run_plan_value(&sweep->plan, i_run, k), text, sizeof text));
    put(&header, &values, "status", outcome->status);
    put_number(&header, &values, "exit_code", outcome->exit_code);
    if (is_done && (!summary || wr_json_tree_number(summary, "is_complete") != 1.0))
        return wr_error_set(err, WRSIM_E_IO,
                            "the summary of the run %s; remove the folder of the run, and repeat "
                            "the command with --resume",
                            summary ? "belongs to an incomplete run" : why);
    if (is_done) {
        char name[16];
        snprintf(name, sizeof name, "result.%s", sweep->format);
        WR_AUTO(wr_results_destroy)
        wr_results *rows =
            wr_results_load(wr_run_folder_file(&sweep->folder, i_run, name, path), err);
        if (!rows)
            return err->status;
        wr_run_results_put(&sweep->results, rows, summary, &header, &values);
        if (rows->n_row > 0) /* `without`: a result is outside of the recorded time */
            (void)wr_run_results_check_times(&sweep->results, rows->time_s[0],
                                             rows->time_s[rows->n_row - 1], &without);
        else if (has_signal(&sweep->results))
            wr_error_set(&without, WRSIM_E_ARG,
                         "the run has recorded no communication point, so the table lacks its "
                         "signals; set output.points = true");
    }
    put_number(&header, &values, "windows", wr_run_stat(summary, "n_window"));
    put_number(&header, &values, "sweeps", wr_run_stat(summary, "n_sweep"));
    const wr_json_tree *const list = wr_json_tree_get(summary, "subsystems");
    double n_rhs = list ? 0.0 : (double)NAN;
    for (const wr_json_tree *item = list ? list->first : NULL; item; item = item->next)
        n_rhs += wr_json_tree_number(item, "n_rhs");
    put_number(&header, &values, "rhs", n_rhs);
    put_number(&header, &values, "error", wr_run_stat(summary, "error_account.error"));
    put_number(&header, &values, "end_s", wr_run_stat(summary, "time_s"));
    put(&header, &values, "message",
        outcome->message && *outcome->message ? outcome->message : without.text);
    put_number(&header, &values, "wall_s", outcome->wall_s);
    wr_text_buffer_add(&header, "\n%s\n", wr_text_buffer_get(&values) ? values.text : "");
    const char *const row = wr_text_buffer_get(&values) ? wr_text_buffer_get(&header) : NULL;
    if (!row)
        return wr_error_memory(err);
    wr_run_folder_file(&sweep->folder, i_run, "row.csv", path);
    const int failure = wr_text_file_write(path, row);
    return failure ? wr_text_file_fail(path, failure, err) : WRSIM_OK;
}
