/* The tasks that run until the next barrier.
 *
 * Thread: serial section writes, tasks read. Real-time: plain data.
 */
#ifndef WR_ENGINE_BATCH_H
#define WR_ENGINE_BATCH_H

#include "runtime/relax/engine_parts.h"

typedef struct wr_batch {
    int64_t number;       /* of batches so far */
    int n;                /* tasks */
    const int *run;       /* [n] their subsystems: some, or all of a level */
    int *some;            /* [n] memory of run if not all are active */
    int checks_early;     /* consumers are checked as soon as their producers have integrated */
    double *expected;     /* [n] ns, by position */
    int *order;           /* [n] positions, the longest task first */
    int *preferred;       /* [n] workers, by position */
    double *busy;         /* [n_worker] scratch */
    int timing;           /* weight of measured times; 0: nothing is measured */
    int64_t *task_ns;     /* [n] wall time of the tasks */
    int64_t *notified_in; /* [n] last batch whose changes a consumer got */
    atomic_int is_failed; /* a status is negative (relaxed: the barrier passes it on) */
} wr_batch;

/* Number under which tasks of the present batch publish. Serial code after the batch uses the next number. */
static inline int64_t wr_batch_number(const wr_engine *e) { return 2 * e->batch->number; }
static inline void wr_batch_show(const wr_engine *e, int i, const wr_wave *wave)
{
    wr_publish(&e->waves[i].publication, wave, wr_batch_number(e) + 1);
}

/* The wave of subsystem i that tasks of the present batch read. */
static inline const wr_wave *wr_batch_read_of(const wr_engine *e, int i)
{
    return wr_publication_before(&e->waves[i].publication, wr_batch_number(e));
}

#endif
