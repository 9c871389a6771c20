/* Makes a step, and finds the first event in the step. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ODE_STEP_H
#define WR_ODE_STEP_H

#include "subsystems/ode/ode_parts.h"

/* Part of the saved state. */
typedef struct wr_event_search {
    double clear_s; /* time before which the last prediction finds no event */
    int n_missed; /* number of successive aimed steps, up to the last step, without the expected event */
    int n_unlooked;    /* number of steps since the last due search inside a step */
    int look_interval; /* steps from one searched step to the next; 0 counts as 1 */
    double
        reached_s; /* end of the last step, also of a repeated step, before an event shortens the step */
} wr_event_search;

/* Resets the expected event, after a stop that may change the course of the indicators. */
static inline void wr_ode_aim_again(wr_subsystem *s) { wr_ode_of(s)->search->clear_s = s->t_s; }

/* Makes one step towards stop_s. The step aims at the first event expected before stop_s. If an event lies far from the step's end, and
 * the solver can repeat the step, the subsystem repeats the step. Returns the number of indicators that fire at *ret_end_s, or a negative
 * number on a fault. Sets fired, z_moved, z_step and sense (indicators and modes at *ret_end_s). */
int wr_ode_step(wr_subsystem *s, double stop_s, double *ret_end_s);

#endif
