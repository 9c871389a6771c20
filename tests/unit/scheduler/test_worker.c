#include "wr_test.h"

#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "scheduler/team.h"

/* Machines may have fewer CPUs than the largest team. */
static const int team_sizes[] = {1, 2, 4, 8};
enum { MAX_TEAM = 8 };

static wr_team *make_team(int n_worker, double spin_us)
{
    const wr_team_options options = {.n_worker = n_worker, .spin_us = spin_us};
    wr_team *const team = wr_team_create(&options);
    assert_non_null(team);
    assert_int_equal(wr_team_size(team), n_worker);
    return team;
}

/* In a round each worker adds to its own cell, all workers meet at the barrier, and the serial code sums the cells. */
typedef struct rounds {
    wr_team *team;
    int n_active, n_round;
    int64_t cell[MAX_TEAM * 8]; /* plain, one cache line each: the barrier alone orders them */
    int64_t sum;                /* only serial code writes the sum */
    int n_serial;
    int64_t seen[MAX_TEAM * 8]; /* total of the sums that each worker has read */
    atomic_int n_error;
} rounds;

static void add_up(void *context)
{
    rounds *const all = context;
    all->sum = 0;
    for (int i = 0; i < all->n_active; i++)
        all->sum += all->cell[8 * i];
    all->n_serial++;
}

static void go_rounds(void *context, int i_worker)
{
    rounds *const all = context;
    for (int round = 1; round <= all->n_round; round++) {
        all->cell[8 * i_worker] += i_worker + 1;
        wr_team_barrier(all->team, i_worker, add_up, all);
        const int64_t n = all->n_active;
        if (all->sum != round * (n * (n + 1) / 2) || all->n_serial != round)
            /* relaxed: wr_team_run orders the addition before the reads. */
            atomic_fetch_add_explicit(&all->n_error, 1, memory_order_relaxed);
        all->seen[8 * i_worker] += all->sum;
        wr_team_barrier(all->team, i_worker, NULL, NULL);
    }
}

TEST(barrier_over_many_rounds)
{
    for (size_t i_size = 0; i_size < WR_COUNT_OF(team_sizes); i_size++)
        for (int i_spin = 0; i_spin < 2; i_spin++) {
            const int n = team_sizes[i_size];
            wr_team *team = make_team(n, i_spin ? 5.0 : 0.0);
            rounds all = {.team = team, .n_active = n, .n_round = 10000 / 2};
            for (int i_run = 0; i_run < 2; i_run++) { /* 10,000 rounds, two barriers in each */
                wr_team_run(team, n, go_rounds, &all);
                assert_int_equal(all.n_serial, all.n_round);
                all.n_serial = 0;
                memset(all.cell, 0, sizeof all.cell);
            }
            assert_int_equal(atomic_load_explicit(&all.n_error, memory_order_relaxed), 0);
            for (int i = 1; i < n; i++)
                assert_int_equal(all.seen[8 * i], all.seen[0]);
            wr_team_destroy(&team);
            assert_null(team);
        }
}

/* Batches in sequence: each task runs once, in the order of claims. */
enum { N_TASK = 40, N_BATCH = 500 };

typedef struct batches {
    wr_team *team;
    int order[N_TASK], preferred[N_TASK];
    int is_preferring;
    int n_batch_set;
    atomic_int n_done[N_TASK];
    int position[N_TASK]; /* task -> its position in the order */
    atomic_int n_error;
} batches;

static void next_batch(void *context)
{
    batches *const all = context;
    /* relaxed throughout: the barrier orders these accesses against the tasks. */
    for (int i = 0; i < N_TASK; i++)
        if (atomic_load_explicit(&all->n_done[i], memory_order_relaxed) != all->n_batch_set)
            atomic_fetch_add_explicit(&all->n_error, 1, memory_order_relaxed);
    wr_team_batch(all->team,
                  &(wr_team_tasks){.n_task = N_TASK,
                                   .n_first = all->is_preferring ? 0 : N_TASK,
                                   .order = all->order,
                                   .preferred = all->is_preferring ? all->preferred : NULL});
    all->n_batch_set++;
}

