/* Builds a group. See group.h. Thread: one owner. Real-time: no (setup only). */
#include "subsystems/group/group.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/group/deferred_steps.h"
#include "subsystems/group/group_blocks.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/group/group_points.h"
#include "subsystems/group/group_stale.h"
#include "subsystems/model_host/guard.h"

/* Places the prefix sums of one kind's sizes. */
static const int *starts_place(wr_arena *arena, wr_component *const *components, int n,
                               wrsim_kind kind, int *ret_total)
{
    int *const start = WR_NEW_ARRAY(arena, int, n + 1);
    if (!start)
        return NULL;
    int64_t total = 0;
    for (int c = 0; c < n; c++) {
        start[c] = (int)total;
        total += (int)kind == WRSIM_KIND_COUNT ? components[c]->n_w : components[c]->n[kind];
        if (total > INT_MAX / 4)
            return NULL;
    }
    start[n] = (int)total;
    *ret_total = (int)total;
    return start;
}

static int variables_place(wr_arena *arena, wr_group *group, wr_component *const *components)
{
    const int n = group->n_component;
    group->x_start = starts_place(arena, components, n, WRSIM_STATE, &group->n_x);
    wr_arena_cold(arena, 1);
    group->d_start = starts_place(arena, components, n, WRSIM_DISCRETE, &group->n_d);
    group->u_start = starts_place(arena, components, n, WRSIM_INPUT, &group->n_u);
    group->y_start = starts_place(arena, components, n, WRSIM_OUTPUT, &group->n_y);
    group->z_start = starts_place(arena, components, n, WRSIM_INDICATOR, &group->n_z);
    group->w_start = starts_place(arena, components, n, WRSIM_KIND_COUNT, &group->n_w);
    double *const nominal_y = WR_NEW_ARRAY(arena, double, group->n_y);
    wr_arena_cold(arena, 0);
    if (!group->x_start || !group->d_start || !group->u_start || !group->y_start ||
        !group->z_start || !group->w_start || !nominal_y)
        return -1;
    int *const state_of_output = WR_NEW_ARRAY(arena, int, group->n_y);
    double *const nominal_x = WR_NEW_ARRAY(arena, double, group->n_x);
    double *const tolerance_factor = WR_NEW_ARRAY(arena, double, group->n_x);
    unsigned char *const direction = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    int *const owner_z = WR_NEW_ARRAY(arena, int, group->n_z);
    if (!owner_z || !nominal_x || !tolerance_factor || !direction || !state_of_output)
        return -1;
    for (int c = 0; c < n; c++) {
        const wr_component *const component = components[c];
        for (int i = 0; i < component->n[WRSIM_STATE]; i++) {
            nominal_x[group->x_start[c] + i] = component->variable[WRSIM_STATE][i].nominal;
            tolerance_factor[group->x_start[c] + i] = component->tolerance_factor;
        }
        for (int i = 0; i < component->n[WRSIM_OUTPUT]; i++) {
            const wr_variable *const y = &component->variable[WRSIM_OUTPUT][i];
            nominal_y[group->y_start[c] + i] = y->nominal;
            state_of_output[group->y_start[c] + i] =
                (y->flags & WRSIM_IS_STATE) ? group->x_start[c] + y->index : -1;
        }
        for (int i = 0; i < component->n[WRSIM_INDICATOR]; i++) {
            const unsigned flags = component->variable[WRSIM_INDICATOR][i].flags;
            owner_z[group->z_start[c] + i] = c;
            direction[group->z_start[c] + i] = (flags & WRSIM_RISING_ONLY)    ? 1
                                               : (flags & WRSIM_FALLING_ONLY) ? 2
                                                                              : 0;
        }
    }
    group->nominal_x = nominal_x;
    group->tolerance_factor = tolerance_factor;
    group->nominal_y = nominal_y;
    group->direction_z = direction;
    group->owner_z = owner_z;
    group->state_of_output = state_of_output;
    return 0;
}

/* Returns the room for the bytes of a component and their guard. */
static size_t guarded(size_t bytes) { return bytes > 0 ? bytes + WR_GUARD_BYTES : 0; }

static size_t aligned(size_t bytes)
{
    const size_t to = _Alignof(max_align_t);
    return (bytes + to - 1) / to * to;
}

