/* A group: several components joined algebraically into one hybrid ODE for one integrator.
 *
 * Variables are ordered by component, in config order. Each evaluation copies outputs to the inputs that they drive in the group, or
 * the model reads the outputs in place (group_ports.c). The direct-feedthrough patterns give the order of calls; Newton's method solves
 * algebraic loops. The caller gives the external inputs; open inputs keep their defaults.
 *
 * A monolithic simulation has one group with all components.
 *
 * Thread: one at a time. Real-time: evaluation yes, building no.
 */
#ifndef WR_GROUP_H
#define WR_GROUP_H

#include "base/state_io.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/model_host/ahead_turn.h"
#include "subsystems/model_host/own_state.h"
#include "wrsim/stats.h"

/* ---- building and state ---- */

/* Builds a group in arena. Adds errors to diag. Returns NULL on failure. */
wr_group *wr_group_place(wr_arena *arena, wr_component *const *components, int n_components,
                         const wr_group_edge *edges, int n_edges, int n_external, wr_diag *diag);

/* Reports that the components need too much memory. If a component with many states declares no pattern of its Jacobian, the report names
 * the largest such component. */
void wr_group_report_memory(wr_component *const *components, int n_components, wr_diag *diag);

/* Returns the memory of all instances as one block, saved and restored with the states; NULL and 0: none. */
void *wr_group_memory(const wr_group *group, size_t *ret_bytes);
/* Returns the range of the block of wr_group_memory() that belongs to component c. */
void *wr_group_memory_of(const wr_group *group, int c, size_t *ret_bytes);

/* Reads or writes the memory of instances, start values and solutions of loops, and inputs and outputs of the last evaluation. Also reads
 * or writes the counts of evaluated indicators and points. The state includes inputs, because a call of output() before all inputs are set
 * reads old inputs. Reading clears the fault, the prepared results and the stored indicators. */
void wr_group_state(wr_group *group, wr_state_io *io);
/* Reads or writes the data of wr_group_state() without counters. */
void wr_group_keep(wr_group *group, wr_state_io *io);

/* ---- own states of models (wrsim_own_state) ---- */

/* Places the own states. Setup only. Returns 0, or -1 when out of memory. */
int wr_group_own_place(wr_group *group, wr_arena *arena);
/* Returns whether a model of the group has an own state, or a state outside of wrsim without rollback. */
int wr_group_has_own(const wr_group *group);
/* Returns whether every own state has bytes for wr_group_own_state(), and no model lacks a rollback. */
int wr_group_own_has_bytes(const wr_group *group);
/* Copy all own states to a slot, and back. */
void wr_group_own_keep(wr_group *group, wr_own_slot slot, double t_s);
void wr_group_own_go_back(wr_group *group, wr_own_slot slot, double t_s);
/* Visits all own states as bytes. wr_group_state() calls the function. */
void wr_group_own_state(wr_group *group, wr_state_io *io);
/* Returns 0, or -1 with the fault set if an own state is lost. */
int wr_group_own_check(wr_group *group, double t_s);
/* Marks that the run advances the group once per window. Setup only. */
void wr_group_advance_once(wr_group *group);
/* In a run that repeats windows, events of models without rollback fire only between windows. wr_group_may_hold_events(): returns whether the
 * group has such a model. wr_group_hold_events(): marks the begin (1) or the end (0) of a window. wr_group_holds_events() and
 * wr_group_holds_event(): return whether events of any component, or of one component, may not fire now. */
int wr_group_may_hold_events(const wr_group *group);
void wr_group_hold_events(wr_group *group, int is_holding);
int wr_group_holds_events(const wr_group *group);
int wr_group_holds_event(const wr_group *group, int i_component);
/* Returns whether wrsim may call event() of component c for events of the run only; 0 without event(). */
int wr_group_forbids_probe(const wr_group *group, int c);
/* Returns whether wrsim may call event() of all due components for a trial. */
int wr_group_may_probe(const wr_group *group, const unsigned char *due);

/* ---- evaluation at a point ----
 *
 * Every evaluation returns 0 on success. A value > 0: the caller may retry. A value < 0: a fatal failure. After a failure group->fault has
 * the component and the reason. Evaluations check that results are finite. */

