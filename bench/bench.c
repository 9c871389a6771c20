/* See bench.h. Thread: main. Real-time: no. */

#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/same_file.h"
#include "base/text_file.h"
#include "runtime/record/own_file.h"
#include "scheduler/topology.h"

/* The flag is atomic, because workers read it, too. A signal handler may write a lock-free atomic (C17, 7.14.1.1, paragraph 5). */
static atomic_int is_signalled;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not wait");

/* Sets is_signalled. The default actions, which the function restores, end the program at a second signal. */
static void on_signal(int number)
{
    (void)number;
    wr_bench_obey_signals();
    atomic_store_explicit(&is_signalled, 1, memory_order_relaxed);
}

void wr_bench_catch_signals(void)
{
    /* Without SA_RESTART, a signal ends a read from a peer. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void wr_bench_obey_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int wr_bench_is_interrupted(void)
{
    return atomic_load_explicit(&is_signalled, memory_order_relaxed);
}

double wr_bench_left_s(const wr_bench *bench)
{
    if (!(bench->options.total_s > 0.0))
        return (double)INFINITY;
    return bench->options.total_s - (double)(wr_clock_monotonic_ns() - bench->start_ns) * 1e-9;
}

int wr_bench_is_over(const wr_bench *bench)
{
    return wr_bench_is_interrupted() || !(wr_bench_left_s(bench) > 0.0);
}

static int is_over(void *user) { return wr_bench_is_over(user); }

wrsim_status wr_bench_create(wr_bench *bench, const wr_bench_options *options,
                             const wr_listener *listener)
{
    *bench = (wr_bench){.options = *options,
                        .trial = {.listener = {.tell = listener->tell,
                                               .report = listener->report,
                                               .is_over = is_over,
                                               .user = bench},
                                  .memory = wr_heap_pool_create(NULL)}};
    return bench->trial.memory ? WRSIM_OK : WRSIM_E_MEMORY;
}

void wr_bench_destroy(wr_bench *bench) { wr_heap_pool_destroy(&bench->trial.memory); }

wrsim_status wr_bench_refuse(const wr_bench *bench, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    if (n >= 0)
        wr_tell(&bench->trial.listener, WR_NEWS_USAGE, "%s", text);
    if (n >= 0)
        free(text);
    return WRSIM_E_ARG;
}

void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row)
{
    if (bench->n_row == bench->cap_row) {
        wr_bench_row *const longer = wr_array_grow(bench->trial.memory, bench->row, bench->n_row,
                                                   &bench->cap_row, sizeof *bench->row);
        if (!longer)
            return;
        bench->row = longer;
    }
    bench->row[bench->n_row++] = *row;
}

wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name)
{
    wr_heap_pool *const memory = bench->trial.memory;
    const int n = bench->n_curve;
    if (n == bench->cap_curve) {
        int cap;
        const char **const names =
            wr_array_grow(memory, bench->curve_case, n, &cap, sizeof *bench->curve_case);
        wr_bench_curve *const longer =
            wr_array_grow(memory, bench->curve, n, &cap, sizeof *bench->curve);
        if (!names || !longer)
            return NULL;
        bench->curve_case = names;
        bench->curve = longer;
        bench->cap_curve = cap;
    }
    bench->curve_case[n] = case_name;
    bench->curve[n] = (wr_bench_curve){.name = name, .floor = (double)NAN};
    return &bench->curve[bench->n_curve++];
}

void wr_bench_curve_drop(wr_bench *bench) { bench->n_curve--; }

int wr_bench_count_cores(void)
{
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    const int n = topology ? topology->n_core : 1;
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
    return n;
}

wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file)
{
    const wr_bench_options *const o = &bench->options;
    const struct {
        const char *name, *path;
    } written[] = {{"--json", o->json}, {"--svg", o->svg}, {"--write", o->write}};
    for (size_t i = 0; i < WR_COUNT_OF(written); i++)
        if (written[i].path && wr_same_file(wr_bench_place(bench, written[i].path), file))
            return wr_bench_refuse(bench, "%s '%s' would overwrite %s '%s'; choose another file",
                                   written[i].name, written[i].path, what, file);
    return WRSIM_OK;
}

wrsim_status wr_bench_unwritten(const wr_bench *bench, const char *file, int error_number)
{
    if (error_number == 0)
        return WRSIM_OK;
    wr_tell(&bench->trial.listener, WR_NEWS_ERROR,
            "'%s' cannot be written: %s; choose another file", file, strerror(error_number));
    return WRSIM_E_IO;
}

wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text)
{
    return wr_bench_unwritten(
        bench, file, text ? wr_text_file_write(wr_bench_place(bench, file), text) : ENOMEM);
}
