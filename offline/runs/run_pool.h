/* Runs processes, at most n_job at a time, until all runs are done or a signal or an error stops the pool.
 *
 * A process is a fork of the pool's process, which must have one thread. If the pool's process ends, the kernel kills its children.
 * Children block SIGINT and SIGHUP, which a terminal sends to all processes. Instead, the pool sends SIGTERM to each child.
 *
 * After the first SIGINT, SIGTERM or SIGHUP no run begins, and running processes receive SIGTERM. The second signal kills the running
 * processes. The pool does not handle signals that the process ignores (nohup).
 *
 * Thread: main; one at a time. Real-time: no. */
#ifndef WR_RUN_POOL_H
#define WR_RUN_POOL_H

#include "base/check.h"

typedef struct wr_run_pool {
    int n_job; /* largest number of processes at a time, at least 1 */
    void *context;
    int (*next)(void *context); /* returns the next run, >= 0; -1: all runs have begun */
    /* performs a run in its own process; returns the exit code */
    int (*child)(void *context, int i_run);
    /* receives the end of a run with its status of waitpid(); after a negative result no run begins */
    wrsim_status (*ended)(void *context, int i_run, int wait_status, double wall_s);
    /* function that the pool calls at least every 0.2 s, and after the end of a process */
    void (*tick)(void *context, int n_live);
    /* Results: */
    int stop_signal;     /* last signal that stopped the pool; 0: none */
    double wall_s;       /* wall time of wr_run_pool_run(), s */
    double occupied_s;   /* integral of the number of running processes over wall time, s */
    double processor_s;  /* CPU time of ended processes, s */
    wrsim_status status; /* status of the first failure */
} wr_run_pool;

/* Runs all runs. Returns after the end of all processes. Returns WRSIM_OK, also after a stop; the status of ended(); WRSIM_E_MEMORY; or
 * WRSIM_E_INTERNAL with err if the system creates no process. */
wrsim_status wr_run_pool_run(wr_run_pool *pool, wrsim_error *err);

/* Runs one process without handling signals. Returns the process's status of waitpid(), or -1 without a process. */
int wr_run_pool_one(int (*child)(void *context, int i_run), void *context);

#endif
