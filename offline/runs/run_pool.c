/* A pool of processes. See run_pool.h. Thread: main. Real-time: no. */
#include "offline/runs/run_pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"

enum { TICK_NS = 200000000 }; /* longest time between two ticks, ns (assumed) */

typedef struct job {
    pid_t pid; /* 0: no process */
    int i_run;
    int64_t begin_ns;
} job;

typedef struct state {
    wr_run_pool *pool;
    job *job; /* [n_job] running processes */
    int n_live, is_ending;
    int64_t last_ns;
    sigset_t waited, before; /* signals that the pool waits for, and the original mask */
    struct sigaction child_before;
} state;

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

/* Makes the kernel kill the present process, a child, when its parent ends. */
static void follow_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(EXIT_FAILURE);
}

/* Performs a run, and ends the process with the exit code of the run. */
static void run_child(int (*child)(void *context, int i_run), void *context, int i_run)
{
    const int code = child(context, i_run);
    fflush(NULL);
    _exit(code);
}

/* Starts a process. Returns 0, or -1 if the system refuses to create a process. */
static int start(state *s, job *j, int i_run)
{
    const pid_t parent = getpid();
    fflush(NULL); /* without the flush both processes would write the buffered text */
    *j = (job){.i_run = i_run, .begin_ns = wr_clock_monotonic_ns()};
    const pid_t pid = fork();
    if (pid == 0) {
        sigset_t mask = s->before;
        follow_parent(parent);
        sigaddset(&mask, SIGINT);
        sigaddset(&mask, SIGHUP);
        sigaction(SIGCHLD, &s->child_before, NULL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        run_child(s->pool->child, s->pool->context, i_run);
    }
    if (pid < 0)
        return -1;
    j->pid = pid;
    s->n_live++;
    return 0;
}

/* Starts as many processes as allowed. Returns -1 if no process runs and the system refuses to create a process, else 0. */
static int start_more(state *s, int *waiting_run)
{
    for (int i = 0; i < s->pool->n_job && !s->is_ending; i++) {
        if (s->job[i].pid != 0)
            continue;
        if (*waiting_run < 0)
            *waiting_run = s->pool->next(s->pool->context);
        if (*waiting_run < 0)
            return 0;
        if (start(s, &s->job[i], *waiting_run) < 0)
            return s->n_live > 0 ? 0 : -1; /* after the end of a process the pool tries again */
        *waiting_run = -1;
    }
    return 0;
}

static void reap(state *s)
{
    wr_run_pool *const pool = s->pool;
    for (int i = 0; i < pool->n_job; i++) {
        job *const j = &s->job[i];
        int wait_status;
        struct rusage used;
        if (j->pid == 0 || wait4(j->pid, &wait_status, WNOHANG, &used) != j->pid)
            continue;
        const double wall_s = (double)(wr_clock_monotonic_ns() - j->begin_ns) * 1e-9;
        pool->processor_s += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                             1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        j->pid = 0;
        s->n_live--;
        const wrsim_status status = pool->ended(pool->context, j->i_run, wait_status, wall_s);
        if (status < 0 && pool->status >= 0)
            pool->status = status;
        s->is_ending |= status < 0;
    }
}

/* Waits for a signal or the next tick, and records ended processes. After a stop signal, stops all processes. */
static void wait_for_news(state *s)
{
    const int number = sigtimedwait(&s->waited, NULL, &(struct timespec){.tv_nsec = TICK_NS});
    const int64_t now_ns = wr_clock_monotonic_ns();
    s->pool->occupied_s += (double)s->n_live * (double)(now_ns - s->last_ns) * 1e-9;
    s->last_ns = now_ns;
    if (number > 0 && number != SIGCHLD) {
        for (int i = 0; i < s->pool->n_job; i++)
            if (s->job[i].pid > 0)
                kill(s->job[i].pid, s->pool->stop_signal ? SIGKILL : SIGTERM);
        s->pool->stop_signal = number;
        s->is_ending = 1;
    }
    reap(s);
    s->pool->tick(s->pool->context, s->n_live);
}

wrsim_status wr_run_pool_run(wr_run_pool *pool, wrsim_error *err)
{
    state s = {.pool = pool, .last_ns = wr_clock_monotonic_ns()};
    const int64_t begin_ns = s.last_ns;
    int waiting_run = -1;
    s.job = calloc((size_t)pool->n_job, sizeof *s.job);
    if (!s.job)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d jobs; lower --jobs",
                            pool->n_job);
    struct sigaction action;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigemptyset(&s.waited);
    sigaddset(&s.waited, SIGCHLD);
    for (size_t i = 0; i < WR_COUNT_OF(stop_signals); i++)
        if (sigaction(stop_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&s.waited, stop_signals[i]);
    /* while SIGCHLD is ignored, waitpid() returns no status */
    sigaction(SIGCHLD, &usual, &s.child_before);
    sigprocmask(SIG_BLOCK, &s.waited, &s.before);
    for (;;) {
        if (start_more(&s, &waiting_run) < 0)
            pool->status = wr_error_set(
                err, WRSIM_E_INTERNAL,
                "the process of a run cannot be started: %s; end other processes, or free memory",
                strerror(errno));
        if (s.n_live == 0)
            break;
        wait_for_news(&s);
    }
    sigaction(SIGCHLD, &s.child_before, NULL);
    sigprocmask(SIG_SETMASK, &s.before, NULL);
    free(s.job);
    pool->wall_s = (double)(wr_clock_monotonic_ns() - begin_ns) * 1e-9;
    return pool->status;
}

int wr_run_pool_one(int (*child)(void *context, int i_run), void *context)
{
    const pid_t parent = getpid();
    int wait_status = -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        follow_parent(parent);
        run_child(child, context, -1);
    }
    while (pid > 0 && waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
        ;
    return wait_status;
}
