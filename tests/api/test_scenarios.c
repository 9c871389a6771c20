/* Scenarios, compared with a reference integration of a' = r a, b' = -b + u. Scenarios change the signal u, which is otherwise a. The
 * Runge-Kutta steps of the reference end at each start and end of a scenario. The runs are monolithic, split, and
 * Gauss-Seidel. Times, conditions and hosts begin the scenarios. */
#include "prepared.h"

#include <unistd.h>

static const double STOP_S = 3.0, NEVER = 1e9;
enum { MOST = 4, TEXT_BYTES = 8192 };

typedef enum action {
    OVERRIDE,
    BIAS,
    GAIN,
    RAMP,
    FREEZE,
    REPLAY,
    HELD_REPLAY,
    RESET,
    PARAMETER
} action;

/* A scenario of the test, for the config and the reference; begin and end are the times of the reference. */
typedef struct fault {
    action what;
    double value, begin_s, end_s;
    double held; /* set by the reference: value at the start of the scenario */
} fault;

static const double RAMP_S = 0.4, OFFSET_S = 0.25;
enum { N_POINT = 6 };
static const double point_s[N_POINT] = {0.0, 0.5, 0.75, 1.0, 1.3, 2.0};
static const double point[N_POINT] = {0.5, 2.0, 1.0, 1.0, -1.0, 0.0};
static char points_file[] = "/tmp/wrsim-points-XXXXXX.csv";

/* ---- the reference ---- */

static double played(double t_s, int is_held)
{
    int i = 0;
    if (t_s <= point_s[0])
        return point[0];
    while (i + 1 < N_POINT && point_s[i + 1] <= t_s + 1e-12)
        i++;
    if (is_held || i + 1 == N_POINT)
        return point[i];
    return point[i] +
           (point[i + 1] - point[i]) * (t_s - point_s[i]) / (point_s[i + 1] - point_s[i]);
}

/* Returns 1 if the scenario is active in the interval from begin_s on. */
static int is_on(const fault *f, double begin_s)
{
    return begin_s > f->begin_s - 1e-12 && begin_s < f->end_s - 1e-12;
}

static double make(const fault *f, double t_s, double u)
{
    const double since_s = t_s - f->begin_s;
    switch (f->what) {
    case OVERRIDE:
        return f->value;
    case BIAS:
        return u + f->value;
    case GAIN:
        return u * f->value;
    case RAMP:
        return since_s < RAMP_S ? f->held + (f->value - f->held) * since_s / RAMP_S : f->value;
    case FREEZE:
        return f->held;
    case REPLAY:
        return played(since_s + OFFSET_S, 0);
    case HELD_REPLAY: /* the value at the start of the interval, also at its end */
        return f->held;
    case RESET:
    case PARAMETER:
        break;
    }
    return u;
}

/* Returns the signal that b reads, in an interval from begin_s. */
static double signal_at(const fault *faults, int n, double begin_s, double t_s, double a)
{
    double u = a;
    for (int i = 0; i < n; i++)
        if (is_on(&faults[i], begin_s))
            u = make(&faults[i], t_s, u);
    return u;
}

