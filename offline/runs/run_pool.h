/* Runs processes, a given number at a time, until all runs are done or a signal stops them.
 *
 * A process is a fork of this one, which must have one thread. If this process ends, the kernel kills its children.
 * SIGINT and SIGHUP, which a terminal sends to all, are blocked in children; this process ends each once with
 * SIGTERM.
 *
 * After the first SIGINT, SIGTERM or SIGHUP no run begins, and running ones are asked to stop; the second signal
 * kills them. Signals that are already ignored (nohup) stay ignored.
 *
 * Thread: main; one at a time. Real-time: no. */
#ifndef WR_RUN_POOL_H
#define WR_RUN_POOL_H

#include "base/check.h"

typedef struct wr_run_pool {
    int n_job; /* largest number of processes at a time, at least 1 */
    void *context;
    int (*next)(void *context); /* returns the next run, >= 0; -1: all are started */
    /* called in the process of a run; returns its exit code */
    int (*child)(void *context, int i_run);
    /* Called when a run has ended, with its status of waitpid(). After a negative result no further run begins. */
    wrsim_status (*ended)(void *context, int i_run, int wait_status, double wall_s);
    /* called a few times per second, and when a process has ended */
    void (*tick)(void *context, int n_live);
    /* Results: */
    int stop_signal;     /* signal that has stopped the pool; 0: none */
    double wall_s;       /* wall time since the start, s */
    double occupied_s;   /* integral of the number of running processes over wall time, s */
    double processor_s;  /* CPU time of ended processes, s */
    wrsim_status status; /* status of the first failure */
} wr_run_pool;

/* Returns when all processes have ended. WRSIM_OK, also after a stop; else the status of ended(), WRSIM_E_MEMORY, or
 * WRSIM_E_INTERNAL with err if no process can be created. */
wrsim_status wr_run_pool_run(wr_run_pool *pool, wrsim_error *err);

/* Runs one process without handling signals. Returns its status of waitpid(); -1: no process could be created. */
int wr_run_pool_one(int (*child)(void *context, int i_run), void *context);

#endif
