/* A team of pinned threads. See team.h.
 *
 * Every worker waits at its own gate, so that a run wakes only the active workers. The owner writes the data of a run (function, context,
 * number of workers) while no worker runs. The start gates make these data visible to the workers; n_running and the done gate make the
 * writes of the workers visible to the owner.
 *
 * Thread: see team.h. Real-time: see team.h.
 */
#include "scheduler/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fp_mode.h"
#include "scheduler/barrier.h"
#include "scheduler/rt_thread.h"
#include "scheduler/task_range.h"

/* Time that a worker without own tasks waits for an absent worker, ns (assumed). In this time a worker passes an opened barrier and
 * fetches the data of a task from another core. */
enum { ABSENT_NS = 2000 };
/* longest spin of workers between runs without is_sharing, ns (assumed); limited, because the time of the next run is unknown */
enum { IDLE_SPIN_NS = 50000 };

enum {
    MAX_CPU = 1 << 20,    /* largest CPU number + 1 for which the team builds a mask (assumed) */
    MAX_SPIN_US = 1000000 /* longest spin time, us (assumed) */
};

/* Data of a worker. During a run only this worker writes the data, except range, is_due and is_called, which have separate cache lines. */
typedef struct worker {
    _Alignas(WR_CACHE_LINE) wr_worker_stats stats;
    int64_t task_start_ns; /* start of the timed task, ns; -1: none */
    int task;
    int i_range; /* worker whose range has the task; -1: no range has the task */
    wr_team *team;
    pthread_t thread;
    int i_worker;
    int cpu; /* CPU of the worker; -1: not pinned */
    /* range in the present batch; other workers also get tasks from this range */
    wr_task_range range;
    /* The owner opens this gate for a run and for the end; a worker that shares a task opens this gate for the parts. */
    _Alignas(WR_CACHE_LINE) wr_gate is_due;
    /* 1: the worker must run or end. The owner sets the flag before the gate opens; the worker resets the flag. */
    atomic_int is_called;
} worker;

/* Parts of one worker's task (wr_team_share()). A worker that has claimed a part reads the plain fields, which change only while all parts
 * are claimed. */
typedef struct sharing {
    void (*work)(void *context, int i_part);
    void *context;
    unsigned n_call; /* number of calls of wr_team_share() */
    int is_wanted;   /* wr_team_options.is_sharing */
    /* number of the call, and first and end of the unclaimed parts: 32, 16 and 16 bits */
    _Alignas(WR_CACHE_LINE) atomic_ullong left;
    atomic_int n_open; /* number of parts that no worker has reported as done */
    _Alignas(WR_CACHE_LINE) wr_gate is_shared; /* gate that the last helper to finish opens */
} sharing;

typedef struct cpu_mask {
    cpu_set_t *set; /* set of CPUs; NULL: no mask */
    size_t bytes;
} cpu_mask;

struct wr_team {
    wr_memory memory;
    int n_worker, n_thread; /* number of workers, and of started threads (without worker 0) */
    worker *worker;         /* [n_worker] data of each worker */
    /* longest spin between runs, ns; constant, because sleeping workers read the value at any time */
    int64_t idle_spin_ns;
    int64_t wish_spin_ns; /* requested spin time */
    int n_cpu; /* number of CPUs that the caller may use; 1 also if two workers are pinned to one CPU */
    cpu_mask own_cpu;      /* CPU of worker 0; none: not pinned */
    cpu_mask all_cpus;     /* CPUs of all workers, for a run of worker 0 alone */
    cpu_mask callers_cpus; /* affinity of the caller outside of runs; none if unreadable */
    /* The owner sets the following members before a run: */
    void (*work)(void *context, int i_worker);
    void *context;
    int n_active;
    int64_t spin_ns;
    int is_ending;
    void (*wait)(void *context, int i_worker, int64_t start_ns, int64_t end_ns); /* NULL: none */
    void *wait_context;
    /* Serial code sets the following members: */
    wr_team_tasks tasks;
    int is_preferring;
    uint64_t all;  /* bit mask of all positions of a batch with preferred workers */
    uint64_t *own; /* [n_worker] positions that prefer each worker */
    int weight;    /* factor of measured times; 0: no timing */
    int64_t *task_ns;
    /* All workers write the following members: */
    /* number of claimed tasks among the tasks that all workers share */
    _Alignas(WR_CACHE_LINE) atomic_int n_claimed;
    atomic_ullong claimed; /* bit mask of claimed positions, in a batch with preferred workers */
    _Alignas(WR_CACHE_LINE) atomic_int n_running;
    _Alignas(WR_CACHE_LINE) wr_gate is_done; /* gate that the last worker of a run opens */
    wr_barrier barrier;
    sharing sharing;
};

