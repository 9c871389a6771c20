/* Delay errors against the exact results of the linear pair (test_slack.c). With forward Euler steps of h, constant inputs and random
 * versions, the run is a recursion that the test repeats. Its errors are E_c = h b (v(t_n) - v~), with the stale value v~, and their sum
 * (Ben Khaled et al. (2013), eqs. 8, 9, 17; docs/METHODS.md, Delay errors). The test compares the propagated error with the exact one. */
#include <unistd.h>

#include "linear_pair.h"
#include "prepared.h"

#define PAIR                                                                                       \
    "[simulation]\nstop = 2.0\ncommunication_step = 0.02\nrtol = 1e-10\n"                          \
    "[relaxation]\nscheme = \"slack\"\nprediction = \"hold\"\n[slack]\nwatch = 1\nbound = "        \
    "0\n" LINEAR_PAIR

enum { N_PERIOD = 100, N_STEP = 4, MOST_DELAY = 5, N_SET = 8 };

static wrsim *prepare(const char *const *set) { return prepared_set(PAIR, set); }

static wrsim *run(const char *const *set)
{
    wrsim *const sim = prepare(set);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    return sim;
}

/* ---- as published ---- */

typedef struct history {
    double x[N_PERIOD * N_STEP + 1];
    double stale[N_PERIOD]; /* the value that each period reads */
    double accumulated, current;
    int n_settled;
} history;

/* Draws version numbers: the latest one, or up to MOST_DELAY older. */
static void draw(unsigned seed, int version[N_PERIOD][2])
{
    unsigned state = seed;
    for (int n = 0; n < N_PERIOD; n++)
        for (int i = 0; i < 2; i++) {
            state = state * 1103515245u + 12345u;
            const int delay = (int)((state >> 16) % (MOST_DELAY + 1));
            version[n][i] = n > delay ? n - delay : 0;
            if (n > 0 && version[n][i] < version[n - 1][i]) /* versions in a log never decrease */
                version[n][i] = version[n - 1][i];
        }
}

/* Computes the recursion of the two subsystems. */
static void recur(int version[N_PERIOD][2], history h[2])
{
    static const double b[2] = {0.5, -0.5};
    const double step_s = 0.02 / N_STEP;
    h[0].x[0] = 1.0;
    h[1].x[0] = 3.0;
    for (int n = 0; n < N_PERIOD; n++)
        for (int i = 0; i < 2; i++) {
            h[i].stale[n] = h[1 - i].x[version[n][i] * N_STEP];
            for (int k = n * N_STEP; k < (n + 1) * N_STEP; k++)
                h[i].x[k + 1] = h[i].x[k] + step_s * (-h[i].x[k] + b[i] * h[i].stale[n]);
        }
    for (int i = 0; i < 2; i++) {
        h[i].n_settled = version[N_PERIOD - 1][i]; /* known at the start of the last period */
        h[i].accumulated = 0.0;
        for (int k = 0; k < h[i].n_settled * N_STEP; k++) {
            h[i].current = step_s * b[i] * (h[1 - i].x[k] - h[i].stale[k / N_STEP]);
            h[i].accumulated += h[i].current;
        }
    }
}

static void check_recursion(unsigned seed, const char *workers)
{
    static const char *const names[] = {"u.x", "v.x"};
    const char *const set[N_SET + 1] = {"solver.kind=euler", "solver.step=0.005", workers,
                                        "slack.replay=delay_log.csv"};
    int version[N_PERIOD][2];
    static history h[2];
    draw(seed, version);
    FILE *const f = fopen("delay_log.csv", "w");
    assert_non_null(f);
    fputs("time [s],kind,U.V [1],V.U [1]\n", f);
    for (int n = 0; n < N_PERIOD; n++)
        fprintf(f, "%.17g,c,%d,%d\n", 0.02 * n, version[n][0], version[n][1]);
    assert_int_equal(fclose(f), 0);
    recur(version, h);
    wrsim *sim = run(set);
    for (int i = 0; i < 2; i++) {
        wrsim_delay_subsystem s;
        wrsim_delay_connection c;
        wrsim_delay_state e;
        const int variable = wrsim_find(sim, names[i]);
        assert_int_equal(wrsim_delay_subsystem_get(sim, i, &s), WRSIM_OK);
        assert_int_equal(s.n_period, h[i].n_settled);
        assert_int_equal(s.n_lost, 0);
        assert_int_equal(wrsim_delay_state_get(sim, variable, &e), WRSIM_OK);
        assert_close(wrsim_get(sim, variable), h[i].x[N_PERIOD * N_STEP], 1e-14, 0);
        assert_close(e.accumulated, h[i].accumulated, 1e-13, 0);
        assert_close(e.current, h[i].current, 0, 1e-17); /* rounding of two values of f, times h */
        assert_true(fabs(h[i].accumulated) > 1e-3);
        assert_int_equal(wrsim_delay_connection_get(sim, i, 0, &c), WRSIM_OK);
        assert_close(c.current, s.current, 0, 0);
        assert_string_equal(s.current_state, names[i]);
    }
    leave(&sim);
    unlink("delay_log.csv");
}