/* Places the callers of all components, the memory of instances, and the lists of calls. */
static int callers_place(wr_arena *arena, wr_group *group)
{
    wr_group_values *const values = group->values;
    wr_group_plans *const plans = group->plans;
    const int n = group->n_component;
    wr_call *const rhs = WR_NEW_ARRAY(arena, wr_call, n);
    wr_call *const indicator = group->n_z > 0 ? WR_NEW_ARRAY(arena, wr_call, n) : rhs;
    values->caller = WR_NEW_ARRAY(arena, wr_caller, n);
    if (!rhs || !indicator || !values->caller || wr_group_points_place(arena, group) < 0)
        return -1;
    int *const step_completed = WR_NEW_ARRAY(arena, int, n);
    /* The memory of all instances is one block, so that saving is one copy. */
    for (int c = 0; c < n; c++)
        values->memory_bytes += aligned(guarded(group->component[c]->memory_bytes));
    if (values->memory_bytes > 0)
        values->memory = wr_arena_push(arena, values->memory_bytes, 1);
    if (!step_completed || (values->memory_bytes > 0 && !values->memory))
        return -1;
    unsigned char *memory = values->memory;
    for (int c = 0; c < n; c++) {
        const wr_component *const component = group->component[c];
        wr_caller *const caller = &values->caller[c];
        caller->model = caller->meter ? caller->model : component->model;
        const wrsim_model *const model = caller->model;
        const size_t n_param = (size_t)model->n_param;
        double *const param = WR_NEW_ARRAY(arena, double, n_param);
        void *const data = wr_arena_push(arena, guarded(component->data_bytes), 1);
        if (!param || !data)
            return -1;
        if (n_param > 0)
            memcpy(param, component->param, n_param * sizeof *param);
        caller->instance = (wrsim_instance){.param = param,
                                            .text = component->instance.text,
                                            .data = component->data_bytes > 0 ? data : NULL,
                                            .memory = component->memory_bytes > 0 ? memory : NULL,
                                            .user = model->user};
        caller->name = component->name;
        caller->algebra = wr_group_call(group, c, model->algebra, group->w_start[c]);
        memory += aligned(guarded(component->memory_bytes));
        if (model->step_completed)
            step_completed[plans->n_step_completed++] = c;
        plans->n_from_inputs += model->init_from_inputs != NULL;
        caller->point.u = values->u + group->u_start[c];
        if (component->n[WRSIM_STATE] > 0)
            rhs[plans->n_rhs_call++] = wr_group_call(group, c, model->rhs, group->x_start[c]);
        if (component->n[WRSIM_INDICATOR] > 0)
            indicator[plans->n_indicator_call++] =
                wr_group_call(group, c, model->indicator, group->z_start[c]);
    }
    if (wr_group_own_place(group, arena) < 0 || wr_deferred_steps_place(arena, group) < 0)
        return -1;
    plans->rhs_call = rhs;
    plans->indicator_call = indicator;
    plans->step_completed = step_completed;
    return 0;
}

static int work_place(wr_arena *arena, wr_group *group)
{
    wr_group_values *const values = WR_NEW(arena, wr_group_values);
    group->values = values;
    group->plans = WR_NEW(arena, wr_group_plans);
    if (!values || !group->plans)
        return -1;
    int most_y = 0, most_x = 0, most = 1;
    values->u = WR_NEW_ARRAY(arena, double, group->n_u);
    values->y = WR_NEW_ARRAY(arena, double, group->n_y + WR_BLOCK);
    values->w = WR_NEW_ARRAY(arena, double, group->n_w);
    if (!values->u || !values->y || !values->w)
        return -1;
    values->has_jacobian = 1;
    int n_tangent = 0;
    for (int c = 0; c < group->n_component; c++) {
        const wr_component *const component = group->component[c];
        n_tangent += component->model->tangent || component->model->tangent_output;
        for (int kind = 0; kind < WRSIM_KIND_COUNT; kind++)
            most = component->n[kind] > most ? component->n[kind] : most;
        for (int i = 0; i < component->n[WRSIM_INPUT]; i++)
            values->u[group->u_start[c] + i] = component->variable[WRSIM_INPUT][i].start;
        most = component->n_w > most ? component->n_w : most;
        most_y = component->n[WRSIM_OUTPUT] > most_y ? component->n[WRSIM_OUTPUT] : most_y;
        if (component->n[WRSIM_STATE] > 0) {
            most_x = component->n[WRSIM_STATE] > most_x ? component->n[WRSIM_STATE] : most_x;
            values->has_jacobian &= component->model->jacobian || component->model->jacobian_sparse;
        }
    }
    if (n_tangent > 0) {
        values->du = WR_NEW_ARRAY(arena, double, group->n_u);
        values->dy = WR_NEW_ARRAY(arena, double, group->n_y);
        if (!values->du || !values->dy)
            return -1;
    }
    wr_arena_cold(arena, 1);
    values->guarded = WR_NEW_ARRAY(arena, double, most + WR_GUARD_WORDS);
    values->guarded_d = WR_NEW_ARRAY(arena, double, most + WR_GUARD_WORDS);
    values->scratch_y = WR_NEW_ARRAY(arena, double, most_y);
    values->scratch_jac =
        values->has_jacobian
            ? wr_arena_push(arena, (size_t)most_x * (size_t)most_x + WR_GUARD_WORDS, sizeof(double))
            : values->scratch_y;
    wr_arena_cold(arena, 0);
    return values->guarded && values->guarded_d && values->scratch_y && values->scratch_jac
               ? callers_place(arena, group)
               : -1;
}

