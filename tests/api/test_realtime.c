/* Paced runs through the public interface: results unchanged by pacing, replays, effects of policies, stops and refusals. Deadlines of
 * a nanosecond are always missed, deadlines of an hour never, so no verdict depends on the speed of the machine. */
#include "wr_test.h"

#include <pthread.h>
#include <unistd.h>

#include "wrsim/wrsim.h"

#define PAIR                                                                                       \
    "[simulation]\nstop = 2.0\ncommunication_step = 0.01\n[relaxation]\nscheme = \"slack\"\n"      \
    "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\n"                                         \
    "parameters = { a = -1.0, b = 0.5 }\nstart = { x = 1.0 }\n"                                    \
    "[[component]]\nname = \"v\"\nmodel = \"dahlquist\"\n"                                         \
    "parameters = { a = -1.0, b = -0.5 }\nstart = { x = 3.0 }\n"                                   \
    "[[connection]]\nfrom = \"v.x\"\nto = \"u.u\"\n[[connection]]\nfrom = \"u.x\"\nto = \"v.u\"\n" \
    "[[port]]\nname = \"seen\"\nfrom = \"u.x\"\n"
#define NEVER "realtime.deadline=3600"
#define ALWAYS "realtime.deadline=1e-9"

enum { N_SET = 12 };

static wrsim_status try_to_create(const char *const *set, wrsim **ret_sim, wrsim_error *err)
{
    wrsim_config *config = NULL;
    int n = 0;
    while (n < N_SET && set[n])
        n++;
    wrsim_status status =
        wrsim_config_from_text(PAIR, strlen(PAIR), "pair.toml", set, n, NULL, NULL, &config, err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, ret_sim, err);
    wrsim_config_destroy(&config);
    return status;
}

static wrsim *create(const char *const *set)
{
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_status status = try_to_create(set, &sim, &err);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_true(status >= 0);
    return sim;
}

static double value_of(wrsim *sim, const char *name)
{
    return wrsim_get(sim, wrsim_find(sim, name));
}

/* ---- results without and with pacing ---- */

static void run(const char *const *set, double *ret_value)
{
    AUTO(wrsim_destroy) wrsim *sim = create(set);
    wrsim_error err = {0};
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
    ret_value[0] = value_of(sim, "u.x");
    ret_value[1] = value_of(sim, "v.x");
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
}

TEST(same_bits)
{
    static const char *const exchanges[][3] = {
        {"slack.bound=0", NULL, NULL},
        {"slack.sweeps=3", NULL, NULL},
        {"slack.delays=\"fixed\"", "slack.delay=3", NULL},
        {"slack.delays=\"drawn\"", "slack.delay=5", "slack.seed=17"},
    };
    static const char *const paces[][2] = {{"realtime.rate=100", "scheduler.workers=1"},
                                           {"realtime.rate=100", "scheduler.workers=2"},
                                           {"realtime.rate=1000", "realtime.wait=\"spin\""},
                                           {"realtime.rate=1e6", "realtime.wait=\"mixed\""}};
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        double free_run[2], paced[2];
        const char *set[N_SET] = {"realtime.rate=0", "output.file=\"\""};
        for (int k = 0; k < 3; k++)
            set[2 + k] = exchanges[i][k];
        run(set, free_run);
        for (size_t p = 0; p < sizeof paces / sizeof *paces; p++) {
            memcpy(set, paces[p], sizeof paces[p]);
            run(set, paced);
            assert_memory_equal(free_run, paced, sizeof paced);
        }
    }
}

/* A replay of the log of a paced live run has the bits of the live run. */
TEST(replay)
{
    double live[2], again[2];
    run((const char *const[N_SET]){"realtime.rate=100", "slack.bound=-1", "scheduler.workers=2",
                                   "slack.log=\"paced_log.csv\""},
        live);
    run((const char *const[N_SET]){"slack.replay=\"paced_log.csv\""}, again);
    assert_memory_equal(live, again, sizeof live);
    run((const char *const[N_SET]){"slack.replay=\"paced_log.csv\"", "realtime.rate=1000"}, again);
    assert_memory_equal(live, again, sizeof live);
    remove("paced_log.csv");
}

/* ---- policies ---- */

