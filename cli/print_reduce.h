/* The output of `wrsim reduce`, as text and as JSON.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_REDUCE_H
#define WR_PRINT_REDUCE_H

#include "offline/reduction/linearised.h"
#include "offline/reduction/moment_matching.h"
#include "offline/reduction/reduction.h"

typedef struct wr_reduce_report {
    const char *source; /* name of the reduced part */
    const wr_linear_system *system;
    const wr_linearised *linearised; /* NULL: matrices from files */
    const wr_reduction_options *options;
    const wr_reduction *reduction;
    const wr_moment_matching *matching; /* NULL: not requested */
} wr_reduce_report;

/* Prints on standard output. */
void wr_print_reduce(const wr_reduce_report *report);

/* Returns malloc'ed JSON, or NULL if out of memory. */
char *wr_reduce_json(const wr_reduce_report *report);

#endif
