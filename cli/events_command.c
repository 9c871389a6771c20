/* `wrsim events`: the event log, the causes of stops, and the window records of a result file. Thread: main. Real-time: no. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "base/number.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/record/results.h"
#include "runtime/record/results_log.h"

typedef struct events {
    wr_arguments line;
    const char *component;
    double from_s, to_s;
    int has_causes, has_windows, is_csv, is_json;
} events;

#define ROW(...) WR_OPTION(events, __VA_ARGS__)
static const wr_option options[] = {
    ROW("component", "PATTERN",
        "only entries of the components or variables that match, such as 'cyl*' or 'cyl1.p'", TEXT,
        component),
    ROW("from", "T", "only entries at T s and later", NUMBER, from_s, .low = -(double)INFINITY,
        .high = (double)INFINITY),
    ROW("to", "T", "only entries at T s and earlier", NUMBER, to_s, .low = -(double)INFINITY,
        .high = (double)INFINITY),
    ROW("causes", NULL, "print the share of stops that each cause had", FLAG, has_causes,
        .excludes = "windows"),
    ROW("windows", NULL, "print the windows instead of the events", FLAG, has_windows,
        .excludes = "component"),
    ROW("csv", NULL, "print CSV instead of text", FLAG, is_csv, .excludes = "json"),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    {.name = NULL}};

/* ---- a table as text, CSV or JSON ---- */

typedef struct table_column {
    const char *name;
    int width;       /* characters in text; negative: left-aligned */
    int digits;      /* significant digits of a number in text; 0: the cells are texts */
    const char *key; /* member in JSON; NULL: name */
} table_column;

typedef struct cell {
    const char *text;
    double number;
} cell;

typedef struct table {
    const events *command;
    const table_column *column;
    int n_column;
    wr_json json;
} table;

static void add_number(wr_text_buffer *line, const table_column *column, double value, int is_csv)
{
    char text[WR_NUMBER_CAP] = "";
    if (!isnan(value) && is_csv)
        wr_number_print(value, text);
    else if (!isnan(value))
        snprintf(text, sizeof text, "%.*g", column->digits, value);
    wr_text_buffer_add(line, "%*s", is_csv ? 0 : column->width, text);
}

/* Prints a line of text or CSV. cells NULL: the header. */
static void print_line(const table *t, const cell *cells)
{
    const int is_csv = t->command->is_csv;
    wr_text_buffer line = {0};
    for (int i = 0; i < t->n_column; i++) {
        const table_column *const c = &t->column[i];
        const char *const text = !cells ? c->name : cells[i].text ? cells[i].text : "";
        const int is_text = !cells || c->digits == 0;
        if (is_csv && is_text)
            wr_text_buffer_cell(&line, i == 0, text);
        else {
            wr_text_buffer_add(&line, "%s", i == 0 ? "" : is_csv ? "," : "  ");
            if (is_text)
                wr_text_buffer_add(&line, "%*s", c->width, text);
            else
                add_number(&line, c, cells[i].number, is_csv);
        }
    }
    const char *const text = wr_text_buffer_get(&line);
    size_t n = text ? strlen(text) : 0;
    while (!is_csv && n > 0 && text[n - 1] == ' ')
        n--;
    fprintf(wr_out, "%.*s\n", (int)n, text ? text : "");
    wr_text_buffer_done(&line);
}

static const char *key_of(const table_column *column)
{
    return column->key ? column->key : column->name;
}

static void begin_table(table *t, const char *name)
{
    if (t->command->is_json)
        wr_json_array(&t->json, name);
    else
        print_line(t, NULL);
}

static void print_row(table *t, const cell *cells)
{
    if (!t->command->is_json) {
        print_line(t, cells);
        return;
    }
    wr_json_object(&t->json, NULL);
    for (int i = 0; i < t->n_column; i++)
        if (t->column[i].digits == 0)
            wr_json_string(&t->json, key_of(&t->column[i]), cells[i].text ? cells[i].text : "");
        else
            wr_json_number(&t->json, key_of(&t->column[i]), cells[i].number);
    wr_json_end(&t->json);
}

/* Ends the list of rows in JSON. */
static void end_table(table *t)
{
    if (t->command->is_json)
        wr_json_end(&t->json);
}

