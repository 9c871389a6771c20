/* Ports as in a host: a set value acts at once, and read values belong to the end of the advance. The tests compare monolithic, split
 * and slackened runs with closed forms. */
#include "prepared.h"

enum { N_STEP = 24 };
static const double P = 0.125; /* communication step, s */

/* a' = -a + u, b' = -b + a with a(0) = 1, b(0) = 0; a relay that switches off above 0.8 and on below 0.2, and c' = -c + on. u and the input
 * of the relay are ports. */
static const char text[] =
    "component = [\n"
    "    { name = \"a\", model = \"dahlquist\", parameters = { a = -1.0, b = 1.0 }, start = { x = "
    "1.0, u = 0.25 } },\n"
    "    { name = \"b\", model = \"dahlquist\", parameters = { a = -1.0, b = 1.0 }, start = { x = "
    "0.0 } },\n"
    "    { name = \"relay\", model = \"relay.switch\" },\n"
    "    { name = \"c\", model = \"dahlquist\", parameters = { a = -1.0, b = 1.0 }, start = { x = "
    "1.0 } },\n"
    "]\n"
    "connection = [\n"
    "    { from = \"a.x\", to = \"b.u\" }, { from = \"relay.on\", to = \"c.u\" },\n"
    "]\n"
    "port = [\n"
    "    { name = \"u\", to = \"a.u\" }, { name = \"x\", from = \"b.x\" },\n"
    "    { name = \"level\", to = [\"relay.measured\"], start = 0.5 },\n"
    "    { name = \"u_seen\", from = \"a.u\" }, { name = \"on\", from = \"relay.on\" },\n"
    "    { name = \"c\", from = \"c.x\" },\n"
    "]\n"
    "[simulation]\n"
    "stop = 3.0\n"
    "communication_step = 0.125\n"
    "rtol = 1e-8\n"
    "[solver]\n"
    "kind = \"dopri54\"\n";

static const char *const groupings[] = {"simulation.monolithic=false",
                                        "simulation.monolithic=true"};

static double get(const wrsim *sim, const char *name)
{
    const int port = wrsim_port_find(sim, name);
    assert_true(port >= 0);
    return wrsim_port_get(sim, port);
}

static void set(wrsim *sim, const char *name, double value)
{
    assert_int_equal(wrsim_port_set(sim, wrsim_port_find(sim, name), value), WRSIM_OK);
}

/* Returns the value that the host sets before step i; some values repeat. */
static double command(int i) { return i % 5 == 4 ? 0.3 : sin(1.7 * (i / 2)) - 0.2 * (i % 2); }

/* Computes one step of a' = -a + u0 + r t, b' = -b + a: with p = u0 - r + r t the particular solutions a = p, b = p - r. */
static void step_exactly(double *a, double *b, double u0, double rate, double h)
{
    const double p0 = u0 - rate, p1 = u0 - rate + rate * h;
    const double da = *a - p0, db = *b - (p0 - rate);
    *a = p1 + da * exp(-h);
    *b = p1 - rate + (db + da * h) * exp(-h);
}

/* ---- a set port acts at once ---- */

static void check_run(const char *grouping, const char *mode)
{
    const char *const overrides[] = {grouping, mode};
    const int is_ramp = strstr(mode, "ramp") != NULL;
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 2);
    double a = 1.0, b = 0.0, u = 0.25;
    assert_close(get(sim, "x"), 0.0, 0.0, 0.0);
    assert_close(get(sim, "u_seen"), 0.25, 0.0, 0.0); /* start value of the input a.u */
    for (int i = 0; i < N_STEP; i++) {
        const double before = u;
        u = command(i);
        set(sim, "u", 7.0); /* the last value counts */
        set(sim, "u", u);
        assert_close(get(sim, "u_seen"), before, 0.0, 1e-15); /* unchanged until the advance */
        advance(sim, P * (i + 1));
        step_exactly(&a, &b, is_ramp ? before : u, is_ramp ? (u - before) / P : 0.0, P);
        assert_close(get(sim, "x"), b, 1e-6, 1e-7);
        assert_close(get(sim, "u_seen"), u, 0.0, 1e-15);
    }
    /* A ramp ends after one communication step, for any length of the advance. */
    set(sim, "u", -1.0);
    advance(sim, P * (N_STEP + 4));
    step_exactly(&a, &b, is_ramp ? u : -1.0, is_ramp ? (-1.0 - u) / P : 0.0, P);
    step_exactly(&a, &b, -1.0, 0.0, 3.0 * P);
    assert_close(get(sim, "x"), b, 1e-6, 1e-7);
}

