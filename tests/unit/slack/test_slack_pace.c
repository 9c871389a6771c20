/* Paced runs with a test clock. Subsystems take the time that the test sets, and sleeps end on time. The test computes the expected
 * values of every period. */
#include "wr_test.h"

#include <sched.h>

#include "base/check.h"
#include "base/clock.h"
#include "runtime/slack/slack.h"
#include "runtime/slack/slack_clock.h"
#include "runtime/slack/slack_place.h"

enum { MOST_PART = 3, MOST_PERIOD = 4000, MS = 1000000 };
#define PERIOD_OF_TEN_MS 0.01 /* of wall time, at rate 1 */
static const double PERIOD_S = PERIOD_OF_TEN_MS;

/* ---- the clock ---- */

typedef struct fake_clock {
    int64_t now_ns, n_sleep, n_read;
    int64_t jump_at_ns, jump_ns; /* the test sets the clock once, at this time */
    int stands_still;
} fake_clock;

static fake_clock wall;

static void pass(int64_t ns)
{
    wall.now_ns += wall.stands_still ? 0 : ns;
    if (wall.jump_ns != 0 && wall.now_ns >= wall.jump_at_ns) {
        wall.now_ns += wall.jump_ns;
        wall.jump_ns = 0;
    }
}

static int64_t read_fake(void *context)
{
    wall.n_read++;
    return wall.now_ns;
}

static void sleep_fake(void *context, int64_t due_ns)
{
    wall.n_sleep++;
    if (due_ns > wall.now_ns)
        pass(due_ns - wall.now_ns);
}

/* ---- subsystems: decays that read their left neighbours ---- */

typedef struct unit {
    wr_subsystem face;
    wr_wiring link;
    double x, saved_x, saved_s, external;
    const wr_wave *source[1];
    int64_t cost_ns[MOST_PERIOD]; /* of each advance, in order */
    int n_advance;
    double factor[MOST_PERIOD]; /* tolerance factor of each call */
    int64_t begun_ns[MOST_PERIOD];
    int fails_at; /* number of the failing advance; 0: none */
} unit;

static unit units[MOST_PART];

/* With the machine's clock: subsystem 0 stalls in one advance until subsystem 1 has made a number of advances and a time has passed. */
static struct {
    int is_on, at, until;
    int64_t least_ns;
    atomic_int n_made;
} stall;

static unit *unit_of(const wr_subsystem *s) { return s->inside; }

static wrsim_status begin(wr_subsystem *s)
{
    s->t_s = 0.0;
    unit_of(s)->x = 1.0;
    return WRSIM_OK;
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    ret_value[0] = unit_of(s)->x;
    if (ret_slope)
        ret_slope[0] = -unit_of(s)->x;
    return WRSIM_OK;
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    unit *const u = unit_of(s);
    const int n = u->n_advance++;
    u->factor[n] = tolerance_factor;
    if (stall.is_on) {
        if (u == &units[0] && n == stall.at) {
            const int64_t end_ns = wr_clock_monotonic_ns() + stall.least_ns;
            while (atomic_load_explicit(&stall.n_made, memory_order_relaxed) < stall.until ||
                   wr_clock_monotonic_ns() < end_ns)
                sched_yield();
        }
        if (u == &units[1])
            atomic_fetch_add_explicit(&stall.n_made, 1, memory_order_relaxed);
    } else {
        u->begun_ns[n] = wall.now_ns;
        pass(u->cost_ns[n]);
    }
    if (u->fails_at > 0 && u->n_advance >= u->fails_at) {
        s->fault = (wr_fault){.status = WRSIM_E_CALLBACK, .t_s = s->t_s, .message = "it is tired"};
        return WRSIM_E_CALLBACK;
    }
    wr_cursor cursor = wr_cursor_start();
    const double input = s->n_source > 0 ? wr_wave_eval(s->source[0], &cursor, s->t_s, 0) : 0.0;
    const double before = u->x;
    u->x += (t_end_s - s->t_s) * (0.5 * input - before);
    wr_wave_clear(s->wave);
    const double slope = (u->x - before) / (t_end_s - s->t_s);
    WR_TRY(wr_wave_append(s->wave, s->t_s, &before, &slope));
    WR_TRY(wr_wave_append(s->wave, t_end_s, &u->x, &slope));
    s->t_s = t_end_s;
    return WRSIM_OK;
}

