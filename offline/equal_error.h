/* The tolerance of one solver that gives the error of a split run. Errors are as in trial.h, against a run of one solver with a tight
 * tolerance. Work is counted (runtime/sim/run.h). Rows stay in memory. Thread: one owner. Real-time: no. */
#ifndef WR_EQUAL_ERROR_H
#define WR_EQUAL_ERROR_H

#include "runtime/sim/run.h"

typedef struct wr_equal_error_request {
    const wr_settings *split; /* settings of the split run */
    double rtol;              /* tightest tolerance of the split's solvers */
    double from_s, to_s;      /* interval of the errors; runs begin at simulation.start */
    double most_work;         /* counted work of all runs, from which on no further run begins */
    int64_t until_ns; /* CPU time of the thread at which the search ends without an answer */
} wr_equal_error_request;

typedef struct wr_equal_error {
    /* work of the split / work of one solver with the tightest tolerance of the split, from the start to to_s, each run in one advance */
    double ratio;
    double error; /* error of the split run, max|y - ref| / max|ref| of the worst signal */
    /* tolerance of one solver with this error, or the last tolerance of the search; three significant digits */
    double rtol;
    double
        work; /* work of one solver with that tolerance / with the tightest tolerance of the split */
} wr_equal_error;

/* Results of wr_equal_error_find() without an answer. */
enum {
    WR_EQUAL_ERROR_NONE =
        -1, /* rtol is 0, a run fails, has no rows or too much work, or the error of the split is too small */
    WR_EQUAL_ERROR_LATE = -2 /* until_ns has passed */
};

/* Finds the tolerance. Returns 0, or a negative code with an undefined *ret. Only WR_EQUAL_ERROR_LATE depends on the machine. */
int wr_equal_error_find(const wr_equal_error_request *request, wr_equal_error *ret);

#endif