static int compare_times(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Lists, in order, the stop and the times at which a scenario begins, ends, ends its ramp or has a point. Returns the number of times. */
static int list_stops(const fault *faults, int n, double *ret_stop_s)
{
    int n_stop = 0;
    ret_stop_s[n_stop++] = STOP_S;
    for (int i = 0; i < n; i++) {
        const fault *const f = &faults[i];
        ret_stop_s[n_stop++] = f->begin_s;
        ret_stop_s[n_stop++] = f->end_s;
        if (f->what == RAMP)
            ret_stop_s[n_stop++] = f->begin_s + RAMP_S;
        for (int k = 0; (f->what == REPLAY || f->what == HELD_REPLAY) && k < N_POINT; k++)
            ret_stop_s[n_stop++] = f->begin_s + point_s[k] - OFFSET_S;
    }
    qsort(ret_stop_s, (size_t)n_stop, sizeof *ret_stop_s, compare_times);
    return n_stop;
}

static double rate_at(const fault *faults, int n, double begin_s)
{
    double rate = -1.0;
    for (int i = 0; i < n; i++)
        if (faults[i].what == PARAMETER && is_on(&faults[i], begin_s))
            rate = faults[i].value;
    return rate;
}

/* Integrates an interval: a by the exact solution, b by Runge-Kutta. */
static void integrate(const fault *faults, int n, double from_s, double to_s, double *a, double *b)
{
    enum { N = 400 };
    const double h = (to_s - from_s) / N, rate = rate_at(faults, n, from_s), a0 = *a;
    for (int k = 0; k < N; k++) {
        const double t = from_s + k * h;
        const double a1 = a0 * exp(rate * (k * h)), a2 = a0 * exp(rate * ((k + 0.5) * h)),
                     a3 = a0 * exp(rate * ((k + 1) * h));
        const double k1 = -*b + signal_at(faults, n, from_s, t, a1);
        const double u2 = signal_at(faults, n, from_s, t + 0.5 * h, a2);
        const double k2 = -(*b + 0.5 * h * k1) + u2, k3 = -(*b + 0.5 * h * k2) + u2;
        const double k4 = -(*b + h * k3) + signal_at(faults, n, from_s, t + h, a3);
        *b += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    *a = a0 * exp(rate * (to_s - from_s));
}

static void begin_stretch(fault *faults, int n, double t_s, double *a)
{
    for (int i = 0; i < n; i++) {
        fault *const f = &faults[i];
        const int begins = fabs(t_s - f->begin_s) < 1e-12;
        if (begins && f->what == RESET)
            *a = f->value;
        if (begins && (f->what == RAMP || f->what == FREEZE))
            f->held = signal_at(faults, i, t_s, t_s, *a);
        if (f->what == HELD_REPLAY)
            f->held = played(t_s - f->begin_s + OFFSET_S, 1);
    }
}

static double reference(const fault *given, int n)
{
    fault faults[MOST];
    double stop_s[MOST * (3 + N_POINT) + 1], a = 1.0, b = 0.0, t_s = 0.0;
    if (n > 0)
        memcpy(faults, given, (size_t)n * sizeof *faults);
    const int n_stop = list_stops(faults, n, stop_s);
    begin_stretch(faults, n, 0.0, &a);
    for (int i = 0; i < n_stop && t_s < STOP_S; i++) {
        if (stop_s[i] <= t_s + 1e-12)
            continue;
        const double to_s = fmin(stop_s[i], STOP_S);
        integrate(faults, n, t_s, to_s, &a, &b);
        t_s = to_s;
        begin_stretch(faults, n, t_s, &a);
    }
    return b;
}

/* ---- the simulation ---- */

static const char base[] = "[simulation]\n"
                           "stop = 3.0\n"
                           "communication_step = 0.0625\n"
                           "rtol = 1e-8\n"
                           "[solver]\n"
                           "kind = \"dopri54\"\n"
                           "[[component]]\n"
                           "name = \"a\"\n"
                           "model = \"dahlquist\"\n"
                           "[[component]]\n"
                           "name = \"b\"\n"
                           "model = \"dahlquist\"\n"
                           "parameters = { a = -1.0, b = 1.0 }\n"
                           "start = { x = 0.0 }\n"
                           "[[component]]\n"
                           "name = \"other\"\n"
                           "model = \"dahlquist\"\n"
                           "parameters = { a = -1.0, b = 1.0 }\n"
                           "start = { x = 0.0 }\n"
                           "[[connection]]\n"
                           "from = \"a.x\"\n"
                           "to = [\"b.u\", \"other.u\"]\n";

static const char *const groupings[] = {"simulation.monolithic=false", "simulation.monolithic=true",
                                        "relaxation.scheme=gauss_seidel"};
enum { N_GROUPING = 3 };

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *text, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, TEXT_BYTES - n, format, args);
    va_end(args);
}

/* Appends the config's table of a fault. `begin` is the line that defines the start; NULL stands for the fault's time. */
static void add_fault(char *text, int i, const fault *f, const char *begin)
{
    static const char *const names[] = {"override", "bias",   "gain",  "ramp",     "freeze",
                                        "replay",   "replay", "reset", "parameter"};
    append(text, "[[scenario]]\nname = \"fault%d\"\n", i);
    if (f->what == PARAMETER)
        append(text, "parameter = \"a.a\"\n");
    else
        append(text, "signal = \"a.x\"\naction = \"%s\"\n", names[f->what]);
    if (f->what != FREEZE && f->what != REPLAY && f->what != HELD_REPLAY)
        append(text, "value = %.17g\n", f->value);
    if (f->what == RAMP)
        append(text, "ramp_time = %.17g\n", RAMP_S);
    if (f->what == REPLAY || f->what == HELD_REPLAY)
        append(text, "file = \"%s\"\ncolumn = \"level\"\noffset = %.17g\nbetween = \"%s\"\n",
               points_file, OFFSET_S, f->what == REPLAY ? "linear" : "hold");
    if (begin)
        append(text, "%s\n", begin);
    else
        append(text, "at = %.17g\n", f->begin_s);
    if (f->end_s < NEVER && f->what != RESET)
        append(text, "until = %.17g\n", f->end_s);
}

