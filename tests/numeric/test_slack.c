/* Slackened synchronisation against closed forms, and against itself on other numbers of workers.
 *
 * The linear pair u' = -u + v/2, v' = -v - u/2 (bench problem of asynch-WFR, models/dahlquist/readme.md), one state per subsystem:
 * u = e^-t (cos(t/2) + 3 sin(t/2)), v = e^-t (3 cos(t/2) - sin(t/2)).
 */
#include "linear_pair.h"
#include "prepared.h"

#define PAIR                                                                                       \
    "[simulation]\nstop = 2.0\ncommunication_step = 0.01\nrtol = 1e-10\n"                          \
    "[relaxation]\nscheme = \"slack\"\n[solver]\nkind = \"dopri54\"\n" LINEAR_PAIR

enum { N_SET = 9, N_STEP = 200 }; /* overrides and their final NULL */

static double exact(double t, int is_v)
{
    return exp(-t) * (is_v ? 3.0 * cos(0.5 * t) - sin(0.5 * t) : cos(0.5 * t) + 3.0 * sin(0.5 * t));
}

/* Returns the largest error at four multiples of 40 ms, with a run from the start for each. */
static double pair_error(const char *period, const char *prediction, const char *const *more)
{
    char set_period[64], set_prediction[64];
    snprintf(set_period, sizeof set_period, "slack.period=%s", period);
    snprintf(set_prediction, sizeof set_prediction, "relaxation.prediction=%s", prediction);
    const char *const set[N_SET] = {set_period, set_prediction, more[0], more[1]};
    double worst = 0.0;
    for (int i = 5; i <= 50;
         i += 15) { /* an advance synchronises all subsystems, so no input is late after it */
        wrsim *sim = prepared_set(PAIR, set);
        advance(sim, 0.04 * i);
        const double u = wrsim_get(sim, wrsim_find(sim, "u.x"));
        const double v = wrsim_get(sim, wrsim_find(sim, "v.x"));
        worst = fmax(worst, fmax(fabs(u - exact(0.04 * i, 0)), fabs(v - exact(0.04 * i, 1))));
        wrsim_destroy(&sim);
    }
    return worst;
}

TEST(orders_of_exchange)
{
    static const char *const delays[][2] = {{"slack.bound=0", NULL},
                                            {"slack.delays=fixed", "slack.delay=1"},
                                            {"slack.delays=fixed", "slack.delay=2"}};
    static const char *const predictions[] = {"hold", "linear", "quadratic"};
    for (int i = 0; i < 3; i++)
        for (int order = 1; order <= 3; order++) {
            const double coarse = pair_error("0.02", predictions[order - 1], delays[i]);
            const double fine = pair_error("0.01", predictions[order - 1], delays[i]);
            assert_close(log2(coarse / fine), order, 0.1 * order, 0);
        }
}

/* The change by the last sweep of the first period is the difference of two runs, with n and n - 1 sweeps. This change grows over the
 * period. */
TEST(last_sweep_is_reported)
{
    static const char *const names[2] = {"u.x", "v.x"};
    double before[2] = {0.0};
    for (int n = 1; n <= 5; n++) {
        char sweeps[32];
        snprintf(sweeps, sizeof sweeps, "slack.sweeps=%d", n);
        const char *const set[N_SET] = {"slack.period=0.1", "relaxation.prediction=hold", sweeps,
                                        "slack.bound=0"};
        AUTO(wrsim_destroy) wrsim *sim = prepared_set(PAIR, set);
        advance(sim, 0.1);
        for (int i = 0; i < 2; i++) {
            wrsim_subsystem_stats s;
            assert_int_equal(wrsim_stats_subsystem(sim, i, &s), WRSIM_OK);
            const double now = wrsim_get(sim, wrsim_find(sim, names[i]));
            const double start = i == 0 ? 1.0 : 3.0, end = now;
            const double unit = 1e-10 * (fmax(start, end) + 0.01);
            if (n == 1) {
                assert_string_equal(s.sweep_rest_output, "");
                assert_close(s.sweep_rest, 0.0, 0.0, 0.0);
            } else {
                assert_string_equal(s.sweep_rest_output, names[i]);
                assert_string_equal(s.sweep_rest_share_output, names[i]);
                assert_close(s.sweep_rest_s, 0.0, 0.0, 0.0);
                const double left = fabs(now - before[i]);
                print_message("%d sweeps: %s %.3g tolerances, by two runs %.3g\n", n, names[i],
                              s.sweep_rest, left / unit);
                assert_close(s.sweep_rest, left / unit, 1e-2, 1.0);
                assert_close(s.sweep_rest_share, left / fabs(end - start), 1e-2, 1e-8);
            }
            before[i] = now;
        }
    }
}

