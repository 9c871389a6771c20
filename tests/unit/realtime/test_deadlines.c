/* Steps of several subsystems, in any order of arrival, against a recount of all records. */
#include "wr_test.h"

#include <pthread.h>

#include "base/check.h"
#include "runtime/realtime/deadlines.h"

enum { N_PART = 5, N_STEP = 3000, UNWATCHED = 2, MOST_AHEAD = WR_DEADLINES_AHEAD - 2 };

static const unsigned char watched[N_PART] = {1, 1, 0, 1, 1};

static wr_deadlines *place(wr_arena **ret_arena, int m, int k, wr_deadline_policy policy)
{
    *ret_arena = wr_arena_create(1 << 22);
    wr_deadlines *const d = wr_deadlines_place(
        *ret_arena, &(wr_deadlines_options){
                        .n_part = N_PART, .is_watched = watched, .m = m, .k = k, .policy = policy});
    assert_non_null(d);
    wr_arena_seal(*ret_arena);
    return d;
}

/* Returns the times of subsystem i in step n; one in twenty-five is late. */
static wr_period_time period_of(int i, int64_t n)
{
    unsigned seed = (unsigned)(n * N_PART + i);
    const int64_t random = rand_r(&seed) % 1000;
    return (wr_period_time){.t_s = (double)n,
                            .late_ns = random % 7,
                            .compute_ns =
                                1100 - random, /* the latest subsystem is not the longest */
                            .over_ns = random - 959,
                            .work = {.n_rhs = n}};
}

static int64_t over_of(int64_t n)
{
    int64_t over_ns = INT64_MIN;
    for (int i = 0; i < N_PART; i++)
        if (watched[i] && period_of(i, n).over_ns > over_ns)
            over_ns = period_of(i, n).over_ns;
    return over_ns;
}