TEST(report)
{
    static const char *const deadlines[] = {ALWAYS, NEVER};
    for (int is_never = 0; is_never < 2; is_never++) {
        AUTO(wrsim_destroy)
        wrsim *sim = create((const char *const[N_SET]){"realtime.rate=1000", deadlines[is_never],
                                                       "realtime.misses=3", "realtime.of=10"});
        wrsim_error err = {0};
        assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
        wrsim_realtime_stats r;
        assert_int_equal(wrsim_stats_realtime(sim, &r), WRSIM_OK);
        assert_int_equal(r.n_step, 200);
        assert_int_equal(r.n_miss, is_never ? 0 : 200);
        assert_int_equal(r.n_violation, is_never ? 0 : 197);
        assert_int_equal(r.first_violation, is_never ? -1 : 3);
        assert_int_equal(r.longest_run, is_never ? 0 : 200);
        assert_string_equal(r.policy, "report");
        assert_int_equal(r.compute.n, 200);
        assert_true(r.compute.median_ns > 0 && r.compute.most_ns >= r.compute.median_ns);
        assert_int_equal(r.n_worst, 10);
        wrsim_worst_step worst, before = {.over_ns = INT64_MAX};
        for (int i = 0; i < r.n_worst; i++, before = worst) {
            assert_int_equal(wrsim_stats_worst(sim, i, &worst), WRSIM_OK);
            assert_true(worst.over_ns <= before.over_ns && (worst.over_ns > 0) == !is_never);
            assert_true(worst.n_rhs > 0 && worst.compute_ns > 0);
            assert_true(strcmp(worst.subsystem, "u") == 0 || strcmp(worst.subsystem, "v") == 0);
        }
        assert_int_equal(wrsim_stats_worst(sim, r.n_worst, &worst), WRSIM_E_ARG);
        int64_t n_miss = -1;
        wrsim_wall_times compute;
        assert_int_equal(wrsim_stats_compute(sim, 0, &compute, &n_miss), WRSIM_OK);
        assert_int_equal(n_miss, is_never ? 0 : 200);
        assert_int_equal(compute.n, 200);
        AUTO(wr_test_free) char *summary = wrsim_summary(sim);
        assert_non_null(strstr(summary, "\"worst_steps\""));
    }
}

/* Results up to the stop are complete. */
TEST(stop)
{
    AUTO(wrsim_destroy)
    wrsim *sim = create((const char *const[N_SET]){
        "realtime.rate=1000", ALWAYS, "realtime.misses=4", "realtime.of=10",
        "realtime.policy=\"stop\"", "slack.bound=0", "output.file=\"stopped.csv\""});
    wrsim_error err = {0};
    assert_int_equal(wrsim_run(sim, &err), WRSIM_DEADLINE_MISSED);
    const double t_s = wrsim_time(sim);
    assert_true(t_s >= 0.05 && t_s < 1.0);
    wrsim_realtime_stats r;
    wrsim_stats_realtime(sim, &r);
    assert_int_equal(r.first_violation, 4);
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
    char *const summary = wrsim_summary(sim);
    assert_non_null(strstr(summary, "\"WRSIM_DEADLINE_MISSED\""));
    free(summary);
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    assert_int_equal(stats.n_row, (int64_t)(t_s / 0.01 + 0.5) + 1);
    FILE *const file = fopen("stopped.csv", "r");
    char line[256];
    double last_s = -1.0;
    while (fgets(line, sizeof line, file))
        (void)sscanf(line, "%lf,c", &last_s);
    fclose(file);
    assert_close(last_s, t_s, 1e-12, 0);
    remove("stopped.csv");
}

/* With policy "hold" output ports keep their values at every miss, except with realtime.soft. */
TEST(hold)
{
    static const char *const set[][N_SET] = {
        {"realtime.rate=1000", ALWAYS, "realtime.policy=\"hold\""},
        {"realtime.rate=1000", ALWAYS},
        {"realtime.rate=1000", NEVER, "realtime.policy=\"hold\""},
        {"realtime.rate=1000", ALWAYS, "realtime.policy=\"hold\"", "realtime.soft=true"}};
    for (int i = 0; i < 4; i++) {
        AUTO(wrsim_destroy) wrsim *sim = create(set[i]);
        wrsim_error err = {0};
        const double start = wrsim_port_get(sim, 0);
        assert_close(start, 1.0, 0, 0);
        for (int n = 1; n <= 10; n++)
            assert_int_equal(wrsim_advance(sim, 0.01 * n, &err), WRSIM_OK);
        assert_true((wrsim_port_get(sim, 0) == start) == (i == 0));
        wrsim_realtime_stats r;
        wrsim_stats_realtime(sim, &r);
        assert_int_equal(r.n_held, i == 0 ? 10 : 0);
    }
}

