/* The public interface as in a host: only headers <wrsim/...>, linked with the shared libraries alone. */
#include "prepared.h"

#include <ctype.h>
#include <fenv.h>
#include <locale.h>
#include <unistd.h>

/* u' = -u + 0.5 v, v' = -v - 0.5 u, u(0) = 1, v(0) = 3. With the complex number z = u + i v: z' = (-1 - 0.5 i) z.
 * So u = exp(-t) (cos(t/2) + 3 sin(t/2)) and v = exp(-t) (3 cos(t/2) - sin(t/2)). */
static const char pair[] =
    "component = [\n"
    "    { name = \"u\", model = \"dahlquist\", parameters = { a = -1.0, b = 0.5 }, start = { x = "
    "1.0 } },\n"
    "    { name = \"v\", model = \"dahlquist\", parameters = { a = -1.0, b = -0.5 }, start = { x = "
    "3.0 } },\n"
    "]\n"
    "connection = [\n"
    "    { from = \"u.x\", to = \"v.u\" }, { from = \"v.x\", to = \"u.u\" },\n"
    "]\n"
    "subsystem = [\n"
    "    { name = \"first\", components = [\"u\"] }, { name = \"second\", components = [\"v\"] },\n"
    "]\n"
    "[simulation]\n"
    "stop = 2.0\n"
    "communication_step = 0.0625\n"
    "rtol = 1e-8\n"
    "[relaxation]\n"
    "window = { initial = 0.125, min = 1e-3, max = 0.125, control = \"fixed\" }\n"
    "[solver]\n"
    "kind = \"dopri54\"\n";

static double exact_u(double t) { return exp(-t) * (cos(0.5 * t) + 3.0 * sin(0.5 * t)); }
static double exact_v(double t) { return exp(-t) * (3.0 * cos(0.5 * t) - sin(0.5 * t)); }

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        print_error("'%s' is not in:\n%s\n", part, text);
    assert_non_null(strstr(text, part));
}

/* ---- order of calls ---- */

TEST(order)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    wrsim_error err = {0};
    assert_close(wrsim_time(sim), 0.0, 0.0, 0.0);
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
    assert_close(wrsim_time(sim), 2.0, 0.0, 1e-12);
    assert_close(value(sim, "u.x"), exact_u(2.0), 1e-6, 0.0);
    assert_close(value(sim, "v.x"), exact_v(2.0), 1e-6, 0.0);
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK); /* the run is at its end */
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
    assert_close(value(sim, "u.x"), exact_u(2.0), 1e-6, 0.0); /* values stay readable */
    wrsim_destroy(&sim);
    assert_null(sim);
    wrsim_destroy(NULL);
    wrsim_config_destroy(NULL);
}

TEST(wrong_arguments)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    assert_int_equal(wrsim_config_from_file(NULL, NULL, 0, NULL, NULL, &config, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_config_from_file("a.toml", NULL, 0, NULL, NULL, NULL, NULL),
                     WRSIM_E_ARG);
    assert_int_equal(wrsim_config_from_file("a.toml", NULL, 1, NULL, NULL, &config, NULL),
                     WRSIM_E_ARG);
    assert_int_equal(wrsim_config_from_text(NULL, 0, "a", NULL, 0, NULL, NULL, &config, NULL),
                     WRSIM_E_ARG);
    assert_int_equal(wrsim_config_from_text(pair, 1, NULL, NULL, 0, NULL, NULL, &config, NULL),
                     WRSIM_E_ARG);
    assert_int_equal(wrsim_config_from_text(pair, 1, "a", NULL, -1, NULL, NULL, &config, NULL),
                     WRSIM_E_ARG);
    assert_null(config);
    assert_null(wrsim_config_dump(NULL));
    assert_int_equal(wrsim_create(NULL, NULL, NULL, &sim, NULL), WRSIM_E_ARG);
    assert_null(sim);
    assert_int_equal(wrsim_set_progress(NULL, NULL, NULL), WRSIM_E_ARG);
    static const char *const calls[] = {"wrsim_config_from_file", "wrsim_config_from_text",
                                        "wrsim_create"};
    for (int i = 0; i < 3; i++) { /* the error names the call */
        wrsim_error err = {0};
        const wrsim_status status =
            i == 0   ? wrsim_config_from_file(NULL, NULL, 0, NULL, NULL, &config, &err)
            : i == 1 ? wrsim_config_from_text(NULL, 0, "a", NULL, 0, NULL, NULL, &config, &err)
                     : wrsim_create(NULL, NULL, NULL, &sim, &err);
        assert_int_equal(status, WRSIM_E_ARG);
        assert_int_equal(err.status, WRSIM_E_ARG);
        assert_contains(err.text, calls[i]);
    }
    assert_true(isnan(wrsim_get(NULL, 0)));
    assert_true(isnan(wrsim_time(NULL)));
    assert_null(wrsim_structure(NULL));
    assert_null(wrsim_summary(NULL));
    wrsim_stop(NULL);

    sim = prepared(pair, NULL, 0);
    config = config_of(pair, NULL, 0);
    assert_int_equal(wrsim_create(config, NULL, NULL, NULL, NULL), WRSIM_E_ARG);
    wrsim_config_destroy(&config);
    assert_int_equal(wrsim_advance(sim, -1.0, NULL),
                     WRSIM_OK); /* an end before the present time has no effect */
    assert_close(wrsim_time(sim), 0.0, 0.0, 0.0);
    wrsim_destroy(&sim); /* without finish */
}