/* Reads the calling thread's affinity. The size of the mask doubles until the system accepts the mask. */
static void read_affinity(wr_team *team)
{
    for (int n_cpu = CPU_SETSIZE; n_cpu <= MAX_CPU; n_cpu *= 2) {
        cpu_set_t *const set = CPU_ALLOC((size_t)n_cpu);
        const size_t bytes = CPU_ALLOC_SIZE((size_t)n_cpu);
        if (set && pthread_getaffinity_np(pthread_self(), bytes, set) == 0) {
            team->callers_cpus = (cpu_mask){set, bytes};
            return;
        }
        CPU_FREE(set);
    }
}

/* Returns a mask of the valid CPU numbers, or no mask if no number is valid or memory is exhausted. */
static cpu_mask mask_of(const int *cpu, int n)
{
    int highest = -1;
    for (int i = 0; i < n; i++)
        highest = cpu[i] < MAX_CPU && cpu[i] > highest ? cpu[i] : highest;
    const cpu_mask mask = {highest >= 0 ? CPU_ALLOC((size_t)highest + 1) : NULL,
                           CPU_ALLOC_SIZE((size_t)highest + 1)};
    if (!mask.set)
        return mask;
    CPU_ZERO_S(mask.bytes, mask.set);
    for (int i = 0; i < n; i++)
        if (cpu[i] >= 0 && cpu[i] <= highest)
            CPU_SET_S((size_t)cpu[i], mask.bytes, mask.set);
    return mask;
}

/* Returns the number of CPUs that the caller may use, or 1 if two workers are pinned to one CPU. */
static int count_cpus(const wr_team *team, const int *cpu)
{
    const long n_online = sysconf(_SC_NPROCESSORS_ONLN);
    const int n_cpu = team->callers_cpus.set
                          ? CPU_COUNT_S(team->callers_cpus.bytes, team->callers_cpus.set)
                          : (int)(n_online > 0 ? n_online : 1);
    for (int i = 0; cpu && i < team->n_worker; i++)
        for (int j = 0; j < i; j++)
            if (cpu[i] >= 0 && cpu[i] == cpu[j])
                return 1; /* of two workers on one CPU, a spinning worker delays the other */
    return n_cpu;
}

/* Ends a run for a worker. The last worker opens the owner's gate. */
static void leave(wr_team *team)
{
    /* acq_rel: each worker releases its writes. The last worker acquires the writes of all workers, and the gate releases these writes to
     * wr_team_run. */
    if (atomic_fetch_sub_explicit(&team->n_running, 1, memory_order_acq_rel) == 1)
        wr_gate_open(&team->is_done);
}

/* Ends a wait that counts `weight` times. */
static void count_wait(worker *self, int weight, int64_t start_ns)
{
    const wr_team *const team = self->team;
    const int64_t end_ns = wr_clock_monotonic_ns();
    self->stats.wait_ns += weight * (end_ns - start_ns);
    if (team->wait)
        team->wait(team->wait_context, self->i_worker, start_ns, end_ns);
}

