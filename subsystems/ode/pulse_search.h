/* Searches steps for pulses of f in time. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_PULSE_SEARCH_H
#define WR_PULSE_SEARCH_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_pulse_search {
    double look_s; /* distance of search times; INFINITY: no search; constant after creation */
    double *time_event_s; /* time of the last time event without a declared time scale; saved */
} wr_pulse_search;

/* Finds look_s from the time scales that the components declare. */
void wr_ode_find_time_scale(wr_subsystem *s);
/* Returns the first search time after t_s in a step from the current point to end_s, s; INFINITY: none. */
double wr_ode_next_look(const wr_subsystem *s, double t_s, double end_s);
/* Returns the time at which the integrator's step to end_s should end: a time in a missed pulse of f, or end_s. */
double wr_ode_own_time(wr_subsystem *s, double end_s);
/* Stores the present time if a component without a declared time scale has a time event, or if the simulation begins. A pulse of f may
 * begin at this time. */
void wr_ode_note_time_event(wr_subsystem *s);
/* Returns the latest end, at most stop_s, of a step after a stored time event if the integrator cannot repeat steps. */
double wr_ode_after_time_event(const wr_subsystem *s, double stop_s);

/* Returns whether the subsystem searches long steps. The search is off if all components declare INFINITY as time scale (wrsim/model.h). */
WR_ODE_GET(int, is_searched, pulse->look_s < (double)INFINITY)
/* Returns the distance of search times, s; INFINITY: no search. */
WR_ODE_GET(double, look_distance, pulse->look_s)

/* Clears the stored time event at the start of a run. */
static inline void wr_ode_forget_time_event(wr_subsystem *s)
{
    *wr_ode_of(s)->pulse->time_event_s = -(double)INFINITY;
}

#endif