/* More sweeps of a period reduce the error, down to the error of one solver. */
TEST(sweeps_converge)
{
    static const char *const sweeps[] = {"slack.sweeps=1", "slack.sweeps=2", "slack.sweeps=3",
                                         "slack.sweeps=6"};
    double error[4];
    for (int i = 0; i < 4; i++)
        error[i] = pair_error("0.02", "linear", (const char *const[]){sweeps[i], NULL});
    assert_true(error[1] < 0.05 * error[0]);
    assert_true(error[2] < 0.05 * error[1]);
    assert_true(error[3] < 1e-9);
}

/* Writes the config of a ring of six lags in six subsystems, which are more than the workers. */
static void ring_text(char *text, size_t bytes)
{
    size_t n = (size_t)snprintf(text, bytes,
                                "[simulation]\nstop = 2.0\ncommunication_step = 0.01\n"
                                "[relaxation]\nscheme = \"slack\"\n");
    for (int i = 0; i < 6; i++)
        n += (size_t)snprintf(text + n, bytes - n,
                              "[[component]]\nname = \"c%d\"\nmodel = \"dahlquist\"\n"
                              "parameters = { a = -%d.5, b = 0.7 }\nstart = { x = %d.0 }\n"
                              "[[connection]]\nfrom = \"c%d.x\"\nto = \"c%d.u\"\n"
                              "[[subsystem]]\nname = \"s%d\"\ncomponents = [\"c%d\"]\n",
                              i, i, i + 1, i, (i + 1) % 6, i, i);
}

static void run_ring(const char *const *set, double *ret_value, wrsim_stats *ret_stats)
{
    char text[4096];
    ring_text(text, sizeof text);
    AUTO(wrsim_destroy) wrsim *sim = prepared_set(text, set);
    wrsim_error err = {0};
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%d.x", i);
        ret_value[i] = wrsim_get(sim, wrsim_find(sim, name));
    }
    wrsim_stats_get(sim, ret_stats);
}

/* Random delays depend on the seed. */
TEST(seeds_draw_other_delays)
{
    double one[6], other[6];
    wrsim_stats stats;
    run_ring((const char *const[N_SET]){"slack.delays=drawn", "slack.delay=5", "slack.seed=17"},
             one, &stats);
    run_ring((const char *const[N_SET]){"slack.delays=drawn", "slack.delay=5", "slack.seed=18"},
             other, &stats);
    assert_memory_not_equal(one, other, sizeof one);
}

/* Ages follow the lateness of producers, within the bound. Without a bound the run also ends. */
TEST(live_runs_end)
{
    double exchanged[6], loose[6];
    wrsim_stats stats;
    run_ring((const char *const[N_SET]){"slack.bound=0"}, exchanged, &stats);
    static const char *const bounds[] = {"slack.bound=1", "slack.bound=-1"};
    for (int k = 0; k < 2; k++) {
        run_ring((const char *const[N_SET]){bounds[k], "scheduler.workers=3"}, loose, &stats);
        assert_int_equal(stats.n_window, 200);
        for (int i = 0; i < 6; i++)
            if (k == 0)
                assert_close(loose[i], exchanged[i], 0.02, 0);
            else
                assert_true(isfinite(loose[i]));
    }
}

