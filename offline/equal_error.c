/* The tolerance of one solver that gives the error of a split run. See equal_error.h. Thread: one owner. Real-time: no. */
#include "offline/equal_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/number.h"
#include "offline/trial_files.h"

/* REFERENCE_RTOL: tolerance of the reference, in units of the tolerance of the split. LEAST_RTOL: least tolerance of the reference. Both
 * are assumed. Errors of a solver are about proportional to its tolerance. So the reference has about a hundredth of the error of one
 * solver with the split's tolerance. */
static const double REFERENCE_RTOL = 1e-2, LEAST_RTOL = 1e-13;
/* STEP: ratio of successive tolerances of the search. MOST_STEPS: largest number of steps, to a factor of 1e6 from the split's tolerance.
 * HALVINGS: number of times that the search halves the logarithmic interval between the last two tolerances, because an error is no power
 * law of the tolerance. All are assumed. LOOSEST: limit of simulation.rtol (runtime/config/keys.c). */
static const double STEP = 4.0, LOOSEST = 0.1;
enum { MOST_STEPS = 10, HALVINGS = 2 };
/* Ratio of the errors of the last two tolerances above which the error jumps (assumed), for example because a looser tolerance misses an
 * event. Then interpolation has no meaning, and the search takes the tolerance with the smaller error. */
static const double JUMP = 30.0;
/* Least relative error that differs clearly from the error of the reference (assumed). */
static const double LEAST_ERROR = 1e-11;
/* Largest number of values of a run in memory, 16 MB (assumed). Longer runs keep every second row, every third row, and so on. */
static const double MOST_VALUES = 2e6;