/* Flags the external inputs that an output or an indicator reads directly. The output or indicator may jump with the input. */
static int direct_place(wr_arena *arena, wr_group *group)
{
    wr_rows rows;
    unsigned char *const is_direct = WR_NEW_ARRAY(arena, unsigned char, group->n_external);
    if (!is_direct || wr_group_rows_init(&rows, group, WRSIM_U_Z, WRSIM_INDICATOR, group->z_start,
                                         WRSIM_INPUT, group->u_start) < 0)
        return -1;
    const int n_uy = wr_group_first_input(group, group->n_y), n_uz = rows.start[group->n_z];
    for (int i = 0; i < n_uy + n_uz; i++) {
        const int u = i < n_uy ? wr_group_input_at(group, i) : rows.item[i - n_uy];
        if (wr_group_driver(group, u) <= -2)
            is_direct[-2 - wr_group_driver(group, u)] = 1;
    }
    /* Algebraic variables jump with inputs. Outputs and indicators that read algebraic variables also jump. */
    if (group->mass && group->mass->n_algebraic > 0 && group->n_external > 0)
        memset(is_direct, 1, (size_t)group->n_external);
    wr_group_rows_done(&rows);
    group->is_direct = is_direct;
    return 0;
}

/* Places drivers, loops, input blocks, patterns and plans. Arrays that evaluations seldom read are in cold memory. Returns 0 or -1; diag
 * has the reason if a connection is wrong. */
static int structure_place(wr_arena *arena, wr_group *group, const wr_group_edge *edges,
                           int n_edges, wr_diag *diag)
{
    wr_arena_cold(arena, 1);
    if (wr_group_drivers_place(arena, group, edges, n_edges, diag) < 0 ||
        direct_place(arena, group) < 0)
        return -1;
    int has_path = 0;
    const int n_scc = wr_group_arcs_place(arena, group);
    if (n_scc < 0 || wr_group_loops_place(arena, group, n_scc) < 0 ||
        wr_group_ports_place(arena, group) < 0 || wr_group_stale_place(arena, group) < 0 ||
        wr_group_pattern_xx_place(arena, group, &has_path) < 0)
        return -1;
    group->values->has_jacobian &= !has_path;
    return wr_group_plans_place(arena, group);
}

/* Places the group's mass matrix from the blocks of the components, if a component has a block. Frees the heap memory of the blocks. */
static int mass_place(wr_arena *arena, wr_group *group)
{
    int n_block = 0, n_failed = 0;
    wr_mass_block *const block = calloc((size_t)group->n_component + 1, sizeof *block);
    for (int c = 0; block && c < group->n_component && n_failed == 0; c++) {
        const wr_mass_list *const list = &group->component[c]->mass;
        const size_t n = (size_t)group->component[c]->n[WRSIM_STATE];
        double *const entry = list->n > 0 ? calloc(n * n + 1, sizeof *entry) : NULL;
        if (list->n == 0)
            continue;
        for (int i = 0; entry && i < list->n; i++)
            entry[(size_t)list->row[i] * n + (size_t)list->column[i]] = list->value[i];
        block[n_block++] = (wr_mass_block){group->x_start[c], (int)n, entry};
        n_failed += !entry;
    }
    if (block && n_block > 0 && n_failed == 0)
        group->mass = wr_mass_place(arena, group->n_x, block, n_block);
    n_failed += n_block > 0 && !group->mass;
    for (int k = 0; block && k < n_block; k++)
        free(block[k].entry);
    free(block);
    return block && n_failed == 0 ? 0 : -1;
}