static void do_batches(void *context, int i_worker)
{
    batches *const all = context;
    for (int i_batch = 0; i_batch < N_BATCH; i_batch++) {
        wr_team_barrier(all->team, i_worker, next_batch, all);
        int last = -1;
        for (;;) {
            const int i_task = wr_team_claim(all->team, i_worker);
            if (i_task < 0)
                break;
            atomic_fetch_add_explicit(&all->n_done[i_task], 1, memory_order_relaxed);
            if (!all->is_preferring && all->position[i_task] <= last)
                atomic_fetch_add_explicit(&all->n_error, 1, memory_order_relaxed);
            last = all->position[i_task];
        }
        if (wr_team_claim(all->team, i_worker) != -1)
            atomic_fetch_add_explicit(&all->n_error, 1, memory_order_relaxed);
    }
}

TEST(each_task_is_claimed_once)
{
    for (size_t i_run = 0; i_run < 2 * WR_COUNT_OF(team_sizes); i_run++) {
        const int n = team_sizes[i_run / 2];
        AUTO(wr_team_destroy) wr_team *team = make_team(n, 5.0);
        batches all = {.team = team, .is_preferring = i_run % 2};
        for (int i = 0; i < N_TASK; i++) {
            all.preferred[i] = i % 3 % n;
            all.order[i] = (i * 7 + 3) % N_TASK; /* 7 is prime to 40 */
            all.position[all.order[i]] = i;
        }
        wr_team_run(team, n, do_batches, &all);
        assert_int_equal(atomic_load_explicit(&all.n_error, memory_order_relaxed), 0);
        int64_t n_task = 0;
        for (int i = 0; i < N_TASK; i++)
            assert_int_equal(atomic_load_explicit(&all.n_done[i], memory_order_relaxed), N_BATCH);
        for (int i = 0; i < n; i++)
            n_task += wr_team_stats(team, i)->n_task;
        assert_int_equal(n_task, N_TASK * N_BATCH);
    }
}

/* Tasks in ranges: each runs once, shared tasks first. A worker alone with a range executes the range in order and can prefetch the next
 * task. */
enum { MANY_TASKS = 3000 };

typedef struct range_batch {
    wr_team *team;
    wr_team_tasks tasks;
    int order[MANY_TASKS], position[MANY_TASKS]; /* task -> its position in the order */
    atomic_int n_done[MANY_TASKS];
    atomic_int n_guess, n_right, n_error;
} range_batch;