static int compare_down(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* Recounts all statistics from the recorded steps, and compares. */
static void recount(const wr_deadlines *d, int m, int k)
{
    wr_deadlines_stats s;
    wr_deadlines_stats_get(d, &s);
    int64_t n_miss = 0, n_violation = 0, first = -1, run = 0, longest = 0;
    static int64_t over_ns[N_STEP];
    double compute_ns = 0.0;
    for (int64_t n = 0; n < N_STEP; n++) {
        over_ns[n] = over_of(n);
        n_miss += over_ns[n] > 0;
        run = over_ns[n] > 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
        int n_window = 0;
        for (int64_t j = n; j >= 0 && j > n - k; j--)
            n_window += over_ns[j] > 0;
        n_violation += n_window > m;
        first = first < 0 && n_window > m ? n : first;
        for (int i = 0; i < N_PART; i++)
            compute_ns += watched[i] ? (double)period_of(i, n).compute_ns : 0.0;
    }
    assert_int_equal(s.n_step, N_STEP);
    assert_int_equal(s.n_miss, n_miss);
    assert_int_equal(s.n_violation, n_violation);
    assert_int_equal(s.first_violation, first);
    assert_int_equal(s.longest_run, longest);
    assert_int_equal(s.n_abandoned, 0);
    assert_true(n_miss > 10 && (m > 0 || n_violation > 0));
    assert_close(wr_histogram_mean(wr_deadlines_compute(d)), compute_ns / N_STEP, 1e-12, 0);
    qsort(over_ns, N_STEP, sizeof *over_ns, compare_down);
    assert_int_equal(s.most_over_ns, over_ns[0]);
    assert_int_equal(s.n_worst, WR_DEADLINES_WORST);
    for (int i = 0; i < s.n_worst; i++) {
        const wr_worst_step *const w = &s.worst[i];
        const wr_period_time time = period_of(w->i_part, w->i_step);
        assert_int_equal(w->over_ns, over_ns[i]);
        assert_int_equal(over_of(w->i_step), over_ns[i]);
        assert_memory_equal(&w->time, &time, sizeof time);
        for (int j = 0; j < N_PART; j++)
            assert_true(!watched[j] || period_of(j, w->i_step).over_ns <= time.over_ns);
        for (int j = 0; j < i; j++)
            assert_true(s.worst[j].i_step != w->i_step);
    }
}

/* Records all steps of the watched subsystems in a random order, with at most MOST_AHEAD steps between two subsystems. */
static void note_at_random(wr_deadlines *d, unsigned seed)
{
    int64_t n[N_PART] = {0}, n_noted = 0;
    n[UNWATCHED] = N_STEP;
    while (n_noted < (N_PART - 1) * N_STEP) {
        const int i = rand_r(&seed) % N_PART;
        int64_t least = N_STEP;
        for (int j = 0; j < N_PART; j++)
            least = n[j] < least ? n[j] : least;
        if (n[i] == N_STEP || n[i] >= least + MOST_AHEAD)
            continue;
        const wr_period_time time = period_of(i, n[i]++);
        wr_deadlines_note(d, i, &time);
        n_noted++;
    }
}

TEST(recount)
{
    static const int constraints[][2] = {{0, 1}, {0, 10}, {2, 5}, {3, 30}, {7, 100}};
    for (size_t c = 0; c < WR_COUNT_OF(constraints); c++) {
        AUTO(wr_arena_destroy) wr_arena *arena;
        const int m = constraints[c][0], k = constraints[c][1];
        wr_deadlines *const d = place(&arena, m, k, WR_DEADLINE_REPORT);
        for (unsigned seed = 1; seed < 4; seed++) {
            note_at_random(d, seed);
            recount(d, m, k);
            wr_deadlines_reset(d);
        }
    }
}

/* ---- judged steps ---- */

typedef struct judged_list {
    int n;
    wr_judged_step step[N_STEP];
} judged_list;

static void keep_judged(void *context, const wr_judged_step *step)
{
    judged_list *const list = context;
    assert_in_range(list->n, 0, N_STEP - 1);
    list->step[list->n++] = *step;
}

/* The judge passes each step once, in order. The last subsystem omits its last periods, so the judge passes these steps without it. */
TEST(judged)
{
    enum { OMITTED = WR_DEADLINES_AHEAD };
    static judged_list list;
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_deadlines *const d = wr_deadlines_place(arena, &(wr_deadlines_options){.n_part = N_PART,
                                                                              .is_watched = watched,
                                                                              .m = 2,
                                                                              .k = 5,
                                                                              .judged = keep_judged,
                                                                              .context = &list});
    assert_non_null(d);
    for (int64_t n = 0; n < N_STEP; n++)
        for (int i = 0; i < N_PART; i++) {
            const wr_period_time time = period_of(i, n);
            if (watched[i] && (i < N_PART - 1 || n < N_STEP - OMITTED))
                wr_deadlines_note(d, i, &time);
        }
    assert_int_equal(list.n, N_STEP - OMITTED + 1);
    for (int n = 0; n < list.n; n++) {
        const int is_complete = n < N_STEP - OMITTED;
        int64_t compute_ns = 0, late_ns = INT64_MAX;
        for (int i = 0; i < N_PART - !is_complete; i++)
            if (watched[i]) {
                const wr_period_time time = period_of(i, n);
                compute_ns += time.compute_ns;
                late_ns = time.late_ns < late_ns ? time.late_ns : late_ns;
            }
        assert_true(list.step[n].t_s >= n && list.step[n].t_s <= n);
        assert_int_equal(list.step[n].compute_ns, compute_ns);
        assert_int_equal(list.step[n].late_ns, late_ns);
        assert_int_equal(list.step[n].over_ns, is_complete ? over_of(n) : INT64_MAX);
    }
}

/* ---- threads ---- */

typedef struct noter {
    wr_deadlines *d;
    _Atomic int64_t *n; /* [N_PART] steps recorded, which limits the distance between threads */
    pthread_t thread;
    int i;
} noter;

static void *note_all(void *argument)
{
    noter *const me = argument;
    for (int64_t n = 0; n < N_STEP; n++) {
        for (int j = 0; j < N_PART; j++)
            while (watched[j] &&
                   atomic_load_explicit(&me->n[j], memory_order_relaxed) < n - MOST_AHEAD)
                sched_yield();
        const wr_period_time time = period_of(me->i, n);
        wr_deadlines_note(me->d, me->i, &time);
        atomic_store_explicit(&me->n[me->i], n + 1, memory_order_relaxed);
    }
    return NULL;
}

/* The record has all steps of concurrent threads. n_abandoned counts the steps that were judged without the part of a late thread. */
TEST(threads)
{
    AUTO(wr_arena_destroy) wr_arena *arena;
    wr_deadlines *const d = place(&arena, 2, 5, WR_DEADLINE_REPORT);
    for (int round = 0; round < 5; round++) {
        _Atomic int64_t n[N_PART] = {0};
        noter noters[N_PART];
        for (int i = 0; i < N_PART; i++) {
            noters[i] = (noter){.d = d, .n = n, .i = i};
            if (watched[i])
                assert_int_equal(pthread_create(&noters[i].thread, NULL, note_all, &noters[i]), 0);
        }
        for (int i = 0; i < N_PART; i++)
            if (watched[i])
                pthread_join(noters[i].thread, NULL);
        wr_deadlines_stats s;
        wr_deadlines_stats_get(d, &s);
        assert_int_equal(s.n_step, N_STEP);
        if (s.n_abandoned == 0)
            recount(d, 2, 5);
        else
            print_message("%lld steps were judged without a part\n", (long long)s.n_abandoned);
        wr_deadlines_reset(d);
    }
}

/* ---- policies ---- */

static void note_step(wr_deadlines *d, int64_t over_ns)
{
    for (int i = 0; i < N_PART; i++)
        if (watched[i])
            wr_deadlines_note(d, i, &(wr_period_time){.compute_ns = 10, .over_ns = over_ns});
}

TEST(policies)
{
    enum { REPORT, HOLD, DEGRADE, STOP, N_POLICY };
    wr_arena *arena[N_POLICY];
    wr_deadlines *d[N_POLICY];
    for (int p = 0; p < N_POLICY; p++)
        d[p] = place(&arena[p], 1, 3, (wr_deadline_policy)p);
    /* For each step: a miss; more than one miss in the last three steps; degraded after the step. */
    static const char missed[] = "0100110000010000101000";
    static const char violated[] = "0000011000000000001000";
    static const char degraded[] =
        "0000011100000000001110"; /* ends when the last 3 steps have no miss */
    int64_t n_held = 0;
    for (size_t n = 0; n < sizeof missed - 1; n++) {
        const int is_missed = missed[n] == '1', is_violated = violated[n] == '1';
        for (int p = 0; p < N_POLICY; p++)
            note_step(d[p], is_missed ? 1 : 0);
        assert_int_equal(wr_deadlines_is_holding(d[HOLD]), is_missed && is_violated);
        n_held += is_missed && is_violated;
        assert_int_equal(wr_deadlines_is_degraded(d[DEGRADE]), degraded[n] == '1');
        assert_int_equal(wr_deadlines_is_stopping(d[STOP]), is_missed && is_violated);
        assert_int_equal(wr_deadlines_take_stop(d[STOP]), is_missed && is_violated);
        assert_int_equal(wr_deadlines_is_stopping(d[STOP]), 0);
        assert_false(wr_deadlines_is_holding(d[REPORT]) || wr_deadlines_is_degraded(d[REPORT]) ||
                     wr_deadlines_is_stopping(d[REPORT]));
    }
    wr_deadlines_stats s;
    wr_deadlines_stats_get(d[HOLD], &s);
    assert_int_equal(s.n_held, n_held);
    wr_deadlines_stats_get(d[DEGRADE], &s);
    assert_int_equal(s.n_degraded, 6);
    for (int p = 0; p < N_POLICY; p++)
        wr_arena_destroy(&arena[p]);
}

/* ---- a stalled subsystem ---- */

/* If no room for steps is left, the oldest step counts as a miss without the stalled subsystem. A late arrival counts once. */
TEST(straggler)
{
    enum { N = 500 };
    AUTO(wr_arena_destroy) wr_arena *arena;
    wr_deadlines *const d = place(&arena, 3, 10, WR_DEADLINE_STOP);
    const wr_period_time time = {.compute_ns = 5, .over_ns = -1};
    for (int n = 0; n < N; n++) {
        for (int i = 1; i < N_PART; i++)
            if (watched[i])
                wr_deadlines_note(d, i, &time);
        assert_int_equal(wr_deadlines_is_stopping(d), n >= WR_DEADLINES_AHEAD - 1 + 3);
    }
    wr_deadlines_stats s;
    wr_deadlines_stats_get(d, &s);
    assert_int_equal(s.n_step, N - WR_DEADLINES_AHEAD + 1);
    assert_int_equal(s.n_miss, s.n_step);
    assert_int_equal(s.n_abandoned, s.n_step);
    assert_int_equal(s.worst[0].i_part, 0);
    assert_true(s.worst[0].over_ns == INT64_MAX);
    for (int n = 0; n < N; n++)
        wr_deadlines_note(d, 0, &time);
    wr_deadlines_stats_get(d, &s);
    assert_int_equal(s.n_step, N);
    assert_int_equal(s.n_miss, N - WR_DEADLINES_AHEAD + 1);
    assert_int_equal(wr_deadlines_part_misses(d, 0), 0);
    assert_int_equal(wr_histogram_count(wr_deadlines_part_compute(d, 0)), N);
    assert_int_equal(s.most_over_ns, -1); /* of steps at which all subsystems arrived */
}

TEST(wrong_numbers)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    static const int wrong[][2] = {{-1, 1}, {2, 1}, {0, 0}};
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++)
        assert_null(wr_deadlines_place(
            arena, &(wr_deadlines_options){
                       .n_part = 1, .is_watched = watched, .m = wrong[i][0], .k = wrong[i][1]}));
    wr_arena_destroy(&arena);
    arena = wr_arena_create(1000);
    assert_null(wr_deadlines_place(
        arena, &(wr_deadlines_options){.n_part = 1, .is_watched = watched, .m = 0, .k = 1}));
}
