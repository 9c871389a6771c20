/* A group: several components joined algebraically into one hybrid ODE for one integrator.
 *
 * Variables of the components stand one after the other in config order. Inputs driven by a
 * component of the same group are copied from its outputs at every evaluation, or read where they are
 * (group_ports.c), in an order found from the direct-feedthrough patterns; algebraic loops are solved by Newton's method. Inputs
 * driven from outside ("external") are given by the caller; open inputs keep their defaults.
 *
 * Monolithic is one group with everything in it.
 *
 * Thread: one at a time. Real-time: evaluation yes, building no.
 */
#ifndef WR_GROUP_H
#define WR_GROUP_H

#include "base/fp_mode.h"
#include "base/sparse.h"
#include "base/state_io.h"
#include "subsystems/component.h"
#include "subsystems/fault.h"
#include "subsystems/integrators/mass.h"

/* Connection inside the group, or from outside (from = -1). */
typedef struct wr_group_edge {
    int from, i_output; /* component of the group and its output; from = -1: external input */
    int to, i_input;
    int i_external; /* with from = -1 */
} wr_group_edge;

/* Outputs that depend on one another at the same instant. They are solved by Newton's method,
 * which starts from the guess kept by wr_group_keep_loops(): a value of the last accepted point,
 * so that between two accepted points the group is a function of its point alone. */
typedef struct wr_algebraic_loop {
    int n;             /* outputs in the loop */
    const int *output; /* [n] group output numbers */
    int n_cycle;       /* one closed path through the loop, for people */
    const int *cycle;  /* [2 * n_cycle] output, input it drives, output of that, ... */
} wr_algebraic_loop;

/* Which outputs and inputs an evaluation is to give, and in which order (group_order.c). */
typedef struct wr_plan wr_plan;

/* What every evaluation reads comes first. */
typedef struct wr_group {
    int n_component;
    int n_x, n_d, n_u, n_y, n_z, n_w, n_external;
    struct wr_group_work *work; /* evaluation order and buffers */
    const int *x_start;         /* [n_component + 1], as the others */
    const int *state_of_output; /* [n_y] group state an output equals, or -1 */
    wr_fault fault;             /* of the last failed evaluation */
    const int *d_start, *u_start, *y_start, *z_start, *w_start;
    wr_component **component;         /* [n_component], not owned */
    const double *nominal_x;          /* [n_x] */
    const double *tolerance_factor;   /* [n_x] on the solver's tolerance */
    const double *nominal_y;          /* [n_y] */
    const int *owner_z;               /* [n_z] component */
    const unsigned char *direction_z; /* [n_z] 0 both, 1 rising only, 2 falling only */
    const unsigned char *is_direct;   /* [n_external] read by an output or an indicator directly */
    const wr_mass *mass;              /* of L x' = f; NULL: no component has a mass matrix */
    const wr_sparsity *pattern_xx;    /* df/dx with algebraic connections substituted */
    int n_loop;
    const wr_algebraic_loop *loop;
    wr_fp_mode fp_mode; /* that models are called in (group_mode.c) */
} wr_group;

/* The point at which a group is evaluated: all arrays are the group's. mode and d are the current
 * ones and belong to the caller. */
typedef struct wr_group_point {
    double t_s;
    const double *x, *d, *external;
    const unsigned char *mode;
} wr_group_point;

/* Workers that share the evaluation of indicators. share() calls work(context, i_part) once for each part 0 .. n_part - 1 on
 * any of them, in the floating-point mode of runs, and returns when all calls have returned. */
typedef struct wr_group_helpers {
    int n_worker; /* with the calling one */
    void *team;   /* for share() */
    void (*share)(void *team, int n_part, void (*work)(void *context, int i_part), void *context);
} wr_group_helpers;

/* Builds a group. Errors go to diag. Everything is placed in arena. */
wr_group *wr_group_place(wr_arena *arena, wr_component *const *components, int n_components,
                         const wr_group_edge *edges, int n_edges, int n_external, wr_diag *diag);

/* These components take more memory than there is: says so, and why where one declares no pattern of its Jacobian. */
void wr_group_report_memory(wr_component *const *components, int n_components, wr_diag *diag);

/* Start values: x, d from descriptions and init(). Returns 0 or a negative status with fault set.
 */
