/* Inside of a group, shared by group.c (building), group_ports.c (inputs that need no copy), group_order.c
 * (evaluation order), group_eval.c (evaluation), group_tangent.c (directional derivatives) and group_text.c
 * (messages).
 *
 * Thread: one at a time. Real-time: evaluation yes, building no.
 */
#ifndef WR_GROUP_WORK_H
#define WR_GROUP_WORK_H

#include <stddef.h>
#include <string.h>

#include "subsystems/calling.h"
#include "subsystems/group.h"

typedef struct wr_copy {
    int to, from;
} wr_copy;

/* Copies from one array to another in any order. Most signals of a port stand beside one another on
 * both sides; so two neighbours are copied at a time where that is possible. */
typedef struct wr_copy_list {
    int n_pair, n_single; /* both even: what is odd is made even by a copy made twice */
    const wr_copy *copy;  /* pairs (to and to + 1), then single values */
} wr_copy_list;

typedef enum wr_step_kind {
    WR_STEP_ALL,     /* the component's only call: output() writes where the values belong */
    WR_STEP_PARTIAL, /* one of several calls: only the outputs now known are kept */
    WR_STEP_LOOP     /* an algebraic loop is solved */
} wr_step_kind;

/* A pointer that goes with an array of the caller's: a component's states, or a port linked to them. */
typedef struct wr_link {
    const double **to;
    ptrdiff_t start; /* in the array */
} wr_link;

/* Ports of all components (group_ports.c), and what moves with x and with external inputs. Links are
 * moved a few at a time: what is missing is made up by one that is there more than once. */
enum { WR_LINKS = 4 };
typedef struct wr_group_ports {
    int n, n_x, n_external;
    const double **at;       /* [n] where each is: in u, or linked to y, x or external */
    const wr_link *x;        /* [n_x] */
    const wr_link *external; /* [n_external] */
    const int *first;        /* [n] group number of its first input */
    const int *link_of;      /* [n_u] the linked port that has this input, or -1: it is in u */
} wr_group_ports;

/* Indicators that are evaluated together (group_blocks.c). */
typedef struct wr_event_block {
    const wr_plan *plan;  /* what its indicators need, */
    const wr_plan *event; /* and its events; NULL where there are none */
    int n_component, n_z;
    const int *component; /* those with indicators, ascending */
    int is_alone; /* algebraic loops, or a component called more than once: what these use is the group's */
} wr_event_block;

/* All of them. */
typedef struct wr_group_blocks {
    int n;
    wr_group_helpers helpers; /* n_worker 1: none */
    int least;                /* indicators that are worth sharing out */
    wr_event_block *block;
    int *block_of;                    /* [n_component] -1: in none */
    const int *reader_start, *reader; /* component -> blocks that read what it is */
    int *list, *rc;                   /* workspace: blocks, ascending, and how they went */
    unsigned char *is_listed;
    /* An array of all indicators, of whoever wanted them kept, and the point that it is of; NULL: none. */
    const double *z;
    double t_s, *x, *d, *external, *guess;
    unsigned char *mode;
} wr_group_blocks;

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

/* One step of a plan: copies that make inputs known, then a call, then outputs known. */
typedef struct wr_plan_step {
    wr_call call; /* the component's output(); none in a loop */
    wr_step_kind kind;
    double *y;                /* where it writes */
    int index;                /* component or loop */
    int done_start, done_end; /* in wr_plan.done: outputs that this step finds */
    wr_copy_list in;          /* u from y: inputs from outputs found before */
} wr_plan_step;

struct wr_plan {
    int n_step, n_algebra;
    int n_plain; /* steps before the first that is not just a call: no copies, kind WR_STEP_ALL */
    int is_idle; /* no steps, no copies: ports have all that is read */
    int has_first, has_last; /* copies before the first step, after the last one */
    const wr_plan_step *step;
    const double *y, *y_end;   /* outputs that steps find lie in between: whole blocks */
    const int *algebra;        /* components whose algebra() is called at the end */
    wr_copy_list external;     /* u from external[] */
    wr_copy_list from_state;   /* u from x */
    wr_copy_list last;         /* u from y, after the last step */
    wr_copy_list state_output; /* y from x */
    const int *done;
    int n_read; /* external inputs, copied or in ports */
    const int *read;
    int has_states; /* something is, or comes from, a state */
};

/* Outputs are summed in blocks (group_eval.c), without a rest: their array ends with room for one. */
enum { WR_BLOCK = 16 };

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

/* Arcs between outputs, and from an output to the inputs it drives. */
typedef struct wr_order_arcs {
    int *start, *to;           /* output -> outputs that are computed, [n_y + 2] and [] */
    int *drive_start, *drives; /* output -> inputs */
} wr_order_arcs;

