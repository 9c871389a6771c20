/* Result files for host programs (wrsim/results.h). Thread: one owner per result. Real-time: no. */
#include "wrsim/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "runtime/record/results.h"

struct wrsim_results {
    wr_results *own;
    char *file;
};

/* ---- signals ---- */

wrsim_status wrsim_results_read(const char *file, wrsim_results **ret_results, wrsim_error *err)
{
    if (!file || !ret_results)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_results_read: file or ret_results is NULL; pass both");
    wrsim_results *results = calloc(1, sizeof *results);
    if (!results || !(results->file = strdup(file))) {
        wrsim_results_destroy(&results);
        return wr_error_memory(err);
    }
    wrsim_error why = {0};
    results->own = wr_results_load_whole(file, &why);
    if (!results->own) {
        if (err)
            *err = why;
        wrsim_results_destroy(&results);
        return why.status;
    }
    *ret_results = results;
    return WRSIM_OK;
}

int wrsim_results_signal_count(const wrsim_results *results)
{
    return results ? results->own->n_signal : 0;
}

int wrsim_results_row_count(const wrsim_results *results)
{
    return results ? results->own->n_row : 0;
}

const double *wrsim_results_times(const wrsim_results *results)
{
    return results ? results->own->time_s : NULL;
}

const char *wrsim_results_config(const wrsim_results *results)
{
    if (!results)
        return NULL;
    return results->own->config_text ? results->own->config_text : "";
}

wrsim_status wrsim_results_signal(const wrsim_results *results, int signal,
                                  wrsim_signal *ret_signal)
{
    if (!ret_signal || signal < 0 || signal >= wrsim_results_signal_count(results))
        return WRSIM_E_ARG;
    const wr_results *const own = results->own;
    *ret_signal = (wrsim_signal){.name = own->name[signal],
                                 .unit = own->unit ? own->unit[signal] : "",
                                 .description = own->description ? own->description[signal] : "",
                                 .value = own->value + (size_t)signal * (size_t)own->n_row};
    return WRSIM_OK;
}

wrsim_status wrsim_results_find(const wrsim_results *results, const char *name, int *ret_signal,
                                wrsim_error *err)
{
    if (!results || !name || !ret_signal)
        return wr_error_set(err, WRSIM_E_ARG, "wrsim_results_find: an argument is NULL; pass all");
    const int signal = wr_results_find(results->own, name);
    if (signal < 0) {
        char hint[WR_NAMES_HINT_BYTES];
        union { /* adds const to the names */
            char **own;
            const char *const *read;
        } const names = {results->own->name};
        wr_names_hint(name, names.read, results->own->n_signal, hint);
        return wr_results_fail(err, WRSIM_E_ARG, results->file, 0,
                               "no signal has the name '%.100s'; %s", name, hint);
    }
    *ret_signal = signal;
    return WRSIM_OK;
}

void wrsim_results_destroy(wrsim_results **results)
{
    if (!results || !*results)
        return;
    wr_results_destroy(&(*results)->own);
    free((*results)->file);
    free(*results);
    *results = NULL;
}

/* ---- rows at events ---- */

/* The public rows first, so that a pointer to them is a pointer to the whole. */
typedef struct event_rows {
    wrsim_event_rows shown;
    wr_results_events own;
} event_rows;

wrsim_status wrsim_results_events(const wrsim_results *results, int n, const int *signal,
                                  wrsim_event_rows **ret_rows, wrsim_error *err)
{
    if (!results || !ret_rows || n < 0 || (n > 0 && !signal))
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_results_events: an argument is NULL or negative; pass valid "
                            "arguments");
    const char **const wanted = malloc(((size_t)n + 1) * sizeof *wanted);
    event_rows *const rows = calloc(1, sizeof *rows);
    wrsim_status status = wanted && rows ? WRSIM_OK : wr_error_memory(err);
    for (int i = 0; i < n && status >= 0; i++) {
        if (signal[i] < 0 || signal[i] >= results->own->n_signal)
            status = wr_error_set(err, WRSIM_E_ARG,
                                  "wrsim_results_events: no signal has the index %d; pass an index "
                                  "of wrsim_results_find",
                                  signal[i]);
        else
            wanted[i] = results->own->name[signal[i]];
    }
    if (status >= 0)
        status = wr_results_take_events(results->own, n, wanted, &rows->own, err);
    free(wanted);
    if (status < 0) {
        free(rows);
        return status;
    }
    rows->shown = (wrsim_event_rows){.n_row = rows->own.n_row,
                                     .n_signal = n,
                                     .time_s = rows->own.time_s,
                                     .is_right = rows->own.is_right,
                                     .value = rows->own.value,
                                     .memory = rows};
    *ret_rows = &rows->shown;
    return WRSIM_OK;
}

void wrsim_event_rows_destroy(wrsim_event_rows **rows)
{
    if (!rows || !*rows)
        return;
    event_rows *const whole = (*rows)->memory;
    wr_results_events_done(&whole->own);
    free(whole);
    *rows = NULL;
}

/* ---- comparison ---- */

wrsim_status wrsim_results_compare(const wrsim_results *a, const wrsim_results *b,
                                   wrsim_comparison **ret_comparison, wrsim_error *err)
{
    if (!a || !b || !ret_comparison)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_results_compare: an argument is NULL; pass all");
    wrsim_comparison *const comparison = calloc(1, sizeof *comparison);
    if (!comparison)
        return wr_error_memory(err);
    wr_difference *difference = NULL;
    const int n = wr_results_compare(a->own, b->own, &difference, &comparison->overlap, err);
    if (n < 0) {
        free(comparison);
        return (wrsim_status)n;
    }
    comparison->n_signal = n;
    comparison->difference = comparison->memory = difference;
    *ret_comparison = comparison;
    return WRSIM_OK;
}

void wrsim_comparison_destroy(wrsim_comparison **comparison)
{
    if (!comparison || !*comparison)
        return;
    free((*comparison)->memory);
    free(*comparison);
    *comparison = NULL;
}