/* ---- time ---- */

TEST(pieces_equal_one_piece)
{
    AUTO(wrsim_destroy) wrsim *whole = prepared(pair, NULL, 0), *pieces = prepared(pair, NULL, 0);
    wrsim_error err = {0};
    assert_int_equal(wrsim_run(whole, &err), WRSIM_OK);
    for (int i = 1; i <= 8; i++) /* each advance ends at the end of a window */
        assert_int_equal(wrsim_advance(pieces, i * 0.25, &err), WRSIM_OK);
    assert_close(wrsim_time(pieces), 2.0, 0.0, 1e-12);
    static const char *const names[] = {"u.x", "v.x"};
    for (int i = 0; i < 2; i++) {
        const double a = value(whole, names[i]), b = value(pieces, names[i]);
        assert_memory_equal(&a, &b, sizeof a);
    }
    wrsim_stats a, b;
    wrsim_stats_get(whole, &a);
    wrsim_stats_get(pieces, &b);
    assert_int_equal(a.n_window, b.n_window);
    assert_int_equal(a.n_sweep, b.n_sweep);
    assert_int_equal(a.n_rhs_accepted, b.n_rhs_accepted);
}

TEST(advance_is_exact)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    static const double times[] = {0.03, 0.1, 0.123456, 1.0, 1.0, 0.5, 1.9999};
    double now = 0.0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(wrsim_advance(sim, times[i], NULL), WRSIM_OK);
        now = fmax(now, times[i]);
        const double t = wrsim_time(sim);
        assert_memory_equal(&t, &now, sizeof t);
        assert_close(value(sim, "u.x"), exact_u(now), 1e-6, 0.0);
        assert_close(value(sim, "v.x"), exact_v(now), 1e-6, 0.0);
    }
}

static void assert_is_complete(const wrsim *sim, int is_expected)
{
    AUTO(wr_test_free) char *text = wrsim_summary(sim);
    assert_non_null(text);
    assert_contains(text, is_expected ? "\"is_complete\": true" : "\"is_complete\": false");
}

/* Advances by at most 1e-9 s, also to a time within rounding of the present time, do not disturb the run. */
TEST(advance_by_next_to_nothing)
{
    static const double little_s[] = {5e-324, 1e-310, 1e-300, 1e-200, 1e-20,
                                      1e-15,  1e-13,  1e-12,  1e-9};
    for (size_t i = 0; i < sizeof little_s / sizeof *little_s; i++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
        assert_int_equal(wrsim_advance(sim, little_s[i], NULL), WRSIM_OK);
        assert_int_equal(wrsim_advance(sim, 1.0, NULL), WRSIM_OK);
        assert_int_equal(wrsim_advance(sim, nextafter(1.0, 2.0), NULL), WRSIM_OK);
        assert_int_equal(wrsim_advance(sim, 1.0 + 1e-12, NULL), WRSIM_OK);
        assert_int_equal(wrsim_advance(sim, 2.0, NULL), WRSIM_OK);
        assert_close(wrsim_time(sim), 2.0, 0.0, 0.0);
        assert_close(value(sim, "u.x"), exact_u(2.0), 1e-6, 0.0);
    }
}