/* Evaluates the right-hand side f. */
int wr_group_rhs(wr_group *group, const wr_group_point *point, double *ret_dx);
/* Evaluates f like wr_group_rhs(), right after wr_group_indicators_before_rhs() at the same point. Both functions share one evaluation of
 * outputs. */
int wr_group_rhs_after_indicators(wr_group *group, const wr_group_point *point, double *ret_dx);
/* Invalidates the prepared results. The caller calls the function after a value or a mode in the point's arrays has changed. */
void wr_group_forget(wr_group *group);
/* Evaluates all outputs into y[n_y]. */
int wr_group_outputs(wr_group *group, const wr_group_point *point, double *ret_y);
/* Writes the plan's outputs into y[n_y]; other outputs are unspecified. y NULL: read the outputs from wr_group_evaluated() before the next
 * evaluation of the group. */
int wr_group_evaluate(wr_group *group, const wr_plan *plan, const wr_group_point *point, double *y);
const double *wr_group_evaluated(const wr_group *group);
/* Returns 0 if all states are finite, else 1 with the fault set. */
int wr_group_check_state(wr_group *group, double t_s, const double *x);

/* Evaluates the plan at the point, then algebra(). */
int wr_group_prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point);

/* Sets the components' arrays and input blocks to the point, without an evaluation. Invalidates the prepared results. */
void wr_group_turn(wr_group *group, const wr_group_point *point);
/* Returns whether the group is prepared at the time of the point, with the point's arrays x, d and mode. */
int wr_group_is_prepared_at(const wr_group *group, const wr_group_point *point);

/* The first function evaluates the indicators at the prepared point. Both functions check that the indicators are finite. */
int wr_group_call_indicators(wr_group *group, double *ret_z);
int wr_group_check_indicators(wr_group *group, const double *z);

/* Returns whether wr_group_indicators_after_rhs() can follow f at time t_s. */
int wr_group_can_follow(const wr_group *group, double t_s);
/* Adds `by` to the number of indicator values evaluated so far. Returns the new number. */
int64_t wr_group_count_values(wr_group *group, int64_t by);
/* Evaluates the indicators of n components. The plan finds the inputs of the indicators. */
int wr_group_indicators_of_some(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                                int n, const int *component, double *ret_z);

/* Returns the component whose computed output drives input i_input (group number), and writes the output's last value to *ret_value.
 * Returns -1 if no computed output drives the input. */
int wr_group_driver_of(const wr_group *group, int i_input, double *ret_value);

/* Returns whether every component with states has a Jacobian, and no x' depends on states through a connection. */
int wr_group_has_jacobian(const wr_group *group);
/* Writes the values of df/dx in the order of pattern_xx->row. Needs wr_group_has_jacobian(). */
int wr_group_jacobian(wr_group *group, const wr_group_point *point, double *ret_values);

/* ---- indicators ---- */

/* Evaluates all indicators. If ret_z is the address of wr_group_keep_indicators(), the function evaluates only the blocks with changed
 * values, if possible. */
int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z);
/* Evaluate the indicators at the point of f. f and the indicators at one point share the evaluation of outputs and algebra() in two
 * orders. Either f comes first, then wr_group_indicators_after_rhs() if wr_group_can_follow() returns 1 for the time of f. Or
 * wr_group_indicators_before_rhs() comes first, then wr_group_rhs_after_indicators(). The caller changes neither point nor arrays in
 * between. Results have the same bits as separate evaluations. */
int wr_group_indicators_after_rhs(wr_group *group, double *ret_z);
int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z);
/* Evaluates at least the listed indicators (ascending, n > 0) into their places in ret_z[n_z], with the bits of wr_group_indicators().
 * *ret_is_all 1: the function has evaluated all indicators. */
int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all);

/* ---- calls outside of evaluations ---- */

/* Sets x and d to their start values, from descriptions and init(). Returns 0, or a negative status with the fault set. */
wrsim_status wr_group_init(wr_group *group, double t_s, double *ret_x, double *ret_d);

/* Calls rhs(), indicator(), and algebra() and output() of the components in their plans, at a point of the start. Also calls output() of
 * the components in plan[n_plan] (entries may be NULL). Drops the results. Sets the fault of the first value that a callback does not
 * write, or of a write beyond an array. Returns 0, or -1 with the fault set. */
