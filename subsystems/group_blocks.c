/* Event blocks: indicators of a large group in parts that have nothing to do with one another.
 *
 * Two components are in one block if the indicators of one of them, or what these read, call the other: the connected
 * components of the event incidence X -> Z, U -> Z of Ben Khaled et al. (2013), section 5.2 and Fig. 19, taken over components because
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
 *   - all others, and the ends of steps, are shared out to threads where there are any (group_threads.h).
 *
 * All of it is for groups with at least so many indicators as the one threshold says, and a parallel region for at least
 * so many at once. Threads: wr_group_use_threads(). Every block is evaluated by one thread, and what fails is looked for
 * again, in order, by one: results have the same bits with any number of threads, and without blocks.
 *
 * Thread: one owner; others meanwhile as above. Real-time: yes after placing, with one thread; a team of several may allocate.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fp_mode.h"
#include "base/module.h"
#include "subsystems/group_threads.h"
#include "subsystems/group_work.h"

int wr_group_n_block(const wr_group *group)
{
    return group->work->blocks ? group->work->blocks->n : 0;
}

int wr_group_n_thread(const wr_group *group)
{
    return group->work->blocks ? group->work->blocks->n_thread : 1;
}

const wr_plan *wr_group_block_event(const wr_group *group, int c)
{
    const wr_group_blocks *const blocks = group->work->blocks;
    return blocks->block[blocks->block_of[c]].event;
}

/* Times are only written where they are others, as they seldom are: a line that is not written stays in the caches of
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
        wr_calling_now.call = &caller->algebra;
        rc = caller->model->algebra(&caller->instance, &caller->point, work->w + group->w_start[c]);
        wr_calling_now.call = NULL;
        caller->point.w = work->w + group->w_start[c];
    }
    for (int i = 0; i < block->n_component && rc == 0; i++) {
        const int c = block->component[i];
        wr_caller *const caller = &work->caller[c];
        double *const z = ret_z + group->z_start[c];
        caller->point.t_s = t_s;
        wr_calling_begin(caller->name, "indicator", t_s);
        rc = caller->model->indicator(&caller->instance, &caller->point, z) != 0;
        wr_calling_end();
        rc = rc || !is_finite(z, group->z_start[c + 1] - group->z_start[c]);
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
    wr_calling_now.call = NULL;
    wr_copy_all(&plan->last, work->y, work->u);
    return call_block(group, block, ret_z);
}

/* Is a team worth it, for n things with n_z indicators? */
static inline int is_shared_out(const wr_group_blocks *blocks, int n, int n_z)
{
    return blocks->n_thread > 1 && n > 1 && n_z >= blocks->least;
}

/* Blocks of the list that one thread evaluates. */
typedef struct list_part {
    const wr_group *group;
    const wr_group_point *point;
    double *ret_z;
} list_part;

static void run_listed(void *part_at, int first, int end)
{
    const list_part *const part = part_at;
    const wr_group_blocks *const blocks = part->group->work->blocks;
    for (int k = first; k < end; k++) {
        const wr_event_block *const block = &blocks->block[blocks->list[k]];
        blocks->rc[k] =
            block->is_alone ? 0 : run_block(part->group, block, part->point, part->ret_z);
    }
}

static void run_listed_in_thread(void *part_at, int first, int end)
{
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
    run_listed(part_at, first, end);
    wr_fp_mode_restore(before);
}

