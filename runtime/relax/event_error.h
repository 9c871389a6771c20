/* Propagation of errors across an event.
 *
 * If at an event states have the error E, inputs e_u and discrete states E_d, the event is late by
 *
 *     late = z(x - E, u - e_u, d - E_d) / (dz/dt),   E+ = E + (f- - f+) late
 *
 * (Hiskens, Pai, "Trajectory sensitivity analysis of hybrid systems", IEEE Trans. Circuits Syst. I 47(2), 2000, sec. III). If an event
 * follows from a jump of an input, the event is as late as its origin. The origin is an event of another subsystem at the same instant.
 * Errors of values that jump come from two evaluations of the event's round, at points shifted by the errors to either side. If both
 * results and the round's own result do not lie on a line, the event takes another branch at one of the points. The error of such a value
 * counts as 0. If the values deviate from the line by more than the tolerance, the error is unknown.
 *
 * Thread: as the subsystem. Real-time: yes after placing. */
#ifndef WR_EVENT_ERROR_H
#define WR_EVENT_ERROR_H

#include <stdint.h>

#include "subsystems/subsystem.h"

typedef struct wr_event_error {
    wr_subsystem *subsystem;
    double *error; /* [n_d] errors of discrete states */
    double late_s; /* delay of the present instant */
    /* Factor from wr_event_error_late(): errors larger by this factor make or prevent the event; infinite if no factor does. */
    double margin;
    /* An event that a turn prevents, or may prevent, until wr_event_error_settle(). At a turn an indicator turns back before zero. */
    int has_missed, i_missed, way_missed; /* indicator, and direction of the crossing */
    double margin_missed;
    /* [n_x], [n_d] changes of the errors by the prevented event; 0 if margin_missed is at least 1 */
    double *x_missed, *d_missed;
    /* number of evaluations of events, indicators and announced times */
    int64_t n_rhs;
    /* Work space: [n_external]; [n_d] each; [n_x] each. */
    double *u_change;           /* [n_external] */
    double *d_before, *d_later; /* [n_d] */
    double *x_change, *x_before, *x_later;
} wr_event_error;

/* Places the object. Returns 0, or -1 when the arena is exhausted. The subsystem outlives the object. */
int wr_event_error_place(wr_event_error *events, wr_arena *arena, wr_subsystem *subsystem);

/* Returns the delay of an event by its own indicator or announced time, s, from -most_s to most_s. 0: the delay is unknown;
 * infinity: the indicator does not change in time; NaN: the errors alone have caused the event, or prevented the event of a turn.
 * x_error[n_x] and u_error[n_external] are the errors of states and inputs at the event. */
double wr_event_error_late(wr_event_error *events, const wr_event_point *event,
                           const double *x_error, const double *u_error, double most_s);

/* Propagates the errors across a round of an event that is late_s late. x_error[n_x] are the errors of states before the round, and after
 * the round on return. u_error[n_external] are the errors of inputs. Returns 0, or 1 if the error of a value that jumps is unknown. */
int wr_event_error_pass(wr_event_error *events, const wr_event_point *event, double *x_error,
                        const double *u_error, double late_s);

/* Stores the event that a turn prevents, or may prevent. Call wr_event_error_late() for this turn first, which sets the margin.
 * u_error[n_external]: errors of inputs. Returns 0, or 1 if the model fails. */
int wr_event_error_miss(wr_event_error *events, wr_event_point *event, const double *x_error,
                        const double *u_error);

/* Settles the stored event, if an event is stored. first: the event that begins the next window, or NULL. If `first` is the stored event,
 * the event is only late. Otherwise the function adds all changes of the event to the errors. Returns 1 after such an addition, else 0. */
int wr_event_error_settle(wr_event_error *events, const wr_event_point *first, double *x_error);

/* Adds to the errors all changes of a round of an event that the errors alone have caused. */
void wr_event_error_add(wr_event_error *events, const wr_event_point *event, double *x_error);

/* Propagates the errors across a round of an event. In round 0 the function finds the delay from the event's indicator or announced time;
 * later rounds use the same delay. An infinite or NaN delay counts as 0. Returns the value of wr_event_error_pass(). */
int wr_event_error_cross(wr_event_error *events, const wr_event_point *event, double *x_error,
                         const double *u_error, double most_s);

/* Visits the state (base/state_io.h). */
void wr_event_error_state(wr_event_error *events, wr_state_io *io);

#endif