static void count_if(atomic_int *count, int is_so)
{
    if (is_so) /* relaxed: the end of the run orders the addition */
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

static void do_range_batch(void *context, int i_worker)
{
    range_batch *const all = context;
    int expected = -1, was_in_range = 0;
    for (int i_task; (i_task = wr_team_claim(all->team, i_worker)) >= 0;) {
        const int is_in_range = all->position[i_task] >= all->tasks.n_first;
        count_if(&all->n_error, was_in_range && !is_in_range);
        count_if(&all->n_done[i_task], 1);
        count_if(&all->n_right, is_in_range && expected == i_task);
        expected = wr_team_next(all->team, i_worker);
        count_if(&all->n_guess, expected >= 0);
        was_in_range = is_in_range;
    }
    count_if(&all->n_error, wr_team_next(all->team, i_worker) != -1);
}

static void run_range_batch(range_batch *all, int n_active)
{
    const int n_task = all->tasks.n_task;
    /* relaxed throughout: no worker runs. */
    for (int i = 0; i < n_task; i++) {
        all->order[i] = (i * 7 + 3) % n_task; /* 7 is prime to the numbers of tasks */
        all->position[all->order[i]] = i;
        atomic_store_explicit(&all->n_done[i], 0, memory_order_relaxed);
    }
    atomic_store_explicit(&all->n_guess, 0, memory_order_relaxed);
    atomic_store_explicit(&all->n_right, 0, memory_order_relaxed);
    wr_team_batch(all->team, &all->tasks);
    wr_team_run(all->team, n_active, do_range_batch, all);
    assert_int_equal(atomic_load_explicit(&all->n_error, memory_order_relaxed), 0);
    for (int i = 0; i < n_task; i++)
        assert_int_equal(atomic_load_explicit(&all->n_done[i], memory_order_relaxed), 1);
    if (n_active > 1 || all->tasks.n_range != 1)
        return;
    assert_int_equal(atomic_load_explicit(&all->n_right, memory_order_relaxed), n_task - 1);
    assert_int_equal(atomic_load_explicit(&all->n_guess, memory_order_relaxed), n_task - 1);
}

TEST(tasks_in_ranges)
{
    static const wr_team_tasks kinds[] = {{.n_task = MANY_TASKS, .n_range = 1},
                                          {.n_task = MANY_TASKS, .n_range = 2, .n_first = 100},
                                          {.n_task = MANY_TASKS, .n_range = 99, .n_first = 7},
                                          {.n_task = 3, .n_range = 99},
                                          {.n_task = 3, .n_range = -1, .n_first = 9}};
    static const int worker_0[3] = {0}; /* with few tasks, all belong to worker 0 */
    AUTO(wr_test_free) range_batch *all = calloc(1, sizeof *all);
    assert_non_null(all);
    enum { N_KIND = WR_COUNT_OF(kinds), N_ROUND = 3 * N_KIND };
    for (size_t i_size = 0; i_size < WR_COUNT_OF(team_sizes); i_size++) {
        const int n = team_sizes[i_size];
        AUTO(wr_team_destroy) wr_team *team = make_team(n, 5.0);
        all->team = team;
        for (int round = 0; round < N_ROUND; round++) { /* the kinds in turn, forward and back */
            const int k = round % (2 * N_KIND);
            const int n_active = round % 2 ? n : n / 2 + 1;
            all->tasks = kinds[k < N_KIND ? k : 2 * N_KIND - 1 - k];
            all->tasks.order = all->order;
            all->tasks.preferred = round % 4 == 3 ? worker_0 : NULL;
            run_range_batch(all, n_active);
        }
    }
}

typedef struct attendance {
    atomic_int n_call[MAX_TEAM];
} attendance;

static void attend(void *context, int i_worker)
{
    attendance *const list = context;
    /* relaxed: wr_team_run orders the addition before the owner's reads. */
    atomic_fetch_add_explicit(&list->n_call[i_worker], 1, memory_order_relaxed);
}

TEST(only_active_workers_run)
{
    AUTO(wr_team_destroy) wr_team *team = make_team(MAX_TEAM, 5.0);
    int expected[MAX_TEAM] = {0};
    attendance list = {0};
    for (int round = 0; round < 50; round++)
        for (int n_active = 1; n_active <= MAX_TEAM; n_active++) {
            wr_team_run(team, n_active, attend, &list);
            for (int i = 0; i < MAX_TEAM; i++) {
                expected[i] += i < n_active;
                assert_int_equal(atomic_load_explicit(&list.n_call[i], memory_order_relaxed),
                                 expected[i]);
            }
        }
    /* Barriers and batches with some workers of the team. */
    rounds all = {.team = team, .n_active = 3, .n_round = 500};
    wr_team_run(team, 3, go_rounds, &all);
    assert_int_equal(all.n_serial, 500);
    assert_int_equal(atomic_load_explicit(&all.n_error, memory_order_relaxed), 0);
    for (int i = 3; i < MAX_TEAM; i++)
        assert_int_equal(wr_team_stats(team, i)->wait_ns, 0);
}

/* A batch may be set before the run. If order is NULL, tasks run by number. */
static void claim_all(void *context, int i_worker)
{
    wr_team *const team = context;
    int expected = 0;
    for (int i_task; (i_task = wr_team_claim(team, i_worker)) >= 0; expected++)
        assert_int_equal(i_task, expected);
    assert_int_equal(expected, 5);
}

TEST(batch_without_order)
{
    AUTO(wr_team_destroy) wr_team *team = make_team(1, 0.0);
    wr_team_batch(team, &(wr_team_tasks){.n_task = 5});
    wr_team_run(team, 1, claim_all, team);
    wr_team_batch(team, &(wr_team_tasks){.n_task = 0});
    assert_int_equal(wr_team_claim(team, 0), -1);
    wr_team_destroy(&team);
    wr_team_destroy(NULL);
}

/* Worker 0 works while worker 1 waits at the barrier. */
static void work_unevenly(void *context, int i_worker)
{
    wr_team *const team = context;
    if (i_worker == 0 && wr_team_claim(team, 0) >= 0) {
        volatile double sum = 0.0;
        for (int i = 0; i < 3000000; i++)
            sum = sum + 1.0 / (1.0 + i);
    }
    wr_team_barrier(team, i_worker, NULL, NULL);
}

TEST(times_are_counted)
{
    AUTO(wr_team_destroy) wr_team *team = make_team(2, 0.0);
    wr_team_batch(team, &(wr_team_tasks){.n_task = 1});
    wr_team_run(team, 2, work_unevenly, team);
    const wr_worker_stats *const busy = wr_team_stats(team, 0), *const idle =
                                                                    wr_team_stats(team, 1);
    assert_int_equal(busy->n_task, 1);
    assert_int_equal(idle->n_task, 0);
    assert_int_equal(idle->busy_ns, 0);
    assert_true(busy->busy_ns > 100000); /* 3e6 divisions take longer than 0.1 ms on any machine */
    assert_true((uintptr_t)busy % WR_CACHE_LINE == 0 && (uintptr_t)idle % WR_CACHE_LINE == 0);
    assert_true(idle->n_sleep <= 1);
    assert_true(idle->wait_ns >= 0);
}

/* wr_team_time(): weight 0 measures no task; weight 16 stores the time of a task and counts the time 16-fold. */
TEST(times_are_weighted)
{
    for (int n = 1; n <= 2; n++) {
        AUTO(wr_team_destroy) wr_team *team = make_team(n, 0.0);
        const wr_worker_stats *const busy = wr_team_stats(team, 0);
        int64_t task_ns[1] = {-1};
        wr_team_time(team, 0, task_ns);
        wr_team_batch(team, &(wr_team_tasks){.n_task = 1});
        wr_team_run(team, n, work_unevenly, team);
        assert_int_equal(busy->n_task, 1);
        assert_int_equal(busy->busy_ns, 0);
        assert_int_equal(task_ns[0], -1);
        wr_team_time(team, 16, task_ns);
        wr_team_batch(team, &(wr_team_tasks){.n_task = 1});
        wr_team_run(team, n, work_unevenly, team);
        assert_int_equal(busy->n_task, 2);
        assert_true(task_ns[0] > 100000);
        assert_int_equal(busy->busy_ns, 16 * task_ns[0]);
    }
}

TEST(refused_pin_is_reported)
{
    cpu_set_t own;
    int first = 0;
    while (sched_getaffinity(0, sizeof own, &own) == 0 && !CPU_ISSET((size_t)first, &own))
        first++;
    const int bad[] = {1000000, -1, 2000000000}, some_bad[] = {first, 2000000000, -1};
    const int *const cpus[] = {bad, some_bad};
    for (int k = 0; k < 2; k++) {
        const wr_team_options options = {.n_worker = 3, .cpu = cpus[k], .spin_us = 1.0};
        AUTO(wr_team_destroy) wr_team *team = wr_team_create(&options);
        assert_non_null(team);
        rounds all = {.team = team, .n_active = 3, .n_round = 100};
        wr_team_run(team, 3, go_rounds, &all);
        assert_int_equal(all.n_serial, 100);
        for (int i = k; i < 3; i++)
            assert_int_equal(wr_team_stats(team, i)->is_pinned, 0);
        wr_team_run(team, 1, go_rounds, &(rounds){.team = team, .n_active = 1, .n_round = 1});
    }
}

typedef struct places {
    cpu_set_t set[2];
} places;

static void look_where(void *context, int i_worker)
{
    places *const where = context;
    sched_getaffinity(0, sizeof where->set[i_worker], &where->set[i_worker]);
}

/* Two workers on one CPU: pure spinning would not end in time. */
TEST(pin_and_unpin)
{
    cpu_set_t old, now;
    if (sched_getaffinity(0, sizeof old, &old) != 0)
        skip(); /* a machine with more CPUs than the mask holds */
    int first = 0;
    while (!CPU_ISSET((size_t)first, &old))
        first++;
    const int cpu[] = {first, first};
    const wr_team_options options = {.n_worker = 2, .cpu = cpu, .spin_us = 1e9};
    wr_team *team = wr_team_create(&options);
    assert_non_null(team);
    places where;
    wr_team_run(team, 2, look_where, &where);
    for (int i = 0; i < 2; i++)
        if (wr_team_stats(team, i)->is_pinned) {
            assert_int_equal(CPU_COUNT(&where.set[i]), 1);
            assert_true(CPU_ISSET((size_t)first, &where.set[i]));
        }
    rounds all = {.team = team, .n_active = 2, .n_round = 500};
    wr_team_run(team, 2, go_rounds, &all);
    assert_int_equal(atomic_load_explicit(&all.n_error, memory_order_relaxed), 0);
    wr_team_destroy(&team);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_EQUAL(&old, &now));
}