/* The first n blocks listed, n_z indicators. What each writes belongs to it only. */
static void run_list(const wr_group *group, int n, int n_z, const wr_group_point *point,
                     double *ret_z)
{
    const wr_group_blocks *const blocks = group->work->blocks;
    list_part part = {group, point, ret_z};
    if (is_shared_out(blocks, n, n_z))
        blocks->threads->share(blocks->n_thread, n, run_listed_in_thread, &part);
    else
        run_listed(&part, 0, n);
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

/* Are states, discrete states and modes of components first to end - 1 what they were? */
static int are_same(const wr_group *group, const wr_group_point *point, int first, int end)
{
    const wr_group_blocks *const was = group->work->blocks;
    const int x = group->x_start[first], d = group->d_start[first], z = group->z_start[first];
    const size_t n_x = (size_t)(group->x_start[end] - x), n_d = (size_t)(group->d_start[end] - d);
    const size_t n_z = (size_t)(group->z_start[end] - z);
    return (n_x == 0 || is_same(point->x + x, was->x + x, n_x * sizeof *was->x)) &&
           (n_d == 0 || is_same(point->d + d, was->d + d, n_d * sizeof *was->d)) &&
           (n_z == 0 || is_same(point->mode + z, was->mode + z, n_z));
}

/* Flags the blocks that read one of these components, or all of whose changes are found by halves. */
static void flag_readers(const wr_group *group, const wr_group_point *point, int first, int end)
{
    const wr_group_blocks *const blocks = group->work->blocks;
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

/* Is what is known of the point's time, inputs, and loops? */
static int is_known_here(const wr_group *group, const wr_group_point *point)
{
    const wr_group_work *const work = group->work;
    const wr_group_blocks *const blocks = work->blocks;
    return is_same(&blocks->t_s, &point->t_s, sizeof point->t_s) &&
           is_same(blocks->external, point->external, (size_t)group->n_external * sizeof(double)) &&
           is_same(blocks->guess, work->guess, (size_t)work->n_guess * sizeof(double));
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

void wr_group_keep_indicators(wr_group *group, const wr_group_point *point, const double *z)
{
    const wr_group_work *const work = group->work;
    wr_group_blocks *const blocks = work->blocks;
    if (!blocks)
        return;
    blocks->z = z;
    blocks->t_s = point->t_s;
    copy(blocks->x, point->x, (size_t)group->n_x * sizeof *blocks->x);
    copy(blocks->d, point->d, (size_t)group->n_d * sizeof *blocks->d);
    copy(blocks->external, point->external, (size_t)group->n_external * sizeof(double));
    copy(blocks->guess, work->guess, (size_t)work->n_guess * sizeof *blocks->guess);
    copy(blocks->mode, point->mode, (size_t)group->n_z);
}

void wr_group_forget_indicators(wr_group *group)
{
    if (group->work->blocks)
        group->work->blocks->z = NULL;
}

void wr_group_blocks_overwrite(wr_group *group, const double *z)
{
    if (group->work->blocks && group->work->blocks->z == z)
        group->work->blocks->z = NULL;
}

int wr_group_blocks_again(wr_group *group, const wr_group_point *point, double *ret_z)
{
    wr_group_blocks *const blocks = group->work->blocks;
    if (blocks->z != ret_z || !is_known_here(group, point))
        return WR_BLOCKS_UNKNOWN;
    flag_readers(group, point, 0, group->n_component);
    blocks->z = NULL; /* should anything fail */
    const int rc = evaluate_list(group, take_flags(blocks), point, ret_z);
    if (rc == 0)
        wr_group_keep_indicators(group, point, ret_z);
    return rc;
}

int wr_group_blocks_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                           int n, double *ret_z)
{
    wr_group_blocks *const blocks = group->work->blocks;
    for (int k = 0; k < n; k++)
        blocks->is_listed[blocks->block_of[group->owner_z[indicator[k]]]] = 1;
    return evaluate_list(group, take_flags(blocks), point, ret_z);
}

/* Calls of indicators that one thread makes. */
typedef struct call_part {
    const wr_group_work *work;
    double *ret_z;
    atomic_int has_failed;
} call_part;

static void call_indicators(void *part_at, int first, int end)
{
    call_part *const part = part_at;
    const wr_call *const call = part->work->indicator;
    const double t_s = part->work->at.t_s;
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
    for (int k = first; k < end; k++)
        if (call_now(&call[k], t_s, part->ret_z + call[k].start) != 0)
            /* relaxed: the end of share() releases it to the owner. */
            atomic_store_explicit(&part->has_failed, 1, memory_order_relaxed);
    wr_calling_now.call = NULL;
    wr_fp_mode_restore(before);
}

int wr_group_blocks_prepared(wr_group *group, double *ret_z)
{
    const wr_group_work *const work = group->work;
    const wr_group_blocks *const blocks = work->blocks;
    if (!is_shared_out(blocks, work->n_indicator, group->n_z))
        return 1;
    call_part part = {.work = work, .ret_z = ret_z};
    blocks->threads->share(blocks->n_thread, work->n_indicator, call_indicators, &part);
    const int has_failed = atomic_load_explicit(&part.has_failed, memory_order_relaxed);
    if (!has_failed)
        group->work->n_indicator_value += group->n_z;
    return has_failed;
}

void wr_group_use_threads(wr_group *group, int n_thread)
{
    wr_group_blocks *const blocks = group->work->blocks;
    if (!blocks)
        return;
    blocks->threads = n_thread > 1 ? wr_module_load(WR_MODULE_OPENMP, NULL) : NULL;
    blocks->n_thread = blocks->threads ? blocks->threads->count(n_thread) : 1;
}