/* Outputs have the same bits whether the host rounds up or to nearest. wrsim restores the rounding mode of the host. */
TEST(host_that_rounds_up)
{
    static const char text[] = "[simulation]\nstop = 2.0\ncommunication_step = 0.0625\n"
                               "[[component]]\nname = \"s\"\nmodel = \"signal.sine\"\n"
                               "[[component]]\nname = \"g\"\nmodel = \"signal.gain\"\n"
                               "parameters = { k = 0.1, offset = 0.3 }\n"
                               "[[connection]]\nfrom = \"s.y\"\nto = \"g.u\"\n";
    enum { N = 20 };
    double found[2][N];
    for (int is_up = 0; is_up < 2; is_up++) {
        AUTO(wrsim_config_destroy) wrsim_config *config = config_of(text, NULL, 0);
        fesetround(is_up ? FE_UPWARD : FE_TONEAREST);
        wrsim *sim = NULL;
        assert_int_equal(wrsim_create(config, print_report, NULL, &sim, NULL), WRSIM_OK);
        assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
        for (int i = 0; i < N; i++) {
            assert_int_equal(wrsim_advance(sim, 0.0625 * (i + 1), NULL), WRSIM_OK);
            found[is_up][i] = value(sim, "g.y");
        }
        assert_int_equal(fegetround(), is_up ? FE_UPWARD : FE_TONEAREST);
        wrsim_destroy(&sim);
        assert_int_equal(fegetround(), is_up ? FE_UPWARD : FE_TONEAREST);
        fesetround(FE_TONEAREST);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
}

/* Eight steps of 0.1 s, summed by the host, equal the stop up to rounding. Results are complete only after wrsim_finish() at the stop. */
TEST(complete_when_finished_at_the_stop)
{
    for (int n_step = 7; n_step <= 8; n_step++) {
        AUTO(wrsim_destroy)
        wrsim *sim = prepared(pair, (const char *const[]){"simulation.stop=0.8"}, 1);
        double time_s = 0.0;
        for (int i = 0; i < n_step; i++) {
            time_s += 0.1;
            assert_int_equal(wrsim_advance(sim, time_s, NULL), WRSIM_OK);
        }
        assert_true(time_s < 0.8);
        assert_is_complete(sim, 0);
        assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
        assert_is_complete(sim, n_step == 8);
        assert_int_equal(wrsim_finish(sim, NULL), WRSIM_E_STATE);
    }
}

TEST(two_at_once)
{
    static const char *const other[] = {"component.u.start.x=-1", "component.v.start.x=-3",
                                        "solver.kind=rosenbrock"};
    wrsim *a = prepared(pair, NULL, 0), *b = prepared(pair, other, 3);
    for (int i = 1; i <= 16; i++) {
        assert_int_equal(wrsim_advance(a, 0.125 * i, NULL), WRSIM_OK);
        if (i % 2 == 0)
            assert_int_equal(wrsim_advance(b, 0.125 * i, NULL), WRSIM_OK);
    }
    assert_close(value(a, "u.x"), exact_u(2.0), 1e-6, 0.0);
    assert_close(value(b, "u.x"), -exact_u(2.0), 1e-6, 0.0);
    AUTO(wrsim_destroy) wrsim *alone = prepared(pair, NULL, 0);
    assert_int_equal(wrsim_run(alone, NULL), WRSIM_OK);
    const double together = value(a, "v.x"), by_itself = value(alone, "v.x");
    assert_memory_equal(&together, &by_itself, sizeof together);
    wrsim_destroy(&a);
    assert_close(value(b, "v.x"), -exact_v(2.0), 1e-6, 0.0); /* b does not need a */
    wrsim_destroy(&b);
}

/* ---- stop and continue ---- */

typedef struct stopper {
    wrsim *sim;
    int n_call;
    double time_s, stop_s;
} stopper;

static void stop_half_way(void *user, const wrsim_progress *progress)
{
    stopper *const s = user;
    assert_true(progress->time_s > s->time_s);
    assert_close(progress->start_s, 0.0, 0.0, 0.0);
    s->n_call++;
    s->time_s = progress->time_s;
    s->stop_s = progress->stop_s;
    if (progress->time_s >= 1.0 - 1e-9 && progress->time_s < 1.05)
        wrsim_stop(s->sim);
}

TEST(stop_and_go_on)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    stopper s = {.sim = sim};
    assert_int_equal(wrsim_set_progress(sim, stop_half_way, &s), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_STOPPED);
    /* The run stops at the end of this window or of the next. */
    const double stopped_s = wrsim_time(sim);
    assert_between(stopped_s, 1.0 - 1e-9, 1.125 + 1e-9);
    assert_close(s.time_s, stopped_s, 0.0, 1e-9);
    assert_close(s.stop_s, 2.0, 0.0, 0.0);
    assert_between(s.n_call, 8, 9);
    assert_close(value(sim, "u.x"), exact_u(stopped_s), 1e-6, 0.0);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    assert_int_equal(s.n_call, 16);
    assert_close(wrsim_time(sim), 2.0, 0.0, 1e-12);
    AUTO(wrsim_destroy) wrsim *whole = prepared(pair, NULL, 0);
    assert_int_equal(wrsim_run(whole, NULL), WRSIM_OK);
    const double a = value(sim, "v.x"), b = value(whole, "v.x");
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
}

/* A stop before the run, as by a signal during preparation, takes effect. */
TEST(stop_before_run)
{
    AUTO(wrsim_destroy) wrsim *sim = created(pair, NULL, 0);
    wrsim_stop(sim);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_STOPPED);
    assert_between(wrsim_time(sim), 0.0, 0.125 + 1e-9);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    assert_close(value(sim, "u.x"), exact_u(2.0), 1e-6, 0.0);
}

/* ---- variables ---- */

/* Outputs, states, discrete states and inputs have an index. If several variables have the same name, the first kind in this order
 * decides. */
TEST(find)
{
    AUTO(wrsim_destroy) wrsim *sim = created(pair, NULL, 0);
    const int x = wrsim_find(sim, "u.x"), u = wrsim_find(sim, "u.u");
    assert_true(x >= 0 && u >= 0 && u < x); /* x is an output and a state; outputs follow inputs */
    static const char *const none[] = {"u.a", "u.no_such", "w.x", "u", "u.", ".x", "", "u.x.x"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(wrsim_find(sim, none[i]), -1);
    assert_int_equal(wrsim_find(sim, NULL), -1);
    assert_int_equal(wrsim_find(NULL, "u.x"), -1);
}

/* An input has the present value of the output that drives it. */
TEST(inputs_are_of_now)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    for (int i = 0; i <= 4; i++) {
        assert_int_equal(wrsim_advance(sim, 0.3 * i, NULL), WRSIM_OK);
        assert_close(value(sim, "u.u"), value(sim, "v.x"), 0.0, 0.0);
        assert_close(value(sim, "v.u"), value(sim, "u.x"), 0.0, 0.0);
        assert_close(value(sim, "v.u"), exact_u(0.3 * i), 1e-6, 0.0);
    }
}

