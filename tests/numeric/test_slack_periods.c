/* Periods of connections, and limits that shorten periods. With forward Euler steps and constant inputs a slackened run is a recursion
 * that the test repeats. In a chain a -> b -> c -> d, b -> c has a fourth of the period: b and c advance by fourths, a and d by whole
 * periods. */
#include "linear_pair.h"
#include "prepared.h"

enum { N_SET = 9, N_PART = 4, N_PERIOD = 50, N_STEP = 4, MOST_DELAY = 2 };
static const double PERIOD_S = 0.02;
static const double WEIGHT = 0.7;

static double rate_of(int i) { return -1.0 - 0.5 * i; }

/* Writes the config of the chain c0.x -> c1.u, c1.x -> c2.u, ... has_back: the last part drives the first part. */
static void chain_text(char *text, size_t bytes, const char *period, int has_back)
{
    size_t n =
        (size_t)snprintf(text, bytes,
                         "[simulation]\nstop = 1.0\ncommunication_step = 0.02\nrtol = 1e-10\n"
                         "[relaxation]\nscheme = \"slack\"\nprediction = \"hold\"\n"
                         "[solver]\nkind = \"euler\"\nstep = 0.005\n");
    for (int i = 0; i < N_PART; i++)
        n += (size_t)snprintf(text + n, bytes - n,
                              "[[component]]\nname = \"c%d\"\nmodel = \"dahlquist\"\n"
                              "parameters = { a = %g, b = %g }\nstart = { x = %d.0 }\n"
                              "[[subsystem]]\nname = \"s%d\"\ncomponents = [\"c%d\"]\n",
                              i, rate_of(i), WEIGHT, i + 1, i, i);
    for (int i = 0; i < N_PART - !has_back; i++)
        n += (size_t)snprintf(
            text + n, bytes - n, "[[connection]]\nfrom = \"c%d.x\"\nto = \"c%d.u\"\n%s%s\n", i,
            (i + 1) % N_PART, i == 1 && period[0] ? "period = " : "", i == 1 ? period : "");
    assert_true(n < bytes);
}

/* ---- periods of connections ---- */

/* Computes values at ends of steps. delay: in periods of the reader, equal for all connections. */
static void recur(double x[N_PART][N_PERIOD * N_STEP + 1], int has_back, int delay)
{
    static const int span[N_PART] = {N_STEP, 1, 1, N_STEP}; /* period of each part, in steps */
    const double h = PERIOD_S / N_STEP;
    for (int i = 0; i < N_PART; i++)
        x[i][0] = i + 1;
    for (int k = 0; k < N_PERIOD * N_STEP; k++)
        for (int i = 0; i < N_PART; i++) {
            const int from = (i + N_PART - 1) % N_PART, is_driven = i > 0 || has_back;
            int seen = k / span[i] * span[i] - delay * span[i]; /* start of i's period less delay */
            seen = seen > 0 ? seen / span[from] * span[from] : 0;
            x[i][k + 1] =
                x[i][k] + h * (rate_of(i) * x[i][k] + (is_driven ? WEIGHT * x[from][seen] : 0.0));
        }
}

static void check_chain(int has_back, int delay, const char *workers)
{
    static double x[N_PART][N_PERIOD * N_STEP + 1];
    char text[4096], set_delay[32];
    chain_text(text, sizeof text, "0.005", has_back);
    snprintf(set_delay, sizeof set_delay, "slack.delay=%d", delay);
    const char *const set[N_SET] = {workers, delay > 0 ? "slack.delays=fixed" : "slack.bound=0",
                                    delay > 0 ? set_delay : NULL};
    recur(x, has_back, delay);
    AUTO(leave) wrsim *sim = prepared_set(text, set);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    for (int i = 0; i < N_PART; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d.x", i);
        assert_close(wrsim_get(sim, wrsim_find(sim, name)), x[i][N_PERIOD * N_STEP], 1e-13, 0);
    }
}

TEST(recursion)
{
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=2",
                                          "scheduler.workers=4"};
    for (int delay = 0; delay <= MOST_DELAY; delay++)
        for (int has_back = 0; has_back < 2; has_back++)
            for (int w = 0; w < 3; w++)
                check_chain(has_back, delay, workers[w]);
}