/* In a run of one worker, worker 0 may use the cores of all workers. In a run of two workers, each has its own core. */
TEST(single_worker_is_unpinned)
{
    cpu_set_t old, now;
    if (sched_getaffinity(0, sizeof old, &old) != 0 || CPU_COUNT(&old) < 2)
        skip();
    int cpu[2] = {-1, -1};
    for (int i = 0, n = 0; n < 2; i++)
        if (CPU_ISSET((size_t)i, &old))
            cpu[n++] = i;
    const wr_team_options options = {.n_worker = 2, .cpu = cpu};
    for (int n_last = 1; n_last <= 2; n_last++) {
        wr_team *team = wr_team_create(&options);
        assert_non_null(team);
        if (!wr_team_stats(team, 0)->is_pinned) {
            wr_team_destroy(&team);
            skip();
        }
        places where;
        for (int round = 0; round < 2; round++) {
            wr_team_run(team, 1, look_where, &where);
            assert_int_equal(CPU_COUNT(&where.set[0]), 2);
            assert_true(CPU_ISSET((size_t)cpu[0], &where.set[0]));
            assert_true(CPU_ISSET((size_t)cpu[1], &where.set[0]));
            wr_team_run(team, 2, look_where, &where);
            for (int i = 0; i < 2; i++) {
                assert_int_equal(CPU_COUNT(&where.set[i]), 1);
                assert_true(CPU_ISSET((size_t)cpu[i], &where.set[i]));
            }
        }
        wr_team_run(team, n_last, look_where, &where);
        wr_team_destroy(&team);
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&old, &now));
    }
}

