/* Reduces a linear system: basis, order, and properties of the result.
 *
 * If no order is requested, the study chooses the smallest stable order with a response near the full response at sampled frequencies. The
 * candidates are the orders at which blocks end, and the last order. A second comparison uses frequencies halfway between the samples,
 * which have no influence on the choice (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_REDUCTION_H
#define WR_REDUCTION_H

#include "offline/reduction/arnoldi.h"
#include "offline/reduction/passivity.h"
#include "offline/reduction/response.h"
#include "offline/reduction/state_space.h"

typedef struct wr_reduction_options {
    int order;        /* requested order; 0: the smallest sufficient order */
    int max_order;    /* largest order to try */
    double error;     /* allowed error, wr_response_error.error */
    const double *s0; /* [n_s0] expansion points, 1/s, >= 0 */
    int n_s0;
    double low_Hz, high_Hz; /* band of the samples; 0 and 0: around points s0 or a pole */
    int n_sample;           /* at least 2 */
} wr_reduction_options;

/* A tried order. */
typedef struct wr_reduction_trial {
    int order, n_moment; /* n_moment: number of matched moments at each point */
    wr_response_error error;
    double growth; /* largest real part of a pole, 1/s; INFINITY: useless order */
} wr_reduction_trial;

typedef struct wr_reduction {
    int n_trial, i_chosen;
    wr_reduction_trial *trial;
    wr_basis *basis;
    wr_reduced *reduced;   /* the chosen reduced system */
    wr_state_space *space; /* the chosen system in state-space form */
    double low_Hz, high_Hz;
    /* response of the full system at the samples (0 Hz first, if the response at 0 Hz exists), and between the samples */
    wr_response full, full_between;
    wr_response response;      /* response of the chosen system at the samples */
    wr_response_error between; /* error of the chosen system halfway between the samples */
    wr_passivity passivity_full, passivity_reduced;
    int is_stable; /* 1: the chosen system has no pole right of 0, up to rounding */
    /* if the chosen system is unstable: largest real part of a pole of the full system, 1/s, 0 for rounding; NaN: stable, or poles
     * unknown */
    double full_growth;
} wr_reduction;

/* Reduces a system. Failures fill err. Returns WRSIM_E_ARG if B is zero, G + s0 C is singular (err proposes a point), or no order is
 * sufficient and stable. Returns WRSIM_E_ARG also if the requested order has singular algebraic equations, or a pole right of 0 that the
 * full system lacks. Other failures are WRSIM_E_NAN, WRSIM_E_MEMORY and WRSIM_E_SOLVER. */
wrsim_status wr_reduction_create(const wr_linear_system *system,
                                 const wr_reduction_options *options, wr_reduction **ret_reduction,
                                 wrsim_error *err);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_reduction_destroy(wr_reduction **reduction);

#endif