static void save(wr_subsystem *s)
{
    unit_of(s)->saved_x = unit_of(s)->x;
    unit_of(s)->saved_s = s->t_s;
}

static void restore(wr_subsystem *s)
{
    unit_of(s)->x = unit_of(s)->saved_x;
    s->t_s = unit_of(s)->saved_s;
}

static const wr_subsystem_ops unit_ops = {.kind = "unit",
                                          .begin = begin,
                                          .published = published,
                                          .advance = advance,
                                          .save = save,
                                          .restore = restore};

/* ---- runs ---- */

typedef struct setting {
    int n_part, n_worker, n_sweep;
    int is_ring; /* the first subsystem reads the last */
    int is_pair; /* subsystem 1 reads subsystem 0 */
    double rate; /* 0 stands for 1, or for 1000 with a stall */
    int m, k;
    wr_deadline_policy policy;
    double deadline_s, catch_up_s;
    int is_unpaced, bound;
    double *period_s; /* [n_part] of the connection of each subsystem; NULL: the period */
    void (*poll)(void *context);
} setting;

typedef struct paced {
    wr_arena *arena;
    wr_team *team;
    wr_slack *slack;
    wr_deadlines *deadlines;
} paced;

static void place_units(wr_arena *arena, const setting *set)
{
    static const int no_state[1] = {-1}, first[1] = {0};
    static double one[1] = {1.0}, small[1] = {1e-6};
    static int producer[MOST_PART];
    static const char *names[] = {"part.x"};
    for (int i = 0; i < set->n_part; i++) {
        unit *const u = &units[i];
        producer[i] = (i + set->n_part - 1) % set->n_part;
        const int n_source = set->is_ring || (set->is_pair && i == 1);
        u->face = (wr_subsystem){.ops = &unit_ops,
                                 .inside = u,
                                 .wave = wr_wave_place(arena, 1, 4),
                                 .source = u->source,
                                 .n_source = n_source,
                                 .n_external = n_source,
                                 .n_published = 1,
                                 .external = &u->external,
                                 .external_source = first,
                                 .external_signal = first,
                                 .signal_state = no_state,
                                 .nominal_published = one,
                                 .rtol = 1e-3,
                                 .atol_published = small,
                                 .atol_external = small,
                                 .work_per_rhs = 1.0,
                                 .name = "unit"};
        u->link = (wr_wiring){.subsystem = &u->face,
                              .arena = arena,
                              .producer = &producer[i],
                              .period_s = set->period_s ? &set->period_s[i] : NULL,
                              .input_start = one,
                              .signal_name = names,
                              .history_source = -1};
    }
}

/* Places and starts a paced run. The caller sets the costs of the subsystems before. */
static paced open_paced(const setting *set)
{
    static const unsigned char all[MOST_PART] = {1, 1, 1};
    static const int no_cpu[4] = {-1, -1, -1, -1};
    paced p = {.arena = wr_arena_create(1 << 24)};
    place_units(p.arena, set);
    wr_wiring *const links = WR_NEW_ARRAY(p.arena, wr_wiring, set->n_part);
    for (int i = 0; i < set->n_part; i++)
        links[i] = units[i].link;
    p.team = wr_team_create(
        &(wr_team_options){.n_worker = set->n_worker, .cpu = no_cpu, .spin_us = 0.0});
    p.slack =
        wr_slack_place(p.arena,
                       &(wr_slack_options){.communication_step_s = PERIOD_S,
                                           .slack = {.period_s = PERIOD_S,
                                                     .shortest_period_s = PERIOD_S,
                                                     .bound = set->bound,
                                                     .sweeps = set->n_sweep > 0 ? set->n_sweep : 1},
                                           .fixed_degree = 0,
                                           .max_event_iterations = 10,
                                           .cap_node = 8},
                       links, set->n_part, p.team);
    p.deadlines = wr_deadlines_place(p.arena, &(wr_deadlines_options){.n_part = set->n_part,
                                                                      .is_watched = all,
                                                                      .m = set->m,
                                                                      .k = set->k,
                                                                      .policy = set->policy});
    assert_true(p.slack && p.deadlines && p.team);
    const wr_pacer_clock fake = {.now = read_fake, .sleep_until = sleep_fake}, own = {.now = NULL};
    const wr_slack_pace pace = {.rate = set->is_unpaced ? 0.0
                                        : set->rate > 0 ? set->rate
                                        : stall.is_on   ? 1000.0
                                                        : 1.0,
                                .clock = stall.is_on ? own : fake,
                                .deadline_s = set->deadline_s,
                                .catch_up_s = set->catch_up_s > 0.0 ? set->catch_up_s : 1e3,
                                .degraded_factor = 8.0,
                                .deadlines = p.deadlines,
                                .poll = set->poll,
                                .context = p.slack};
    assert_int_equal(wr_slack_set_pace(p.slack, p.arena, &pace), WRSIM_OK);
    wrsim_error err = {0};
    if (wr_slack_start(p.slack, &err) < 0)
        print_error("%s\n", err.text);
    wr_arena_seal(p.arena);
    return p;
}