/* A thread that runs or destroys a team keeps its affinity, for any other teams created and destroyed meanwhile. */
static void *run_and_destroy(void *context)
{
    wr_team **const team = context;
    cpu_set_t old, now;
    places where;
    sched_getaffinity(0, sizeof old, &old);
    wr_team_run(*team, 1, look_where, &where);
    sched_getaffinity(0, sizeof now, &now);
    const int is_kept = CPU_EQUAL(&old, &now) && CPU_COUNT(&where.set[0]) == 1;
    wr_team_destroy(team);
    sched_getaffinity(0, sizeof now, &now);
    return is_kept && CPU_EQUAL(&old, &now) ? context : NULL;
}

TEST(callers_keep_their_affinity)
{
    cpu_set_t old, now;
    if (sched_getaffinity(0, sizeof old, &old) != 0)
        skip();
    int first = 0;
    while (!CPU_ISSET((size_t)first, &old))
        first++;
    const wr_team_options options = {.n_worker = 1, .cpu = &first};
    wr_team *one = wr_team_create(&options), *two = wr_team_create(&options);
    if (!wr_team_stats(one, 0)->is_pinned || !wr_team_stats(two, 0)->is_pinned) {
        wr_team_destroy(&one);
        wr_team_destroy(&two);
        skip();
    }
    wr_team_destroy(&one);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_EQUAL(&old, &now));
    pthread_t thread;
    void *is_kept = NULL;
    assert_int_equal(pthread_create(&thread, NULL, run_and_destroy, &two), 0);
    pthread_join(thread, &is_kept);
    assert_non_null(is_kept);
    assert_null(two);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_EQUAL(&old, &now));
}