static void check_end(wrsim *sim, const fault *faults, int n)
{
    const double b = reference(faults, n);
    assert_close(value(sim, "b.x"), b, 1e-6, 1e-6);
    assert_close(value(sim, "other.x"), b, 1e-6, 1e-6);
}

static void check(const fault *faults, int n, const char *begin)
{
    char text[TEXT_BYTES];
    strcpy(text, base);
    for (int i = 0; i < n; i++)
        add_fault(text, i, &faults[i], begin);
    for (int g = 0; g < N_GROUPING; g++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[g], 1);
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
        check_end(sim, faults, n);
    }
}

static const fault one_each[] = {{OVERRIDE, 2.0, 1.0, 2.0, 0.0},  {BIAS, -0.5, 1.0, 2.0, 0.0},
                                 {GAIN, 3.0, 1.0, 2.0, 0.0},      {RAMP, 2.0, 1.0, 2.0, 0.0},
                                 {RAMP, 2.0, 1.0, 1.2, 0.0},      {FREEZE, 0.0, 1.0, 2.0, 0.0},
                                 {REPLAY, 0.0, 1.0, 2.5, 0.0},    {HELD_REPLAY, 0.0, 1.0, 2.5, 0.0},
                                 {RESET, 2.0, 1.0, 1e9, 0.0},     {PARAMETER, -3.0, 1.0, 2.0, 0.0},
                                 {PARAMETER, 0.5, 1.0, 1e9, 0.0}, {OVERRIDE, 2.0, 1.03, 1e9, 0.0}};
enum { N_EACH = sizeof one_each / sizeof *one_each };

TEST(each_action)
{
    for (int i = 0; i < N_EACH; i++)
        check(&one_each[i], 1, NULL);
}

/* A scenario may begin at the start of the run, or after its end (no effect). */
TEST(edges_of_the_run)
{
    for (int i = 0; i < N_EACH; i++) {
        fault f = one_each[i];
        f.begin_s = 0.0;
        check(&f, 1, NULL);
        f.begin_s = 5.0;
        f.end_s = 1e9;
        check(&f, 1, NULL);
    }
}

/* The output a falls through 0.5 at ln 2 s, and the run locates this time to a tolerance. A condition on the input gives the same time. */
TEST(conditions)
{
    static const char *const conditions[] = {"when = \"a.x < 0.5\"", "when = \" b.u <0.5 \""};
    for (int i = 0; i < N_EACH; i++) {
        fault f = one_each[i];
        f.begin_s = log(2.0);
        check(&f, 1, conditions[i % 2]);
    }
    /* true from the start on; never true */
    fault f = one_each[0];
    f.begin_s = 0.0;
    check(&f, 1, "when = \"a.x > 0.5\"");
    f.begin_s = 5.0;
    check(&f, 1, "when = \"a.x > 1.5\"");
}

/* A condition on an input uses the value without the scenario. */
TEST(condition_on_the_signal_itself)
{
    char text[TEXT_BYTES];
    const fault f = {OVERRIDE, 2.0, log(2.0), 2.0, 0.0};
    strcpy(text, base);
    append(text, "[[scenario]]\nsignal = \"b.u\"\naction = \"override\"\nvalue = 2.0\n"
                 "when = \"b.u < 0.5\"\nuntil = 2.0\n");
    for (int g = 0; g < N_GROUPING; g++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[g], 1);
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
        assert_close(value(sim, "b.x"), reference(&f, 1), 1e-6, 1e-6);
        assert_close(value(sim, "other.x"), reference(NULL, 0), 1e-6, 1e-6);
    }
}

