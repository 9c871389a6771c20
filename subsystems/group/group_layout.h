/* The struct of a group: sizes, starts and nominal values of its variables, and its objects. Also connections, algebraic loops, the point
 * of an evaluation, and workers that share evaluations.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_GROUP_LAYOUT_H
#define WR_GROUP_LAYOUT_H

#include "base/fp_mode.h"
#include "base/sparse.h"
#include "base/unit.h"
#include "subsystems/model_host/component.h"
#include "subsystems/model_host/fault.h"
#include "subsystems/solvers/mass.h"

/* A connection inside the group, or from outside (from = -1). */
typedef struct wr_group_edge {
    int from, i_output; /* component of the group and its output; from = -1: external input */
    int to, i_input;
    int i_external;      /* number of the external input if from = -1 */
    wr_unit_scale scale; /* conversion from the unit of the output to the unit of the input */
} wr_group_edge;

/* Outputs that depend on one another at the same instant. Newton's method solves the equations of the outputs. The iteration starts at
 * the solution at the last accepted point (wr_group_keep_loops()). So between two accepted points the group is a function of its point
 * alone. */
typedef struct wr_algebraic_loop {
    int n;             /* outputs in the loop */
    const int *output; /* [n] group output numbers */
    int n_cycle;       /* length of one closed path through the loop, for messages */
    const int *cycle;  /* [2 * n_cycle] an output, the input that it drives, the next output, ... */
} wr_algebraic_loop;

/* The outputs and inputs that an evaluation finds, and their order (group_plan.c). */
typedef struct wr_plan wr_plan;

/* Members that every evaluation reads come first. */
typedef struct wr_group {
    int n_component;
    int n_x, n_d, n_u, n_y, n_z, n_w, n_external;
    struct wr_group_values *values; /* arrays that evaluations read and write */
    const int *
        x_start; /* [n_component + 1] first state of each component; other starts have this shape, too */
    const int *state_of_output; /* [n_y] group state that equals the output, or -1 */
    wr_fault fault;             /* fault of the last failed evaluation */
    const int *d_start, *u_start, *y_start, *z_start, *w_start;
    wr_component **component;         /* [n_component], not owned */
    const double *nominal_x;          /* [n_x] */
    const double *tolerance_factor;   /* [n_x] factor on the solver's tolerance */
    const double *nominal_y;          /* [n_y] */
    const int *owner_z;               /* [n_z] component */
    const unsigned char *direction_z; /* [n_z] 0 both, 1 rising only, 2 falling only */
    const unsigned char
        *is_direct;      /* [n_external] an output or an indicator may jump with the input */
    const wr_mass *mass; /* L in L x' = f; NULL: no component has a mass matrix */
    const wr_matrix *pattern_xx; /* df/dx with algebraic connections substituted */
    int n_loop;
    const wr_algebraic_loop *loop;
    wr_fp_mode fp_mode; /* floating-point mode for calls of models (group_mode.c) */
    struct wr_group_plans *plans;
    struct wr_group_graph *graph;
    struct wr_group_loops *loops;
    struct wr_group_blocks *blocks;     /* NULL: the group has too few indicators */
    struct wr_deferred_steps *deferred; /* NULL: no model without rollback has step_completed() */
    struct wr_group_stale *stale;       /* NULL: no model with indicators has WRSIM_CAP_OWN_MODES */
} wr_group;

/* Defines a function wr_group_NAME(group) that returns a field of an object, or an element of an array. */
#define WR_GROUP_GET(type, name, field)                                                            \
    static inline type wr_group_##name(const wr_group *group) { return group->field; }
#define WR_GROUP_GET_AT(type, name, field)                                                         \
    static inline type wr_group_##name(const wr_group *group, int i) { return group->field[i]; }

/* The point of an evaluation of a group. The arrays span all components and belong to the caller. */
typedef struct wr_group_point {
    double t_s;
    const double *x, *d, *external;
    const unsigned char *mode;
} wr_group_point;

/* Workers that share the evaluation of indicators. share() calls work(context, i_part) once for each i_part from 0 to n_part - 1, each on
 * any worker, in the floating-point mode of runs. share() returns when all calls have returned. */
typedef struct wr_group_helpers {
    int n_worker; /* including the calling worker */
    void *team;   /* argument of share() */
    void (*share)(void *team, int n_part, void (*work)(void *context, int i_part), void *context);
} wr_group_helpers;

#endif
