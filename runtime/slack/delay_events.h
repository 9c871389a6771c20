/* What events make of errors: one that comes too late leaves states on the slopes before it for longer, and discrete states keep
 * what was there at the wrong time.
 *
 * Of an event that states err at by E, and inputs by e_u, the time errs by
 *
 *     late = [z(x - E, u - e_u, d - E_d) - z(x, u, d)] / (dz/dt),   E+ = E + (f- - f+) late
 *
 * (Hiskens, Pai, "Trajectory sensitivity analysis of hybrid systems", IEEE Trans. Circuits Syst. I 47(2), 2000, sec. III). A
 * state that jumps is taken to jump to a constant. Of discrete states it is known what they err by where they took over the time, a
 * state or an input to the last bit; others are taken to be right. From then on E' gets f(d) - f(d - E_d).
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_EVENTS_H
#define WR_DELAY_EVENTS_H

#include "subsystems/subsystem.h"

typedef struct wr_delay_events {
    wr_subsystem *subsystem;
    int has_error;   /* of some discrete state */
    double *error;   /* [n_d] of discrete states */
    double *source;  /* [n_x] what has come of all for states since it was taken */
    double *moved_d; /* [n_d], [n_x] work space */
    double *slope;
} wr_delay_events;

/* 0, or -1 when the arena is exhausted. The subsystem outlives it. */
int wr_delay_events_place(wr_delay_events *events, wr_arena *arena, wr_subsystem *subsystem);

/* An event, in the order of time, at which states err by x_error[n_x] and inputs by u_error[n_external]; a shift is most_s at
 * most. */
void wr_delay_events_pass(wr_delay_events *events, const wr_event_point *event,
                          const double *x_error, const double *u_error, double most_s);

/* What discrete states err by counts for span_s at a point where the slope is slope[n_x]. Returns how many right-hand sides that
 * took. */
int wr_delay_events_count(wr_delay_events *events, const wr_step_point *point, const double *slope,
                          double span_s);

/* Passes over what changes (base/state_io.h). */
void wr_delay_events_state(wr_delay_events *events, wr_state_io *io);

#endif
