#include "wr_test.h"

#include <unistd.h>

#include "settings_harness.h"

TEST(defaults)
{
    AUTO(wr_settings_destroy) wr_settings *s = parse_good("simulation.stop = 2\n", NULL);
    assert_string_equal(s->file, "");
    assert_close(s->simulation.start_s, 0.0, 0.0, 0.0);
    assert_close(s->simulation.stop_s, 2.0, 0.0, 0.0);
    assert_close(s->simulation.communication_step_s, 500e-6, 0.0, 0.0);
    assert_close(s->simulation.rtol, 1e-6, 0.0, 0.0);
    assert_close(s->simulation.atol_factor, 0.01, 0.0, 0.0);
    assert_close(s->simulation.event_tolerance_s, 0.0, 0.0, 0.0); /* auto */
    assert_int_equal(s->simulation.max_event_iterations, 100);
    assert_int_equal(s->simulation.max_stuck_events, 100);
    assert_close(s->simulation.chatter_time_s, 0.0, 0.0, 0.0);
    assert_int_equal(s->simulation.monolithic, 0);
    assert_int_equal(s->relaxation.scheme, WR_SCHEME_AUTO);
    assert_int_equal(s->relaxation.scheme_workers, 2);
    assert_close(s->relaxation.window_initial_s, 500e-6, 0.0, 0.0);
    assert_close(s->relaxation.window_min_s, 1e-5 * 500e-6, 0.0, 0.0);
    assert_close(s->relaxation.window_max_s, 0.5, 0.0, 0.0);
    assert_string_equal(s->relaxation.window_control, "work");
    assert_int_equal(s->relaxation.max_sweeps, 12);
    assert_close(s->relaxation.convergence, 0.1, 0.0, 0.0);
    assert_close(s->relaxation.solver_tolerance_factor, 0.2, 0.0, 0.0);
    assert_close(s->relaxation.tolerance_first, 1.0, 0.0, 0.0);
    assert_int_equal(s->relaxation.prediction, WR_PREDICT_AUTO);
    assert_int_equal(s->relaxation.active_set, 1);
    assert_int_equal(s->relaxation.acceleration, WR_ACCELERATE_AUTO);
    assert_int_equal(s->relaxation.max_nodes, 0);
    assert_int_equal(s->scheduler.workers, 0);
    assert_int_equal(s->scheduler.n_cores, 0);
    assert_int_equal(s->scheduler.smt, 0);
    assert_int_equal(s->scheduler.pin, 1);
    assert_close(s->scheduler.spin_us, 300.0, 0.0, 0.0);
    assert_string_equal(s->scheduler.topology, "");
    assert_string_equal(s->output.file, "");
    assert_int_equal(s->output.n_signals, 0);
    assert_int_equal(s->output.decimation, 1);
    assert_true(isinf(s->output.start_s) && s->output.start_s < 0);
    assert_int_equal(s->output.events, 1);
    assert_string_equal(s->solver.kind, "auto");
    assert_close(s->solver.step_s, 0.0, 0.0, 0.0);
    assert_int_equal(s->n_components + s->n_connections + s->n_subsystems + s->n_plugins, 0);
    wr_settings_destroy(&s);
    assert_null(s);
}

static const char full[] = "[simulation]\n"
                           "start = -1\n"
                           "stop = 0.48\n"
                           "monolithic = true\n"
                           "[relaxation]\n"
                           "scheme = \"gauss_seidel\"\n"
                           "window = { initial = 2e-3, min = 5e-5, max = 2e-2, control = "
                           "\"fixed\" }\n"
                           "prediction = \"cubic\"\n"
                           "acceleration = \"anderson\"\n"
                           "[scheduler]\n"
                           "workers = 3\n"
                           "cores = [4, 0, 2]\n"
                           "[output]\n"
                           "file = \"engine.h5\"\n"
                           "signals = [\"cyl*.p\", \"airpath.*\"]\n"
                           "[solver]\n"
                           "kind = \"rosenbrock\"\n"
                           "rtol = 1e-7\n"
                           "linear_solver = \"sparse\"\n"
                           "max_order = 4\n"
                           "[[plugin]]\n"
                           "file = \"sub/p.so\"\n"
                           "[[component]]\n"
                           "name = \"cyl2\"\n"
                           "model = \"engine.cylinder\"\n"
                           "parameters = { bore = 1, offset = -0.5 }\n"
                           "start = { \"soc[3]\" = 0.25 }\n"
                           "[[component]]\n"
                           "name = \"airpath\"\n"
                           "model = \"engine.airpath\"\n"
                           "[[subsystem]]\n"
                           "name = \"a\"\n"
                           "components = [\"airpath\"]\n"
                           "solver = { kind = \"rk4\", step = 1e-4 }\n"
                           "[[subsystem]]\n"
                           "name = \"b\"\n"
                           "components = [\"cyl*\"]\n";

