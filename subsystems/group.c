/* Building a group: variables one after the other, who drives which input, evaluation plans, and
 * the incidence of x' on x with the algebraic connections substituted. See group.h.
 *
 * The incidence is composed at the level of single variables: x' depends on x directly (X_X), and
 * through every input it reads (U_X) on the states that the driving output depends on (X_Y), and
 * through that output's own inputs (U_Y) on further ones. States behind an output are found once
 * per strong component, in evaluation order.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/group.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "subsystems/group_work.h"

/* Prefix sums of one kind's sizes. */
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

static size_t aligned(size_t bytes)
{
    const size_t to = _Alignof(max_align_t);
    return (bytes + to - 1) / to * to;
}

/* What instances remember, in one block, so that saving it is a copy. */
static int memory_place(wr_arena *arena, wr_group *group)
{
    wr_group_work *const work = group->work;
    for (int c = 0; c < group->n_component; c++)
        work->memory_bytes += aligned(group->component[c]->memory_bytes);
    if (work->memory_bytes == 0)
        return 0;
    work->memory = wr_arena_push(arena, work->memory_bytes, 1);
    return work->memory ? 0 : -1;
}

/* Who is called, and the calls of those who have states and indicators. */
static int callers_place(wr_arena *arena, wr_group *group)
{
    wr_group_work *const work = group->work;
    const int n = group->n_component;
    wr_call *const rhs = WR_NEW_ARRAY(arena, wr_call, n);
    wr_call *const indicator = group->n_z > 0 ? WR_NEW_ARRAY(arena, wr_call, n) : rhs;
    work->caller = WR_NEW_ARRAY(arena, wr_caller, n);
    if (!rhs || !indicator || !work->caller)
        return -1;
    int *const step_completed = WR_NEW_ARRAY(arena, int, n);
    if (!step_completed || memory_place(arena, group) < 0)
        return -1;
    unsigned char *memory = work->memory;
    for (int c = 0; c < n; c++) {
        const wr_component *const component = group->component[c];
        const wrsim_model *const model = component->model;
        const size_t n_param = (size_t)model->n_param;
        double *const param = WR_NEW_ARRAY(arena, double, n_param);
        void *const data = wr_arena_push(arena, component->data_bytes, 1);
        if (!param || !data)
            return -1;
        if (n_param > 0)
            memcpy(param, component->param, n_param * sizeof *param);
        wr_caller *const caller = &work->caller[c];
        *caller = (wr_caller){.instance = {.param = param,
                                           .text = component->instance.text,
                                           .data = data,
                                           .memory = memory,
                                           .user = model->user},
                              .model = model,
                              .name = component->name};
        caller->algebra = wr_group_call(group, c, model->algebra, group->w_start[c]);
        memory += aligned(component->memory_bytes);
        if (model->step_completed)
            step_completed[work->n_step_completed++] = c;
        caller->point.u = work->u + group->u_start[c];
        if (component->n[WRSIM_STATE] > 0)
            rhs[work->n_rhs++] = wr_group_call(group, c, model->rhs, group->x_start[c]);
        if (component->n[WRSIM_INDICATOR] > 0)
            indicator[work->n_indicator++] =
                wr_group_call(group, c, model->indicator, group->z_start[c]);
    }
    work->rhs = rhs;
    work->indicator = indicator;
    work->step_completed = step_completed;
    return 0;
}