int wr_group_try(wr_group *group, const wr_group_point *point, int n_plan,
                 const wr_plan *const *plan);

/* Returns 0, or -1 with the fault set if a model has written beyond its memory or data. */
int wr_group_check_end(wr_group *group, double t_s);

/* Returns the number of components with init_from_inputs(). */
int wr_group_n_from_inputs(const wr_group *group);
/* Calls init_from_inputs() of all components at the point. point->x and point->d are not the arrays x and d. Returns as an
 * evaluation. */
int wr_group_init_from_inputs(wr_group *group, const wr_group_point *point, double *x, double *d);

/* Lets component c use the data of component c_from of the group `from`, which must outlive `group`. Both components have the same model.
 * So the model has no second instance: wr_group_init() and wr_group_done() call no function of the component. The groups never make calls
 * at the same time. */
void wr_group_share(wr_group *group, int c, const wr_group *from, int c_from);

/* Calls done() of every started instance. The owner of the group calls the function before freeing the memory. */
void wr_group_done(wr_group *group);

/* Calls step_completed() of the components after an accepted step that ends at the point. Sets ret_asks[c] to 1 if component c returns
 * WRSIM_ENTER_EVENT, and *ret_n_ask to the number of such components. Returns as an evaluation. */
int wr_group_step_completed(wr_group *group, const wr_group_point *point, unsigned char *ret_asks,
                            int *ret_n_ask);
/* Returns 1 if a component has step_completed(), which may store inputs in memory. */
int wr_group_has_step_completed(const wr_group *group);

/* Returns 1 if models without rollback get calls of step_completed() after the window only (deferred_steps.h). */
int wr_group_defers_steps(const wr_group *group);

/* Reasons for an event of a component: its announced time is due, or one of its indicators fires. */
enum {
    WR_DUE_TIME = 1,
    WR_DUE_STATE = 2,
    WR_DUE_ASKED = 4 /* with WR_DUE_TIME: step_completed() asks for the event (WRSIM_ENTER_EVENT) */
};

/* Fires one round of events, which change x and d in place. fired[n_z]: as in wrsim_event. due[n_component]: reasons for the event of a
 * component; 0: no event, unless is_initial. The point has the modes after the round. */
int wr_group_event(wr_group *group, const wr_group_point *point, const signed char *fired,
                   const unsigned char *due, int is_initial, double *x, double *d);

/* Returns the component that has returned WRSIM_TERMINATE in the last wr_group_event(), and writes its message (or NULL) to *ret_message;
 * -1: none. */
int wr_group_ended_by(const wr_group *group, const char **ret_message);

/* Writes the earliest announced time event of each component to ret_time[n_component]; INFINITY: none. Returns the earliest time of all
 * components, or NaN with the fault set if an announced time is not after the point's time. */
double wr_group_next_time(wr_group *group, const wr_group_point *point, double *ret_time);

/* ---- event blocks ---- */

/* Places event blocks if the group has at least `least` indicators. Workers share evaluations of at least `least` indicators. Results have
 * the same bits as without blocks. Setup only. Returns 0, or -1 when out of memory. */
int wr_group_place_blocks(wr_arena *arena, wr_group *group, int least);

/* Return the number of blocks, 0 without blocks, and the number of workers that evaluate blocks. */
int wr_group_n_block(const wr_group *group);
int wr_group_n_thread(const wr_group *group);
/* Enables the workers of helpers to share the evaluation of event blocks. Only for a run with one group. */
void wr_group_use_helpers(wr_group *group, const wr_group_helpers *helpers);
/* Stores the address of z[n_z], which has all indicators at the point, and the point. The caller leaves z unchanged. A later evaluation
 * into z with the same time, inputs and start values of loops evaluates only the blocks that read changed values.
 * wr_group_forget_indicators() clears the address. Without blocks the functions have no effect. */
void wr_group_keep_indicators(wr_group *group, const wr_group_point *point, const double *z);
void wr_group_forget_indicators(wr_group *group);

/* ---- directional derivatives ---- */

/* Returns whether all models that the plan calls have tangent_output(), and the plan solves no algebraic loop. plan NULL: the plan of f;
 * all models with states then also have tangent(). Returns 0 if no model of the group has tangent() or tangent_output(). */