TEST(against_the_closed_form)
{
    for (int i = 0; i < 2; i++) {
        check_run(groupings[i], "port.u.mode=hold");
        check_run(groupings[i], "port.u.mode=ramp");
    }
}

/* Advances of the host that are no communication steps: a ramp continues through the advances. The ramp to a new value begins at the
 * present value. */
TEST(ramp_in_pieces)
{
    for (int i = 0; i < 2; i++) {
        const char *const overrides[] = {groupings[i], "port.u.mode=ramp"};
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 2);
        double a = 1.0, b = 0.0;
        set(sim, "u", 1.25);
        advance(sim, 0.3 * P);
        advance(sim, 0.7 * P);
        step_exactly(&a, &b, 0.25, 1.0 / P, 0.7 * P);
        assert_close(get(sim, "x"), b, 1e-6, 1e-7);
        assert_close(get(sim, "u_seen"), 0.95, 1e-12, 0.0);
        set(sim, "u", 0.0);
        advance(sim, 2.0 * P);
        step_exactly(&a, &b, 0.95, -0.95 / P, P);
        step_exactly(&a, &b, 0.0, 0.0, 0.3 * P);
        assert_close(get(sim, "x"), b, 1e-6, 1e-7);
    }
}

/* In a slackened run the value of a port is available for the whole advance. With one other subsystem no value is late. With sweeps the
 * other subsystems converge. */
TEST(slackened_exchange)
{
    static const char *const kinds[][4] = {
        {"simulation.monolithic=true", "slack.bound=-1", "port.u.mode=hold", "scheduler.workers=2"},
        {"simulation.monolithic=true", "slack.bound=0", "port.u.mode=ramp", "scheduler.workers=1"},
        {"slack.sweeps=6", "slack.period=0.03125", "port.u.mode=hold", "scheduler.workers=2"},
        {"slack.sweeps=6", "slack.period=0.03125", "port.u.mode=ramp", "scheduler.workers=1"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *const overrides[] = {"relaxation.scheme=slack", kinds[k][0], kinds[k][1],
                                         kinds[k][2], kinds[k][3]};
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 5);
        const int is_ramp = strstr(kinds[k][2], "ramp") != NULL;
        double a = 1.0, b = 0.0, u = 0.25;
        for (int i = 0; i < N_STEP; i++) {
            const double before = u;
            u = command(i);
            set(sim, "u", u);
            advance(sim, P * (i + 1));
            step_exactly(&a, &b, is_ramp ? before : u, is_ramp ? (u - before) / P : 0.0, P);
            assert_close(get(sim, "x"), b, 1e-6, 1e-7);
        }
    }
}

/* A snapshot restores the values of ports, also values that are set but not yet sampled. */
TEST(snapshots)
{
    for (int i = 0; i < 8; i++) {
        const char *const overrides[] = {groupings[i % 2],
                                         i / 2 % 2 ? "port.u.mode=ramp" : "port.u.mode=hold",
                                         "slack.bound=0", "relaxation.scheme=slack"};
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, i < 4 ? 2 : 4);
        AUTO(wrsim_snapshot_destroy) wrsim_snapshot *snapshot = NULL;
        wrsim_error err = {0};
        set(sim, "u", 0.75);
        advance(sim, 2.5 * P);
        set(sim, "u", -0.5); /* not sampled yet */
        assert_int_equal(wrsim_snapshot_create(sim, &snapshot, &err), WRSIM_OK);
        assert_int_equal(wrsim_snapshot_take(sim, snapshot, &err), WRSIM_OK);
        const double seen = get(sim, "u_seen");
        advance(sim, 3.25 * P);
        advance(sim, 5.0 * P);
        const double x = get(sim, "x");
        set(sim, "u", 4.0);
        set(sim, "level", 0.95);
        advance(sim, 7.0 * P);
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_OK);
        assert_close(get(sim, "u_seen"), seen, 0.0, 0.0);
        advance(sim, 3.25 * P);
        advance(sim, 5.0 * P);
        assert_close(get(sim, "x"), x, 0.0, 0.0);
    }
}

/* Events that depend on a port fire at the time of the set call. */
TEST(events_fire)
{
    for (int i = 0; i < 2; i++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[i], 1);
        double c = 1.0;
        for (int k = 0; k < N_STEP; k++) {
            const int is_on = k % 4 < 2;
            set(sim, "level", is_on ? 0.1 : 0.9);
            advance(sim, P * (k + 1));
            c = is_on + (c - is_on) * exp(-P); /* the relay has switched at the step's start */
            assert_close(get(sim, "on"), is_on, 0.0, 0.0);
            assert_close(get(sim, "c"), c, 1e-6, 1e-7);
        }
    }
}

