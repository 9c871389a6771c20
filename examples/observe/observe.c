/* Runs a config, and prints the longest task of each subsystem by an observer.
 *
 *     observe CONFIG [KEY=VALUE ...] */
#include <stdio.h>
#include <stdlib.h>

#include "wrsim/wrsim.h"

/* Tasks of one subsystem. Calls for one subsystem never overlap, so the numbers need no lock. */
typedef struct tasks {
    long n;
    double longest_ms;
    double start_s, end_s; /* window of the longest task */
} tasks;

static void on_task(void *user, const wrsim_task_record *task)
{
    tasks *const t = &((tasks *)user)[task->i_subsystem];
    const double ms = 1e-6 * (double)(task->end_ns - task->start_ns);
    t->n++;
    if (ms <= t->longest_ms)
        return;
    t->longest_ms = ms;
    t->start_s = task->start_s;
    t->end_s = task->end_s;
}

static void print(const wrsim *sim, const tasks *list)
{
    wrsim_subsystem_stats s;
    printf("%-16s %8s %12s %12s %12s\n", "subsystem", "tasks", "longest [ms]", "from [s]",
           "to [s]");
    for (int i = 0; wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK; i++)
        printf("%-16s %8ld %12.4g %12.6g %12.6g\n", s.name, list[i].n, list[i].longest_ms,
               list[i].start_s, list[i].end_s);
}

int main(int argc, char **argv)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_stats all = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: observe CONFIG [KEY=VALUE ...]\n");
        return 2;
    }
    wrsim_status status = wrsim_config_from_file(argv[1], (const char *const *)argv + 2, argc - 2,
                                                 NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status >= 0)
        wrsim_stats_get(sim, &all);
    tasks *const list = calloc((size_t)all.n_subsystem + 1, sizeof *list);
    const wrsim_observer observer = {
        .size_bytes = sizeof observer, .user = list, .task_end = on_task};
    if (status >= 0)
        status = list ? wrsim_observe(sim, &observer, &err) : WRSIM_E_MEMORY;
    if (status >= 0) {
        status = wrsim_run(sim, &err);
        print(sim, list);
    }
    if (status < 0 && err.line > 0)
        fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.text);
    else if (status < 0)
        fprintf(stderr, "%s: %s\n", err.file[0] ? err.file : "wrsim", err.text);
    wrsim_finish(sim, NULL);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    free(list);
    return status < 0;
}