TEST(all_sections)
{
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(full, NULL);
    assert_close(s->simulation.start_s, -1.0, 0.0, 0.0);
    assert_int_equal(s->simulation.monolithic, 1);
    assert_int_equal(s->relaxation.scheme, WR_SCHEME_GAUSS_SEIDEL);
    assert_close(s->relaxation.window_initial_s, 2e-3, 0.0, 0.0);
    assert_close(s->relaxation.window_min_s, 5e-5, 0.0, 0.0);
    assert_close(s->relaxation.window_max_s, 2e-2, 0.0, 0.0);
    assert_string_equal(s->relaxation.window_control, "fixed");
    assert_int_equal(s->relaxation.prediction, WR_PREDICT_CUBIC);
    assert_int_equal(s->relaxation.acceleration, WR_ACCELERATE_ANDERSON);
    assert_int_equal(s->scheduler.workers, 3);
    assert_int_equal(s->scheduler.n_cores, 3);
    assert_int_equal(s->scheduler.cores[0], 4);
    assert_int_equal(s->scheduler.cores[2], 2);
    assert_int_equal(s->output.n_signals, 2);
    assert_string_equal(s->output.signals[1], "airpath.*");
    assert_int_equal(s->n_components, 2);
    const wr_set_component *const c = &s->components[0];
    assert_string_equal(c->name, "cyl2");
    assert_string_equal(c->model, "engine.cylinder");
    assert_int_equal(c->n_parameters, 2);
    assert_string_equal(c->parameters[0].name, "bore");
    assert_close(c->parameters[0].value, 1.0, 0.0, 0.0);
    assert_int_equal(c->parameters[1].where.line, 26);
    assert_int_equal(c->parameters[1].where.column, 35);
    assert_int_equal(c->n_start, 1);
    assert_string_equal(c->start[0].name, "soc[3]");
    assert_close(c->start[0].value, 0.25, 0.0, 0.0);
    assert_int_equal(c->where.line, 23);
    assert_int_equal(c->where_model.line, 25);
    assert_int_equal(s->n_plugins, 1);
    assert_string_equal(s->plugins[0].file, "sub/p.so");
}

/* Without keys of its own a subsystem has the solver of [solver]. */
TEST(solver_is_inherited)
{
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(full, NULL);
    assert_int_equal(s->n_subsystems, 2);
    const wr_set_solver *const a = &s->subsystems[0].solver, *const b = &s->subsystems[1].solver;
    assert_string_equal(a->kind, "rk4");
    assert_close(a->step_s, 1e-4, 0.0, 0.0);
    assert_close(a->rtol, 1e-7, 0.0, 0.0);
    assert_int_equal(a->linear_solver, 2);
    assert_int_equal(a->max_order, 4);
    assert_string_equal(b->kind, "rosenbrock");
    assert_close(b->step_s, 0.0, 0.0, 0.0);
    assert_string_equal(s->solver.kind, "rosenbrock");
    assert_close(s->solver.step_s, 0.0, 0.0, 0.0);
    assert_string_equal(s->subsystems[1].components[0], "cyl*");
}

TEST(connections_unfold)
{
    AUTO(wr_settings_destroy)
    wr_settings *s = parse_good("simulation.stop = 1\n"
                                "[[connection]]\n"
                                "from = \"a.y\"\n"
                                "to = \"b.u[2]\"\n"
                                "[[connection]]\n"
                                "from = \"a.y\"\n"
                                "to = [\"b.u\",\n"
                                "      \"c.u.v\"]\n"
                                "[[connection]]\n"
                                "from = \"a\"\n"
                                "to = [\"b\", \"c\"]\n"
                                "signals = [\"p\",\n"
                                "           \" T  ->T_in\"]\n",
                                NULL);
    static const struct {
        const char *from, *to;
        int line_from, line_to;
    } expected[] = {
        {"a.y", "b.u[2]", 3, 4},   {"a.y", "b.u", 6, 7},      {"a.y", "c.u.v", 6, 8},
        {"a.p", "b.p", 12, 12},    {"a.T", "b.T_in", 13, 13}, {"a.p", "c.p", 12, 12},
        {"a.T", "c.T_in", 13, 13},
    };
    assert_int_equal(s->n_connections, WR_COUNT_OF(expected));
    for (size_t i = 0; i < WR_COUNT_OF(expected); i++) {
        assert_string_equal(s->connections[i].from, expected[i].from);
        assert_string_equal(s->connections[i].to, expected[i].to);
        assert_int_equal(s->connections[i].where_from.line, expected[i].line_from);
        assert_int_equal(s->connections[i].where_to.line, expected[i].line_to);
    }
}

