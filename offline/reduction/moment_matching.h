/* Compares the moments of the full system with the moments of two reduced systems of equal order: from Arnoldi's basis and from explicit
 * moment matching. The larger differences of explicit moment matching are the reason for Arnoldi's basis (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_MOMENT_MATCHING_H
#define WR_MOMENT_MATCHING_H

#include "offline/reduction/reduction.h"

typedef struct wr_moment_matching {
    int n;           /* number of compared moments, at least 1: the matched moments */
    double *size;    /* [n] largest magnitude of each moment of the full system */
    double *arnoldi; /* [n] largest relative difference with Arnoldi's basis */
    /* [n] largest relative difference with the explicit basis; NaN: its system is singular */
    double *explicit_basis;
    double condition; /* condition of the explicit basis */
    /* error of the explicit basis' response (wr_response_error.error); NaN: singular */
    double error;
} wr_moment_matching;

/* Compares the moments at the expansion point s0. Omits moments that overflow. The caller frees *ret by wr_moment_matching_done(), also
 * after a failure. Returns WRSIM_OK, WRSIM_E_SOLVER, WRSIM_E_NAN, WRSIM_E_MEMORY. */
wrsim_status wr_moment_matching_make(const wr_linear_system *system, const wr_reduction *reduction,
                                     double s0, wr_moment_matching *ret);
void wr_moment_matching_done(wr_moment_matching *matching);

#endif