static int work_place(wr_arena *arena, wr_group *group)
{
    wr_group_work *const work = WR_NEW(arena, wr_group_work);
    if (!work)
        return -1;
    group->work = work;
    wr_arena_cold(arena, 1);
    int *const owner_u = WR_NEW_ARRAY(arena, int, group->n_u);
    int *const owner_y = WR_NEW_ARRAY(arena, int, group->n_y);
    wr_arena_cold(arena, 0);
    int most_y = 0, most_x = 0;
    work->u = WR_NEW_ARRAY(arena, double, group->n_u);
    work->y = WR_NEW_ARRAY(arena, double, group->n_y + WR_BLOCK);
    work->w = WR_NEW_ARRAY(arena, double, group->n_w);
    if (!owner_u || !owner_y || !work->u || !work->y || !work->w)
        return -1;
    work->has_jacobian = 1;
    for (int c = 0; c < group->n_component; c++) {
        const wr_component *const component = group->component[c];
        for (int i = 0; i < component->n[WRSIM_INPUT]; i++) {
            owner_u[group->u_start[c] + i] = c;
            work->u[group->u_start[c] + i] = component->variable[WRSIM_INPUT][i].start;
        }
        for (int i = 0; i < component->n[WRSIM_OUTPUT]; i++)
            owner_y[group->y_start[c] + i] = c;
        most_y = component->n[WRSIM_OUTPUT] > most_y ? component->n[WRSIM_OUTPUT] : most_y;
        if (component->n[WRSIM_STATE] > 0) {
            most_x = component->n[WRSIM_STATE] > most_x ? component->n[WRSIM_STATE] : most_x;
            work->has_jacobian &= component->model->jacobian || component->model->jacobian_sparse;
        }
    }
    int n_tangent = 0;
    for (int c = 0; c < group->n_component; c++)
        n_tangent +=
            group->component[c]->model->tangent || group->component[c]->model->tangent_output;
    if (n_tangent > 0) {
        work->du = WR_NEW_ARRAY(arena, double, group->n_u);
        work->dy = WR_NEW_ARRAY(arena, double, group->n_y);
        if (!work->du || !work->dy)
            return -1;
    }
    work->owner_u = owner_u;
    work->owner_y = owner_y;
    wr_arena_cold(arena, 1);
    work->scratch_y = WR_NEW_ARRAY(arena, double, most_y);
    work->scratch_jac = work->has_jacobian
                            ? wr_arena_push(arena, (size_t)most_x * (size_t)most_x, sizeof(double))
                            : work->scratch_y;
    wr_arena_cold(arena, 0);
    return work->scratch_y && work->scratch_jac ? callers_place(arena, group) : -1;
}

/* Fills driver[n_u]; the graph was checked before, so what is wrong here is an internal error. */
static wrsim_status drivers_place(wr_arena *arena, wr_group *group, const wr_group_edge *edges,
                                  int n_edges, wr_diag *diag)
{
    int *const driver = WR_NEW_ARRAY(arena, int, group->n_u);
    if (!driver)
        return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory building a subsystem");
    for (int u = 0; u < group->n_u; u++)
        driver[u] = -1;
    for (int i = 0; i < n_edges; i++) {
        const wr_group_edge *const e = &edges[i];
        const int is_to_valid = e->to >= 0 && e->to < group->n_component && e->i_input >= 0 &&
                                e->i_input < group->component[e->to]->n[WRSIM_INPUT];
        const int is_from_valid =
            e->from == -1 ? e->i_external >= 0 && e->i_external < group->n_external
                          : e->from >= 0 && e->from < group->n_component && e->i_output >= 0 &&
                                e->i_output < group->component[e->from]->n[WRSIM_OUTPUT];
        if (!is_to_valid || !is_from_valid)
            return wr_diag_add(diag, WRSIM_E_INTERNAL, NULL,
                               "connection %d of a subsystem has an end that does not exist", i);
        int *const slot = &driver[group->u_start[e->to] + e->i_input];
        if (*slot != -1)
            return wr_diag_add(diag, WRSIM_E_GRAPH, &group->component[e->to]->where,
                               "input '%s.%s' is driven twice", group->component[e->to]->name,
                               group->component[e->to]->variable[WRSIM_INPUT][e->i_input].name);
        *slot = e->from == -1 ? -2 - e->i_external : group->y_start[e->from] + e->i_output;
    }
    group->work->driver = driver;
    return WRSIM_OK;
}

static void rows_done(wr_rows *rows)
{
    free(rows->start);
    free(rows->item);
    *rows = (wr_rows){NULL, NULL};
}

/* Number of elements of one component's row, full or declared (duplicates counted). */
static void count_rows(const wr_component *component, wrsim_pattern pattern, int n_row,
                       int n_column, int64_t *count)
{
    const wr_incidence *const incidence = &component->pattern[pattern];
    if (!incidence->is_declared)
        for (int r = 0; r < n_row; r++)
            count[r] += n_column;
    else
        for (int i = 0; i < incidence->n; i++)
            count[incidence->row[i]]++;
}

