/* Inside of a group, shared by group.c (building), group_order.c (evaluation order) and
 * group_eval.c (evaluation). Nobody else includes it.
 *
 * Thread: one at a time. Real-time: evaluation yes, building no.
 */
#ifndef WR_GROUP_WORK_H
#define WR_GROUP_WORK_H

#include "subsystems/group.h"

typedef struct wr_copy {
    int to, from;
} wr_copy;

typedef enum wr_step_kind {
    WR_STEP_ALL,     /* the component's only call: output() writes where the values belong */
    WR_STEP_PARTIAL, /* one of several calls: only the outputs now known are kept */
    WR_STEP_LOOP     /* an algebraic loop is solved */
} wr_step_kind;

/* One step of a plan: copies that make inputs known, then a call, then outputs known. */
typedef struct wr_plan_step {
    wr_step_kind kind;
    int index;                /* component or loop */
    int copy_start, copy_end; /* in wr_plan.copy: inputs from outputs found before */
    int done_start, done_end; /* in wr_plan.done: outputs that this step finds */
} wr_plan_step;

struct wr_plan {
    int n_external, n_from_state, n_state_output, n_step, n_copy, n_algebra;
    const wr_copy *external;     /* u from external[] */
    const wr_copy *from_state;   /* u from x */
    const wr_copy *state_output; /* y from x */
    const wr_plan_step *step;
    const wr_copy *copy; /* u from y; those after the last step's are made at the end */
    const int *done;
    const int *algebra; /* components whose algebra() is called at the end */
};

/* Compressed rows of a pattern over the whole group; temporary, on the heap. */
typedef struct wr_rows {
    int *start, *column;
} wr_rows;

/* An algebraic loop's parts for solving. */
typedef struct wr_loop_parts {
    int n_component, n_copy;
    const int *component;
    const wr_copy *copy;     /* inputs driven from inside the loop */
    int guess_start;         /* in guess and solution */
    const double *nominal;   /* [n] */
    double *y, *g, *r, *jac; /* [n], [n], [n], [n * n] workspace */
    int *pivot;              /* [n] */
} wr_loop_parts;

typedef struct wr_group_work {
    double *u, *w, *y;
    double *scratch_y; /* [largest n_y of a component] */
    double *scratch_jac;
    const int *driver;   /* [n_u] output that drives an input, -1 open, -2 - k external k */
    const int *scc;      /* [n_y] number of the strong component, in evaluation order */
    const int *loop_of;  /* [n_y] loop an output belongs to, -1 none */
    const int *owner_y;  /* [n_y] component */
    const int *owner_u;  /* [n_u] component */
    const int *uy_start; /* [n_y + 1] */
    const int *uy;       /* inputs that each output reads directly, group numbers */
    wr_loop_parts *loop;
    int n_guess;
    double *guess, *solution;
    int has_jacobian;
    const wr_plan *plan_rhs, *plan_indicator, *plan_event, *plan_output;
    const wr_plan **plan_indicator_of; /* [n_component] or NULL: one component's indicators */
} wr_group_work;

/* What a plan is for: seeds and whose algebra() follows. Arrays are flags. */
typedef struct wr_plan_request {
    unsigned char *need_u;       /* [n_u] */
    unsigned char *need_y;       /* [n_y] */
    unsigned char *need_algebra; /* [n_component] */
} wr_plan_request;

/* Places a plan; the request's flags are completed in place. NULL when out of memory. */
const wr_plan *wr_order_plan_place(wr_arena *arena, const wr_group *group,
                                   wr_plan_request *request);

/* Finds strong components and loops from uy and driver; fills scc, loop_of, group->loop and the
 * loops' parts. 0 or a negative status. */
wrsim_status wr_order_loops_place(wr_arena *arena, wr_group *group);

#endif
