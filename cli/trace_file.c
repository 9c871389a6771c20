/* Files of traces. See trace_file.h.
 *
 * A viewer nests the slices of a track by their times, so slices of a track must be disjoint or nested. The records of a worker are
 * disjoint, except commits, which are parts of tasks and decisions. A window of a worker begins with the first record of the worker in this
 * window, and ends with the last. Windows of other workers may overlap, because a worker leaves a barrier after the decision.
 *
 * Thread: as trace_file.h. Real-time: no. */
#include "cli/trace_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "cli/program_output.h"
#include "runtime/record/own_file.h"

/* Process number of all tracks, and numbers of the tracks. The tracks of workers follow the track of windows; the tracks of subsystems
 * follow the workers. */
enum { PROCESS = 1, TRACK_WINDOWS = 1 };

typedef struct output {
    wr_text_buffer text;
    int is_short; /* memory is exhausted */
    const wr_trace *trace;
    int n_worker, n_subsystem;
    char **name; /* [n_subsystem] names as JSON strings */
    int64_t
        cut_ns; /* records that end before this time are omitted; INT64_MIN: no record is omitted */
    int64_t begin_ns;   /* time 0 of the file */
    int64_t n_omitted;  /* records that are not in the file */
    int n_window;       /* number of windows with a time of the beginning */
    int64_t *window_ns; /* [n_window] first start of a task of each window; INT64_MAX: unknown */
    int i_first;        /* number of the first window in window_ns */
    const wr_trace_record **sorted; /* [cap] records of one buffer */
} output;

/* ---- texts ---- */

/* Returns a text as a JSON string, which the caller frees; NULL when memory is exhausted. */
static char *json_string(const char *text)
{
    wr_json json = {0};
    wr_json_string(&json, NULL, text);
    char *const string = wr_json_take(&json);
    if (string)
        string[strcspn(string, "\n")] = '\0';
    return string;
}

static void add_string(output *o, const char *value)
{
    char *const string = json_string(value);
    o->is_short |= !string;
    wr_text_buffer_add(&o->text, "%s", string ? string : "");
    free(string);
}

/* JSON has no infinite numbers. */
static void add_number(wr_text_buffer *text, const char *key, double value)
{
    wr_text_buffer_add(text, "%s", key);
    if (isfinite(value))
        wr_text_buffer_number(text, value);
    else
        wr_text_buffer_add(text, "null");
}

/* Adds a time of the file or a duration, us. */
static void add_us(wr_text_buffer *text, const char *key, int64_t ns)
{
    wr_text_buffer_add(text, "%s%s%" PRId64 ".%03d", key, ns < 0 ? "-" : "",
                       (int64_t)(llabs(ns) / 1000), (int)(llabs(ns) % 1000));
}

/* Begins an event up to the arguments. name: a JSON string. */
static void begin_event(output *o, const char *phase, const char *name, const char *category,
                        int i_track, int64_t start_ns)
{
    wr_text_buffer_add(&o->text, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"name\":%s", phase,
                       PROCESS, i_track, name);
    if (category)
        wr_text_buffer_add(&o->text, ",\"cat\":\"%s\"", category);
    add_us(&o->text, ",\"ts\":", start_ns - o->begin_ns);
}

static void begin_slice(output *o, const char *name, const char *category, int i_track,
                        int64_t start_ns, int64_t end_ns)
{
    begin_event(o, "X", name, category, i_track, start_ns);
    add_us(&o->text, ",\"dur\":", end_ns - start_ns);
}

static void end_event(output *o) { wr_text_buffer_add(&o->text, "}"); }

static void add_counter(output *o, const char *name, int64_t ns, double value)
{
    if (!isfinite(value))
        return;
    begin_event(o, "C", name, NULL, TRACK_WINDOWS, ns);
    add_number(&o->text, ",\"args\":{\"value\":", value);
    wr_text_buffer_add(&o->text, "}}");
}

static void add_span(output *o, const wr_trace_record *r)
{
    add_number(&o->text, ",\"args\":{\"from s\":", r->from_s);
    add_number(&o->text, ",\"to s\":", r->to_s);
}

/* ---- which records ---- */

static int is_kept(const output *o, const wr_trace_record *r) { return r->end_ns >= o->cut_ns; }