/* Connections that all have the short period give the bits of a run with this period in [slack]. */
TEST(one_period_of_all)
{
    static const char period[] = "period = 0.0025\n";
    char text[4096], all[8192];
    size_t n = 0;
    chain_text(text, sizeof text, "", 1);
    for (const char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        n += (size_t)snprintf(all + n, sizeof all - n, "%.*s\n%s", (int)(end - line), line,
                              strncmp(line, "to =", 4) == 0 ? period : "");
    }
    const char *const set[N_SET] = {"slack.bound=0", "solver.kind=dopri54"};
    const char *const short_set[N_SET] = {"slack.bound=0", "solver.kind=dopri54",
                                          "slack.period=0.0025"};
    wrsim *one = prepared_set(all, set), *other = prepared_set(text, short_set);
    assert_int_equal(wrsim_run(one, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(other, NULL), WRSIM_OK);
    for (int i = 0; i < N_PART; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d.x", i);
        assert_close(wrsim_get(one, wrsim_find(one, name)),
                     wrsim_get(other, wrsim_find(other, name)), 0, 0);
    }
    leave(&one);
    leave(&other);
}

/* ---- logs ---- */

static void run_chain(const char *text, const char *const *set, double stop_s, double ret[N_PART])
{
    AUTO(leave) wrsim *sim = prepared_set(text, set);
    if (stop_s > 0.0)
        assert_int_equal(wrsim_advance(sim, stop_s, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    for (int i = 0; i < N_PART; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d.x", i);
        ret[i] = wrsim_get(sim, wrsim_find(sim, name));
    }
}

/* Copies a log and subtracts n_late from the last cells, which are the versions that the last subsystem reads. No version falls below
 * 0, and an empty cell stays empty. */
static void make_late(const char *from, const char *to, int n_late)
{
    FILE *const in = fopen(from, "r"), *const out = fopen(to, "w");
    char line[4096];
    int n_changed = 0;
    assert_true(in && out);
    while (fgets(line, sizeof line, in)) {
        char *const last = strrchr(line, ',');
        const int is_row = line[0] >= '0' && line[0] <= '9' && last && last[1] != '\n';
        const int known = is_row ? atoi(last + 1) - n_late : 0;
        if (is_row)
            snprintf(last, (size_t)(line + sizeof line - last), ",%d\n", known > 0 ? known : 0);
        n_changed += is_row;
        fputs(line, out);
    }
    assert_int_equal(n_changed, N_PERIOD);
    fclose(in);
    fclose(out);
}

/* Subsystems have different periods. A log has the periods of all subsystems, and its entries may be late by several short periods. */
TEST(logs)
{
    static const char *const logs[] = {"slack_periods.csv", "slack_periods.h5"};
    static const char *const replays[] = {"slack.replay=slack_periods.csv",
                                          "slack.replay=slack_periods.h5"};
    char text[4096], log[64];
    double live[N_PART], again[N_PART], late[N_PART];
    chain_text(text, sizeof text, "0.00125", 0);
    for (int i = 0; i < 2; i++) {
        snprintf(log, sizeof log, "slack.log=%s", logs[i]);
        run_chain(text, (const char *const[N_SET]){"slack.bound=1", log, "scheduler.workers=3"}, 0,
                  live);
        for (int k = 0; k < 2; k++) {
            run_chain(text, (const char *const[N_SET]){"slack.bound=1", replays[i]}, k * 0.4,
                      again);
            assert_memory_equal(live, again, sizeof live);
        }
    }
    make_late(logs[0], "slack_late.csv", 15 * 16);
    const char *const set[N_SET] = {"slack.bound=20", "slack.replay=slack_late.csv"};
    run_chain(text, set, 0.0, late);
    assert_true(late[3] < live[3] || late[3] > live[3]);
    run_chain(text, set, 0.4, again);
    assert_memory_equal(late, again, sizeof late);
    for (int i = 0; i < 2; i++)
        remove(logs[i]);
    remove("slack_late.csv");
}

/* ---- periods that are shortened ---- */

#define HEAD                                                                                       \
    "[simulation]\nstop = 2.0\ncommunication_step = 0.02\nrtol = 1e-10\n"                          \
    "[relaxation]\nscheme = \"slack\"\n[slack]\nwatch = 1\nbound = 0\nperiod = 0.08\n"             \
    "[solver]\nkind = \"dopri54\"\n"
#define PAIR HEAD LINEAR_PAIR
/* v does not read u, so only the connection to u exists. */
#define DRIVEN HEAD LINEAR_PAIR_PARTS LINEAR_PAIR_TO_U

static double exact_u(int is_driven)
{
    const double t = 2.0;
    return is_driven ? exp(-t) * (1.0 + 1.5 * t) : exp(-t) * (cos(0.5 * t) + 3.0 * sin(0.5 * t));
}

static double error_of_u(wrsim *sim, int is_driven)
{
    return fabs(wrsim_get(sim, wrsim_find(sim, "u.x")) - exact_u(is_driven));
}

/* When more than three periods have passed since U detected an excess, the current error of U is below the limit. The accumulated
 * error then grows by less than the limit per step, averaged over a period. */
static void follow(wrsim *sim, double eps)
{
    const int u = wrsim_find(sim, "u.x"), most = 25;
    int known = most;
    double before = 0.0;
    for (int n = 1; n <= most; n++) {
        wrsim_delay_subsystem s;
        wrsim_delay_state e;
        assert_int_equal(wrsim_advance(sim, 0.08 * n, NULL), WRSIM_OK);
        assert_int_equal(wrsim_delay_subsystem_get(sim, 0, &s), WRSIM_OK);
        assert_int_equal(wrsim_delay_state_get(sim, u, &e), WRSIM_OK);
        if (s.n_above_loc > 0 && n < known)
            known = n;
        if (n > known + 3) { /* the settled error belongs to earlier periods */
            const double size = fabs(wrsim_get(sim, u));
            assert_true(fabs(e.current) / size < eps);
            assert_true(fabs(e.accumulated - before) < 16.0 * eps * size);
        }
        before = e.accumulated;
    }
    assert_true(known < most / 2); /* U has detected an excess */
}

static void check_shorten(const char *text, int is_driven, const char *prediction, double eps)
{
    char set_eps[64];
    snprintf(set_eps, sizeof set_eps, "slack.eps_loc=%g", eps);
    const char *set[N_SET] = {prediction};
    AUTO(leave) wrsim *sim = prepared_set(text, set);
    wrsim_delay_connection c;
    wrsim_delay_subsystem s;
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    const double plain = error_of_u(sim, is_driven);
    wrsim_delay_subsystem_get(sim, 0, &s);
    assert_true(s.current > eps);
    wrsim_delay_connection_get(sim, 0, 0, &c);
    assert_close(c.period_s, 0.08, 1e-15, 0);
    leave(&sim);
    set[1] = set_eps;
    set[2] = "slack.on_loc=shorten";
    set[3] = "slack.shortest_period=0.00125";
    sim = prepared_set(text, set);
    follow(sim, eps);
    wrsim_delay_connection_get(sim, 0, 0, &c);
    if (getenv("WR_PRINT"))
        print_message("%s: %g s, error %g instead of %g\n", prediction, c.period_s,
                      error_of_u(sim, is_driven), plain);
    assert_true(c.period_s < 0.05);
    assert_true(error_of_u(sim, is_driven) < 0.6 * plain);
}

TEST(shorten)
{
    check_shorten(PAIR, 0, "relaxation.prediction=hold", 1e-3);
    check_shorten(PAIR, 0, "relaxation.prediction=linear", 1e-5);
    check_shorten(DRIVEN, 1, "relaxation.prediction=hold", 1e-3);
    check_shorten(DRIVEN, 1, "relaxation.prediction=linear", 1e-5);
}

/* The limit on the estimated error shortens periods down to the shortest permitted period. */
TEST(shortest)
{
    const char *const set[N_SET] = {"relaxation.prediction=hold", "slack.eps_glo=1e-9",
                                    "slack.on_glo=shorten", "slack.shortest_period=0.01"};
    AUTO(leave) wrsim *sim = prepared_set(PAIR, set);
    wrsim_delay_connection c;
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    for (int i = 0; i < 2; i++) {
        wrsim_delay_connection_get(sim, i, 0, &c);
        assert_close(c.period_s, 0.01, 1e-12, 0);
    }
}

/* If other connections have shortened the periods of the two subsystems already, the limit halves these periods. */
TEST(shortens_needed_periods)
{
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", PAIR);
    for (int i = 0; i < 2; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "[[component]]\nname = \"w%d\"\nmodel = \"dahlquist\"\n"
                              "[[connection]]\nfrom = \"%c.x\"\nto = \"w%d.u\"\nperiod = 0.005\n"
                              "[[subsystem]]\nname = \"W%d\"\ncomponents = [\"w%d\"]\n",
                              i, "uv"[i], i, i, i);
    assert_true(n < sizeof text);
    const char *const set[N_SET] = {"relaxation.prediction=hold", "slack.eps_loc=3e-6",
                                    "slack.on_loc=shorten", "slack.shortest_period=0.00125"};
    AUTO(leave) wrsim *sim = prepared_set(text, set);
    wrsim_delay_connection c;
    wrsim_delay_subsystem s;
    double known_s = 0.0;
    for (int k = 1; known_s == 0.0 && k < 100; k++) {
        assert_int_equal(wrsim_advance(sim, 0.005 * k, NULL), WRSIM_OK);
        assert_int_equal(wrsim_delay_subsystem_get(sim, 0, &s), WRSIM_OK);
        known_s = s.n_above_loc > 0 ? 0.005 * k : 0.0;
    }
    assert_true(known_s > 0.0);
    assert_int_equal(wrsim_advance(sim, known_s + 0.015, NULL), WRSIM_OK);
    wrsim_delay_connection_get(sim, 0, 0, &c);
    print_message("%g s of 0.005 s\n", c.period_s);
    assert_true(c.period_s < 0.004);
}
