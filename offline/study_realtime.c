/* Predicts whether deadlines will hold. See wrsim/study.h and forecast.h. Thread: one owner. Real-time: no, except for the measured run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/c_locale.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/heap_pool.h"
#include "offline/forecast.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/realtime.h"

/* RARE_SHARE: share of steps whose long spans prove no failure. MARGIN: margin of the quick and the slow case. USUAL_LIMIT_S:
 * default time limit of the measurement, s. All values are assumed. */
static const double RARE_SHARE = 1e-3, MARGIN = 0.30, USUAL_LIMIT_S = 10.0;
/* Share of the time limit for measuring jitter, and limits of the period of the jitter measurement, s (assumed). Within the limits this
 * period is the period of the run. */
static const double JITTER_SHARE = 0.3, LEAST_PERIOD_S = 1e-4, MOST_PERIOD_S = 1e-2;
/* Limits of the sleep between two steps, s (assumed): long enough for a core to do other work or to become idle. */
static const double LEAST_SLEEP_S = 1e-4, MOST_SLEEP_S = 1e-3;
/* Number of first steps that do not count, except in a short run, because caches are cold; largest number of steps (assumed). */
enum { WARM_STEPS = 20, MOST_STEPS = 10000000 };

/* Measured data of a check. */
typedef struct measurement {
    wrsim_rtcheck check; /* result, whose address the caller receives */
    wrsim *sim;
    double *span_s;
    int64_t n_step, cap_step;
    wr_histogram span;
    wr_realtime_lateness late;
    wr_heap_pool *memory; /* lists and names of the result */
} measurement;

/* ---- measuring ---- */

/* Measures period by period, with a sleep after each period. Returns WRSIM_OK, WRSIM_E_CONFIG without a period, or another error. */
static wrsim_status measure_steps(measurement *m, double rate, double limit_s, wrsim_error *err)
{
    const wr_settings *const set = m->sim->settings;
    const double period_s = wr_settings_slack_period(set), start_s = set->simulation.start_s;
    const int64_t end_ns = wr_clock_monotonic_ns() + (int64_t)(1e9 * limit_s);
    for (int64_t n = 0; n < MOST_STEPS && wr_clock_monotonic_ns() < end_ns; n++) {
        const double to_s = start_s + (double)(n + 1) * period_s;
        if (to_s > set->simulation.stop_s && !wr_time_close(to_s, set->simulation.stop_s))
            break;
        WR_TRY(wrsim_advance(m->sim, to_s, err));
        const int64_t span_ns = wr_realtime_last_span_ns(m->sim);
        const int is_run_short = set->simulation.stop_s - start_s < 4.0 * WARM_STEPS * period_s;
        if (m->n_step == m->cap_step) {
            m->cap_step = m->cap_step > 0 ? 2 * m->cap_step : 1024;
            double *const grown = realloc(m->span_s, (size_t)m->cap_step * sizeof *grown);
            if (!grown)
                return wr_error_memory(err);
            m->span_s = grown;
        }
        if (n + 1 == WARM_STEPS && !is_run_short)
            wr_deadlines_reset(m->sim->realtime->deadlines); /* omits the same steps as the span */
        if (n >= WARM_STEPS || is_run_short) {
            m->span_s[m->n_step++] = 1e-9 * (double)span_ns;
            wr_histogram_add(&m->span, span_ns);
        }
        const double left_s = period_s / rate - 1e-9 * (double)span_ns;
        const struct timespec length = {
            .tv_nsec = (long)(1e9 * wr_min(wr_max(left_s, LEAST_SLEEP_S), MOST_SLEEP_S))};
        nanosleep(&length, NULL); /* a signal may end the sleep early */
    }
    if (m->n_step == 0)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "too few periods end before simulation.stop and within %g s; lower "
                            "slack.period, or increase simulation.stop",
                            limit_s);
    return WRSIM_OK;
}

static wrsim_wall_times times_of(const wr_histogram *h)
{
    static const double PER_MILLE = 1e-3;
    return (wrsim_wall_times){.n = (int64_t)wr_histogram_count(h),
                              .mean_ns = wr_histogram_mean(h),
                              .least_ns = wr_histogram_min(h),
                              .per_mille_ns = wr_histogram_quantile(h, PER_MILLE),
                              .median_ns = wr_histogram_quantile(h, 0.5),
                              .all_but_per_mille_ns = wr_histogram_quantile(h, 1.0 - PER_MILLE),
                              .most_ns = wr_histogram_max(h)};
}

/* ---- result ---- */

/* Lists the subsystems that integrate, with their computing times, and the cores of the workers. Returns WRSIM_OK or WRSIM_E_MEMORY. */
static wrsim_status fill_lists(measurement *m, wrsim_error *err)
{
    wrsim_rtcheck *const check = &m->check;
    wrsim_stats s = {0};
    wrsim_stats_get(m->sim, &s);
    const size_t n_subsystem = (size_t)s.n_subsystem, n_worker = (size_t)s.n_worker;
    wrsim_rtcheck_subsystem *const list =
        wr_heap_pool_take(m->memory, n_subsystem + 1, sizeof *list);
    int *const cpu = wr_heap_pool_take(m->memory, n_worker + 1, sizeof *cpu);
    if (!list || !cpu)
        return wr_error_memory(err);
    check->subsystem = list;
    check->n_worker = s.n_worker;
    check->cpu = cpu;
    for (int i = 0; i < s.n_subsystem; i++) {
        wrsim_subsystem_stats part;
        wrsim_rtcheck_subsystem *const one = &list[check->n_subsystem];
        wrsim_stats_subsystem(m->sim, i, &part);
        wrsim_stats_compute(m->sim, i, &one->compute, NULL);
        if (one->compute.n == 0) /* a subsystem that does not integrate */
            continue;
        one->name = wr_heap_pool_text(m->memory, part.name, strlen(part.name));
        check->n_subsystem++;
    }
    for (int i = 0; i < s.n_worker; i++) {
        wrsim_worker_stats worker;
        wrsim_stats_worker(m->sim, i, &worker);
        cpu[i] = worker.cpu;
    }
    return wr_heap_pool_is_short(m->memory) ? wr_error_memory(err) : WRSIM_OK;
}

