/* See curves.h. Thread: one owner. Real-time: no. */
#include "offline/report/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/unit.h"

/* Signals whose rows at events the loader reads in one pass of an HDF5 file (assumed). The rows of a pass have a column for each signal, so
 * a pass over all signals would take more memory than a large file. A CSV file needs one pass. */
enum { PASS_SIGNALS = 64 };

static wrsim_status memory_fail(const char *file, wrsim_error *err)
{
    return wr_results_fail(err, WRSIM_E_MEMORY, file, 0, "out of memory for the curves of '%s'",
                           file);
}

/* ---- choice ---- */

/* Marks the signals of a pattern, and appends new signals to list. Returns the number of matching signals. */
static int add_matches(const wr_results *r, const char *pattern, char *is_chosen, int *list, int *n)
{
    int n_match = 0;
    for (int i = 0; i < r->n_signal; i++) {
        /* A signal whose name has a '*' or '?' can be named exactly. */
        if (strcmp(pattern, r->name[i]) != 0 && !wr_names_match(pattern, r->name[i]))
            continue;
        n_match++;
        if (!is_chosen[i])
            list[(*n)++] = i;
        is_chosen[i] = 1;
    }
    return n_match;
}

/* Writes the chosen signals to list[n_signal]. Returns their number, or a negative status. */
static int choose(const wr_results *r, const char *file, const wr_curves_choice *choice, int *list,
                  wrsim_error *err)
{
    char hint[WR_NAMES_HINT_BYTES];
    int n = 0;
    if (choice->n_pattern == 0)
        for (; n < r->n_signal; n++)
            list[n] = n;
    char *const is_chosen = calloc((size_t)r->n_signal + 1, 1);
    if (!is_chosen)
        return memory_fail(file, err);
    for (int k = 0; k < choice->n_pattern; k++) {
        const char *const pattern = choice->pattern[k];
        if (add_matches(r, pattern, is_chosen, list, &n) > 0)
            continue;
        free(is_chosen);
        return wr_results_fail(
            err, WRSIM_E_ARG, file, 0, "'%s' has no signal '%.100s'; %s", file, pattern,
            wr_names_hint(pattern, (const char *const *)r->name, r->n_signal, hint));
    }
    free(is_chosen);
    return n;
}

/* ---- jumps at events ---- */

/* Points at which a signal jumps, in the order of time. */
typedef struct jumps {
    size_t n, cap;
    double *t_s, *value;
    int is_memory_out;
} jumps;

static void add_jump_point(jumps *j, double t_s, double value)
{
    if (j->n == j->cap) {
        const size_t cap = j->cap ? 2 * j->cap : 64;
        double *const time = realloc(j->t_s, cap * sizeof *time);
        j->t_s = time ? time : j->t_s;
        double *const grown = realloc(j->value, cap * sizeof *grown);
        j->value = grown ? grown : j->value;
        if (!time || !grown) {
            j->is_memory_out = 1;
            return;
        }
        j->cap = cap;
    }
    j->t_s[j->n] = t_s;
    j->value[j->n++] = value;
}

/* Bits decide, because each change of a value is a jump, and the values of one instant need no tolerance. */
static int is_same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Collects the instants at which signal k changes. An instant may have several rounds of events. are_all: also the instants without a
 * change, for results without communication points. */
static void find_jumps(const wr_results_events *e, int n_wanted, int k, int are_all, jumps *ret)
{
    size_t n_row = (size_t)e->n_row, n = (size_t)n_wanted;
    for (size_t first = 0; first < n_row;) {
        size_t end = first, n_instant = 0;
        double previous = (double)NAN;
        const size_t n_before = ret->n;
        while (end < n_row && is_same(e->time_s[end], e->time_s[first])) {
            const double value = e->value[end++ * n + (size_t)k];
            if (isnan(value) || (n_instant > 0 && is_same(value, previous)))
                continue;
            add_jump_point(ret, e->time_s[first], value);
            previous = value;
            n_instant++;
        }
        if (n_instant == 1 && !are_all)
            ret->n = n_before;
        first = end;
    }
}

/* Joins the points of the grid and of the jumps. If a point of the grid at the time of a jump has the jump's first value, the point
 * precedes the jump. Otherwise the point follows the jump. */
static int join(const wr_results *r, int i_signal, const jumps *j, wr_curve *c)
{
    const size_t n_row = (size_t)r->n_row, n_all = n_row + j->n;
    const double *const value = r->value + (size_t)i_signal * n_row;
    c->t_s = malloc((n_all + 1) * sizeof *c->t_s);
    c->value = malloc((n_all + 1) * sizeof *c->value);
    c->row = malloc((n_all + 1) * sizeof *c->row);
    if (!c->t_s || !c->value || !c->row)
        return 0;
    size_t row = 0;
    for (size_t k = 0; row < n_row || k < j->n; c->n++) {
        const int is_jump =
            row == n_row ||
            (k < j->n && (j->t_s[k] < r->time_s[row] || (is_same(j->t_s[k], r->time_s[row]) &&
                                                         !is_same(j->value[k], value[row]))));
        c->t_s[c->n] = is_jump ? j->t_s[k] : r->time_s[row];
        c->value[c->n] = is_jump ? j->value[k++] : value[row];
        c->row[c->n] = is_jump ? -1 : (int)row++;
    }
    return 1;
}

