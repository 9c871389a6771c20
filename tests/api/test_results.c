/* Result files, names of variables and ports through the public interface. */
#include "prepared.h"

TEST_FOLDER

/* x' = 1 and an input port; a bouncing ball has rows at its events. */
static const char text[] = "component = [\n"
                           "    { name = \"ball\", model = \"bouncing_ball\" },\n"
                           "    { name = \"a\", model = \"dahlquist\", parameters = { a = -1.0, b "
                           "= 1.0 }, start = { x = 1.0 } },\n"
                           "]\n"
                           "port = [ { name = \"load\", to = \"a.u\" }, { name = \"speed\", from = "
                           "\"a.x\" } ]\n"
                           "[simulation]\nstop = 1.0\ncommunication_step = 0.125\nrtol = 1e-8\n";

/* Runs the config into a file. Returns the value of a.x at the end. */
static double record(const char *file, const char *override)
{
    char output[80];
    snprintf(output, sizeof output, "output.file=\"%s\"", file);
    const char *const overrides[] = {output, override};
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 2);
    wrsim_error err = {0};
    assert_good(wrsim_run(sim, &err), &err);
    const double end = value(sim, "a.x");
    assert_good(wrsim_finish(sim, &err), &err);
    return end;
}

static wrsim_results *read_back(const char *file)
{
    wrsim_results *results = NULL;
    wrsim_error err = {0};
    assert_good(wrsim_results_read(file, &results, &err), &err);
    return results;
}

static int find(const wrsim_results *results, const char *name)
{
    int signal = -1;
    wrsim_error err = {0};
    assert_good(wrsim_results_find(results, name, &signal, &err), &err);
    return signal;
}

TEST(signals_of_a_file)
{
    const double end = record("a.csv", "simulation.rtol=1e-8");
    AUTO(wrsim_results_destroy) wrsim_results *results = read_back("a.csv");
    const int n_row = wrsim_results_row_count(results);
    assert_int_equal(n_row, 9);
    const double *const t = wrsim_results_times(results);
    for (int i = 0; i < n_row; i++)
        assert_close(t[i], 0.125 * i, 0.0, 1e-15);
    assert_non_null(strstr(wrsim_results_config(results), "communication_step"));
    wrsim_signal x;
    assert_int_equal(wrsim_results_signal(results, find(results, "a.x"), &x), WRSIM_OK);
    assert_string_equal(x.name, "a.x");
    assert_close(x.value[0], 1.0, 0.0, 0.0);
    assert_close(x.value[n_row - 1], end, 0.0, 0.0);
    assert_close(end, exp(-1.0), 1e-6, 0.0);
    assert_int_equal(wrsim_results_signal(results, find(results, "ball.v"), &x), WRSIM_OK);
    assert_string_equal(x.unit, "m/s");
    assert_string_equal(x.description, "velocity, jumps at impacts");
}

TEST(signals_of_a_file_without_description)
{
    record("a.csv", "simulation.rtol=1e-8");
    assert_int_equal(remove("a.csv.json"), 0);
    AUTO(wrsim_results_destroy) wrsim_results *results = read_back("a.csv");
    wrsim_signal x;
    assert_int_equal(wrsim_results_signal(results, find(results, "a.x"), &x), WRSIM_OK);
    assert_string_equal(x.description, "");
    assert_string_equal(wrsim_results_config(results), "");
}

TEST(refused_reads)
{
    record("a.csv", "simulation.rtol=1e-8");
    AUTO(wrsim_results_destroy) wrsim_results *results = read_back("a.csv");
    wrsim_error err = {0};
    wrsim_results *none = NULL;
    wrsim_signal signal;
    int i = 77;
    assert_int_equal(wrsim_results_find(results, "a.y", &i, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "did you mean 'a.x'?"));
    assert_string_equal(err.file, "a.csv");
    assert_int_equal(i, 77);
    const int n = wrsim_results_signal_count(results);
    assert_int_equal(wrsim_results_signal(results, n, &signal), WRSIM_E_ARG);
    assert_int_equal(wrsim_results_signal(results, -1, &signal), WRSIM_E_ARG);
    assert_int_equal(wrsim_results_signal(NULL, 0, &signal), WRSIM_E_ARG);
    assert_int_equal(wrsim_results_read("no such.csv", &none, &err), WRSIM_E_IO);
    assert_non_null(strstr(err.text, "no such.csv"));
    wr_test_write("wrong.csv", "a,b\n1,2\n");
    assert_int_equal(wrsim_results_read("wrong.csv", &none, NULL), WRSIM_E_IO);
    assert_int_equal(wrsim_results_read(NULL, &none, NULL), WRSIM_E_ARG);
    assert_null(none);
    assert_int_equal(wrsim_results_row_count(NULL), 0);
    assert_null(wrsim_results_times(NULL));
    assert_null(wrsim_results_config(NULL));
    wrsim_event_rows *rows = NULL;
    assert_int_equal(wrsim_results_events(results, 1, &n, &rows, &err), WRSIM_E_ARG);
    assert_null(rows);
    wrsim_results_destroy(&none);
    wrsim_results_destroy(NULL);
    wrsim_event_rows_destroy(&rows);
    wrsim_comparison *comparison = NULL;
    assert_int_equal(wrsim_results_compare(results, NULL, &comparison, &err), WRSIM_E_ARG);
    wrsim_comparison_destroy(&comparison);
}