int wr_group_has_tangent(const wr_group *group, const wr_plan *plan);
/* Compute the derivatives of f, or of the plan's outputs, at the point along x_change[n_x] and external_change[n_external] (NULL: zero).
 * Only the plan's outputs in ret_dy[n_y] are valid. Results may be infinite or NaN. Return 0, or 1 if the evaluation at the point fails
 * or a model refuses; a refusal sets no fault. */
int wr_group_tangent(wr_group *group, const wr_group_point *point, const double *x_change,
                     const double *external_change, double *ret_dx);
int wr_group_tangent_outputs(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                             const double *x_change, const double *external_change, double *ret_dy);

/* ---- input blocks (wrsim_description.port) ---- */

/* Links input blocks to their values if possible (group_ports.c); other blocks are in u. Needs graph->driver. Returns 0, or -1 when out of
 * memory. */
int wr_group_ports_place(wr_arena *arena, wr_group *group);

/* Returns an input (group number) of the last evaluation. The input is current if the plan finds the input. Call the function before the
 * arrays of the point change, because an input block may point into these arrays. */
double wr_group_input(const wr_group *group, int i_input);

/* ---- patterns ---- */

/* Fills group->pattern_xx. *ret_has_path: an x' depends on states through a connection. Returns 0, or -1 when out of memory. */
int wr_group_pattern_xx_place(wr_arena *arena, wr_group *group, int *ret_has_path);

/* Places the pattern of the derivatives of x' and of the listed outputs (rows) by x and external inputs (columns). No listed output may
 * be a state. Returns NULL when out of memory. */
const wr_matrix *wr_group_pattern_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                        int n_outputs);

/* ---- points by purpose (group_points.c) ---- */

/* Sets the places of the present purpose, and of the solver's numbers of accepted and rejected steps (NULL: none). Until the call points
 * count as OTHER. */
void wr_group_watch_points(wr_group *group, const unsigned char *purpose, const int64_t *n_step,
                           const int64_t *n_rejected);

/* Returns whether the group has a meter. */
static inline int wr_group_counts_points(const wr_group *group)
{
    return group->values->meter != NULL;
}

/* Mark the start of a window of a group with a meter. After wr_group_repeat_points() the points since the last mark count as repeated. */
void wr_group_mark_points(wr_group *group);
void wr_group_repeat_points(wr_group *group);
/* Counts the points of an integration ahead: after ADOPT as points since the last mark, after DROP as repeated. */
void wr_group_turn_ahead_points(wr_group *group, wr_ahead_turn turn);

/* Adds the points of component c by purpose. Without a meter the function adds nothing. */
void wr_group_add_points(const wr_group *group, int c, wrsim_points ret[WRSIM_PURPOSE_COUNT]);

/* Returns the declared cost of all points so far, s; 0 without a meter. */
double wr_group_point_cost(const wr_group *group);

/* Returns the median time of a point of component c, s; NaN: too few points, or not measured. */
double wr_group_measured_cost(const wr_group *group, int c);

/* ---- floating-point mode ---- */

/* Returns 1 if the floating-point mode is as at wr_group_init(), or if algebra(), output(), rhs() and indicator() keep the mode at the
 * point. In the second case the present mode becomes the mode of the group. Else restores the mode, sets the fault of the first component
 * that changes the mode, and returns 0. scratch_x[n_x], scratch_z[n_z]. */
int wr_group_keeps_mode(wr_group *group, const wr_group_point *point, double *scratch_x,
                        double *scratch_z);

/* ---- texts of messages ---- */

/* Writes a loop as "a.y -> b.u -> b.y -> a.u". */
void wr_group_loop_text(const wr_group *group, int i_loop, char *ret_text, size_t text_bytes);

/* Appends the shortest path from an external input to a computed output at one instant, as "b.u -> b.m -> c.u -> c.y". Appends nothing if
 * no path exists or memory is exhausted. Setup only. */
void wr_group_path_text(const wr_group *group, int i_external, int i_output, char *text,
                        size_t text_bytes);

/* Writes the fault as text with component, variable and time. */
void wr_group_fault_text(const wr_group *group, const wr_fault *fault, wrsim_error *ret_err);

#endif