/* A condition may depend on a signal that the scenario changes. b rises through 0.3 only once, and the duration counts from this time. */
TEST(duration)
{
    char text[TEXT_BYTES];
    /* b = t exp(-t) */
    double t = 0.3;
    for (int i = 0; i < 50; i++)
        t = 0.3 * exp(t);
    const fault f = {OVERRIDE, 2.0, t, t + 0.7, 0.0};
    strcpy(text, base);
    append(text, "[[scenario]]\nsignal = \"a.x\"\naction = \"override\"\nvalue = 2.0\n"
                 "when = \"b.x > 0.3\"\nduration = 0.7\n");
    for (int g = 0; g < N_GROUPING; g++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[g], 1);
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
        check_end(sim, &f, 1);
        assert_close(value(sim, "scenario1.is_on"), 0.0, 0.0, 0.0);
    }
}

/* ---- readers of an overridden signal ---- */

TEST(only_one_reader)
{
    static const char *const ways[] = {"signal = \"a.x\"\nto = \"b.u\"\n", "signal = \"b.u\"\n"};
    const fault f = {BIAS, 1.0, 1.0, 2.0, 0.0};
    for (int w = 0; w < 2; w++) {
        char text[TEXT_BYTES];
        strcpy(text, base);
        append(
            text,
            "[[scenario]]\nname = \"f\"\n%saction = \"bias\"\nvalue = 1.0\nat = 1.0\nuntil = 2.0\n",
            ways[w]);
        for (int g = 0; g < N_GROUPING; g++) {
            AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[g], 1);
            wrsim_stats stats;
            assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
            assert_int_equal(stats.n_subsystem, g == 1 ? 1 : 3); /* no new subsystem */
            assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
            assert_close(value(sim, "b.x"), reference(&f, 1), 1e-6, 1e-6);
            assert_close(value(sim, "other.x"), reference(NULL, 0), 1e-6, 1e-6);
            assert_close(value(sim, "f.value"), exp(-3.0), 1e-6, 0.0);
        }
    }
}

/* An unconnected input has its start value, except while the scenario is active. Here a' = -a + u. */
TEST(open_input)
{
    char text[TEXT_BYTES];
    strcpy(text, base);
    append(text,
           "[[scenario]]\nname = \"first\"\nsignal = \"a.u\"\naction = \"bias\"\nvalue = 1.0\n"
           "at = 1.0\nuntil = 2.0\n"
           "[[scenario]]\nname = \"second\"\nsignal = \"a.u\"\naction = \"gain\"\nvalue = 2.0\n"
           "at = 1.5\n");
    static const char *const more[] = {"component.a.parameters.b=1.0", "component.a.start.u=0.25"};
    for (int g = 0; g < N_GROUPING; g++) {
        const char *const overrides[] = {groupings[g], more[0], more[1]};
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 3);
        static const double u[] = {0.25, 0.25, 1.25, 2.5, 0.5, 0.5};
        double a = 1.0;
        for (int i = 0; i < 6; i++)
            a = u[i] + (a - u[i]) * exp(-0.5);
        assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
        assert_close(value(sim, "a.x"), a, 1e-6, 1e-6);
    }
}

/* ---- several scenarios at random times ---- */

static double random_below(unsigned *seed, double most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return most * ((double)(*seed >> 8) / 16777216.0);
}

TEST(chains_at_random_times)
{
    unsigned seed = 7;
    for (int k = 0; k < 60; k++) {
        fault faults[3];
        const int n = 1 + (int)random_below(&seed, 3.0);
        for (int i = 0; i < n; i++) {
            const action what = (action)random_below(&seed, (double)PARAMETER + 0.999);
            faults[i] = (fault){.what = what,
                                .value = what == PARAMETER ? random_below(&seed, 3.0) - 2.5
                                                           : random_below(&seed, 4.0) - 2.0,
                                .begin_s = random_below(&seed, 2.8),
                                .end_s = 1e9};
            if (random_below(&seed, 1.0) < 0.6 && what != RESET)
                faults[i].end_s = faults[i].begin_s + 0.05 + random_below(&seed, 2.0);
        }
        check(faults, n, NULL);
    }
}

/* ---- scenarios that a host begins ---- */

static void set_value(wrsim *sim, const char *name, double to)
{
    assert_int_equal(wrsim_scenario_set_value(sim, wrsim_scenario_find(sim, name), to), WRSIM_OK);
}

static void trigger(wrsim *sim, const char *name, int is_on_now)
{
    assert_int_equal(wrsim_scenario_trigger(sim, wrsim_scenario_find(sim, name), is_on_now),
                     WRSIM_OK);
}