/* An unpinned worker keeps all CPUs although the caller is pinned. */
TEST(unpinned_worker_keeps_its_cpus)
{
    cpu_set_t old;
    if (sched_getaffinity(0, sizeof old, &old) != 0)
        skip();
    int first = 0;
    while (!CPU_ISSET((size_t)first, &old))
        first++;
    const int cpu[] = {first, -1};
    const wr_team_options options = {.n_worker = 2, .cpu = cpu};
    AUTO(wr_team_destroy) wr_team *team = wr_team_create(&options);
    places where;
    wr_team_run(team, 2, look_where, &where);
    assert_true(CPU_EQUAL(&where.set[1], &old));
}

typedef struct masks {
    int is_blocked[2];
} masks;

static void look_at_signals(void *context, int i_worker)
{
    masks *const seen = context;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    seen->is_blocked[i_worker] = sigismember(&set, SIGINT) && sigismember(&set, SIGTERM) &&
                                 sigismember(&set, SIGUSR1) && !sigismember(&set, SIGSEGV);
}

TEST(signals_go_to_the_caller)
{
    AUTO(wr_team_destroy) wr_team *team = make_team(2, 0.0);
    masks seen = {{-1, -1}};
    wr_team_run(team, 2, look_at_signals, &seen);
    assert_int_equal(seen.is_blocked[0], 0);
    assert_int_equal(seen.is_blocked[1], 1);
}

TEST(teams_come_and_go)
{
    for (int i = 0; i < 100; i++) {
        AUTO(wr_team_destroy) wr_team *team = make_team(1 + i % 4, 1.0);
        attendance list = {0};
        if (i % 3) {
            wr_team_run(team, 1 + i % 4, attend, &list);
            for (int k = 0; k <= i % 4; k++)
                assert_int_equal(atomic_load_explicit(&list.n_call[k], memory_order_relaxed), 1);
        }
    }
}

/* During work, arithmetic on denormal numbers gives zero and rounding is to nearest, for any settings of the caller. Afterwards the
 * caller's settings return. */
static double halve(double value)
{
    volatile const double seen = value;
    return seen * 0.5;
}

static double third(void)
{
    volatile const double one = 1.0;
    volatile const double result = one / 3.0; /* evaluated before the rounding mode changes */
    return result;
}

static void compute(void *context, int i_worker)
{
    double *const result = context;
    result[8 * i_worker] = halve(DBL_MIN);
    result[8 * i_worker + 1] = third();
}