TEST(recursion)
{
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=2"};
    for (unsigned seed = 1; seed <= 10; seed++)
        check_recursion(seed, workers[seed % 2]);
}

/* ---- propagated ---- */

static double exact(int is_v)
{
    return exp(-2.0) * (is_v ? 3.0 * cos(1.0) - sin(1.0) : cos(1.0) + 3.0 * sin(1.0));
}

/* Returns the largest difference of the estimate from the true error, relative to the larger of the two true errors. */
static double estimate_off(const char *period, const char *prediction, const char *const *more)
{
    static const char *const names[] = {"u.x", "v.x"};
    char set_period[64], set_prediction[64];
    snprintf(set_period, sizeof set_period, "slack.period=%s", period);
    snprintf(set_prediction, sizeof set_prediction, "relaxation.prediction=%s", prediction);
    const char *const set[N_SET + 1] = {
        set_period, set_prediction, "solver.kind=dopri54", "simulation.rtol=1e-12",
        more[0],    more[1]};
    wrsim *sim = run(set);
    double off = 0.0, size = 0.0;
    for (int i = 0; i < 2; i++) {
        wrsim_delay_state e;
        const int variable = wrsim_find(sim, names[i]);
        assert_int_equal(wrsim_delay_state_get(sim, variable, &e), WRSIM_OK);
        const double missing = exact(i) - wrsim_get(sim, variable);
        off = fmax(off, fabs(e.estimate - missing));
        size = fmax(size, fabs(missing));
    }
    leave(&sim);
    return off / size;
}

/* The relative error of the estimate is of first order: half the period halves it. */
TEST(estimate)
{
    static const char *const delays[][3] = {{NULL},
                                            {"slack.delays=fixed", "slack.delay=1", NULL},
                                            {"slack.delays=fixed", "slack.delay=3", NULL}};
    static const char *const predictions[] = {"hold", "linear"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const double coarse = estimate_off("0.02", predictions[k], delays[i]);
            const double fine = estimate_off("0.01", predictions[k], delays[i]);
            const double finest = estimate_off("0.005", predictions[k], delays[i]);
            if (getenv("WR_PRINT"))
                print_message("%s %d: %g %g %g\n", predictions[k], i, coarse, fine, finest);
            assert_true(fine < 0.7 * coarse && finest < 0.7 * fine);
            assert_true(finest < 0.1);
        }
}

/* ---- limits ---- */

static const char *const late[] = {"slack.delays=fixed", "slack.delay=3", "solver.kind=dopri54"};

/* Returns the largest true error of the two subsystems at the end. */
static double true_error(wrsim *sim)
{
    const double u = wrsim_get(sim, wrsim_find(sim, "u.x"));
    const double v = wrsim_get(sim, wrsim_find(sim, "v.x"));
    return fmax(fabs(u - exact(0)), fabs(v - exact(1)));
}

/* Asserts that the current error of u is below eps when more than three periods have passed since U detected an excess. Returns the
 * largest growth of the accumulated error per second in these later periods. */
static double follow(wrsim *sim, double eps)
{
    const int u = wrsim_find(sim, "u.x");
    double known_s = (double)INFINITY, growth = 0.0, before = 0.0;
    int64_t n_period = 0;
    for (int n = 1; n <= N_PERIOD; n++) {
        wrsim_delay_subsystem s;
        wrsim_delay_state e;
        assert_int_equal(wrsim_advance(sim, 0.02 * n, NULL), WRSIM_OK);
        assert_int_equal(wrsim_delay_subsystem_get(sim, 0, &s), WRSIM_OK);
        assert_int_equal(wrsim_delay_state_get(sim, u, &e), WRSIM_OK);
        if (s.n_above_loc > 0)
            known_s = fmin(known_s, 0.02 * n);
        if (s.n_period > n_period && 0.02 * (double)(s.n_period - 1) > known_s + 3.0 * 0.02) {
            assert_true(fabs(e.current) / fabs(wrsim_get(sim, u)) < eps);
            growth = fmax(growth, fabs(e.accumulated - before) / 0.02);
        }
        n_period = s.n_period;
        before = e.accumulated;
    }
    assert_true(known_s < 1.0); /* U has detected an excess */
    return growth;
}

