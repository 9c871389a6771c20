/* Operations on a subsystem of components that belong to no single object. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ODE_OPERATIONS_H
#define WR_ODE_OPERATIONS_H

#include "subsystems/ode/ode_parts.h"

/* ---- events of an instant (event_iteration.c) ---- */

double wr_ode_next_event(const wr_subsystem *s, double *ret_gap_s);
/* Evaluates the indicators at the current point into z, and counts the evaluation. A following evaluation of f at this point is cheap. */
wrsim_status wr_ode_indicators_here(wr_subsystem *s);
/* Runs the event iteration of the current instant (docs/METHODS.md, Hybrid models), and updates x, d, mode and z. The first round fires the
 * events set in fired and due. Each further round passes jumps of inputs, publishes changed outputs, and fires due events. moved[n_z]:
 * change of the indicators over the last bracket, within which fired indicators keep their mode. NULL: rounding. */
wrsim_status wr_ode_fire(wr_subsystem *s, const double *moved);
/* Runs the rounds of wr_ode_fire(), or the rounds that remain. Returns WRSIM_STOPPED if wr_group_holds_event() for a due event. */
wrsim_status wr_ode_fire_rounds(wr_subsystem *s, const double *moved);
/* Begins an instant of wr_ode_fire(). */
void wr_ode_begin_instant(wr_subsystem *s);
/* Fires the due events. With is_initial, fires the initial events. Returns the number of time events due next, or a negative number on a
 * fault. */
int wr_ode_fire_round(wr_subsystem *s, int is_initial);
/* Updates the modes of indicators until no mode changes, and marks the changed indicators. *ret_n_flip: number of changes. Returns the
 * number of due indicators, or a negative number on a fault. */
int wr_ode_look_again(wr_subsystem *s, const double *moved, int *ret_n_flip);
/* Finds the events that are due at the start of a window whose inputs have jumped, like wr_ode_look_again(), and marks these events. Modes of
 * the events stay as before the jump. Returns the number of due indicators, or a negative number on a fault. */
int wr_ode_look_at_start(wr_subsystem *s);
/* Marks the components with their own modes whose event is due: an indicator has fired, or is in index[n]. Also marks the events that
 * wait: an indicator of the component reads a stale output (group_stale.h). If all these events waited, none waits. Returns the number of
 * due events. The group needs group->stale. */
int wr_ode_mark_own_modes(wr_subsystem *s, const int *index, int n);
/* Sets a fault if the instant has too many rounds. */
wrsim_status wr_ode_check_rounds(wr_subsystem *s);
void wr_ode_end_instant(wr_subsystem *s, const double *moved);
/* Counts a stop at state events. Too many stops within the chatter time are a fault, except with wr_ode_counts_late(). */
wrsim_status wr_ode_check_streak(wr_subsystem *s);
/* Counts a stop at state or time events. Too many stops within the chatter time, or within DENSE_SHARE of the run, are a fault. With
 * wr_ode_counts_late() only stops at time events count. is_time: time events, marked in `due`, cause the stop. */
wrsim_status wr_ode_check_dense(wr_subsystem *s, int is_time);

/* ---- jumps of inputs at an instant (input_jumps.c) ---- */

/* Begins an instant at the current time. Returns the number of sources that jump, and finds the rounds of each source. */
int wr_ode_open_jumps(wr_subsystem *s);
/* Reads the values of jumping sources in a round, from 1 on. After its last round a source stays on the right of its jump. Returns
 * the number of sources with further rounds; *ret_n_moved: sources that changed in this round. */
int wr_ode_pass_jumps(wr_subsystem *s, int round, int *ret_n_moved);
int wr_ode_follows_at_end(const wr_subsystem *s, int i_external, const wr_wave *wave);
int wr_ode_has_jump_at_end(const wr_subsystem *s);

/* ---- the window loop (ode_advance.c) ---- */

wrsim_status wr_ode_advance(wr_subsystem *s, double t_end_s, double tolerance_factor);
/* Implements wr_subsystem_accept(). */
wrsim_status wr_ode_accept(wr_subsystem *s, double *ret_sound_s);
int wr_ode_is_event_due(wr_subsystem *s, const double *change);

/* ---- points and events of an advance, and evaluations at these points (ode_watch.c) ---- */

/* Copies the present point into a point of s->watch. */
void wr_ode_watch(wr_subsystem *s, wr_step_point *point);
/* Stores the last step, of length step_s, in s->watch. */
void wr_ode_watch_step(wr_subsystem *s, double step_s);
/* Stores in s->watch the turns of indicators in the step to end_s. Sets the second derivative (bend) of the indicator that fires. */
void wr_ode_watch_course(wr_subsystem *s, double end_s);
/* Store in s->watch the points before and after a round of events. */
void wr_ode_watch_round(wr_subsystem *s);
void wr_ode_watch_fired(wr_subsystem *s);
/* Stores the end of an instant in s->watch. If has_changed is 0, drops the instant. left[n_x]: slopes before the instant. */
void wr_ode_watch_instant(wr_subsystem *s, int has_changed, const double *left);
double wr_ode_event_shift(wr_subsystem *s, const wr_event_point *event, const double *x_error,
                          const double *u_error, const double *d_error, double most_s,
                          double *ret_margin);
int wr_ode_outputs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                      double *ret_y);
int wr_ode_row_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                  double *ret_row);
int wr_ode_event_after(wr_subsystem *s, const wr_event_point *event, const double *const change[3],
                       double by, double by_s, double *ret_x, double *ret_d);
int wr_ode_place_watch(const wr_subsystem *s, wr_arena *arena, int has_points, int cap_event,
                       wr_step_watch *watch);
int wr_ode_rhs_at(wr_subsystem *s, const wr_step_point *at, const double *external, double *ret_dx);

/* ---- directional derivatives, and the effect of a change of inputs on a window (ode_tangent.c) ---- */

int wr_ode_tangent(wr_subsystem *s, const double *x_change, const double *u_change, double *ret_dx);
int wr_ode_tangent_outputs(wr_subsystem *s, const double *x_change, const double *u_change,
                           double *ret_dy);
int wr_ode_tangent_discrete(wr_subsystem *s, const double *d_change, double *ret_dx,
                            double *ret_dy);
const wr_matrix *wr_ode_pattern(const wr_subsystem *s, wr_arena *arena);
double wr_ode_effect(wr_subsystem *s, const double *change, double length_s,
                     const double *output_weight);

/* ---- time and text of a fault (fault_time.c) ---- */

double wr_ode_close_in(wr_subsystem *s, double tolerance_factor);
void wr_ode_fault_text(const wr_subsystem *s, wrsim_error *ret_err);

#endif
