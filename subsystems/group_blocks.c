/* Event blocks: indicators of a large group in parts that have nothing to do with one another.
 *
 * Two components are in one block if the indicators of one of them, or what these read, call the other: the connected
 * components of the event incidence X -> Z, U -> Z of Ben Khaled et al. (2012, section 5.2, Fig. 19), taken over components because
 * these are what is called. So blocks can be evaluated in any order, some without the others, and by several threads at a
 * time; each writes only what is its components' own. Of a component the blocks are listed that its states, discrete states
 * or modes act on (X, D -> Z): an event in it changes those only.
 *
 * What that is good for:
 *   - a probe that locates an event evaluates the blocks of the indicators whose sign has changed, as far as they still
 *     are candidates, and not all (events.h closes one bracket for all of them, so that times have the bits that they would
 *     have without blocks);
 *   - at the same time and inputs as last time only blocks are evaluated that read something that has changed since: after
 *     an event these are those of who had it;
 *   - an event prepares what its block reads, not what all events would;
 *   - all others, and the ends of steps, are shared out to threads (OpenMP) where there are any.
 *
 * All of it is for groups with at least so many indicators as the one threshold says, and a parallel region for at least
 * so many at once. Threads: wr_group_use_threads(). Every block is evaluated by one thread, and what fails is looked for
 * again, in order, by one: results have the same bits with any number of threads, and without blocks.
 *
 * Thread: one owner; others meanwhile as above. Real-time: yes after placing, with one thread; a team of several may allocate.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fp_mode.h"
#include "base/rows.h"
#include "subsystems/group_work.h"

/* Placing plans takes time of the order of blocks times variables: where that is more, blocks are put together. */
static const double most_placing = 2e8;

struct wr_event_block {
    const wr_plan *plan;  /* what its indicators need, */
    const wr_plan *event; /* and its events; NULL where there are none */
    int n_component, n_z;
    const int *component; /* those with indicators, ascending */
    int is_alone; /* algebraic loops, or a component called more than once: what these use is the group's */
};

/* ---- placing ---- */

/* Components joined to blocks: the least of a set is its root. */
typedef struct joiner {
    const wr_group *group;
    int *root;              /* [n_component] towards the root */
    unsigned char *is_seen; /* [n_y] outputs that are evaluated */
    int *stack;             /* [n_y] */
    int *state_of, *reader; /* pairs: a component's states are read by that one's */
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
    const wr_group_work *const work = j->group->work;
    const int y = work->driver[u];
    if (y < 0)
        return 0;
    if (j->group->state_of_output[y] >= 0)
        return add_pair(j, work->owner_y[y], c);
    join(j, c, work->owner_y[y]);
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
    const wr_group_work *const work = group->work;
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
        for (int k = work->uy_start[y]; k < work->uy_start[y + 1]; k++)
            if (read_input(j, work->owner_y[y], work->uy[k], &n) < 0)
                return -1;
    }
    return 0;
}

/* Numbers the blocks by their least component, those of components with indicators or events; -1: in none. Few
 * enough. Returns how many. */
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
    blocks->guess = WR_NEW_ARRAY(arena, double, group->work->n_guess);
    blocks->z = WR_NEW_ARRAY(arena, double, group->n_z);
    blocks->mode = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    return blocks->list && blocks->rc && blocks->is_listed && blocks->x && blocks->d &&
                   blocks->external && blocks->guess && blocks->z && blocks->mode
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
                                    .n_thread = 1,
                                    .block_of = WR_NEW_ARRAY(arena, int, group->n_component)};
        for (int c = 0; c < group->n_component; c++)
            j.root[c] = c;
        rc = blocks->block_of ? fill_blocks(arena, group, &j, blocks) : -1;
    }
    if (rc == 0)
        group->work->blocks = blocks;
    free(j.root);
    free(j.is_seen);
    free(j.stack);
    free(j.state_of);
    free(j.reader);
    return rc;
}

int wr_group_n_block(const wr_group *group)
{
    return group->work->blocks ? group->work->blocks->n : 0;
}

int wr_group_n_thread(const wr_group *group)
{
    return group->work->blocks ? group->work->blocks->n_thread : 1;
}

void wr_group_blocks_state(wr_group *group, wr_state_io *io)
{
    const wr_group_work *const work = group->work;
    wr_group_blocks *const blocks = work->blocks;
    if (!blocks)
        return;
    WR_STATE(io, blocks->is_known);
    WR_STATE(io, blocks->t_s);
    WR_STATE_ARRAY(io, blocks->x, group->n_x);
    WR_STATE_ARRAY(io, blocks->d, group->n_d);
    WR_STATE_ARRAY(io, blocks->external, group->n_external);
    WR_STATE_ARRAY(io, blocks->guess, work->n_guess);
    WR_STATE_ARRAY(io, blocks->z, group->n_z);
    WR_STATE_ARRAY(io, blocks->mode, group->n_z);
}

