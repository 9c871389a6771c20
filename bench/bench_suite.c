/* See bench_suite.h.
 *
 * Thread: main. Real-time: no.
 */

#include "bench/bench_suite.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/same_file.h"
#include "base/text_file.h"
#include "bench/bench_case.h"
#include "bench/bench_growth.h"
#include "bench/bench_run.h"
#include "runtime/record/own_file.h"

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
            written[i].path
                ? wr_own_file_refusal(wr_bench_place(bench, written[i].path), written[i].kind)
                : NULL;
        if (refusal)
            return wr_bench_refuse(bench,
                                   "'%s' exists and is not %s; choose another file, or remove it",
                                   written[i].path, refusal);
    }
    if (o->json && o->svg &&
        wr_same_file(wr_bench_place(bench, o->json), wr_bench_place(bench, o->svg)))
        return wr_bench_refuse(bench, "--json and --svg both name '%s'; choose another file",
                               o->json);
    return WRSIM_OK;
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
        status = written[i]
                     ? wr_bench_unwritten(bench, written[i],
                                          wr_text_file_try(wr_bench_place(bench, written[i])))
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
