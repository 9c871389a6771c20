/* Results of a run for the table. See run_result.h. Thread: one owner. Real-time: no. */
#include "offline/runs/run_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/diag.h"
#include "base/names.h"
#include "base/number.h"
#include "offline/runs/csv_cells.h"
#include "offline/runs/value_list.h"

/* ---- parsing */

static const struct {
    const char *prefix;
    wr_run_result_kind kind;
} kinds[] = {{"final:", WR_RUN_FINAL}, {"max:", WR_RUN_MAX}, {"min:", WR_RUN_MIN},
             {"mean:", WR_RUN_MEAN},   {"at:", WR_RUN_AT},   {"stat:", WR_RUN_STAT}};

/* Returns the length of the text before the name, and sets the kind. For an invalid time, returns the length of the whole text. */
static size_t read_prefix(wr_run_result *r, const char *text)
{
    for (size_t i = 0; i < WR_COUNT_OF(kinds); i++) {
        const size_t n = strlen(kinds[i].prefix);
        if (strncmp(text, kinds[i].prefix, n) != 0)
            continue;
        r->kind = kinds[i].kind;
        const char *const colon = r->kind == WR_RUN_AT ? strchr(text + n, ':') : NULL;
        if (r->kind != WR_RUN_AT)
            return n;
        const int has_time =
            colon && wr_number_parse(text + n, colon, &r->at_s) && isfinite(r->at_s);
        return has_time ? (size_t)(colon - text) + 1 : strlen(text);
    }
    return 0;
}

static wrsim_status add(wr_run_results *results, const char *text, wrsim_error *err)
{
    if (results->n == WR_RUN_RESULTS)
        return wr_error_set(err, WRSIM_E_ARG, "--results has more than %d entries; remove entries",
                            WR_RUN_RESULTS);
    wr_run_result *const r = &results->result[results->n];
    *r = (wr_run_result){.kind = WR_RUN_FINAL};
    const size_t n = read_prefix(r, text);
    if (!text[n] || strchr(text + n, ':'))
        return wr_error_set(err, WRSIM_E_ARG,
                            "--results: '%.80s' is invalid; write NAME, max:NAME, min:NAME, "
                            "mean:NAME, at:T:NAME or stat:PATH",
                            text);
    r->prefix = strndup(text, n);
    r->name = strdup(text + n);
    results->n++;
    for (int i = 0; i < results->n - 1 && r->prefix && r->name; i++)
        if (strcmp(results->result[i].prefix, r->prefix) == 0 &&
            strcmp(results->result[i].name, r->name) == 0)
            return wr_error_set(err, WRSIM_E_ARG, "--results has '%.80s' twice; remove one of them",
                                text);
    return r->prefix && r->name ? WRSIM_OK : wr_error_memory(err);
}

wrsim_status wr_run_results_parse(wr_run_results *results, const char *list, wrsim_error *err)
{
    *results = (wr_run_results){.n = 0};
    if (!list)
        return add(results, "*", err);
    wrsim_error why;
    WR_AUTO(wr_csv_destroy) wr_csv *csv = wr_csv_parse(list, &why);
    if (!csv)
        return wr_error_set(err, why.status == WRSIM_E_MEMORY ? WRSIM_E_MEMORY : WRSIM_E_ARG,
                            "--results: %s", why.text);
    wrsim_status status = csv->n_row > 0 ? WRSIM_OK : add(results, "", err);
    for (int i = 0; i < csv->n_row; i++)
        for (int j = 0; j < csv->row[i].n_cell && status == WRSIM_OK; j++)
            status = add(results, csv->row[i].cell[j], err);
    return status;
}

void wr_run_results_done(wr_run_results *results)
{
    for (int i = 0; i < results->n; i++) {
        free(results->result[i].prefix);
        free(results->result[i].name);
    }
    results->n = 0;
}

/* Returns 1 if one of n signals has exactly the name of a result. The name is then no pattern. */
static int is_name(const wr_run_result *r, int n, const char *const *name)
{
    for (int k = 0; k < n; k++)
        if (strcmp(r->name, name[k]) == 0)
            return 1;
    return 0;
}

static int matches(const wr_run_result *r, int is_exact, const char *name)
{
    return is_exact ? strcmp(r->name, name) == 0 : wr_names_match(r->name, name);
}

/* Refuses two patterns with one prefix and a common signal, which would give equal columns. Returns WRSIM_OK, or WRSIM_E_ARG with err. */
static wrsim_status check_overlap(const wr_run_results *results, int n, const char *const *name,
                                  wrsim_error *err)
{
    for (int i = 1; i < results->n; i++)
        for (int j = 0; j < i; j++) {
            const wr_run_result *const a = &results->result[j], *const b = &results->result[i];
            if (a->kind == WR_RUN_STAT || strcmp(a->prefix, b->prefix) != 0)
                continue;
            const int is_a = is_name(a, n, name), is_b = is_name(b, n, name);
            for (int k = 0; k < n; k++)
                if (matches(a, is_a, name[k]) && matches(b, is_b, name[k]))
                    return wr_error_set(
                        err, WRSIM_E_ARG,
                        "--results: '%s%.80s' and '%s%.80s' both match '%.80s'; remove one of them",
                        a->prefix, a->name, b->prefix, b->name, name[k]);
        }
    return WRSIM_OK;
}

wrsim_status wr_run_results_check_times(const wr_run_results *results, double start_s,
                                        double stop_s, wrsim_error *err)
{
    for (int i = 0; i < results->n; i++) {
        const wr_run_result *const r = &results->result[i];
        const int is_in = (r->at_s >= start_s || wr_time_close(r->at_s, start_s)) &&
                          (r->at_s <= stop_s || wr_time_close(r->at_s, stop_s));
        if (r->kind == WR_RUN_AT && !is_in)
            return wr_error_set(
                err, WRSIM_E_ARG,
                "--results: '%s%.80s' is outside of the run, %.9g s to %.9g s; choose another time",
                r->prefix, r->name, start_s, stop_s);
    }
    return WRSIM_OK;
}

