/* Reducing a linear system: the basis, the order, and what is known of the result.
 *
 * The order is found by trial: the reduced frequency response is compared with the full one at sampled frequencies, and the
 * smallest sufficient number of blocks is taken. The result is compared once more halfway between the samples, at
 * frequencies that had no part in the choice (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_REDUCTION_H
#define WR_REDUCTION_H

#include "analysis/reduction/arnoldi.h"
#include "analysis/reduction/passivity.h"
#include "analysis/reduction/response.h"
#include "analysis/reduction/state_space.h"

typedef struct wr_reduction_options {
    int order;        /* 0: the smallest that is near enough */
    int max_order;    /* of those tried */
    double error;     /* how near: wr_response_error.error */
    const double *s0; /* [n_s0] expansion points, 1/s, >= 0 */
    int n_s0;
    double low_Hz, high_Hz; /* band of the samples; both 0: from the system's first moments */
    int n_sample;           /* at least 2 */
} wr_reduction_options;

/* An order that was tried. */
typedef struct wr_reduction_trial {
    int order, n_moment; /* moments matched, at each point */
    wr_response_error error;
    double growth; /* largest real part of a pole, 1/s */
} wr_reduction_trial;

typedef struct wr_reduction {
    int n_trial, i_chosen;
    wr_reduction_trial *trial;
    wr_basis *basis;
    wr_reduced *reduced;   /* the chosen one */
    wr_state_space *space; /* the same */
    double low_Hz, high_Hz;
    wr_response full,
        full_between;     /* at the samples (0 Hz first, if there is a response), between them */
    wr_response response; /* of the chosen one, at the samples */
    wr_response_error between; /* of the chosen one, halfway between them */
    wr_passivity passivity_full, passivity_reduced;
    int is_stable; /* the chosen one has no pole right of 0, but for rounding */
    double
        full_growth; /* where it has: as trial.growth, of the full system; NaN: not known, it has too many unknowns */
} wr_reduction;

/* Fails with a sentence in err: WRSIM_E_ARG where G + s0 C is singular (a point is proposed), no order tried is near enough
 * or stable, or the order asked for has a pole right of 0 and the full system none; WRSIM_E_NAN, WRSIM_E_MEMORY, WRSIM_E_SOLVER. */
wrsim_status wr_reduction_create(const wr_linear_system *system,
                                 const wr_reduction_options *options, wr_reduction **ret_reduction,
                                 wrsim_error *err);
/* Accepts NULL and nulls the pointer. */
void wr_reduction_destroy(wr_reduction **reduction);

#endif
