/* Plans: the order in which an evaluation calls output() of components and copies outputs to the driven inputs.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PLAN_H
#define WR_GROUP_PLAN_H

#include "subsystems/group/group_copies.h"
#include "subsystems/group/group_layout.h"
#include "subsystems/group/group_values.h"

typedef enum wr_step_kind {
    WR_STEP_ALL,     /* the only call of a component: output() writes all outputs in place */
    WR_STEP_PARTIAL, /* stores only the wanted outputs whose inputs are set; other calls or loops find the other outputs */
    WR_STEP_LOOP     /* solves an algebraic loop */
} wr_step_kind;

/* A step of a plan: copies to inputs, then a call that finds outputs. */
typedef struct wr_plan_step {
    wr_call call; /* the component's output(); none in a loop */
    wr_step_kind kind;
    double *y;                /* destination of the call's outputs */
    int index;                /* number of the component or of the loop */
    int done_start, done_end; /* range in wr_plan.done: outputs that this step finds */
    wr_copy_list in;          /* from earlier outputs y to inputs u */
} wr_plan_step;

struct wr_plan {
    int n_step, n_algebra;
    int n_plain; /* number of steps before the first step with copies or of another kind than WR_STEP_ALL */
    int is_idle;             /* no steps and no copies: input blocks give all inputs */
    int has_first, has_last; /* copies before the first step, and after the last step */
    const wr_plan_step *step;
    const double *y, *y_end;   /* range of the outputs of all steps, in whole blocks */
    const int *algebra;        /* components whose algebra() follows the plan */
    wr_copy_list external;     /* from external inputs to u */
    wr_copy_list from_state;   /* from x to u */
    wr_copy_list last;         /* from y to u, after the last step */
    wr_copy_list state_output; /* from x to y */
    const int *done;
    int n_read; /* external inputs that the plan reads, copied or in blocks */
    const int *read;
    int has_states; /* an input or output of the plan is a state */
};

/* The plans of a group. */
typedef struct wr_group_plans {
    const wr_plan *rhs;
    int is_rhs_enough; /* rhs also finds all inputs of the indicators */
    int n_rhs_call, n_indicator_call;
    const wr_call *rhs_call;       /* [n_rhs_call] calls of components with states */
    const wr_call *indicator_call; /* [n_indicator_call] calls of components with indicators */
    const wr_plan *indicator, *event, *output;
    const wr_plan **indicator_of; /* [n_component] plans for one component's indicators; or NULL */
    const wr_plan **event_of;     /* [n_component] plans for one component's event; or NULL */
    int n_step_completed;
    const int *step_completed; /* [n_step_completed] components that have step_completed() */
    const wr_plan *step;       /* plan for the calls of step_completed(); NULL: none */
    int n_from_inputs;         /* number of components that have init_from_inputs() */
    const wr_plan *initial;    /* plan for the calls of init_from_inputs(); NULL: none */
} wr_group_plans;

/* Returns the plan that finds the inputs of right-hand sides. */
WR_GROUP_GET(const wr_plan *, rhs_plan, plans->rhs)

/* Return the calls of components with states, and of components with indicators. */
static inline const wr_call *wr_group_rhs_calls(const wr_group *group, int *ret_n)
{
    *ret_n = group->plans->n_rhs_call;
    return group->plans->rhs_call;
}
static inline const wr_call *wr_group_indicator_calls(const wr_group *group, int *ret_n)
{
    *ret_n = group->plans->n_indicator_call;
    return group->plans->indicator_call;
}

/* Fills the plans of group->plans after the calls are placed. Returns 0, or -1 when out of memory. */
int wr_group_plans_place(wr_arena *arena, wr_group *group);

/* Places a plan for n listed components; component NULL: the first n. what: f (WRSIM_STATE), indicators, events (WRSIM_DISCRETE),
 * all outputs of the group (WRSIM_OUTPUT), start values (WRSIM_INPUT) or ends of steps (WRSIM_KIND_COUNT). Returns NULL when out of
 * memory. */
const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n);

/* Flags in ret_is_read[n_external] the external inputs that the plan reads; plan NULL: the plan of the indicators. */
void wr_group_plan_reads(const wr_group *group, const wr_plan *plan, unsigned char *ret_is_read);

/* Places a plan for listed outputs and inputs (group numbers). Returns NULL when out of memory. */
const wr_plan *wr_group_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                   int n_outputs, const int *inputs, int n_inputs);
/* Places a plan for listed outputs and all computed outputs of every called component. So the plan calls a component once, unless the
 * direct feedthrough requires more calls. Returns NULL when out of memory. */
const wr_plan *wr_group_whole_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                         int n_outputs);

/* Returns whether the plan reads a state, calls a component with states, or solves an algebraic loop. */
int wr_group_plan_has_states(const wr_group *group, const wr_plan *plan);
/* Returns the outputs that the plan computes, in order of computation. The plan owns the array. */
const int *wr_group_plan_gives(const wr_plan *plan, int *ret_n);

#endif
