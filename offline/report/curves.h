/* Curves of a result file: chosen signals at communication points, with both limits of their jumps at events.
 *
 *     wr_curves curves;
 *     status = wr_curves_load("engine.h5", &(wr_curves_choice){.n_pattern = 1, .pattern = &name}, &curves, &err);
 *     ... curves.curve[0].value[i] ...
 *     wr_curves_done(&curves);
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_CURVES_H
#define WR_CURVES_H

#include "runtime/record/results.h"

/* Points of a curve that a limited number of points leaves at least (assumed: the columns of a picture). */
enum { WR_CURVES_LEAST_POINTS = 1000 };

/* Points of one signal in the order of time. */
typedef struct wr_curve {
    const char *name, *unit; /* owned by the results */
    size_t n;
    double *t_s;   /* [n] s; successive points at one time are the limits of a jump */
    double *value; /* [n] */
    int *row;      /* [n] row of the results; -1: limit of a jump */
    /* [n] values of the twin, in the unit of this curve; NaN: the twin lacks the point. NULL: the twin lacks the signal */
    double *twin;
    const wr_difference *compared; /* comparison with the twin; NULL: the twin lacks the signal */
} wr_curve;

typedef struct wr_curves {
    wr_results *results, *twin_results; /* twin_results NULL: no twin */
    wr_overlap overlap;                 /* extent of the comparison; valid with a twin */
    int n_compared;
    wr_difference
        *difference; /* [n_compared] all common signals, the largest relative difference first */
    int n_signal;    /* number of signals that the patterns choose */
    int n;           /* number of curves, at most n_signal */
    wr_curve *
        curve; /* [n] in the order of the patterns, else of the file; with a twin and without patterns the largest
                                * difference first */
} wr_curves;

/* Choice of signals. */
typedef struct wr_curves_choice {
    int n_pattern;              /* 0: all signals */
    const char *const *pattern; /* [n_pattern] names, or patterns with * and ? (base/names.h) */
    const char *twin; /* result file of the same signals for comparison; NULL: no comparison */
    /* Largest number of curves, and of curves times min(communication points, WR_CURVES_LEAST_POINTS); 0: no limit */
    int cap_curve;
    size_t cap_point;
    int has_config; /* 1: the results include the config of the run. CSV results then need a valid description, if they have one */
} wr_curves_choice;

/* Loads curves. Returns WRSIM_OK or a failure with err; *ret is then empty. Causes are an unreadable file, a pattern without a signal, times that
 * decrease or are not finite, a twin without a common signal or point, and no memory. */
wrsim_status wr_curves_load(const char *file, const wr_curves_choice *choice, wr_curves *ret,
                            wrsim_error *err);
void wr_curves_done(wr_curves *curves);

#endif
