/* Settings: overrides, and the tolerance that gives an error. Thread: main. Real-time: no. */
#ifndef WR_BENCH_SETTLE_H
#define WR_BENCH_SETTLE_H

#include "bench/bench.h"

/* Upper limit of the config's rtol (runtime/config/keys.c). */
#define WR_BENCH_LOOSEST_RTOL 0.1

/* Returns a copy of the list (NULL: an empty list) with "a=1; b=2" set. */
wr_texts wr_bench_with(wr_bench *bench, const wr_texts *list, const char *texts);

/* Returns overrides for one solver of all subsystems; monolithic: "true" or "auto". solver.rtol = 0 removes the solver's own tolerance, so
 * that simulation.rtol sets the error. */
wr_texts wr_bench_one_solver(wr_bench *bench, const char *monolithic, const char *kind);

/* Precision of the search for a tolerance: rough for the comparison of settings, fine for the final setting. The cost of a method of order
 * p is proportional to error^(-1/p). */
typedef enum wr_bench_precision { WR_BENCH_ROUGHLY, WR_BENCH_FINELY } wr_bench_precision;

/* Sets the rtol of the setting such that the setting's error is the requested error or slightly less; the search starts at the present
 * rtol. Returns the error; NaN if no rtol reaches the requested error. ret_floor receives the least error if errors stop falling above the
 * requested error; else NaN. */
double wr_bench_settle(wr_bench *bench, wr_trial_setting *setting, wr_bench_precision precisely,
                       double *ret_floor);

/* State of the check for a floor while the tolerance falls. */
typedef struct wr_bench_descent {
    /* error that later errors resemble, and the first rtol with that error */
    double error, rtol;
} wr_bench_descent;

#define WR_BENCH_NOT_BEGUN                                                                         \
    {                                                                                              \
        (double)INFINITY, (double)INFINITY                                                         \
    }

/* Returns whether errors have reached a floor: all errors down to a hundredth of a tolerance resemble one another, so another error source
 * dominates. A rise by a factor up to 2 is similar, because the error at a loose tolerance may be small by chance. Ignores failed runs. */
int wr_bench_is_floor(wr_bench_descent *d, double rtol, double error);

#endif
