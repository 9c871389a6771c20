/* See report_log.h. Thread: one owner. Real-time: no. */
#include "offline/report/report_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offline/report/report_json.h"
#include "offline/report/thin.h"

/* Windows and stops of a page, events of its table, and changed variables of an event (assumed: a picture and a table that people read). */
enum {
    CAP_WINDOW = 1500,
    CAP_SUBSYSTEM = 16,
    CAP_STOP = 8000,
    CAP_ITEM = 200,
    CAP_CHANGE_BYTES = 200
};

/* ---- windows ---- */

/* Room for the chosen rows. */
typedef struct rows {
    size_t n, *index;
    double *value;
} rows;

/* Writes the chosen rows of a column; value k of `width` values per row. */
static void column_json(wr_json *json, const char *key, const rows *r, const double *column,
                        size_t width, size_t k)
{
    for (size_t i = 0; i < r->n; i++)
        r->value[i] = column[r->index[i] * width + k];
    wr_report_doubles(json, key, r->n, r->value);
}

/* Chooses windows: all windows if they are few, else the windows with extreme lengths or numbers of sweeps. Returns 0 when out of memory. */
static int choose_windows(const wr_run_log *log, rows *ret)
{
    const size_t n = (size_t)log->window.n_row;
    const double *const start_s = log->window.column[WR_WINDOW_START];
    double *const length_s = malloc((n + 1) * sizeof *length_s);
    *ret = (rows){.index = malloc((n + 1) * sizeof *ret->index),
                  .value = malloc((n + 1) * sizeof *ret->value)};
    const int is_done = length_s && ret->index && ret->value;
    for (size_t i = 0; is_done && i < n; i++)
        length_s[i] = log->window.column[WR_WINDOW_END][i] - start_s[i];
    if (is_done)
        ret->n = wr_thin(n, start_s, length_s, log->window.column[WR_WINDOW_SWEEP_COUNT],
                         CAP_WINDOW, ret->index);
    free(length_s);
    return is_done;
}

/* Writes sums over all windows: by reason, and the integrations of each subsystem in accepted windows. */
static void sums_json(wr_json *json, const wr_run_log *log)
{
    const double *const reason = log->window.column[WR_WINDOW_REASON];
    const double *const integrations = log->window.column[WR_WINDOW_INTEGRATIONS];
    const int n = log->window.n_row;
    wr_json_array(json, "reasons");
    for (int k = 0; k < log->reason.n; k++)
        wr_json_string(json, NULL, log->reason.text[k]);
    wr_json_end(json);
    wr_json_array(json, "by_reason");
    for (int k = 0; k < log->reason.n; k++) {
        int64_t n_reason = 0;
        for (int i = 0; i < n; i++)
            n_reason += (int)reason[i] == k;
        wr_json_integer(json, NULL, n_reason);
    }
    wr_json_end(json);
    wr_json_array(json, "totals");
    for (int k = 0; k < log->subsystem.n; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < (size_t)n; i++)
            if ((int)reason[i] == 0)
                sum += integrations[i * (size_t)log->subsystem.n + (size_t)k];
        wr_json_number(json, NULL, sum);
    }
    wr_json_end(json);
}

void wr_report_windows_json(wr_json *json, const wr_run_log *log)
{
    static const struct {
        const char *key;
        int column;
    } columns[] = {{"start", WR_WINDOW_START},          {"end", WR_WINDOW_END},
                   {"reason", WR_WINDOW_REASON},        {"sweeps", WR_WINDOW_SWEEP_COUNT},
                   {"contraction", WR_WINDOW_RATE},     {"change", WR_WINDOW_CHANGE},
                   {"prediction", WR_WINDOW_PREDICTION}};
    const int n_shown = log->subsystem.n < CAP_SUBSYSTEM ? log->subsystem.n : CAP_SUBSYSTEM;
    rows r = {0};
    if (log->window.n_column == 0)
        return;
    if (!choose_windows(log, &r)) {
        wr_text_buffer_fail(&json->text);
    } else {
        wr_json_object(json, "windows");
        wr_json_integer(json, "n", log->window.n_row);
        wr_json_integer(json, "n_shown", (int64_t)r.n);
        wr_json_array(json, "subsystems");
        for (int k = 0; k < log->subsystem.n; k++)
            wr_json_string(json, NULL, log->subsystem.text[k]);
        wr_json_end(json);
        for (size_t c = 0; c < WR_COUNT_OF(columns); c++)
            column_json(json, columns[c].key, &r, log->window.column[columns[c].column], 1, 0);
        wr_json_array(json, "integrations");
        for (int k = 0; k < n_shown; k++)
            column_json(json, NULL, &r, log->window.column[WR_WINDOW_INTEGRATIONS],
                        (size_t)log->subsystem.n, (size_t)k);
        wr_json_end(json);
        sums_json(json, log);
        wr_json_end(json);
    }
    free(r.index);
    free(r.value);
}

