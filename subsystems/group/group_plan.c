/* Makes plans by list scheduling over components. See group_plan.h.
 *
 * The plan calls a component when the inputs of all its wanted outputs are set. If no component or loop is ready, the plan calls a
 * component earlier, for the outputs whose inputs are set. So most components have one call.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/group/group_plan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"

/* Flags of the inputs and outputs that a plan has to find, and of the components whose algebra() follows. */
typedef struct plan_request {
    size_t n;                    /* all flags, which are contiguous from need_u on */
    unsigned char *need_u;       /* [n_u] */
    unsigned char *need_y;       /* [n_y] */
    unsigned char *need_algebra; /* [n_component] */
} plan_request;

/* A unit of scheduling is a component (its outputs outside loops) or a loop. */
typedef struct schedule {
    const wr_group *group;
    const plan_request *request;
    const wr_group_arcs *a;
    void *room; /* memory of all arrays */
    int n_unit;
    int *n_missing;         /* [n_y] number of arcs from wanted outputs that no step finds yet */
    unsigned char *is_done; /* [n_y] */
    int *n_wanted;          /* [n_unit] number of wanted outputs that no step finds yet */
    int *n_ready; /* [n_unit] number of wanted outputs with set inputs that no step finds yet */
    unsigned char *is_cut; /* [n_unit] 1: a call precedes the inputs of some wanted outputs */
    int *queue; /* [n_y + n_unit] units with all wanted outputs ready, first in first out */
    int queue_start, queue_end;
    unsigned char *is_queued;
    wr_plan_step *step;
    wr_copy *copy; /* in the order of the outputs */
    int *copy_end; /* [n_step] end of the copies before a step */
    int *done;
    int n_step, n_copy, n_done;
} schedule;

static int unit_of(const schedule *s, int y)
{
    const int loop = wr_group_loop_of(s->group, y);
    return loop >= 0 ? s->group->n_component + loop : wr_group_owner_of_output(s->group, y);
}

static int is_wanted(const schedule *s, int y)
{
    return s->request->need_y[y] && wr_group_is_computed(s->group, y);
}

static void enqueue_if_full(schedule *s, int unit)
{
    if (s->n_wanted[unit] > 0 && s->n_ready[unit] == s->n_wanted[unit] && !s->is_queued[unit]) {
        s->is_queued[unit] = 1;
        s->queue[s->queue_end++] = unit;
    }
}

/* Reserves the next array in room. Returns NULL while schedule_init() measures room. */
static void *take(const schedule *s, size_t *used, size_t count, size_t size)
{
    const size_t start = *used, unit = sizeof(max_align_t);
    *used += (count * size + unit - 1) / unit * unit;
    return s->room ? (unsigned char *)s->room + start : NULL;
}

/* Divides room into arrays, and returns the size of all arrays in bytes. */
static size_t schedule_layout(schedule *s)
{
    const size_t n_y = (size_t)s->group->n_y, n_unit = (size_t)s->n_unit;
    size_t used = 0;
    s->n_missing = take(s, &used, n_y, sizeof *s->n_missing);
    s->is_done = take(s, &used, n_y, sizeof *s->is_done);
    s->n_wanted = take(s, &used, n_unit, sizeof *s->n_wanted);
    s->n_ready = take(s, &used, n_unit, sizeof *s->n_ready);
    s->is_cut = take(s, &used, n_unit, sizeof *s->is_cut);
    s->queue = take(s, &used, n_y + n_unit, sizeof *s->queue);
    s->is_queued = take(s, &used, n_unit, sizeof *s->is_queued);
    s->step = take(s, &used, n_y, sizeof *s->step);
    s->copy = take(s, &used, (size_t)s->group->n_u, sizeof *s->copy);
    s->copy_end = take(s, &used, n_y, sizeof *s->copy_end);
    s->done = take(s, &used, n_y, sizeof *s->done);
    return used;
}