static void close_paced(paced *p)
{
    wr_team_destroy(&p->team);
    wr_arena_destroy(&p->arena);
}

static int set_up(void **state)
{
    memset(units, 0, sizeof units);
    stall.is_on = 0;
    stall.until = 0;
    stall.least_ns = 0;
    atomic_store_explicit(&stall.n_made, 0, memory_order_relaxed);
    wall = (fake_clock){.now_ns = 12345678};
    return 0;
}

TEST_EACH(set_up, NULL)

/* ---- tests ---- */

/* Subsystems that are in time begin each period at its start time, to the nanosecond: the schedule does not drift. */
TEST(in_time)
{
    enum { N = 1000 };
    const setting set = {.n_part = 2, .n_worker = 1, .is_ring = 1, .k = 1};
    for (int n = 0; n < N; n++) {
        units[0].cost_ns[n] = 2 * MS;
        units[1].cost_ns[n] = 3 * MS;
    }
    const int64_t start_ns = wall.now_ns;
    AUTO(close_paced) paced p = open_paced(&set);
    for (int n = 1; n <= 4; n++) /* the schedule continues from run to run */
        assert_int_equal(wr_slack_run(p.slack, n * N * PERIOD_S / 4.0, NULL), WRSIM_OK);
    for (int n = 0; n < N; n++) {
        const int64_t due_ns = start_ns + (int64_t)n * 10 * MS;
        const int first = units[0].begun_ns[n] < units[1].begun_ns[n] ? 0 : 1;
        assert_between((double)(units[first].begun_ns[n] - due_ns), -1.0, 1.0);
        assert_int_equal(units[1 - first].begun_ns[n] - units[first].begun_ns[n],
                         units[first].cost_ns[n]);
    }
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, N);
    assert_int_equal(s.n_miss, 0);
    assert_between((double)s.most_over_ns, -5.0 * MS - 1, -5.0 * MS + 1);
    assert_int_equal(wr_histogram_max(wr_deadlines_compute(p.deadlines)), 5 * MS);
    assert_true(wr_histogram_max(wr_deadlines_lateness(p.deadlines)) <= 1);
    assert_between((double)wr_histogram_min(wr_deadlines_margin(p.deadlines)), 5.0 * MS - 1,
                   5.0 * MS + 1);
    assert_int_equal(wr_slack_jumps(p.slack), 0);
    assert_true(wall.n_sleep >= N - 4);
}

/* Two subsystems advance by fourths of a period, none before its due time. Deadlines count whole periods of all subsystems. */
TEST(shorter_periods)
{
    enum { N = 200, PARTS = 4 };
    static double period_s[MOST_PART] = {0.0, PERIOD_OF_TEN_MS / PARTS, 0.0};
    const setting set = {.n_part = 3, .n_worker = 1, .is_ring = 1, .k = 1, .period_s = period_s};
    for (int n = 0; n < PARTS * N; n++) {
        units[0].cost_ns[n] = units[1].cost_ns[n] = MS / 2;
        units[2].cost_ns[n] = 2 * MS;
    }
    const int64_t start_ns = wall.now_ns;
    AUTO(close_paced) paced p = open_paced(&set);
    for (int n = 1; n <= 4; n++)
        assert_int_equal(wr_slack_run(p.slack, n * N * PERIOD_S / 4.0, NULL), WRSIM_OK);
    assert_int_equal(units[0].n_advance, PARTS * N);
    assert_int_equal(units[1].n_advance, PARTS * N);
    assert_int_equal(units[2].n_advance, N);
    for (int n = 0; n < PARTS * N; n++) {
        const int64_t due_ns = start_ns + (int64_t)n * 10 * MS / PARTS;
        assert_between((double)(units[0].begun_ns[n] - due_ns), -1.0, 3.0 * MS);
        assert_between((double)(units[1].begun_ns[n] - due_ns), -1.0, 3.0 * MS);
    }
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, N);
    assert_int_equal(s.n_miss, 0);
    assert_int_equal(wr_histogram_max(wr_deadlines_compute(p.deadlines)), 6 * MS);
    assert_int_equal(wr_histogram_min(wr_deadlines_compute(p.deadlines)), 6 * MS);
}

