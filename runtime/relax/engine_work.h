/* The engine's state: one record per subsystem, and the objects that the serial section works on.
 *
 * A task writes only the record of its own subsystem. The serial section between two batches (run by the last worker to
 * arrive at the barrier) reads all records and writes everything else. With one worker, part of the serial section runs
 * between two tasks (wr_engine_check_early).
 *
 * Thread: see above. Real-time: plain data.
 */
#ifndef WR_ENGINE_WORK_H
#define WR_ENGINE_WORK_H

#include "runtime/relax/account.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_options.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/prefetch.h"
#include "scheduler/crew.h"
#include "scheduler/team.h"
#include "wrsim/observer.h"

/* The tasks that run until the next barrier. */
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
    atomic_int is_failed; /* a status is negative (relaxed: the barrier passes it on) */
} wr_batch;

/* Numbers for the window rule, [n] each. */
typedef struct wr_measured {
    double *prediction_error, *n_rhs, *step_rhs, *work;
    unsigned char *restarts;
} wr_measured;

struct wr_engine {
    wr_engine_options options;
    wr_observer *observer;               /* the first */
    const wrsim_observer *host_observer; /* NULL: none */
    wr_team *team;
    int n;
    wr_run *run; /* [n] */
    wr_net net;
    wr_control control;
    wr_window rule; /* length of windows */
    wr_window_now window;
    wr_lone lone;
    wr_sweep sweep;
    wr_batch batch;
    wr_contraction contraction;
    wr_mix mix;
    wr_loops loops;
    struct wr_slope *slope;     /* engine_slope.c */
    wr_phase *phase;            /* NULL if there is no period */
    wr_account *account;        /* NULL: one subsystem */
    int64_t *notified_in_batch; /* [n] last batch whose changes a consumer got */
    wr_measured measured;
    wr_prefetch *prefetch; /* [n] */
    int is_large;          /* models exceed the caches: workers prefetch */
    int n_active_worker;
    wr_crew crew;
    int64_t noted_ns;    /* time up to which the crew has the work of windows */
    double unnoted_work; /* work units since then */
    double expected_sweeps, work_per_window;
    wr_engine_stats stats;
};

/* Number under which tasks of the present batch publish. Serial code after the batch uses the next number. */
static inline int64_t wr_engine_number(const wr_engine *e) { return 2 * e->batch.number; }
static inline void wr_engine_show(const wr_engine *e, wr_run *p, const wr_wave *wave)
{
    wr_publish(&p->publication, wave, wr_engine_number(e) + 1);
}

/* The wave of subsystem i that tasks of the present batch read. */
static inline const wr_wave *wr_engine_read_of(const wr_engine *e, int i)
{
    return wr_publication_before(&e->run[i].publication, wr_engine_number(e));
}

static inline int wr_engine_level_of(const wr_engine *e, const wr_run *p)
{
    return e->options.is_gauss_seidel ? p->link->level : 0;
}

/* Is the effect of each input change estimated? Acceleration judges the whole iterate instead. */
static inline int wr_engine_has_estimates(const wr_engine *e) { return !e->mix.method; }

#endif