static int schedule_init(schedule *s, const wr_group *group, const plan_request *request)
{
    *s = (schedule){.group = group,
                    .request = request,
                    .a = wr_group_arcs_of(group),
                    .n_unit = group->n_component + group->n_loop};
    s->room = calloc(1, schedule_layout(s) + 1);
    if (!s->room)
        return -1;
    schedule_layout(s);
    for (int y = 0; y < group->n_y; y++) {
        if (!is_wanted(s, y))
            continue;
        s->n_wanted[unit_of(s, y)]++;
        for (int k = s->a->start[y]; k < s->a->start[y + 1]; k++) {
            const int b = s->a->to[k];
            if (is_wanted(s, b) &&
                !(unit_of(s, b) == unit_of(s, y) && unit_of(s, y) >= group->n_component))
                s->n_missing[b]++;
        }
    }
    for (int y = 0; y < group->n_y; y++)
        if (is_wanted(s, y) && s->n_missing[y] == 0)
            s->n_ready[unit_of(s, y)]++;
    for (int unit = 0; unit < s->n_unit; unit++)
        enqueue_if_full(s, unit);
    return 0;
}

/* Returns whether the request needs the input, and no linked input block includes the input. */
static int is_copied(const wr_group *group, const plan_request *request, int u)
{
    return request->need_u[u] && wr_group_is_copied(group, u);
}

/* Marks an output as found: lists copies to the inputs that the output drives, and updates the readers of the output. */
static void finish_output(schedule *s, int y)
{
    s->is_done[y] = 1;
    s->done[s->n_done++] = y;
    for (int k = s->a->drive_start[y]; k < s->a->drive_start[y + 1]; k++)
        if (is_copied(s->group, s->request, s->a->drives[k]))
            s->copy[s->n_copy++] = (wr_copy){.to = s->a->drives[k], .from = y};
    const int loop = wr_group_loop_of(s->group, y);
    for (int k = s->a->start[y]; k < s->a->start[y + 1]; k++) {
        const int b = s->a->to[k];
        if (!is_wanted(s, b) || s->is_done[b] ||
            (loop >= 0 && wr_group_loop_of(s->group, b) == loop))
            continue;
        if (--s->n_missing[b] == 0) {
            s->n_ready[unit_of(s, b)]++;
            enqueue_if_full(s, unit_of(s, b));
        }
    }
}

/* Returns whether a component reads an input whose copy is not yet in a step. Returns 1 for a loop. */
static int is_waiting(const schedule *s, int unit, int n_copied)
{
    if (unit >= s->group->n_component)
        return 1; /* the copies of a loop cost little compared with its solution */
    for (int i = n_copied; i < s->n_copy; i++)
        if (wr_group_owner_of_input(s->group, s->copy[i].to) == unit)
            return 1;
    return 0;
}

static void emit_step(schedule *s, int unit)
{
    const int n_component = s->group->n_component;
    /* The schedule delays copies until a step reads an input of the copies, which gives few long lists instead of many short lists. */
    const int n_copied = s->n_step > 0 ? s->copy_end[s->n_step - 1] : 0;
    s->copy_end[s->n_step] = is_waiting(s, unit, n_copied) ? s->n_copy : n_copied;
    wr_plan_step *const step = &s->step[s->n_step++];
    step->kind = unit >= n_component ? WR_STEP_LOOP : WR_STEP_PARTIAL;
    step->index = unit >= n_component ? unit - n_component : unit;
    step->done_start = s->n_done;
    /* Outputs that become ready by this call belong to the next call. So the code marks all outputs before finishing an output. */
    int first, end;
    const int *list = NULL;
    if (unit >= n_component) {
        list = s->group->loop[unit - n_component].output;
        first = 0;
        end = s->group->loop[unit - n_component].n;
    } else {
        first = s->group->y_start[unit];
        end = s->group->y_start[unit + 1];
    }
    const int done_start = s->n_done;
    for (int i = first; i < end; i++) {
        const int y = list ? list[i] : i;
        if (is_wanted(s, y) && !s->is_done[y] && s->n_missing[y] == 0 &&
            (list || wr_group_loop_of(s->group, y) < 0))
            s->done[s->n_done++] = y;
    }
    const int n_now = s->n_done - done_start;
    s->n_wanted[unit] -= n_now;
    s->n_ready[unit] -= n_now;
    s->is_queued[unit] = 0;
    s->n_done = done_start;
    for (int i = 0; i < n_now; i++)
        finish_output(s, s->done[done_start + i]);
    step->done_end = s->n_done;
    if (s->n_wanted[unit] > 0)
        s->is_cut[unit] = 1;
}