const wr_plan *wr_group_block_event(const wr_group *group, int c)
{
    const wr_group_blocks *const blocks = group->work->blocks;
    return blocks->block[blocks->block_of[c]].event;
}

/* ---- evaluation ---- */

static inline int call_now(const wr_call *call, double t_s, double *ret_value)
{
    call->point->t_s = t_s;
    return call->callback(call->instance, call->point, ret_value);
}

static int is_finite(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(value[i]) <= DBL_MAX))
            return 0;
    return 1;
}

/* algebra() of those that a plan asks for, and indicators of a block, at the point that the components' points are turned
 * to. */
static int call_block(const wr_group *group, const wr_event_block *block, double *ret_z)
{
    const wr_group_work *const work = group->work;
    const double t_s = work->at.t_s;
    int rc = 0;
    for (int i = 0; i < block->plan->n_algebra && rc == 0; i++) {
        const int c = block->plan->algebra[i];
        wr_caller *const caller = &work->caller[c];
        caller->point.t_s = t_s;
        rc = caller->model->algebra(&caller->instance, &caller->point, work->w + group->w_start[c]);
        caller->point.w = work->w + group->w_start[c];
    }
    for (int i = 0; i < block->n_component && rc == 0; i++) {
        const int c = block->component[i];
        wr_caller *const caller = &work->caller[c];
        double *const z = ret_z + group->z_start[c];
        caller->point.t_s = t_s;
        rc = caller->model->indicator(&caller->instance, &caller->point, z) != 0 ||
             !is_finite(z, group->z_start[c + 1] - group->z_start[c]);
    }
    for (int i = 0; i < block->plan->n_algebra; i++)
        work->caller[block->plan->algebra[i]].point.w = NULL;
    return rc;
}

/* All of a block that may be evaluated beside others. Non-zero: something is wrong, and no fault is set. */
static int run_block(const wr_group *group, const wr_event_block *block,
                     const wr_group_point *point, double *ret_z)
{
    const wr_group_work *const work = group->work;
    const wr_plan *const plan = block->plan;
    wr_copy_all(&plan->external, point->external, work->u);
    wr_copy_all(&plan->from_state, point->x, work->u);
    for (const wr_plan_step *step = plan->step, *end = step + plan->n_step; step < end; step++) {
        wr_copy_all(&step->in, work->y, work->u);
        if (call_now(&step->call, point->t_s, step->y) != 0)
            return 1;
        for (int k = step->done_start; k < step->done_end; k++)
            if (!is_finite(&work->y[plan->done[k]], 1))
                return 1;
    }
    wr_copy_all(&plan->last, work->y, work->u);
    return call_block(group, block, ret_z);
}

/* The blocks listed; by a team where it is worth one. */
static void run_list(const wr_group *group, int n, int n_z, const wr_group_point *point,
                     double *ret_z)
{
    wr_group_blocks *const blocks = group->work->blocks;
    const int *const list = blocks->list;
    int *const rc = blocks->rc;
#ifdef _OPENMP
    const int n_thread = n > 1 && n_z >= blocks->least ? blocks->n_thread : 1;
#pragma omp parallel num_threads(n_thread) if (n_thread > 1)
#endif
    {
        const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (int k = 0; k < n; k++)
            rc[k] = blocks->block[list[k]].is_alone
                        ? 0
                        : run_block(group, &blocks->block[list[k]], point, ret_z);
        wr_fp_mode_restore(before);
    }
    (void)n_z;
}

/* Blocks listed in ascending order, then those among them that want to be alone, then what has failed. */
static int evaluate_list(wr_group *group, int n, const wr_group_point *point, double *ret_z)
{
    wr_group_blocks *const blocks = group->work->blocks;
    int n_z = 0;
    for (int k = 0; k < n; k++)
        n_z += blocks->block[blocks->list[k]].n_z;
    group->work->n_indicator_value += n_z;
    wr_group_turn(group, point);
    run_list(group, n, n_z, point, ret_z);
    for (int k = 0; k < n; k++) {
        const wr_event_block *const block = &blocks->block[blocks->list[k]];
        if (!block->is_alone && blocks->rc[k] == 0)
            continue;
        const int rc = wr_group_indicators_of_some(group, block->plan, point, block->n_component,
                                                   block->component, ret_z);
        if (rc)
            return rc;
    }
    return 0;
}

/* Lists blocks whose flags are set, in ascending order, and takes the flags back. */
static int take_flags(wr_group_blocks *blocks)
{
    int n = 0;
    for (int b = 0; b < blocks->n; b++) {
        if (blocks->is_listed[b] && blocks->block[b].n_component > 0)
            blocks->list[n++] = b;
        blocks->is_listed[b] = 0;
    }
    return n;
}