static wrsim_status replay_of(const char *text, wrsim_error *err)
{
    FILE *const file = fopen("slack_bad.csv", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    wrsim *sim = NULL;
    wrsim_config *config = NULL;
    const char *const set[] = {"slack.replay=slack_bad.csv"};
    assert_int_equal(
        wrsim_config_from_text(PAIR, strlen(PAIR), "slack.toml", set, 1, NULL, NULL, &config, err),
        WRSIM_OK);
    assert_int_equal(wrsim_create(config, NULL, NULL, &sim, err), WRSIM_OK);
    wrsim_config_destroy(&config);
    wrsim_status status = wrsim_prepare(sim, err);
    if (status >= 0)
        status = wrsim_run(sim, err);
    wrsim_destroy(&sim);
    remove("slack_bad.csv");
    return status;
}

/* An impossible log ends the run and never blocks it. */
TEST(wrong_logs_are_refused)
{
    static const char *const head = "# wrsim 1\ntime [s],kind,U.V [1],V.U [1]\n";
    static const char *const rows[] = {"",          /* no rows */
                                       "0,c,1,0\n", /* a future version */
                                       "0,c,0,nan\n",
                                       "0,c,0,0\n0.01,c,0.5,1\n",
                                       "0,c,0,0\n0.01,c,1,1\n0.02,c,0,2\n", /* an older version */
                                       "0.01,c,0,0\n",                      /* other periods */
                                       "0,c,0,0\n0.01,c,1,1\n"};            /* too few rows */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        wrsim_error err = {0};
        snprintf(text, sizeof text, "%s%s", head, rows[i]);
        assert_true(replay_of(text, &err) < 0);
        assert_true(strlen(err.text) > 20);
    }
    wrsim_error err = {0};
    assert_int_equal(replay_of("# wrsim 1\ntime [s],kind,U.V [1]\n0,c,0\n0.01,c,1\n", &err),
                     WRSIM_E_CONFIG);
    assert_non_null(strstr(err.text, "V.U"));
}

/* A history predicts a repeating signal one repetition ahead. From the second repetition on, the history predicts an input that is
 * three periods late, with at most 2 % of the error without history. */
TEST(history)
{
    static const char *const text =
        "[simulation]\nstop = 4.0\ncommunication_step = 0.04\nrtol = 1e-8\n"
        "[relaxation]\nscheme = \"slack\"\n[slack]\ndelays = \"fixed\"\ndelay = 3\n"
        "[[component]]\nname = \"s\"\nmodel = \"signal.sine\"\n"
        "parameters = { frequency = 1.0 }\n"
        "[[component]]\nname = \"x\"\nmodel = \"dahlquist\"\nparameters = { a = -4.0, b = 1.0 }\n"
        "[[connection]]\nfrom = \"s.y\"\nto = \"x.u\"\n";
    static const char *const periods[] = {"relaxation.history.period=0",
                                          "relaxation.history.period=1.0"};
    double error[2];
    for (int k = 0; k < 2; k++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared_set(text, (const char *const[N_SET]){periods[k]});
        wrsim_error err = {0};
        wrsim_stats stats;
        assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
        /* x' = -4 x + sin w t: long after the start (4 sin w t - w cos w t) / (16 + w^2) */
        const double w = 2.0 * acos(-1.0);
        error[k] = fabs(wrsim_get(sim, wrsim_find(sim, "x.x")) + w / (16.0 + w * w));
        wrsim_stats_get(sim, &stats);
        assert_true(k == 0 ? stats.n_predicted_period == 0 : stats.n_predicted_period > 70);
        assert_true(stats.n_predicted == 100);
    }
    assert_true(error[0] > 1e-4);
    assert_true(error[1] < 0.02 * error[0]);
}