typedef struct wr_group_work {
    wr_caller *caller;       /* [n_component] */
    wr_group_point at;       /* the arrays that the callers' points and ports stand for */
    const wr_plan *prepared; /* whose results stand for that point; NULL: none */
    const wr_plan *plan_rhs;
    int is_rhs_enough; /* plan_rhs gives all that indicators need, too */
    int n_with_w, n_rhs, n_indicator, n_guess;
    const wr_call *rhs; /* of all that have states */
    double *u, *y;
    wr_group_ports ports;
    double *du, *dy; /* [n_u], [n_y] directional derivatives; NULL where no model has any */
    double *guess, *solution;
    double *w;
    const int *with_w;        /* components whose points have w from the last evaluation */
    const wr_plan *with_w_of; /* whose they are; NULL: of none */
    const wr_call *indicator; /* of all that have indicators */
    const wr_plan *plan_indicator;
    wr_loop_parts *loop;
    double *scratch_y; /* [largest n_y of a component] */
    const wr_plan *plan_event, *plan_output;
    const wr_plan **plan_indicator_of; /* [n_component] or NULL: one component's indicators */
    const wr_plan **plan_event_of;     /* the same of its event */
    const wr_call *calling;            /* the last call of a plan (calling.h); NULL: none */
    double *scratch_jac;
    int has_jacobian;
    unsigned char *memory; /* [memory_bytes] of all instances, side by side */
    size_t memory_bytes;
    int n_started;             /* instances from the first on whose init() has been called */
    int n_step_completed;      /* callers that want to hear of accepted steps */
    const int *step_completed; /* [n_step_completed] */
    const wr_plan *plan_step;  /* what they are told; NULL where there are none */
    wr_group_blocks *blocks;   /* NULL: few indicators */
    int64_t n_indicator_value; /* indicators evaluated, each time each */
    const int *driver;         /* [n_u] output that drives an input, -1 open, -2 - k external k */
    const wr_order_arcs *arcs;
    const int *scc;      /* [n_y] number of the strong component, in evaluation order */
    const int *loop_of;  /* [n_y] loop an output belongs to, -1 none */
    const int *owner_y;  /* [n_y] component */
    const int *owner_u;  /* [n_u] component */
    const int *uy_start; /* [n_y + 1] */
    const int *uy;       /* inputs that each output reads directly, group numbers */
} wr_group_work;

static inline wr_call
wr_group_call(const wr_group *group, int c,
              int (*callback)(wrsim_instance *, const wrsim_point *, double *), int start)
{
    wr_caller *const caller = &group->work->caller[c];
    return (wr_call){.callback = callback,
                     .instance = &caller->instance,
                     .point = &caller->point,
                     .i_component = c,
                     .start = start};
}

static inline int wr_copy_is_empty(const wr_copy_list *list)
{
    return list->n_pair + list->n_single == 0;
}

static inline void wr_copy_all(const wr_copy_list *list, const double *from, double *to)
{
    if (wr_copy_is_empty(list))
        return;
    const wr_copy *const pair = list->copy, *const single = pair + list->n_pair;
    for (int i = 0; i < list->n_pair; i += 2) {
        memcpy(to + pair[i].to, from + pair[i].from, 2 * sizeof *to);
        memcpy(to + pair[i + 1].to, from + pair[i + 1].from, 2 * sizeof *to);
    }
    for (int i = 0; i < list->n_single; i += 2) {
        to[single[i].to] = from[single[i].from];
        to[single[i + 1].to] = from[single[i + 1].from];
    }
}

/* All that the plan finds at the point, algebra() after it (group_eval.c). */
int wr_group_prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point);

/* Links ports to where their values are, as far as that is one place; the others are in u. Needs drivers.
 * 0, or -1 when out of memory. */
int wr_group_ports_place(wr_arena *arena, wr_group *group);

/* Turns components' points and ports to that point: nothing is prepared there. */
void wr_group_turn(wr_group *group, const wr_group_point *point);

/* Indicators of some components by a plan that gives what they need; sets the fault. */
int wr_group_indicators_of_some(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                                int n, const int *component, double *ret_z);

/* A plan for the indicators or the events (WRSIM_DISCRETE) of some components. NULL when out of memory. */
const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n);

/* With blocks: all indicators into the array that was kept, as far as they are not what they were at the point of that
 * (WR_BLOCKS_UNKNOWN: it is another one, or of another time); the blocks of those listed; all at the point prepared by
 * several threads (non-zero: one has failed, or they are not worth it; no fault is set); the plan of the events of c's block. With or without: an array
 * that is going to be written is not kept. */
enum { WR_BLOCKS_UNKNOWN = 2 };
int wr_group_blocks_again(wr_group *group, const wr_group_point *point, double *ret_z);
int wr_group_blocks_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                           int n, double *ret_z);
int wr_group_blocks_prepared(wr_group *group, double *ret_z);
const wr_plan *wr_group_block_event(const wr_group *group, int c);
void wr_group_blocks_overwrite(wr_group *group, const double *z);

/* What a plan is for: seeds and whose algebra() follows. Arrays are flags. */
typedef struct wr_plan_request {
    unsigned char *need_u;       /* [n_u] */
    unsigned char *need_y;       /* [n_y] */
    unsigned char *need_algebra; /* [n_component] */
} wr_plan_request;

/* All flags 0, on the heap. 0, or -1 when out of memory; done() either way. */
int wr_order_request_init(wr_plan_request *request, const wr_group *group);
void wr_order_request_done(wr_plan_request *request);
/* Is all that is needed in one needed in the other? Of completed requests. */
int wr_order_request_contains(const wr_plan_request *outer, const wr_plan_request *inner,
                              const wr_group *group);

/* Makes a request ask for all of another one, too. */
void wr_order_request_add(wr_plan_request *request, const wr_plan_request *more,
                          const wr_group *group);

/* Places a plan; the request's flags are completed in place. NULL when out of memory. */
const wr_plan *wr_order_plan_place(wr_arena *arena, const wr_group *group,
                                   wr_plan_request *request);

/* Finds strong components and loops from uy and driver; fills scc, loop_of, group->loop and the
 * loops' parts. 0 or a negative status. */
wrsim_status wr_order_loops_place(wr_arena *arena, wr_group *group);

#endif