static void run_schedule(schedule *s)
{
    for (;;) {
        int unit = 0;
        if (s->queue_start < s->queue_end)
            unit = s->queue[s->queue_start++];
        else { /* the lowest component with a ready output; the schedule never divides loops */
            while (unit < s->group->n_component && s->n_ready[unit] == 0)
                unit++;
            if (unit == s->group->n_component)
                break;
        }
        emit_step(s, unit);
    }
    /* A component that is called once and is in no loop writes its outputs in place. */
    for (int i = 0; i < s->n_step; i++) {
        wr_plan_step *const step = &s->step[i];
        if (step->kind != WR_STEP_PARTIAL || s->is_cut[step->index])
            continue;
        const int c = step->index;
        int is_alone = 1;
        for (int y = s->group->y_start[c]; y < s->group->y_start[c + 1]; y++)
            is_alone &= wr_group_loop_of(s->group, y) < 0;
        if (is_alone)
            step->kind = WR_STEP_ALL;
    }
}

/* Flags an output as wanted. Pushes a new computed output on the stack. */
static void want_output(const wr_group *group, plan_request *request, int y, unsigned char *is_seen,
                        int *stack, int *n)
{
    request->need_y[y] = 1;
    if (is_seen[y] || !wr_group_is_computed(group, y))
        return;
    is_seen[y] = 1;
    stack[(*n)++] = y;
}

/* Completes a request with all outputs and inputs on which the request depends. is_whole: also with all other computed outputs of the
 * called components. */
static int complete_request(const wr_group *group, plan_request *request, int is_whole)
{
    int *const stack = malloc(((size_t)group->n_y + 1) * sizeof *stack);
    unsigned char *const is_seen = calloc((size_t)group->n_y + 1, 1);
    int n = 0;
    if (!stack || !is_seen) {
        free(stack);
        free(is_seen);
        return -1;
    }
    for (int u = 0; u < group->n_u; u++)
        if (request->need_u[u] && wr_group_driver(group, u) >= 0 &&
            wr_group_is_computed(group, wr_group_driver(group, u)))
            request->need_y[wr_group_driver(group, u)] = 1;
    for (int y = 0; y < group->n_y; y++)
        if (request->need_y[y]) {
            is_seen[y] = 1;
            stack[n++] = y;
        }
    while (n > 0) {
        const int y = stack[--n];
        for (int k = wr_group_first_input(group, y); k < wr_group_first_input(group, y + 1); k++) {
            request->need_u[wr_group_input_at(group, k)] = 1;
            const int driver = wr_group_computed_driver(group, wr_group_input_at(group, k));
            if (driver < 0)
                continue;
            want_output(group, request, driver, is_seen, stack, &n);
        }
        const int c = wr_group_owner_of_output(group, y);
        for (int i = group->y_start[c]; is_whole && i < group->y_start[c + 1]; i++)
            if (wr_group_is_computed(group, i))
                want_output(group, request, i, is_seen, stack, &n);
    }
    free(stack);
    free(is_seen);
    return 0;
}

static void *place_copy(wr_arena *arena, const void *source, int n, size_t size)
{
    void *const block = wr_arena_push(arena, (size_t)n, size);
    if (block && n > 0)
        memcpy(block, source, (size_t)n * size);
    return block;
}

static int compare_copies(const void *a, const void *b)
{
    const wr_copy *const left = a, *const right = b;
    return (left->to > right->to) - (left->to < right->to);
}

/* Moves the copies to inputs that need a conversion to a separate list. Returns the number of other copies, or -1 when out of
 * memory. */
static int scaled_place(wr_arena *arena, const wr_group *group, wr_copy *copy, int n,
                        wr_copy_list *list)
{
    int n_scaled = 0, n_plain = 0;
    for (int i = 0; i < n; i++)
        n_scaled += wr_unit_is_scaled(wr_group_scale(group, copy[i].to));
    wr_copy_scaled *const scaled = WR_NEW_ARRAY(arena, wr_copy_scaled, n_scaled);
    for (int i = 0; scaled && i < n; i++)
        if (wr_unit_is_scaled(wr_group_scale(group, copy[i].to)))
            scaled[list->n_scaled++] = (wr_copy_scaled){copy[i], wr_group_scale(group, copy[i].to)};
        else
            copy[n_plain++] = copy[i];
    list->scaled = scaled;
    return scaled ? n_plain : -1;
}

