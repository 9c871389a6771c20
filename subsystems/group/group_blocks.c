/* Event blocks: disjoint sets of a large group's indicators that share no calls. See group_blocks.h.
 *
 * Two components are in one block if the evaluation of the indicators of one component calls the other component. Blocks are the connected
 * components of the event incidence X -> Z, U -> Z (Ben Khaled et al. 2013, section 5.2 and Fig. 19). The group evaluates all or some
 * blocks, in any order, by one or several threads. Each block writes only the values of its components. Each component has a list of the
 * blocks that read its states, discrete states or modes (X, D -> Z). An event in the component changes only these blocks.
 *
 * Blocks save work:
 *   - A probe that locates an event evaluates only the blocks of the remaining candidates. events.h closes one bracket for all
 *     candidates, so event times have the same bits as without blocks.
 *   - At an unchanged time with unchanged inputs, the group evaluates only the blocks that read changed values.
 *   - An event evaluates only the inputs of its block.
 *   - Idle workers share large evaluations, also at the ends of steps (wr_group_use_helpers()).
 *
 * One threshold (simulation.event_blocks) decides whether a group has blocks, and whether workers share an evaluation. After a failure
 * the owner repeats the evaluation in order. So results have the same bits with any number of workers, and without blocks.
 *
 * Thread: one owner; other workers inside share(). Real-time: yes after placing.
 */
#include "subsystems/group/group_blocks.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "subsystems/group/group.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_plan.h"

int wr_group_n_block(const wr_group *group) { return group->blocks ? group->blocks->n : 0; }

int wr_group_n_thread(const wr_group *group)
{
    return group->blocks ? group->blocks->helpers.n_worker : 1;
}

const wr_plan *wr_group_block_event(const wr_group *group, int c)
{
    const wr_group_blocks *const blocks = group->blocks;
    return blocks->block[blocks->block_of[c]].event;
}

/* Calls a function of a model at time t_s. Writes the time only if the time differs, because an unwritten cache line stays in the caches of
 * all cores. */
static inline int call_now(const wr_call *call, double t_s, double *ret_value)
{
    if (!(call->point->t_s <= t_s && call->point->t_s >= t_s))
        call->point->t_s = t_s;
    wr_calling_now.call = call;
    return call->callback(call->instance, call->point, ret_value);
}

static int is_finite(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(value[i]) <= DBL_MAX))
            return 0;
    return 1;
}

/* Calls algebra() of the plan's components, and the indicators of a block, at the point to which the components' points are set. */
static int call_block(const wr_group *group, const wr_event_block *block, double *ret_z)
{
    const wr_group_values *const values = group->values;
    const double t_s = values->at.t_s;
    int rc = 0;
    for (int i = 0; i < block->plan->n_algebra && rc == 0; i++) {
        const int c = block->plan->algebra[i];
        wr_caller *const caller = &values->caller[c];
        caller->point.t_s = t_s;
        wr_calling_now.call = &caller->algebra;
        rc = caller->model->algebra(&caller->instance, &caller->point,
                                    values->w + group->w_start[c]);
        wr_calling_now.call = NULL;
        caller->point.w = values->w + group->w_start[c];
    }
    for (int i = 0; i < block->n_component && rc == 0; i++) {
        const int c = block->component[i];
        wr_caller *const caller = &values->caller[c];
        double *const z = ret_z + group->z_start[c];
        caller->point.t_s = t_s;
        wr_calling_begin(caller->name, "indicator", t_s);
        rc = caller->model->indicator(&caller->instance, &caller->point, z) != 0;
        wr_calling_end();
        rc = rc || !is_finite(z, group->z_start[c + 1] - group->z_start[c]);
    }
    for (int i = 0; i < block->plan->n_algebra; i++)
        values->caller[block->plan->algebra[i]].point.w = NULL;
    return rc;
}