/* Ages equal the fixed delays from the first version of that age on. Predictions extrapolate over at most 4 periods. */
TEST(ages_are_reported)
{
    static const char *const delays[] = {"slack.delay=0", "slack.delay=3", "slack.delay=6"};
    static const int age[] = {0, 3, 6};
    for (int k = 0; k < 3; k++) {
        const int n_young = age[k] * (age[k] - 1) / 2; /* 0 + 1 + ... while versions are younger */
        const int n_stale = age[k] > 3 ? 2 * (N_STEP - 4) : 0;
        AUTO(wrsim_destroy)
        wrsim *sim = prepared_set(PAIR, (const char *const[N_SET]){"slack.delays=fixed", delays[k],
                                                                   "relaxation.prediction=hold"});
        wrsim_error err = {0};
        wrsim_stats stats;
        wrsim_age told;
        assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
        assert_int_equal(wrsim_age_count(sim), 2);
        wrsim_stats_get(sim, &stats);
        assert_int_equal(stats.n_stale, n_stale);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(wrsim_stats_age(sim, i, &told), WRSIM_OK);
            assert_int_equal(told.n_read, N_STEP);
            assert_close(told.most_s, 0.01 * age[k], 1e-12, 1e-12);
            const double mean = (n_young + age[k] * (N_STEP - age[k])) / (double)N_STEP;
            assert_close(told.mean_s, 0.01 * mean, 1e-12, 1e-12);
            assert_string_equal(told.reader, i == 0 ? "U" : "V");
            assert_string_equal(told.producer, i == 0 ? "V" : "U");
            assert_string_equal(told.connection, i == 0 ? "v.x -> u.u" : "u.x -> v.u");
        }
        assert_int_equal(wrsim_stats_age(sim, 2, &told), WRSIM_E_ARG);
        assert_int_equal(wrsim_stats_age(sim, -1, &told), WRSIM_E_ARG);
        AUTO(wr_test_free) char *summary = wrsim_summary(sim);
        assert_non_null(strstr(summary, "\"connection\": \"v.x -> u.u\""));
        assert_null(strstr(summary, "error_account")); /* slackened runs have no error account */
    }
    AUTO(wrsim_destroy)
    wrsim *sim = prepared_set(PAIR, (const char *const[N_SET]){"relaxation.scheme=jacobi"});
    wrsim_age told;
    assert_int_equal(wrsim_age_count(sim), 0);
    assert_int_equal(wrsim_age_count(NULL), 0);
    assert_int_equal(wrsim_stats_age(sim, 0, &told), WRSIM_E_ARG);
}