/* wrsim_run() ends at the stop of the config; wrsim_advance() may go beyond. */
TEST(advance_beyond_the_stop)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    wrsim_error err = {0};
    assert_int_equal(wrsim_advance(sim, 2.5, &err), WRSIM_OK);
    assert_close(wrsim_time(sim), 2.5, 0.0, 1e-12);
    assert_close(value(sim, "u.x"), exact_u(2.5), 1e-6, 0.0);
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK); /* the run is at its end */
    assert_close(wrsim_time(sim), 2.5, 0.0, 1e-12);
    assert_int_equal(wrsim_advance(sim, (double)NAN, &err), WRSIM_E_ARG);
    assert_contains(err.text, "wrsim_advance");
    assert_close(wrsim_time(sim), 2.5, 0.0, 1e-12);
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
}

static void count_windows(void *user, const wrsim_progress *progress) { ++*(int *)user; }

/* A host may set and remove the progress callback between advances. A run without a result file counts no rows. */
TEST(progress_and_rows)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    wrsim_stats stats;
    int n_first = 0, n_second = 0;
    assert_int_equal(wrsim_set_progress(sim, count_windows, &n_first), WRSIM_OK);
    assert_int_equal(wrsim_advance(sim, 0.5, NULL), WRSIM_OK);
    assert_int_equal(wrsim_set_progress(sim, count_windows, &n_second), WRSIM_OK);
    assert_int_equal(wrsim_advance(sim, 1.0, NULL), WRSIM_OK);
    assert_int_equal(wrsim_set_progress(sim, NULL, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    assert_true(n_first > 0 && n_second == n_first); /* windows of 0.125 s */
    wrsim_stats_get(sim, &stats);
    assert_true(stats.n_row == 0 && stats.n_event_row == 0);
}

/* A call for many values returns the values of single calls. The call refuses indices without a variable. */
TEST(get_many)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, NULL, 0);
    assert_int_equal(wrsim_advance(sim, 0.5, NULL), WRSIM_OK);
    static const char *const names[] = {"v.x", "u.u", "u.x", "v.u", "v.x"};
    enum { N = 5 };
    int variable[N];
    double found[N];
    for (int i = 0; i < N; i++)
        variable[i] = wrsim_find(sim, names[i]);
    assert_int_equal(wrsim_get_many(sim, N, variable, found), WRSIM_OK);
    for (int i = 0; i < N; i++)
        assert_close(found[i], wrsim_get(sim, variable[i]), 0.0, 0.0);
    assert_close(found[0], exact_v(0.5), 1e-6, 0.0);
    assert_int_equal(wrsim_get_many(sim, 0, NULL, NULL), WRSIM_OK);
    assert_int_equal(wrsim_get_many(sim, 1, NULL, found), WRSIM_E_ARG);
    assert_int_equal(wrsim_get_many(NULL, 1, variable, found), WRSIM_E_ARG);
    int n_value = 0;
    for (int i = -5; i < 50; i++) { /* ASan checks the bounds */
        const wrsim_status status = wrsim_get_many(sim, 1, &i, found);
        assert_true(status == WRSIM_OK || status == WRSIM_E_ARG);
        assert_true((status == WRSIM_OK) == !isnan(found[0]));
        n_value += status == WRSIM_OK;
    }
    assert_int_equal(n_value, 2 * 3); /* a state, an input and an output of each component */
}

