/* Plans: the order in which an evaluation calls output() of components and copies outputs to the inputs that they drive.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PLAN_H
#define WR_GROUP_PLAN_H

#include "subsystems/group/group_copies.h"
#include "subsystems/group/group_layout.h"
#include "subsystems/group/group_values.h"

typedef enum wr_step_kind {
    WR_STEP_ALL,     /* the component's only call: output() writes its outputs in place */
    WR_STEP_PARTIAL, /* one of several calls: only outputs with known inputs are kept */
    WR_STEP_LOOP     /* an algebraic loop is solved */
} wr_step_kind;

/* One step of a plan: copies to inputs, then a call that finds outputs. */
typedef struct wr_plan_step {
    wr_call call; /* the component's output(); none in a loop */
    wr_step_kind kind;
    double *y;                /* destination of the call's outputs */
    int index;                /* component or loop */
    int done_start, done_end; /* range in wr_plan.done: outputs that this step finds */
    wr_copy_list in;          /* from earlier outputs y to inputs u */
} wr_plan_step;

struct wr_plan {
    int n_step, n_algebra;
    int n_plain;             /* first steps in a row without copies, of kind WR_STEP_ALL */
    int is_idle;             /* no steps and no copies: ports give all inputs */
    int has_first, has_last; /* copies before the first step, after the last one */
    const wr_plan_step *step;
    const double *y, *y_end;   /* range of the outputs that steps find, in whole blocks */
    const int *algebra;        /* components whose algebra() is called at the end */
    wr_copy_list external;     /* u from external[] */
    wr_copy_list from_state;   /* u from x */
    wr_copy_list last;         /* u from y, after the last step */
    wr_copy_list state_output; /* y from x */
    const int *done;
    int n_read; /* external inputs, copied or in ports */
    const int *read;
    int has_states; /* a value of the plan is, or depends on, a state */
};

/* Flags of the inputs and outputs that a plan has to find, and of the components whose algebra() follows. */
typedef struct wr_plan_request {
    unsigned char *need_u;       /* [n_u] */
    unsigned char *need_y;       /* [n_y] */
    unsigned char *need_algebra; /* [n_component] */
} wr_plan_request;

/* All flags 0, on the heap. 0, or -1 when out of memory; done() either way. */
int wr_plan_request_init(wr_plan_request *request, const wr_group *group);
void wr_plan_request_done(wr_plan_request *request);
/* Does outer ask for all that inner asks for? Both requests are completed. */
int wr_plan_request_contains(const wr_plan_request *outer, const wr_plan_request *inner,
                             const wr_group *group);

/* Adds the flags of another request. */
void wr_plan_request_add(wr_plan_request *request, const wr_plan_request *more,
                         const wr_group *group);

/* Places a plan; the request's flags are completed in place. NULL when out of memory. */
const wr_plan *wr_plan_place(wr_arena *arena, const wr_group *group, wr_plan_request *request);

/* Places a plan for the listed outputs and inputs (group numbers). NULL when out of memory. */
const wr_plan *wr_group_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                   int n_outputs, const int *inputs, int n_inputs);
/* As wr_group_plan_place() for outputs, and finds all computed outputs of every called component: a component is called only when
 * the inputs of all its outputs are set. */
const wr_plan *wr_group_whole_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                         int n_outputs);

/* May the plan depend on states: does it read a state, or call a component with states? */
int wr_group_plan_has_states(const wr_group *group, const wr_plan *plan);
/* Outputs that the plan computes, in order of computation. The plan owns the array. */
const int *wr_group_plan_gives(const wr_plan *plan, int *ret_n);

#endif