/* Prints the JSON. Returns the exit code. */
static int print_json(table *t)
{
    const char *const text = wr_json_text(&t->json);
    if (!text) {
        wr_print_error(NULL, &(wrsim_error){.status = WRSIM_E_MEMORY, .text = "out of memory"});
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    }
    fputs(text, wr_out);
    wr_json_done(&t->json);
    return 0;
}

/* ---- events ---- */

static double at(const wr_run_log *log, int i_row, int i_column)
{
    return log->event.column[i_column][i_row];
}

static const char *item_text(const wr_log_names *names, double item)
{
    return item >= 0.0 ? names->text[(int)item] : "";
}

/* Returns whether the pattern names the component or variable `name`. */
static int matches(const char *pattern, const char *name)
{
    if (wr_names_match(pattern, name))
        return 1;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        char *const head = strndup(name, (size_t)(dot - name));
        const int is_match = head && wr_names_match(pattern, head);
        free(head);
        if (is_match)
            return 1;
    }
    return 0;
}

static int is_within(const events *e, double t_s) { return t_s >= e->from_s && t_s <= e->to_s; }

/* Returns whether the options select a row of the event log. */
static int is_selected(const events *e, const wr_run_log *log, int i)
{
    return is_within(e, at(log, i, WR_EVENT_TIME)) &&
           (!e->component ||
            matches(e->component, item_text(&log->item_name, at(log, i, WR_EVENT_ITEM))));
}

static int has_selected(const events *e, const wr_run_log *log)
{
    int has = 0;
    if (e->has_windows) {
        for (int i = 0; i < log->window.n_row && !has; i++)
            has = is_within(e, log->window.column[WR_WINDOW_START][i]);
        return has;
    }
    for (int i = 0; i < log->event.n_row && !has; i++)
        has = is_selected(e, log, i);
    return has;
}

static int matches_any(const char *pattern, char *const *name, int n)
{
    int is_match = 0;
    for (int i = 0; i < n && !is_match; i++)
        is_match = matches(pattern, name[i]);
    return is_match;
}

/* Says why the options select no row. Returns WRSIM_OK, WRSIM_E_ARG with err if neither the log nor a signal has the component or variable,
 * or another status with err if the signals cannot be read. */
static wrsim_status explain_none(const events *e, const wr_run_log *log, wrsim_error *err)
{
    const char *const file = e->line.operand[0];
    if (!e->component || matches_any(e->component, log->item_name.text, log->item_name.n)) {
        fprintf(wr_err, "wrsim: the log has no %s to show\n", e->has_windows ? "window" : "entry");
        return WRSIM_OK;
    }
    wr_results *results = wr_results_load(file, err);
    if (!results)
        return err->status;
    const int is_signal = matches_any(e->component, results->name, results->n_signal);
    wr_results_destroy(&results);
    if (!is_signal)
        return wr_error_set_at(err, WRSIM_E_ARG, &(wr_where){.file = file},
                               "no component or variable of the log and of the signals matches "
                               "'%.200s'; `wrsim events` without --component prints the names of "
                               "the log",
                               e->component);
    fprintf(wr_err, "wrsim: no event has a component or variable that matches '%s'\n",
            e->component);
    return WRSIM_OK;
}

/* Returns the text of a row's kind. A stop has the text of its causes. */
static const char *kind_text(const wr_run_log *log, int i, char text[64])
{
    static const char *const kinds[WR_LOGGED_KIND_COUNT] = {WR_LOGGED_KIND_TEXTS};
    static const struct {
        int bit;
        const char *text;
    } causes[] = {{WR_LOGGED_CAUSE_START, "start"},
                  {WR_LOGGED_CAUSE_STATE, "state"},
                  {WR_LOGGED_CAUSE_TIME, "time"},
                  {WR_LOGGED_CAUSE_JUMP, "jump"}};
    const int kind = (int)at(log, i, WR_EVENT_KIND), sum = (int)at(log, i, WR_EVENT_DIRECTION);
    if (kind != WR_LOGGED_STOP)
        return kinds[kind];
    int n = snprintf(text, 64, "stop");
    for (size_t k = 0; k < WR_COUNT_OF(causes); k++)
        if (sum & causes[k].bit)
            n += snprintf(text + n, 64 - (size_t)n, "%s%s", n == 4 ? ": " : " + ", causes[k].text);
    return text;
}