TEST(stats)
{
    static const char *const two[] = {"scheduler.workers=2", "scheduler.min_work=0"};
    AUTO(wrsim_destroy) wrsim *sim = prepared(pair, two, 2);
    wrsim_stats s;
    wrsim_subsystem_stats u, v;
    wrsim_worker_stats w;
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_stats_get(sim, &s), WRSIM_OK);
    assert_int_equal(s.n_component, 2);
    assert_int_equal(s.n_subsystem, 2);
    assert_int_equal(s.n_state, 2);
    assert_int_equal(s.n_indicator, 0);
    assert_int_equal(s.n_connection, 2);
    assert_int_equal(s.n_worker, 2);
    assert_int_equal(s.n_window, 16);
    assert_int_equal(s.n_rejected, 0);
    assert_true(s.n_sweep >= s.n_window);
    assert_true(s.n_integration >= 2 * s.n_window && s.n_integration <= 2 * s.n_sweep);
    assert_int_equal(s.n_integration + s.n_skipped, 2 * s.n_sweep);
    assert_true(s.n_one_sweep <= s.n_window);
    assert_true(s.wall_s > 0.0 && s.memory_bytes > 0);
    assert_close(s.window_longest_s, 0.125, 1e-9, 0.0);
    assert_int_equal(wrsim_stats_subsystem(sim, 0, &u), WRSIM_OK);
    assert_int_equal(wrsim_stats_subsystem(sim, 1, &v), WRSIM_OK);
    assert_string_equal(u.name, "first");
    assert_string_equal(v.name, "second");
    assert_string_equal(v.solver, "dopri54");
    assert_int_equal(u.n_state, 1);
    assert_int_equal(u.n_input, 1);
    assert_int_equal(u.n_output, 1);
    assert_int_equal(u.n_integration + v.n_integration, s.n_integration + s.n_wasted);
    assert_true(u.n_step > 0 && u.n_rhs >= 6 * u.n_step);
    /* Each subsystem has one accepted integration per window, of at least one step. */
    assert_true(s.n_rhs_accepted >= 6 * 2 * s.n_window);
    assert_true(s.n_rhs_accepted < u.n_rhs + v.n_rhs); /* windows of this run take several sweeps */
    assert_true(s.accepted_s > 0.0 && s.accepted_s < s.bound_wall_s[0]);
    assert_true(u.integration_s > 0.0 && v.integration_s > 0.0);
    const double integration_s = u.integration_s + v.integration_s;
    assert_true(integration_s >= s.accepted_s && integration_s < s.bound_wall_s[0]);
    assert_int_equal(s.bound_core[0], 1);
    for (int k = 1; k < WRSIM_BOUND_CASES; k++) {
        assert_true(s.bound_core[k] > s.bound_core[k - 1]);
        assert_true(s.bound_wall_s[k] <= s.bound_wall_s[k - 1]);
    }
    int64_t n_task = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wrsim_stats_worker(sim, i, &w), WRSIM_OK);
        assert_true(w.busy_ns >= 0 && w.wait_ns >= 0);
        n_task += w.n_task;
    }
    assert_true(n_task >= s.n_integration);
}

/* One worker checks inputs right after the tasks of their producers, so fewer tasks check without integrating. Other counts are equal. */
TEST(one_worker_checks_early)
{
    static const char *const workers[][3] = {
        {"scheduler.workers=1", "scheduler.min_work=0", "relaxation.scheme=jacobi"},
        {"scheduler.workers=2", "scheduler.min_work=0", "relaxation.scheme=jacobi"}};
    wrsim_stats s[2];
    int64_t n_task[2] = {0}, n_rhs[2] = {0};
    for (int k = 0; k < 2; k++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(pair, workers[k], 3);
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
        assert_int_equal(wrsim_stats_get(sim, &s[k]), WRSIM_OK);
        for (int i = 0; i <= k; i++) {
            wrsim_worker_stats w;
            assert_int_equal(wrsim_stats_worker(sim, i, &w), WRSIM_OK);
            n_task[k] += w.n_task;
        }
        for (int i = 0; i < 2; i++) {
            wrsim_subsystem_stats u;
            assert_int_equal(wrsim_stats_subsystem(sim, i, &u), WRSIM_OK);
            n_rhs[k] += u.n_rhs;
        }
    }
    assert_true(n_task[0] >= s[0].n_integration && n_task[0] < n_task[1]);
    assert_int_equal(s[0].n_integration, s[1].n_integration);
    assert_int_equal(s[0].n_sweep, s[1].n_sweep);
    assert_int_equal(n_rhs[0], n_rhs[1]);
}

/* ---- texts ---- */

TEST(texts)
{
    AUTO(wrsim_destroy) wrsim *sim = created(pair, NULL, 0);
    char *text = wrsim_structure(sim); /* needs no prepare */
    assert_non_null(text);
    assert_contains(text, "second");
    assert_contains(text, "u.x");
    free(text);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    for (int is_run = 0; is_run < 2; is_run++) {
        text = wrsim_summary(sim);
        assert_non_null(text);
        assert_contains(text, "first");
        assert_contains(text, "dopri54");
        assert_contains(text, "window");
        free(text);
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    }
}

TEST(dump_round_trip)
{
    static const char *const overrides[] = {
        "simulation.rtol=1.2345678901234567e-5", "relaxation.scheme=gauss_seidel",
        "subsystem.first.solver.kind=rk4", "subsystem.first.solver.step=0.1",
        "output.signals=[\"u.*\"]"};
    AUTO(wrsim_config_destroy) wrsim_config *a = config_of(pair, overrides, 5);
    AUTO(wr_test_free) char *first = wrsim_config_dump(a);
    assert_non_null(first);
    assert_contains(first, "gauss_seidel");
    AUTO(wrsim_config_destroy) wrsim_config *b = config_of(first, NULL, 0);
    AUTO(wr_test_free) char *second = wrsim_config_dump(b);
    assert_string_equal(first, second);
}

/* ---- errors ---- */

typedef struct collected {
    int n, lines[8];
    wrsim_status status[8];
    char text[8][640];
} collected;

static void collect(void *user, const wrsim_error *error)
{
    collected *const c = user;
    assert_true(c->n < 8);
    c->lines[c->n] = error->line;
    c->status[c->n] = error->status;
    snprintf(c->text[c->n], sizeof c->text[0], "%s", error->text);
    c->n++;
}

