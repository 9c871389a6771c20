/* What a pattern does to the trajectory: a sparsed Jacobian keeps fixed points and order, but what was dropped acts one step
 * late. The step (L - tau J) dx = tau f solves, to first order in tau, the model with a disturbance: its error e follows
 *
 *     L e' = Df e - tau dJ x'
 *
 * for where x moves with x', the step with Df makes x' out of tau (f + Df dx) and that with J lacks tau dJ dx. As seen by a
 * motion of angular frequency w that is e = -(i w L - Df)^-1 tau dJ x'. It is linear in what is dropped, so a pattern costs a
 * product with a matrix that is made once. A spectrum says nothing of this: fast states that are driven wrongly are off by
 * all they have, with all modes in place.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_RESPONSE_H
#define WR_RESPONSE_H

#include "analysis/sparsing/pencil.h"

typedef struct wr_response {
    int n;
    double *slope;        /* [n] tau x' of the unsparsed step, in the pencil's units */
    double complex *gain; /* [n * n] (i w L - Df)^-1 */
} wr_response;

/* f[n]: the right-hand side there, in the model's units. WRSIM_OK; WRSIM_E_SOLVER where i w L - Df is singular: there is
 * no response then; WRSIM_E_MEMORY. */
wrsim_status wr_response_place(wr_arena *arena, const wr_pencil *pencil, const double *f, double w,
                               const wr_response **ret_response);

/* The error that dropping what keep[n * n] does not mark makes, or only the listed entries (column * n + row), in parts of
 * scale[n], which is in the pencil's units: the largest of all states; *ret_state (may be NULL): whose. work: [2 n]. */
double wr_response_error(const wr_response *response, const wr_pencil *pencil,
                         const unsigned char *keep, const double *scale, double complex *work,
                         int *ret_state);
double wr_response_error_of(const wr_response *response, const wr_pencil *pencil, const int *entry,
                            int n_entry, const double *scale, double complex *work);

#endif