static const char *direction_text(const wr_run_log *log, int i)
{
    const double direction = at(log, i, WR_EVENT_DIRECTION);
    return (int)at(log, i, WR_EVENT_KIND) != WR_LOGGED_STATE_EVENT ? ""
           : direction > 0.0                                       ? "rising"
                                                                   : "falling";
}

/* Returns the number of rows that stand for lost rows, and warns of them. */
static void warn_of_lost(const wr_run_log *log)
{
    double n = 0.0;
    for (int i = 0; i < log->event.n_row; i++)
        n += (int)at(log, i, WR_EVENT_KIND) == WR_LOGGED_LOST ? at(log, i, WR_EVENT_AFTER) : 0.0;
    for (int i = 0; i < log->window.n_row; i++)
        n += isnan(log->window.column[WR_WINDOW_END][i]) /* a record that stands for lost records */
                 ? log->window.column[WR_WINDOW_SWEEP_COUNT][i]
                 : 0.0;
    if (n > 0.0)
        fprintf(wr_err,
                "wrsim: warning: the log lacks %.0f entries, because the disk was too slow or a "
                "window had too many events; counts are too small\n",
                n);
}

static int print_events(const events *e, const wr_run_log *log)
{
    static const table_column columns[] = {
        {"time [s]", 16, 10, "time_s"}, {"stop", 8, 10, NULL},  {"subsystem", -12, 0, NULL},
        {"event", -19, 0, NULL},        {"type", -9, 0, NULL},  {"item", -28, 0, NULL},
        {"direction", -9, 0, NULL},     {"round", 5, 10, NULL}, {"before", 16, 10, NULL},
        {"after", 16, 10, NULL},        {"unit", -1, 0, NULL}};
    table t = {.command = e, .column = columns, .n_column = WR_COUNT_OF(columns)};
    char text[64];
    if (e->is_json)
        wr_json_object(&t.json, NULL);
    begin_table(&t, "events");
    for (int i = 0; i < log->event.n_row; i++) {
        if (!is_selected(e, log, i))
            continue;
        const double item = at(log, i, WR_EVENT_ITEM);
        const cell cells[] = {{.number = at(log, i, WR_EVENT_TIME)},
                              {.number = at(log, i, WR_EVENT_STOP)},
                              {.text = log->subsystem.text[(int)at(log, i, WR_EVENT_SUBSYSTEM)]},
                              {.text = kind_text(log, i, text)},
                              {.text = item_text(&log->item_type, item)},
                              {.text = item_text(&log->item_name, item)},
                              {.text = direction_text(log, i)},
                              {.number = at(log, i, WR_EVENT_ROUND)},
                              {.number = at(log, i, WR_EVENT_BEFORE)},
                              {.number = at(log, i, WR_EVENT_AFTER)},
                              {.text = item_text(&log->item_unit, item)}};
        print_row(&t, cells);
    }
    end_table(&t);
    if (!e->is_json)
        return 0;
    wr_json_end(&t.json);
    return print_json(&t);
}

/* ---- causes ---- */

/* Number of stops with a cause: an indicator in one direction, a component's time events, or an input's jumps. */
typedef struct cause {
    int kind, subsystem, item, direction;
    int n;
    double last_stop; /* number of the last counted stop */
} cause;

static int compare_causes(const void *a_at, const void *b_at)
{
    const cause *const a = a_at, *const b = b_at;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    if (a->subsystem != b->subsystem)
        return a->subsystem - b->subsystem;
    return a->item != b->item ? a->item - b->item : a->direction - b->direction;
}

/* Counts the stops of each cause in list[2 * number of items]: 2 directions of an indicator, or events of other items. Returns the number of
 * stops, without the start. ret_of[3]: stops with state events, time events, jumps. */
