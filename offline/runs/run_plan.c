/* Keys, values and runs. See run_plan.h. Thread: one owner. Real-time: no. */
#include "offline/runs/run_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/toml_string.h"
#include "offline/runs/csv_cells.h"

/* Keys of the result files that the sweep gives to each run, so the plan must not contain these keys. */
static const char *const own_keys[] = {"output.file", "output.json"};

static wrsim_status check_key(const wr_run_plan *plan, const char *name, wrsim_error *err)
{
    for (size_t i = 0; i < WR_COUNT_OF(own_keys); i++)
        if (strcmp(name, own_keys[i]) == 0)
            return wr_error_set(err, WRSIM_E_ARG,
                                "'%s' cannot be swept, because each run has its results in a "
                                "folder of its own below -o; remove the key",
                                name);
    for (int k = 0; k < plan->n_key; k++)
        if (strcmp(plan->key[k].name, name) == 0)
            return wr_error_set(err, WRSIM_E_ARG,
                                "'%.80s' is given twice; keep one list of its values, such as "
                                "-D %.80s=A,B",
                                name, name);
    if (!name[0])
        return wr_error_set(err, WRSIM_E_ARG,
                            "a key has no name; write a key in each cell of the header");
    if (plan->n_key == WR_RUN_PLAN_KEYS)
        return wr_error_set(err, WRSIM_E_ARG, "the sweep has more than %d keys; remove keys",
                            WR_RUN_PLAN_KEYS);
    return WRSIM_OK;
}

/* Adds a key without values and returns the key; NULL with err on failure. */
static wr_run_key *add_key(wr_run_plan *plan, const char *name, size_t n_byte, wrsim_error *err)
{
    while (n_byte > 0 && strchr(" \t", name[n_byte - 1]))
        n_byte--;
    char *const copy = strndup(name, n_byte);
    if (!copy)
        wr_error_memory(err);
    if (!copy || check_key(plan, copy, err) < 0) {
        free(copy);
        return NULL;
    }
    wr_run_key *const key = &plan->key[plan->n_key++];
    *key = (wr_run_key){.name = copy};
    return key;
}

wrsim_status wr_run_plan_add_key(wr_run_plan *plan, const char *name, wrsim_error *err)
{
    return add_key(plan, name, strlen(name), err) ? WRSIM_OK : err->status;
}

wrsim_status wr_run_plan_add(wr_run_plan *plan, const char *text, wrsim_error *err)
{
    char why[WR_VALUE_LIST_WHY_BYTES];
    text += strspn(text, " \t");
    const char *const equals = text + wr_toml_key_bytes(text);
    if (*equals == '\0' || equals == text)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "'%.80s' is not a key with values; write -D KEY=A,B or -D KEY=START:STEP:STOP", text);
    wr_run_key *const key = add_key(plan, text, (size_t)(equals - text), err);
    if (!key)
        return err->status;
    if (wr_value_list_parse(&key->values, equals + 1, why) < 0)
        return wr_error_set(err, WRSIM_E_ARG, "-D %.80s: %s", key->name, why);
    return WRSIM_OK;
}

const char *wr_run_plan_value(const wr_run_plan *plan, int i_run, int i_key)
{
    const wr_run_key *const key = &plan->key[i_key];
    int i = i_run % plan->n_inner;
    if (key->is_case)
        return key->values.text[i_run / plan->n_inner];
    if (plan->is_paired)
        return key->values.text[key->values.n > 1 ? i : 0];
    for (int k = plan->n_key - 1; k > i_key; k--)
        i /= plan->key[k].is_case ? 1 : plan->key[k].values.n;
    return key->values.text[i % key->values.n];
}

const char *wr_run_plan_text(const wr_run_plan *plan, int i_run,
                             char ret_text[WR_RUN_PLAN_TEXT_BYTES])
{
    size_t n = 0;
    ret_text[0] = '\0';
    for (int k = 0; k < plan->n_key && n < WR_RUN_PLAN_TEXT_BYTES - 1; k++)
        n += (size_t)snprintf(ret_text + n, WR_RUN_PLAN_TEXT_BYTES - n, "%s%s = %s",
                              k > 0 ? ", " : "", plan->key[k].name,
                              wr_run_plan_value(plan, i_run, k));
    return ret_text;
}

/* ---- counting and checking */

static int compare_runs(const void *a, const void *b, void *context)
{
    const wr_run_plan *const plan = context;
    const int i = *(const int *)a, j = *(const int *)b;
    int order = 0;
    for (int k = 0; k < plan->n_key && order == 0; k++)
        order = wr_value_compare(wr_run_plan_value(plan, i, k), wr_run_plan_value(plan, j, k));
    return order;
}

