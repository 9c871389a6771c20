/* Runs a config and writes a trace of its tasks, waits and windows in the JSON format of chrome://tracing and Perfetto.
 *
 *     trace CONFIG TRACE.json [KEY=VALUE ...]
 *
 * Each worker has a list of records, and windows have one more list.
 * The program allocates all lists before the run. A full list counts dropped records; its length MOST_RECORDS is assumed. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wrsim/wrsim.h"

enum { MOST_RECORDS = 1 << 16 };

typedef enum record_kind { TASK, WAIT, WINDOW, REJECTION } record_kind;

typedef struct record {
    record_kind kind;
    int number; /* subsystem of a task, reason of a wait, or number of sweeps of a window */
    double start_s, end_s;
    int64_t start_ns, end_ns;
    int64_t n_step, n_event; /* steps and events of a task */
} record;

typedef struct list {
    int n;
    int64_t n_dropped;
    record *record; /* [MOST_RECORDS] records */
} list;

/* Steps and events of the present task of a subsystem. */
typedef struct counts {
    int64_t n_step, n_event;
} counts;

typedef struct trace {
    int n_worker, n_subsystem;
    list *worker; /* [n_worker + 1] lists of the workers; the last list is for windows */
    counts *now;  /* [n_subsystem] counts of each subsystem */
    int64_t begin_ns;
} trace;

static void add(list *to, record r)
{
    if (to->n < MOST_RECORDS)
        to->record[to->n++] = r;
    else
        to->n_dropped++;
}

/* ---- the observer ---- */

static void on_step(void *user, const wrsim_step_record *step)
{
    ((trace *)user)->now[step->i_subsystem].n_step++;
}

static void on_event(void *user, const wrsim_event_record *event)
{
    ((trace *)user)->now[event->i_subsystem].n_event++;
}

static void on_task(void *user, const wrsim_task_record *task)
{
    trace *const t = user;
    counts *const now = &t->now[task->i_subsystem];
    add(&t->worker[task->i_worker],
        (record){TASK, task->i_subsystem, task->start_s, task->end_s, task->start_ns, task->end_ns,
                 now->n_step, now->n_event});
    *now = (counts){0, 0};
}

static void on_wait(void *user, const wrsim_wait_record *wait)
{
    add(&((trace *)user)->worker[wait->i_worker],
        (record){WAIT, (int)wait->reason, 0.0, 0.0, wait->start_ns, wait->end_ns, 0, 0});
}

static void add_window(trace *t, record_kind kind, const wrsim_window_record *window)
{
    add(&t->worker[t->n_worker], (record){kind, window->n_sweep, window->start_s, window->end_s,
                                          window->wall_ns, window->wall_ns, 0, 0});
}

static void on_window(void *user, const wrsim_window_record *window)
{
    add_window(user, WINDOW, window);
}

static void on_rejection(void *user, const wrsim_window_record *window)
{
    add_window(user, REJECTION, window);
}

/* ---- the file ---- */

static void print_record(FILE *file, const trace *t, const wrsim *sim, int i_list, const record *r)
{
    static const char *const reasons[] = {"wait for tasks", "wait for data", "wait for the clock"};
    wrsim_subsystem_stats subsystem = {.name = "?"};
    if (r->kind == TASK)
        wrsim_stats_subsystem(sim, r->number, &subsystem);
    const char *const name = r->kind == TASK     ? subsystem.name
                             : r->kind == WAIT   ? reasons[r->number]
                             : r->kind == WINDOW ? "window"
                                                 : "rejected window";
    fprintf(file, ",\n{\"name\": \"%s\", \"pid\": 0, \"tid\": %d, \"ts\": %.3f, ", name, i_list,
            1e-3 * (double)(r->start_ns - t->begin_ns));
    if (r->kind == WINDOW || r->kind == REJECTION)
        fprintf(file,
                "\"ph\": \"i\", \"s\": \"p\", \"args\": {\"from s\": %.17g, \"to s\": %.17g, "
                "\"sweeps\": %d}}",
                r->start_s, r->end_s, r->number);
    else if (r->kind == TASK)
        fprintf(file,
                "\"ph\": \"X\", \"dur\": %.3f, \"args\": {\"from s\": %.17g, \"to s\": %.17g, "
                "\"steps\": %lld, \"events\": %lld}}",
                1e-3 * (double)(r->end_ns - r->start_ns), r->start_s, r->end_s,
                (long long)r->n_step, (long long)r->n_event);
    else
        fprintf(file, "\"ph\": \"X\", \"dur\": %.3f}", 1e-3 * (double)(r->end_ns - r->start_ns));
}

static int write_trace(const trace *t, const wrsim *sim, const char *path)
{
    FILE *const file = fopen(path, "w");
    if (!file)
        return -1;
    fprintf(file, "[{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 0, \"args\": {\"name\": "
                  "\"wrsim\"}}");
    int64_t n = 0, n_dropped = 0;
    for (int i = 0; i <= t->n_worker; i++) {
        for (int k = 0; k < t->worker[i].n; k++)
            print_record(file, t, sim, i, &t->worker[i].record[k]);
        n += t->worker[i].n;
        n_dropped += t->worker[i].n_dropped;
    }
    fprintf(file, "]\n");
    printf("%lld records, %lld dropped\n", (long long)n, (long long)n_dropped);
    return fclose(file);
}

/* ---- the run ---- */

static int allocate(trace *t, const wrsim *sim)
{
    wrsim_worker_stats worker;
    wrsim_subsystem_stats subsystem;
    while (wrsim_stats_worker(sim, t->n_worker, &worker) >= 0)
        t->n_worker++;
    while (wrsim_stats_subsystem(sim, t->n_subsystem, &subsystem) >= 0)
        t->n_subsystem++;
    t->now = calloc((size_t)t->n_subsystem, sizeof *t->now);
    t->worker = calloc((size_t)t->n_worker + 1, sizeof *t->worker);
    for (int i = 0; t->worker && i <= t->n_worker; i++)
        if (!(t->worker[i].record = calloc(MOST_RECORDS, sizeof(record))))
            return -1;
    return t->now && t->worker ? 0 : -1;
}

int main(int argc, char **argv)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    trace t = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: trace CONFIG TRACE.json [KEY=VALUE ...]\n");
        return 2;
    }
    wrsim_status status = wrsim_config_from_file(argv[1], (const char *const *)argv + 3, argc - 3,
                                                 NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status >= 0 && allocate(&t, sim) < 0)
        status = WRSIM_E_MEMORY;
    const wrsim_observer observer = {.size_bytes = sizeof observer,
                                     .user = &t,
                                     .task_end = on_task,
                                     .step = on_step,
                                     .event = on_event,
                                     .wait = on_wait,
                                     .window = on_window,
                                     .rejection = on_rejection};
    if (status >= 0)
        status = wrsim_observe(sim, &observer, &err);
    if (status >= 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        t.begin_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        status = wrsim_run(sim, &err);
        if (write_trace(&t, sim, argv[2]) != 0)
            fprintf(stderr, "'%s' cannot be written; choose another file\n", argv[2]);
    }
    if (status < 0 && err.line > 0)
        fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.text);
    else if (status < 0)
        fprintf(stderr, "%s: %s\n", err.file[0] ? err.file : "wrsim", err.text);
    wrsim_finish(sim, NULL);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    for (int i = 0; t.worker && i <= t.n_worker; i++)
        free(t.worker[i].record);
    free(t.worker);
    free(t.now);
    return status < 0;
}
