/* `wrsim bench busy`: one worker against two workers while other processes load the machine. See bench.h.
 *
 * Load processes compute until this process kills them. If this process ends earlier, the load processes get another parent and end, too.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "bench/bench_rounds.h"

enum { MAX_LOAD = 64, LOOPS = 1000000, WORKERS = 2 };

/* Least median of the ratios at which two workers count as not slower. The limit (assumed) is below 1, because rounds on a shared machine
 * vary by a few per cent. */
static const double LEAST_RATIO = 0.97;

typedef struct load {
    int n;
    pid_t pid[MAX_LOAD];
} load;

static void stop_load(load *l)
{
    for (int i = 0; i < l->n; i++)
        kill(l->pid[i], SIGKILL);
    for (int i = 0; i < l->n; i++)
        while (waitpid(l->pid[i], NULL, 0) < 0 && errno == EINTR)
            continue;
    l->n = 0;
}

/* Starts n load processes. Returns 0, or -1 if a fork fails. */
static int start_load(load *l, int n)
{
    const pid_t parent = getpid();
    fflush(NULL);
    for (int i = 0; i < n; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            volatile double x = 1.0;
            while (getppid() == parent)
                for (int k = 0; k < LOOPS; k++)
                    x = sqrt(x + 1.0);
            _exit(0);
        }
        if (pid < 0)
            return -1;
        l->pid[l->n++] = pid;
    }
    return 0;
}

wrsim_status wr_bench_busy(wr_bench *bench, const wr_bench_case *c)
{
    wr_bench_field *const f = wr_heap_pool_take(bench->trial.memory, 1, sizeof *f);
    if (!f)
        return WRSIM_E_MEMORY;
    if (bench->options.max_core < WORKERS)
        return wr_bench_refuse(bench, "busy needs two cores, but this process may use only one; "
                                      "allow a second core (taskset), or use another machine");
    (void)c;
    for (int cores = 1; cores <= WORKERS; cores++) {
        wr_bench_contestant *const contestant =
            wr_bench_enter(bench, f, cores == 1 ? "one worker" : "two workers", cores);
        if (!contestant)
            return WRSIM_E_MEMORY;
        f->n++;
    }
    load l = {.n = 0};
    if (start_load(&l, bench->options.n_load) != 0) {
        wr_tell(&bench->trial.listener, WR_NEWS_ERROR,
                "a load process cannot be started: %s; end other processes, or lower --load",
                strerror(errno));
        stop_load(&l);
        return WRSIM_E_IO;
    }
    wr_bench_rounds(bench, f);
    stop_load(&l);
    wr_bench_row *const row = wr_bench_row_against(bench, &f->contestant[1], &f->contestant[0]);
    if (!row)
        return WRSIM_E_SOLVER;
    row->note =
        wr_text(bench->trial.memory,
                "%d load process%s; two workers are %s (median of the ratios, at least %.2f)",
                bench->options.n_load, bench->options.n_load == 1 ? "" : "es",
                row->ratio >= LEAST_RATIO ? "not slower" : "slower", LEAST_RATIO);
    return 0;
}
