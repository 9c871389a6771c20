/* A team of pinned threads that run opaque work. It knows nothing of ODEs.
 *
 * A team runs one function on all its workers at once (SPMD); inside, workers meet at barriers and
 * claim tasks of a shared batch. Whatever is claimed by whom must not matter for the results.
 *
 * Thread: create/run/destroy by the owner; the rest by workers inside wr_team_run.
 * Real-time: barrier, claiming, and what serial code sets between batches; wr_team_run where worker 0 is pinned, with
 * system calls. The rest is setup.
 */
#ifndef WR_TEAM_H
#define WR_TEAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"
#include "base/memory.h"

typedef struct wr_team wr_team;

typedef struct wr_team_options {
    int n_worker;   /* >= 1 */
    const int *cpu; /* [n_worker] OS CPU numbers to pin to, -1 = leave unpinned */
    double spin_us; /* how long to spin before sleeping */
    int is_sharing; /* wr_team_share() is going to be called: workers spin for spin_us between runs, too, and
                                worker 0 keeps to its own CPU when it is alone in a run */
    const wr_memory *memory; /* that its own lies in, copied; NULL: the system's */
} wr_team_options;

typedef struct wr_worker_stats {
    int64_t busy_ns; /* in tasks (wr_team_claim to the next claim), as far as they are timed */
    int64_t
        wait_ns; /* at barriers and for workers whose tasks one would take, as far as they are timed, and worker 0 at the end of runs */
    int64_t n_task;
    int64_t n_sleep; /* waits that ended up sleeping */
    int is_pinned;   /* pinning asked for and granted */
} wr_worker_stats;

/* Starts n_worker - 1 threads and pins them. The caller is worker 0: it is pinned in wr_team_run only, and has its own
 * affinity otherwise. Workers block all asynchronous signals. With more workers than CPUs nobody spins. A refused pin is not an
 * error: is_pinned tells. NULL when threads or memory cannot be had. */
wr_team *wr_team_create(const wr_team_options *options);
/* Joins the threads. By any thread, outside wr_team_run. */
void wr_team_destroy(wr_team **team);

/* Runs work(context, i_worker) on workers 0 .. n_active - 1 at once and returns when all have
 * returned; the others sleep. Who is alone in it may use the CPUs of all workers. 1 <= n_active <= n_worker. By any one thread at a time, which is worker 0 meanwhile and
 * has its affinity back afterwards: three system calls where it is pinned. Inside of work floating-point numbers
 * are rounded to nearest, and denormal ones are zero (base/fp_mode.h). */
void wr_team_run(wr_team *team, int n_active, void (*work)(void *context, int i_worker),
                 void *context);

/* All active workers meet. The last to arrive runs serial(context), if not NULL, before anybody
 * goes on: what it writes is seen by all. Spins briefly, then sleeps. */
void wr_team_barrier(wr_team *team, int i_worker, void (*serial)(void *context), void *context);

/* A batch of tasks 0 .. n_task - 1. The n_first first in order[] (NULL: by number) go to whoever comes. The
 * others are shared out: workers 0 .. n_range - 1 (of those that the team has; < 1 counts as 1) each have as
 * many that follow one another, and take from others what is left there when they have none of their own.
 *
 * But where there is preferred[], of at most WR_TEAM_PREFERRED tasks, preferred[task] is the worker that should have the
 * task: it takes its own first, and others take them when they have no more of their own and it is busy or
 * does not come. */
typedef struct wr_team_tasks {
    int n_task, n_first, n_range;
    const int *order,
        *preferred; /* [n_task] or NULL; order must stay as it is while the batch lasts */
} wr_team_tasks;
enum { WR_TEAM_PREFERRED = 64 };

/* Sets the batch: in serial code only, outside wr_team_run or in serial() of a barrier. */
void wr_team_batch(wr_team *team, const wr_team_tasks *tasks);

/* Hands out the tasks of the batch, each exactly once; -1 when nothing is left. */
int wr_team_claim(wr_team *team, int i_worker);

/* The task that this worker is likely to have after the one claimed last; -1: not known. */
int wr_team_next(const wr_team *team, int i_worker);

/* Calls work(context, i_part) once for each part 0 .. n_part - 1: by the calling worker, from the first part on, and by
 * workers outside the run, from the last part on. Returns when all calls have returned. A worker that does not wake in
 * time gets no part, so the caller waits only for parts that have begun. What the caller wrote before, each call sees;
 * what the calls wrote, the caller sees afterwards. By one worker at a time, inside wr_team_run. n_part <= WR_TEAM_PARTS. */
enum { WR_TEAM_PARTS = 65535 };
void wr_team_share(wr_team *team, int n_part, void (*work)(void *context, int i_part),
                   void *context);

/* From now on tasks and barriers are timed, and what they take counts `weight` times in the
 * statistics; ret_task_ns[task] is how long each task of a batch took, once (NULL = not wanted).
 * weight 0: nothing is timed, which saves a reading of the clock per task. A new team times all. In
 * serial code only. */
void wr_team_time(wr_team *team, int weight, int64_t *ret_task_ns);

/* Statistics; valid between runs. */
const wr_worker_stats *wr_team_stats(const wr_team *team, int i_worker);
int wr_team_size(const wr_team *team);

#endif
