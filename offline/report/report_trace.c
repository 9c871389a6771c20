/* See report_trace.h. A trace has an event per line, so the reader needs memory for one line and for the slices of tasks and waits only.
 *
 * Thread: one owner. Real-time: no. */
#include "offline/report/report_trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/open_file.h"
#include "offline/report/report_json.h"
#include "offline/report/thin.h"
#include "runtime/record/results_read.h"

/* CAP_SLICE: slices of the timeline in a page; CAP_POINT: points of all curves of a picture (assumed: less than half a megabyte each). */
enum { CAP_SLICE = 6000, CAP_POINT = 8000, WAIT = -1 };

#define CONFIG "config_text" /* member of the file */

/* A task of a subsystem, or a wait. */
typedef struct slice {
    double start_us, length_us;
    double from_s, to_s; /* simulated time */
    int i_worker, item;  /* item: index of the subsystem, or WAIT */
    int n_step, is_integration;
} slice;

typedef struct reader {
    int n_slice, cap_slice;
    slice *slice; /* [n_slice] in the order of the file: by worker, then by time */
    int n_name;
    char **name; /* [n_name] subsystems in the order of their first task */
    int n_track;
    int *worker; /* [n_track] worker of a track; -1: the track has no worker */
    int n_worker, is_memory_out;
    int is_trace;     /* 1: the file has the list of events */
    int is_complete;  /* 1: the file has the end of the list */
    int n_line;       /* lines before the first damaged line */
    char *config;     /* of the run; NULL: the file has no config */
    double n_omitted; /* records that the run has not kept */
    const char *file;
} reader;

static wrsim_status memory_fail(const reader *r, wrsim_error *err)
{
    return wr_results_fail(err, WRSIM_E_MEMORY, r->file, 0, "out of memory for the trace '%s'",
                           r->file);
}

/* Returns the index of a subsystem; -1 when out of memory. */
static int find_name(reader *r, const char *name)
{
    for (int i = 0; i < r->n_name; i++)
        if (strcmp(r->name[i], name) == 0)
            return i;
    char **const names = realloc(r->name, ((size_t)r->n_name + 1) * sizeof *names);
    r->name = names ? names : r->name;
    char *const copy = names ? strdup(name) : NULL;
    r->is_memory_out |= !copy;
    if (!copy)
        return -1;
    r->name[r->n_name] = copy;
    return r->n_name++;
}

/* Stores the worker of a track, which the name "worker 1" gives. */
static void add_track(reader *r, int i_track, const char *name)
{
    int i_worker = -1;
    if (i_track < 0 || i_track > 1 << 20 || sscanf(name, "worker %d", &i_worker) != 1)
        return;
    if (i_track >= r->n_track) {
        int *const worker = realloc(r->worker, ((size_t)i_track + 1) * sizeof *worker);
        r->is_memory_out |= !worker;
        if (!worker)
            return;
        r->worker = worker;
        while (r->n_track <= i_track)
            r->worker[r->n_track++] = -1;
    }
    r->worker[i_track] = i_worker;
    r->n_worker = i_worker >= r->n_worker ? i_worker + 1 : r->n_worker;
}

static void add_slice(reader *r, const slice *s)
{
    if (r->n_slice == r->cap_slice) {
        const int cap = r->cap_slice ? 2 * r->cap_slice : 1024;
        slice *const grown = realloc(r->slice, (size_t)cap * sizeof *grown);
        r->is_memory_out |= !grown;
        if (!grown)
            return;
        r->slice = grown;
        r->cap_slice = cap;
    }
    r->slice[r->n_slice++] = *s;
}

