/* Whether measured steps would meet their deadlines: the queue of steps against the wall clock, reckoned through.
 *
 * A step begins at its moment, later by what waking takes, or when the one before is done. It is missed where it ends after its
 * deadline. What is more late than is caught up moves the schedule (runtime/slack/slack_clock.c).
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_FORECAST_H
#define WR_FORECAST_H

#include "base/histogram.h"
#include "wrsim/study.h"

typedef struct wr_forecast {
    const double *span_s; /* [n_step] of each step: from begin to end */
    int64_t n_step;
    double rare_s; /* longer spans prove no failure: a machine is stopped now and then; 0: all do */
    double period_s;   /* of simulated time */
    double rate;       /* simulated s per wall s, > 0 */
    double deadline_s; /* wall s; 0: a period */
    double catch_up_s; /* wall s */
    int misses, of;
} wr_forecast;

/* How late threads wake. */
typedef struct wr_forecast_late {
    double usual_s; /* exceeded by so many that later ones alone would be too many misses */
    const int64_t *trace_ns;
    int64_t
        n_trace; /* as it was, moment by moment: late ones come together. Is repeated where there are more steps */
} wr_forecast_late;

/* What becomes of it with at->factor, and all late by at->lateness_s, or by late_factor times the trace where that is more;
 * fills the rest. WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_forecast_run(const wr_forecast *forecast, wr_forecast_late late, double late_factor,
                             wrsim_rtcheck_case *at);

/* The usual one for a constraint. */
double wr_forecast_usual_s(const wr_histogram *lateness, int misses, int of);

/* The verdict of cases that differ by margin to either side: the quick one with that much less than the usual lateness and
 * nothing rare, neither lateness nor spans, the slow one with that much more than the trace. Fills at[] (NULL: not wanted). */
wrsim_status wr_forecast_judge(const wr_forecast *forecast, double margin, wr_forecast_late late,
                               wrsim_rtcheck_case *at, wrsim_status *ret_verdict);

/* Up to which rate the verdict is "holds", and from which on it is "fails", to a part in a thousand; NaN: there is none
 * within a factor of a thousand. */
wrsim_status wr_forecast_rates(const wr_forecast *forecast, double margin, wr_forecast_late late,
                               double *ret_holds, double *ret_fails);

#endif