/* Keys without effect cause a warning, and keys that a slackened run cannot obey cause an error. */
TEST(keys_that_do_nothing)
{
    static const struct {
        const char *set[4], *said;
    } cases[] = {
        {{"relaxation.convergence=0.2", NULL}, "relaxation.convergence has no effect"},
        {{"slack.seed=3", NULL}, "slack.seed has no effect; set slack.delays"},
        {{"slack.delay=3", NULL}, "no effect; set slack.delays = \\\"fixed\\\" or \\\"drawn\\\""},
        {{"slack.delays=fixed", "slack.seed=3"}, "slack.seed has no effect; set slack.delays"},
        {{"slack.sweeps=2", "slack.bound=3"}, "slack.bound has no effect; set slack.delays"},
        {{"relaxation.scheme=jacobi", "slack.bound=3"},
         "slack.bound has no effect; set relaxation.scheme"},
        {{"relaxation.scheme=jacobi", "slack.on_loc=log"}, "slack.on_loc has no effect"},
        {{"slack.shortest_period=0.01", NULL},
         "slack.shortest_period has no effect; set slack.on_loc"},
        {{"relaxation.history.max_nodes=100", "relaxation.history.phase=u.x"},
         "relaxation.history.phase, relaxation.history.max_nodes have no effect"},
        {{"relaxation.history.phase=u.x", "relaxation.history.period=0"}, NULL},
        {{"solver.over_budget=fail", NULL}, "solver.over_budget has no effect"},
        {{"solver.over_budget=fail", "solver.budget=1000"}, NULL},
        {{"realtime.strict=true", NULL},
         "realtime.strict has no effect; set realtime.rate, .priority"},
        {{"realtime.rate=10", "realtime.degraded_tolerance=3"},
         "realtime.degraded_tolerance has no effect; set realtime.policy"},
        {{"slack.on_loc=log", NULL}, "slack.on_loc has no effect; set the limit"},
        {{"slack.on_glo=stop", "slack.eps_loc=1", "slack.watch=1"},
         "slack.on_glo has no effect; set the limit"},
        {{"realtime.policy=stop", NULL}, "realtime.policy has no effect"},
        {{"realtime.wait=spin", "realtime.lock_memory=true"}, "realtime.wait has no effect"},
        {{"realtime.policy=stop", "realtime.lock_memory=true"}, NULL},
        {{"realtime.rate=10", "realtime.policy=hold"},
         "realtime.policy has no effect; add an output port"},
        {{"realtime.rate=10", "realtime.policy=degrade", "solver.kind=rk4", "solver.step=0.01"},
         "choose a solver with a tolerance"},
        {{"slack.bound=3", "slack.period=0.02"}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(wrsim_destroy)
        wrsim *sim =
            prepared_set(PAIR, (const char *const[N_SET]){cases[i].set[0], cases[i].set[1],
                                                          cases[i].set[2], cases[i].set[3]});
        AUTO(wr_test_free) char *text = wrsim_structure(sim);
        if (cases[i].said)
            assert_non_null(strstr(text, cases[i].said));
        else
            assert_null(strstr(text, "use for"));
    }
    static const char *const refused[] = {"simulation.monolithic=\"auto\"",
                                          "relaxation.error_limit=10"};
    for (int i = 0; i < 2; i++) {
        wrsim_config *config = NULL;
        wrsim_error err = {0};
        assert_int_equal(wrsim_config_from_text(PAIR, strlen(PAIR), "slack.toml", &refused[i], 1,
                                                NULL, NULL, &config, &err),
                         WRSIM_E_CONFIG);
        assert_non_null(strstr(err.text, "slack"));
    }
}

static void stop_always(void *user, const wrsim_progress *now) { wrsim_stop(user); }

/* The last of three periods ends beside the run's end, nearer than the shortest period or farther. With one or two workers, and after
 * any stop, the run ends exactly at its end with the same bits. */
TEST(stop_beside_the_end)
{
    static const double rests[] = {0.0, 1e-15, 1e-13, 1e-12, 1e-10, 1e-9, 1e-8};
    for (int i = 0; i < 2 * (int)(sizeof rests / sizeof *rests); i++) {
        const double rest = i % 2 ? -rests[i / 2] : rests[i / 2];
        char period[64];
        double u[2];
        snprintf(period, sizeof period, "slack.period=%.17g", (2.0 - rest) / 3.0);
        for (int is_stopped = 0; is_stopped < 2; is_stopped++) {
            const char *const set[N_SET] = {
                period, "slack.bound=0", "simulation.communication_step=0.4",
                is_stopped ? "scheduler.workers=2" : "scheduler.workers=1"};
            AUTO(wrsim_destroy) wrsim *sim = prepared_set(PAIR, set);
            wrsim_set_progress(sim, is_stopped ? stop_always : NULL, sim);
            wrsim_error err = {0};
            wrsim_status status;
            do
                status = wrsim_run(sim, &err);
            while (status == WRSIM_STOPPED);
            assert_int_equal(status, WRSIM_OK);
            assert_true(wrsim_time(sim) == 2.0);
            u[is_stopped] = wrsim_get(sim, wrsim_find(sim, "u.x"));
        }
        assert_true(u[0] == u[1]);
    }
}

/* Advances end slightly before or after the grid. Runs with one and with three workers have the same bits. */
TEST(workers_beside_the_grid)
{
    char text[4096];
    ring_text(text, sizeof text);
    for (int i = 10; i < 16; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double x[2];
            for (int k = 0; k < 2; k++) {
                const char *const set[N_SET] = {"slack.bound=0", "relaxation.prediction=hold",
                                                k ? "scheduler.workers=3" : "scheduler.workers=1"};
                AUTO(wrsim_destroy) wrsim *sim = prepared_set(text, set);
                advance(sim, 0.2 * (1.0 + sign * pow(10.0, -i)));
                advance(sim, 0.3);
                x[k] = wrsim_get(sim, wrsim_find(sim, "c0.x"));
            }
            assert_true(x[0] == x[1]);
        }
}

/* An advance to an end near the grid of periods ends exactly at this end. Later periods end on the grid again. */
TEST(ends_beside_the_grid)
{
    AUTO(wrsim_destroy)
    wrsim *sim = prepared_set(PAIR, (const char *const[N_SET]){"slack.period=0.02", "slack.bound=0",
                                                               "relaxation.prediction=quadratic"});
    static const double ends[] = {0.013, 0.0205, 0.1, 0.1 + 1e-9, 0.5003, 2.0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        advance(sim, ends[i]);
        assert_close(wrsim_time(sim), ends[i], 0, 0);
        assert_close(wrsim_get(sim, wrsim_find(sim, "u.x")), exact(ends[i], 0), 1e-5, 0);
    }
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    assert_int_equal(stats.n_window, 100);
    assert_int_equal(stats.n_integration, 2 * (100 + 4));
}

/* A solver that fails ends the run at the time of the failure; no other subsystem is behind. */
TEST(failure_ends_the_run)
{
    static const char *const text = PAIR "[[component]]\nname = \"bad\"\nmodel = "
                                         "\"test.faulty\"\nparameters = { fail_time = 1.005 }\n"
                                         "[[subsystem]]\nname = \"B\"\ncomponents = [\"bad\"]\n"
                                         "[[component]]\nname = \"other\"\nmodel = \"dahlquist\"\n"
                                         "start = { x = 1.0 }\n"
                                         "[[subsystem]]\nname = \"O\"\ncomponents = [\"other\"]\n";
    static const char *const exchanges[] = {"slack.bound=0", "slack.sweeps=3"};
    for (int k = 0; k < 4; k++) {
        const int n_worker = k % 2 ? 3 : 1;
        AUTO(wrsim_destroy)
        wrsim *sim =
            prepared_set(text, (const char *const[N_SET]){n_worker == 1 ? "scheduler.workers=1"
                                                                        : "scheduler.workers=3",
                                                          exchanges[k / 2]});
        wrsim_error err = {0};
        assert_true(wrsim_run(sim, &err) < 0);
        assert_string_equal(err.subsystem, "B");
        assert_true(wrsim_time(sim) >= 0.99 && wrsim_time(sim) <= 1.01);
        /* Other subsystems may be ahead by whole periods. With sweeps and one worker O is ahead by the failed period. */
        const double value = wrsim_get(sim, wrsim_find(sim, "other.x"));
        if (k == 2)
            assert_close(value, exp(-wrsim_time(sim) - 0.01), 1e-8, 0);
    }
}

/* Of two failures in one period, the run reports the earlier in simulated time, for any order in the config and in wall time. */
TEST(first_failure_is_reported)
{
    static const char *const text = PAIR "[[component]]\nname = \"late\"\nmodel = "
                                         "\"test.faulty\"\nparameters = { fail_time = 1.009 }\n"
                                         "[[subsystem]]\nname = \"%s\"\ncomponents = [\"%s\"]\n"
                                         "[[component]]\nname = \"early\"\nmodel = "
                                         "\"test.faulty\"\nparameters = { fail_time = 1.003 }\n"
                                         "[[subsystem]]\nname = \"%s\"\ncomponents = [\"%s\"]\n";
    static const char *const order[2][2] = {{"late", "early"}, {"early", "late"}};
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=2",
                                          "scheduler.workers=3"};
    double end_s = 0.0;
    for (int k = 0; k < 6; k++) {
        char config[4096];
        const char *const *const name = order[k % 2];
        snprintf(config, sizeof config, text, name[0], name[0], name[1], name[1]);
        AUTO(wrsim_destroy)
        wrsim *sim =
            prepared_set(config, (const char *const[N_SET]){workers[k / 2], "slack.bound=0"});
        wrsim_error err = {0};
        assert_true(wrsim_run(sim, &err) < 0);
        assert_string_equal(err.subsystem, "early");
        if (k > 0)
            assert_true(wrsim_time(sim) == end_s);
        end_s = wrsim_time(sim);
    }
}