/* After an advance by 0 s a new value replaces the value set before at the same instant. */
TEST(advance_by_nothing)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, NULL, 0);
    double a = 1.0, b = 0.0;
    set(sim, "u", 5.0);
    advance(sim, 0.0);
    set(sim, "u", 2.0);
    advance(sim, 0.0);
    advance(sim, P);
    step_exactly(&a, &b, 2.0, 0.0, P);
    assert_close(get(sim, "x"), b, 1e-6, 1e-7);
}

/* ---- without a host, with other advances, on other workers ---- */

TEST(without_a_host)
{
    for (int i = 0; i < 2; i++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[i], 1);
        double a = 1.0, b = 0.0;
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
        step_exactly(&a, &b, 0.25, 0.0, 3.0);
        assert_close(get(sim, "x"), b, 1e-6, 1e-7);
        assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
        assert_close(get(sim, "x"), b, 1e-6, 1e-7);
    }
}

TEST(same_bits_on_any_number_of_workers)
{
    double first[N_STEP] = {0};
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=2",
                                          "scheduler.workers=4"};
    for (int w = 0; w < 3; w++) {
        const char *const overrides[] = {workers[w], "scheduler.min_work=0", "scheduler.pin=false"};
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 3);
        for (int i = 0; i < N_STEP; i++) {
            set(sim, "u", command(i));
            set(sim, "level", command(i));
            advance(sim, P * (i + 1));
            const double x = get(sim, "x") + get(sim, "c");
            if (w == 0)
                first[i] = x;
            assert_close(x, first[i], 0.0, 0.0);
        }
    }
}

/* Ports do not loosen the tolerance of a monolithic run. */
TEST(monolithic_stays_one)
{
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[1], 1);
    wrsim_stats stats;
    wrsim_subsystem_stats s;
    assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
    assert_int_equal(stats.n_subsystem, 2);
    assert_int_equal(stats.n_worker, 1);
    assert_int_equal(wrsim_stats_subsystem(sim, 0, &s), WRSIM_OK);
    assert_string_equal(s.name, "monolith");
    assert_close(s.rtol, 1e-8, 1e-12, 0.0);
    assert_int_equal(wrsim_stats_subsystem(sim, 1, &s), WRSIM_OK);
    assert_string_equal(s.name, "port");
    assert_string_equal(s.solver, "port");
}

/* ---- latency ---- */

/* Counts the communication steps from a set call to the changes of a.x, b.x and the port u_seen, which reads a.u. The value drives a.x,
 * and a.x drives b.x. */
static void count_latency(const char *const *overrides, int n, int ret_steps[3])
{
    static const char *const names[] = {"a.x", "b.x"};
    AUTO(wrsim_destroy)
    wrsim *plain = prepared(text, overrides, n), *changed = prepared(text, overrides, n);
    for (int i = 0; i < 3; i++)
        ret_steps[i] = -1;
    for (int k = 0; k < 8; k++) {
        if (k == 2) /* between steps 2 and 3 */
            set(changed, "u", 2.0);
        advance(plain, P * (k + 1));
        advance(changed, P * (k + 1));
        for (int i = 0; i < 3; i++) {
            const double a =
                i < 2 ? wrsim_get(plain, wrsim_find(plain, names[i])) : get(plain, "u_seen");
            const double b =
                i < 2 ? wrsim_get(changed, wrsim_find(changed, names[i])) : get(changed, "u_seen");
            if (ret_steps[i] < 0 && fabs(a - b) > 1e-9)
                ret_steps[i] = k - 1;
        }
    }
}

/* Latencies as in include/wrsim/port.h: one step between relaxed subsystems. In a slackened run with one sweep each connection between
 * subsystems adds slack.period, and more with the permitted age. */