/* ---- events ---- */

/* An indicator, or a component with time events. */
typedef struct item {
    int i_item, i_subsystem;
    int64_t n, n_rising, n_falling;
    double first_s, last_s;
    char changes[CAP_CHANGE_BYTES]; /* names of variables that change at the stops of this item */
} item;

typedef struct events {
    const wr_run_log *log;
    int n_item;
    item *item;            /* [number of item names] */
    int64_t (*n_cause)[4]; /* [n_subsystem] stops, and stops by cause: state, time, jump */
    double n_lost;
} events;

static double at(const events *e, int row, int column) { return e->log->event.column[column][row]; }

static int is_stop(const events *e, int row)
{
    return (int)at(e, row, WR_EVENT_KIND) == WR_LOGGED_STOP;
}

/* Appends a name to the list of an item, unless the list has the name. "..." ends a full list. */
static void add_change(item *to, const char *name)
{
    const size_t n = strlen(to->changes), n_name = strlen(name);
    for (const char *found = strstr(to->changes, name); found; found = strstr(found + 1, name))
        if ((found == to->changes || found[-1] == ' ') && strchr(", ", found[n_name]))
            return;
    if (n >= 3 && strcmp(to->changes + n - 3, "...") == 0)
        return;
    if (n + n_name + sizeof ", , ..." > sizeof to->changes)
        strcpy(to->changes + n, n > 0 ? ", ..." : "...");
    else
        sprintf(to->changes + n, "%s%s", n > 0 ? ", " : "", name);
}

/* Adds the events of one stop, whose rows are first .. end - 1, and the variables that change at the stop. */
static void add_stop(events *e, int first, int end)
{
    const int causes = (int)at(e, first, WR_EVENT_DIRECTION);
    int64_t *const n = e->n_cause[(int)at(e, first, WR_EVENT_SUBSYSTEM)];
    n[0]++;
    n[1] += (causes & WR_LOGGED_CAUSE_STATE) != 0;
    n[2] += (causes & WR_LOGGED_CAUSE_TIME) != 0;
    n[3] += (causes & WR_LOGGED_CAUSE_JUMP) != 0;
    for (int i = first; i < end; i++) {
        const int kind = (int)at(e, i, WR_EVENT_KIND), i_item = (int)at(e, i, WR_EVENT_ITEM);
        if (i_item < 0 || (kind != WR_LOGGED_STATE_EVENT && kind != WR_LOGGED_TIME_EVENT))
            continue;
        item *const to = &e->item[i_item];
        if (to->n++ == 0)
            to->first_s = at(e, i, WR_EVENT_TIME);
        to->i_item = i_item;
        to->i_subsystem = (int)at(e, first, WR_EVENT_SUBSYSTEM);
        to->last_s = at(e, i, WR_EVENT_TIME);
        to->n_rising += at(e, i, WR_EVENT_DIRECTION) > 0.0;
        to->n_falling += at(e, i, WR_EVENT_DIRECTION) < 0.0;
        for (int k = first; k < end; k++) {
            const int changed = (int)at(e, k, WR_EVENT_ITEM);
            const int change = (int)at(e, k, WR_EVENT_KIND);
            if (changed >= 0 && (change == WR_LOGGED_VALUE || change == WR_LOGGED_SLOPE))
                add_change(to, e->log->item_name.text[changed]);
        }
    }
}

static void add_rows(events *e)
{
    const int n = e->log->event.n_row;
    for (int first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && !is_stop(e, end))
            end++;
        if (is_stop(e, first))
            add_stop(e, first, end);
        for (int i = first; i < end; i++)
            if ((int)at(e, i, WR_EVENT_KIND) == WR_LOGGED_LOST && at(e, i, WR_EVENT_AFTER) > 0.0)
                e->n_lost += at(e, i, WR_EVENT_AFTER);
    }
}