TEST(rows_at_events)
{
    record("a.csv", "simulation.rtol=1e-8");
    AUTO(wrsim_results_destroy) wrsim_results *results = read_back("a.csv");
    AUTO(wrsim_event_rows_destroy) wrsim_event_rows *rows = NULL;
    wrsim_error err = {0};
    const int wanted[] = {find(results, "ball.v"), find(results, "a.x")};
    assert_good(wrsim_results_events(results, 2, wanted, &rows, &err), &err);
    assert_int_equal(rows->n_signal, 2);
    int n_bounce = 0;
    for (int i = 0; i + 1 < rows->n_row; i++) {
        const double left = rows->value[2 * i], right = rows->value[2 * (i + 1)];
        if (!isfinite(left) || !isfinite(right) || rows->is_right[i] || !rows->is_right[i + 1])
            continue;
        assert_close(rows->time_s[i + 1], rows->time_s[i], 0.0, 0.0);
        n_bounce += left < 0.0 && right > 0.0;
        assert_true(isnan(rows->value[2 * i + 1])); /* another subsystem */
    }
    assert_true(n_bounce >= 1);
}

TEST(comparison_with_a_twin)
{
    record("a.csv", "simulation.monolithic=false");
    record("b.csv", "simulation.monolithic=true");
    AUTO(wrsim_results_destroy) wrsim_results *a = read_back("a.csv");
    AUTO(wrsim_results_destroy) wrsim_results *b = read_back("b.csv");
    AUTO(wrsim_comparison_destroy) wrsim_comparison *c = NULL;
    wrsim_error err = {0};
    assert_good(wrsim_results_compare(a, b, &c, &err), &err);
    assert_int_equal(c->n_signal, wrsim_results_signal_count(a));
    assert_int_equal(c->overlap.n_row, 9);
    assert_int_equal(c->overlap.n_only_a + c->overlap.n_only_b, 0);
    for (int i = 0; i < c->n_signal; i++)
        assert_true(c->difference[i].max_rel < 1e-4);
}

TEST(names_of_variables)
{
    AUTO(wrsim_destroy) wrsim *sim = created(text, NULL, 0);
    const int n = wrsim_variable_count(sim);
    assert_true(n > 5);
    wrsim_named_variable v;
    for (int i = 0; i < n; i++) {
        char name[200];
        assert_int_equal(wrsim_variable_info(sim, i, &v), WRSIM_OK);
        snprintf(name, sizeof name, "%s.%s", v.component, v.name);
        const int found = wrsim_find(sim, name);
        assert_true(found >= 0);
        assert_true(found == v.variable || v.kind != WRSIM_OUTPUT); /* outputs come first */
    }
    assert_int_equal(wrsim_variable_info(sim, n, &v), WRSIM_E_ARG);
    assert_int_equal(wrsim_variable_info(sim, -1, &v), WRSIM_E_ARG);
    assert_int_equal(wrsim_variable_info(NULL, 0, &v), WRSIM_E_ARG);
    assert_int_equal(wrsim_variable_count(NULL), 0);

    const char *const names[] = {"ball.h", "a.x"}, *const wrong[] = {"ball.h", "a.xx"};
    int variable[2] = {-7, -7};
    wrsim_error err = {0};
    assert_int_equal(wrsim_find_many(sim, 2, wrong, variable, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "'a.xx'; did you mean 'a.x'?"));
    assert_int_equal(variable[0], -7);
    assert_good(wrsim_find_many(sim, 2, names, variable, &err), &err);
    assert_int_equal(variable[1], wrsim_find(sim, "a.x"));
    assert_int_equal(wrsim_find_many(sim, 2, NULL, variable, &err), WRSIM_E_ARG);
    assert_int_equal(wrsim_find_many(sim, 0, NULL, NULL, &err), WRSIM_OK);
}

TEST(names_of_ports)
{
    AUTO(wrsim_destroy) wrsim *sim = created(text, NULL, 0);
    const char *const load = "load", *const speed = "speed", *const wrong = "laod";
    int port = -7;
    wrsim_error err = {0};
    assert_good(wrsim_port_find_many(sim, WRSIM_PORT_INPUT, 1, &load, &port, &err), &err);
    assert_int_equal(port, wrsim_port_find(sim, "load"));
    assert_good(wrsim_port_find_many(sim, WRSIM_PORT_OUTPUT, 1, &speed, &port, &err), &err);
    assert_int_equal(wrsim_port_find_many(sim, WRSIM_PORT_OUTPUT, 1, &load, &port, &err),
                     WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "'load', which is an input port; choose one of: speed"));
    assert_int_equal(wrsim_port_find_many(sim, WRSIM_PORT_INPUT, 1, &speed, &port, &err),
                     WRSIM_E_ARG);
    assert_int_equal(wrsim_port_find_many(sim, WRSIM_PORT_INPUT, 1, &wrong, &port, &err),
                     WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "did you mean 'load'?"));
    assert_int_equal(port, wrsim_port_find(sim, "speed"));
}
