/* So many processes at a time, one for each run, until there are no more runs or a signal stops them.
 *
 * A process is a fork of this one, which must have one thread. If this one ends, in whatever way, the kernel kills them. SIGINT and
 * SIGHUP, which a terminal sends to all, are blocked in them: it is this process that ends them, once, with SIGTERM.
 *
 * The first SIGINT, SIGTERM or SIGHUP: no run begins any more, and those under way are asked to stop; the second one kills them.
 * What is ignored already (nohup) stays so.
 *
 * Thread: main; one at a time. Real-time: no.
 */
#ifndef WR_RUN_POOL_H
#define WR_RUN_POOL_H

#include "base/check.h"

typedef struct wr_run_pool {
    int n_job; /* processes at a time, at least 1 */
    void *context;
    int (*next)(void *context);             /* the next run, >= 0; -1: there is none */
    int (*child)(void *context, int i_run); /* in its process; returns the exit code */
    /* Back here: what waitpid() said. A negative status: no further run begins. */
    wrsim_status (*ended)(void *context, int i_run, int wait_status, double wall_s);
    void (*tick)(void *context, int n_live); /* a few times a second, and when anything has ended */
    /* filled: */
    int stop_signal;     /* what has stopped it; 0: nothing */
    double wall_s;       /* since the start, s */
    double occupied_s;   /* live processes, integrated over it */
    double processor_s;  /* what those that have ended have used */
    wrsim_status status; /* of the first failure */
} wr_run_pool;

/* Returns when no process is left. WRSIM_OK, also when stopped; else what ended() has returned, WRSIM_E_MEMORY, or
 * WRSIM_E_INTERNAL with err where not even one process can be made. */
wrsim_status wr_run_pool_run(wr_run_pool *pool, wrsim_error *err);

/* The same for one process, without a signal's being caught. What waitpid() says; -1: there is none. */
int wr_run_pool_one(int (*child)(void *context, int i_run), void *context);

#endif
