/* Instances of a group and the arrays that their calls read and write.
 *
 * Thread: one at a time; event blocks of several threads use disjoint parts. Real-time: yes.
 */
#ifndef WR_GROUP_VALUES_H
#define WR_GROUP_VALUES_H

#include <stddef.h>

#include "subsystems/group/group_layout.h"
#include "subsystems/model_host/calling.h"

/* A pointer that goes with an array of the caller: a component's states, or a port linked to them. */
typedef struct wr_group_link {
    const double **to;
    ptrdiff_t start; /* in the array */
} wr_group_link;

/* Ports of all components, and pointers that move with x and with external inputs (group_ports.c). Links move WR_LINKS at a time;
 * the last one is repeated to fill up. */
enum { WR_LINKS = 4 };
typedef struct wr_group_ports {
    int n, n_x, n_external;
    const double **at;             /* [n] where each is: in u, or linked to y, x or external */
    const wr_group_link *x;        /* [n_x] */
    const wr_group_link *external; /* [n_external] */
    const int *first;              /* [n] group number of its first input */
    const int *link_of; /* [n_u] the linked port that has this input, or -1: it is in u */
} wr_group_ports;

/* A call of output(), rhs(), indicator() or algebra() of a component, with all that it takes but the time. */
typedef struct wr_call {
    int (*callback)(wrsim_instance *, const wrsim_point *, double *);
    wrsim_instance *instance; /* the caller's */
    wrsim_point *point;
    int i_component;
    int start; /* its results among the group's */
} wr_call;

/* A component as the evaluation calls it. Its point keeps what does not change between two calls;
 * w is NULL but after algebra(). The instance has parameters and data of its own, beside what else a
 * call reads. */
typedef struct wr_caller {
    wrsim_point point;
    wrsim_instance instance;
    const wrsim_model *model;
    const char *name; /* the component's */
    wr_call algebra;  /* for calling.h */
} wr_caller;

/* Outputs are summed in blocks (group_eval.c): their array ends with room for one. */
enum { WR_BLOCK = 16 };

/* Instances, inputs and outputs as the last evaluation left them. */
typedef struct wr_group_values {
    wr_caller *caller;       /* [n_component] */
    wr_group_point at;       /* the arrays that the callers' points and ports stand for */
    const wr_plan *prepared; /* the plan whose results stand for that point; NULL: none */
    int n_with_w;
    const int *with_w;        /* components whose points have w from the last evaluation */
    const wr_plan *with_w_of; /* the plan that asked for w; NULL: none */
    const wr_call *calling;   /* the last call of a plan (calling.h); NULL: none */
    double *u, *y, *w;
    wr_group_ports ports;
    double *du, *dy;   /* [n_u], [n_y] directional derivatives; NULL: no model has any */
    double *scratch_y; /* [largest n_y of a component] */
    double *scratch_jac;
    int has_jacobian;
    unsigned char *memory; /* [memory_bytes] of all instances, side by side */
    size_t memory_bytes;
    int n_started;             /* instances from the first on whose init() has been called */
    int64_t n_indicator_value; /* indicators evaluated, each time each */
} wr_group_values;

/* A component's point, for a call at the present time. */
static inline const wrsim_point *wr_group_point_now(const wr_group_values *values,
                                                    wr_caller *caller)
{
    caller->point.t_s = values->at.t_s;
    return &caller->point;
}

/* The part of a component in an array of the group, which may be NULL if the group has no such values. */
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