static void read_event(reader *r, const wr_json_tree *event)
{
    const char *const phase = wr_json_tree_string(event, "ph"), *const name = wr_json_tree_string(
                                                                    event, "name");
    const wr_json_tree *const arguments = wr_json_tree_get(event, "args");
    const double track = wr_json_tree_number(event, "tid");
    const int i_track = track >= 0.0 && track < 1e6 ? (int)track : -1;
    if (strcmp(phase, "M") == 0 && strcmp(name, "thread_name") == 0)
        add_track(r, i_track, wr_json_tree_string(arguments, "name"));
    const char *const category = wr_json_tree_string(event, "cat");
    const int is_wait = strcmp(category, "wait") == 0,
              is_integration = strcmp(category, "integration") == 0;
    if (strcmp(phase, "X") != 0 || i_track < 0 || i_track >= r->n_track || r->worker[i_track] < 0 ||
        (!is_wait && !is_integration && strcmp(category, "check") != 0))
        return;
    const double n_step = wr_json_tree_number(arguments, "steps");
    const slice s = {.start_us = wr_json_tree_number(event, "ts"),
                     .length_us = wr_json_tree_number(event, "dur"),
                     .from_s = wr_json_tree_number(arguments, "from s"),
                     .to_s = wr_json_tree_number(arguments, "to s"),
                     .i_worker = r->worker[i_track],
                     .item = is_wait ? WAIT : find_name(r, name),
                     .n_step = n_step >= 0.0 && n_step < 1e9 ? (int)n_step : 0,
                     .is_integration = is_integration};
    if (isfinite(s.start_us) && isfinite(s.length_us))
        add_slice(r, &s);
}

/* Stores the config of the run from the line of this member. */
static void read_config(reader *r, const char *line)
{
    char why[256];
    wr_text_buffer text = {0};
    const size_t n = strlen(line);
    wr_text_buffer_add(&text, "{%.*s}", (int)(n > 1 && line[n - 2] == ',' ? n - 2 : n), line);
    const char *const object = wr_text_buffer_get(&text);
    wr_json_tree *tree = object ? wr_json_tree_parse(object, why) : NULL;
    r->config = tree ? strdup(wr_json_tree_string(tree, CONFIG)) : NULL;
    r->is_memory_out |= !object || (tree && !r->config);
    wr_json_tree_free(&tree);
    wr_text_buffer_done(&text);
}

/* Reads the lines of the file. Lines that are no object of their own describe the file. */
static void read_lines(reader *r, FILE *in)
{
    char *line = NULL, why[256];
    size_t cap = 0;
    for (ssize_t n = getline(&line, &cap, in); n > 0 && !r->is_memory_out;
         n = getline(&line, &cap, in), r->n_line++) {
        if (r->is_trace && line[0] != '{') {
            r->is_complete = strncmp(line, "]}", 2) == 0;
            break;
        }
        r->is_trace |= strstr(line, "\"traceEvents\":[") != NULL;
        const char *const omitted = strstr(line, "\"omitted_records\":");
        if (!r->is_trace && omitted)
            sscanf(omitted, "\"omitted_records\":%lf", &r->n_omitted);
        if (!r->is_trace && !r->config && strstr(line, "\"" CONFIG "\":") == line)
            read_config(r, line);
        if (!r->is_trace || line[0] != '{')
            continue;
        while (n > 0 && strchr("\r\n,", line[n - 1]))
            line[--n] = '\0';
        wr_json_tree *event = wr_json_tree_parse(line, why);
        if (!event)
            break;
        read_event(r, event);
        wr_json_tree_free(&event);
    }
    free(line);
}

/* ---- the timeline ---- */

static int by_start(const void *a_at, const void *b_at)
{
    const slice *const a = a_at, *const b = b_at;
    return a->start_us < b->start_us ? -1 : a->start_us > b->start_us;
}

/* Writes one number of each slice. */
static void column_json(wr_json *json, const char *key, const slice *s, int n,
                        double (*get)(const slice *, int n_name), int n_name)
{
    double *const value = malloc(((size_t)n + 1) * sizeof *value);
    if (!value)
        wr_text_buffer_fail(&json->text);
    for (int i = 0; value && i < n; i++)
        value[i] = get(&s[i], n_name);
    if (value)
        wr_report_doubles(json, key, (size_t)n, value);
    free(value);
}

static double start_of(const slice *s, int n_name) { return (void)n_name, s->start_us; }
static double length_of(const slice *s, int n_name) { return (void)n_name, s->length_us; }
static double worker_of(const slice *s, int n_name) { return (void)n_name, s->i_worker; }
static double item_of(const slice *s, int n_name) { return s->item == WAIT ? n_name : s->item; }

