/* Simulates steps against the wall clock. See forecast.h. Thread: any. Real-time: no. */
#include "offline/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto_free.h"
#include "scheduler/weakly_hard.h"

wrsim_status wr_forecast_run(const wr_forecast *f, wr_forecast_late late, double late_factor,
                             wrsim_rtcheck_case *at)
{
    wr_weakly_hard monitor;
    WR_AUTO_FREE uint64_t *const bit = calloc((size_t)wr_weakly_hard_words(f->of), sizeof *bit);
    if (!bit)
        return WRSIM_E_MEMORY;
    const wrsim_status status = wr_weakly_hard_init(&monitor, f->misses, f->of, bit);
    if (status < 0)
        return status;
    const double period_s = f->period_s / f->rate;
    const double deadline_s = f->deadline_s > 0.0 ? f->deadline_s : period_s;
    const double most_s = late_factor > 0.0 || !(f->rare_s > 0.0) ? (double)INFINITY : f->rare_s;
    double done_s = -(double)INFINITY, shift_s = 0.0;
    for (int64_t n = 0; n < f->n_step; n++) {
        double due_s = shift_s + (double)n * period_s;
        if (done_s - due_s > f->catch_up_s) {
            shift_s += done_s - due_s;
            due_s = done_s;
        }
        const double traced_s =
            late.n_trace > 0 ? 1e-9 * late_factor * (double)late.trace_ns[n % late.n_trace] : 0.0;
        const double late_s = wr_max(at->lateness_s, traced_s);
        /* If done_s > due_s, the step begins when the step before ends. No thread sleeps, so there is no wake-up delay. */
        const double begin_s = done_s > due_s ? done_s : due_s + late_s;
        done_s = begin_s + at->factor * wr_min(f->span_s[n], most_s);
        (void)wr_weakly_hard_add(&monitor, done_s > due_s + deadline_s);
    }
    at->n_miss = monitor.n_miss;
    at->n_violation = monitor.n_violation;
    return status;
}

wrsim_status wr_forecast_judge(const wr_forecast *f, double margin, wr_forecast_late late,
                               wrsim_rtcheck_case *ret_at, wrsim_status *ret_verdict)
{
    wrsim_rtcheck_case at[WRSIM_RTCHECK_CASES] = {
        [WRSIM_RTCHECK_QUICK] = {.factor = 1.0 - margin,
                                 .lateness_s = (1.0 - margin) * late.usual_s},
        [WRSIM_RTCHECK_MEASURED] = {.factor = 1.0, .lateness_s = late.usual_s},
        [WRSIM_RTCHECK_SLOW] = {.factor = 1.0 + margin,
                                .lateness_s = (1.0 + margin) * late.usual_s}};
    for (int i = 0; i < WRSIM_RTCHECK_CASES; i++) {
        WR_TRY(wr_forecast_run(f, late, i == WRSIM_RTCHECK_QUICK ? 0.0 : at[i].factor, &at[i]));
        if (ret_at)
            ret_at[i] = at[i];
    }
    *ret_verdict = at[WRSIM_RTCHECK_SLOW].n_violation == 0   ? WRSIM_OK
                   : at[WRSIM_RTCHECK_QUICK].n_violation > 0 ? WRSIM_INFEASIBLE
                                                             : WRSIM_UNDECIDED;
    return WRSIM_OK;
}

/* Finds the border between rates with the verdict `wanted` and other rates. *ret_rate is NaN if the end of the search range lacks the
 * verdict `wanted`. */
static wrsim_status find_border(const wr_forecast *forecast, double margin, wr_forecast_late late,
                                wrsim_status wanted, double *ret_rate)
{
    /* FAR: factor between the rate and either end of the search range. CLOSE: ratio of two rates at which the search ends (assumed). */
    static const double FAR = 1000.0, CLOSE = 1.001;
    const int is_low_side = wanted == WRSIM_OK;
    wr_forecast f = *forecast;
    double low = f.rate / FAR, high = f.rate * FAR;
    wrsim_status verdict;
    *ret_rate = (double)NAN;
    f.rate = is_low_side ? low : high;
    WR_TRY(wr_forecast_judge(&f, margin, late, NULL, &verdict));
    if (verdict != wanted)
        return WRSIM_OK;
    while (high > CLOSE * low) {
        f.rate = sqrt(low * high);
        WR_TRY(wr_forecast_judge(&f, margin, late, NULL, &verdict));
        if ((verdict == wanted) == is_low_side)
            low = f.rate;
        else
            high = f.rate;
    }
    *ret_rate = is_low_side ? low : high;
    return WRSIM_OK;
}

wrsim_status wr_forecast_rates(const wr_forecast *f, double margin, wr_forecast_late late,
                               double *ret_holds, double *ret_fails)
{
    WR_TRY(find_border(f, margin, late, WRSIM_OK, ret_holds));
    return find_border(f, margin, late, WRSIM_INFEASIBLE, ret_fails);
}

double wr_forecast_usual_s(const wr_histogram *lateness, int misses, int of)
{
    /* At least the allowed misses and half of all other steps have this delay or a larger delay. */
    const double share = (double)misses / (double)of;
    return 1e-9 * (double)wr_histogram_quantile(lateness, 0.5 * (1.0 - share));
}
