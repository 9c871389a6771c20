/* Places the event blocks of a group: their components, plans and readers. See group_blocks.c.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/group/group_blocks_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "subsystems/group/event_blocks.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_plans.h"

/* Most blocks times variables. Placing plans takes time of this order; above the limit blocks are merged. */
static const double most_placing = 2e8;

/* Components joined to blocks (union-find): the lowest component of a set is its root. */
typedef struct joiner {
    const wr_group *group;
    int *root;              /* [n_component] towards the root */
    unsigned char *is_seen; /* [n_y] outputs that are evaluated */
    int *stack;             /* [n_y] */
    int *state_of, *reader; /* pairs: indicators of component reader read states of state_of */
    int n_pair, cap_pair;
} joiner;

static int root_of(const joiner *j, int c)
{
    while (j->root[c] != c)
        c = j->root[c] = j->root[j->root[c]];
    return c;
}

static void join(joiner *j, int a, int b)
{
    const int ra = root_of(j, a), rb = root_of(j, b);
    j->root[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

static int add_pair(joiner *j, int owner, int reader)
{
    if (j->n_pair == j->cap_pair) {
        const int cap = j->cap_pair ? 2 * j->cap_pair : 1024;
        int *const state_of = realloc(j->state_of, (size_t)cap * sizeof *state_of);
        if (state_of)
            j->state_of = state_of;
        int *const read_by = realloc(j->reader, (size_t)cap * sizeof *read_by);
        if (read_by)
            j->reader = read_by;
        if (!state_of || !read_by)
            return -1;
        j->cap_pair = cap;
    }
    j->state_of[j->n_pair] = owner;
    j->reader[j->n_pair++] = reader;
    return 0;
}

/* Component c reads input u. *n: outputs on the stack. */
static int read_input(joiner *j, int c, int u, int *n)
{
    const int y = wr_group_driver(j->group, u);
    if (y < 0)
        return 0;
    if (j->group->state_of_output[y] >= 0)
        return add_pair(j, wr_group_owner_of_output(j->group, y), c);
    join(j, c, wr_group_owner_of_output(j->group, y));
    if (!j->is_seen[y]) {
        j->is_seen[y] = 1;
        j->stack[(*n)++] = y;
    }
    return 0;
}

/* Joins all components whose indicators need the same calls. */
static int join_all(joiner *j)
{
    const wr_group *const group = j->group;
    int n = 0;
    for (int c = 0; c < group->n_component; c++) {
        const wr_component *const component = group->component[c];
        const wr_incidence *const incidence = &component->pattern[WRSIM_U_Z];
        const int is_full = component->n_w > 0 || !incidence->is_declared;
        const int n_read = component->n[WRSIM_INDICATOR] == 0 ? 0
                           : is_full                          ? component->n[WRSIM_INPUT]
                                                              : incidence->n;
        for (int k = 0; k < n_read; k++)
            if (read_input(j, c, group->u_start[c] + (is_full ? k : incidence->column[k]), &n) < 0)
                return -1;
    }
    while (n > 0) {
        const int y = j->stack[--n];
        for (int k = wr_group_first_input(j->group, y); k < wr_group_first_input(j->group, y + 1);
             k++)
            if (read_input(j, wr_group_owner_of_output(j->group, y), wr_group_input_at(j->group, k),
                           &n) < 0)
                return -1;
    }
    return 0;
}

/* Numbers the blocks of components with indicators or events by their lowest component; -1: no block. Merges too many blocks. Returns
 * their number. */
static int number_blocks(joiner *j, int *ret_block_of)
{
    const wr_group *const group = j->group;
    const int n = group->n_component;
    int n_block = 0;
    for (int c = 0; c < n; c++)
        ret_block_of[c] = -1;
    for (int c = 0; c < n; c++) {
        const int root = root_of(j, c);
        const wr_component *const component = group->component[c];
        if (ret_block_of[root] < 0 &&
            (component->n[WRSIM_INDICATOR] > 0 || component->model->event))
            ret_block_of[root] = n_block++;
    }
    const double most = most_placing / (1.0 + group->n_u + group->n_y);
    const int n_kept = n_block > most ? 1 + (int)most : n_block;
    for (int c = n - 1; c >= 0; c--) { /* roots come last */
        const int block = ret_block_of[root_of(j, c)];
        ret_block_of[c] = block < 0 ? -1 : (int)((int64_t)block * n_kept / n_block);
    }
    return n_kept;
}

/* Blocks that read a component's states, discrete states or modes. */
static int readers_place(wr_arena *arena, const joiner *j, wr_group_blocks *blocks)
{
    const int n = j->group->n_component;
    const wr_rows rows = {WR_NEW_ARRAY(arena, int, n + 2), WR_NEW_ARRAY(arena, int, n + j->n_pair)};
    if (!rows.start || !rows.item)
        return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n + j->n_pair; i++) {
            const int owner = i < n ? i : j->state_of[i - n];
            const int block = blocks->block_of[i < n ? i : j->reader[i - n]];
            if (block >= 0 && pass == 0)
                wr_rows_count(&rows, owner);
            else if (block >= 0)
                wr_rows_put(&rows, owner, block);
        }
        if (pass == 0)
            wr_rows_begin(&rows, n);
    }
    blocks->reader_start = rows.start;
    blocks->reader = rows.item;
    return 0;
}