/* Sets a locale with decimal commas; texts of wrsim never have decimal commas. The locale is in ISO-8859-1, because localedef takes longer
 * for UTF-8. Returns 0 if the system cannot make the locale. */
static int use_german(void)
{
    static char folder[] = "/tmp/wrsim_locale_XXXXXX";
    char command[128];
    if (!mkdtemp(folder))
        return 0;
    snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-1 %s/de_DE 2>/dev/null",
             folder);
    const int is_made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
                        setlocale(LC_ALL, "de_DE") != NULL;
    snprintf(command, sizeof command, "rm -r %s", folder); /* setlocale() has read the folder */
    return system(command) == 0 && is_made;
}

static void assert_no_commas(const char *text)
{
    assert_non_null(text);
    for (const char *c = text; (c = strchr(c, ',')) != NULL; c++)
        if (c > text && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1])) {
            print_error("%.30s\n", c - 1);
            fail();
        }
}

TEST(host_with_commas)
{
    if (!use_german())
        skip();
    char number[16];
    snprintf(number, sizeof number, "%.1f", 0.5);
    assert_string_equal(number, "0,5");
    wrsim_config *config = config_of(pair, NULL, 0);
    char *text = wrsim_config_dump(config);
    assert_contains(text, "communication_step = 0.0625");
    assert_no_commas(text);
    wrsim_config *again = config_of(text, NULL, 0); /* wrsim reads its own dump */
    free(text);
    wrsim_config_destroy(&again);
    wrsim_config_destroy(&config);
    wrsim *sim = prepared(pair, NULL, 0);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    text = wrsim_summary(sim);
    assert_no_commas(text);
    free(text);
    text = wrsim_structure(sim);
    assert_no_commas(text);
    free(text);
    wrsim_destroy(&sim);
    static const char bad[] = "[simulation]\nstop = 2.5\nstart = 3.5\n";
    wrsim_error err = {0};
    assert_int_equal(
        wrsim_config_from_text(bad, strlen(bad), "bad.toml", NULL, 0, NULL, NULL, &config, &err),
        WRSIM_E_CONFIG);
    assert_no_commas(err.text);
    assert_contains(err.text, "2.5");
    snprintf(number, sizeof number, "%.1f", 0.5); /* the host's locale is unchanged */
    assert_string_equal(number, "0,5");
    setlocale(LC_ALL, "C");
}

TEST(all_errors_are_reported)
{
    static const char text[] = "[simulation]\n"
                               "stop = -1.0\n"
                               "rtoll = 1e-6\n"
                               "[relaxation]\n"
                               "scheme = \"jacoby\"\n";
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    collected c = {0};
    assert_int_equal(
        wrsim_config_from_text(text, strlen(text), "bad.toml", NULL, 0, collect, &c, &config, &err),
        WRSIM_E_CONFIG);
    assert_null(config);
    assert_true(c.n >= 3);
    int n_named = 0;
    for (int i = 0; i < c.n; i++) {
        assert_int_equal(c.status[i], WRSIM_E_CONFIG);
        n_named += strstr(c.text[i], "rtol") && c.lines[i] == 3;
        n_named += strstr(c.text[i], "jacobi") && c.lines[i] == 5;
    }
    assert_int_equal(n_named, 2);
    assert_int_equal(err.status, WRSIM_E_CONFIG);
    assert_string_equal(err.file, "bad.toml");
    assert_string_equal(err.text, c.text[0]);
    assert_int_equal(err.line, c.lines[0]);
}

TEST(errors_of_create)
{
    static const char text[] = "[simulation]\nstop = 1.0\n"
                               "[[component]]\nname = \"a\"\nmodel = \"dalquist\"\n"
                               "[[subsystem]]\nname = \"a\"\ncomponents = [\"a\"]\n";
    wrsim_config *config = config_of(text, NULL, 0);
    wrsim *sim = NULL;
    wrsim_error err = {0};
    assert_true(wrsim_create(config, NULL, NULL, &sim, &err) < 0);
    assert_null(sim);
    assert_non_null(strstr(err.text, "dahlquist"));
    assert_int_equal(err.line, 5);
    wrsim_config_destroy(&config);
    assert_int_equal(
        wrsim_config_from_file("/nowhere/at/all.toml", NULL, 0, NULL, NULL, &config, &err),
        WRSIM_E_IO);
    assert_null(config);
    assert_contains(err.file[0] ? err.file : err.text, "/nowhere/at/all.toml");
}

TEST(failure_at_run_time)
{
    static const char text[] = "[simulation]\nstop = 1.0\n"
                               "[[component]]\nname = \"sick\"\nmodel = \"test.faulty\"\n"
                               "parameters = { nan_time = 0.5 }\n"
                               "[[subsystem]]\nname = \"ward\"\ncomponents = [\"sick\"]\n";
    AUTO(wrsim_config_destroy) wrsim_config *config = config_of(text, NULL, 0);
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    assert_int_equal(wrsim_create(config, print_report, NULL, &sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, &err), WRSIM_E_NAN);
    assert_string_equal(err.subsystem, "ward");
    assert_between(err.time_s, 0.4, 0.6);
    assert_between(wrsim_time(sim), 0.0, 0.51);
    assert_close(value(sim, "sick.x"), exp(-wrsim_time(sim)), 1e-3,
                 0.0);                                     /* the last accepted value */
    assert_int_equal(wrsim_run(sim, &err), WRSIM_E_STATE); /* a failed run cannot continue */
    AUTO(wr_test_free) char *json = wrsim_summary(sim);
    assert_contains(json, "WRSIM_E_NAN");
    assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
}

