/* Scenarios that change parameters or reset states, against two runs: up to the change, and from the change on with the new value. For
 * models with time events and for several scenarios the tests compare with closed forms. */
#include "prepared.h"

enum { TEXT_BYTES = 4096, MOST_STATES = 8 };

static wrsim *run(const char *text, const char *const *overrides, int n)
{
    wrsim *const sim = prepared(text, overrides, n);
    wrsim_error err = {0};
    assert_good(wrsim_run(sim, &err), &err);
    return sim;
}

/* ---- two runs instead of one ---- */

typedef struct change {
    const char *model, *solver;     /* of component "c" */
    const char *more;               /* further text of the config */
    const char *state[MOST_STATES]; /* all continuous and discrete states; NULL ends the list */
    const char *target;             /* parameter or state to set */
    int is_reset;
    double value, at_s, stop_s;
    const char *own[2]; /* overrides of the two runs, such as start values */
} change;

static void write_base(char *text, const change *c)
{
    snprintf(
        text, TEXT_BYTES,
        "simulation = { stop = %.17g, communication_step = 0.01, rtol = 1e-9, event_tolerance = "
        "1e-12 }\nsolver = { kind = %s }\n[[component]]\nname = \"c\"\nmodel = \"%s\"\n%s",
        c->stop_s, c->solver, c->model, c->more);
}

/* Computes final values by a run to the change and a run from the change on, with the new value in the config. */
static void run_in_two(const change *c, double *ret_final)
{
    char text[TEXT_BYTES], stop[64], start[64], target[128], states[MOST_STATES][128];
    const char *overrides[MOST_STATES + 4];
    int n = 0, n_state = 0;
    write_base(text, c);
    snprintf(stop, sizeof stop, "simulation.stop=%.17g", c->at_s);
    overrides[n++] = stop;
    for (int i = 0; i < 2 && c->own[i]; i++)
        overrides[n++] = c->own[i];
    AUTO(wrsim_destroy) wrsim *sim = run(text, overrides, n);
    n = 0;
    for (; c->state[n_state]; n_state++) {
        char name[64];
        snprintf(name, sizeof name, "c.%s", c->state[n_state]);
        const int is_target = c->is_reset && strcmp(c->state[n_state], c->target) == 0;
        snprintf(states[n_state], sizeof states[0], "component.c.start.%s=%.17g", c->state[n_state],
                 is_target ? c->value : value(sim, name));
        overrides[n++] = states[n_state];
    }
    wrsim_destroy(&sim);
    snprintf(start, sizeof start, "simulation.start=%.17g", c->at_s);
    overrides[n++] = start;
    if (!c->is_reset) {
        snprintf(target, sizeof target, "component.c.parameters.%s=%.17g", c->target, c->value);
        overrides[n++] = target;
    }
    sim = run(text, overrides, n);
    for (int i = 0; i < n_state; i++) {
        char name[64];
        snprintf(name, sizeof name, "c.%s", c->state[i]);
        ret_final[i] = value(sim, name);
    }
}

static void check_change(const change *c, double tolerance)
{
    char text[TEXT_BYTES];
    double final[MOST_STATES];
    run_in_two(c, final);
    write_base(text, c);
    const size_t n = strlen(text);
    snprintf(text + n, TEXT_BYTES - n, "[[scenario]]\n%s = \"c.%s\"\n%svalue = %.17g\nat = %.17g\n",
             c->is_reset ? "signal" : "parameter", c->target,
             c->is_reset ? "action = \"reset\"\n" : "", c->value, c->at_s);
    for (int mono = 0; mono < 2; mono++) {
        const char *overrides[3] = {mono ? "simulation.monolithic=true"
                                         : "simulation.monolithic=false"};
        int n_override = 1;
        for (int i = 0; i < 2 && c->own[i]; i++)
            overrides[n_override++] = c->own[i];
        AUTO(wrsim_destroy) wrsim *sim = run(text, overrides, n_override);
        for (int i = 0; c->state[i]; i++) {
            char name[64];
            snprintf(name, sizeof name, "c.%s", c->state[i]);
            if (fabs(value(sim, name) - final[i]) > tolerance * (1.0 + fabs(final[i])))
                print_error("%s, %s:\n", c->model, c->target);
            assert_close(value(sim, name), final[i], tolerance, tolerance);
        }
    }
}