/* One worker advances all subsystems in turn, so the test can compute the misses. */
TEST(overruns_are_recounted)
{
    enum { N = 3000, M = 4, K = 20 };
    const setting set = {
        .n_part = 2, .n_worker = 1, .is_ring = 1, .m = M, .k = K, .deadline_s = 0.012};
    unsigned seed = 7;
    static int is_missed[N];
    int64_t free_ns = 0, n_miss = 0, n_violation = 0;
    for (int n = 0; n < N; n++) {
        int64_t step_ns = 0;
        for (int i = 0; i < 2; i++) {
            units[i].cost_ns[n] = 3 * MS + rand_r(&seed) % (rand_r(&seed) % 40 == 0 ? 40 * MS : MS);
            step_ns += units[i].cost_ns[n];
        }
        const int64_t due_ns = (int64_t)n * 10 * MS;
        free_ns = (free_ns > due_ns ? free_ns : due_ns) + step_ns;
        /* No end is within rounding distance of its deadline. */
        assert_true(llabs(free_ns - due_ns - 12 * MS) > 2);
        is_missed[n] = free_ns > due_ns + 12 * MS;
        n_miss += is_missed[n];
        int n_window = 0;
        for (int j = n; j >= 0 && j > n - K; j--)
            n_window += is_missed[j];
        n_violation += n_window > M;
    }
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, N);
    assert_int_equal(s.n_miss, n_miss);
    assert_int_equal(s.n_violation, n_violation);
    assert_true(n_miss > 100 && n_miss < N / 2 && n_violation > 0);
}

/* The run stops after more misses than allowed, at one time of all subsystems, and may continue. */
TEST(stop)
{
    const setting set = {
        .n_part = 3, .n_worker = 1, .is_ring = 1, .m = 1, .k = 10, .policy = WR_DEADLINE_STOP};
    for (int i = 0; i < 3; i++)
        units[i].cost_ns[50] = units[i].cost_ns[55] = 5 * MS;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, 1.0, NULL), WRSIM_DEADLINE_MISSED);
    const double t_s = wr_slack_time(p.slack);
    assert_between(t_s, 0.5, 0.6);
    for (int i = 0; i < 3; i++)
        assert_true(units[i].face.t_s == t_s);
    assert_int_equal(wr_slack_run(p.slack, 1.0, NULL), WRSIM_OK);
    assert_true(wr_slack_time(p.slack) == 1.0);
}

/* After a violation, steps have one sweep and a looser tolerance until k steps are in time. */
TEST(degrade)
{
    enum { N = 100, K = 5 };
    const setting set = {.n_part = 2,
                         .n_worker = 1,
                         .n_sweep = 3,
                         .is_ring = 1,
                         .k = K,
                         .policy = WR_DEADLINE_DEGRADE};
    units[0].cost_ns[3 * 40] = 15 * MS; /* in the first sweep of step 40 */
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_miss, 1);
    /* Step 40 makes the next step late without a miss. The last of K steps in time ends the degradation. */
    assert_int_equal(s.n_degraded, K);
    for (int i = 0; i < 2; i++) {
        int n_cheap = 0;
        assert_int_equal(units[i].n_advance, 3 * N - 2 * K);
        for (int n = 0; n < units[i].n_advance; n++)
            n_cheap += units[i].factor[n] == 8.0;
        assert_int_equal(n_cheap, K);
        assert_true(units[i].factor[3 * 41] == 8.0 && units[i].factor[3 * 41 + K] == 1.0);
    }
}