static int count_causes(const events *e, const wr_run_log *log, cause *list, int ret_of[3])
{
    int n_stop = 0;
    for (int i = 0; i < log->event.n_row; i++) {
        const int kind = (int)at(log, i, WR_EVENT_KIND), item = (int)at(log, i, WR_EVENT_ITEM),
                  direction = (int)at(log, i, WR_EVENT_DIRECTION);
        if (!is_within(e, at(log, i, WR_EVENT_TIME)))
            continue;
        if (kind == WR_LOGGED_STOP && !(direction & WR_LOGGED_CAUSE_START)) {
            n_stop++;
            ret_of[0] += (direction & WR_LOGGED_CAUSE_STATE) != 0;
            ret_of[1] += (direction & WR_LOGGED_CAUSE_TIME) != 0;
            ret_of[2] += (direction & WR_LOGGED_CAUSE_JUMP) != 0;
        }
        if (item < 0 || (kind != WR_LOGGED_STATE_EVENT && kind != WR_LOGGED_TIME_EVENT &&
                         kind != WR_LOGGED_INPUT_JUMP))
            continue;
        cause *const c = &list[2 * item + (direction < 0)];
        const double stop = at(log, i, WR_EVENT_STOP);
        c->n += c->n == 0 || stop > c->last_stop;
        c->last_stop = stop;
        c->kind = kind;
        c->item = item;
        c->direction = direction;
        c->subsystem = (int)at(log, i, WR_EVENT_SUBSYSTEM);
    }
    return n_stop;
}

static double share(int n, int n_all) { return n_all > 0 ? (double)n / n_all : 0.0; }

static int print_causes(const events *e, const wr_run_log *log)
{
    static const char *const kinds[] = {"state event", "time event", "input jump"};
    static const table_column columns[] = {{"subsystem", -16, 0, NULL}, {"cause", -12, 0, NULL},
                                           {"stops", 10, 10, "n_stop"}, {"share", 8, 4, NULL},
                                           {"direction", -9, 0, NULL},  {"item", -1, 0, NULL}};
    table t = {.command = e, .column = columns, .n_column = WR_COUNT_OF(columns)};
    const size_t n_cause = 2 * (size_t)log->item_name.n;
    cause *const list = calloc(n_cause + 1, sizeof *list);
    if (!list) {
        wr_print_error(NULL, &(wrsim_error){.status = WRSIM_E_MEMORY, .text = "out of memory"});
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    }
    int of[3] = {0};
    const int n_stop = count_causes(e, log, list, of);
    qsort(list, n_cause, sizeof *list, compare_causes);
    if (e->is_json) {
        wr_json_object(&t.json, NULL);
        static const char *const keys[] = {"n_stop_state", "n_stop_time", "n_stop_jump"};
        wr_json_integer(&t.json, "n_stop", n_stop);
        for (int k = 0; k < 3; k++)
            wr_json_integer(&t.json, keys[k], of[k]);
    } else if (!e->is_csv) {
        fprintf(wr_out, "%d stop%s", n_stop, wr_plural(n_stop));
        for (int k = 0; k < 3; k++)
            fprintf(wr_out, "%s %.1f %% with %s %s", k == 0 ? ":" : ",",
                    100.0 * share(of[k], n_stop), k == 2 ? "an" : "a", kinds[k]);
        fputs("; a stop may have several causes\n", wr_out);
    }
    begin_table(&t, "causes");
    for (size_t i = 0; i < n_cause && list[i].n > 0; i++) {
        const cause *const c = &list[i];
        const char *const name = log->item_name.text[c->item];
        if (e->component && !matches(e->component, name))
            continue;
        const cell cells[] = {{.text = log->subsystem.text[c->subsystem]},
                              {.text = kinds[c->kind - WR_LOGGED_STATE_EVENT]},
                              {.number = c->n},
                              {.number = share(c->n, n_stop)},
                              {.text = c->kind != WR_LOGGED_STATE_EVENT ? ""
                                       : c->direction > 0               ? "rising"
                                                                        : "falling"},
                              {.text = name}};
        print_row(&t, cells);
    }
    end_table(&t);
    free(list);
    if (!e->is_json)
        return 0;
    wr_json_end(&t.json);
    return print_json(&t);
}

/* ---- windows ---- */