/* Evaluates a block at the point. Returns non-zero on a failure; does not set the group's fault. */
static int run_block(const wr_group *group, const wr_event_block *block,
                     const wr_group_point *point, double *ret_z)
{
    const wr_group_values *const values = group->values;
    const wr_plan *const plan = block->plan;
    wr_copy_all(&plan->external, point->external, values->u);
    wr_copy_all(&plan->from_state, point->x, values->u);
    int rc = 0;
    for (const wr_plan_step *step = plan->step, *end = step + plan->n_step; step < end && rc == 0;
         step++) {
        wr_copy_all(&step->in, values->y, values->u);
        rc = call_now(&step->call, point->t_s, step->y) != 0;
        for (int k = step->done_start; k < step->done_end && rc == 0; k++)
            rc = !is_finite(&values->y[plan->done[k]], 1);
    }
    wr_calling_now.call = NULL;
    if (rc != 0)
        return 1;
    wr_copy_all(&plan->last, values->y, values->u);
    return call_block(group, block, ret_z);
}

/* Returns whether workers share the evaluation of n blocks or calls with n_z indicators. */
static inline int is_shared_out(const wr_group_blocks *blocks, int n, int n_z)
{
    return blocks->helpers.n_worker > 1 && n > 1 && n_z >= blocks->least;
}

/* Number of shares of the work per worker, so that a late worker leaves shares to others; largest number of shares (both assumed). */
enum { PARTS_PER_WORKER = 8, MOST_PARTS = 4096 };

static int count_parts(const wr_group_blocks *blocks, int n)
{
    const int n_part = blocks->helpers.n_worker < MOST_PARTS / PARTS_PER_WORKER
                           ? PARTS_PER_WORKER * blocks->helpers.n_worker
                           : MOST_PARTS;
    return n < n_part ? n : n_part;
}

/* Returns the index of the first of n items in share i_part. */
static int first_of(int n, int n_part, int i_part) { return (int)((int64_t)n * i_part / n_part); }

/* Returns 1 if a model has changed the floating-point mode of this thread, and restores the mode. The owner then calls the model again, so
 * that wr_group_keeps_mode() detects the change on any thread. */
static int has_changed_mode(wr_fp_mode mode)
{
    if (!wr_fp_mode_differs(mode))
        return 0;
    wr_fp_mode_restore(mode);
    return 1;
}

/* Drops the texts of refused calls, because the owner calls the models again in order, up to the first refusal. */
static void drop_messages(const wr_group *group)
{
    for (int c = 0; c < group->n_component; c++)
        group->values->caller[c].instance.message = NULL;
}

/* Evaluation of listed blocks at one point. */
typedef struct list_job {
    const wr_group *group;
    const wr_group_point *point;
    double *ret_z;
    int n, n_part;
} list_job;

static void run_listed(void *job_at, int i_part)
{
    const list_job *const job = job_at;
    const wr_group_blocks *const blocks = job->group->blocks;
    const int end = first_of(job->n, job->n_part, i_part + 1);
    const wr_fp_mode mode = wr_fp_mode_get();
    for (int k = first_of(job->n, job->n_part, i_part); k < end; k++) {
        const wr_event_block *const block = &blocks->block[blocks->list[k]];
        const int rc = block->is_alone ? 0 : run_block(job->group, block, job->point, job->ret_z);
        blocks->rc[k] = has_changed_mode(mode) ? 1 : rc;
    }
}

