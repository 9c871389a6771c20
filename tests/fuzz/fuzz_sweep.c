/* Fuzz target of the readers of `wrsim sweep`: any bytes give runs or an error with a message.
 *
 * The first byte selects the meaning of the other bytes: C file of cases, D key with its values, R columns of the table, T row of a
 * CSV file, J JSON.
 */
#include <string.h>

#include "base/json_tree.h"
#include "offline/runs/csv_cells.h"
#include "offline/runs/run_plan.h"
#include "offline/runs/run_result.h"

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void check_error(wrsim_status status, const wrsim_error *err)
{
    wr_fuzz_require(status == WRSIM_OK || (err->status == status && err->text[0] != '\0'),
                    "an error without text");
}

/* Each run of the plan has a value for each key, and its text fits the buffer. */
static void check_runs(wr_run_plan *plan)
{
    wrsim_error err = {0};
    const wrsim_status status = wr_run_plan_finish(plan, &err);
    check_error(status, &err);
    char text[WR_RUN_PLAN_TEXT_BYTES];
    for (int i = 0; status == WRSIM_OK && i < plan->n_run; i++) {
        for (int k = 0; k < plan->n_key; k++)
            wr_fuzz_require(wr_run_plan_value(plan, i, k)[0] != '\0', "a value that is empty");
        wr_fuzz_require(strlen(wr_run_plan_text(plan, i, text)) < sizeof text, "a text too long");
    }
}

static void read_cases(const char *path)
{
    wrsim_error err = {0};
    wr_run_plan plan = {.is_paired = 0};
    const wrsim_status status = wr_run_plan_add_cases(&plan, path, &err);
    check_error(status, &err);
    wr_fuzz_require(status == WRSIM_OK || strcmp(err.file, path) == 0, "an error without its file");
    if (status == WRSIM_OK)
        check_runs(&plan);
    wr_run_plan_done(&plan);
}

static void read_values(const char *text)
{
    wrsim_error err = {0};
    wr_run_plan plan = {.is_paired = 0};
    const wrsim_status status = wr_run_plan_add(&plan, text, &err);
    check_error(status, &err);
    if (status == WRSIM_OK)
        check_runs(&plan);
    wr_run_plan_done(&plan);
}

static void read_results(const char *text)
{
    wrsim_error err = {0};
    wr_run_results *const results = malloc(sizeof *results);
    wr_fuzz_require(results != NULL, "memory");
    check_error(wr_run_results_parse(results, text, &err), &err);
    wr_run_results_done(results);
    free(results);
}

static char *write_again(const wr_csv *csv)
{
    wr_text_buffer text = {0};
    for (int i = 0; i < csv->n_row; i++) {
        for (int j = 0; j < csv->row[i].n_cell; j++)
            wr_text_buffer_cell(&text, j == 0, csv->row[i].cell[j]);
        wr_text_buffer_add(&text, "\n");
    }
    char *const copy = strdup(csv->n_row > 0 ? wr_text_buffer_get(&text) : "");
    wr_text_buffer_done(&text);
    return copy;
}

/* A written table reads back, and a second writing gives the same bytes. */
static void read_table(const char *text)
{
    wrsim_error err = {0};
    wr_csv *csv = wr_csv_parse(text, &err);
    check_error(csv ? WRSIM_OK : err.status, &err);
    if (!csv)
        return;
    char *const first = write_again(csv);
    wr_csv *again = wr_csv_parse(first, &err);
    wr_fuzz_require(again != NULL, "a table that is not read back");
    char *const second = write_again(again);
    wr_fuzz_require(strcmp(first, second) == 0, "a table that changes when it is written");
    free(first);
    free(second);
    wr_csv_destroy(&csv);
    wr_csv_destroy(&again);
}

static void read_json(const char *text)
{
    char why[256] = "";
    wr_json_tree *tree = wr_json_tree_parse(text, why);
    wr_fuzz_require(tree || why[0], "an error without text");
    (void)wr_run_stat(tree, "a.b.c");
    wr_json_tree_free(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (n_bytes == 0)
        return 0;
    const wr_fuzz_file file = wr_fuzz_file_open(data + 1, n_bytes - 1);
    char *const text = strndup((const char *)data + 1, n_bytes - 1);
    wr_fuzz_require(text != NULL, "memory");
    switch (data[0]) {
    case 'C':
        read_cases(file.path);
        break;
    case 'D':
        read_values(text);
        break;
    case 'R':
        read_results(text);
        break;
    case 'T':
        read_table(text);
        break;
    case 'J':
        read_json(text);
        break;
    default:
        break;
    }
    free(text);
    wr_fuzz_file_close(&file);
    return 0;
}
