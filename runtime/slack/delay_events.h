/* What events make of errors: one that comes too late leaves states on the slopes before it for longer, and discrete states keep
 * what was there at the wrong time.
 *
 * Of an event that states err at by E, and inputs by e_u, the time errs by
 *
 *     late = [z(x - E, u - e_u, d - E_d) - z(x, u, d)] / (dz/dt),   E+ = E + (f- - f+) late
 *
 * (Hiskens, Pai, "Trajectory sensitivity analysis of hybrid systems", IEEE Trans. Circuits Syst. I 47(2), 2000, sec. III).
 * What jumps, states and discrete states, errs by what the event's first pass leaves at points moved by these errors: it is done
 * again on either side. Where the two do not lie on a line with what it has left (it has gone another way, or a later pass has
 * been at it) they are taken to be right.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_EVENTS_H
#define WR_DELAY_EVENTS_H

#include "subsystems/subsystem.h"

typedef struct wr_delay_events {
    wr_subsystem *subsystem;
    double *error; /* [n_d] of discrete states */
    /* Work space. */
    double *u_change;           /* [n_external] */
    double *d_before, *d_later; /* [n_d] */
    double *x_change, *x_before, *x_later;
} wr_delay_events;

/* 0, or -1 when the arena is exhausted. The subsystem outlives it. */
int wr_delay_events_place(wr_delay_events *events, wr_arena *arena, wr_subsystem *subsystem);

/* An event, at which states err by x_error[n_x], which becomes what they err by after it, and inputs by u_error[n_external]; a shift is most_s
 * at most. */
void wr_delay_events_pass(wr_delay_events *events, const wr_event_point *event, double *x_error,
                          const double *u_error, double most_s);

/* Passes over what changes (base/state_io.h). */
void wr_delay_events_state(wr_delay_events *events, wr_state_io *io);

#endif
