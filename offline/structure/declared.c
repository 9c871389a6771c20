/* Declared incidence. See declared.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "offline/structure/declared.h"

#include <stdlib.h>
#include <string.h>

/* Rows and columns of each pattern, by wrsim_pattern. */
static const struct {
    wrsim_kind row, column;
} shapes[WRSIM_PATTERN_COUNT] = {
    [WRSIM_X_X] = {WRSIM_STATE, WRSIM_STATE},        [WRSIM_U_X] = {WRSIM_STATE, WRSIM_INPUT},
    [WRSIM_X_Y] = {WRSIM_OUTPUT, WRSIM_STATE},       [WRSIM_U_Y] = {WRSIM_OUTPUT, WRSIM_INPUT},
    [WRSIM_X_Z] = {WRSIM_INDICATOR, WRSIM_STATE},    [WRSIM_U_Z] = {WRSIM_INDICATOR, WRSIM_INPUT},
    [WRSIM_Z_D] = {WRSIM_DISCRETE, WRSIM_INDICATOR}, [WRSIM_D_X] = {WRSIM_STATE, WRSIM_DISCRETE},
    [WRSIM_D_Z] = {WRSIM_INDICATOR, WRSIM_DISCRETE},
};
static_assert((int)WR_N_DECLARABLE == (int)WRSIM_PATTERN_COUNT && (int)WR_Z_D == (int)WRSIM_Z_D,
              "relations that can be declared are in the order of the patterns");

/* Block of outputs by discrete states, which no pattern declares. */
enum { D_Y = WRSIM_PATTERN_COUNT, N_BLOCK };

typedef struct composer {
    const wr_view *view;
    /* declared blocks of all components; a column for each input of each component */
    wr_matrix *block[N_BLOCK];
    wr_matrix *drives;            /* inputs (rows) by the outputs that drive them (columns) */
    unsigned char *has_y, *has_u; /* 1: reached output, reached input */
    int *queue_y;                 /* reached outputs in order */
    int n_y;
    wr_entries to_dx, to_y, to_z; /* entries of the present relations */
} composer;

static int start_of(const wr_group *g, wrsim_kind kind, int c)
{
    const int *const start[WRSIM_KIND_COUNT] = {[WRSIM_STATE] = g->x_start,
                                                [WRSIM_DISCRETE] = g->d_start,
                                                [WRSIM_INPUT] = g->u_start,
                                                [WRSIM_OUTPUT] = g->y_start,
                                                [WRSIM_INDICATOR] = g->z_start};
    return start[kind][c];
}

static void add_declared(wr_entries *entries, const wr_component *c, int pattern, int first_row,
                         int first_column)
{
    const wr_incidence *const p = &c->pattern[pattern];
    const int is_output = pattern == WRSIM_X_Y || pattern == WRSIM_U_Y;
    for (int k = 0; k < p->n; k++)
        if (!is_output || !(c->variable[WRSIM_OUTPUT][p->row[k]].flags & WRSIM_IS_STATE))
            wr_entries_add(entries, first_row + p->row[k], first_column + p->column[k], 1.0, 0);
    for (int i = 0; pattern == WRSIM_X_Y && i < c->n[WRSIM_OUTPUT]; i++)
        if (c->variable[WRSIM_OUTPUT][i].flags & WRSIM_IS_STATE)
            wr_entries_add(entries, first_row + i,
                           first_column + c->variable[WRSIM_OUTPUT][i].index, 1.0, 0);
}

static wr_matrix *make_block(const wr_view *view, int pattern)
{
    const wr_group *const g = view->group;
    const int is_declarable = pattern < D_Y;
    const wrsim_kind row = is_declarable ? shapes[pattern].row : WRSIM_OUTPUT,
                     column = is_declarable ? shapes[pattern].column : WRSIM_DISCRETE;
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    for (int c = 0; c < g->n_component; c++) {
        const int first_row = start_of(g, row, c), first_column = start_of(g, column, c);
        const wr_component *const component = view->described[c];
        if (is_declarable && component->pattern[pattern].is_declared)
            add_declared(&entries, component, pattern, first_row, first_column);
        else {
            for (int i = 0; i < component->n[row]; i++) {
                const int is_state = row == WRSIM_OUTPUT &&
                                     (component->variable[WRSIM_OUTPUT][i].flags & WRSIM_IS_STATE);
                for (int j = 0; j < component->n[column]; j++)
                    if (!is_state ||
                        (pattern == WRSIM_X_Y && component->variable[WRSIM_OUTPUT][i].index == j))
                        wr_entries_add(&entries, first_row + i, first_column + j, 1.0, 0);
            }
        }
    }
    return wr_matrix_from_entries(start_of(g, row, g->n_component),
                                  start_of(g, column, g->n_component), &entries, 0);
}

static wr_matrix *make_drives(const wr_view *view)
{
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    for (int u = 0; u < view->group->n_u; u++) {
        const wr_group_edge *const e = &view->edge[u];
        if (e->from >= 0)
            wr_entries_add(&entries, u, view->group->y_start[e->from] + e->i_output, 1.0, 0);
    }
    return wr_matrix_from_entries(view->group->n_u, view->group->n_y, &entries, 0);
}

/* ---- dependences along the connections ---- */

static void reach(wr_entries *to, const wr_matrix *block, int from, int column)
{
    for (int k = block->start[from]; k < block->start[from + 1]; k++)
        wr_entries_add(to, block->row[k], column, 1.0, 0);
}