/* The default lengths depend on the run and its communication step. */
TEST(lengths_follow_the_run)
{
    static const struct {
        const char *times;
        double step, initial, min, max;
    } cases[] = {
        {"stop = 1e-13", 1e-14, 1e-14, 1e-19, 1e-11},
        {"stop = 1e9", 1e3, 1e3, 1e-2, 1e6},
        {"start = -1, stop = 1", 500e-6, 500e-6, 5e-9, 0.5},
        {"stop = 1, communication_step = 0.1", 0.1, 0.1, 1e-6, 100.0},
        {"stop = 1, communication_step = 10.0", 10.0, 1.0, 1e-5, 1000.0}, /* longer than the run */
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        char text[128];
        snprintf(text, sizeof text, "simulation = { %s }\n", cases[i].times);
        AUTO(wr_settings_destroy) wr_settings *s = parse_good(text, NULL);
        assert_close(s->simulation.communication_step_s, cases[i].step, 1e-14, 0.0);
        assert_close(s->relaxation.window_initial_s, cases[i].initial, 1e-14, 0.0);
        assert_close(s->relaxation.window_min_s, cases[i].min, 1e-14, 0.0);
        assert_close(s->relaxation.window_max_s, cases[i].max, 1e-14, 0.0);
    }
}

/* Default window lengths satisfy min <= initial <= max. */
TEST(window_settles)
{
    static const struct {
        const char *window;
        double initial, min, max;
    } cases[] = {
        {"max = 0.1", 0.01, 1e-7, 0.1},       {"max = 1e-9", 1e-9, 1e-9, 1e-9},
        {"min = 0.1", 0.1, 0.1, 10.0},        {"min = 50", 50, 50, 50},
        {"initial = 1e-8", 1e-8, 1e-8, 10},   {"initial = 70", 70, 1e-7, 70},
        {"initial = 3, max = 4", 3, 1e-7, 4}, {"max = \"auto\"", 0.01, 1e-7, 10.0},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "simulation = { stop = 1, communication_step = 0.01 }\n"
                 "relaxation.window = { %s }\n",
                 cases[i].window);
        AUTO(wr_settings_destroy) wr_settings *s = parse_good(text, NULL);
        assert_close(s->relaxation.window_initial_s, cases[i].initial, 1e-15, 0.0);
        assert_close(s->relaxation.window_min_s, cases[i].min, 1e-15, 0.0);
        assert_close(s->relaxation.window_max_s, cases[i].max, 1e-15, 0.0);
    }
}

static void expect_plugin(const char *config, const char *file, const char *expected)
{
    char text[256];
    snprintf(text, sizeof text, "simulation.stop = 1\n[[plugin]]\nfile = \"%s\"\n", file);
    wr_diag diag = {0};
    AUTO(wr_settings_destroy)
    wr_settings *s = wr_settings_parse(text, strlen(text), config, NULL, 0, &diag);
    assert_non_null(s);
    assert_string_equal(s->plugins[0].file, expected);
}

TEST(plugin_paths)
{
    expect_plugin("a.toml", "p.so", "./p.so");
    expect_plugin("a.toml", "./p.so", "./p.so");
    expect_plugin("a.toml", "sub/p.so", "sub/p.so");
    expect_plugin("x/y/a.toml", "p.so", "x/y/p.so");
    expect_plugin("x/y/a.toml", "../p.so", "x/y/../p.so");
    expect_plugin("x/a.toml", "/lib/p.so", "/lib/p.so");
    expect_plugin("/a.toml", "p.so", "/p.so");
    expect_plugin(NULL, "p.so", "./p.so");
}

TEST(load_file)
{
    char file[] = "/tmp/wr_settings_XXXXXX";
    const int fd = mkstemp(file);
    assert_true(fd >= 0);
    static const char text[] = "[simulation]\nstop = 3\n[[plugin]]\nfile = \"p.so\"\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    AUTO(wr_diag_done) wr_diag diag = {0};
    const wr_override override = {"simulation.stop=4"};
    wr_settings *s = wr_settings_load(file, &override, 1, &diag);
    assert_non_null(s);
    assert_string_equal(s->file, file);
    assert_close(s->simulation.stop_s, 4.0, 0.0, 0.0);
    assert_string_equal(s->plugins[0].file, "/tmp/p.so");
    wr_settings_destroy(&s);
    unlink(file);
    assert_null(wr_settings_load(file, NULL, 0, &diag));
    assert_int_equal(wr_diag_status(&diag), WRSIM_E_IO);
}

/* Errors in the list from before a load do not fail the load. */
TEST(older_errors)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    wr_diag_add(&diag, WRSIM_E_ARG, NULL, "older");
    AUTO(wr_settings_destroy) wr_settings *s = parse_with("simulation.stop = 1\n", NULL, &diag);
    assert_non_null(s);
    assert_int_equal(diag.n_items, 1);
}