static wrsim_status load_pass(const char *file, const wr_results *r, const int *signal, int n,
                              wr_curve *curve, wrsim_error *err)
{
    const char **const name = malloc(((size_t)n + 1) * sizeof *name);
    wr_results_events events = {0};
    if (!name)
        return memory_fail(file, err);
    for (int i = 0; i < n; i++)
        name[i] = r->name[signal[i]];
    wrsim_status status = wr_results_events_read(file, n, name, &events, err);
    free(name);
    for (int i = 0; i < n && status >= 0; i++) {
        jumps j = {0};
        find_jumps(&events, n, i, r->n_row == 0, &j);
        curve[i].name = r->name[signal[i]];
        curve[i].unit = r->unit[signal[i]];
        if (j.is_memory_out || !join(r, signal[i], &j, &curve[i]))
            status = memory_fail(file, err);
        free(j.t_s);
        free(j.value);
    }
    wr_results_events_done(&events);
    return status;
}

/* ---- the twin ---- */

/* Places of the signals and rows of the twin. */
typedef struct twin_places {
    wr_named *signal, *difference; /* [n_signal of the twin], [n_compared] by name */
    int *row; /* [n_row] row of the twin for each row of the results; -1: the twin lacks the row */
} twin_places;

static int compare_differences(const void *a_at, const void *b_at)
{
    const wr_difference *const a = a_at, *const b = b_at;
    return a->max_rel < b->max_rel ? 1 : a->max_rel > b->max_rel ? -1 : strcmp(a->name, b->name);
}

static wrsim_status load_twin(const char *file, const wr_curves_choice *choice, wr_curves *c,
                              wrsim_error *err)
{
    c->twin_results = wr_results_load(choice->twin, err);
    if (!c->twin_results)
        return err->status;
    const int n = wr_results_compare(c->results, c->twin_results, &c->difference, &c->overlap, err);
    if (n < 0) {
        snprintf(err->file, sizeof err->file, "%.120s, %.120s", file, choice->twin);
        return err->status;
    }
    c->n_compared = n;
    qsort(c->difference, (size_t)n, sizeof *c->difference, compare_differences);
    return WRSIM_OK;
}

static void free_places(twin_places *p)
{
    free(p->signal);
    free(p->difference);
    free(p->row);
}

static int find_places(const wr_curves *c, twin_places *ret)
{
    const wr_results *const r = c->results, *const twin = c->twin_results;
    const size_t n_row = (size_t)r->n_row;
    wr_results_pair *const pair = malloc((n_row + 1) * sizeof *pair);
    *ret =
        (twin_places){.signal = malloc(((size_t)twin->n_signal + 1) * sizeof *ret->signal),
                      .difference = malloc(((size_t)c->n_compared + 1) * sizeof *ret->difference),
                      .row = malloc((n_row + 1) * sizeof *ret->row)};
    const int is_done = pair && ret->signal && ret->difference && ret->row;
    for (int i = 0; is_done && i < twin->n_signal; i++)
        ret->signal[i] = (wr_named){twin->name[i], i};
    for (int i = 0; is_done && i < c->n_compared; i++)
        ret->difference[i] = (wr_named){c->difference[i].name, i};
    for (size_t i = 0; is_done && i < n_row; i++)
        ret->row[i] = -1;
    if (is_done) {
        wr_names_sort(ret->signal, twin->n_signal);
        wr_names_sort(ret->difference, c->n_compared);
        for (int k = wr_results_match(r, twin, pair); k-- > 0;)
            ret->row[pair[k].a] = pair[k].b;
    }
    free(pair);
    return is_done;
}

/* Puts signals with large differences first. list[n] are signals. */
static int sort_by_difference(const wr_curves *c, const twin_places *p, int *list, int n)
{
    const size_t n_place = (size_t)c->n_compared;
    int *const at = malloc((n_place + 1) * sizeof *at), *const rest =
                                                            malloc(((size_t)n + 1) * sizeof *rest);
    const int is_done = at && rest;
    int n_rest = 0, n_sorted = 0;
    for (size_t k = 0; is_done && k < n_place; k++)
        at[k] = -1;
    for (int i = 0; is_done && i < n; i++) {
        const char *const name = c->results->name[list[i]];
        const int k = wr_names_find(p->difference, c->n_compared, name, strlen(name));
        if (k >= 0)
            at[k] = list[i];
        else
            rest[n_rest++] = list[i];
    }
    for (size_t k = 0; is_done && k < n_place; k++)
        if (at[k] >= 0)
            list[n_sorted++] = at[k];
    for (int i = 0; is_done && i < n_rest; i++)
        list[n_sorted++] = rest[i];
    free(at);
    free(rest);
    return is_done;
}