static int64_t n_in(const output *o, int i)
{
    const int64_t n = wr_trace_buffer_of(o->trace, i)->n, cap = wr_trace_cap(o->trace);
    return n < cap ? n : cap;
}

static const wr_trace_record *record_at(const output *o, int i, int64_t k)
{
    const wr_trace_buffer *const b = wr_trace_buffer_of(o->trace, i);
    return &b->record[(b->n - n_in(o, i) + k) % wr_trace_cap(o->trace)];
}

/* Returns the start of a record; for windows and sweeps the end, because their start follows from tasks. */
static int64_t start_of(const wr_trace_record *r)
{
    return r->kind >= WR_TRACE_SWEEP ? r->end_ns : r->start_ns;
}

/* Sets the times of the file. All buffers begin at one time: the latest begin of a buffer that has lost records. */
static void set_times(output *o)
{
    o->cut_ns = INT64_MIN;
    o->begin_ns = INT64_MAX;
    for (int i = 0; i <= o->n_worker; i++)
        if (wr_trace_buffer_of(o->trace, i)->n > n_in(o, i) &&
            record_at(o, i, 0)->end_ns > o->cut_ns)
            o->cut_ns = record_at(o, i, 0)->end_ns;
    for (int i = 0; i <= o->n_worker; i++) {
        int64_t n_kept = 0;
        for (int64_t k = 0; k < n_in(o, i); k++) {
            const wr_trace_record *const r = record_at(o, i, k);
            if (!is_kept(o, r))
                continue;
            n_kept++;
            o->begin_ns = start_of(r) < o->begin_ns ? start_of(r) : o->begin_ns;
        }
        o->n_omitted += wr_trace_buffer_of(o->trace, i)->n - n_kept;
    }
    o->begin_ns = o->begin_ns < INT64_MAX ? o->begin_ns : 0;
}

/* Finds the first start of a task of each window. Returns 0, or -1 when memory is exhausted. */
static int find_windows(output *o)
{
    const int i = o->n_worker;
    const int64_t n = n_in(o, i);
    o->i_first = n > 0 ? record_at(o, i, 0)->i_window : 0;
    o->n_window = n > 0 ? record_at(o, i, n - 1)->i_window - o->i_first + 1 : 0;
    o->window_ns = malloc(((size_t)o->n_window + 1) * sizeof *o->window_ns);
    o->sorted = malloc((size_t)wr_trace_cap(o->trace) * sizeof *o->sorted);
    if (!o->window_ns || !o->sorted)
        return -1;
    for (int k = 0; k <= o->n_window; k++)
        o->window_ns[k] = INT64_MAX;
    for (int w = 0; w < o->n_worker; w++)
        for (int64_t k = 0; k < n_in(o, w); k++) {
            const wr_trace_record *const r = record_at(o, w, k);
            const int at = r->i_window - o->i_first;
            if (r->kind == WR_TRACE_TASK && at >= 0 && at < o->n_window &&
                r->start_ns < o->window_ns[at])
                o->window_ns[at] = r->start_ns;
        }
    return 0;
}

/* ---- windows ---- */

static void add_window_args(output *o, const wr_trace_record *r)
{
    add_span(o, r);
    wr_text_buffer_add(&o->text, ",\"%s\":%d,\"integrations\":%d",
                       r->kind == WR_TRACE_SWEEP ? "sweep" : "sweeps", r->i_sweep, r->n_step);
    add_number(&o->text, ",\"change\":", r->as.change);
    if (r->kind == WR_TRACE_REJECTION)
        wr_text_buffer_add(&o->text, ",\"failed\":%s",
                           r->i_subsystem >= 0 && r->i_subsystem < o->n_subsystem
                               ? o->name[r->i_subsystem]
                               : "null");
    wr_text_buffer_add(&o->text, "}");
    end_event(o);
}

static void add_window_counters(output *o, const wr_trace_record *r)
{
    add_counter(o, "\"simulated time [s]\"", r->end_ns, r->to_s);
    add_counter(o, "\"window length [s]\"", r->end_ns, r->to_s - r->from_s);
    add_counter(o, "\"sweeps per window\"", r->end_ns, r->i_sweep);
    add_counter(o, "\"integrations per window\"", r->end_ns, r->n_step);
}

