/* Instances of a group and the arrays that calls of the instances read and write.
 *
 * Thread: one at a time; event blocks of several threads use disjoint ranges. Real-time: yes.
 */
#ifndef WR_GROUP_VALUES_H
#define WR_GROUP_VALUES_H

#include <stddef.h>

#include "subsystems/group/group_layout.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/own_state.h"

/* A pointer into an array of the caller, updated when the array changes: a component's states, or a linked input block. */
typedef struct wr_group_link {
    const double **to;
    ptrdiff_t start; /* offset in the array */
} wr_group_link;

/* Input blocks of all components, and pointers into x and external inputs (group_ports.c). WR_LINKS: number of links that one update sets.
 * Copies of the last link fill up the arrays to a multiple of WR_LINKS. */
enum { WR_LINKS = 4 };
typedef struct wr_group_ports {
    int n, n_x, n_external;
    const double **at;             /* [n] values of a block, in u, y, x or external */
    const wr_group_link *x;        /* [n_x] */
    const wr_group_link *external; /* [n_external] */
    const int *first;              /* [n] group number of the block's first input */
    const int *link_of;            /* [n_u] the linked block of an input; -1: the input is in u */
} wr_group_ports;

/* A call of output(), rhs(), indicator() or algebra() of a component. The caller sets the point's time before the call. */
typedef struct wr_call {
    int (*callback)(wrsim_instance *, const wrsim_point *, double *);
    wrsim_instance *instance; /* the wr_caller owns the instance and the point */
    wrsim_point *point;
    int i_component;
    int start; /* offset of the results in the group's array */
} wr_call;

/* Data for the calls of a component. point keeps its arrays between calls; point.w is NULL except after algebra(). The instance has its
 * own copy of parameters and data, near the other memory that a call reads. */
typedef struct wr_caller {
    wrsim_point point;
    wrsim_instance instance;
    const wrsim_model *model;
    const char *name;                 /* name of the component */
    wr_call algebra;                  /* the call of algebra(), for the record (calling.h) */
    struct wr_component_meter *meter; /* group_points.h; NULL: points are not counted */
    int is_shared;                    /* 1: another group owns instance.data (wr_group_share()) */
} wr_caller;

/* Number of doubles per block of the check for finite outputs. The check sums whole blocks (group_eval.c), so the array of outputs has a
 * further block. */
enum { WR_BLOCK = 16 };

/* Instances, and the inputs and outputs of the last evaluation. */
typedef struct wr_group_values {
    wr_caller *caller;       /* [n_component] */
    wr_group_point at;       /* the point to which the points and blocks of the callers are set */
    const wr_plan *prepared; /* the plan with valid results at this point; NULL: none */
    int n_with_w;
    const int *with_w;        /* [n_with_w] components with valid w from the last evaluation */
    const wr_plan *with_w_of; /* the plan of the components in with_w; NULL: none */
    const wr_call *calling;   /* the last call of a plan (calling.h); NULL: none */
    double *u, *y, *w;
    wr_group_ports ports;
    double *du,
        *dy; /* [n_u], [n_y] directional derivatives; NULL: no model has tangent() or tangent_output() */
    double *scratch_y; /* [largest n_y of a component] */
    double *scratch_jac;
    /* [most variables of one kind, or of w, in a component] arrays of one call, with a guard behind the elements (group_guards.h) */
    double *guarded, *guarded_d;
    int has_jacobian;
    int is_jacobian_tried; /* 1: the run has evaluated df/dx */
    unsigned char *memory; /* [memory_bytes] of all instances, side by side */
    size_t memory_bytes;
    int is_once;    /* 1: the run advances the group once per window */
    int is_holding; /* 1: the group is in a window that the run may repeat (wr_group_hold_events()) */
    /* 1: a model has an own state or no rollback, so its event may change outputs at once; x and d change after the events */
    int has_outside;
    int n_own;
    wr_own_state *own; /* [n_own] own states, in the order of the components */
    int *own_of;       /* [n_component] index into own; -1: none */
    int ended_by;      /* component that has returned WRSIM_TERMINATE in the last event; -1: none */
    const char *end_message; /* message of this component; NULL: none */
    int n_started;           /* number of initialised instances, which are the first in caller[] */
    int64_t n_indicator_value;     /* number of indicator values evaluated so far */
    struct wr_group_points *meter; /* group_points.h; NULL: points are not counted */
} wr_group_values;

static inline wr_caller *wr_group_caller(const wr_group *group, int c)
{
    return &group->values->caller[c];
}

/* Returns the time of the point to which the callers are set, s. */
WR_GROUP_GET(double, time, values->at.t_s)
/* Return the copied inputs, the outputs, and the results of algebra() of the last evaluation, [n_u], [n_y] and [n_w]. */
WR_GROUP_GET(double *, u, values->u)
WR_GROUP_GET(double *, y, values->y)
WR_GROUP_GET(double *, w, values->w)
/* Returns the work array for the outputs of a component. */
WR_GROUP_GET(double *, scratch, values->scratch_y)
/* Returns the number of initialised instances, which are the first in caller[]. */
WR_GROUP_GET(int, n_started, values->n_started)
static inline void wr_group_count_started(wr_group *group, int n) { group->values->n_started = n; }

/* Counts n evaluated indicator values. */
static inline void wr_group_count_indicators(wr_group *group, int n)
{
    group->values->n_indicator_value += n;
}

/* Return the directional derivatives of inputs and outputs, [n_u] and [n_y]; NULL: no model has tangent() or tangent_output(). */
WR_GROUP_GET(double *, du, values->du)
WR_GROUP_GET(double *, dy, values->dy)

/* Returns whether the input is in u: no linked input block includes the input. */
static inline int wr_group_is_copied(const wr_group *group, int i_input)
{
    return group->values->ports.link_of[i_input] < 0;
}

/* Returns the last call of a plan (calling.h); NULL: none. */
WR_GROUP_GET(const wr_call *, calling, values->calling)

/* Returns the point of a component, for a call at the present time. */
static inline const wrsim_point *wr_group_point_now(const wr_group *group, wr_caller *caller)
{
    caller->point.t_s = group->values->at.t_s;
    return &caller->point;
}

/* Returns the values of a component in an array of the group. The array is NULL if the group has no such values. */
static inline const double *wr_group_part_of(const double *array, int start)
{
    return array ? array + start : NULL;
}

static inline double *wr_group_part_to_write(double *array, int start)
{
    return array ? array + start : NULL;
}

static inline wr_call
wr_group_call(const wr_group *group, int c,
              int (*callback)(wrsim_instance *, const wrsim_point *, double *), int start)
{
    wr_caller *const caller = &group->values->caller[c];
    return (wr_call){.callback = callback,
                     .instance = &caller->instance,
                     .point = &caller->point,
                     .i_component = c,
                     .start = start};
}

#endif