/* Compressed rows of a pattern over the group, in group numbers. Rows of outputs that are states
 * are what they must be. Duplicates of the declaration stay; users mark what they have seen. */
static int rows_init(wr_rows *ret_rows, const wr_group *group, wrsim_pattern pattern,
                     wrsim_kind row_kind, const int *row_start, wrsim_kind column_kind,
                     const int *column_start)
{
    const int n_component = group->n_component;
    const size_t n_row = (size_t)row_start[n_component];
    const int is_output = row_kind == WRSIM_OUTPUT;
    wr_rows rows = {.start = calloc(n_row + 2, sizeof(int)), .item = NULL};
    int64_t *const count = calloc(n_row + 1, sizeof *count);
    int64_t total = 0;
    if (!rows.start || !count)
        goto fail;
    for (int c = 0; c < n_component; c++)
        count_rows(group->component[c], pattern, group->component[c]->n[row_kind],
                   group->component[c]->n[column_kind], count + row_start[c]);
    for (size_t r = 0; r < n_row; r++) {
        if (is_output && group->state_of_output[r] >= 0)
            count[r] = pattern == WRSIM_X_Y;
        total += count[r];
        if (total > INT_MAX / 2)
            goto fail;
        rows.start[r + 2] = (int)total;
    }
    rows.item = malloc(((size_t)total + 1) * sizeof *rows.item);
    if (!rows.item)
        goto fail;
    for (int c = 0; c < n_component; c++) {
        const wr_component *const component = group->component[c];
        const wr_incidence *const incidence = &component->pattern[pattern];
        const int n = incidence->is_declared ? incidence->n : component->n[row_kind];
        for (int i = 0; i < n; i++) {
            const int r = row_start[c] + (incidence->is_declared ? incidence->row[i] : i);
            if (is_output && group->state_of_output[r] >= 0)
                continue;
            if (incidence->is_declared)
                wr_rows_put(&rows, r, column_start[c] + incidence->column[i]);
            else
                for (int k = column_start[c]; k < column_start[c + 1]; k++)
                    wr_rows_put(&rows, r, k);
        }
    }
    for (size_t r = 0; is_output && r < n_row; r++)
        if (group->state_of_output[r] >= 0 && pattern == WRSIM_X_Y)
            wr_rows_put(&rows, r, group->state_of_output[r]);
    free(count);
    *ret_rows = rows;
    return 0;
fail:
    free(count);
    rows_done(&rows);
    return -1;
}

/* Puts the direct feedthrough of all outputs into the arena: the plans need it. */
static int feedthrough_place(wr_arena *arena, wr_group *group)
{
    wr_rows rows;
    if (rows_init(&rows, group, WRSIM_U_Y, WRSIM_OUTPUT, group->y_start, WRSIM_INPUT,
                  group->u_start) < 0)
        return -1;
    const int n = rows.start[group->n_y];
    int *const start = WR_NEW_ARRAY(arena, int, group->n_y + 1);
    int *const column = WR_NEW_ARRAY(arena, int, n);
    if (start && column) {
        memcpy(start, rows.start, ((size_t)group->n_y + 1) * sizeof *start);
        memcpy(column, rows.item, (size_t)n * sizeof *column);
        group->work->uy_start = start;
        group->work->uy = column;
    }
    rows_done(&rows);
    return start && column ? 0 : -1;
}

/* Growing list of integers. */
typedef struct int_list {
    int *item;
    size_t n, cap;
} int_list;

static int list_add(int_list *list, int item)
{
    if (list->n == list->cap) {
        const size_t cap = list->cap ? 2 * list->cap : 1024;
        int *const grown = realloc(list->item, cap * sizeof *grown);
        if (!grown)
            return -1;
        list->item = grown;
        list->cap = cap;
    }
    list->item[list->n++] = item;
    return 0;
}

/* Composition of the incidence of x' on x, and where it is asked for of x' and outputs on x and external inputs, which
 * count as further states. */