static int print_windows(const events *e, const wr_run_log *log)
{
    enum { FIXED = 8 };
    static const table_column fixed[FIXED] = {
        {"start [s]", 16, 10, "start_s"}, {"end [s]", 16, 10, "end_s"}, {"sweeps", 6, 10, NULL},
        {"contraction", 11, 4, NULL},     {"change", 10, 4, NULL},      {"prediction", 10, 4, NULL},
        {"failed", -12, 0, NULL},         {"reason", -34, 0, NULL}};
    const int n_subsystem = log->subsystem.n, n_column = FIXED + n_subsystem;
    table_column *const columns = calloc((size_t)n_column, sizeof *columns);
    cell *const cells = calloc((size_t)n_column, sizeof *cells);
    table t = {.command = e, .column = columns, .n_column = n_column};
    int code = 0;
    if (!columns || !cells) {
        wr_print_error(NULL, &(wrsim_error){.status = WRSIM_E_MEMORY, .text = "out of memory"});
        code = wrsim_status_exit_code(WRSIM_E_MEMORY);
        goto out;
    }
    memcpy(columns, fixed, sizeof fixed);
    for (int i = 0; i < n_subsystem; i++) {
        const int width = (int)strlen(log->subsystem.text[i]);
        columns[FIXED + i] =
            (table_column){log->subsystem.text[i], width > 3 ? width : 3, 10, NULL};
    }
    if (e->is_json)
        wr_json_object(&t.json, NULL);
    begin_table(&t, "windows");
    for (int i = 0; i < log->window.n_row; i++) {
        double *const *const column = log->window.column;
        if (!is_within(e, column[WR_WINDOW_START][i]))
            continue;
        const int failed = (int)column[WR_WINDOW_FAILED][i];
        cells[0].number = column[WR_WINDOW_START][i];
        cells[1].number = column[WR_WINDOW_END][i];
        cells[2].number = column[WR_WINDOW_SWEEP_COUNT][i];
        cells[3].number = column[WR_WINDOW_RATE][i];
        cells[4].number = column[WR_WINDOW_CHANGE][i];
        cells[5].number = column[WR_WINDOW_PREDICTION][i];
        cells[6].text = failed >= 0 ? log->subsystem.text[failed] : "";
        cells[7].text = log->reason.text[(int)column[WR_WINDOW_REASON][i]];
        for (int k = 0; k < n_subsystem; k++)
            cells[FIXED + k].number =
                column[WR_WINDOW_INTEGRATIONS][(size_t)i * (size_t)n_subsystem + (size_t)k];
        print_row(&t, cells);
    }
    end_table(&t);
    if (e->is_json) {
        wr_json_end(&t.json);
        code = print_json(&t);
    }
out:
    free(columns);
    free(cells);
    return code;
}

static int run(void *into)
{
    const events *const e = into;
    wr_run_log log = {0};
    wrsim_error err = {0};
    if (e->from_s > e->to_s)
        return wr_command_line_refuse(e, "--from %g is later than --to %g; exchange the times",
                                      e->from_s, e->to_s);
    wrsim_status status = wr_results_log_load(e->line.operand[0], &log, &err);
    if (status == WRSIM_OK && e->has_windows && log.window.n_column == 0)
        status = wr_error_set_at(&err, WRSIM_E_ARG, &(wr_where){.file = e->line.operand[0]},
                                 "the run has no windows, because the run is slackened or has "
                                 "one subsystem; omit --windows");
    if (status == WRSIM_OK && !has_selected(e, &log))
        status = explain_none(e, &log, &err);
    if (status < 0) {
        wr_print_error(NULL, &err);
        wr_run_log_done(&log);
        return wrsim_status_exit_code(status);
    }
    warn_of_lost(&log);
    const int code = e->has_windows  ? print_windows(e, &log)
                     : e->has_causes ? print_causes(e, &log)
                                     : print_events(e, &log);
    wr_run_log_done(&log);
    return code;
}

const wr_command wr_events_command = {
    WR_COMMAND("events", "RESULT", 1, 1, options, run),
    .help = "print the events of a run, the causes of its stops, or its windows",
    .more = "Each stop of a solver has a row, and a row for each event that fires, each input that "
            "jumps, and each value or slope that\nchanges. The rows of stops have the causes. "
            "Sweeps that a further sweep has replaced have no rows. docs/reference/\n"
            "event_log.md describes the log.\n",
    .into = &(events){.from_s = -(double)INFINITY, .to_s = (double)INFINITY}};
