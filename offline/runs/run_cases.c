/* Cases: runs as rows of a CSV file. See run_plan.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "offline/runs/csv_cells.h"
#include "offline/runs/run_plan.h"

static const char *trimmed(char *cell)
{
    size_t n = strlen(cell);
    while (n > 0 && strchr(" \t", cell[n - 1]))
        cell[--n] = '\0';
    return cell + strspn(cell, " \t");
}

/* Adds a row of values. A cell is one value, even if it has commas or colons. */
static wrsim_status add_row(wr_run_plan *plan, int first_key, const wr_csv_row *row,
                            wrsim_error *err)
{
    const int n_key = plan->n_key - first_key;
    if (row->n_cell != n_key)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "the row has %d values, the header %d keys; write a value with commas "
                            "in \"...\"",
                            row->n_cell, n_key);
    for (int k = 0; k < n_key; k++) {
        wr_run_key *const key = &plan->key[first_key + k];
        const char *const text = trimmed(row->cell[k]);
        if (!text[0])
            return wr_error_set(err, WRSIM_E_CONFIG, "'%.80s' has no value", key->name);
        if (wr_value_list_add(&key->values, text, (int)strlen(text)) < 0)
            return wr_error_memory(err);
    }
    return WRSIM_OK;
}

/* Adds the keys of the header, without values. */
static wrsim_status add_header(wr_run_plan *plan, const wr_csv_row *row, wrsim_error *err)
{
    const char *const other = row->n_cell == 1 ? strpbrk(trimmed(row->cell[0]), ";\t") : NULL;
    if (other)
        return wr_error_set(err, WRSIM_E_CONFIG, "the header has %s between keys; write commas",
                            *other == ';' ? "';'" : "tabs");
    for (int j = 0; j < row->n_cell; j++) {
        const char *const name = trimmed(row->cell[j]);
        if (wr_run_plan_add_key(plan, name, err) < 0)
            return err->status;
        plan->key[plan->n_key - 1].is_case = 1;
    }
    return WRSIM_OK;
}

static wrsim_status add_all(wr_run_plan *plan, const wr_csv *csv, wrsim_error *err)
{
    const int first_key = plan->n_key;
    if (csv->n_row < 2)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "the file has no cases; write keys in the first row and a case in "
                            "each further row");
    wrsim_status status = add_header(plan, &csv->row[0], err);
    int line = csv->row[0].line;
    for (int i = 1; i < csv->n_row && status == WRSIM_OK; i++) {
        line = csv->row[i].line;
        status = i > WR_RUN_PLAN_RUNS
                     ? wr_error_set(err, WRSIM_E_CONFIG, "there are more than %d cases",
                                    WR_RUN_PLAN_RUNS)
                     : add_row(plan, first_key, &csv->row[i], err);
    }
    if (status < 0)
        err->line = line;
    return status;
}

wrsim_status wr_run_plan_add_cases(wr_run_plan *plan, const char *file, wrsim_error *err)
{
    WR_AUTO_FREE char *const text = wr_run_file_read(file, err);
    if (!text)
        return err->status;
    WR_AUTO(wr_csv_destroy) wr_csv *csv = wr_csv_parse(text, err);
    const wrsim_status status = csv ? add_all(plan, csv, err) : err->status;
    if (status < 0)
        snprintf(err->file, sizeof err->file, "%.*s", (int)sizeof err->file - 1, file);
    return status;
}