/* Ends the timing of the worker's present task, if any. */
static void close_task(worker *self, int64_t now_ns)
{
    const wr_team *const team = self->team;
    if (self->task_start_ns < 0)
        return;
    const int64_t task_ns = now_ns - self->task_start_ns;
    self->stats.busy_ns += team->weight * task_ns;
    if (team->task_ns)
        team->task_ns[self->task] = task_ns;
    self->task_start_ns = -1;
}

static void close_last_task(worker *self)
{
    if (self->task_start_ns >= 0)
        close_task(self, wr_clock_monotonic_ns());
}

static void do_work(worker *self)
{
    const wr_team *const team = self->team;
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
    team->work(team->context, self->i_worker);
    wr_fp_mode_restore(before);
    close_last_task(self);
}

/* Returns the first or last unclaimed part, or -1 if all parts are claimed. The word contains the number of the call. So a late worker
 * cannot claim a part of a later call with the numbers of an earlier call. */
static int take_part(sharing *s, wr_task_range_side side)
{
    /* acquire: partner is the release store in wr_team_share; later exchanges continue its release sequence. */
    unsigned long long word = atomic_load_explicit(&s->left, memory_order_acquire);
    for (;;) {
        const unsigned first = (word >> 16) & 0xffff, end = word & 0xffff;
        if (first >= end)
            return -1;
        const unsigned long long next = side == WR_TASK_RANGE_FIRST ? word + (1 << 16) : word - 1;
        if (atomic_compare_exchange_weak_explicit(&s->left, &word, next, memory_order_acquire,
                                                  memory_order_acquire))
            return (int)(side == WR_TASK_RANGE_FIRST ? first : end - 1);
    }
}

/* Executes parts until all parts are claimed. Returns the number of executed parts. */
static int do_parts(sharing *s, wr_task_range_side side)
{
    int n = 0, i_part;
    for (; (i_part = take_part(s, side)) >= 0; n++)
        s->work(s->context, i_part);
    return n;
}

/* Starts a run of a worker, or ends the worker if team->is_ending is 1. */
static void call_worker(worker *one)
{
    /* release: partner is the acquire in wait_and_work. */
    atomic_store_explicit(&one->is_called, 1, memory_order_release);
    wr_gate_open(&one->is_due);
}

static void wait_and_work(worker *self)
{
    wr_team *const team = self->team;
    sharing *const s = &team->sharing;
    self->stats.is_pinned = wr_rt_thread_pin(self->cpu).is_granted;
    leave(team);
    for (;;) {
        const unsigned seen = wr_gate_seen(&self->is_due);
        /* acquire: partner is the release in call_worker. */
        if (atomic_load_explicit(&self->is_called, memory_order_acquire)) {
            /* relaxed: leave() orders this store before the owner's next call. */
            atomic_store_explicit(&self->is_called, 0, memory_order_relaxed);
            if (team->is_ending)
                return;
            do_work(self);
            leave(team);
            continue;
        }
        const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
        const int n = do_parts(s, WR_TASK_RANGE_LAST);
        wr_fp_mode_restore(before);
        /* acq_rel: releases the parts' results to the caller of wr_team_share, and passes on the results of other helpers. */
        if (n > 0 && atomic_fetch_sub_explicit(&s->n_open, n, memory_order_acq_rel) == n)
            wr_gate_open(&s->is_shared);
        if (n == 0)
            wr_gate_wait(&self->is_due, seen, team->idle_spin_ns);
    }
}

static void *thread_main(void *argument)
{
    /* The thread's stack contains an alternate signal stack, so that a handler of the host can report a stack overflow. A signal frame with
     * all registers takes up to 12 KiB (AVX-512, AMX). An existing alternate stack stays, such as a sanitizer's. */
    char handler_stack[32768] __attribute__((aligned(16)));
    stack_t old;
    const stack_t none = {.ss_flags = SS_DISABLE};
    const int is_set =
        sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE) &&
        sigaltstack(&(stack_t){.ss_sp = handler_stack, .ss_size = sizeof handler_stack}, NULL) == 0;
    wait_and_work(argument);
    if (is_set)
        (void)sigaltstack(&none, NULL);
    return NULL;
}