static int is_same(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

/* Is a part of an array what it was, for component c? */
static int is_same_part(const double *now, const double *was, const int *start, int c)
{
    const int n = start[c + 1] - start[c];
    return n == 0 || is_same(now + start[c], was + start[c], (size_t)n * sizeof *now);
}

/* Flags the blocks that have to be evaluated at this point: those that read what has changed since z was. */
static void flag_changed(const wr_group *group, const wr_group_point *point)
{
    const wr_group_work *const work = group->work;
    wr_group_blocks *const blocks = work->blocks;
    const int is_here =
        blocks->is_known && is_same(&blocks->t_s, &point->t_s, sizeof point->t_s) &&
        is_same(blocks->external, point->external, (size_t)group->n_external * sizeof(double)) &&
        is_same(blocks->guess, work->guess, (size_t)work->n_guess * sizeof(double));
    if (!is_here) {
        memset(blocks->is_listed, 1, (size_t)blocks->n);
        return;
    }
    for (int c = 0; c < group->n_component; c++) {
        const int z = group->z_start[c], n_z = group->z_start[c + 1] - z;
        if (blocks->reader_start[c] == blocks->reader_start[c + 1] ||
            (is_same_part(point->x, blocks->x, group->x_start, c) &&
             is_same_part(point->d, blocks->d, group->d_start, c) &&
             (n_z == 0 || is_same(point->mode + z, blocks->mode + z, (size_t)n_z))))
            continue;
        for (int i = blocks->reader_start[c]; i < blocks->reader_start[c + 1]; i++)
            blocks->is_listed[blocks->reader[i]] = 1;
    }
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

/* Remembers what z stands for. */
static void keep_known(const wr_group *group, const wr_group_point *point, const double *z)
{
    const wr_group_work *const work = group->work;
    wr_group_blocks *const blocks = work->blocks;
    blocks->is_known = 1;
    blocks->t_s = point->t_s;
    copy(blocks->x, point->x, (size_t)group->n_x * sizeof *blocks->x);
    copy(blocks->d, point->d, (size_t)group->n_d * sizeof *blocks->d);
    copy(blocks->external, point->external, (size_t)group->n_external * sizeof(double));
    copy(blocks->guess, work->guess, (size_t)work->n_guess * sizeof *blocks->guess);
    copy(blocks->mode, point->mode, (size_t)group->n_z);
    if (z != blocks->z)
        copy(blocks->z, z, (size_t)group->n_z * sizeof *z);
}

void wr_group_blocks_forget(wr_group *group)
{
    if (group->work->blocks)
        group->work->blocks->is_known = 0;
}

int wr_group_blocks_all(wr_group *group, const wr_group_point *point, double *ret_z)
{
    wr_group_blocks *const blocks = group->work->blocks;
    flag_changed(group, point);
    blocks->is_known = 0; /* should anything fail */
    const int rc = evaluate_list(group, take_flags(blocks), point, blocks->z);
    if (rc)
        return rc;
    keep_known(group, point, blocks->z);
    copy(ret_z, blocks->z, (size_t)group->n_z * sizeof *ret_z);
    return 0;
}

int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z)
{
    wr_group_blocks *const blocks = group->work->blocks;
    for (int k = 0, c = 0; k < n; k++) {
        while (group->z_start[c + 1] <= indicator[k])
            c++; /* they ascend */
        blocks->is_listed[blocks->block_of[c]] = 1;
    }
    return evaluate_list(group, take_flags(blocks), point, ret_z);
}

int wr_group_blocks_after_rhs(wr_group *group, double *ret_z)
{
    const wr_group_work *const work = group->work;
    wr_group_blocks *const blocks = work->blocks;
    const double t_s = work->at.t_s;
    const int n = work->n_indicator;
#ifdef _OPENMP
    const int n_thread = n > 1 ? blocks->n_thread : 1;
#pragma omp parallel num_threads(n_thread) if (n_thread > 1)
#endif
    {
        const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (int k = 0; k < n; k++)
            blocks->rc[k] = call_now(&work->indicator[k], t_s, ret_z + work->indicator[k].start);
        wr_fp_mode_restore(before);
    }
    for (int k = 0; k < n; k++)
        if (blocks->rc[k] != 0)
            return 1;
    group->work->n_indicator_value += group->n_z;
    if (is_finite(ret_z, group->n_z))
        keep_known(group, &work->at, ret_z);
    return 0;
}

void wr_group_use_threads(wr_group *group, int n_thread)
{
    wr_group_blocks *const blocks = group->work->blocks;
    if (!blocks)
        return;
    blocks->n_thread = n_thread;
#ifdef _OPENMP
    int n = 0;
#pragma omp parallel num_threads(n_thread) reduction(+ : n) /* its threads are there from here on */
    n++;
    if (n < n_thread)
        blocks->n_thread = n;
#else
    blocks->n_thread = 1;
#endif
}
