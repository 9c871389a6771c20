/* The tasks that run until the next barrier. engine_batch.c, engine_sweep.c and engine_ahead.c write the object.
 *
 * Thread: serial section; wr_batch_set_failed(): tasks, too. Real-time: yes after placing. */
#ifndef WR_ENGINE_BATCH_H
#define WR_ENGINE_BATCH_H

#include "runtime/relax/engine_parts.h"

typedef struct wr_batch {
    int64_t number; /* number of the present batch, from 1 */
    int n;          /* number of tasks */
    int n_ahead;    /* number of further tasks, which integrate the next window (engine_ahead.h) */
    const int
        *run;  /* [n + n_ahead] subsystems of the tasks: `some`, or all subsystems of a level */
    int *some; /* [n + n_ahead] memory for `run` */
    int checks_early; /* the engine checks consumers as soon as their producers have integrated */
    /* [n + n_ahead] expected or measured time, or cost of points, of each task in `run`, ns */
    double *expected;
    int *order;       /* [n + n_ahead] indices in `run`, long tasks first */
    int *preferred;   /* [n + n_ahead] preferred worker of each task in `run` */
    double *busy;     /* [n_worker] scratch */
    int timing;       /* number of windows that each measured time represents; 0: no measurement */
    int64_t *task_ns; /* [n + n_ahead] wall time of the tasks */
    /* 1: a task has failed or stopped early, or a commit of rows has failed (relaxed: the barrier orders this flag) */
    atomic_int is_failed;
} wr_batch;

/* Places the batch. Returns 0, or -1 when the arena is exhausted. */
int wr_batch_place(wr_batch *batch, wr_arena *arena, int n, int n_worker);

/* Begins a window: decides whether the batch measures the window's tasks. */
void wr_batch_begin_window(wr_engine *engine);

/* Assigns the tasks to workers, and starts them after the serial section. */
void wr_batch_start(wr_engine *engine);

/* Adds lower bounds to the counters: on the wall time of a measured batch, and with counts_points on the cost of points of each batch. */
void wr_batch_count(wr_engine *engine);

/* Visits the number of batches (base/state_io.h). */
static inline void wr_batch_state(wr_batch *b, wr_state_io *io) { WR_STATE(io, b->number); }

static inline void wr_batch_set_failed(wr_batch *b, int is_failed)
{
    atomic_store_explicit(&b->is_failed, is_failed, memory_order_relaxed);
}

static inline int wr_batch_is_failed(const wr_batch *b)
{
    return atomic_load_explicit(&b->is_failed, memory_order_relaxed);
}

/* Returns the number under which tasks of the present batch publish. Serial code after the batch uses the next number. */
static inline int64_t wr_batch_number(const wr_engine *e) { return 2 * e->batch->number; }
static inline void wr_batch_show(const wr_engine *e, int i, const wr_wave *wave)
{
    wr_publish(&e->waves[i].publication, wave, wr_batch_number(e) + 1);
}

#endif