/* Writes the values of the twin at the points of a curve. */
static int add_twin(const wr_curves *c, const twin_places *p, wr_curve *curve)
{
    const wr_results *const twin = c->twin_results;
    const size_t n_bytes = strlen(curve->name);
    const int i = wr_names_find(p->signal, twin->n_signal, curve->name, n_bytes);
    const int k = wr_names_find(p->difference, c->n_compared, curve->name, n_bytes);
    wr_unit_scale scale;
    curve->compared = k >= 0 ? &c->difference[k] : NULL;
    if (i < 0 || wr_unit_convert(twin->unit[i], curve->unit, &scale) != WR_UNIT_FITS)
        return 1;
    const double *const value = twin->value + (size_t)i * (size_t)twin->n_row;
    curve->twin = malloc((curve->n + 1) * sizeof *curve->twin);
    for (size_t point = 0; curve->twin && point < curve->n; point++) {
        const int row = curve->row[point] < 0 ? -1 : p->row[curve->row[point]];
        curve->twin[point] = row < 0 ? (double)NAN : wr_unit_apply(scale, value[row]);
    }
    return curve->twin != NULL;
}

/* ---- loading ---- */

/* Refuses times that decrease or are not finite, because they are no time axis. */
static wrsim_status check_times(const wr_results *r, const char *file, wrsim_error *err)
{
    for (int i = 0; i < r->n_row; i++)
        if (!isfinite(r->time_s[i]) || (i > 0 && r->time_s[i] < r->time_s[i - 1]))
            return wr_results_fail(err, WRSIM_E_IO, file, 0,
                                   "the times of '%s' decrease or are not finite: row %d has "
                                   "t = %.9g s; correct this row",
                                   file, i + 1, r->time_s[i]);
    return WRSIM_OK;
}

static wrsim_status load_curves(const char *file, const int *list, wr_curves *c, wrsim_error *err)
{
    c->curve = calloc((size_t)c->n + 1, sizeof *c->curve);
    if (!c->curve)
        return memory_fail(file, err);
    const int n_pass = wr_results_is_hdf5(file) ? PASS_SIGNALS : c->n;
    for (int first = 0; first < c->n; first += n_pass) {
        const int n = c->n - first < n_pass ? c->n - first : n_pass;
        WR_TRY(load_pass(file, c->results, list + first, n, c->curve + first, err));
    }
    return WRSIM_OK;
}

/* Returns the number of curves. */
static int limit_curves(const wr_curves *c, const wr_curves_choice *choice)
{
    const int n_row = c->results->n_row;
    const size_t n_least =
        (size_t)(n_row < WR_CURVES_LEAST_POINTS ? n_row : WR_CURVES_LEAST_POINTS);
    int n = c->n_signal;
    if (choice->cap_curve > 0 && n > choice->cap_curve)
        n = choice->cap_curve;
    if (choice->cap_point > 0 && n_least > 0 && (size_t)n > choice->cap_point / n_least)
        n = (int)(choice->cap_point / n_least);
    return n;
}

static wrsim_status load(const char *file, const wr_curves_choice *choice, wr_curves *c, int *list,
                         twin_places *places, wrsim_error *err)
{
    c->n_signal = choose(c->results, file, choice, list, err);
    if (c->n_signal < 0)
        return err->status;
    c->n = limit_curves(c, choice);
    if (choice->twin) {
        WR_TRY(load_twin(file, choice, c, err));
        if (!find_places(c, places) ||
            (choice->n_pattern == 0 && !sort_by_difference(c, places, list, c->n_signal)))
            return memory_fail(file, err);
    }
    WR_TRY(load_curves(file, list, c, err));
    for (int i = 0; choice->twin && i < c->n; i++)
        if (!add_twin(c, places, &c->curve[i]))
            return memory_fail(file, err);
    return WRSIM_OK;
}

wrsim_status wr_curves_load(const char *file, const wr_curves_choice *choice, wr_curves *ret,
                            wrsim_error *err)
{
    /* Readers of HDF5 always return the config. */
    const int is_whole = choice->has_config && !wr_results_is_hdf5(file);
    *ret = (wr_curves){.results = is_whole ? wr_results_load_whole(file, err)
                                           : wr_results_load(file, err)};
    if (!ret->results)
        return err->status;
    twin_places places = {0};
    int *const list = malloc(((size_t)ret->results->n_signal + 1) * sizeof *list);
    wrsim_status status = list ? check_times(ret->results, file, err) : memory_fail(file, err);
    if (status >= 0)
        status = load(file, choice, ret, list, &places, err);
    free(list);
    free_places(&places);
    if (status < 0)
        wr_curves_done(ret);
    return status;
}

void wr_curves_done(wr_curves *curves)
{
    for (int i = 0; curves->curve && i < curves->n; i++) {
        free(curves->curve[i].t_s);
        free(curves->curve[i].value);
        free(curves->curve[i].row);
        free(curves->curve[i].twin);
    }
    free(curves->curve);
    free(curves->difference);
    wr_results_destroy(&curves->results);
    wr_results_destroy(&curves->twin_results);
    *curves = (wr_curves){0};
}