/* Lists of components with indicators, block after block. */
static int members_place(wr_arena *arena, const wr_group *group, wr_group_blocks *blocks)
{
    const wr_rows rows = {WR_NEW_ARRAY(arena, int, blocks->n + 2),
                          WR_NEW_ARRAY(arena, int, group->n_component)};
    if (!rows.start || !rows.item)
        return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < group->n_component; c++)
            if (group->component[c]->n[WRSIM_INDICATOR] == 0)
                continue;
            else if (pass == 0)
                wr_rows_count(&rows, blocks->block_of[c]);
            else
                wr_rows_put(&rows, blocks->block_of[c], c);
        if (pass == 0)
            wr_rows_begin(&rows, blocks->n);
    }
    for (int b = 0; b < blocks->n; b++) {
        wr_event_block *const block = &blocks->block[b];
        block->component = rows.item + rows.start[b];
        block->n_component = rows.start[b + 1] - rows.start[b];
        for (int i = 0; i < block->n_component; i++)
            block->n_z += group->component[block->component[i]]->n[WRSIM_INDICATOR];
    }
    return 0;
}

static int block_plans_place(wr_arena *arena, wr_group *group, wr_group_blocks *blocks)
{
    const int n = group->n_component;
    int *const event = malloc(((size_t)n + 1) * sizeof *event); /* components, block after block */
    wr_rows rows = {calloc((size_t)blocks->n + 2, sizeof(int)), event};
    int rc = event && rows.start ? 0 : -1;
    for (int pass = 0; pass < 2 && rc == 0; pass++) {
        for (int c = 0; c < n; c++)
            if (group->component[c]->model->event && pass == 0)
                wr_rows_count(&rows, blocks->block_of[c]);
            else if (group->component[c]->model->event)
                wr_rows_put(&rows, blocks->block_of[c], c);
        if (pass == 0)
            wr_rows_begin(&rows, blocks->n);
    }
    for (int b = 0; b < blocks->n && rc == 0; b++) {
        wr_event_block *const block = &blocks->block[b];
        const int n_event = rows.start[b + 1] - rows.start[b];
        block->plan =
            wr_group_plan_for(arena, group, WRSIM_INDICATOR, block->component, block->n_component);
        block->event = n_event == 0 ? NULL
                                    : wr_group_plan_for(arena, group, WRSIM_DISCRETE,
                                                        event + rows.start[b], n_event);
        rc = block->plan && (block->event || n_event == 0) ? 0 : -1;
        for (int i = 0; rc == 0 && i < block->plan->n_step; i++)
            block->is_alone |= block->plan->step[i].kind != WR_STEP_ALL;
    }
    free(event);
    free(rows.start);
    return rc;
}

static int known_place(wr_arena *arena, const wr_group *group, wr_group_blocks *blocks)
{
    blocks->list = WR_NEW_ARRAY(arena, int, blocks->n);
    blocks->rc =
        WR_NEW_ARRAY(arena, int, blocks->n > group->n_component ? blocks->n : group->n_component);
    blocks->is_listed = WR_NEW_ARRAY(arena, unsigned char, blocks->n);
    blocks->x = WR_NEW_ARRAY(arena, double, group->n_x);
    blocks->d = WR_NEW_ARRAY(arena, double, group->n_d);
    blocks->external = WR_NEW_ARRAY(arena, double, group->n_external);
    int n_guess;
    (void)wr_group_guess(group, &n_guess);
    blocks->guess = WR_NEW_ARRAY(arena, double, n_guess);
    blocks->mode = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    return blocks->list && blocks->rc && blocks->is_listed && blocks->x && blocks->d &&
                   blocks->external && blocks->guess && blocks->mode
               ? 0
               : -1;
}

static int fill_blocks(wr_arena *arena, wr_group *group, joiner *j, wr_group_blocks *blocks)
{
    if (join_all(j) < 0)
        return -1;
    blocks->n = number_blocks(j, blocks->block_of);
    blocks->block = WR_NEW_ARRAY(arena, wr_event_block, blocks->n);
    return blocks->block && readers_place(arena, j, blocks) == 0 &&
                   members_place(arena, group, blocks) == 0 &&
                   block_plans_place(arena, group, blocks) == 0 &&
                   known_place(arena, group, blocks) == 0
               ? 0
               : -1;
}

int wr_group_place_blocks(wr_arena *arena, wr_group *group, int least)
{
    if (group->n_z == 0 || group->n_z < least)
        return 0;
    const size_t n = (size_t)group->n_component, n_y = (size_t)group->n_y;
    wr_group_blocks *const blocks = WR_NEW(arena, wr_group_blocks);
    joiner j = {.group = group,
                .root = malloc((n + 1) * sizeof(int)),
                .is_seen = calloc(n_y + 1, 1),
                .stack = malloc((n_y + 1) * sizeof(int))};
    int rc = -1;
    if (blocks && j.root && j.is_seen && j.stack) {
        *blocks = (wr_group_blocks){.least = least,
                                    .helpers = {.n_worker = 1},
                                    .block_of = WR_NEW_ARRAY(arena, int, group->n_component)};
        for (int c = 0; c < group->n_component; c++)
            j.root[c] = c;
        rc = blocks->block_of ? fill_blocks(arena, group, &j, blocks) : -1;
    }
    if (rc == 0)
        group->blocks = blocks;
    free(j.root);
    free(j.is_seen);
    free(j.stack);
    free(j.state_of);
    free(j.reader);
    return rc;
}
