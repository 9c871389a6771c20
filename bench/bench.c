/* Shared parts of all benchmarks: rows, curves, files, and the loop over a suite. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
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

enum { LARGEST = 10000 };

static int is_over(void *user) { return wr_bench_is_over(user); }

wrsim_status wr_bench_create(wr_bench *bench, const wr_listener *told)
{
    *bench = (wr_bench){
        .options = {.n_run = 9, .warm_s = -1.0, .limit_s = 60.0, .n_load = 2, .n_largest = LARGEST},
        .trial = {.listener = *told, .memory = wr_settings_memory_create()}};
    bench->trial.listener.is_over = is_over;
    bench->trial.listener.user = bench;
    return bench->trial.memory ? WRSIM_OK : WRSIM_E_MEMORY;
}

void wr_bench_destroy(wr_bench *bench) { wr_settings_memory_destroy(&bench->trial.memory); }

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
    wr_settings_memory *const memory = bench->trial.memory;
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

int wr_bench_count_cores(void)
{
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    const int n = topology ? topology->n_core : 1;
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
    return n;
}

static const char *place_of(const wr_bench *bench, const char *name)
{
    return bench->options.place_of ? bench->options.place_of(name) : name;
}

wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file)
{
    const wr_bench_options *const o = &bench->options;
    const struct {
        const char *name, *path;
    } written[] = {{"--json", o->json}, {"--svg", o->svg}, {"--write", o->write}};
    for (size_t i = 0; i < WR_COUNT_OF(written); i++)
        if (written[i].path && wr_same_file(place_of(bench, written[i].path), file))
            return wr_bench_refuse(bench, "%s '%s' would overwrite %s '%s'; choose another file",
                                   written[i].name, written[i].path, what, file);
    return WRSIM_OK;
}

/* error_number: errno; 0 returns WRSIM_OK. */
static wrsim_status tell_unwritten(const wr_bench *bench, const char *file, int error_number)
{
    if (error_number == 0)
        return WRSIM_OK;
    wr_tell(&bench->trial.listener, WR_NEWS_ERROR, "'%s' cannot be written: %s", file,
            strerror(error_number));
    return WRSIM_E_IO;
}

/* Refuses to replace a file that wrsim did not write, or a file that is another output of the same command. */
static wrsim_status check_replaced(const wr_bench *bench)
{
    const wr_bench_options *const o = &bench->options;
    const struct {
        const char *path;
        wr_own_kind kind;
    } written[] = {{o->json, WR_OWN_BENCH}, {o->svg, WR_OWN_DRAWING}, {o->write, WR_OWN_CONFIG}};
    for (size_t i = 0; i < WR_COUNT_OF(written); i++) {
        const char *const refusal =
            written[i].path ? wr_own_file_refusal(place_of(bench, written[i].path), written[i].kind)
                            : NULL;
        if (refusal)
            return wr_bench_refuse(bench,
                                   "'%s' exists and is not %s; choose another file, or remove it",
                                   written[i].path, refusal);
    }
    if (o->json && o->svg && wr_same_file(place_of(bench, o->json), place_of(bench, o->svg)))
        return wr_bench_refuse(bench, "--json and --svg both name '%s'; choose another file",
                               o->json);
    return WRSIM_OK;
}

wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text)
{
    return tell_unwritten(bench, file,
                          text ? wr_text_file_write(place_of(bench, file), text) : ENOMEM);
}

static wrsim_status do_cases(wr_bench *bench, const char *file, wr_bench_case_fn fn)
{
    wr_bench_case *list = NULL;
    int n = 0;
    wrsim_status worst = WRSIM_OK, status = wr_bench_cases_load(bench, file, &list, &n);
    if (status == WRSIM_OK && n > 1 && bench->options.write)
        status = wr_bench_refuse(bench, "--write takes one case; name it with --case");
    if (status == WRSIM_OK) /* after the check that no config is overwritten */
        status = check_replaced(bench);
    if (status != WRSIM_OK)
        return status;
    for (int i = 0; i < n && !wr_bench_is_over(bench); i++) {
        bench->at = &list[i];
        bench->trial.at = &list[i].run;
        status = fn(bench, &list[i]);
        worst = status != WRSIM_OK ? status : worst;
    }
    wr_bench_forget(bench);
    return worst;
}

/* Reports a peer program that cannot be run before the first case, because each case would omit its rows silently. */
static wrsim_status try_peers(const wr_bench *bench, const char *program)
{
    if (!program || access(program, X_OK) == 0)
        return WRSIM_OK;
    return wr_bench_refuse(bench, "--peers '%s' cannot be run: %s", program, strerror(errno));
}

wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn)
{
    const wr_bench_options *const o = &bench->options;
    const char *const written[] = {o->json, o->svg, o->write};
    wrsim_status status = try_peers(bench, o->peers);
    for (size_t i = 0; i < WR_COUNT_OF(written) && status == WRSIM_OK; i++)
        status = written[i] ? tell_unwritten(bench, written[i],
                                             wr_text_file_try(place_of(bench, written[i])))
                            : WRSIM_OK;
    if (status == WRSIM_OK)
        status = wr_trial_open(&bench->trial);
    if (status != WRSIM_OK)
        return status;
    if (o->max_core == 0)
        bench->options.max_core = wr_bench_count_cores();
    bench->trial.limit_s = o->limit_s;
    bench->start_ns = wr_clock_monotonic_ns();
    wr_bench_catch_signals();
    if (file)
        status = do_cases(bench, file, fn);
    else if ((status = check_replaced(bench)) == WRSIM_OK)
        status = wr_bench_growth(bench);
    wr_trial_close(&bench->trial);
    if (wr_bench_is_interrupted())
        return WRSIM_STOPPED;
    return wr_settings_memory_failed(bench->trial.memory) ? WRSIM_E_MEMORY : status;
}