typedef struct composer {
    const wr_group *group;
    int has_externals;
    wr_rows xx, ux, xy;
    int_list behind;      /* states behind each strong component, one after the other */
    size_t *behind_start; /* [n_scc + 1] */
    wr_rows sccs;         /* outputs of each strong component */
    int n_scc;
    int *stamp; /* [n_x] last user of a state */
    int n_stamp;
    int_list row; /* states that each x' depends on */
    size_t *row_start;
    int has_path; /* some x' depends on states through a connection */
} composer;

static void composer_done(composer *c)
{
    rows_done(&c->xx);
    rows_done(&c->ux);
    rows_done(&c->xy);
    free(c->behind.item);
    free(c->behind_start);
    rows_done(&c->sccs);
    free(c->stamp);
    free(c->row.item);
    free(c->row_start);
}

static int composer_init(composer *c, const wr_group *group, int has_externals)
{
    *c = (composer){.group = group, .has_externals = has_externals};
    if (rows_init(&c->xx, group, WRSIM_X_X, WRSIM_STATE, group->x_start, WRSIM_STATE,
                  group->x_start) < 0 ||
        rows_init(&c->ux, group, WRSIM_U_X, WRSIM_STATE, group->x_start, WRSIM_INPUT,
                  group->u_start) < 0 ||
        rows_init(&c->xy, group, WRSIM_X_Y, WRSIM_OUTPUT, group->y_start, WRSIM_STATE,
                  group->x_start) < 0)
        return -1;
    for (int y = 0; y < group->n_y; y++)
        c->n_scc = group->work->scc[y] >= c->n_scc ? group->work->scc[y] + 1 : c->n_scc;
    c->behind_start = calloc((size_t)c->n_scc + 1, sizeof *c->behind_start);
    c->sccs = (wr_rows){calloc((size_t)c->n_scc + 2, sizeof(int)),
                        calloc((size_t)group->n_y + 1, sizeof(int))};
    c->stamp = calloc((size_t)(group->n_x + group->n_external) + 1, sizeof *c->stamp);
    c->row_start = calloc((size_t)group->n_x + 1, sizeof *c->row_start);
    if (!c->behind_start || !c->sccs.start || !c->sccs.item || !c->stamp || !c->row_start)
        return -1;
    for (int y = 0; y < group->n_y; y++)
        wr_rows_count(&c->sccs, group->work->scc[y]);
    wr_rows_begin(&c->sccs, c->n_scc);
    for (int y = 0; y < group->n_y; y++)
        wr_rows_put(&c->sccs, group->work->scc[y], y);
    return 0;
}

/* Adds a state to a list unless the present stamp already has it. */
static int add_once(composer *c, int_list *list, int state)
{
    if (c->stamp[state] == c->n_stamp)
        return 0;
    c->stamp[state] = c->n_stamp;
    return list_add(list, state);
}

/* Adds the states behind what drives an input. */
static int add_driver(composer *c, int_list *list, int i_input, int *ret_is_driven)
{
    const int driver = c->group->work->driver[i_input];
    if (driver <= -2 && c->has_externals)
        return add_once(c, list, c->group->n_x + (-2 - driver));
    if (driver < 0)
        return 0;
    const int state = c->group->state_of_output[driver];
    if (state >= 0) {
        *ret_is_driven = 1;
        return add_once(c, list, state);
    }
    const int scc = c->group->work->scc[driver];
    for (size_t i = c->behind_start[scc]; i < c->behind_start[scc + 1]; i++) {
        *ret_is_driven = 1;
        if (add_once(c, list, c->behind.item[i]) < 0)
            return -1;
    }
    return 0;
}

static int find_states_behind(composer *c)
{
    const wr_group_work *const work = c->group->work;
    for (int scc = 0; scc < c->n_scc; scc++) {
        c->n_stamp++;
        c->behind_start[scc + 1] = c->behind_start[scc]; /* a loop's own arcs add nothing */
        for (int i = c->sccs.start[scc]; i < c->sccs.start[scc + 1]; i++) {
            const int y = c->sccs.item[i];
            int is_driven = 0;
            for (int k = c->xy.start[y]; k < c->xy.start[y + 1]; k++)
                if (add_once(c, &c->behind, c->xy.item[k]) < 0)
                    return -1;
            for (int k = work->uy_start[y]; k < work->uy_start[y + 1]; k++)
                if (add_driver(c, &c->behind, work->uy[k], &is_driven) < 0)
                    return -1;
        }
        c->behind_start[scc + 1] = c->behind.n;
    }
    return 0;
}