TEST(degrade)
{
    double cheap[2], usual[2];
    const char *set[N_SET] = {"realtime.rate=1000",
                              ALWAYS,
                              "slack.bound=0",
                              "slack.sweeps=3",
                              "realtime.policy=\"degrade\"",
                              "scheduler.workers=1"};
    run(set, cheap);
    set[1] = NEVER;
    run(set, usual);
    assert_true(cheap[0] != usual[0]);
    /* From the second period on each period has one sweep, with looser tolerances. */
    set[1] = ALWAYS;
    AUTO(wrsim_destroy) wrsim *sim = create(set);
    wrsim_error err = {0};
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
    wrsim_stats stats;
    wrsim_realtime_stats r;
    wrsim_stats_get(sim, &stats);
    wrsim_stats_realtime(sim, &r);
    assert_int_equal(r.n_degraded, 199);
    assert_int_equal(stats.n_integration, 2 * (3 + 199));
}

/* ---- leaving ---- */

static void *stop_soon(void *sim)
{
    usleep(20000);
    wrsim_stop(sim);
    return NULL;
}

/* The next period is hours away: a run without an immediate stop exceeds the test's time limit. */
TEST(stop_while_waiting)
{
    static const char *const waits[] = {"realtime.wait=\"sleep\"", "realtime.wait=\"spin\""};
    for (int i = 0; i < 2; i++) {
        AUTO(wrsim_destroy)
        wrsim *sim = create(
            (const char *const[N_SET]){"realtime.rate=1e-6", waits[i], "scheduler.workers=2"});
        pthread_t thread;
        wrsim_error err = {0};
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, sim), 0);
        assert_int_equal(wrsim_run(sim, &err), WRSIM_STOPPED);
        pthread_join(thread, NULL);
        assert_close(wrsim_time(sim), 0.01, 1e-12, 0);
    }
}

/* ---- refused configs and arguments ---- */

TEST(refused)
{
    static const struct {
        const char *set[3], *text;
    } cases[] = {
        {{"relaxation.scheme=\"jacobi\"", "realtime.rate=1"}, "relaxation.scheme = \"slack\""},
        {{"relaxation.scheme=\"jacobi\"", "realtime.priority=1"}, "relaxation.scheme"},
        {{"realtime.rate=1e-9"}, "at least"},
        {{"realtime.misses=2"}, "realtime.of"},
        {{"realtime.rate=1", "output.waves=true", "output.file=\"waves.h5\""}, "output.waves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wrsim *sim = NULL;
        wrsim_error err = {0};
        const char *set[N_SET] = {0};
        memcpy(set, cases[i].set, sizeof cases[i].set);
        assert_int_equal(try_to_create(set, &sim, &err), WRSIM_E_CONFIG);
        if (!strstr(err.text, cases[i].text))
            print_error("%s\n", err.text);
        assert_non_null(strstr(err.text, cases[i].text));
        assert_null(sim);
    }
    wrsim_realtime_stats r;
    wrsim_wall_times t;
    assert_int_equal(wrsim_stats_realtime(NULL, &r), WRSIM_E_ARG);
    assert_int_equal(wrsim_stats_compute(NULL, 0, &t, NULL), WRSIM_E_ARG);
}

/* A run that is not strict continues if the system refuses priority or memory locks, and reports each refusal. */
TEST(privileges)
{
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    const char *set[N_SET] = {"realtime.rate=1000",        "realtime.priority=10",
                              "realtime.lock_memory=true", "realtime.strict=true",
                              "scheduler.pin=false",       "realtime.jitter=true"};
    assert_int_equal(try_to_create(set, &sim, &err), WRSIM_OK);
    const wrsim_status strict = wrsim_prepare(sim, &err);
    wrsim_destroy(&sim);
    assert_true(strict == WRSIM_OK || strict == WRSIM_E_PRIVILEGE);
    if (strict < 0)
        assert_non_null(strstr(err.text, "realtime.strict = false"));
    set[3] = "realtime.strict=false";
    sim = create(set);
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
    wrsim_realtime_stats r;
    wrsim_stats_realtime(sim, &r);
    assert_int_equal(r.priority_refusal != 0 || r.lock_refusal != 0, strict < 0);
    assert_true(r.jitter.n > 0);
}
