/* Diagnoses why a solver stalls: a diverging state, or a discontinuity that the model does not declare.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_STALL_DIAGNOSIS_H
#define WR_STALL_DIAGNOSIS_H

#include "subsystems/ode/ode_parts.h"

/* Part of the saved state. */
typedef struct wr_crawl {
    double start_s; /* end of the first counted step, s */
    int n; /* number of counted steps without an event; 0: none since a stop, or fixed steps */
    int n_jump_found; /* number of successive searches that found a jump of f */
} wr_crawl;

/* Ends the series of steps without an event at a stop. */
static inline void wr_ode_end_crawl(wr_subsystem *s) { wr_ode_of(s)->crawl->n = 0; }

/* Reports a fault if an undeclared jump of f keeps thousands of steps short. Call the function after each accepted step without an
 * event. */
wrsim_status wr_ode_check_crawl(wr_subsystem *s);
/* Names the cause in the fault, if found. Call the function after a failure of the solver just after the current point, or after a value
 * that is not finite. */
void wr_ode_blame(wr_subsystem *s);
wr_runaway wr_ode_runs_away(wr_subsystem *s, wr_fault *ret_fault);

#endif
