/* Settings, and the tolerance at which one has the error asked for.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_SETTLE_H
#define WR_BENCH_SETTLE_H

#include <math.h>

#include "bench/bench.h"

/* rtol of the config is limited to this (keys.c). */
#define WR_BENCH_LOOSEST_RTOL 0.1

/* A copy of the list (or of none) with "a=1; b=2" set. */
wr_texts wr_bench_with(wr_bench *bench, const wr_texts *list, const char *texts);

/* One solver for all; monolithic: "true" or "auto". Its tolerance is the one that is swept, simulation.rtol, also
 * where the config gives the solvers their own. */
wr_texts wr_bench_one_solver(wr_bench *bench, const char *monolithic, const char *kind);

/* How near to the error asked for a search ends: roughly while settings are compared, finely for the one that is
 * measured: the cost of a method of order p goes with error^(-1/p). */
typedef enum wr_bench_precision { WR_BENCH_ROUGHLY, WR_BENCH_FINELY } wr_bench_precision;

/* The rtol at which the setting has the error asked for, or a little less, starting at its rtol; sets
 * it. Returns the error, NaN if there is no such rtol; ret_floor: the least error if it stopped falling
 * above the one asked for, else NaN. */
double wr_bench_settle(wr_bench *bench, wr_trial_setting *setting, wr_bench_precision precisely,
                       double *ret_floor);

/* Errors met while the tolerance falls. */
typedef struct wr_bench_descent {
    double error, rtol; /* that the later ones have been like; where it was first met */
} wr_bench_descent;
#define WR_BENCH_NOT_BEGUN                                                                         \
    {                                                                                              \
        (double)INFINITY, (double)INFINITY                                                         \
    }

/* All errors down to a hundredth of a tolerance are alike: what is left is of another origin. They may
 * rise, where an error at a loose tolerance was small by chance. Runs that fail say nothing. */
int wr_bench_is_floor(wr_bench_descent *d, double rtol, double error);

#endif