/* Writes the newest slices, because a trace keeps the newest records, too. Sorts the slices by time. */
static void timeline_json(wr_json *json, reader *r)
{
    if (r->n_slice > 0)
        qsort(r->slice, (size_t)r->n_slice, sizeof *r->slice, by_start);
    const int n = r->n_slice < CAP_SLICE ? r->n_slice : CAP_SLICE;
    const slice *const s = r->slice + (r->n_slice - n);
    double last_us = 0.0;
    for (int i = 0; i < n; i++)
        last_us = fmax(last_us, s[i].start_us + s[i].length_us);
    wr_json_integer(json, "n_worker", r->n_worker);
    wr_json_integer(json, "n_slice", r->n_slice);
    wr_json_number(json, "n_omitted", r->n_omitted);
    wr_json_number(json, "first_us", n > 0 ? s[0].start_us : 0.0);
    wr_json_number(json, "last_us", last_us);
    wr_json_array(json, "names");
    for (int i = 0; i < r->n_name; i++)
        wr_json_string(json, NULL, r->name[i]);
    wr_json_string(json, NULL, "waiting");
    wr_json_end(json);
    column_json(json, "start_us", s, n, start_of, r->n_name);
    column_json(json, "length_us", s, n, length_of, r->n_name);
    column_json(json, "worker", s, n, worker_of, r->n_name);
    column_json(json, "item", s, n, item_of, r->n_name);
}

/* ---- windows ---- */

static int by_window(const void *a_at, const void *b_at)
{
    const slice *const a = a_at, *const b = b_at;
    if (a->item != b->item)
        return a->item - b->item;
    if (a->from_s < b->from_s || a->from_s > b->from_s)
        return a->from_s < b->from_s ? -1 : 1;
    return by_start(a_at, b_at);
}

/* Points of a curve over the windows of one subsystem. */
typedef struct points {
    size_t n;
    double *t_s, *compute_us, *step_s;
    size_t *index;
} points;

/* Writes the chosen points of a curve as an object. */
static void points_json(wr_json *json, const char *name, const points *p, const char *key,
                        const double *value, size_t cap)
{
    double *const chosen = malloc((p->n + 1) * sizeof *chosen);
    if (!chosen)
        wr_text_buffer_fail(&json->text);
    if (!chosen)
        return;
    const size_t n = wr_thin(p->n, p->t_s, value, NULL, cap, p->index);
    wr_json_object(json, NULL);
    wr_json_string(json, "name", name);
    for (size_t i = 0; i < n; i++)
        chosen[i] = p->t_s[p->index[i]];
    wr_report_doubles(json, "t", n, chosen);
    for (size_t i = 0; i < n; i++)
        chosen[i] = value[p->index[i]];
    wr_report_doubles(json, key, n, chosen);
    wr_json_end(json);
    free(chosen);
}

/* Collects the windows of the slices first .. end - 1 of one subsystem: the time of all sweeps, and the mean step of the last integration. */
static void collect(const slice *s, int first, int end, points *ret)
{
    ret->n = 0;
    for (int i = first; i < end;) {
        double compute_us = 0.0, step_s = (double)NAN;
        const double from_s = s[i].from_s;
        for (; i < end && !(s[i].from_s > from_s); i++) {
            compute_us += s[i].length_us;
            if (s[i].is_integration && s[i].n_step > 0)
                step_s = (s[i].to_s - from_s) / s[i].n_step;
        }
        ret->t_s[ret->n] = from_s;
        ret->compute_us[ret->n] = compute_us;
        ret->step_s[ret->n++] = step_s;
    }
}

