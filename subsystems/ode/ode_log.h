/* The event log of a subsystem of components (subsystems/event_log.h): each stop with the events that fire, the inputs that jump, and the
 * values and slopes that change.
 *
 * All functions except wr_ode_log_place() do nothing if the run has no log. Thread: one at a time. Real-time: yes after placing. */
#ifndef WR_ODE_LOG_H
#define WR_ODE_LOG_H

#include "subsystems/ode/ode_parts.h"

/* Places the log of a placed subsystem, with room for at least cap_row entries. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_log_place(wr_subsystem *s, wr_arena *arena, int cap_row);

/* Functions of a run with a log. */
void wr_ode_log_add_stop(wr_subsystem *s);
void wr_ode_log_add_round(wr_subsystem *s);
void wr_ode_log_add_jumps(wr_subsystem *s, int round);
void wr_ode_log_add_slopes(wr_subsystem *s, const double *left, int is_left_exact);
void wr_ode_log_end_stop(wr_subsystem *s, unsigned causes);

/* Opens a stop, after its left side is published and recorded. */
static inline void wr_ode_log_stop(wr_subsystem *s)
{
    if (s->log)
        wr_ode_log_add_stop(s);
}

/* Logs the events of the present round and the states that they have set, before wr_ode_instant.due is cleared. */
static inline void wr_ode_log_round(wr_subsystem *s)
{
    if (s->log)
        wr_ode_log_add_round(s);
}

/* Logs the inputs that have jumped in a round. */
static inline void wr_ode_log_jumps(wr_subsystem *s, int round)
{
    if (s->log)
        wr_ode_log_add_jumps(s, round);
}

/* Logs the states whose slopes differ from left[n_x], the slopes before the stop. is_left_exact: the slopes are f, and not only slopes of
 * the dense output. */
static inline void wr_ode_log_slopes(wr_subsystem *s, const double *left, int is_left_exact)
{
    if (s->log)
        wr_ode_log_add_slopes(s, left, is_left_exact);
}

/* Logs the outputs that have changed, and closes the stop. causes: WRSIM_CAUSE_... */
static inline void wr_ode_log_close(wr_subsystem *s, unsigned causes)
{
    if (s->log)
        wr_ode_log_end_stop(s, causes);
}

#endif