TEST(wait_and_relax)
{
    static const char *const actions[] = {"slack.on_loc=wait", "slack.on_loc=relax"};
    const char *set[N_SET + 1] = {late[0], late[1], late[2]};
    wrsim *sim = run(set);
    const double plain = true_error(sim);
    leave(&sim);
    for (int i = 0; i < 2; i++) {
        const double eps = i == 0 ? 2e-4 : 2e-5;
        set[3] = i == 0 ? "slack.eps_loc=2e-4" : "slack.eps_loc=2e-5";
        set[4] = actions[i];
        sim = prepare(set);
        assert_true(follow(sim, eps) < eps / 0.02);
        assert_true(true_error(sim) < 0.5 * plain);
        wrsim_delay_subsystem s;
        wrsim_delay_connection c;
        wrsim_delay_subsystem_get(sim, 0, &s);
        wrsim_delay_connection_get(sim, 0, 0, &c);
        assert_int_equal(c.is_awaited, i == 0);
        assert_int_equal(s.n_sweep > 1, i == 1);
        leave(&sim);
    }
}

/* Actions "log" and "warn" change no result. "stop" ends the run soon, and the run may continue. */
TEST(log_warn_stop)
{
    static const char *const actions[] = {"slack.on_glo=log", "slack.on_glo=warn",
                                          "slack.on_glo=stop"};
    const char *set[N_SET + 1] = {late[0], late[1], late[2]};
    AUTO(leave) wrsim *sim = run(set);
    const double plain = true_error(sim);
    leave(&sim);
    set[3] = "slack.eps_glo=1e-3";
    for (int i = 0; i < 2; i++) {
        wrsim_delay_subsystem s;
        set[4] = actions[i];
        sim = run(set);
        assert_close(true_error(sim), plain, 0, 0);
        wrsim_delay_subsystem_get(sim, 0, &s);
        assert_true(s.n_above_glo > 10 && s.first_above_glo_s < 1.0);
        assert_true(isnan(s.first_above_loc_s));
        leave(&sim);
    }
    set[4] = actions[2];
    sim = prepare(set);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_DELAY_EXCEEDED);
    const double stopped_s = wrsim_time(sim);
    assert_true(stopped_s > 0.0 && stopped_s < 0.5);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_DELAY_EXCEEDED);
    assert_true(wrsim_time(sim) > stopped_s && wrsim_time(sim) < stopped_s + 0.5);
}

/* A limit that only logs does not disable the action of the other limit. */
TEST(warned_and_stopped)
{
    const char *const set[N_SET + 1] = {late[0],
                                        late[1],
                                        late[2],
                                        "slack.eps_loc=1e-9",
                                        "slack.on_loc=log",
                                        "slack.eps_glo=1e-3",
                                        "slack.on_glo=stop"};
    AUTO(leave) wrsim *sim = prepare(set);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_DELAY_EXCEEDED);
    assert_true(wrsim_time(sim) < 0.5);
}

/* ---- room ---- */

/* Advances that end often within a period need many versions at once: the run ends with an error instead of a wait. */
TEST(no_room)
{
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=2"};
    for (int i = 0; i < 2; i++) {
        const char *const set[N_SET + 1] = {"slack.delays=fixed", "slack.delay=1",
                                            "slack.period=0.2", workers[i]};
        AUTO(leave) wrsim *sim = prepare(set);
        wrsim_error err = {0};
        wrsim_status status = WRSIM_OK;
        for (int n = 1; n <= 1000 && status == WRSIM_OK; n++)
            status = wrsim_advance(sim, 0.002 * n, &err);
        assert_int_equal(status, WRSIM_E_LIMIT);
        assert_non_null(strstr(err.text, "slack.period"));
    }
}

/* ---- events ---- */

/* A growing u, and a switch in another subsystem that reads u; %s: the plug-in. */
#define LATE_SWITCH                                                                                \
    "[[plugin]]\nfile = \"%s\"\n"                                                                  \
    "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\nparameters = { a = 1.0 }\n"               \
    "start = { x = 0.5 }\n"                                                                        \
    "[[component]]\nname = \"s\"\nmodel = \"test.late_switch\"\n"                                  \
    "[[connection]]\nfrom = \"u.x\"\nto = \"s.u\"\n"                                               \
    "[[subsystem]]\nname = \"U\"\ncomponents = [\"u\"]\n"                                          \
    "[[subsystem]]\nname = \"S\"\ncomponents = [\"s\"]\n"

/* u' = u from 1/2 reaches 1 at ln 2 s, and the switch detects this event late. The error of s.x at the end comes from the jump of the slope
 * and from the stored time. Returns the error of the estimate, relative to this error. */
