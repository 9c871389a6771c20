/* The moments that a reduced system keeps, beside the moments that explicit moment matching of the same order keeps. The difference is
 * the reason for Arnoldi's basis (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_MOMENT_MATCHING_H
#define WR_MOMENT_MATCHING_H

#include "analysis/reduction/reduction.h"

typedef struct wr_moment_matching {
    int n;                  /* moments looked at: those that the order can match */
    double *size;           /* [n] largest magnitude of each of the full system */
    double *arnoldi;        /* [n] largest difference in parts of that */
    double *explicit_basis; /* [n] the same of explicit matching; NaN: its system is singular */
    double condition;       /* of the explicit basis */
    double error;           /* of its response, as wr_response_error.error; NaN: singular */
} wr_moment_matching;

/* At the expansion point s0. *ret is to be freed by wr_moment_matching_done(), also after a failure. Of the moments only those are
 * taken that doubles can hold. WRSIM_E_SOLVER, WRSIM_E_NAN, WRSIM_E_MEMORY. */
wrsim_status wr_moment_matching_make(const wr_linear_system *system, const wr_reduction *reduction,
                                     double s0, wr_moment_matching *ret);
void wr_moment_matching_done(wr_moment_matching *matching);

#endif