/* Sorts the copies in place, and places them in the arena with neighbours as pairs. inputs: the group of the inputs to which the copies
 * lead, or NULL for copies to outputs, which need no conversion. */
static int copies_place(wr_arena *arena, const wr_group *inputs, wr_copy *copy, int n,
                        wr_copy_list *ret_list)
{
    wr_copy_list list = {0};
    if (inputs && (n = scaled_place(arena, inputs, copy, n, &list)) < 0)
        return -1;
    wr_copy *const placed = WR_NEW_ARRAY(arena, wr_copy, n > 0 ? n + 2 : 0);
    if (!placed)
        return -1;
    if (n > 0)
        qsort(copy, (size_t)n, sizeof *copy, compare_copies);
    list.copy = placed;
    int n_single = 0;
    for (int i = 0; i < n; i++)
        if (i + 1 < n && copy[i + 1].to == copy[i].to + 1 && copy[i + 1].from == copy[i].from + 1)
            placed[list.n_pair++] = copy[i++];
        else
            copy[n_single++] = copy[i];
    if (list.n_pair % 2 != 0) {
        placed[list.n_pair] = placed[list.n_pair - 1];
        list.n_pair++;
    }
    for (; list.n_single < n_single; list.n_single++)
        placed[list.n_pair + list.n_single] = copy[list.n_single];
    if (list.n_single % 2 != 0) {
        placed[list.n_pair + list.n_single] = copy[n_single - 1];
        list.n_single++;
    }
    *ret_list = list;
    return 0;
}

/* Places the copies that need no call: inputs from outside and from states, outputs that are states. */
static int plain_copies_place(wr_arena *arena, const wr_group *group, const plan_request *request,
                              wr_plan *plan)
{
    const size_t n = (size_t)group->n_u + (size_t)group->n_y + 1;
    wr_copy *const external = malloc(n * sizeof *external);
    wr_copy *const from_state = malloc(n * sizeof *from_state);
    wr_copy *const state_output = malloc(n * sizeof *state_output);
    int n_external = 0, n_from_state = 0, n_state_output = 0, rc = -1;
    if (!external || !from_state || !state_output)
        goto out;
    for (int u = 0; u < group->n_u; u++) {
        const int driver = wr_group_driver(group, u);
        if (!is_copied(group, request, u))
            continue;
        if (driver <= -2)
            external[n_external++] = (wr_copy){.to = u, .from = -2 - driver};
        else if (driver >= 0 && !wr_group_is_computed(group, driver))
            from_state[n_from_state++] = (wr_copy){.to = u, .from = group->state_of_output[driver]};
    }
    for (int y = 0; y < group->n_y; y++)
        if (request->need_y[y] && !wr_group_is_computed(group, y))
            state_output[n_state_output++] = (wr_copy){.to = y, .from = group->state_of_output[y]};
    if (copies_place(arena, group, external, n_external, &plan->external) == 0 &&
        copies_place(arena, group, from_state, n_from_state, &plan->from_state) == 0 &&
        copies_place(arena, NULL, state_output, n_state_output, &plan->state_output) == 0)
        rc = 0;
    plan->has_first = n_external + n_from_state > 0;
    plan->has_last = n_state_output > 0 || !wr_copy_is_empty(&plan->last);
    plan->is_idle = plan->n_step == 0 && !plan->has_first && !plan->has_last;
out:
    free(external);
    free(from_state);
    free(state_output);
    return rc;
}