wrsim_status wr_group_init(wr_group *group, double t_s, double *ret_x, double *ret_d);

/* done() of every instance that has been started. Whoever placed the group calls it before its memory goes. */
void wr_group_done(wr_group *group);

/* What instances remember: one block, to be saved and brought back with the states; NULL and 0: nothing. */
void *wr_group_memory(const wr_group *group, size_t *ret_bytes);
/* That part of it which is component c's. */
void *wr_group_memory_of(const wr_group *group, int c, size_t *ret_bytes);

/* Passes over that, the solutions of algebraic loops, and the inputs and outputs as the last evaluation left them: of a
 * model that is called before all its inputs are known some are what they were. After reading no fault is set, and
 * what comes next is evaluated anew. */
void wr_group_state(wr_group *group, wr_state_io *io);

/* A step has been accepted that ends at that point. As the evaluations below. */
int wr_group_step_completed(wr_group *group, const wr_group_point *point);

/* Whether all callbacks since the group was initialised have left the floating-point mode that they found. If not, it is set back,
 * and 0 with the fault of who leaves another one at that point. Scratch: [n_x] and [n_z]. */
int wr_group_keeps_mode(wr_group *group, const wr_group_point *point, double *scratch_x,
                        double *scratch_z);

/* The component whose computed output drives an input (group number), and its value as last evaluated; -1: it is a state,
 * external, or not connected. */
int wr_group_driver_of(const wr_group *group, int i_input, double *ret_value);
/* The component that state i is of. */
int wr_group_owner_of_state(const wr_group *group, int i);

/* All return 0, > 0 = retry, < 0 = fatal; on non-zero group->fault says who and why. Results are
 * checked to be finite. */
int wr_group_rhs(wr_group *group, const wr_group_point *point, double *ret_dx);
int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z);
/* What f and the indicators need of outputs and algebra() at one point is evaluated once where the
 * second comes right after the first: f then indicators where can_follow() says so for the time of
 * that f, indicators_before_rhs() then rhs_after_indicators(). The caller answers for nothing having
 * changed in between, not even in the arrays. The same bits as from separate evaluations. */
int wr_group_can_follow(const wr_group *group, double t_s);
int wr_group_indicators_after_rhs(wr_group *group, double *ret_z);
int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z);
int wr_group_rhs_after_indicators(wr_group *group, const wr_group_point *point, double *ret_dx);
/* Something has changed at that point: what comes next evaluates it all. */
void wr_group_forget(wr_group *group);
/* The listed indicators (ascending, n > 0) at least, and only some others with them, or all: *ret_is_all. Into their places in
 * z[n_z]; the same bits. */
int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all);
/* Event blocks (group_blocks.c) for a group of at least so many indicators: parts of them that are evaluated for
 * themselves, only where they are wanted or something has changed, by several threads where at least so many are to be. All
 * evaluations above and below give the same bits as without. 0, or -1 when out of memory. */
int wr_group_place_blocks(wr_arena *arena, wr_group *group, int least);
/* Number of blocks, 0: none were placed; and of workers that evaluate them. */
int wr_group_n_block(const wr_group *group);
int wr_group_n_thread(const wr_group *group);
/* From now on the workers of helpers evaluate event blocks together. For the only group of a run. */
void wr_group_use_helpers(wr_group *group, const wr_group_helpers *helpers);
/* z[n_z] are all indicators at a point, as evaluated there, and stay so until it is written again: evaluated into it at the same
 * time and inputs are only those then that read something else. Nothing without blocks. Forget: not any more. */
void wr_group_keep_indicators(wr_group *group, const wr_group_point *point, const double *z);
void wr_group_forget_indicators(wr_group *group);
/* Indicators evaluated so far, each time each. */
int64_t wr_group_indicator_values(const wr_group *group);
/* All outputs, y[n_y]. */
int wr_group_outputs(wr_group *group, const wr_group_point *point, double *ret_y);
/* A plan that gives only the listed outputs and inputs (group numbers). NULL when out of memory. */
const wr_plan *wr_group_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                   int n_outputs, const int *inputs, int n_inputs);
/* As wr_group_plan_place() for outputs, and gives all computed outputs of every component that is called on the
 * way: none is called while an input that any output of it reads is not set. */