/* Adds the slice of a window or sweep. If older records are omitted, the first window may have begun before time 0 of the file. Its slice
 * then begins at time 0. */
static void add_window(output *o, const wr_trace_record *r, int64_t start_ns)
{
    start_ns = start_ns > o->begin_ns ? start_ns : o->begin_ns;
    static const char *const names[][2] = {
        [WR_TRACE_SWEEP] = {"\"sweep\"", "sweep"},
        [WR_TRACE_WINDOW] = {"\"window\"", "window"},
        [WR_TRACE_REJECTION] = {"\"rejected window\"", "rejection"}};
    begin_slice(o, names[r->kind][0], names[r->kind][1], TRACK_WINDOWS, start_ns, r->end_ns);
    if (r->kind == WR_TRACE_REJECTION)
        wr_text_buffer_add(&o->text, ",\"cname\":\"terrible\"");
    add_window_args(o, r);
    if (r->kind == WR_TRACE_WINDOW)
        add_window_counters(o, r);
}

/* Adds the track of windows. A window begins with its first task. A sweep begins at the end of the sweep before, or with its window. Viewers
 * expect a window before its sweeps. */
static void add_windows(output *o)
{
    const int64_t n = n_in(o, o->n_worker);
    int64_t before_ns = INT64_MIN; /* end of the window before */
    for (int64_t k = 0, next; k < n; k = next) {
        int64_t last =
            k; /* record of the window, which follows its sweeps; n: the last window has no end */
        while (last < n && record_at(o, o->n_worker, last)->kind == WR_TRACE_SWEEP)
            last++;
        const wr_trace_record *const first = record_at(o, o->n_worker, k);
        const int64_t task_ns = o->window_ns[first->i_window - o->i_first];
        int64_t start_ns = task_ns < first->end_ns && task_ns > before_ns ? task_ns : before_ns;
        next = last < n ? last + 1 : n;
        if (last < n) {
            const wr_trace_record *const window = record_at(o, o->n_worker, last);
            before_ns = window->end_ns;
            if (is_kept(o, window) && start_ns > INT64_MIN)
                add_window(o, window, start_ns);
        }
        for (int64_t i = k; i < last; i++) {
            const wr_trace_record *const sweep = record_at(o, o->n_worker, i);
            if (is_kept(o, sweep) && start_ns > INT64_MIN)
                add_window(o, sweep, start_ns);
            start_ns = sweep->end_ns;
        }
    }
}

/* ---- workers ---- */

static int by_start(const void *a, const void *b)
{
    const wr_trace_record *const r = *(const wr_trace_record *const *)a,
                                 *const s = *(const wr_trace_record *const *)b;
    if (r->start_ns != s->start_ns)
        return r->start_ns < s->start_ns ? -1 : 1;
    return r->end_ns == s->end_ns ? 0 : r->end_ns > s->end_ns ? -1 : 1;
}

static void add_task(output *o, const wr_trace_record *r, int i_track)
{
    begin_slice(o, o->name[r->i_subsystem], r->is_unchanged ? "check" : "integration", i_track,
                r->start_ns, r->end_ns);
    add_span(o, r);
    wr_text_buffer_add(&o->text, ",\"sweep\":%d,\"steps\":%d,\"events\":%d", r->i_sweep, r->n_step,
                       r->n_event);
    if (r->is_ahead)
        wr_text_buffer_add(&o->text, ",\"ahead\":true");
    if (r->as.status < 0) {
        wr_text_buffer_add(&o->text, ",\"failed\":");
        add_string(o, wrsim_status_text(r->as.status));
    }
    wr_text_buffer_add(&o->text, "}");
    end_event(o);
}