static wrsim_status judge(measurement *m, const wr_set_realtime *asked)
{
    wrsim_rtcheck *const check = &m->check;
    const wr_settings *const set = m->sim->settings;
    const wr_forecast forecast = {
        .span_s = m->span_s,
        .n_step = m->n_step,
        .rare_s = 1e-9 * (double)wr_histogram_quantile(&m->span, 1.0 - RARE_SHARE),
        .period_s = wr_settings_slack_period(set),
        .rate = asked->rate,
        .deadline_s = asked->deadline_s,
        .catch_up_s = asked->catch_up_s,
        .misses = asked->misses,
        .of = asked->of};
    const wr_forecast_late late = {.usual_s =
                                       wr_forecast_usual_s(&m->late.all, asked->misses, asked->of),
                                   .trace_ns = m->late.trace_ns,
                                   .n_trace = m->late.n};
    check->margin = MARGIN;
    check->n_step = m->n_step;
    check->whole_steps = (set->simulation.stop_s - set->simulation.start_s) / forecast.period_s;
    check->span = times_of(&m->span);
    check->jitter = times_of(&m->late.all);
    WR_TRY(wr_forecast_judge(&forecast, MARGIN, late, check->at, &check->verdict));
    WR_TRY(wr_forecast_rates(&forecast, MARGIN, late, &check->rate_holds, &check->rate_fails));
    WR_TRY(wrsim_stats_realtime(m->sim, &check->run));
    check->run.rate = asked->rate;
    check->run.deadline_s =
        asked->deadline_s > 0.0 ? asked->deadline_s : forecast.period_s / asked->rate;
    return WRSIM_OK;
}

/* ---- the call ---- */

static wrsim_status measure(measurement *m, const wrsim_config *config, double limit_s,
                            wrsim_error *err)
{
    const wr_set_realtime *const asked = &config->settings->realtime;
    wr_settings set = *config->settings;
    m->memory = wr_heap_pool_create(NULL);
    if (!m->memory)
        return wr_error_memory(err);
    WR_AUTO(wr_diag_done) wr_diag diag = {0};
    if (!(set.realtime.rate > 0.0))
        WR_SETTINGS_REFUSE(&set, "realtime.rate", &diag,
                           "realtime.rate is 0, so no step has a deadline; set the simulated "
                           "seconds per second of wall time, such as rate = 1 in [realtime]");
    /* The check needs a rate, so the rate becomes 0 only after the check. */
    wr_realtime_check(&set, &diag);
    WR_TRY(wr_diag_report(&diag, NULL, NULL, err));
    set.output.file = set.output.json = set.slack.log = "";
    set.output.waves = set.output.log = 0;
    set.realtime.rate = 0.0;
    set.realtime.soft = 1;
    set.realtime.jitter = 0;
    WR_TRY(wr_build_simulation_create(&set, NULL, &m->sim, err));
    m->sim->is_timed = 1;
    WR_TRY(wrsim_prepare(m->sim, err));
    const double period_s = wr_settings_slack_period(m->sim->settings) / asked->rate;
    const double length_s = JITTER_SHARE * limit_s;
    const double moments_s = wr_min(wr_max(period_s, LEAST_PERIOD_S), MOST_PERIOD_S);
    m->late.cap = (int64_t)(length_s / moments_s) + 1;
    m->late.trace_ns = calloc((size_t)m->late.cap, sizeof *m->late.trace_ns);
    if (!m->late.trace_ns || wr_realtime_measure_jitter(m->sim, moments_s, length_s, &m->late) < 0)
        return wr_error_memory(err);
    WR_TRY(measure_steps(m, asked->rate, (1.0 - JITTER_SHARE) * limit_s, err));
    WR_TRY(fill_lists(m, err));
    if (judge(m, asked) < 0)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %lld steps",
                            (long long)m->n_step);
    return WRSIM_OK;
}

wrsim_status wrsim_study_realtime(const wrsim_config *config, const wrsim_rtcheck_options *options,
                                  wrsim_rtcheck **ret, wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!config || !ret)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_study_realtime needs a config and a place for the result");
    const double limit_s = options && options->limit_s > 0.0 ? options->limit_s : USUAL_LIMIT_S;
    measurement *const m = calloc(1, sizeof *m);
    if (!m)
        return wr_error_memory(err);
    m->check.memory = m;
    const wrsim_status status = measure(m, config, limit_s, err);
    wrsim_destroy(&m->sim);
    wrsim_rtcheck *check = &m->check;
    if (status < 0)
        wrsim_rtcheck_destroy(&check);
    else
        *ret = check;
    return status < 0 ? status : WRSIM_OK;
}

void wrsim_rtcheck_destroy(wrsim_rtcheck **check)
{
    if (!check || !*check)
        return;
    measurement *const m = (*check)->memory;
    free(m->span_s);
    free(m->late.trace_ns);
    wr_heap_pool_destroy(&m->memory);
    free(m);
    *check = NULL;
}