/* A jump of the clock moves the schedule once, forward or back. No subsystem waits for hours or skips a wait. */
TEST(clock_jumps)
{
    enum { N = 400 };
    static const int64_t jumps_ns[] = {3600000000000, -3600000000000};
    const setting set = {.n_part = 2, .n_worker = 1, .is_ring = 1, .k = 1, .catch_up_s = 0.1};
    for (size_t j = 0; j < WR_COUNT_OF(jumps_ns); j++) {
        set_up(NULL);
        for (int n = 0; n < N; n++)
            units[0].cost_ns[n] = units[1].cost_ns[n] = 2 * MS;
        const int64_t start_ns = wall.now_ns;
        wall.jump_at_ns = start_ns + 1000 * MS;
        wall.jump_ns = jumps_ns[j];
        AUTO(close_paced) paced p = open_paced(&set);
        assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
        assert_int_equal(wr_slack_jumps(p.slack), 1);
        const double passed_ms = (double)(wall.now_ns - start_ns - jumps_ns[j]) / MS;
        assert_between(passed_ms, 10.0 * N - 20.0, 10.0 * N + 20.0);
    }
}

/* A jump of the clock counts neither as free time nor as computing time. */
TEST(clock_goes_back_in_a_step)
{
    enum { N = 400 };
    const setting set = {.n_part = 1, .n_worker = 1, .k = 1, .catch_up_s = 0.1};
    for (int n = 0; n < N; n++)
        units[0].cost_ns[n] = 4 * MS;
    wall.jump_at_ns = wall.now_ns + 1001 * MS;
    wall.jump_ns = -3600000000000;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, N);
    assert_int_equal(s.n_miss, 0);
    assert_int_equal(wr_slack_jumps(p.slack), 1);
    assert_true(wr_histogram_max(wr_deadlines_margin(p.deadlines)) <= 10 * MS + 1);
    assert_true(wr_histogram_mean(wr_deadlines_compute(p.deadlines)) >= 3.9 * MS);
}

/* If every step is late, the schedule moves repeatedly and the run ends. */
TEST(overrun_storm)
{
    enum { N = 500 };
    const setting set = {.n_part = 2, .n_worker = 1, .is_ring = 1, .k = 1, .catch_up_s = 0.1};
    for (int n = 0; n < N; n++)
        units[0].cost_ns[n] = units[1].cost_ns[n] = 20 * MS;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, N);
    assert_int_equal(s.n_miss, N);
    assert_true(wr_slack_jumps(p.slack) > 50);
}

/* The run ends although the clock does not advance. */
TEST(clock_stands_still)
{
    const setting set = {.n_part = 1, .n_worker = 1, .k = 1};
    wall.stands_still = 1;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, 3.0 * PERIOD_S, NULL), WRSIM_OK);
    assert_int_equal(wr_slack_jumps(p.slack), 2);
}

static int64_t stop_at_ns;

static void stop_then(void *slack)
{
    if (wall.now_ns >= stop_at_ns)
        wr_slack_stop(slack);
}

/* After a stop request, a worker that waits for a distant start time ends its wait within 50 ms of the test clock. */
TEST(stop_while_waiting)
{
    const setting set = {.n_part = 2, .n_worker = 1, .is_ring = 1, .k = 1, .poll = stop_then};
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, PERIOD_S, NULL), WRSIM_OK);
    wall.now_ns -=
        800000 *
        (int64_t)MS; /* the next start time of a period is 800 s later, which catch_up allows */
    stop_at_ns = wall.now_ns + 500 * MS;
    assert_int_equal(wr_slack_run(p.slack, 2.0, NULL), WRSIM_STOPPED);
    assert_true(wall.now_ns - stop_at_ns <= 50 * MS);
    assert_true(wr_slack_time(p.slack) < 2.0);
}

/* A failure ends the run without further waits. */
TEST(failure)
{
    const setting set = {.n_part = 3, .n_worker = 1, .is_ring = 1, .k = 1};
    units[1].fails_at = 20;
    AUTO(close_paced) paced p = open_paced(&set);
    wrsim_error err = {0};
    const int64_t start_ns = wall.now_ns;
    assert_int_equal(wr_slack_run(p.slack, 2.0, &err), WRSIM_E_CALLBACK);
    assert_true(wall.now_ns - start_ns <= 200 * MS);
}