static void add_worker_record(output *o, const wr_trace_record *r, int i_track)
{
    static const char *const reasons[] = {[WRSIM_WAIT_BARRIER] = "\"wait for tasks\"",
                                          [WRSIM_WAIT_DATA] = "\"wait for data\"",
                                          [WRSIM_WAIT_CLOCK] = "\"wait for the clock\""};
    if (r->kind == WR_TRACE_TASK) {
        add_task(o, r, i_track);
        return;
    }
    if (r->kind == WR_TRACE_WAIT)
        begin_slice(o, reasons[r->as.reason], "wait", i_track, r->start_ns, r->end_ns);
    else if (r->kind == WR_TRACE_DECISION)
        begin_slice(o, "\"decision\"", "decision", i_track, r->start_ns, r->end_ns);
    else {
        begin_slice(o, "\"commit\"", "commit", i_track, r->start_ns, r->end_ns);
        wr_text_buffer_add(&o->text, ",\"args\":{\"subsystem\":%s}", o->name[r->i_subsystem]);
    }
    end_event(o);
}

/* Adds the slice of the window or sweep that the records from k on belong to. Records of runs without windows, and
 * records after the last sweep of a run, have no slice. Returns the number of the first record after the window or sweep. */
static int add_group(output *o, int k, int n, int i_track, int is_sweep)
{
    const wr_trace_record *const first = o->sorted[k];
    int64_t end_ns = first->end_ns;
    int last = k;
    for (; last < n && o->sorted[last]->i_window == first->i_window &&
           (!is_sweep || o->sorted[last]->i_sweep == first->i_sweep);
         last++)
        end_ns = o->sorted[last]->end_ns > end_ns ? o->sorted[last]->end_ns : end_ns;
    const int at = first->i_window - o->i_first;
    if (at < 0 || at >= o->n_window)
        return last;
    begin_slice(o, is_sweep ? "\"sweep\"" : "\"window\"", is_sweep ? "sweep" : "window", i_track,
                first->start_ns, end_ns);
    wr_text_buffer_add(&o->text, ",\"args\":{\"%s\":%d}", is_sweep ? "sweep" : "window",
                       is_sweep ? first->i_sweep : first->i_window);
    end_event(o);
    return last;
}

static void add_worker(output *o, int i_worker)
{
    const int i_track = TRACK_WINDOWS + 1 + i_worker;
    int n = 0;
    for (int64_t k = 0; k < n_in(o, i_worker); k++) {
        const wr_trace_record *const r = record_at(o, i_worker, k);
        if (is_kept(o, r) && r->kind != WR_TRACE_PERIOD)
            o->sorted[n++] = r;
    }
    qsort(o->sorted, (size_t)n, sizeof *o->sorted, by_start);
    for (int k = 0, window_end = 0, sweep_end = 0; k < n; k++) {
        if (k == window_end)
            window_end = add_group(o, k, n, i_track, 0);
        if (k == sweep_end)
            sweep_end = add_group(o, k, n, i_track, 1);
        add_worker_record(o, o->sorted[k], i_track);
    }
}

/* ---- periods ---- */

static void add_periods(output *o, int i_worker)
{
    for (int64_t k = 0; k < n_in(o, i_worker); k++) {
        const wr_trace_record *const r = record_at(o, i_worker, k);
        if (r->kind != WR_TRACE_PERIOD || !is_kept(o, r))
            continue;
        const int i_track = TRACK_WINDOWS + 1 + o->n_worker + r->i_subsystem;
        begin_slice(o, "\"period\"", "period", i_track, r->start_ns, r->end_ns);
        add_span(o, r);
        wr_text_buffer_add(&o->text, ",\"sweeps\":%d", r->i_sweep);
        if (r->has_deadline)
            add_us(&o->text, ",\"margin us\":", -r->as.over_ns);
        wr_text_buffer_add(&o->text, "}");
        end_event(o);
        if (!r->has_deadline)
            continue;
        const int is_miss = r->as.over_ns > 0;
        begin_event(o, "i", is_miss ? "\"missed deadline\"" : "\"deadline\"",
                    is_miss ? "miss" : "deadline", i_track, r->end_ns - r->as.over_ns);
        wr_text_buffer_add(&o->text, ",\"s\":\"t\"");
        end_event(o);
        add_counter(o, "\"margin to the deadline [us]\"", r->end_ns, -1e-3 * (double)r->as.over_ns);
    }
}

/* ---- the file ---- */

static void add_track(output *o, int i_track, const char *name)
{
    wr_text_buffer_add(&o->text,
                       ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\","
                       "\"args\":{\"name\":%s}},\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":"
                       "\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
                       PROCESS, i_track, name, PROCESS, i_track, i_track);
}

