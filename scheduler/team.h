/* A team of pinned threads that execute functions, independent of ODEs.
 *
 * A team runs one function on all its workers at once (SPMD). Within the function, workers meet at barriers and claim tasks of a
 * shared batch. Results must not depend on which worker claims a task.
 *
 * Thread: create by the owner; run and destroy by any thread, one at a time; barrier, claim, next and share by workers within wr_team_run;
 * batch and time in serial code. Real-time: barriers, claiming and sharing tasks, and settings of serial code between batches; also
 * wr_team_run, with system calls if worker 0 is pinned. All other functions are setup.
 */
#ifndef WR_TEAM_H
#define WR_TEAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"
#include "base/memory.h"

typedef struct wr_team wr_team;

typedef struct wr_team_options {
    int n_worker;   /* number of workers, >= 1 */
    const int *cpu; /* [n_worker] OS CPU number of each worker; -1: not pinned */
    double spin_us; /* time to spin before sleeping, us */
    /* 1: wr_team_share() is allowed. Workers then spin for spin_us between runs, otherwise for at most 50 us. Worker 0 stays on its CPU
     * in a run without other workers. */
    int is_sharing;
    const wr_memory *memory; /* source of the team's memory, copied; NULL: the system */
} wr_team_options;

typedef struct wr_worker_stats {
    int64_t
        busy_ns; /* timed wall time in tasks, from a claim to the next claim, barrier or end of the function */
    /* timed wall time at barriers and in waits for other workers' tasks; for worker 0 also at the end of runs */
    int64_t wait_ns;
    int64_t n_task;
    int64_t n_sleep; /* waits at barriers and ends of runs in which the thread slept */
    int is_pinned;   /* 1: the system has granted a requested pin */
} wr_worker_stats;

/* Starts n_worker - 1 threads and pins them to CPUs. The caller is worker 0, which is pinned within wr_team_run only. The threads block
 * all signals except signals of their own faults. A run with more active workers than CPUs, or with two workers pinned to one CPU, does
 * not spin. A refused pin is no error (see is_pinned). Returns NULL without threads or memory. */
wr_team *wr_team_create(const wr_team_options *options);
/* Ends the threads. Thread: any, outside wr_team_run. */
void wr_team_destroy(wr_team **team);

/* Runs work(context, i_worker) on workers 0 .. n_active - 1 at once and returns when all calls have returned. Without is_sharing a
 * single active worker may use the CPUs of all workers. 1 <= n_active <= n_worker. Thread: one at a time, which is worker 0 during the
 * call. If worker 0 is pinned, three system calls set and restore its affinity. During work, rounding is to nearest and denormal numbers
 * are zero (base/fp_mode.h). */
void wr_team_run(wr_team *team, int n_active, void (*work)(void *context, int i_worker),
                 void *context);

/* Waits for all active workers, spinning, then sleeping. The last worker runs serial(context), if not NULL, before any worker continues.
 * All earlier writes are then visible to all active workers. */
void wr_team_barrier(wr_team *team, int i_worker, void (*serial)(void *context), void *context);

/* A batch of tasks 0 .. n_task - 1. All workers share the first n_first tasks of order[] (NULL: by number). The other tasks are divided
 * into n_range contiguous ranges for workers 0 .. n_range - 1 (limited to the team's size; < 1 counts as 1). A worker without own tasks
 * claims tasks from other ranges. With preferred[], for at most WR_TEAM_PREFERRED tasks, preferred[task] is the best worker of a task;
 * n_first and n_range have no effect. Each worker claims its own tasks first. A worker without own tasks claims a task of another worker
 * if that worker is busy or absent. */
typedef struct wr_team_tasks {
    int n_task, n_first, n_range;
    const int *order; /* [n_task] order of the tasks, constant during the batch; NULL: by number */
    const int *preferred; /* [n_task] best worker of each task; NULL: no preference */
} wr_team_tasks;
enum { WR_TEAM_PREFERRED = 64 };

/* Sets the batch. Only serial code may call the function: outside wr_team_run or in serial() of a barrier. */
void wr_team_batch(wr_team *team, const wr_team_tasks *tasks);

/* Returns the next task of the batch for this worker, or -1 if all tasks are claimed. The calls return each task exactly once. */
int wr_team_claim(wr_team *team, int i_worker);

/* Returns the likely next task of this worker after the task claimed last, or -1 if unknown. */
int wr_team_next(const wr_team *team, int i_worker);

/* Calls work(context, i_part) once for each part 0 .. n_part - 1. The calling worker begins with the first part. Other workers except
 * worker 0 help if they are outside the run or their function has returned, and begin with the last part. Returns when all calls have
 * returned. A worker that does not wake in time gets no part, so the caller waits only for parts that have begun. Earlier writes of the
 * caller are visible to each call, and all writes of the calls are visible to the caller afterwards. Thread: one worker at a time, inside
 * wr_team_run. n_part <= WR_TEAM_PARTS. */
enum { WR_TEAM_PARTS = 65535 };
void wr_team_share(wr_team *team, int n_part, void (*work)(void *context, int i_part),
                   void *context);

/* Sets the timing of tasks and barriers from now on: times count `weight` times in the statistics, except waits at the end of runs.
 * ret_task_ns[task] receives the unweighted time of each task, ns; NULL: no such times. weight 0: no timing, which saves a clock reading
 * per task. A new team times all tasks and barriers. Only serial code may call the function. */
void wr_team_time(wr_team *team, int weight, int64_t *ret_task_ns);

/* Sets the function that receives each timed wait of wr_worker_stats.wait_ns, without its weight: the worker, and start and end by
 * CLOCK_MONOTONIC, ns. The function runs on the waiting worker. NULL: no function. Only the owner may call this function, between runs. */
void wr_team_set_wait(wr_team *team,
                      void (*wait)(void *context, int i_worker, int64_t start_ns, int64_t end_ns),
                      void *context);

/* Returns the statistics of a worker, which are valid between runs. */
const wr_worker_stats *wr_team_stats(const wr_team *team, int i_worker);
int wr_team_size(const wr_team *team);

#endif