/* A worker that hangs in a model delays no subsystem that does not wait for this model, and the run counts the misses. */
TEST(stalled_worker)
{
    enum { N = 1000, STALL = 200 };
    const setting set = {.n_part = 2, .n_worker = 2, .m = N, .k = N, .bound = -1};
    stall.is_on = 1;
    stall.at = 10;
    stall.until = 10 + STALL;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, N);
    assert_true(s.n_abandoned >= STALL - WR_DEADLINES_AHEAD - 10);
    assert_true(s.n_miss >= s.n_abandoned);
    for (int i = 0; i < 2; i++)
        assert_int_equal(units[i].n_advance, N);
}

/* A late subsystem catches up while other subsystems follow the clock and the schedule stays. */
TEST(straggler_moves_no_schedule)
{
    enum { N = 400, STALL = 200 };
    const setting set = {.n_part = 2,
                         .n_worker = 2,
                         .k = 1,
                         .bound = -1,
                         .rate = 10.0, /* periods of 1 ms */
                         .catch_up_s = 0.05};
    stall.is_on = 1;
    stall.at = 10;
    stall.until = 10 + STALL;
    AUTO(close_paced) paced p = open_paced(&set);
    const int64_t begin_ns = wr_clock_monotonic_ns();
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    const double passed_ms = (double)(wr_clock_monotonic_ns() - begin_ns) / MS;
    /* The last period begins at its start time, later by each move of the schedule. The schedule moves only if all subsystems are late. */
    assert_true(passed_ms >= N - 1 + 50.0 * (double)wr_slack_jumps(p.slack));
}

/* A move of the schedule within a period leaves the period's deadline unchanged. */
TEST(deadline_stays)
{
    const setting set = {.n_part = 3,
                         .n_worker = 2,
                         .is_pair = 1,
                         .k = 1,
                         .rate = 10.0,
                         .catch_up_s = 0.02,
                         .deadline_s = 0.06};
    stall.is_on = 1;
    stall.at = 10;
    stall.least_ns = 100 * (int64_t)MS;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, 200 * PERIOD_S, NULL), WRSIM_OK);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_step, 200);
    assert_true(s.n_miss > 0);
    assert_true(wr_deadlines_part_misses(p.deadlines, 0) > 0);
}

/* Without a rate no subsystem waits, but the run measures the periods. */
TEST(timed_only)
{
    enum { N = 50 };
    const setting set = {.n_part = 2, .n_worker = 1, .is_ring = 1, .k = 1, .is_unpaced = 1};
    for (int n = 0; n < N; n++)
        units[0].cost_ns[n] = n % 5 == 0 ? 11 * MS : MS;
    AUTO(close_paced) paced p = open_paced(&set);
    assert_int_equal(wr_slack_run(p.slack, N * PERIOD_S, NULL), WRSIM_OK);
    assert_int_equal(wall.n_sleep, 0);
    wr_deadlines_stats s;
    wr_deadlines_stats_get(p.deadlines, &s);
    assert_int_equal(s.n_miss, N / 5);
    assert_int_equal(wr_histogram_max(wr_deadlines_part_compute(p.deadlines, 0)), 11 * MS);
    assert_int_equal(wr_histogram_max(wr_deadlines_part_compute(p.deadlines, 1)), 0);
}

TEST(wrong_numbers)
{
    const setting set = {.n_part = 1, .n_worker = 1, .k = 1};
    AUTO(close_paced) paced p = open_paced(&set);
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 16);
    const wr_slack_pace right = {
        .rate = 1.0, .catch_up_s = 1.0, .degraded_factor = 1.0, .deadlines = p.deadlines};
    wr_slack_pace wrong[6];
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++)
        wrong[i] = right;
    wrong[0].rate = -1.0;
    wrong[1].deadline_s = -1.0;
    wrong[2].catch_up_s = 0.0;
    wrong[3].degraded_factor = 0.5;
    wrong[4].deadlines = NULL;
    wrong[5].rate = 1e-12;
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++)
        assert_int_equal(wr_slack_set_pace(p.slack, arena, &wrong[i]), WRSIM_E_ARG);
    assert_int_equal(wr_slack_set_pace(p.slack, arena, &right), WRSIM_OK);
}