static int has_periods(const output *o)
{
    for (int i = 0; i < o->n_worker; i++)
        for (int64_t k = 0; k < n_in(o, i); k++)
            if (record_at(o, i, k)->kind == WR_TRACE_PERIOD)
                return 1;
    return 0;
}

static void add_tracks(output *o)
{
    char name[32];
    if (n_in(o, o->n_worker) > 0)
        add_track(o, TRACK_WINDOWS, "\"windows\"");
    for (int i = 0; i < o->n_worker; i++) {
        snprintf(name, sizeof name, "\"worker %d\"", i);
        add_track(o, TRACK_WINDOWS + 1 + i, name);
    }
    for (int i = 0; i < o->n_subsystem && has_periods(o); i++)
        add_track(o, TRACK_WINDOWS + 1 + o->n_worker + i, o->name[i]);
}

/* Adds the members that describe the file. */
static void add_description(output *o, const wr_trace_about *about)
{
    wr_text_buffer *const t = &o->text;
    wr_text_buffer_add(
        t, WR_OWN_TRACE_MARK "1\",\n\"program\":\"wrsim %s\",\n\"config\":", WRSIM_VERSION_STRING);
    add_string(o, about->config);
    wr_text_buffer_add(t, ",\n\"config_text\":");
    add_string(o, about->config_text);
    wr_text_buffer_add(t, ",\n\"state\":");
    add_string(o, about->state);
    wr_text_buffer_add(t, ",\n\"kept\":\"%s\",\n\"omitted_records\":%" PRId64 ",\n\"wait_ns\":[",
                       o->n_omitted > 0 ? "the newest records" : "all records", o->n_omitted);
    for (int i = 0; i < o->n_worker; i++)
        wr_text_buffer_add(t, "%s%" PRId64, i > 0 ? "," : "", wr_trace_wait_ns(o->trace, i));
    wr_text_buffer_add(t, "]},\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[\n"
                          "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":");
    add_string(o, about->config[0] ? about->config : "wrsim");
    wr_text_buffer_add(t, "}}");
}

static void add_records(output *o)
{
    char text[96];
    add_tracks(o);
    if (o->n_omitted > 0) {
        snprintf(text, sizeof text, "\"%" PRId64 " older records are not in this file\"",
                 o->n_omitted);
        begin_event(o, "i", text, "omitted", TRACK_WINDOWS, o->begin_ns);
        wr_text_buffer_add(&o->text, ",\"s\":\"g\"");
        end_event(o);
    }
    add_windows(o);
    for (int i = 0; i < o->n_worker; i++)
        add_worker(o, i);
    for (int i = 0; i < o->n_worker; i++)
        add_periods(o, i);
}

/* Reads the names of the subsystems. Returns 0, or -1 when memory is exhausted. */
static int read_names(output *o, const wrsim *sim)
{
    wrsim_subsystem_stats s;
    wrsim_stats all;
    wrsim_stats_get(sim, &all);
    o->name = calloc((size_t)all.n_subsystem + 1, sizeof *o->name);
    for (; o->name && o->n_subsystem < all.n_subsystem; o->n_subsystem++)
        if (wrsim_stats_subsystem(sim, o->n_subsystem, &s) < 0 ||
            !(o->name[o->n_subsystem] = json_string(s.name)))
            return -1;
    return o->name ? 0 : -1;
}

wrsim_status wr_trace_file_write(const wr_trace *trace, const wrsim *sim,
                                 const wr_trace_about *about, const char *path, wrsim_error *err)
{
    output o = {.trace = trace, .n_worker = trace ? wr_trace_workers(trace) : 0};
    if (trace)
        set_times(&o);
    o.is_short = trace && (read_names(&o, sim) < 0 || find_windows(&o) < 0);
    add_description(&o, about);
    if (trace && !o.is_short)
        add_records(&o);
    wr_text_buffer_add(&o.text, "\n]}\n");
    for (int i = 0; i < o.n_subsystem; i++)
        free(o.name[i]);
    free(o.name);
    free(o.window_ns);
    free(o.sorted);
    if (!o.is_short)
        return wr_text_buffer_write(&o.text, wr_program_output_path(path), err);
    wr_text_buffer_done(&o.text);
    return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for trace '%s'", path);
}