/* Numbers of states from which a full matrix needs much of the memory (MANY_STATES) or too much (MOST_STATES); both assumed. */
enum { MANY_STATES = 1000, MOST_STATES = 12000 };

/* Finds the component with most states, at least `least`, that declares no pattern of its Jacobian; NULL: none. */
static const wr_component *largest_full(wr_component *const *components, int n_components,
                                        int least)
{
    const wr_component *largest = NULL;
    for (int c = 0; c < n_components; c++) {
        const int n_x = components[c]->n[WRSIM_STATE];
        if (!components[c]->pattern[WRSIM_X_X].is_declared && n_x >= least) {
            largest = components[c];
            least = n_x + 1;
        }
    }
    return largest;
}

void wr_group_report_memory(wr_component *const *components, int n_components, wr_diag *diag)
{
    const wr_component *const largest = largest_full(components, n_components, MANY_STATES);
    if (!largest) {
        wr_diag_add(diag, WRSIM_E_MEMORY, n_components > 0 ? &components[0]->where : NULL,
                    "memory is not sufficient for this subsystem (components: %d); lower "
                    "relaxation.max_nodes, or divide a subsystem of several components",
                    n_components);
        return;
    }
    const double n_x = largest->n[WRSIM_STATE];
    wr_diag_add(
        diag, WRSIM_E_MEMORY, &largest->where,
        "component '%s': memory is exhausted, because model '%s' declares no pattern of its %.3g x "
        "%.3g Jacobian (%.3g GB). In describe() call depends(to, WRSIM_X_X, row, column)",
        largest->name, largest->model->name, n_x, n_x, 1e-9 * sizeof(int) * n_x * n_x);
}

wr_group *wr_group_place(wr_arena *arena, wr_component *const *components, int n_components,
                         const wr_group_edge *edges, int n_edges, int n_external, wr_diag *diag)
{
    const int n_error = diag->n_items;
    wr_group *const group = WR_NEW(arena, wr_group);
    wr_arena_cold(arena, 1);
    wr_component **const own = WR_NEW_ARRAY(arena, wr_component *, n_components);
    wr_arena_cold(arena, 0);
    if (!group || !own || largest_full(components, n_components, MOST_STATES))
        goto fail; /* placing would run for minutes before a failure */
    for (int c = 0; c < n_components; c++)
        own[c] = components[c];
    group->n_component = n_components;
    group->component = own;
    group->n_external = n_external;
    if (variables_place(arena, group, components) < 0 || work_place(arena, group) < 0 ||
        mass_place(arena, group) < 0)
        goto fail;
    const int rc = structure_place(arena, group, edges, n_edges, diag);
    wr_arena_cold(arena, 0);
    if (rc == 0)
        return group;
fail:
    if (diag->n_items == n_error)
        wr_group_report_memory(components, n_components, diag);
    return NULL;
}

void *wr_group_memory(const wr_group *group, size_t *ret_bytes)
{
    *ret_bytes = group->values->memory_bytes;
    return group->values->memory;
}

void *wr_group_memory_of(const wr_group *group, int c, size_t *ret_bytes)
{
    *ret_bytes = group->component[c]->memory_bytes;
    return wr_group_caller(group, c)->instance.memory;
}

void wr_group_keep(wr_group *group, wr_state_io *io)
{
    wr_group_values *const values = group->values;
    wr_group_loops *const loops = group->loops;
    WR_STATE_ARRAY(io, values->memory, values->memory_bytes);
    WR_STATE_ARRAY(io, loops->guess, loops->n_guess);
    WR_STATE_ARRAY(io, loops->solution, loops->n_guess);
    WR_STATE_ARRAY(io, values->u, group->n_u);
    WR_STATE_ARRAY(io, values->y, group->n_y);
    if (!wr_state_reads(io))
        return;
    group->fault = (wr_fault){0};
    wr_group_forget(group);
    wr_group_forget_indicators(group);
}

void wr_group_state(wr_group *group, wr_state_io *io)
{
    wr_group_keep(group, io);
    wr_group_own_state(group, io);
    WR_STATE(io, group->values->n_indicator_value);
    wr_group_points_state(group, io);
}
