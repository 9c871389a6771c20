/* Predicts whether measured steps would meet their deadlines, by simulating the queue of steps against the wall clock.
 *
 * A step begins at its due time plus the wake-up delay, or when the previous step ends. A step is a miss if the step ends after its
 * deadline. A delay above catch_up_s shifts the schedule (runtime/slack/slack_clock.c).
 *
 * Thread: any. Real-time: no. */
#ifndef WR_FORECAST_H
#define WR_FORECAST_H

#include "base/histogram.h"
#include "wrsim/study.h"

typedef struct wr_forecast {
    const double *span_s; /* [n_step] wall time of each step, from begin to end, s */
    int64_t n_step;
    /* limit of the spans in the quick case, s, because pauses of the machine prove no failure; 0: no limit */
    double rare_s;
    double period_s;   /* simulated time of a period, s */
    double rate;       /* simulated s per wall s, > 0 */
    double deadline_s; /* wall s; 0: one period */
    double catch_up_s; /* largest delay that does not shift the schedule, wall s */
    int misses, of;    /* limit: `misses` missed steps in any `of` successive steps */
} wr_forecast;

/* Wake-up delays of threads. */
typedef struct wr_forecast_late {
    double usual_s; /* delay that 0.5 (1 - misses / of) of all delays do not exceed, s */
    /* [n_trace] delays in the order of measurement, because large delays follow one another */
    const int64_t *trace_ns;
    int64_t n_trace; /* length of the trace; longer runs repeat the trace */
} wr_forecast_late;

/* Simulates the queue with at->factor. The wake-up delay of a step is the larger of at->lateness_s and late_factor times the trace. If
 * late_factor is 0, rare_s limits the spans. Fills n_miss and n_violation of *at. Returns WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_ARG if
 * `misses` or `of` is invalid. */
wrsim_status wr_forecast_run(const wr_forecast *forecast, wr_forecast_late late, double late_factor,
                             wrsim_rtcheck_case *at);

/* Returns usual_s for a constraint of `misses` in `of` steps. */
double wr_forecast_usual_s(const wr_histogram *lateness, int misses, int of);

/* Judges three cases that differ by `margin`. The quick case multiplies spans, which rare_s limits, and usual delay by 1 - margin, and
 * omits the trace. The slow case multiplies spans, usual delay and trace by 1 + margin. Fills at[] (may be NULL) and the verdict. Returns
 * the statuses of wr_forecast_run(). */
wrsim_status wr_forecast_judge(const wr_forecast *forecast, double margin, wr_forecast_late late,
                               wrsim_rtcheck_case *at, wrsim_status *ret_verdict);

/* Finds the largest rate with the verdict WRSIM_OK and the smallest rate with the verdict WRSIM_INFEASIBLE, to a part in a thousand. A
 * result is NaN if the end of the search range, a thousandth or a thousand times the rate, lacks the verdict. */
wrsim_status wr_forecast_rates(const wr_forecast *forecast, double margin, wr_forecast_late late,
                               double *ret_holds, double *ret_fails);

#endif