TEST(triggered_by_a_host)
{
    for (int i = 0; i < N_EACH; i++) {
        fault f = one_each[i];
        const int has_value = f.what != FREEZE && f.what != REPLAY && f.what != HELD_REPLAY;
        char text[TEXT_BYTES];
        strcpy(text, base);
        fault said = f;
        said.value = -7.0;
        said.end_s = 1e9; /* the host ends the scenario */
        add_fault(text, 0, &said, i % 2 ? "at = \"api\"" : "");
        f.begin_s = 1.0;
        f.end_s = 2.0;
        for (int g = 0; g < N_GROUPING; g++) {
            AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[g], 1);
            assert_int_equal(wrsim_advance(sim, 1.0, NULL), WRSIM_OK);
            trigger(sim, "fault0", 0);
            trigger(sim, "fault0", 1);
            if (has_value)
                set_value(sim, "fault0", f.value);
            assert_int_equal(wrsim_advance(sim, 1.5, NULL), WRSIM_OK);
            trigger(sim, "fault0", 1); /* no effect: already active */
            assert_int_equal(wrsim_advance(sim, 2.0, NULL), WRSIM_OK);
            trigger(sim, "fault0", 0);
            assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
            check_end(sim, &f, 1);
        }
    }
}

/* The host begins and ends a scenario several times, sets its value before each advance, and sometimes resets a.x. */
TEST(values_from_a_host)
{
    char text[TEXT_BYTES];
    strcpy(text, base);
    append(text,
           "[[scenario]]\nname = \"level\"\nsignal = \"a.x\"\naction = \"override\"\nvalue = 1.0\n"
           "[[scenario]]\nname = \"reset\"\nsignal = \"a.x\"\naction = \"reset\"\nvalue = 5.0\n");
    for (int g = 0; g < N_GROUPING; g++) {
        AUTO(wrsim_destroy) wrsim *sim = prepared(text, &groupings[g], 1);
        double a = 1.0, b = 0.0;
        for (int k = 0; k < 24; k++) {
            const int on = k % 6 >= 2, resets = k % 8 == 4;
            const double level = sin(1.0 + k);
            trigger(sim, "level", on);
            set_value(sim, "level", level);
            trigger(sim, "reset", resets);
            assert_int_equal(wrsim_advance(sim, 0.125 * (k + 1), NULL), WRSIM_OK);
            if (resets)
                a = 5.0;
            const double h = 0.125;
            /* b' = -b + u; u is the constant level, or u = a with a' = -a */
            b = on ? level + (b - level) * exp(-h) : (b + a * h) * exp(-h);
            a *= exp(-h);
            assert_close(value(sim, "b.x"), b, 1e-6, 1e-6);
            assert_close(value(sim, "level.value"), on ? level : a, 1e-6, 1e-7);
            assert_close(value(sim, "level.is_on"), on, 0.0, 0.0);
        }
    }
}

TEST(a_host_ends_the_run)
{
    char text[TEXT_BYTES];
    strcpy(text, base);
    append(text, "[[scenario]]\nname = \"enough\"\naction = \"stop\"\n");
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, NULL, 0);
    wrsim_scenario info;
    assert_int_equal(wrsim_scenario_info(sim, 0, &info), WRSIM_OK);
    assert_string_equal(info.action, "stop");
    assert_string_equal(info.target, "");
    assert_int_equal(wrsim_scenario_set_value(sim, 0, 1.0), WRSIM_E_ARG);
    assert_int_equal(wrsim_advance(sim, 0.55, NULL), WRSIM_OK);
    trigger(sim, "enough", 1);
    for (int k = 0; k < 2; k++) {
        wrsim_stats stats;
        assert_int_equal(wrsim_advance(sim, 1.0 + k, NULL), WRSIM_OK);
        assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
        assert_close(stats.time_s, 0.55, 1e-9, 0.0);
    }
}

