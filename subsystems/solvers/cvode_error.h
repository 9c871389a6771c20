/* The error control around CVODE: its tolerances, and the length of the first step after a start.
 *
 * The tolerances also follow the error of published outputs that errors of the states cause. CVODE itself controls errors of states only.
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_CVODE_ERROR_H
#define WR_CVODE_ERROR_H

#include "subsystems/solvers/integrator.h"

/* Data that save() copies. */
typedef struct wr_cvode_error_state {
    double tightened;    /* factor <= 1 on the tolerances by errors of published outputs */
    double first_step_s; /* length of order 1 that the error allows after a start; 0: unknown */
} wr_cvode_error_state;

typedef struct wr_cvode_error {
    const wr_equations *ode;
    double rtol, atol_factor;
    double loosened; /* factor >= 1 on the tolerances */
    double *unit;    /* [n_x] work: tolerances of the states */
    wr_cvode_error_state now, saved;
} wr_cvode_error;

/* Places the work arrays. ode outlives the object. Returns WRSIM_E_ARG if the tolerances are not positive, or WRSIM_E_MEMORY. */
wrsim_status wr_cvode_error_place(wr_cvode_error *control, wr_arena *arena, const wr_equations *ode,
                                  const wr_integ_options *options);

/* Returns the tolerances of the states x[n_x] at a relative tolerance of 1, valid until the next call with a control that is not const. */
const double *wr_cvode_error_unit(wr_cvode_error *control, const double *x);

/* Writes the error weights of the states x[n_x], 1 / tolerance. Returns 0, or -1 if a tolerance is not positive. */
int wr_cvode_error_weights(const wr_cvode_error *control, const double *x, double *ret_weight);

/* Returns the length of the first step after a start, s; 0: unknown. */
double wr_cvode_error_first(const wr_cvode_error *control);

/* Tightens the tolerances before a first step at (t, x), as if the error of each state were its tolerance. */
void wr_cvode_error_before_first(wr_cvode_error *control, double t_s, const double *x);

/* Sets the length of the first step after the next start, by a first step of length h_s to the states x with the estimated errors
 * error[n_x]; NULL: unknown. */
void wr_cvode_error_note_first(wr_cvode_error *control, double h_s, const double *x,
                               const double *error);

/* Sets the tolerances of the next steps, by the estimated errors of an accepted step to (t, x); NULL: unknown. */
void wr_cvode_error_after(wr_cvode_error *control, double t_s, const double *x,
                          const double *error);

#endif
