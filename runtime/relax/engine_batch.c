/* Batches of tasks. See engine_batch.h. Thread: as in engine_batch.h. Real-time: yes after placing. */
#include "runtime/relax/engine_batch.h"

#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_stats.h"
#include "scheduler/placement.h"
#include "scheduler/team.h"

/* Below this work per subsystem and window, in work units, the batch measures the first SAMPLE windows, then each SAMPLEth window (both
 * assumed). Reading the clock takes as long as two or three work units. With an observer the batch measures each window. */
static const double TIMED_WORK = 250.0;
enum { SAMPLE = 16 };

int wr_batch_place(wr_batch *b, wr_arena *arena, int n, int n_worker)
{
    b->some = WR_NEW_ARRAY(arena, int, n);
    b->order = WR_NEW_ARRAY(arena, int, n);
    b->preferred = WR_NEW_ARRAY(arena, int, n);
    b->task_ns = WR_NEW_ARRAY(arena, int64_t, n);
    const int is_out =
        WR_NEW_DOUBLES(arena, n, &b->expected) | WR_NEW_DOUBLES(arena, n_worker, &b->busy);
    return b->some && b->order && b->preferred && b->task_ns && !is_out ? 0 : -1;
}

void wr_batch_begin_window(wr_engine *e)
{
    const int64_t n = e->stats->n_window;
    const int is_each =
        e->host_observer || n < SAMPLE || e->load->work_per_window >= TIMED_WORK * e->n;
    e->batch->timing = is_each ? 1 : n % SAMPLE == 0 ? SAMPLE : 0;
    wr_team_time(e->team, e->batch->timing, e->batch->task_ns);
}

void wr_batch_start(wr_engine *e)
{
    wr_batch *const b = e->batch;
    wr_team_tasks tasks = {.n_task = b->n + b->n_ahead, .n_range = e->load->n_active_worker};
    if (e->load->n_active_worker > 1) {
        for (int k = 0; k < b->n + b->n_ahead; k++) {
            const wr_record *const r = &e->record[b->run[k]];
            b->expected[k] = (double)(k < b->n ? r->expected_ns : r->next_expected_ns);
            b->preferred[k] = r->i_worker;
        }
        wr_placement placement = {.n_task = b->n + b->n_ahead,
                                  .n_worker = e->load->n_active_worker,
                                  .expected = b->expected,
                                  .order = b->order,
                                  .worker = b->preferred,
                                  .busy = b->busy};
        wr_placement_make(&placement);
        tasks.order = b->order;
        tasks.n_first = placement.n_first;
        tasks.preferred = placement.has_preferred ? b->preferred : NULL;
    }
    wr_team_batch(e->team, &tasks);
}

/* Adds the bounds by the cost of points. Points outside of tasks, such as requests and the error account, count with the next task. */
static void count_points(const wr_engine *e)
{
    const wr_batch *const b = e->batch;
    const int n = b->n + b->n_ahead;
    for (int k = 0; k < n; k++)
        b->expected[k] = 1e9 * e->record[b->run[k]].point_s;
    wr_placement_add_bound(e->stats->bound_point_s, n, b->expected, 1, b->order);
}

void wr_batch_count(wr_engine *e)
{
    wr_batch *const b = e->batch;
    const int n = b->n + b->n_ahead;
    for (int k = 0; k < n && b->timing > 0; k++)
        b->expected[k] = (double)b->task_ns[k];
    if (b->timing > 0)
        wr_placement_add_bound(e->stats->bound_wall_s, n, b->expected, b->timing, b->order);
    if (e->options.counts_points)
        count_points(e);
}