TEST(misuse)
{
    char text[TEXT_BYTES];
    strcpy(text, base);
    append(text, "[[scenario]]\nname = \"timed\"\nsignal = \"a.x\"\naction = \"bias\"\nvalue = "
                 "1.0\nat = 1.0\n"
                 "[[scenario]]\nname = \"host\"\nparameter = \"a.a\"\nvalue = -2.0\n"
                 "[[scenario]]\nname = \"frozen\"\nsignal = \"b.u\"\naction = \"freeze\"\n");
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, NULL, 0);
    assert_int_equal(wrsim_scenario_count(sim), 3);
    assert_int_equal(wrsim_scenario_count(NULL), 0);
    assert_int_equal(wrsim_port_count(sim), 0); /* the host's access to scenarios is no port */
    assert_int_equal(wrsim_scenario_find(sim, "host"), 1);
    assert_int_equal(wrsim_scenario_find(sim, "hosts"), -1);
    wrsim_scenario info;
    assert_int_equal(wrsim_scenario_info(sim, 1, &info), WRSIM_OK);
    assert_string_equal(info.name, "host");
    assert_string_equal(info.action, "parameter");
    assert_string_equal(info.target, "a.a");
    assert_int_equal(info.is_triggered, 1);
    assert_int_equal(wrsim_scenario_info(sim, 0, &info), WRSIM_OK);
    assert_string_equal(info.target, "a.x");
    assert_int_equal(info.is_triggered, 0);
    assert_int_equal(wrsim_scenario_trigger(sim, 0, 1), WRSIM_E_ARG);
    assert_int_equal(wrsim_scenario_set_value(sim, 0, 1.0), WRSIM_E_ARG);
    assert_int_equal(wrsim_scenario_set_value(sim, 2, 1.0),
                     WRSIM_E_ARG); /* this scenario has no value */
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    char *const structure = wrsim_structure(sim);
    assert_non_null(strstr(structure, "\"scenarios\""));
    assert_non_null(strstr(structure, "\"begins\": \"when the host triggers it\""));
    assert_non_null(strstr(structure, "\"at_s\": 1"));
    free(structure);
    const fault timed = {BIAS, 1.0, 1.0, 1e9, 0.0};
    check_end(sim, &timed, 1);
}

/* ---- scenarios without effect ---- */

/* Returns the largest relative difference at the end from the run without scenarios. */
static double difference(const char *scenario, const char *grouping)
{
    static const char *const names[] = {"a.x", "b.x", "other.x"};
    char text[TEXT_BYTES];
    double largest = 0.0;
    strcpy(text, base);
    append(text, "[[scenario]]\n%s", scenario);
    wrsim *plain = prepared(base, &grouping, 1), *sim = prepared(text, &grouping, 1);
    assert_int_equal(wrsim_run(plain, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, fabs(value(sim, names[i]) - value(plain, names[i])) /
                                    value(plain, names[i]));
    wrsim_destroy(&plain);
    wrsim_destroy(&sim);
    return largest;
}

/* A scenario that never begins changes no bit of a monolithic run, and no bit of a split run if the scenario adds no connection. With a new
 * connection, steps and windows may differ. */
TEST(untouched)
{
    static const struct {
        const char *text;
        int is_local;
    } cases[] = {
        {"signal = \"b.u\"\naction = \"freeze\"\nat = 100.0\n", 1},
        {"signal = \"b.u\"\naction = \"gain\"\nvalue = 2.0\nwhen = \"a.x < -1\"\n", 1},
        {"signal = \"b.u\"\naction = \"gain\"\nvalue = 2.0\nwhen = \"b.x < -1\"\n", 1},
        {"signal = \"a.u\"\naction = \"bias\"\nvalue = 2.0\nat = 100.0\n", 1},
        {"parameter = \"b.a\"\nvalue = 2.0\nat = 100.0\n", 1},
        {"signal = \"other.x\"\naction = \"reset\"\nvalue = 2.0\nat = 100.0\n", 1},
        {"signal = \"a.x\"\naction = \"override\"\nvalue = 9.0\nat = 100.0\n", 0},
        {"signal = \"a.x\"\naction = \"override\"\nvalue = 9.0\nwhen = \"b.x > 4\"\n", 0},
        {"parameter = \"b.a\"\nvalue = 2.0\nwhen = \"other.x > 4\"\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int g = 0; g < N_GROUPING; g++) {
            const int is_same = g == 1 || cases[i].is_local;
            assert_close(difference(cases[i].text, groupings[g]), 0.0, 0.0, is_same ? 0.0 : 1e-8);
        }
}

static int write_points(void **state)
{
    const int fd = mkstemps(points_file, 4);
    FILE *const file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return -1;
    fprintf(file, "time,level,other\n");
    for (int i = 0; i < N_POINT; i++)
        fprintf(file, "%.17g,%.17g,0\n", point_s[i], point[i]);
    return fclose(file);
}

static int remove_points(void **state) { return unlink(points_file); }

TEST_GROUP(write_points, remove_points)