static int compose_rows(composer *c)
{
    for (int x = 0; x < c->group->n_x; x++) {
        c->n_stamp++;
        for (int k = c->xx.start[x]; k < c->xx.start[x + 1]; k++)
            if (add_once(c, &c->row, c->xx.item[k]) < 0)
                return -1;
        for (int k = c->ux.start[x]; k < c->ux.start[x + 1]; k++)
            if (add_driver(c, &c->row, c->ux.item[k], &c->has_path) < 0)
                return -1;
        c->row_start[x + 1] = c->row.n;
    }
    return c->row.n > INT_MAX / 2 ? -1 : 0;
}

/* Rows to columns: rows are visited in ascending order, so every column's rows ascend too. */
static wr_sparsity *transpose_place(wr_arena *arena, const composer *c, int n_row, int n_column)
{
    wr_sparsity *const pattern = WR_NEW(arena, wr_sparsity);
    const wr_rows rows = {WR_NEW_ARRAY(arena, int, n_column + 2),
                          WR_NEW_ARRAY(arena, int, c->row.n)};
    if (!pattern || !rows.start || !rows.item)
        return NULL;
    for (size_t i = 0; i < c->row.n; i++)
        wr_rows_count(&rows, c->row.item[i]);
    wr_rows_begin(&rows, n_column);
    for (int r = 0; r < n_row; r++)
        for (size_t i = c->row_start[r]; i < c->row_start[r + 1]; i++)
            wr_rows_put(&rows, c->row.item[i], r);
    *pattern = (wr_sparsity){.n_row = n_row,
                             .n_column = n_column,
                             .n_nonzero = (int)c->row.n,
                             .column_start = rows.start,
                             .row = rows.item};
    return pattern;
}

static int pattern_place(wr_arena *arena, wr_group *group)
{
    composer c;
    int rc = -1;
    if (composer_init(&c, group, 0) == 0 && find_states_behind(&c) == 0 && compose_rows(&c) == 0) {
        group->pattern_xx = transpose_place(arena, &c, group->n_x, group->n_x);
        group->work->has_jacobian &= !c.has_path;
        rc = group->pattern_xx ? 0 : -1;
    }
    composer_done(&c);
    return rc;
}

/* Rows of outputs, which are no states, after those of the states. */
static int compose_outputs(composer *c, const int *outputs, int n_outputs)
{
    const int n_x = c->group->n_x;
    size_t *const grown =
        realloc(c->row_start, (size_t)(n_x + n_outputs + 1) * sizeof *c->row_start);
    if (!grown)
        return -1;
    c->row_start = grown;
    for (int i = 0; i < n_outputs; i++) {
        const int scc = c->group->work->scc[outputs[i]];
        for (size_t k = c->behind_start[scc]; k < c->behind_start[scc + 1]; k++)
            if (list_add(&c->row, c->behind.item[k]) < 0)
                return -1;
        c->row_start[n_x + i + 1] = c->row.n;
    }
    return c->row.n > INT_MAX / 2 ? -1 : 0;
}

const wr_sparsity *wr_group_pattern_place(wr_arena *arena, const wr_group *group,
                                          const int *outputs, int n_outputs)
{
    composer c;
    const wr_sparsity *pattern = NULL;
    if (composer_init(&c, group, 1) == 0 && find_states_behind(&c) == 0 && compose_rows(&c) == 0 &&
        compose_outputs(&c, outputs, n_outputs) == 0)
        pattern =
            transpose_place(arena, &c, group->n_x + n_outputs, group->n_x + group->n_external);
    composer_done(&c);
    return pattern;
}

/* Wants the inputs that a component's callback reads: those of the pattern, or all when it goes
 * through algebra() or nothing was declared. */
