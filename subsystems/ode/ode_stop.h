/* Stops: all discontinuities of an instant of a subsystem, which are events and jumps of inputs.
 *
 * In a run that repeats windows, an event of a model without rollback waits. The advance ends at the event (wr_ode_hold_stop()), and the run
 * shortens the window to this end. After the acceptance of the window the event fires once (wr_ode_fire_held()). Until then the model has
 * only been evaluated, so each repetition of the window begins with the same model.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models and integrators.
 */
#ifndef WR_ODE_STOP_H
#define WR_ODE_STOP_H

#include "subsystems/ode/ode_parts.h"

/* The present stop. */
typedef struct wr_ode_stop {
    int n_state, n_jump, n_time; /* number of state events, jumps of sources, time events */
    int n_ask;                   /* number of events that step_completed() asks for */
    int is_at_start;             /* the stop begins the window */
    double from_s;               /* the stop, or the first jump if earlier */
    double span_s;               /* uncertainty of the time of the state events */
    const double *moved;         /* as for wr_ode_fire() */
    int is_held;                 /* 1: the stop's events wait for the acceptance of the window */
    int has_rest; /* 1: the window ends shortly after the waiting event, with another node */
} wr_ode_stop;

/* Starts the integrator at the current point, directly after an evaluation of the indicators. */
wrsim_status wr_ode_start_integrator(wr_subsystem *s);
/* Starts a window with other inputs than at the end of the last window. The splitting error estimate treats the start as an instant. */
wrsim_status wr_ode_start_with_others(wr_subsystem *s);
/* Handles all discontinuities of the current instant. fired marks the n_state state events, located in the step or due at the window's
 * start. n_ask: number of events that step_completed() asks for. moved: as for wr_ode_fire(). Returns WRSIM_STOPPED before an event of a
 * model without rollback, if the run repeats windows. */
wrsim_status wr_ode_handle_stop(wr_subsystem *s, int n_state, int n_ask, const double *moved);

/* Ends the advance at a waiting event, and sets s->held. From the event to the window's end t_end_s the outputs of the wave are constant. */
wrsim_status wr_ode_hold_stop(wr_subsystem *s, double t_end_s);
/* Fires the waiting events after the acceptance of the window, and brings the subsystem to the window's end. */
wrsim_status wr_ode_fire_held(wr_subsystem *s);

/* Returns whether an event waits for the acceptance of the window. */
WR_ODE_GET(int, is_holding, stop->is_held)
static inline void wr_ode_forget_held(wr_subsystem *s) { wr_ode_of(s)->stop->is_held = 0; }

#endif