/* Evaluates the listed blocks together, then the blocks with is_alone and the failed blocks in order. */
static int evaluate_list(wr_group *group, int n, const wr_group_point *point, double *ret_z)
{
    wr_group_blocks *const blocks = group->blocks;
    int n_z = 0;
    for (int k = 0; k < n; k++)
        n_z += blocks->block[blocks->list[k]].n_z;
    group->values->n_indicator_value += n_z;
    wr_group_turn(group, point);
    list_job job = {group, point, ret_z, n, 1};
    if (is_shared_out(blocks, n, n_z)) {
        job.n_part = count_parts(blocks, n);
        blocks->helpers.share(blocks->helpers.team, job.n_part, run_listed, &job);
    } else
        run_listed(&job, 0);
    int n_failed = 0;
    for (int k = 0; k < n; k++)
        n_failed += blocks->rc[k] != 0;
    if (n_failed > 0)
        drop_messages(group);
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

/* Lists the flagged blocks with indicators in ascending order, and clears all flags. */
static int take_flags(wr_group_blocks *blocks)
{
    unsigned char *const flag = blocks->is_listed, *at = flag;
    int n = 0;
    while ((at = memchr(at, 1, (size_t)(flag + blocks->n - at))) != NULL) {
        const int b = (int)(at - flag);
        if (blocks->block[b].n_component > 0)
            blocks->list[n++] = b;
        *at++ = 0;
    }
    return n;
}

static int is_same(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

/* Returns whether states, discrete states and modes of components first to end - 1 are as at the stored point. */
static int are_same(const wr_group *group, const wr_group_point *point, int first, int end)
{
    const wr_group_blocks *const was = group->blocks;
    const int x = group->x_start[first], d = group->d_start[first], z = group->z_start[first];
    const size_t n_x = (size_t)(group->x_start[end] - x), n_d = (size_t)(group->d_start[end] - d);
    const size_t n_z = (size_t)(group->z_start[end] - z);
    return (n_x == 0 || is_same(point->x + x, was->x + x, n_x * sizeof *was->x)) &&
           (n_d == 0 || is_same(point->d + d, was->d + d, n_d * sizeof *was->d)) &&
           (n_z == 0 || is_same(point->mode + z, was->mode + z, n_z));
}

/* Flags the blocks that read changed components of a range. The function halves the range to find the changed components. */
static void flag_readers(const wr_group *group, const wr_group_point *point, int first, int end)
{
    const wr_group_blocks *const blocks = group->blocks;
    if (are_same(group, point, first, end))
        return;
    if (end - first > 1) {
        const int middle = first + (end - first) / 2;
        flag_readers(group, point, first, middle);
        flag_readers(group, point, middle, end);
        return;
    }
    for (int i = blocks->reader_start[first]; i < blocks->reader_start[first + 1]; i++)
        blocks->is_listed[blocks->reader[i]] = 1;
}

/* Returns whether the stored indicators have the same time, inputs and start values of loops as the point. */
static int is_known_here(const wr_group *group, const wr_group_point *point)
{
    int n_guess;
    const double *const guess = wr_group_guess(group, &n_guess);
    const wr_group_blocks *const blocks = group->blocks;
    return is_same(&blocks->t_s, &point->t_s, sizeof point->t_s) &&
           is_same(blocks->external, point->external, (size_t)group->n_external * sizeof(double)) &&
           is_same(blocks->guess, guess, (size_t)n_guess * sizeof(double));
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

void wr_group_keep_indicators(wr_group *group, const wr_group_point *point, const double *z)
{
    int n_guess;
    const double *const guess = wr_group_guess(group, &n_guess);
    wr_group_blocks *const blocks = group->blocks;
    if (!blocks)
        return;
    blocks->z = z;
    blocks->t_s = point->t_s;
    copy(blocks->x, point->x, (size_t)group->n_x * sizeof *blocks->x);
    copy(blocks->d, point->d, (size_t)group->n_d * sizeof *blocks->d);
    copy(blocks->external, point->external, (size_t)group->n_external * sizeof(double));
    copy(blocks->guess, guess, (size_t)n_guess * sizeof *guess);
    copy(blocks->mode, point->mode, (size_t)group->n_z);
}

void wr_group_forget_indicators(wr_group *group)
{
    if (group->blocks)
        group->blocks->z = NULL;
}

void wr_group_blocks_overwrite(wr_group *group, const double *z)
{
    if (group->blocks && group->blocks->z == z)
        group->blocks->z = NULL;
}

int wr_group_blocks_again(wr_group *group, const wr_group_point *point, double *ret_z)
{
    wr_group_blocks *const blocks = group->blocks;
    if (blocks->z != ret_z || !is_known_here(group, point))
        return WR_BLOCKS_UNKNOWN;
    flag_readers(group, point, 0, group->n_component);
    blocks->z = NULL; /* after a failed evaluation the array is not valid */
    const int rc = evaluate_list(group, take_flags(blocks), point, ret_z);
    if (rc == 0)
        wr_group_keep_indicators(group, point, ret_z);
    return rc;
}

int wr_group_blocks_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                           int n, double *ret_z)
{
    wr_group_blocks *const blocks = group->blocks;
    for (int k = 0; k < n; k++)
        blocks->is_listed[blocks->block_of[group->owner_z[indicator[k]]]] = 1;
    return evaluate_list(group, take_flags(blocks), point, ret_z);
}

/* The calls of all indicators at the prepared point. */
typedef struct call_job {
    const wr_group *group;
    double *ret_z;
    int n_part;
    atomic_int has_failed;
} call_job;

static void call_indicators(void *job_at, int i_part)
{
    call_job *const job = job_at;
    int n;
    const wr_call *const call = wr_group_indicator_calls(job->group, &n);
    const double t_s = job->group->values->at.t_s;
    const int end = first_of(n, job->n_part, i_part + 1);
    const wr_fp_mode mode = wr_fp_mode_get();
    for (int k = first_of(n, job->n_part, i_part); k < end; k++)
        if (call_now(&call[k], t_s, job->ret_z + call[k].start) != 0 || has_changed_mode(mode))
            /* relaxed: the end of share() releases has_failed to the owner */
            atomic_store_explicit(&job->has_failed, 1, memory_order_relaxed);
    wr_calling_now.call = NULL;
}

int wr_group_blocks_prepared(wr_group *group, double *ret_z)
{
    int n;
    (void)wr_group_indicator_calls(group, &n);
    const wr_group_blocks *const blocks = group->blocks;
    if (!is_shared_out(blocks, n, group->n_z))
        return 1;
    call_job job = {.group = group, .ret_z = ret_z, .n_part = count_parts(blocks, n)};
    blocks->helpers.share(blocks->helpers.team, job.n_part, call_indicators, &job);
    const int has_failed = atomic_load_explicit(&job.has_failed, memory_order_relaxed);
    if (has_failed)
        drop_messages(group);
    else
        group->values->n_indicator_value += group->n_z;
    return has_failed;
}

void wr_group_use_helpers(wr_group *group, const wr_group_helpers *helpers)
{
    if (group->blocks)
        group->blocks->helpers = *helpers;
}

/* ---- placing ---- */

/* Largest number of blocks times inputs and outputs of the group (assumed). Placing plans takes time of this order. Above the limit
 * number_blocks() merges blocks. */
static const double most_placing = 2e8;

/* Components joined to blocks (union-find). The lowest component of a set is the root of the set. */
typedef struct joiner {
    const wr_group *group;
    int *root;              /* [n_component] next component towards the root */
    unsigned char *is_seen; /* [n_y] 1: the search has put the output on the stack */
    int *stack;             /* [n_y] outputs whose inputs the search has not read yet */
    int *state_of,
        *reader; /* pairs: an indicator or output of component reader reads states of component state_of */
    int n_pair, cap_pair;
} joiner;

static int root_of(const joiner *j, int c)
{
    while (j->root[c] != c)
        c = j->root[c] = j->root[j->root[c]];
    return c;
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

/* If a state drives the input u of component c, adds a pair. If a computed output drives u, joins c to the component of the output. *n:
 * number of outputs on the stack. */
static int read_input(joiner *j, int c, int u, int *n)
{
    const int y = wr_group_driver(j->group, u);
    if (y < 0)
        return 0;
    if (j->group->state_of_output[y] >= 0)
        return add_pair(j, wr_group_owner_of_output(j->group, y), c);
    const int root_a = root_of(j, c), root_b = root_of(j, wr_group_owner_of_output(j->group, y));
    j->root[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
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

/* Numbers the blocks that have indicators or events, by their lowest component with indicators or events; -1: no block. Merges blocks
 * above the limit most_placing. Returns the number of blocks. */
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
    for (int c = n - 1; c >= 0; c--) { /* a root, the lowest component of a set, comes last */
        const int block = ret_block_of[root_of(j, c)];
        ret_block_of[c] = block < 0 ? -1 : (int)((int64_t)block * n_kept / n_block);
    }
    return n_kept;
}

/* Lists for each component the blocks that read its states, discrete states or modes. */
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

/* Lists the components with indicators, block after block. */
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