/* Places the list of external inputs read, in input blocks or not, and sets has_states. */
static int reads_place(wr_arena *arena, const wr_group *group, const plan_request *request,
                       wr_plan *plan)
{
    const int *const driver = wr_group_drivers(group);
    const int before = wr_arena_cold(arena, 1);
    int n_read = 0;
    for (int u = 0; u < group->n_u; u++)
        n_read += request->need_u[u] && driver[u] <= -2;
    int *const read = WR_NEW_ARRAY(arena, int, n_read);
    wr_arena_cold(arena, before);
    if (!read)
        return -1;
    for (int u = 0; u < group->n_u; u++)
        if (request->need_u[u] && driver[u] <= -2)
            read[plan->n_read++] = -2 - driver[u];
        else if (request->need_u[u] && driver[u] >= 0 && !wr_group_is_computed(group, driver[u]))
            plan->has_states = 1;
    for (int y = 0; y < group->n_y; y++)
        plan->has_states |= request->need_y[y] && !wr_group_is_computed(group, y);
    plan->read = read;
    return 0;
}

/* Places the steps of the schedule in the plan. */
static int steps_place(wr_arena *arena, schedule *s, wr_plan *plan)
{
    const wr_group *const group = s->group;
    wr_plan_step *const steps = place_copy(arena, s->step, s->n_step, sizeof *s->step);
    plan->done = place_copy(arena, s->done, s->n_done, sizeof *s->done);
    if (!steps || !plan->done)
        return -1;
    int start = 0;
    for (int i = 0; i < s->n_step; i++) {
        wr_plan_step *const step = &steps[i];
        if (copies_place(arena, group, s->copy + start, s->copy_end[i] - start, &step->in) < 0)
            return -1;
        if (plan->n_plain == i && step->kind == WR_STEP_ALL && wr_copy_is_empty(&step->in))
            plan->n_plain++;
        start = s->copy_end[i];
        if (step->kind == WR_STEP_LOOP)
            continue;
        const int c = step->index;
        step->call =
            wr_group_call(group, c, wr_group_caller(group, c)->model->output, group->y_start[c]);
        step->y = step->kind == WR_STEP_ALL ? wr_group_y(group) + group->y_start[c]
                                            : wr_group_scratch(group);
    }
    plan->n_step = s->n_step;
    plan->step = steps;
    int first = s->n_done > 0 ? group->n_y : 0, end = 0;
    for (int i = 0; i < s->n_done; i++) {
        first = s->done[i] < first ? s->done[i] : first;
        end = s->done[i] >= end ? s->done[i] + 1 : end;
    }
    plan->y = wr_group_y(group) + first / WR_BLOCK * WR_BLOCK;
    plan->y_end = wr_group_y(group) + (end + WR_BLOCK - 1) / WR_BLOCK * WR_BLOCK;
    return copies_place(arena, group, s->copy + start, s->n_copy - start, &plan->last);
}

static int algebra_place(wr_arena *arena, const wr_group *group, const plan_request *request,
                         wr_plan *plan)
{
    int n = 0;
    for (int c = 0; c < group->n_component; c++)
        n += request->need_algebra[c];
    int *const algebra = WR_NEW_ARRAY(arena, int, n);
    if (!algebra)
        return -1;
    for (int c = 0; c < group->n_component; c++)
        if (request->need_algebra[c])
            algebra[plan->n_algebra++] = c;
    plan->algebra = algebra;
    return 0;
}

static const wr_plan *plan_place(wr_arena *arena, const wr_group *group, plan_request *request,
                                 int is_whole)
{
    if (complete_request(group, request, is_whole) < 0)
        return NULL;
    schedule s;
    if (schedule_init(&s, group, request) < 0)
        return NULL;
    run_schedule(&s);
    wr_plan *plan = WR_NEW(arena, wr_plan);
    if (!plan || steps_place(arena, &s, plan) < 0 ||
        plain_copies_place(arena, group, request, plan) < 0 ||
        reads_place(arena, group, request, plan) < 0 ||
        algebra_place(arena, group, request, plan) < 0)
        plan = NULL;
    free(s.room);
    return plan;
}

static int request_init(plan_request *request, const wr_group *group)
{
    const size_t n = (size_t)group->n_u + (size_t)group->n_y + (size_t)group->n_component;
    unsigned char *const flag = calloc(n + 1, 1);
    *request = (plan_request){.n = n, .need_u = flag};
    if (!flag)
        return -1;
    request->need_y = flag + group->n_u;
    request->need_algebra = request->need_y + group->n_y;
    return 0;
}