/* A run writes its results and its summary. In another run these results replace a subsystem. The file is CSV, because a build without
 * HDF5 cannot write waves. */
TEST(results_are_written_and_played)
{
    wrsim *sim =
        prepared(pair, (const char *const[]){"output.file=pair.csv", "output.json=pair.json"}, 2);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
    wrsim_stats stats;
    assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
    assert_int_equal(stats.n_row, 33);
    assert_true(stats.file_bytes > 33 * 10);
    wrsim_destroy(&sim);
    assert_int_equal(access("pair.json", R_OK), 0);
    sim = prepared(
        pair,
        (const char *const[]){"subsystem.second.kind=replay", "subsystem.second.file=pair.csv"}, 2);
    assert_close(value(sim, "v.x"), 3.0, 1e-12, 0.0);
    assert_int_equal(wrsim_advance(sim, 1.03, NULL), WRSIM_OK);
    /* The limit 1e-6 is above the error of cubics over 1/16 s for signals with a time scale of 1 s. */
    assert_close(value(sim, "v.x"), exact_v(1.03), 1e-6, 0.0);
    assert_close(value(sim, "u.x"), exact_u(1.03), 1e-6, 0.0);
    assert_close(value(sim, "u.u"), exact_v(1.03), 1e-6, 0.0);
    assert_close(value(sim, "v.u"), exact_u(1.03), 1e-6, 0.0);
    /* alternating, because the values of recorded subsystems share one array */
    const int in_turn[] = {wrsim_find(sim, "u.x"), wrsim_find(sim, "v.x"), wrsim_find(sim, "u.x")};
    double found[3];
    assert_int_equal(wrsim_get_many(sim, 3, in_turn, found), WRSIM_OK);
    assert_close(found[1], exact_v(1.03), 1e-6, 0.0);
    assert_close(found[2], found[0], 0.0, 0.0);
    wrsim_subsystem_stats s;
    assert_int_equal(wrsim_stats_subsystem(sim, 1, &s), WRSIM_OK);
    assert_string_equal(s.solver, "replay");
    assert_int_equal(s.n_state, 0);
    assert_int_equal(s.n_input, 0);
    assert_true(s.n_integration > 0);
    char *const text = wrsim_structure(sim);
    assert_contains(text, "\"kind\": \"replay\"");
    assert_contains(text, "are interpolated from points");
    free(text);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    assert_close(value(sim, "u.x"), exact_u(2.0), 1e-6, 0.0);
    wrsim_destroy(&sim);
}

TEST(statuses)
{
    assert_string_equal(wrsim_status_name(WRSIM_OK), "WRSIM_OK");
    assert_string_equal(wrsim_status_name(WRSIM_E_CONTRACT), "WRSIM_E_CONTRACT");
    assert_string_equal(wrsim_status_name((wrsim_status)-12345), "?");
    assert_true(strlen(wrsim_status_text(WRSIM_E_DISK)) > 0);
    assert_non_null(wrsim_status_text((wrsim_status)-12345));
    assert_int_equal(wrsim_status_exit_code(WRSIM_OK), 0);
    assert_int_equal(wrsim_status_exit_code(WRSIM_STOPPED), 130);
    assert_int_equal(wrsim_status_exit_code(WRSIM_E_CONFIG), 3);
    assert_string_equal(wrsim_version(), WRSIM_VERSION_STRING);
}