TEST(work_computes_alike)
{
#if defined __SSE2_MATH__ || defined __aarch64__
    enum { N = 4 };
    double result[8 * N];
    const double nearest = third();
    wr_team *team = make_team(N, 0.0);
    for (int n = 1; n <= N; n += N - 1) {
        for (int i = 0; i < 8 * N; i++)
            result[i] = 1.0;
        fesetround(FE_UPWARD);
        wr_team_run(team, n, compute, result);
        const double upward = third();
        fesetround(FE_TONEAREST);
        for (int i = 0; i < n; i++) {
            assert_true(result[8 * i] == 0.0);
            assert_memory_equal(&result[8 * i + 1], &nearest, sizeof nearest);
        }
        assert_true(halve(DBL_MIN) > 0.0 && upward > nearest);
    }
    wr_team_destroy(&team);
#else
    skip();
#endif
}

/* Each worker executes its own tasks first, in order, then tasks of a worker that does not arrive. */
typedef struct claims {
    wr_team *team;
    int n, task[65];
} claims;

static void claim_alone(void *context, int i_worker)
{
    claims *const all = context;
    for (int i_task; (i_task = wr_team_claim(all->team, i_worker)) >= 0;)
        all->task[all->n++] = i_task;
}

/* Workers run each part of a task once, and the sharing worker reads the results of all parts. */
typedef struct shared {
    wr_team *team;
    int n_part, n_error;
    int64_t turn;
    int64_t done[1000]; /* plain: only the team orders these accesses */
} shared;

static void do_part(void *context, int i_part)
{
    shared *const all = context;
    all->done[i_part] = all->done[i_part] == all->turn - 1 ? all->turn : -1;
}

static void share_often(void *context, int i_worker)
{
    shared *const all = context;
    for (int turn = 1; turn <= 2000; turn++) {
        all->turn++;
        wr_team_share(all->team, all->n_part, do_part, all);
        for (int i = 0; i < all->n_part; i++)
            all->n_error += all->done[i] != all->turn;
    }
}

TEST(parts_are_done_once)
{
    static const int n_parts[] = {0, 1, 2, 3, 7, 1000};
    for (size_t i_size = 0; i_size < WR_COUNT_OF(team_sizes); i_size++) {
        const wr_team_options options = {
            .n_worker = team_sizes[i_size], .spin_us = i_size % 2 ? 20.0 : 0.0, .is_sharing = 1};
        AUTO(wr_team_destroy) wr_team *team = wr_team_create(&options);
        assert_non_null(team);
        for (size_t k = 0; k < WR_COUNT_OF(n_parts); k++) {
            shared all = {.team = team, .n_part = n_parts[k]};
            wr_team_run(team, 1, share_often, &all);
            assert_int_equal(all.n_error, 0);
            rounds others = {.team = team, .n_active = team_sizes[i_size], .n_round = 3};
            wr_team_run(team, others.n_active, go_rounds, &others); /* helpers take part again */
            assert_int_equal(others.n_serial, others.n_round);
        }
    }
}

TEST(own_tasks_come_first)
{
    AUTO(wr_team_destroy) wr_team *team = make_team(2, 5.0);
    static const int order[] = {3, 2, 1, 0, 4}, preferred[] = {1, 0, 1, 0, 1},
                     expected[] = {3, 1, 2, 0, 4};
    claims all = {.team = team};
    wr_team_batch(team, &(wr_team_tasks){.n_task = 5, .order = order, .preferred = preferred});
    wr_team_run(team, 1, claim_alone, &all);
    assert_int_equal(all.n, 5);
    assert_memory_equal(all.task, expected, sizeof expected);
    int many[WR_TEAM_PREFERRED + 1];
    for (int n = WR_TEAM_PREFERRED; n <= WR_TEAM_PREFERRED + 1; n++) {
        for (int i = 0; i < n; i++)
            many[i] = i % 2 == 0; /* odd tasks belong to worker 0 */
        all.n = 0;
        wr_team_batch(team, &(wr_team_tasks){.n_task = n, .preferred = many});
        wr_team_run(team, 1, claim_alone, &all);
        assert_int_equal(all.n, n);
        for (int i = 0; i < n; i++) /* tasks beyond the capacity go by number */
            assert_int_equal(all.task[i], n > WR_TEAM_PREFERRED ? i : 2 * (i % 32) + (i < 32));
    }
}