TEST(one_run_is_two)
{
    static const change changes[] = {
        {"bouncing_ball", "\"dopri54\"", "", {"h", "v"}, "restitution", 0, 0.4, 1.0, 1.4, {0}},
        {"bouncing_ball", "\"dopri54\"", "", {"h", "v"}, "g", 0, 4.0, 0.3, 1.5, {0}},
        {"bouncing_ball", "\"dopri54\"", "", {"h", "v"}, "v", 1, 3.0, 0.9, 1.5, {0}},
        {"relay", "\"dopri54\"", "", {"x", "is_on"}, "high", 0, 0.6, 1.0, 4.0, {0}},
        {"relay", "\"rosenbrock\"", "", {"x", "is_on"}, "T", 0, 0.5, 1.0, 3.0, {0}},
        {"relay", "\"dopri54\"", "", {"x", "is_on"}, "is_on", 1, 0.0, 1.0, 3.0, {0}},
        {"relay", "\"dopri54\"", "", {"x", "is_on"}, "x", 1, 0.1, 2.0, 3.0, {0}},
        {"vanderpol",
         "\"rosenbrock\"",
         "parameters = { mu = 5.0 }\n",
         {"y1", "y2"},
         "mu",
         0,
         20.0,
         2.0,
         6.0,
         {0}},
        {"vanderpol",
         "\"rosenbrock_w\"",
         "parameters = { mu = 5.0 }\n",
         {"y1", "y2"},
         "y1",
         1,
         1.5,
         2.0,
         4.0,
         {0}},
        {"oscillator.mass",
         "\"dopri54\"",
         "",
         {"x", "v"},
         "k",
         0,
         10.0,
         0.7,
         2.0,
         {"component.c.start.x=1.0"}},
        {"oscillator.mass",
         "\"cvode_adams\"",
         "",
         {"x", "v"},
         "m",
         0,
         3.0,
         0.7,
         2.0,
         {"component.c.start.x=1.0"}},
        {"dahlquist", "\"rk4\", step = 1e-3", "", {"x"}, "a", 0, -4.0, 0.5, 1.0, {0}},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        check_change(&changes[i], 1e-6);
}

/* ---- models with time events ---- */

/* c is a sine that starts at 1 s; its amplitude changes before, at or after 1 s. */
TEST(beside_own_time_events)
{
    static const double changes_s[] = {0.5, 1.0, 1.7};
    for (int i = 0; i < 3; i++) {
        char text[TEXT_BYTES];
        snprintf(
            text, sizeof text,
            "simulation = { stop = 2.0, communication_step = 0.01, rtol = 1e-9 }\n"
            "solver.kind = \"dopri54\"\n"
            "component = [{ name = \"c\", model = \"signal.sine\", parameters = { t_on = 1.0, "
            "frequency = 0.5 } },\n"
            "  { name = \"x\", model = \"dahlquist\", parameters = { a = 0.0, b = 1.0 }, start = { "
            "x = 0.0 } }]\n"
            "connection = [{ from = \"c.y\", to = \"x.u\" }]\n"
            "scenario = [{ parameter = \"c.amplitude\", value = 3.0, at = %.17g, until = 1.9 }]\n",
            changes_s[i]);
        /* integral of A sin(pi (t - 1)) from 1 s to 2 s; amplitude A: 3 from the change to 1.9 s, else 1 */
        const double pi = acos(-1.0), from = fmax(changes_s[i], 1.0) - 1.0;
        const double expected = ((1.0 - cos(pi * from)) + 3.0 * (cos(pi * from) - cos(pi * 0.9)) +
                                 (cos(pi * 0.9) - cos(pi))) /
                                pi;
        static const char *const groupings[] = {"simulation.monolithic=false",
                                                "simulation.monolithic=true"};
        for (int g = 0; g < 2; g++) {
            AUTO(wrsim_destroy) wrsim *sim = run(text, &groupings[g], 1);
            assert_close(value(sim, "x.x"), expected, 1e-7, 1e-7);
            assert_close(value(sim, "c.has_begun"), 1.0, 0.0, 0.0);
        }
    }
}

/* c samples t every 0.25 s. A reset of the sample is valid until the next sample, also if reset and sample have the same time. */
TEST(reset_of_a_sampler)
{
    static const double resets_s[] = {0.6, 0.75, 0.0};
    for (int i = 0; i < 3; i++) {
        char text[TEXT_BYTES];
        snprintf(
            text, sizeof text,
            "simulation = { stop = 2.0, communication_step = 0.01, rtol = 1e-9 }\n"
            "solver.kind = \"dopri54\"\n"
            "component = [{ name = \"t\", model = \"dahlquist\", parameters = { a = 0.0, b = 1.0 "
            "}, "
            "start = { x = 0.0, u = 1.0 } },\n"
            "  { name = \"c\", model = \"signal.sampler\", parameters = { period = 0.25 } },\n"
            "  { name = \"x\", model = \"dahlquist\", parameters = { a = 0.0, b = 1.0 }, start = { "
            "x = 0.0 } }]\n"
            "connection = [{ from = \"t.x\", to = \"c.u\" }, { from = \"c.y\", to = \"x.u\" }]\n"
            "scenario = [{ signal = \"c.held\", action = \"reset\", value = 8.0, at = %.17g }]\n",
            resets_s[i]);
        double expected = 0.0;
        for (int k = 0; k < 8; k++) {
            const double from = 0.25 * k, to = from + 0.25, at = resets_s[i];
            const double rest = at >= from && at < to ? to - at : 0.0;
            expected += from * (0.25 - rest) + 8.0 * rest;
        }
        static const char *const groupings[] = {"simulation.monolithic=false",
                                                "simulation.monolithic=true"};
        for (int g = 0; g < 2; g++) {
            AUTO(wrsim_destroy) wrsim *sim = run(text, &groupings[g], 1);
            assert_close(value(sim, "x.x"), expected, 1e-7, 0.0);
            assert_close(value(sim, "c.i_next"), 9.0, 0.0, 0.0);
        }
    }
}

/* If several scenarios change one parameter, the last active scenario decides. */
TEST(several_on_one_component)
{
    static const char text[] =
        "simulation = { stop = 2.0, communication_step = 0.01, rtol = 1e-9 }\n"
        "solver.kind = \"dopri54\"\n"
        "component = [{ name = \"c\", model = \"dahlquist\" }]\n"
        "scenario = [{ parameter = \"c.a\", value = -2.0, at = 0.5, until = 1.5 },\n"
        "            { parameter = \"c.a\", value = 1.0, at = 1.0, duration = 0.25 },\n"
        "            { signal = \"c.x\", action = \"reset\", value = 1.0, when = \"c.x < 0.5\" "
        "}]\n";
    /* decay at rate 1 to 0.5 s, then at rate 2 to the value 0.5, where a reset sets 1 */
    const double reset_s = 0.5 + 0.5 * (log(2.0) - 0.5);
    const double expected = exp(-2.0 * (1.0 - reset_s) + 0.25 - 2.0 * 0.25 - 0.5);
    static const char *const groupings[] = {"simulation.monolithic=false",
                                            "simulation.monolithic=true"};
    for (int g = 0; g < 2; g++) {
        AUTO(wrsim_destroy) wrsim *sim = run(text, &groupings[g], 1);
        assert_close(value(sim, "c.x"), expected, 1e-7, 0.0);
        assert_close(value(sim, "c.scenario1_phase"), 2.0, 0.0, 0.0);
    }
}