TEST(latency)
{
    static const struct {
        const char *const overrides[6];
        int n, steps[3];
    } cases[] = {
        {{"simulation.monolithic=true", "port.u.mode=hold"}, 2, {1, 1, 1}},
        {{"simulation.monolithic=false", "port.u.mode=hold"}, 2, {1, 1, 1}},
        {{"simulation.monolithic=false", "port.u.mode=ramp"}, 2, {1, 1, 1}},
        {{"relaxation.scheme=slack", "slack.bound=0", "relaxation.prediction=hold"}, 3, {1, 2, 1}},
        {{"relaxation.scheme=slack", "slack.bound=0", "port.u.mode=ramp"}, 3, {1, 2, 1}},
        {{"relaxation.scheme=slack", "slack.bound=0", "slack.sweeps=2"}, 3, {1, 1, 1}},
        {{"relaxation.scheme=slack", "slack.bound=0", "slack.period=0.0625"}, 3, {1, 1, 1}},
        {{"relaxation.scheme=slack", "slack.delays=fixed", "slack.delay=0"}, 3, {1, 2, 1}},
        {{"relaxation.scheme=slack", "slack.delays=fixed", "slack.delay=1"}, 3, {1, 3, 1}},
        {{"relaxation.scheme=slack", "slack.delays=fixed", "slack.delay=3"}, 3, {1, 5, 1}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int steps[3];
        count_latency(cases[c].overrides, cases[c].n, steps);
        for (int i = 0; i < 3; i++) {
            if (steps[i] != cases[c].steps[i])
                print_error("%s %s, signal %d: %d steps, expected %d\n", cases[c].overrides[0],
                            cases[c].overrides[1], i, steps[i], cases[c].steps[i]);
        }
        assert_memory_equal(steps, cases[c].steps, sizeof steps);
    }
}

/* ---- misuse, texts ---- */

static void set_from_within(void *user, const wrsim_progress *progress)
{
    wrsim *const sim = *(wrsim **)user;
    assert_int_equal(wrsim_port_set(sim, 0, 1.0), WRSIM_E_STATE);
    assert_close(wrsim_port_get(sim, wrsim_port_find(sim, "x")), 0.0, 0.0, 0.0); /* unchanged */
}

TEST(misuse)
{
    AUTO(wrsim_destroy) wrsim *sim = created(text, NULL, 0);
    assert_int_equal(wrsim_port_count(sim), 6);
    assert_int_equal(wrsim_port_count(NULL), 0);
    assert_int_equal(wrsim_port_find(sim, "nothing"), -1);
    const int u = wrsim_port_find(sim, "u"), x = wrsim_port_find(sim, "x");
    assert_int_equal(u, 0);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    wrsim_port info;
    assert_int_equal(wrsim_port_info(sim, u, &info), WRSIM_OK);
    assert_string_equal(info.name, "u");
    assert_string_equal(info.unit, "1");
    assert_int_equal(info.direction, WRSIM_PORT_INPUT);
    assert_int_equal(wrsim_port_info(sim, x, &info), WRSIM_OK);
    assert_int_equal(info.direction, WRSIM_PORT_OUTPUT);
    /* If one value of a call is refused, no value of the call acts. */
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const int level = wrsim_port_find(sim, "level");
    for (int i = 0; i < 3; i++) {
        const double values[2] = {9.0, bad[i]};
        const int ports[2] = {u, level};
        assert_int_equal(wrsim_port_set_many(sim, 2, ports, values), WRSIM_E_ARG);
    }
    const int wrong[] = {x, -1, 6};
    for (int i = 0; i < 3; i++) {
        const int ports[2] = {u, wrong[i]};
        const double values[2] = {9.0, 9.0};
        double got[2] = {4.0, 4.0};
        assert_int_equal(wrsim_port_set_many(sim, 2, ports, values), WRSIM_E_ARG);
        assert_int_equal(wrsim_port_get_many(sim, 2, ports, got), WRSIM_E_ARG); /* u is no output */
        assert_close(got[0] + got[1], 8.0, 0.0, 0.0);
    }
    assert_int_equal(wrsim_port_set_many(sim, 0, NULL, NULL), WRSIM_OK);
    assert_int_equal(wrsim_set_progress(sim, set_from_within, &sim), WRSIM_OK);
    double a = 1.0, b = 0.0;
    advance(sim, P);
    step_exactly(&a, &b, 0.25, 0.0, P);
    assert_close(get(sim, "x"), b, 1e-6, 1e-7);
    assert_int_equal(wrsim_set_progress(sim, NULL, NULL), WRSIM_OK);
    const int many[3] = {x, wrsim_port_find(sim, "c"), wrsim_port_find(sim, "on")};
    double got[3];
    assert_int_equal(wrsim_port_get_many(sim, 3, many, got), WRSIM_OK);
    assert_close(got[0], b, 1e-6, 1e-7);
    assert_close(got[1], 1.0, 1e-6, 0.0);
    assert_close(got[2], 1.0, 0.0, 0.0);
}

TEST(texts)
{
    static const char *const parts[] = {
        "\"ports\"",          "\"name\": \"level\"",       "\"start\": 0.5", "\"mode\": \"hold\"",
        "\"relay.measured\"", "\"direction\": \"output\"", "\"b.x\""};
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, NULL, 0);
    char *const texts[] = {wrsim_structure(sim), wrsim_summary(sim)};
    for (int t = 0; t < 2; t++) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (!strstr(texts[t], parts[i]))
                print_error("%s is not in\n%s\n", parts[i], texts[t]);
            assert_non_null(strstr(texts[t], parts[i]));
        }
        free(texts[t]);
    }
}