/* Writes a list of curves, one for each subsystem. is_step 0: compute times; 1: mean steps. */
static void curves_json(wr_json *json, const reader *r, points *p, int is_step)
{
    const size_t n_share = CAP_POINT / ((size_t)r->n_name + 1);
    const size_t cap = n_share > WR_THIN_PAIR_POINTS ? n_share : WR_THIN_PAIR_POINTS;
    wr_json_array(json, is_step ? "steps" : "compute");
    for (int first = 0, end; first < r->n_slice; first = end) {
        for (end = first; end < r->n_slice && r->slice[end].item == r->slice[first].item; end++)
            ;
        if (r->slice[first].item == WAIT || !isfinite(r->slice[first].from_s))
            continue;
        collect(r->slice, first, end, p);
        points_json(json, r->name[r->slice[first].item], p, is_step ? "length" : "us",
                    is_step ? p->step_s : p->compute_us, cap);
    }
    wr_json_end(json);
}

static void windows_json(wr_json *json, reader *r)
{
    const size_t n = (size_t)r->n_slice + 1;
    points p = {.t_s = malloc(n * sizeof *p.t_s),
                .compute_us = malloc(n * sizeof *p.compute_us),
                .step_s = malloc(n * sizeof *p.step_s),
                .index = malloc(n * sizeof *p.index)};
    if (!p.t_s || !p.compute_us || !p.step_s || !p.index) {
        wr_text_buffer_fail(&json->text);
    } else {
        if (r->n_slice > 0)
            qsort(r->slice, (size_t)r->n_slice, sizeof *r->slice, by_window);
        curves_json(json, r, &p, 0);
        curves_json(json, r, &p, 1);
    }
    free(p.t_s);
    free(p.compute_us);
    free(p.step_s);
    free(p.index);
}

/* Refuses a trace whose config differs from the config of the results. */
static wrsim_status check_config(const reader *r, const char *config, wrsim_error *err)
{
    if (config[0] && r->config && strcmp(r->config, config) == 0)
        return WRSIM_OK;
    return wr_results_fail(
        err, WRSIM_E_ARG, r->file, 0,
        !config[0]   ? "the trace '%s' belongs to a run, but the results have no config; omit the "
                       "trace"
        : !r->config ? "the trace '%s' has no config, because an earlier version of wrsim wrote "
                       "it; repeat the run, or omit the trace"
                     : "the trace '%s' has another config than the results; name the trace of the "
                       "same run",
        r->file);
}

static wrsim_status read_fail(const char *file, int error_number, wrsim_error *err)
{
    return wr_results_fail(err, WRSIM_E_IO, file, 0,
                           "the trace '%s' cannot be read: %s; name the file of wrsim run --trace",
                           file, strerror(error_number));
}

wrsim_status wr_report_trace_json(wr_json *json, const char *file, const char *config,
                                  wrsim_error *err)
{
    reader r = {.file = file};
    FILE *const in = wr_open_file_read(file);
    wrsim_status status = WRSIM_OK;
    if (!in)
        return read_fail(file, errno, err);
    errno = 0;
    read_lines(&r, in);
    if (ferror(in))
        status = read_fail(file, errno, err);
    else if (r.is_memory_out)
        status = memory_fail(&r, err);
    else if (!r.is_trace)
        status =
            wr_results_fail(err, WRSIM_E_ARG, file, 0,
                            "'%s' is no trace of a run; name the file of wrsim run --trace", file);
    else if (!r.is_complete)
        status = wr_results_fail(err, WRSIM_E_IO, file, r.n_line + 1,
                                 "the trace '%s' is damaged or incomplete; repeat the run, or omit "
                                 "the trace",
                                 file);
    else if (r.n_worker == 0)
        status = wr_results_fail(err, WRSIM_E_ARG, file, 0,
                                 "the trace '%s' has no workers, because the run has not ended or "
                                 "the file had no space; repeat the run, or omit the trace",
                                 file);
    fclose(in);
    if (status >= 0)
        status = check_config(&r, config, err);
    if (status >= 0) {
        wr_json_object(json, "trace");
        timeline_json(json, &r);
        windows_json(json, &r);
        wr_json_end(json);
    }
    for (int i = 0; i < r.n_name; i++)
        free(r.name[i]);
    free(r.name);
    free(r.worker);
    free(r.slice);
    free(r.config);
    return status;
}