static const wr_plan *listed_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                        int n_outputs, const int *inputs, int n_inputs,
                                        int is_whole)
{
    plan_request request;
    const wr_plan *plan = NULL;
    if (request_init(&request, group) == 0) {
        for (int i = 0; i < n_outputs; i++)
            request.need_y[outputs[i]] = 1;
        for (int i = 0; i < n_inputs; i++)
            request.need_u[inputs[i]] = 1;
        plan = plan_place(arena, group, &request, is_whole);
    }
    free(request.need_u);
    return plan;
}

const wr_plan *wr_group_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                   int n_outputs, const int *inputs, int n_inputs)
{
    return listed_plan_place(arena, group, outputs, n_outputs, inputs, n_inputs, 0);
}

const wr_plan *wr_group_whole_plan_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                         int n_outputs)
{
    return listed_plan_place(arena, group, outputs, n_outputs, NULL, 0, 1);
}

int wr_group_plan_has_states(const wr_group *group, const wr_plan *plan)
{
    int any = plan->has_states;
    for (int i = 0; i < plan->n_step && !any; i++)
        any = plan->step[i].kind == WR_STEP_LOOP ||
              group->component[plan->step[i].index]->n[WRSIM_STATE] > 0;
    return any;
}

const int *wr_group_plan_gives(const wr_plan *plan, int *ret_n)
{
    *ret_n = plan->n_step > 0 ? plan->step[plan->n_step - 1].done_end : 0;
    return plan->done;
}

/* ---- the plans of a group ---- */

/* Requests the inputs that a callback of a component reads: the inputs of the callback's pattern. If the component has algebra() or
 * declares no pattern, requests all inputs. */
static void want_inputs(const wr_group *group, int c, wrsim_pattern pattern, plan_request *request)
{
    const wr_component *const component = group->component[c];
    const wr_incidence *const incidence = &component->pattern[pattern];
    unsigned char *const need = request->need_u + group->u_start[c];
    if (component->n_w > 0)
        request->need_algebra[c] = 1;
    if (component->n_w > 0 || !incidence->is_declared)
        memset(need, 1, (size_t)component->n[WRSIM_INPUT]);
    else
        for (int i = 0; i < incidence->n; i++)
            need[incidence->column[i]] = 1;
}

/* Requests the inputs and outputs that the first n components, or n listed components, read for `what` (wr_group_plan_for()). */
static void want_for(const wr_group *group, wrsim_kind what, const int *listed, int n,
                     plan_request *request)
{
    for (int i = 0; i < n; i++) {
        const int c = listed ? listed[i] : i;
        const wr_component *const component = group->component[c];
        if (what == WRSIM_STATE && component->n[WRSIM_STATE] > 0)
            want_inputs(group, c, WRSIM_U_X, request);
        else if (what == WRSIM_INDICATOR && component->n[WRSIM_INDICATOR] > 0)
            want_inputs(group, c, WRSIM_U_Z, request);
        else if ((what == WRSIM_DISCRETE && component->model->event) ||
                 (what == WRSIM_KIND_COUNT && component->model->step_completed) ||
                 (what == WRSIM_INPUT && component->model->init_from_inputs)) {
            memset(request->need_u + group->u_start[c], 1, (size_t)component->n[WRSIM_INPUT]);
            request->need_algebra[c] =
                component->n_w > 0 &&
                !(what == WRSIM_DISCRETE && (component->model->caps & WRSIM_CAP_EVENT_WITHOUT_W));
        }
    }
    if (what == WRSIM_OUTPUT && group->n_y > 0)
        memset(request->need_y, 1, (size_t)group->n_y);
}

const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n)
{
    plan_request request;
    const wr_plan *plan = NULL;
    if (request_init(&request, group) == 0) {
        want_for(group, what, component, n, &request);
        plan = plan_place(arena, group, &request, 0);
    }
    free(request.need_u);
    return plan;
}

