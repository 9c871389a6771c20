/* Fires the events of an instant, round by round.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_ITERATION_H
#define WR_EVENT_ITERATION_H

#include "subsystems/ode/ode_parts.h"

double wr_ode_next_event(const wr_subsystem *s, double *ret_gap_s);
/* Evaluates the indicators at the current point into z, and counts the evaluation. f at this point may follow cheaply. */
wrsim_status wr_ode_indicators_here(wr_subsystem *s);
/* Runs the event iteration of the current instant (superdense time, docs/NUMERICS.md). It fires the events set in fired and due. In
 * each further round inputs pass their jumps, changed outputs are published, and events that became due fire, until none is due.
 * moved[n_z]: change of the indicators over the last bracket; a fired indicator keeps its mode within this band around zero. NULL:
 * the band is rounding only. Updates x, d, mode and z. */
wrsim_status wr_ode_fire(wr_subsystem *s, int is_initial, const double *moved);
/* The parts of wr_ode_fire(). */
void wr_ode_begin_instant(wr_subsystem *s);
/* Fires the due events, or with is_initial the initial ones. Returns the number of time events due next, negative on a fault. */
int wr_ode_fire_round(wr_subsystem *s, int is_initial);
/* Updates the modes of indicators until none changes, and marks the changed indicators; *ret_n_flip counts changed modes. Returns
 * the number of due indicators, negative on a fault. */
int wr_ode_look_again(wr_subsystem *s, const double *moved, int *ret_n_flip);
/* Sets a fault if the instant has had too many rounds. */
wrsim_status wr_ode_check_rounds(wr_subsystem *s);
void wr_ode_end_instant(wr_subsystem *s, const double *moved);
/* Counts a stop at state events. Too many stops within the chatter time are a fault. */
wrsim_status wr_ode_check_streak(wr_subsystem *s);
/* As wr_ode_check_streak() for events of any kind. is_time: the stop is at time events, which due marks. */
wrsim_status wr_ode_check_dense(wr_subsystem *s, int is_time);

#endif
