/* Incidence of some components. See incidence.h. Thread: one owner. Real-time: no. */
#include "offline/structure/incidence.h"

#include <stdlib.h>
#include <string.h>

const wr_relation_text wr_relations[WR_N_RELATION] = {
    [WR_X_DX] = {"x_dx", "X -> X'", "derivatives by states", WRSIM_STATE, WRSIM_STATE},
    [WR_U_DX] = {"u_dx", "U -> X'", "derivatives by inputs", WRSIM_STATE, WRSIM_INPUT},
    [WR_X_Y] = {"x_y", "X -> Y", "outputs by states", WRSIM_OUTPUT, WRSIM_STATE},
    [WR_U_Y] = {"u_y", "U -> Y", "outputs by inputs", WRSIM_OUTPUT, WRSIM_INPUT},
    [WR_X_Z] = {"x_z", "X -> Z", "event indicators by states", WRSIM_INDICATOR, WRSIM_STATE},
    [WR_U_Z] = {"u_z", "U -> Z", "event indicators by inputs", WRSIM_INDICATOR, WRSIM_INPUT},
    [WR_Z_D] = {"z_d", "Z -> D", "discrete states that events set", WRSIM_DISCRETE,
                WRSIM_INDICATOR},
    [WR_D_DX] = {"d_dx", "D -> X'", "derivatives by discrete states", WRSIM_STATE, WRSIM_DISCRETE},
    [WR_D_Z] = {"d_z", "D -> Z", "event indicators by discrete states", WRSIM_INDICATOR,
                WRSIM_DISCRETE},
    [WR_D_Y] = {"d_y", "D -> Y", "outputs by discrete states", WRSIM_OUTPUT, WRSIM_DISCRETE},
    [WR_M_DX] = {"m_dx", "M -> X'", "derivatives by modes of indicators", WRSIM_STATE,
                 WRSIM_INDICATOR},
    [WR_M_Z] = {"m_z", "M -> Z", "event indicators by modes of indicators", WRSIM_INDICATOR,
                WRSIM_INDICATOR},
    [WR_Z_X] = {"z_x", "Z -> X", "states that events set", WRSIM_STATE, WRSIM_INDICATOR},
    [WR_Z_DX] = {"z_dx", "Z -> X'", "derivatives by events", WRSIM_STATE, WRSIM_INDICATOR},
    [WR_Z_Z] = {"z_z", "Z -> Z", "event indicators by events", WRSIM_INDICATOR, WRSIM_INDICATOR},
    [WR_X_DX_EVENTS] = {"x_dx_events", "X -> Z -> X'", "derivatives by states, through events",
                        WRSIM_STATE, WRSIM_STATE},
    [WR_X_DX_ALL] = {"x_dx_all", "X -> X' in all",
                     "derivatives by states, directly or through events", WRSIM_STATE, WRSIM_STATE},
};

wr_relation wr_relation_find(const char *id)
{
    int i = 0;
    while (i < WR_N_RELATION && strcmp(wr_relations[i].id, id) != 0)
        i++;
    return (wr_relation)i;
}

const char *wr_incidence_name(const wr_view *view, wrsim_kind kind, int i)
{
    return view->variable[kind][i].name;
}

void wr_incidence_done(wr_incidence_set *set)
{
    for (int i = 0; i < WR_N_RELATION; i++)
        wr_matrix_destroy(&set->at[i]);
    *set = (wr_incidence_set){0};
}

/* One term of a composed relation: the composition adds the product of relations a and b to relation `to`. */
typedef struct way {
    wr_relation to, a, b; /* to |= a b; b = WR_N_RELATION: to |= a */
} way;
static const way ways[] = {
    {WR_Z_DX, WR_D_DX, WR_Z_D},
    {WR_Z_DX, WR_M_DX, WR_N_RELATION},
    {WR_Z_DX, WR_X_DX, WR_Z_X},
    {WR_Z_Z, WR_D_Z, WR_Z_D},
    {WR_Z_Z, WR_M_Z, WR_N_RELATION},
    {WR_Z_Z, WR_X_Z, WR_Z_X},
    {WR_X_DX_EVENTS, WR_Z_DX, WR_X_Z},
    {WR_X_DX_ALL, WR_X_DX, WR_N_RELATION},
    {WR_X_DX_ALL, WR_X_DX_EVENTS, WR_N_RELATION},
};

int wr_incidence_compose(wr_incidence_set *set)
{
    for (int i = WR_N_DIRECT; i < WR_N_RELATION; i++)
        wr_matrix_destroy(&set->at[i]);
    for (size_t i = 0; i < WR_COUNT_OF(ways); i++) {
        const int has_b = ways[i].b < WR_N_RELATION;
        const wr_matrix *const a = set->at[ways[i].a];
        const wr_matrix *const b = has_b ? set->at[ways[i].b] : NULL;
        if (!a || (has_b && !b))
            continue; /* models cannot declare a or b */
        wr_matrix *made = b ? wr_matrix_chain(a, b) : wr_matrix_permute(a, NULL, NULL);
        wr_matrix **const to = &set->at[ways[i].to];
        if (made && *to) {
            wr_matrix *joined = wr_matrix_join(*to, made);
            wr_matrix_destroy(&made);
            wr_matrix_destroy(to);
            made = joined;
        }
        *to = made;
        if (!made)
            return -1;
    }
    return 0;
}

/* ---- declared incidence ---- */

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
    /* declared relations within components; a column for each input of each component */
    wr_matrix *block[N_BLOCK];
    wr_matrix *drives;            /* inputs (rows) by the outputs that drive them (columns) */
    unsigned char *has_y, *has_u; /* [n_y], [n_u] 1: the present column acts on the output, input */
    int *queue_y;                 /* [n_y] outputs with has_y 1, in the order of the search */
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

/* Follows the outputs of queue_y along the connections, and adds an entry for each variable that depends on one of these outputs. */
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

/* Stores the entries of the present relations in the set. Returns 0, or -1 when out of memory. */
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
    WR_AUTO_FREE unsigned char *const has = calloc((size_t)g->n_y + (size_t)g->n_u + 1, 1);
    WR_AUTO_FREE int *const queue = calloc((size_t)g->n_y + 1, sizeof *queue);
    c.has_y = has;
    c.has_u = has ? has + g->n_y : NULL;
    c.queue_y = queue;
    const int rc = is_made && has && queue ? compose(&c, &set) : -1;
    for (int i = 0; i < N_BLOCK; i++)
        wr_matrix_destroy(&c.block[i]);
    wr_matrix_destroy(&c.drives);
    if (rc == 0)
        *ret_set = set;
    else
        wr_incidence_done(&set);
    return rc;
}

int wr_declared_is_full(const wr_component *component, wrsim_pattern pattern)
{
    return !component->pattern[pattern].is_declared && component->n[shapes[pattern].row] > 0 &&
           component->n[shapes[pattern].column] > 0;
}

int wr_declared_lacks(const wr_view *view, int i_first, wrsim_pattern *ret_pattern)
{
    for (int c = i_first; c < view->n_component; c++)
        for (int p = 0; p < WRSIM_PATTERN_COUNT; p++) {
            if (wr_declared_is_full(view->described[c], (wrsim_pattern)p)) {
                *ret_pattern = (wrsim_pattern)p;
                return c;
            }
        }
    return -1;
}
