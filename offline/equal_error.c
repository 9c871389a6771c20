/* The tolerance of one solver that gives the error of a split run. See equal_error.h. Thread: one owner. Real-time: no. */
#include "offline/equal_error.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/check.h"
#include "base/clock.h"
#include "offline/trial_files.h"

/* Tolerance of the reference, per tolerance of the split. Errors of a solver are about proportional to its tolerance, so the reference has
 * about a hundredth of the error of one solver with the split's tolerance. */
static const double REFERENCE_RTOL = 1e-2, LEAST_RTOL = 1e-13;
/* Ratio of successive tolerances of the search, and largest number of them: tolerances up to a factor of 1000 from the split's. */
static const double STEP = 4.0, LOOSEST = 0.1;
enum { MOST_STEPS = 5 };
/* Least error that differs clearly from the error of the reference. */
static const double LEAST_ERROR = 1e-11;

typedef struct search {
    const wr_equal_error_request *of;
    char file[WR_TRIAL_PATH_BYTES + 16];
    wr_results *reference;
    wrsim *sim;
    int is_late;
} search;

static void stop_when_late(void *user, const wrsim_progress *progress)
{
    search *const s = user;
    (void)progress;
    if (wr_clock_thread_cpu_ns() < s->of->until_ns)
        return;
    s->is_late = 1;
    wrsim_stop(s->sim);
}

/* Runs until to_s and reads the results. Returns the counted work, or -1. */
static double record(search *s, const wr_settings *set, wr_results **ret_results)
{
    double work = -1.0;
    wrsim_stats stats;
    *ret_results = NULL;
    wrsim_status status = wr_run_open_recorded(set, s->file, s->of->from_s, &s->sim, NULL);
    if (status >= 0)
        status = wrsim_set_progress(s->sim, stop_when_late, s);
    if (status >= 0)
        status = wrsim_advance(s->sim, s->of->to_s, NULL);
    if (status >= 0 && !s->is_late && wrsim_stats_get(s->sim, &stats) >= 0) {
        work = 0.0;
        for (int i = 0; i < stats.n_subsystem; i++) {
            wrsim_subsystem_stats part;
            wrsim_stats_subsystem(s->sim, i, &part);
            work += wr_run_work(&part, stats.n_subsystem, NULL);
        }
    }
    if (s->sim && wrsim_finish(s->sim, NULL) >= 0 && work >= 0.0)
        *ret_results = wr_results_load(s->file, NULL);
    wrsim_destroy(&s->sim);
    unlink(s->file);
    return *ret_results ? work : -1.0;
}

/* Runs one solver, or the split if rtol is 0. Returns the work, or -1. */
static double run(search *s, double rtol, double *ret_error)
{
    WR_AUTO(wr_results_destroy) wr_results *results = NULL;
    const char *worst;
    wr_settings set = *s->of->split;
    set.simulation.monolithic = WR_GROUPING_SPLIT;
    if (rtol > 0.0)
        wr_run_make_monolithic(&set, rtol);
    const double work = record(s, &set, &results);
    *ret_error = results ? wr_trial_difference(results, s->reference, &worst) : (double)NAN;
    return isfinite(*ret_error) ? work : -1.0;
}

/* Moves the tolerance from that of the split in the direction of the split's error, until one solver's error passes this error.
 * Interpolates logarithms between the last two tolerances. */
static int find(search *s, wr_equal_error *ret)
{
    double error, before, now;
    if (run(s, 0.0, &error) < 0.0 || !(error >= LEAST_ERROR))
        return -1;
    const double first = run(s, s->of->rtol, &before);
    if (first < 0.0)
        return -1;
    before = wr_max(before, LEAST_ERROR);
    const int is_looser = before < error;
    double rtol = s->of->rtol, work = first, share = 0.0, rtol_now = rtol, work_now = first;
    for (int i = 0; i < MOST_STEPS; i++) {
        const double next = is_looser ? rtol_now * STEP : rtol_now / STEP;
        if (next > LOOSEST || next < REFERENCE_RTOL * s->of->rtol)
            break;
        const double next_work = run(s, next, &now);
        if (next_work < 0.0) /* for example, the tolerance is too loose to run */
            break;
        now = wr_max(now, LEAST_ERROR);
        rtol = rtol_now;
        work = work_now;
        rtol_now = next;
        work_now = next_work;
        share = now == before ? 1.0 : wr_clamp(log(error / before) / log(now / before), 0.0, 1.0);
        if ((now > error) == is_looser)
            break;
        before = now;
    }
    ret->error = error;
    ret->rtol = rtol * pow(rtol_now / rtol, share);
    ret->work = work / first * pow(work_now / work, share);
    return 0;
}

int wr_equal_error_find(const wr_equal_error_request *request, wr_equal_error *ret)
{
    search s = {.of = request};
    char folder[WR_TRIAL_PATH_BYTES];
    if (!(request->rtol > 0.0) || wr_trial_folder(folder, NULL) < 0)
        return -1;
    snprintf(s.file, sizeof s.file, "%s/run.csv", folder);
    wr_settings set = *request->split;
    wr_run_make_monolithic(&set, wr_max(REFERENCE_RTOL * request->rtol, LEAST_RTOL));
    const int code = record(&s, &set, &s.reference) < 0.0 ? -1 : find(&s, ret);
    wr_results_destroy(&s.reference);
    rmdir(folder);
    return code;
}