const wr_plan *wr_group_whole_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                         int n_outputs);
/* Sets ret_is_read[n_external] to which external inputs an evaluation of the plan reads; plan NULL: one of
 * the indicators. */
void wr_group_plan_reads(const wr_group *group, const wr_plan *plan, unsigned char *ret_is_read);
/* May an evaluation of the plan depend on states: does it read any, or call a component that has? */
int wr_group_plan_has_states(const wr_group *group, const wr_plan *plan);
/* Outputs that the plan computes, in the order in which they become known; the plan's own memory. */
const int *wr_group_plan_gives(const wr_plan *plan, int *ret_n);
/* Pattern of the derivatives of x' and then of those outputs, which are no states, by x and then by external inputs, with
 * algebraic connections substituted. NULL when out of memory. Setup only. */
const wr_sparsity *wr_group_pattern_place(wr_arena *arena, const wr_group *group,
                                          const int *outputs, int n_outputs);
/* Writes the plan's outputs into y[n_y] and leaves the others as they were or with any value. y NULL: they are to be read
 * where they are, wr_group_evaluated(), until the group evaluates anything else. */
int wr_group_evaluate(wr_group *group, const wr_plan *plan, const wr_group_point *point, double *y);
const double *wr_group_evaluated(const wr_group *group);
/* 0 when all states are finite; else the fault is set and 1 returned. */
int wr_group_check_state(wr_group *group, double t_s, const double *x);
/* An input (group number) as the last evaluation found it, current where that was to give it; read before the arrays
 * of its point change, in which it may be. */
double wr_group_input(const wr_group *group, int i_input);

/* Solutions of the algebraic loops: keep() takes the last ones as the next guess. The guess belongs
 * to the state of whoever integrates the group: n_guess values to be saved and brought back. */
void wr_group_keep_loops(wr_group *group);
double *wr_group_guess(wr_group *group, int *ret_n_guess);
/* Spells a loop: "a.y -> b.u -> b.y -> a.u". */
void wr_group_loop_text(const wr_group *group, int i_loop, char *ret_text, size_t text_bytes);

/* Appends how an external input acts on a computed output at the same instant: "b.u -> b.m -> c.u -> c.y", the
 * shortest way. Nothing if it does not, or out of memory. Setup only. */
void wr_group_path_text(const wr_group *group, int i_external, int i_output, char *text,
                        size_t text_bytes);

/* Values of df/dx in the order of pattern_xx->row when every component has a Jacobian and no
 * algebraic path exists; is_available tells. */
int wr_group_has_jacobian(const wr_group *group);
int wr_group_jacobian(wr_group *group, const wr_group_point *point, double *ret_values);

/* Directional derivatives by the models' tangent(): of f, and of what a plan gives, at the point along x_change[n_x] and
 * external_change[n_external] (NULL: inputs stay). ret_dy[n_y] is written where the plan gives something. Available where all models that are
 * evaluated on the way have them, and no algebraic loop is (plan NULL: of f). Return as evaluations, but no fault is set;
 * nothing is checked to be finite. */
int wr_group_has_tangent(const wr_group *group, const wr_plan *plan);
int wr_group_tangent(wr_group *group, const wr_group_point *point, const double *x_change,
                     const double *external_change, double *ret_dx);
int wr_group_tangent_outputs(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                             const double *x_change, const double *external_change, double *ret_dy);

/* Why a component has an event: its announced time has come, one of its indicators has fired. */
enum { WR_DUE_TIME = 1, WR_DUE_STATE = 2 };

/* One pass of event handling: fired[n_z] as in wrsim_event; due[n_component] says whose event it is
 * and why; modes are already the new ones. Changes x and d in place. */
int wr_group_event(wr_group *group, const wr_group_point *point, const signed char *fired,
                   const unsigned char *due, int is_initial, double *x, double *d);

/* Earliest announced time event per component, written to ret_time[n_component]; returns the
 * earliest. */
double wr_group_next_time(wr_group *group, const wr_group_point *point, double *ret_time);

/* Makes the fault into text: names component, variable, time, and what to do. */
void wr_group_fault_text(const wr_group *group, const wr_fault *fault, wrsim_error *ret_err);

#endif
