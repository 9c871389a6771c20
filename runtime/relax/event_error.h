/* How errors pass an event. An event that comes too late leaves states on the slopes before it for
 * longer. Discrete states keep the values of the wrong time.
 *
 * If states err by E at an event, inputs by e_u and discrete states by E_d, the time of the event
 * errs by
 *
 *     late = z(x - E, u - e_u, d - E_d) / (dz/dt),   E+ = E + (f- - f+) late
 *
 * (Hiskens, Pai, "Trajectory sensitivity analysis of hybrid systems", IEEE Trans. Circuits Syst. I
 * 47(2), 2000, sec. III). An event may follow from an event of another subsystem at the same
 * instant, by a jump of an input. Then it is as late as its origin. States and discrete states that
 * jump err by the difference that each round of the event leaves at points moved by these errors:
 * the round is fired again on either side. If the two do not lie on a line with the round's own
 * result, the event has taken another branch at one of them. Such values count as right, and the
 * function reports that their errors are unknown.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_EVENT_ERROR_H
#define WR_EVENT_ERROR_H

#include <stdint.h>

#include "subsystems/subsystem.h"

typedef struct wr_event_error {
    wr_subsystem *subsystem;
    double *error; /* [n_d] of discrete states */
    double late_s; /* by which the present instant is late */
    /* From wr_event_error_late(): errors larger by this factor decide whether there is an event; infinite if no errors do. */
    double margin;
    /* An event that a turn prevents, or may prevent, until wr_event_error_settle(). The margin decides. */
    int has_missed, i_missed, way_missed; /* its indicator, and how that fires first */
    double margin_missed;
    double *x_missed, *d_missed; /* [n_x], [n_d] what it adds to the errors */
    int64_t n_rhs;               /* evaluations, of events and indicators too */
    /* Work space. */
    double *u_change;           /* [n_external] */
    double *d_before, *d_later; /* [n_d] */
    double *x_change, *x_before, *x_later;
} wr_event_error;

/* 0, or -1 when the arena is exhausted. The subsystem outlives it. */
int wr_event_error_place(wr_event_error *events, wr_arena *arena, wr_subsystem *subsystem);

/* By how much an event is late, s, up to most_s either way, by its own indicator or announced time; infinite where an indicator does
 * not move, NaN where the errors alone have made the event. Errors of states, x_error[n_x], and of inputs,
 * u_error[n_external], are those at its time. */
double wr_event_error_late(wr_event_error *events, const wr_event_point *event,
                           const double *x_error, const double *u_error, double most_s);

/* Passes a round of an event that is late_s late. x_error[n_x] are the errors of states before it,
 * and after it on return; u_error[n_external] are the errors of inputs. Rounds of one instant
 * follow one another. Returns 0, or 1 if the error of a value that jumps is unknown. */
int wr_event_error_pass(wr_event_error *events, const wr_event_point *event, double *x_error,
                        const double *u_error, double late_s);

/* Passes a turn whose margin wr_event_error_late() has found: stores the event that the turn prevents. Inputs err by
 * u_error[n_external]. Returns 0, or 1 if the model fails. */
int wr_event_error_miss(wr_event_error *events, wr_event_point *event, const double *x_error,
                        const double *u_error);

/* Settles a stored event. If the same event begins the next window (first, or NULL), new inputs have shown it there: it is late, not
 * prevented. Else all that it changes is added to the errors. Returns whether it was prevented, or may have been. */
int wr_event_error_settle(wr_event_error *events, const wr_event_point *first, double *x_error);

/* The same for a round of an event that only the errors have made: all that it changes is an error. */
void wr_event_error_add(wr_event_error *events, const wr_event_point *event, double *x_error);

/* Finds the delay and passes the event, if nothing but its own indicator or announced time makes it late. */
int wr_event_error_cross(wr_event_error *events, const wr_event_point *event, double *x_error,
                         const double *u_error, double most_s);

/* Passes over what changes (base/state_io.h). */
void wr_event_error_state(wr_event_error *events, wr_state_io *io);

#endif