typedef struct search {
    const wr_equal_error_request *of;
    wr_results *reference;
    wrsim *sim;
    double work; /* counted work of all runs so far */
    int is_late;
    /* Rows of the present run: values are in results, with room for cap_row rows of each signal. n_seen[i] counts the rows of subsystem i
     * from from_s on, of which every stride-th row is kept. */
    wr_results *results;
    int cap_row, stride, *n_seen;
    wr_observer observer; /* in the list of sim */
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

/* ---- rows ---- */

/* Keeps the rows of a subsystem's accepted window. */
static wrsim_status keep_rows(void *context, int i_subsystem)
{
    search *const s = context;
    const wr_setup *const setup = s->sim->assembly->setup;
    const wr_subsystem *const from = setup[i_subsystem].subsystem;
    size_t first = 0; /* first signal of the subsystem */
    for (int i = 0; i < i_subsystem; i++)
        first += (size_t)setup[i].n_recorded;
    for (int i = 0; i < from->n_row; i++) {
        if (from->row_kind[i] != WR_ROW_COMMUNICATION || from->row_time_s[i] < s->of->from_s)
            continue;
        const int i_row = s->n_seen[i_subsystem]++, at = i_row / s->stride;
        if (i_row % s->stride != 0 || at >= s->cap_row)
            continue;
        s->results->time_s[at] = from->row_time_s[i];
        for (int k = 0; k < from->n_recorded; k++)
            s->results->value[(first + (size_t)k) * (size_t)s->cap_row + (size_t)at] =
                from->row_value[i * from->n_recorded + k];
    }
    return WRSIM_OK;
}

/* Makes room for the rows of the present run, and watches the run. Returns 0 or -1. */
static int watch(search *s)
{
    const wr_assembly *const a = s->sim->assembly;
    const double n_point =
        (s->of->to_s - s->of->from_s) / s->sim->settings->simulation.communication_step_s + 2.0;
    wr_results *const r = s->results = calloc(1, sizeof *r);
    int n = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        n += a->setup[i].n_recorded;
    if (!r || n == 0 || n_point > 1e9)
        return -1;
    s->stride = 1 + (int)(n_point * n / MOST_VALUES);
    s->cap_row = 1 + (int)(n_point / s->stride);
    s->n_seen = calloc((size_t)a->n_subsystem, sizeof *s->n_seen);
    r->name = calloc((size_t)n, sizeof *r->name);
    r->time_s = calloc((size_t)s->cap_row, sizeof *r->time_s);
    r->value = calloc((size_t)n * (size_t)s->cap_row, sizeof *r->value);
    if (!s->n_seen || !r->name || !r->time_s || !r->value)
        return -1;
    for (int i = 0; i < a->n_subsystem; i++)
        for (int k = 0; k < a->setup[i].n_recorded; k++)
            if (!(r->name[r->n_signal++] = strdup(a->setup[i].channel[k].name)))
                return -1;
    s->observer = (wr_observer){.context = s, .commit = keep_rows};
    wr_observer_append(&s->sim->observers, &s->observer);
    return 0;
}

/* Returns the rows that all subsystems have, or NULL without rows. */
static wr_results *take_rows(search *s)
{
    wr_results *r = s->results;
    int n_row = s->cap_row * s->stride;
    for (int i = 0; i < s->sim->assembly->n_subsystem; i++)
        if (s->sim->assembly->setup[i].n_recorded > 0 && s->n_seen[i] < n_row)
            n_row = s->n_seen[i];
    r->n_row = (n_row + s->stride - 1) / s->stride;
    for (int k = 1; k < r->n_signal; k++)
        memmove(r->value + (size_t)k * (size_t)r->n_row, r->value + (size_t)k * (size_t)s->cap_row,
                (size_t)r->n_row * sizeof *r->value);
    s->results = NULL;
    if (r->n_row == 0)
        wr_results_destroy(&r);
    return r;
}

/* ---- runs ---- */

/* Runs until to_s. Returns the counted work, or -1. The caller owns *ret_results. */
static double record(search *s, const wr_settings *set, wr_results **ret_results)
{
    double work = 0.0;
    wrsim_stats stats;
    *ret_results = NULL;
    wr_settings kept = *set;
    kept.output.has_memory_rows = 1;
    kept.output.events = kept.output.log = 0;
    if (s->is_late || s->work > s->of->most_work)
        return -1.0;
    wrsim_status status = wr_run_open_second(&kept, NULL, &s->sim, NULL);
    if (status >= 0)
        status = watch(s) < 0 ? WRSIM_E_MEMORY : wrsim_set_progress(s->sim, stop_when_late, s);
    if (status >= 0)
        status = wrsim_advance(s->sim, s->of->to_s, NULL);
    if (status >= 0 && !s->is_late && wrsim_stats_get(s->sim, &stats) >= 0) {
        for (int i = 0; i < stats.n_subsystem; i++) {
            wrsim_subsystem_stats part;
            wrsim_stats_subsystem(s->sim, i, &part);
            work += wr_run_work(&part, NULL);
        }
        s->work += work;
        *ret_results = take_rows(s);
    }
    wr_results_destroy(&s->results);
    free(s->n_seen);
    s->n_seen = NULL;
    wrsim_destroy(&s->sim);
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

/* Returns x with three significant digits, rounded down, so that "%.3g" prints the exact number. */
static double round_down(double x)
{
    char text[WR_NUMBER_CAP];
    const int exponent = (int)floor(log10(x)) - 2;
    snprintf(text, sizeof text, "%.0fe%d", floor(x * pow(10.0, -exponent) * (1.0 + 1e-12)),
             exponent);
    return strtod(text, NULL);
}

/* A run of one solver. */
typedef struct trial {
    double rtol, error, work;
} trial;

/* Runs one solver with a tolerance. The error is at least LEAST_ERROR. Returns 0 or -1. */
static int try_rtol(search *s, double rtol, trial *ret)
{
    trial t = {.rtol = rtol};
    t.work = run(s, rtol, &t.error);
    if (t.work < 0.0)
        return -1;
    t.error = wr_max(t.error, LEAST_ERROR);
    *ret = t;
    return 0;
}

/* Moves the tolerance from the split's tolerance in the direction of the split's error, until one solver's error passes this error. Then
 * halves the interval of the last two tolerances, and interpolates logarithms between these tolerances, except across a jump. If no
 * tolerance passes the error, takes the last tolerance. Returns -1 if the split or one solver with the split's tolerance fails, the split's
 * error is below LEAST_ERROR, or most_work ends the search. */
static int find(search *s, wr_equal_error *ret)
{
    double error;
    trial first, middle;
    const double split = run(s, 0.0, &error);
    if (split < 0.0 || !(error >= LEAST_ERROR) || try_rtol(s, s->of->rtol, &first) < 0)
        return -1;
    trial before = first, now = first;
    const int is_looser = first.error < error;
    int has_passed = 0;
    for (int i = 0; i < MOST_STEPS && !has_passed; i++) {
        const double next = is_looser ? now.rtol * STEP : now.rtol / STEP;
        trial t;
        /* one solver may fail with a loose tolerance */
        if (next > LOOSEST || next < REFERENCE_RTOL * s->of->rtol || try_rtol(s, next, &t) < 0)
            break;
        before = now;
        now = t;
        has_passed = (now.error > error) == is_looser;
    }
    if (!has_passed && s->work > s->of->most_work)
        return -1;
    for (int i = 0; i < HALVINGS && has_passed; i++) {
        if (try_rtol(s, sqrt(before.rtol * now.rtol), &middle) < 0)
            break;
        if ((middle.error > error) == is_looser)
            now = middle;
        else
            before = middle;
    }
    const double change = log(now.error / before.error);
    double share = change == 0.0 ? 1.0 : wr_clamp(log(error / before.error) / change, 0.0, 1.0);
    if (has_passed && fabs(change) > log(JUMP))
        share = is_looser ? 0.0 : 1.0;
    ret->error = error;
    ret->ratio = split / first.work;
    ret->rtol = round_down(before.rtol * pow(now.rtol / before.rtol, share));
    ret->work = before.work / first.work * pow(now.work / before.work, share);
    return 0;
}

int wr_equal_error_find(const wr_equal_error_request *request, wr_equal_error *ret)
{
    search s = {.of = request};
    if (!(request->rtol > 0.0))
        return WR_EQUAL_ERROR_NONE;
    wr_settings set = *request->split;
    wr_run_make_monolithic(&set, wr_max(REFERENCE_RTOL * request->rtol, LEAST_RTOL));
    const int code = record(&s, &set, &s.reference) < 0.0 ? -1 : find(&s, ret);
    wr_results_destroy(&s.reference);
    return s.is_late ? WR_EQUAL_ERROR_LATE : code < 0 ? WR_EQUAL_ERROR_NONE : 0;
}