static void want_inputs(const wr_group *group, int c, wrsim_pattern pattern,
                        wr_plan_request *request)
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

static void want_all_inputs(const wr_group *group, int c, wr_plan_request *request)
{
    memset(request->need_u + group->u_start[c], 1, (size_t)group->component[c]->n[WRSIM_INPUT]);
    request->need_algebra[c] = group->component[c]->n_w > 0;
}

/* Of some components. what: f, indicators, events, or (WRSIM_KIND_COUNT) ends of steps. */
static void want_for_some(const wr_group *group, wrsim_kind what, const int *some, int n,
                          wr_plan_request *request)
{
    for (int i = 0; i < n; i++) {
        const int c = some ? some[i] : i;
        const wr_component *const component = group->component[c];
        if (what == WRSIM_STATE && component->n[WRSIM_STATE] > 0)
            want_inputs(group, c, WRSIM_U_X, request);
        else if (what == WRSIM_INDICATOR && component->n[WRSIM_INDICATOR] > 0)
            want_inputs(group, c, WRSIM_U_Z, request);
        else if (what == WRSIM_DISCRETE && component->model->event)
            want_all_inputs(group, c, request);
        else if (what == WRSIM_KIND_COUNT && component->model->step_completed)
            want_all_inputs(group, c, request);
    }
}

/* only: a component, or -1 for all; what: outputs, too. */
static void want_for(const wr_group *group, wrsim_kind what, int only, wr_plan_request *request)
{
    want_for_some(group, what, only >= 0 ? &only : NULL, only >= 0 ? 1 : group->n_component,
                  request);
    if (what == WRSIM_OUTPUT && group->n_y > 0)
        memset(request->need_y, 1, (size_t)group->n_y);
}

static const wr_plan *plan_for_place(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                     int only)
{
    wr_plan_request request;
    const wr_plan *plan = NULL;
    if (wr_order_request_init(&request, group) == 0) {
        want_for(group, what, only, &request);
        plan = wr_order_plan_place(arena, group, &request);
    }
    wr_order_request_done(&request);
    return plan;
}

const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n)
{
    wr_plan_request request;
    const wr_plan *plan = NULL;
    if (wr_order_request_init(&request, group) == 0) {
        want_for_some(group, what, component, n, &request);
        plan = wr_order_plan_place(arena, group, &request);
    }
    wr_order_request_done(&request);
    return plan;
}

/* Where f needs all that indicators do, or would with no more calls, one plan serves both. */
static void share_plan(wr_arena *arena, wr_group *group, wr_plan_request *rhs,
                       const wr_plan_request *indicator)
{
    wr_group_work *const work = group->work;
    work->is_rhs_enough = wr_order_request_contains(rhs, indicator, group);
    if (work->is_rhs_enough || !work->plan_rhs)
        return;
    wr_order_request_add(rhs, indicator, group);
    const wr_plan *const both = wr_order_plan_place(arena, group, rhs);
    work->is_rhs_enough = both && both->n_step == work->plan_rhs->n_step &&
                          both->n_algebra == work->plan_rhs->n_algebra;
    if (work->is_rhs_enough)
        work->plan_rhs = both;
}

static void smooth_plans_place(wr_arena *arena, wr_group *group)
{
    wr_group_work *const work = group->work;
    wr_plan_request rhs, indicator;
    const int rc_rhs = wr_order_request_init(&rhs, group);
    const int rc_indicator = wr_order_request_init(&indicator, group);
    if (rc_rhs == 0 && rc_indicator == 0) {
        want_for(group, WRSIM_STATE, -1, &rhs);
        want_for(group, WRSIM_INDICATOR, -1, &indicator);
        work->plan_rhs = wr_order_plan_place(arena, group, &rhs);
        wr_arena_cold(arena, group->n_z == 0);
        work->plan_indicator = wr_order_plan_place(arena, group, &indicator);
        wr_arena_cold(arena, 0);
        share_plan(arena, group, &rhs, &indicator);
    }
    wr_order_request_done(&rhs);
    wr_order_request_done(&indicator);
}