static void reach_outputs(composer *c, const wr_matrix *block, int from)
{
    for (int k = block->start[from]; k < block->start[from + 1]; k++) {
        const int y = block->row[k];
        if (!c->has_y[y])
            c->queue_y[c->n_y++] = y;
        c->has_y[y] = 1;
    }
}

static void reach_by_input(composer *c, int u, int column)
{
    if (c->has_u[u])
        return;
    c->has_u[u] = 1;
    reach(&c->to_dx, c->block[WRSIM_U_X], u, column);
    reach(&c->to_z, c->block[WRSIM_U_Z], u, column);
    reach_outputs(c, c->block[WRSIM_U_Y], u);
}

/* Follows the reached outputs to all variables that depend on them. */
static void follow(composer *c, int column)
{
    for (int i = 0; i < c->n_y; i++) { /* n_y grows */
        const int y = c->queue_y[i];
        wr_entries_add(&c->to_y, y, column, 1.0, 0);
        for (int k = c->drives->start[y]; k < c->drives->start[y + 1]; k++)
            reach_by_input(c, c->drives->row[k], column);
    }
}

static void start_column(composer *c)
{
    const wr_group *const g = c->view->group;
    memset(c->has_y, 0, (size_t)g->n_y);
    memset(c->has_u, 0, (size_t)g->n_u);
    c->n_y = 0;
}

/* Fills the columns of n states or discrete states. */
static void columns_by(composer *c, int n, int to_dx, int to_y, int to_z)
{
    for (int j = 0; j < n; j++) {
        start_column(c);
        reach(&c->to_dx, c->block[to_dx], j, j);
        reach(&c->to_z, c->block[to_z], j, j);
        reach_outputs(c, c->block[to_y], j);
        follow(c, j);
    }
}

/* Stores the reached entries as relations. */
static int keep(composer *c, wr_incidence_set *set, wrsim_kind by, wr_relation dx, wr_relation y,
                wr_relation z)
{
    const int n = c->view->n[by];
    set->at[dx] = wr_matrix_from_entries(c->view->n[WRSIM_STATE], n, &c->to_dx, 0);
    set->at[y] = wr_matrix_from_entries(c->view->n[WRSIM_OUTPUT], n, &c->to_y, 0);
    set->at[z] = wr_matrix_from_entries(c->view->n[WRSIM_INDICATOR], n, &c->to_z, 0);
    wr_entries_done(&c->to_dx);
    wr_entries_done(&c->to_y);
    wr_entries_done(&c->to_z);
    return set->at[dx] && set->at[y] && set->at[z] ? 0 : -1;
}

static int compose(composer *c, wr_incidence_set *set)
{
    const wr_group *const g = c->view->group;
    columns_by(c, g->n_x, WRSIM_X_X, WRSIM_X_Y, WRSIM_X_Z);
    if (keep(c, set, WRSIM_STATE, WR_X_DX, WR_X_Y, WR_X_Z) < 0)
        return -1;
    for (int u = 0; u < c->view->group->n_u; u++) {
        const wr_group_edge *const e = &c->view->edge[u];
        if (e->from >= 0)
            continue;
        start_column(c);
        reach_by_input(c, u, e->i_external);
        follow(c, e->i_external);
    }
    if (keep(c, set, WRSIM_INPUT, WR_U_DX, WR_U_Y, WR_U_Z) < 0)
        return -1;
    columns_by(c, g->n_d, WRSIM_D_X, D_Y, WRSIM_D_Z);
    if (keep(c, set, WRSIM_DISCRETE, WR_D_DX, WR_D_Y, WR_D_Z) < 0)
        return -1;
    set->at[WR_Z_D] = c->block[WRSIM_Z_D]; /* an event sets discrete states of its component only */
    c->block[WRSIM_Z_D] = NULL;
    return wr_incidence_compose(set);
}

int wr_declared_make(const wr_view *view, wr_incidence_set *ret_set)
{
    const wr_group *const g = view->group;
    composer c = {.view = view, .drives = make_drives(view)};
    wr_incidence_set set = {0};
    int is_made = c.drives != NULL;
    for (int i = 0; i < N_BLOCK; i++)
        is_made &= (c.block[i] = make_block(view, i)) != NULL;
    c.has_y = calloc((size_t)g->n_y + 1, 1);
    c.has_u = calloc((size_t)g->n_u + 1, 1);
    c.queue_y = calloc((size_t)g->n_y + 1, sizeof *c.queue_y);
    const int rc = is_made && c.has_y && c.has_u && c.queue_y ? compose(&c, &set) : -1;
    for (int i = 0; i < N_BLOCK; i++)
        wr_matrix_destroy(&c.block[i]);
    wr_matrix_destroy(&c.drives);
    free(c.has_y);
    free(c.has_u);
    free(c.queue_y);
    if (rc == 0)
        *ret_set = set;
    else
        wr_incidence_done(&set);
    return rc;
}

int wr_declared_lacks(const wr_view *view, int i_first, wrsim_pattern *ret_pattern)
{
    for (int c = i_first; c < view->n_component; c++)
        for (int p = 0; p < WRSIM_PATTERN_COUNT; p++) {
            const wr_component *const component = view->described[c];
            if (!component->pattern[p].is_declared && component->n[shapes[p].row] > 0 &&
                component->n[shapes[p].column] > 0) {
                *ret_pattern = (wrsim_pattern)p;
                return c;
            }
        }
    return -1;
}