/* A probe reports its finding. Without monolithic = "auto" the split of the config stays, also if the host keeps the finding. */
TEST(split_probe)
{
    wrsim_config *config = config_of(pair, NULL, 0);
    wrsim_split_probe found = {0};
    wrsim_error err = {0};
    assert_int_equal(wrsim_config_is_undecided(config), 0);
    assert_int_equal(wrsim_study_split(config, 1, &found, &err), WRSIM_OK);
    assert_true(found.has_answer && found.work_ratio > 1.0 && found.is_monolithic);
    assert_true(found.span_s > 0.0 && found.wall_s > 0.0 && found.n_worker == 1);
    assert_contains(found.text, "monolithic: ");
    assert_int_equal(wrsim_config_keep_split(config, &found, &err), WRSIM_OK);
    wrsim *sim = NULL;
    wrsim_stats stats;
    assert_int_equal(wrsim_create(config, NULL, NULL, &sim, &err), WRSIM_OK);
    wrsim_stats_get(sim, &stats);
    assert_int_equal(stats.n_subsystem, 2); /* the split of the config */
    wrsim_destroy(&sim);
    assert_int_equal(wrsim_study_split(NULL, 1, &found, &err), WRSIM_E_ARG);
    assert_contains(err.text, "wrsim_study_split");
    assert_int_equal(wrsim_study_split(config, -1, &found, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_config_keep_split(config, NULL, &err), WRSIM_E_ARG);
    assert_contains(err.text, "wrsim_config_keep_split");
    wrsim_config_destroy(&config);
    assert_int_equal(wrsim_config_is_undecided(NULL), 0);
}

/* wrsim_create() runs no model, so a host calls wrsim_study_split() before to resolve "auto". */
TEST(auto_is_decided_first)
{
    static const char *const overrides[] = {"simulation.monolithic=auto"};
    wrsim_config *config = config_of(pair, overrides, 1);
    wrsim_split_probe found = {0};
    wrsim_error err = {0};
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    assert_int_equal(wrsim_config_is_undecided(config), 1);
    assert_int_equal(wrsim_create(config, NULL, NULL, &sim, &err), WRSIM_E_CONFIG);
    assert_null(sim);
    assert_contains(err.text, "wrsim_study_split()");
    assert_contains(err.text, "simulation.monolithic");
    assert_int_equal(wrsim_study_split(config, 2, &found, &err), WRSIM_OK);
    assert_int_equal(wrsim_config_keep_split(config, &found, &err), WRSIM_E_ARG);
    assert_contains(err.text, "for one worker");
    assert_int_equal(wrsim_study_split(config, 0, &found, &err), WRSIM_OK);
    assert_int_equal(found.n_worker, 1);
    assert_int_equal(wrsim_config_keep_split(config, &found, &err), WRSIM_OK);
    assert_int_equal(wrsim_config_is_undecided(config), 0);
    assert_int_equal(wrsim_create(config, print_report, NULL, &sim, &err), WRSIM_OK);
    wrsim_config_destroy(&config);
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    assert_int_equal(stats.n_subsystem, 1);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
    assert_close(value(sim, "v.x"), exact_v(2.0), 1e-6, 0.0);
    AUTO(wr_test_free) char *json = wrsim_summary(sim);
    assert_contains(json, "\"choice\"");
    assert_contains(json, "monolithic: ");
}

/* If no comparison is possible, the probe has no answer, and the run uses the config's split. */
TEST(split_probe_without_an_answer)
{
    static const char *const overrides[] = {"simulation.monolithic=auto", "simulation.stop=1e-9",
                                            "component.u.model=\"no_such\""};
    AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    wrsim_split_probe found = {.has_answer = 1};
    wrsim *sim = NULL;
    wrsim_error err = {0};
    if (wrsim_config_from_text(pair, strlen(pair), "pair.toml", overrides, 3, NULL, NULL, &config,
                               NULL) < 0)
        skip();
    assert_int_equal(wrsim_study_split(config, 0, &found, NULL), WRSIM_OK);
    assert_int_equal(found.has_answer, 0);
    assert_int_equal(wrsim_config_keep_split(config, &found, NULL), WRSIM_OK);
    assert_true(wrsim_create(config, NULL, NULL, &sim, &err) < 0);
    assert_contains(err.text, "no_such");
}

static void count_lines(void *user, const char *text)
{
    assert_true(text[0] != '\0');
    ++*(int *)user;
}

static int at_once(void *user) { return 1; }

/* A budget study meets the requested error and returns its settings as overrides. A host can stop the study. */
TEST(budget)
{
    static const char path[] = "pair.toml";
    wr_test_write(path, pair);
    int n_line = 0;
    wrsim_budget_options options = {.error = 1e-4, .progress = count_lines, .user = &n_line};
    wrsim_budget *budget = NULL;
    wrsim_error err = {0};
    assert_int_equal(wrsim_study_budget(path, &options, &budget, &err), WRSIM_OK);
    assert_true(n_line > 0 && budget->is_complete && budget->n_signal > 0);
    assert_int_equal(budget->n_tolerance, 3); /* both solvers, and the coupling */
    assert_true(budget->chosen.error <= 1e-4 && budget->chosen.work <= budget->uniform.work);
    assert_true(budget->n_override >= 4);
    assert_contains(budget->override[0], "simulation.rtol=0.0001");
    wrsim *sim = NULL;
    wrsim_config *config = NULL;
    assert_int_equal(wrsim_config_from_file(path, budget->override, budget->n_override,
                                            print_report, NULL, &config, NULL),
                     WRSIM_OK);
    assert_int_equal(wrsim_create(config, print_report, NULL, &sim, NULL), WRSIM_OK);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    wrsim_budget_destroy(&budget);
    assert_null(budget);
    wrsim_budget_destroy(&budget);
    options = (wrsim_budget_options){.is_over = at_once};
    assert_int_equal(wrsim_study_budget(path, &options, &budget, &err), WRSIM_STOPPED);
    assert_null(budget);
    unlink(path);
    assert_int_equal(wrsim_study_budget(path, &options, &budget, &err), WRSIM_E_IO);
    assert_string_equal(err.file, path);
    assert_int_equal(wrsim_study_budget(NULL, &options, &budget, &err), WRSIM_E_ARG);
    assert_contains(err.text, "wrsim_study_budget");
}

TEST_FOLDER