/* Plans for the indicators or the event of one component each, into *ret_plan. Placing takes time and
 * memory of the order of components times variables, so large groups, and those of one component, do
 * without. */
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
        plan[c] = plan_for_place(arena, group, what, c);
        if (!plan[c])
            return -1;
    }
    *ret_plan = plan;
    return 0;
}

/* Which external inputs an output or an indicator reads directly, and so follows at once where they
 * jump. */
static int direct_place(wr_arena *arena, wr_group *group)
{
    const wr_group_work *const work = group->work;
    wr_rows rows;
    unsigned char *const is_direct = WR_NEW_ARRAY(arena, unsigned char, group->n_external);
    if (!is_direct || rows_init(&rows, group, WRSIM_U_Z, WRSIM_INDICATOR, group->z_start,
                                WRSIM_INPUT, group->u_start) < 0)
        return -1;
    const int n_uy = work->uy_start[group->n_y], n_uz = rows.start[group->n_z];
    for (int i = 0; i < n_uy + n_uz; i++) {
        const int u = i < n_uy ? work->uy[i] : rows.item[i - n_uy];
        if (work->driver[u] <= -2)
            is_direct[-2 - work->driver[u]] = 1;
    }
    /* Algebraic variables follow inputs at once, and so does what reads them. */
    if (group->mass && group->mass->n_algebraic > 0 && group->n_external > 0)
        memset(is_direct, 1, (size_t)group->n_external);
    rows_done(&rows);
    group->is_direct = is_direct;
    return 0;
}

/* What evaluations seldom read: who is whose driver, patterns, plans of what happens at events. Between
 * them the plans of what they read all the time. 0, or -1 with nothing or the reason in diag. */
static int structure_place(wr_arena *arena, wr_group *group, const wr_group_edge *edges,
                           int n_edges, wr_diag *diag)
{
    wr_group_work *const work = group->work;
    wr_arena_cold(arena, 1);
    if (drivers_place(arena, group, edges, n_edges, diag) < 0 ||
        feedthrough_place(arena, group) < 0 || direct_place(arena, group) < 0 ||
        wr_order_loops_place(arena, group) < 0 || wr_group_ports_place(arena, group) < 0 ||
        pattern_place(arena, group) < 0)
        return -1;
    wr_arena_cold(arena, 0);
    smooth_plans_place(arena, group);
    wr_arena_cold(arena, 1);
    work->plan_event = plan_for_place(arena, group, WRSIM_DISCRETE, -1);
    work->plan_output = plan_for_place(arena, group, WRSIM_OUTPUT, -1);
    if (work->n_step_completed > 0) {
        work->plan_step = plan_for_place(arena, group, WRSIM_KIND_COUNT, -1);
        if (!work->plan_step)
            return -1;
    }
    if (!work->plan_rhs || !work->plan_indicator || !work->plan_event || !work->plan_output)
        return -1;
    const int rc =
        plans_of_components_place(arena, group, WRSIM_INDICATOR, &work->plan_indicator_of);
    return rc == 0 ? plans_of_components_place(arena, group, WRSIM_DISCRETE, &work->plan_event_of)
                   : rc;
}

/* The mass matrices of components as blocks of the group's, if there are any. Heap memory is gone again afterwards. */
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

wr_group *wr_group_place(wr_arena *arena, wr_component *const *components, int n_components,
                         const wr_group_edge *edges, int n_edges, int n_external, wr_diag *diag)
{
    const int n_error = diag->n_items;
    wr_group *const group = WR_NEW(arena, wr_group);
    wr_arena_cold(arena, 1);
    wr_component **const own = WR_NEW_ARRAY(arena, wr_component *, n_components);
    wr_arena_cold(arena, 0);
    if (!group || !own)
        goto fail;
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
        wr_diag_add(diag, WRSIM_E_MEMORY, n_components > 0 ? &components[0]->where : NULL,
                    "a subsystem with %d components is too large for its memory", n_components);
    return NULL;
}

int wr_group_owner_of_state(const wr_group *group, int i)
{
    int c = 0;
    while (group->x_start[c + 1] <= i)
        c++;
    return c;
}