static wrsim_status check_distinct(wr_run_plan *plan, wrsim_error *err)
{
    char text[WR_RUN_PLAN_TEXT_BYTES];
    WR_AUTO_FREE int *const order = malloc((size_t)plan->n_run * sizeof *order);
    if (!order)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d runs", plan->n_run);
    for (int i = 0; i < plan->n_run; i++)
        order[i] = i;
    qsort_r(order, (size_t)plan->n_run, sizeof *order, compare_runs, plan);
    for (int i = 0; i + 1 < plan->n_run; i++)
        if (compare_runs(&order[i], &order[i + 1], plan) == 0)
            return wr_error_set(err, WRSIM_E_ARG,
                                "two runs are equal, %.300s; remove the repeated value or case",
                                wr_run_plan_text(plan, order[i], text));
    return WRSIM_OK;
}

/* Returns the number of runs per case; -1 with err. */
static double count_inner(const wr_run_plan *plan, wrsim_error *err)
{
    double n_run = 1.0;
    const wr_run_key *longest = NULL;
    for (int k = 0; k < plan->n_key; k++) {
        const wr_run_key *const key = &plan->key[k];
        if (key->is_case || key->values.n == 1)
            continue;
        if (plan->is_paired && longest && longest->values.n != key->values.n) {
            wr_error_set(err, WRSIM_E_ARG,
                         "--paired needs lists of equal length: '%.60s' has %d values, '%.60s' has "
                         "%d; add or remove values",
                         longest->name, longest->values.n, key->name, key->values.n);
            return -1.0;
        }
        n_run = plan->is_paired ? key->values.n : n_run * key->values.n;
        longest = key;
    }
    return n_run;
}

wrsim_status wr_run_plan_finish(wr_run_plan *plan, wrsim_error *err)
{
    int n_case = 1;
    for (int k = 0; k < plan->n_key; k++)
        n_case = plan->key[k].is_case ? plan->key[k].values.n : n_case;
    if (plan->n_key == 0)
        return wr_error_set(err, WRSIM_E_ARG,
                            "no key has values; add -D KEY=A,B, -D KEY=START:STEP:STOP or "
                            "--cases FILE.csv");
    const double n_inner = count_inner(plan, err);
    if (n_inner < 0.0)
        return err->status;
    if (n_inner * n_case > WR_RUN_PLAN_RUNS)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "the sweep has %.0f runs, but at most %d are allowed; give fewer values",
            n_inner * n_case, WR_RUN_PLAN_RUNS);
    plan->n_inner = (int)n_inner;
    plan->n_run = plan->n_inner * n_case;
    return check_distinct(plan, err);
}

void wr_run_plan_done(wr_run_plan *plan)
{
    for (int k = 0; k < plan->n_key; k++) {
        free(plan->key[k].name);
        wr_value_list_done(&plan->key[k].values);
    }
    plan->n_key = 0;
}

/* ---- cases: runs as rows of a CSV file ---- */

static const char *trimmed(char *cell)
{
    size_t n = strlen(cell);
    while (n > 0 && strchr(" \t", cell[n - 1]))
        cell[--n] = '\0';
    return cell + strspn(cell, " \t");
}

/* Adds a row of values. A cell is one value, even if the cell has commas or colons. Returns WRSIM_OK, or a negative status with err. */
static wrsim_status add_row(wr_run_plan *plan, int first_key, const wr_csv_row *row,
                            wrsim_error *err)
{
    const int n_key = plan->n_key - first_key;
    if (row->n_cell != n_key)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "the row has %d values, the header %d keys; write one value per key, a "
                            "value with commas in \"...\"",
                            row->n_cell, n_key);
    for (int k = 0; k < n_key; k++) {
        wr_run_key *const key = &plan->key[first_key + k];
        const char *const text = trimmed(row->cell[k]);
        if (!text[0])
            return wr_error_set(err, WRSIM_E_CONFIG, "'%.80s' has no value; add one", key->name);
        if (wr_value_list_add(&key->values, text, (int)strlen(text)) < 0)
            return wr_error_memory(err);
    }
    return WRSIM_OK;
}

/* Adds the keys of the header, without values. Returns WRSIM_OK, or a negative status with err. */
static wrsim_status add_header(wr_run_plan *plan, const wr_csv_row *row, wrsim_error *err)
{
    const char *const other = row->n_cell == 1 ? strpbrk(trimmed(row->cell[0]), ";\t") : NULL;
    if (other)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "the header has %s between keys; write commas in all rows",
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
        status =
            i > WR_RUN_PLAN_RUNS
                ? wr_error_set(err, WRSIM_E_CONFIG,
                               "the file has more than %d cases; divide the file", WR_RUN_PLAN_RUNS)
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