/* Starts the threads with blocked signals, which the threads inherit, and restores the caller's mask. The size of a stack is the system's
 * limit (ulimit -s), at least LEAST_BYTES. Returns 0 or -1. */
static int start_threads(wr_team *team)
{
    enum { LEAST_BYTES = 1 << 20 };
    sigset_t old;
    pthread_attr_t attributes;
    size_t bytes;
    if (pthread_attr_init(&attributes) != 0)
        return -1;
    wr_rt_thread_block_signals(&old);
    int status =
        pthread_attr_getstacksize(&attributes, &bytes) != 0 ||
                (bytes < LEAST_BYTES && pthread_attr_setstacksize(&attributes, LEAST_BYTES) != 0)
            ? -1
            : 0;
    for (int i = 1; i < team->n_worker && status == 0; i++) {
        worker *const one = &team->worker[i];
        if (pthread_create(&one->thread, &attributes, thread_main, one) != 0) {
            status = -1;
            break;
        }
        team->n_thread++;
        char name[16]; /* the kernel's limit of thread names */
        snprintf(name, sizeof name, "wr-worker-%d", i % 10000);
        (void)pthread_setname_np(one->thread, name); /* debuggers and top show the name */
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}

static void set_up_workers(wr_team *team, const wr_team_options *options)
{
    for (int i = 0; i < team->n_worker; i++) {
        worker *const one = &team->worker[i];
        one->team = team;
        one->i_worker = i;
        one->cpu = options->cpu ? options->cpu[i] : -1;
        one->task_start_ns = -1;
        one->i_range = -1;
    }
    team->weight = 1;
    team->n_cpu = count_cpus(team, options->cpu);
    if (options->spin_us > 0.0)
        team->wish_spin_ns = (int64_t)(1e3 * wr_min(options->spin_us, MAX_SPIN_US));
    team->sharing.is_wanted = options->is_sharing;
    if (team->n_worker <= team->n_cpu)
        team->idle_spin_ns = options->is_sharing || team->wish_spin_ns < IDLE_SPIN_NS
                                 ? team->wish_spin_ns
                                 : IDLE_SPIN_NS;
}

/* Sets the affinity of the calling thread. If the system refuses, the thread keeps its affinity, which changes only speed. */
static void set_affinity(const cpu_mask *mask)
{
    (void)pthread_setaffinity_np(pthread_self(), mask->bytes, mask->set);
}

wr_team *wr_team_create(const wr_team_options *options)
{
    WR_ASSERT(options->n_worker >= 1);
    wr_team *team = wr_memory_take(options->memory, sizeof *team, WR_CACHE_LINE);
    if (!team)
        return NULL;
    if (options->memory)
        team->memory = *options->memory;
    team->n_worker = options->n_worker;
    const size_t n = (size_t)options->n_worker;
    team->worker = wr_memory_take(options->memory, n * sizeof *team->worker, WR_CACHE_LINE);
    team->own = wr_memory_take(options->memory, n * sizeof *team->own, WR_CACHE_LINE);
    if (!team->worker || !team->own)
        goto fail;
    read_affinity(team);
    set_up_workers(team, options);
    const unsigned seen = wr_gate_seen(&team->is_done);
    /* relaxed: pthread_create orders this store before all actions of the threads. */
    atomic_store_explicit(&team->n_running, team->n_worker - 1, memory_order_relaxed);
    if (start_threads(team) != 0)
        goto fail;
    if (team->n_worker > 1)
        (void)wr_gate_wait(&team->is_done, seen, 0);
    /* Pins worker 0 once, which shows whether the system permits the pin. */
    worker *const self = &team->worker[0];
    if (!team->callers_cpus.set || !wr_rt_thread_pin(self->cpu).is_granted)
        return team;
    set_affinity(&team->callers_cpus);
    team->own_cpu = mask_of(&self->cpu, 1);
    if (team->n_worker > 1 && !options->is_sharing)
        team->all_cpus = mask_of(options->cpu, team->n_worker);
    self->stats.is_pinned = team->own_cpu.set != NULL;
    return team;
fail:
    wr_team_destroy(&team);
    return NULL;
}

void wr_team_destroy(wr_team **team_to_end)
{
    if (!team_to_end || !*team_to_end)
        return;
    wr_team *const team = *team_to_end;
    team->is_ending = 1;
    for (int i = 1; i <= team->n_thread; i++)
        call_worker(&team->worker[i]);
    for (int i = 1; i <= team->n_thread; i++)
        pthread_join(team->worker[i].thread, NULL);
    CPU_FREE(team->callers_cpus.set);
    CPU_FREE(team->own_cpu.set);
    CPU_FREE(team->all_cpus.set);
    const wr_memory memory = team->memory;
    const size_t n = (size_t)team->n_worker;
    wr_memory_give(&memory, team->own, n * sizeof *team->own);
    wr_memory_give(&memory, team->worker, n * sizeof *team->worker);
    wr_memory_give(&memory, team, sizeof *team);
    *team_to_end = NULL;
}

/* Runs worker 0, the caller, and wakes the other active workers. */
static void run_all(wr_team *team)
{
    worker *const self = &team->worker[0];
    if (team->n_active == 1) {
        do_work(self);
        return;
    }
    const unsigned seen = wr_gate_seen(&team->is_done);
    /* relaxed: the start gates release this store to the workers. */
    atomic_store_explicit(&team->n_running, team->n_active - 1, memory_order_relaxed);
    for (int i = 1; i < team->n_active; i++)
        call_worker(&team->worker[i]);
    do_work(self);
    const int64_t start_ns = wr_clock_monotonic_ns();
    self->stats.n_sleep += wr_gate_wait(&team->is_done, seen, team->spin_ns);
    count_wait(self, 1, start_ns);
}

void wr_team_run(wr_team *team, int n_active, void (*work)(void *context, int i_worker),
                 void *context)
{
    WR_ASSERT(n_active >= 1 && n_active <= team->n_worker);
    team->work = work;
    team->context = context;
    team->n_active = n_active;
    team->spin_ns = n_active <= team->n_cpu ? team->wish_spin_ns : 0;
    const cpu_mask *const before = &team->callers_cpus;
    const int is_pinned = team->own_cpu.set &&
                          pthread_getaffinity_np(pthread_self(), before->bytes, before->set) == 0;
    if (is_pinned)
        set_affinity(n_active == 1 && team->all_cpus.set ? &team->all_cpus : &team->own_cpu);
    run_all(team);
    if (is_pinned)
        set_affinity(before);
}

void wr_team_barrier(wr_team *team, int i_worker, void (*serial)(void *context), void *context)
{
    worker *const self = &team->worker[i_worker];
    WR_ASSERT(i_worker >= 0 && i_worker < team->n_active);
    if (team->n_active == 1) {
        close_last_task(self);
        if (serial)
            serial(context);
        return;
    }
    const int weight = team->weight; /* serial() may change team->weight */
    const int64_t start_ns = weight > 0 ? wr_clock_monotonic_ns() : 0;
    close_task(self, start_ns);
    const wr_arrival arrival =
        wr_barrier_wait(&team->barrier, team->n_active, team->spin_ns, serial, context);
    if (arrival == WR_ARRIVAL_LAST)
        return;
    self->stats.n_sleep += arrival == WR_ARRIVAL_SLEPT;
    if (weight > 0)
        count_wait(self, weight, start_ns);
}

void wr_team_share(wr_team *team, int n_part, void (*work)(void *context, int i_part),
                   void *context)
{
    sharing *const s = &team->sharing;
    WR_ASSERT(n_part >= 0 && n_part <= WR_TEAM_PARTS && s->is_wanted);
    const unsigned seen = wr_gate_seen(&s->is_shared);
    s->work = work;
    s->context = context;
    s->n_call++;
    /* relaxed: the next store releases this store. */
    atomic_store_explicit(&s->n_open, n_part, memory_order_relaxed);
    /* release: partner is the acquire in take_part. */
    atomic_store_explicit(&s->left, (unsigned long long)s->n_call << 32 | (unsigned)n_part,
                          memory_order_release);
    for (int i = 1; i < team->n_worker && i < n_part; i++)
        wr_gate_open(&team->worker[i].is_due);
    const int n = do_parts(s, WR_TASK_RANGE_FIRST);
    if (n_part == 0)
        return;
    /* acq_rel: acquires the results that helpers have released. If helpers executed all parts, a helper opens the gate, and this call must
     * consume that opening. */
    if (n == 0 || atomic_fetch_sub_explicit(&s->n_open, n, memory_order_acq_rel) != n)
        (void)wr_gate_wait(&s->is_shared, seen,
                           team->n_worker <= team->n_cpu ? team->wish_spin_ns : 0);
}

void wr_team_time(wr_team *team, int weight, int64_t *ret_task_ns)
{
    team->weight = weight;
    team->task_ns = ret_task_ns;
}

static uint64_t bit(int position) { return (uint64_t)1 << position; }

static int lowest(uint64_t positions) { return __builtin_ctzll(positions); }

static int task_at(const wr_team *team, int position)
{
    return team->tasks.order ? team->tasks.order[position] : position;
}

void wr_team_batch(wr_team *team, const wr_team_tasks *tasks)
{
    wr_team_tasks *const to = &team->tasks;
    WR_ASSERT(tasks->n_task >= 0 && tasks->n_first >= 0);
    *to = *tasks;
    team->is_preferring = to->preferred && to->n_task <= WR_TEAM_PREFERRED;
    /* relaxed: the barrier or start gate after the serial code releases these stores to the claims. */
    atomic_store_explicit(&team->claimed, 0, memory_order_relaxed);
    atomic_store_explicit(&team->n_claimed, 0, memory_order_relaxed);
    if (team->is_preferring) {
        team->all = 0;
        memset(team->own, 0, (size_t)team->n_worker * sizeof *team->own);
        for (int k = 0; k < to->n_task; k++) {
            const int i_worker = to->preferred[task_at(team, k)];
            WR_ASSERT(i_worker >= 0 && i_worker < team->n_worker);
            team->own[i_worker] |= bit(k);
            team->all |= bit(k);
        }
        return;
    }
    to->n_first = to->n_first < to->n_task ? to->n_first : to->n_task;
    to->n_range = to->n_range > 1 ? to->n_range : 1;
    to->n_range = to->n_range < team->n_worker ? to->n_range : team->n_worker;
    const int64_t n_others = to->n_task - to->n_first;
    int first = to->n_first;
    for (int i = 0; i < to->n_range; i++) {
        const int end = to->n_first + (int)(n_others * (i + 1) / to->n_range);
        wr_task_range_set(&team->worker[i].range, first, end);
        first = end;
    }
}

/* Returns the next position of a batch with preferred workers, or n_task if all positions are claimed. */
static int next_preferred(wr_team *team, worker *self)
{
    self->i_range = -1;
    int64_t start_ns = 0;
    int position = -1;
    while (position < 0) {
        /* relaxed: as in next_position. */
        const uint64_t open =
            team->all & ~atomic_load_explicit(&team->claimed, memory_order_relaxed);
        if (!open) {
            position = team->tasks.n_task;
            break;
        }
        uint64_t mine = open & team->own[self->i_worker];
        const int has_own = mine != 0;
        for (int i = 0; i < team->n_active && !has_own; i++)
            if (team->own[i] & ~open) /* worker i has begun with its tasks and is busy */
                mine |= team->own[i] & open;
        if (!mine) {
            const int64_t now_ns = wr_clock_monotonic_ns();
            if (start_ns == 0) {
                start_ns = now_ns;
                close_task(self, now_ns); /* the following wait does not count as work */
            }
            if (team->spin_ns > 0 && now_ns - start_ns < ABSENT_NS) {
                wr_pause_cpu();
                continue;
            }
            mine = open;
        }
        const uint64_t want = bit(lowest(mine));
        if (!(atomic_fetch_or_explicit(&team->claimed, want, memory_order_relaxed) & want))
            position = lowest(mine);
    }
    if (start_ns > 0)
        count_wait(self, team->weight, start_ns);
    return position;
}

/* Returns the worker with most remaining positions in its range, or -1 when all ranges are empty. */
static int richest(const wr_team *team)
{
    int best = -1, most = 0;
    for (int i = 0; i < team->tasks.n_range; i++) {
        const int n_left = wr_task_range_left(&team->worker[i].range);
        if (n_left > most) {
            best = i;
            most = n_left;
        }
    }
    return best;
}

static wr_task_range_side side_of(const worker *self, int i_range)
{
    return i_range == self->i_worker ? WR_TASK_RANGE_FIRST : WR_TASK_RANGE_LAST;
}

/* Returns the next position of the batch, or n_task if all positions are claimed. Shared tasks are first, then the worker's own range, the
 * range of the worker's last task, and the range with most positions. */
static int next_position(wr_team *team, worker *self)
{
    const wr_team_tasks *const tasks = &team->tasks;
    const int i_last = self->i_range;
    self->i_range = -1;
    /* relaxed: the counter gives each number once (partner: this line in other workers). A barrier or start gate has released the data of
     * the tasks. When all shared tasks are claimed, the load keeps the counter and its cache line unchanged. */
    if (atomic_load_explicit(&team->n_claimed, memory_order_relaxed) < tasks->n_first) {
        const int first = atomic_fetch_add_explicit(&team->n_claimed, 1, memory_order_relaxed);
        if (first < tasks->n_first)
            return first;
    }
    const int own[] = {self->i_worker, i_last};
    for (int k = 0; k < 2 && self->i_range < 0; k++)
        if (own[k] >= 0 && own[k] < tasks->n_range &&
            wr_task_range_left(&team->worker[own[k]].range) > 0)
            self->i_range = own[k];
    if (self->i_range < 0)
        self->i_range = richest(team);
    while (self->i_range >= 0) {
        const int position =
            wr_task_range_take(&team->worker[self->i_range].range, side_of(self, self->i_range));
        if (position >= 0)
            return position;
        self->i_range = richest(team);
    }
    return tasks->n_task;
}

int wr_team_claim(wr_team *team, int i_worker)
{
    worker *const self = &team->worker[i_worker];
    const int position =
        team->is_preferring ? next_preferred(team, self) : next_position(team, self);
    const int is_over = position >= team->tasks.n_task;
    if (is_over && team->n_active > 1)
        return -1; /* the next barrier or the end of the function ends the timing of the last task */
    const int64_t now_ns = team->weight > 0 ? wr_clock_monotonic_ns() : 0;
    close_task(self, now_ns);
    if (is_over)
        return -1;
    self->task = task_at(team, position);
    if (team->weight > 0)
        self->task_start_ns = now_ns;
    self->stats.n_task++;
    return self->task;
}

int wr_team_next(const wr_team *team, int i_worker)
{
    const worker *const self = &team->worker[i_worker];
    if (self->i_range < 0)
        return -1;
    const int position =
        wr_task_range_peek(&team->worker[self->i_range].range, side_of(self, self->i_range));
    return position < 0 ? -1 : task_at(team, position);
}

void wr_team_set_wait(wr_team *team,
                      void (*wait)(void *context, int i_worker, int64_t start_ns, int64_t end_ns),
                      void *context)
{
    team->wait = wait;
    team->wait_context = context;
}

const wr_worker_stats *wr_team_stats(const wr_team *team, int i_worker)
{
    return &team->worker[i_worker].stats;
}

int wr_team_size(const wr_team *team) { return team->n_worker; }