/* Writes the times of the stops of a subsystem, and the time since the stop before. */
static void stops_json(wr_json *json, const events *e, int i_subsystem, size_t cap)
{
    const size_t n_row = (size_t)e->log->event.n_row;
    double *const time_s = malloc((n_row + 1) * sizeof *time_s);
    double *const gap_s = malloc((n_row + 1) * sizeof *gap_s);
    const rows r = {.index = malloc((n_row + 1) * sizeof *r.index),
                    .value = malloc((n_row + 1) * sizeof *r.value)};
    size_t n = 0;
    double before_s = (double)NAN;
    if (!time_s || !gap_s || !r.index || !r.value) {
        wr_text_buffer_fail(&json->text);
    } else {
        for (int i = 0; i < (int)n_row; i++) {
            const double t_s = at(e, i, WR_EVENT_TIME);
            if (!is_stop(e, i) || (int)at(e, i, WR_EVENT_SUBSYSTEM) != i_subsystem)
                continue;
            if (t_s > before_s) {
                time_s[n] = t_s;
                gap_s[n++] = t_s - before_s;
            }
            before_s = t_s;
        }
        const rows chosen = {wr_thin(n, time_s, gap_s, NULL, cap, r.index), r.index, r.value};
        column_json(json, "t", &chosen, time_s, 1, 0);
        column_json(json, "gap", &chosen, gap_s, 1, 0);
    }
    free(time_s);
    free(gap_s);
    free(r.index);
    free(r.value);
}

static int compare_items(const void *a_at, const void *b_at)
{
    const item *const a = a_at, *const b = b_at;
    if (a->n != b->n)
        return a->n < b->n ? 1 : -1;
    return a->i_item - b->i_item;
}

static void item_json(wr_json *json, const events *e, const item *i)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "name", e->log->item_name.text[i->i_item]);
    wr_json_string(json, "type", e->log->item_type.text[i->i_item]);
    wr_json_string(json, "subsystem", e->log->subsystem.text[i->i_subsystem]);
    wr_json_integer(json, "n", i->n);
    wr_json_integer(json, "n_rising", i->n_rising);
    wr_json_integer(json, "n_falling", i->n_falling);
    wr_json_number(json, "first_s", i->first_s);
    wr_json_number(json, "last_s", i->last_s);
    wr_json_string(json, "changes", i->changes);
    wr_json_end(json);
}

static void subsystems_json(wr_json *json, const events *e)
{
    const int n = e->log->subsystem.n;
    const size_t share = (size_t)CAP_STOP / (size_t)(n > 0 ? n : 1);
    const size_t cap = share > WR_THIN_PAIR_POINTS ? share : WR_THIN_PAIR_POINTS;
    wr_json_array(json, "subsystems");
    for (int k = 0; k < n; k++) {
        wr_json_object(json, NULL);
        wr_json_string(json, "name", e->log->subsystem.text[k]);
        wr_json_integer(json, "n_stop", e->n_cause[k][0]);
        wr_json_integer(json, "n_state", e->n_cause[k][1]);
        wr_json_integer(json, "n_time", e->n_cause[k][2]);
        wr_json_integer(json, "n_jump", e->n_cause[k][3]);
        if (k < CAP_SUBSYSTEM)
            stops_json(json, e, k, cap);
        wr_json_end(json);
    }
    wr_json_end(json);
}

void wr_report_events_json(wr_json *json, const wr_run_log *log)
{
    const size_t n_name = (size_t)log->item_name.n;
    events e = {.log = log,
                .item = calloc(n_name + 1, sizeof *e.item),
                .n_cause = calloc((size_t)log->subsystem.n + 1, sizeof *e.n_cause)};
    if (!e.item || !e.n_cause) {
        wr_text_buffer_fail(&json->text);
    } else {
        add_rows(&e);
        qsort(e.item, n_name, sizeof *e.item, compare_items);
        while ((size_t)e.n_item < n_name && e.item[e.n_item].n > 0)
            e.n_item++;
        wr_json_object(json, "events");
        wr_json_number(json, "n_lost", e.n_lost);
        subsystems_json(json, &e);
        wr_json_integer(json, "n_item", e.n_item);
        wr_json_array(json, "items");
        for (int i = 0; i < e.n_item && i < CAP_ITEM; i++)
            item_json(json, &e, &e.item[i]);
        wr_json_end(json);
        wr_json_end(json);
    }
    free(e.item);
    free(e.n_cause);
}