/* Makes one plan for f and indicators, if a plan with the calls of f can find all inputs of the indicators. */
static void share_plan(wr_arena *arena, wr_group *group, plan_request *rhs,
                       const plan_request *indicator)
{
    wr_group_plans *const plans = group->plans;
    plans->is_rhs_enough = 1;
    for (size_t i = 0; i < rhs->n; i++) {
        plans->is_rhs_enough &= rhs->need_u[i] >= indicator->need_u[i];
        rhs->need_u[i] |= indicator->need_u[i];
    }
    if (plans->is_rhs_enough || !plans->rhs)
        return;
    const wr_plan *const both = plan_place(arena, group, rhs, 0);
    plans->is_rhs_enough =
        both && both->n_step == plans->rhs->n_step && both->n_algebra == plans->rhs->n_algebra;
    if (plans->is_rhs_enough)
        plans->rhs = both;
}

static void smooth_plans_place(wr_arena *arena, wr_group *group)
{
    wr_group_plans *const plans = group->plans;
    plan_request rhs, indicator;
    const int rc_rhs = request_init(&rhs, group);
    const int rc_indicator = request_init(&indicator, group);
    if (rc_rhs == 0 && rc_indicator == 0) {
        want_for(group, WRSIM_STATE, NULL, group->n_component, &rhs);
        want_for(group, WRSIM_INDICATOR, NULL, group->n_component, &indicator);
        plans->rhs = plan_place(arena, group, &rhs, 0);
        wr_arena_cold(arena, group->n_z == 0);
        plans->indicator = plan_place(arena, group, &indicator, 0);
        wr_arena_cold(arena, 0);
        share_plan(arena, group, &rhs, &indicator);
    }
    free(rhs.need_u);
    free(indicator.need_u);
}

/* Largest number of components times inputs and outputs of a group with plans per component (assumed). plans_of_components_place()
 * places one plan per component for its indicators or its event, into *ret_plan. Placing takes time and memory in proportion to this
 * product. So larger groups have no such plans, nor have groups of one component or without indicators. */
enum { MAX_PLAN_SIZE = 200000 };

static int plans_of_components_place(wr_arena *arena, wr_group *group, wrsim_kind what,
                                     const wr_plan ***ret_plan)
{
    const int n = group->n_component;
    if (group->n_z == 0 || n < 2 || group->n_u + group->n_y > MAX_PLAN_SIZE / n)
        return 0;
    const wr_plan **const plan = WR_NEW_ARRAY(arena, const wr_plan *, n);
    if (!plan)
        return -1;
    for (int c = 0; c < n; c++) {
        const wr_component *const component = group->component[c];
        if (what == WRSIM_INDICATOR ? component->n[WRSIM_INDICATOR] == 0 : !component->model->event)
            continue;
        plan[c] = wr_group_plan_for(arena, group, what, &c, 1);
        if (!plan[c])
            return -1;
    }
    *ret_plan = plan;
    return 0;
}

int wr_group_plans_place(wr_arena *arena, wr_group *group)
{
    wr_group_plans *const plans = group->plans;
    const int n = group->n_component;
    wr_arena_cold(arena, 0);
    smooth_plans_place(arena, group);
    wr_arena_cold(arena, 1);
    plans->event = wr_group_plan_for(arena, group, WRSIM_DISCRETE, NULL, n);
    plans->output = wr_group_plan_for(arena, group, WRSIM_OUTPUT, NULL, n);
    if (plans->n_step_completed > 0) {
        plans->step = wr_group_plan_for(arena, group, WRSIM_KIND_COUNT, NULL, n);
        if (!plans->step)
            return -1;
    }
    if (plans->n_from_inputs > 0) {
        plans->initial = wr_group_plan_for(arena, group, WRSIM_INPUT, NULL, n);
        if (!plans->initial)
            return -1;
    }
    if (!plans->rhs || !plans->indicator || !plans->event || !plans->output)
        return -1;
    const int rc = plans_of_components_place(arena, group, WRSIM_INDICATOR, &plans->indicator_of);
    return rc == 0 ? plans_of_components_place(arena, group, WRSIM_DISCRETE, &plans->event_of) : rc;
}

void wr_group_plan_reads(const wr_group *group, const wr_plan *plan, unsigned char *ret_is_read)
{
    const wr_plan *const read = plan ? plan : group->plans->indicator;
    memset(ret_is_read, 0, (size_t)group->n_external);
    for (int i = 0; i < read->n_read; i++)
        ret_is_read[read->read[i]] = 1;
}