static double event_off(const char *period, const char *prediction)
{
    static const char *const format =
        "[simulation]\nstop = 2.0\ncommunication_step = 0.04\nrtol = 1e-10\n"
        "[relaxation]\nscheme = \"slack\"\nprediction = \"%s\"\n"
        "[slack]\nwatch = 1\nperiod = %s\ndelays = \"fixed\"\ndelay = 1\n" LATE_SWITCH;
    char text[1024];
    const double since_s = 2.0 - log(2.0), x = 2.0 * since_s + 0.5 * since_s * since_s;
    snprintf(text, sizeof text, format, prediction, period, wr_test_arg(1));
    wrsim *const sim = prepared_set(text, (const char *const[]){NULL});
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    wrsim_delay_state e;
    const int variable = wrsim_find(sim, "s.x");
    assert_int_equal(wrsim_delay_state_get(sim, variable, &e), WRSIM_OK);
    const double missing = x - wrsim_get(sim, variable);
    assert_true(fabs(missing) > 1e-5);
    wrsim *left = sim;
    leave(&left);
    return fabs(e.estimate - missing) / fabs(missing);
}

TEST(late_event)
{
    const double coarse = event_off("0.04", "linear"), fine = event_off("0.02", "linear"),
                 finest = event_off("0.01", "linear");
    if (getenv("WR_PRINT"))
        print_message("event %g %g %g\n", coarse, fine, finest);
    assert_true(coarse < 0.3 && fine < 0.15 && finest < 0.08);
}

/* Returns the number of evaluations that the watch of S takes up to stop_s. */
static int64_t watching_cost(double stop_s)
{
    static const char *const format =
        "[simulation]\nstop = %g\ncommunication_step = 0.04\nrtol = 1e-10\n"
        "[relaxation]\nscheme = \"slack\"\n"
        "[slack]\nwatch = 1\nperiod = 0.04\ndelays = \"fixed\"\ndelay = 1\n" LATE_SWITCH;
    char text[1024];
    snprintf(text, sizeof text, format, stop_s, wr_test_arg(1));
    wrsim *sim = prepared_set(text, (const char *const[]){NULL});
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    wrsim_delay_subsystem of;
    wrsim_delay_subsystem_get(sim, 1, &of);
    assert_string_equal(of.name, "S");
    leave(&sim);
    return of.n_rhs;
}

/* The event at ln 2 s, late in S by some periods, costs at least three evaluations of the indicator and two of the event. */
TEST(cost_of_event)
{
    const int64_t before = watching_cost(0.76) - watching_cost(0.72);
    const int64_t with_event = watching_cost(0.8) - watching_cost(0.76);
    if (getenv("WR_PRINT"))
        print_message("cost of a period %g, with an event %g\n", (double)before,
                      (double)with_event);
    assert_true(with_event >= before + 5);
}

/* ---- gaps ---- */

/* U grows by e^(a t) beside V, which decays. The run watches one period in eight and propagates over a gap of seven in one implicit step
 * (propagation.h), with a pole at a growth of 3.4: a = 48.8 1/s. Returns the ratio of the estimate to the true error. */
static double gap_ratio(double a)
{
    static const char *const format =
        "[simulation]\nstop = 0.4\ncommunication_step = 0.01\nrtol = 1e-10\n"
        "[solver]\nkind = \"dopri54\"\n"
        "[relaxation]\nscheme = \"slack\"\nprediction = \"hold\"\n"
        "[slack]\nwatch = 8\nbound = 0\nperiod = 0.01\n"
        "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\nparameters = { a = %.17g, b = 1.0 }\n"
        "start = { x = 1.0 }\n"
        "[[component]]\nname = \"v\"\nmodel = \"dahlquist\"\nparameters = { a = -5.0 }\n"
        "start = { x = 1.0 }\n"
        "[[connection]]\nfrom = \"v.x\"\nto = \"u.u\"\n"
        "[[subsystem]]\nname = \"U\"\ncomponents = [\"u\"]\n"
        "[[subsystem]]\nname = \"V\"\ncomponents = [\"v\"]\n";
    char text[1024];
    snprintf(text, sizeof text, format, a);
    wrsim *sim = prepared_set(text, (const char *const[]){NULL});
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    wrsim_delay_state e;
    const int variable = wrsim_find(sim, "u.x");
    assert_int_equal(wrsim_delay_state_get(sim, variable, &e), WRSIM_OK);
    const double drive = 1.0 / (a + 5.0);
    const double u = (1.0 + drive) * exp(a * 0.4) - drive * exp(-5.0 * 0.4);
    const double missing = u - wrsim_get(sim, variable);
    assert_true(fabs(missing) > 1e-5 * u);
    leave(&sim);
    return e.estimate / missing;
}

/* The estimate is within a factor of 4. Without the growth in gaps the factor is 0.1 at a = 9 and 6e-5 at a = 43. Without a limit near the
 * pole the factor is 23 at a = 41. */
TEST(gaps_of_growing_errors)
{
    for (double a = 5.0; a < 46.0; a += 2.0) {
        const double ratio = gap_ratio(a);
        if (getenv("WR_PRINT"))
            print_message("grows by %g 1/s: %g\n", a, ratio);
        assert_true(ratio > 0.25 && ratio < 4.0);
    }
}