wrsim_status wr_run_results_check(const wr_run_results *results, int n, const char *const *name,
                                  wrsim_error *err)
{
    char hint[WR_NAMES_HINT_BYTES];
    for (int i = 0; i < results->n; i++) {
        const wr_run_result *const r = &results->result[i];
        int has = r->kind == WR_RUN_STAT;
        for (int k = 0; k < n && !has; k++)
            has = wr_names_match(r->name, name[k]);
        if (!has)
            return wr_error_set(
                err, WRSIM_E_ARG,
                "--results: signal '%.80s' is not recorded (output.signals); %.300s", r->name,
                wr_names_hint(r->name, name, n, hint));
    }
    return check_overlap(results, n, name, err);
}

/* ---- numbers of the summary */

double wr_run_stat(const wr_json_tree *summary, const char *path)
{
    char part[128];
    for (const char *at = path; summary && at;) {
        const size_t n = strcspn(at, ".");
        if (n >= sizeof part)
            return (double)NAN;
        snprintf(part, sizeof part, "%.*s", (int)n, at);
        if (summary->kind == WR_JSON_TREE_ARRAY) {
            const wr_json_tree *item = summary->first;
            while (item && strcmp(wr_json_tree_string(item, "name"), part) != 0)
                item = item->next;
            summary = item;
        } else
            summary = wr_json_tree_get(summary, part);
        at = at[n] ? at + n + 1 : NULL;
    }
    return summary && summary->kind == WR_JSON_TREE_NUMBER ? summary->number : (double)NAN;
}

wrsim_status wr_run_results_check_stats(const wr_run_results *results, const wr_json_tree *summary,
                                        wrsim_error *err)
{
    for (int i = 0; i < results->n; i++)
        if (results->result[i].kind == WR_RUN_STAT &&
            isnan(wr_run_stat(summary, results->result[i].name)))
            return wr_error_set(err, WRSIM_E_ARG,
                                "--results: the summary has no number '%.80s'; "
                                "`wrsim run CONFIG --json FILE` writes a summary with all numbers",
                                results->result[i].name);
    return WRSIM_OK;
}

/* ---- values of signals */

static double extreme(const double *y, int n, double sign)
{
    double best = y[0];
    for (int i = 1; i < n; i++)
        if (isnan(best) || isnan(y[i]))
            best = (double)NAN;
        else if (sign * y[i] > sign * best)
            best = y[i];
    return best;
}

/* Returns the mean by the trapezoidal rule, or the last value of a run without length. */
static double mean(const double *t_s, const double *y, int n)
{
    double area = 0.0;
    for (int i = 1; i < n; i++)
        area += 0.5 * (y[i] + y[i - 1]) * (t_s[i] - t_s[i - 1]);
    return t_s[n - 1] > t_s[0] ? area / (t_s[n - 1] - t_s[0]) : y[n - 1];
}

/* Interpolates linearly between two rows. Returns NaN outside the recorded time. */
static double at(const double *t_s, const double *y, int n, double at_s)
{
    int i = 0;
    while (i < n && t_s[i] < at_s && !wr_time_close(t_s[i], at_s))
        i++;
    if (i < n && wr_time_close(t_s[i], at_s))
        return y[i];
    if (i == 0 || i == n)
        return (double)NAN;
    const double part = (at_s - t_s[i - 1]) / (t_s[i] - t_s[i - 1]);
    return y[i - 1] + part * (y[i] - y[i - 1]);
}

static double value_of(const wr_run_result *r, const wr_results *rows, int i_signal)
{
    const int n = rows->n_row;
    const double *const t_s = rows->time_s, *const y = rows->value + (size_t)i_signal * (size_t)n;
    switch (r->kind) {
    case WR_RUN_MAX:
        return extreme(y, n, 1.0);
    case WR_RUN_MIN:
        return extreme(y, n, -1.0);
    case WR_RUN_MEAN:
        return mean(t_s, y, n);
    case WR_RUN_AT:
        return at(t_s, y, n, r->at_s);
    default:
        return y[n - 1];
    }
}

static void put(const char *prefix, const char *name, const char *unit, double value,
                wr_text_buffer *header, wr_text_buffer *values)
{
    char text[512], number[WR_NUMBER_CAP];
    snprintf(text, sizeof text, "%s%s%s%s%s", prefix, name, *unit ? " [" : "", unit,
             *unit ? "]" : "");
    wr_text_buffer_cell(header, 0, text);
    wr_number_print(value, number);
    wr_text_buffer_cell(values, 0, isnan(value) ? "" : number);
}

void wr_run_results_put(const wr_run_results *results, const wr_results *rows,
                        const wr_json_tree *summary, wr_text_buffer *header, wr_text_buffer *values)
{
    for (int i = 0; i < results->n; i++) {
        const wr_run_result *const r = &results->result[i];
        if (r->kind == WR_RUN_STAT)
            put(r->prefix, r->name, "", wr_run_stat(summary, r->name), header, values);
        const int is_exact = is_name(r, rows->n_signal, (const char *const *)rows->name);
        for (int k = 0; r->kind != WR_RUN_STAT && k < rows->n_signal && rows->n_row > 0; k++)
            if (matches(r, is_exact, rows->name[k]))
                put(r->prefix, rows->name[k], rows->unit[k], value_of(r, rows, k), header, values);
    }
}
