/* Patterns of a group's derivatives. See group.h.
 *
 * The code composes patterns for single variables. x' depends on x directly (X_X). Through each input (U_X), x' also depends on
 * the states behind the driving output: directly (X_Y), and through the inputs of that output (U_Y). The code finds the states behind an
 * output once per strong component, in evaluation order.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/group/group.h"

#include <limits.h>
#include <stdlib.h>

#include "base/rows.h"
#include "subsystems/group/group_graph.h"

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

/* Work data for composing the incidence of x' on x, or of x' and outputs on x and external inputs. External inputs count as further
 * states (has_externals). */
typedef struct composer {
    const wr_group *group;
    int has_externals;
    wr_rows xx, ux, xy;
    int_list behind;      /* states behind each strong component, one after the other */
    size_t *behind_start; /* [n_scc + 1] */
    wr_rows sccs;         /* outputs of each strong component */
    int n_scc;
    int *stamp; /* [n_x + n_external] n_stamp of the list to which a state was added last */
    int n_stamp;
    int_list row; /* states on which each x', and then each listed output, depends */
    size_t *row_start;
    int has_path; /* some x' depends on states through a connection */
} composer;

static void composer_done(composer *c)
{
    wr_group_rows_done(&c->xx);
    wr_group_rows_done(&c->ux);
    wr_group_rows_done(&c->xy);
    free(c->behind.item);
    free(c->behind_start);
    wr_group_rows_done(&c->sccs);
    free(c->stamp);
    free(c->row.item);
    free(c->row_start);
}

static int composer_init(composer *c, const wr_group *group, int has_externals)
{
    *c = (composer){.group = group, .has_externals = has_externals};
    if (wr_group_rows_init(&c->xx, group, WRSIM_X_X, WRSIM_STATE, group->x_start, WRSIM_STATE,
                           group->x_start) < 0 ||
        wr_group_rows_init(&c->ux, group, WRSIM_U_X, WRSIM_STATE, group->x_start, WRSIM_INPUT,
                           group->u_start) < 0 ||
        wr_group_rows_init(&c->xy, group, WRSIM_X_Y, WRSIM_OUTPUT, group->y_start, WRSIM_STATE,
                           group->x_start) < 0)
        return -1;
    for (int y = 0; y < group->n_y; y++)
        c->n_scc = wr_group_scc(group, y) >= c->n_scc ? wr_group_scc(group, y) + 1 : c->n_scc;
    c->behind_start = calloc((size_t)c->n_scc + 1, sizeof *c->behind_start);
    c->sccs = (wr_rows){calloc((size_t)c->n_scc + 2, sizeof(int)),
                        calloc((size_t)group->n_y + 1, sizeof(int))};
    c->stamp = calloc((size_t)(group->n_x + group->n_external) + 1, sizeof *c->stamp);
    c->row_start = calloc((size_t)group->n_x + 1, sizeof *c->row_start);
    if (!c->behind_start || !c->sccs.start || !c->sccs.item || !c->stamp || !c->row_start)
        return -1;
    for (int y = 0; y < group->n_y; y++)
        wr_rows_count(&c->sccs, wr_group_scc(group, y));
    wr_rows_begin(&c->sccs, c->n_scc);
    for (int y = 0; y < group->n_y; y++)
        wr_rows_put(&c->sccs, wr_group_scc(group, y), y);
    return 0;
}

/* Adds a state to a list unless the present stamp already marks the state. */
static int add_once(composer *c, int_list *list, int state)
{
    if (c->stamp[state] == c->n_stamp)
        return 0;
    c->stamp[state] = c->n_stamp;
    return list_add(list, state);
}

/* Adds the states behind the driver of an input. */
static int add_driver(composer *c, int_list *list, int i_input, int *ret_is_driven)
{
    const int driver = wr_group_driver(c->group, i_input);
    if (driver <= -2 && c->has_externals)
        return add_once(c, list, c->group->n_x + (-2 - driver));
    if (driver < 0)
        return 0;
    const int state = c->group->state_of_output[driver];
    if (state >= 0) {
        *ret_is_driven = 1;
        return add_once(c, list, state);
    }
    const int scc = wr_group_scc(c->group, driver);
    for (size_t i = c->behind_start[scc]; i < c->behind_start[scc + 1]; i++) {
        *ret_is_driven = 1;
        if (add_once(c, list, c->behind.item[i]) < 0)
            return -1;
    }
    return 0;
}

static int find_states_behind(composer *c)
{
    for (int scc = 0; scc < c->n_scc; scc++) {
        c->n_stamp++;
        c->behind_start[scc + 1] = c->behind_start[scc]; /* arcs inside a loop add nothing */
        for (int i = c->sccs.start[scc]; i < c->sccs.start[scc + 1]; i++) {
            const int y = c->sccs.item[i];
            int is_driven = 0;
            for (int k = c->xy.start[y]; k < c->xy.start[y + 1]; k++)
                if (add_once(c, &c->behind, c->xy.item[k]) < 0)
                    return -1;
            for (int k = wr_group_first_input(c->group, y);
                 k < wr_group_first_input(c->group, y + 1); k++)
                if (add_driver(c, &c->behind, wr_group_input_at(c->group, k), &is_driven) < 0)
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

/* Transposes rows to columns. The loop over rows ascends, so the rows of every column also ascend. */
static wr_matrix *transpose_place(wr_arena *arena, const composer *c, int n_row, int n_column)
{
    wr_matrix *const pattern = WR_NEW(arena, wr_matrix);
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
    *pattern = (wr_matrix){.n_row = n_row,
                           .n_column = n_column,
                           .n_nonzero = (int)c->row.n,
                           .start = rows.start,
                           .row = rows.item};
    return pattern;
}

int wr_group_pattern_xx_place(wr_arena *arena, wr_group *group, int *ret_has_path)
{
    composer c;
    int rc = -1;
    if (composer_init(&c, group, 0) == 0 && find_states_behind(&c) == 0 && compose_rows(&c) == 0) {
        group->pattern_xx = transpose_place(arena, &c, group->n_x, group->n_x);
        *ret_has_path = c.has_path;
        rc = group->pattern_xx ? 0 : -1;
    }
    composer_done(&c);
    return rc;
}

/* Appends the rows of the listed outputs to the rows of the states. */
static int compose_outputs(composer *c, const int *outputs, int n_outputs)
{
    const int n_x = c->group->n_x;
    size_t *const grown =
        realloc(c->row_start, (size_t)(n_x + n_outputs + 1) * sizeof *c->row_start);
    if (!grown)
        return -1;
    c->row_start = grown;
    for (int i = 0; i < n_outputs; i++) {
        const int scc = wr_group_scc(c->group, outputs[i]);
        for (size_t k = c->behind_start[scc]; k < c->behind_start[scc + 1]; k++)
            if (list_add(&c->row, c->behind.item[k]) < 0)
                return -1;
        c->row_start[n_x + i + 1] = c->row.n;
    }
    return c->row.n > INT_MAX / 2 ? -1 : 0;
}

const wr_matrix *wr_group_pattern_place(wr_arena *arena, const wr_group *group, const int *outputs,
                                        int n_outputs)
{
    composer c;
    const wr_matrix *pattern = NULL;
    if (composer_init(&c, group, 1) == 0 && find_states_behind(&c) == 0 && compose_rows(&c) == 0 &&
        compose_outputs(&c, outputs, n_outputs) == 0)
        pattern =
            transpose_place(arena, &c, group->n_x + n_outputs, group->n_x + group->n_external);
    composer_done(&c);
    return pattern;
}
