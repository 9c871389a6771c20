/* Memory of models in a relaxed run has the bits of a run with one solver, after any repeated sweeps. Two components are coupled through
 * x2; x1 and the memory do not depend on x2. So a step that counts twice or not at all changes the result. Windows are multiples of the
 * fixed step length. Argument: the plug-in memory_models. */
#include "wr_test.h"

#include "wrsim/wrsim.h"

enum { N_VALUE = 6 };
static const char *const names[N_VALUE] = {"a.steps", "a.events", "a.filtered",
                                           "b.steps", "b.events", "b.filtered"};

static void run(const char *scheme, double *ret_value, wrsim_stats *ret_stats)
{
    static const char *const format =
        "[simulation]\nstop = 2.0\ncommunication_step = 0.015625\nmonolithic = %s\n"
        "[relaxation]\nscheme = \"%s\"\n"
        "window = { initial = 0.125, min = 0.125, max = 0.125, control = \"fixed\" }\n"
        "[solver]\nkind = \"rk4\"\nstep = 0.015625\n[[plugin]]\nfile = \"%s\"\n"
        "[[component]]\nname = \"a\"\nmodel = \"test.memory\"\nstart = { x2 = 2.0 }\n"
        "[[component]]\nname = \"b\"\nmodel = \"test.memory\"\n"
        "[[connection]]\nfrom = \"a.y\"\nto = \"b.u\"\n"
        "[[connection]]\nfrom = \"b.y\"\nto = \"a.u\"\n";
    char text[2048];
    snprintf(text, sizeof text, format, scheme ? "false" : "true", scheme ? scheme : "jacobi",
             wr_test_arg(1));
    wrsim_config *config = NULL;
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_status status = wrsim_config_from_text(text, strlen(text), "memory.toml", NULL, 0, NULL,
                                                 NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    wrsim_config_destroy(&config);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status >= 0)
        status = wrsim_run(sim, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_true(status >= 0);
    for (int i = 0; i < N_VALUE; i++)
        ret_value[i] = wrsim_get(sim, wrsim_find(sim, names[i]));
    wrsim_stats_get(sim, ret_stats);
}

TEST(sweeps_leave_no_trace)
{
    static const char *const schemes[] = {"jacobi", "gauss_seidel"};
    double expected[N_VALUE], value[N_VALUE];
    wrsim_stats stats;
    run(NULL, expected, &stats);
    assert_close(expected[0], 126.0, 0, 0); /* up to the last event */
    assert_close(expected[1], 21.0, 0, 0);
    for (int i = 0; i < 2; i++) {
        run(schemes[i], value, &stats);
        assert_true(stats.n_sweep > 3 * stats.n_window);
        for (int k = 0; k < N_VALUE; k++)
            assert_close(value[k], expected[k], 0, 0);
    }
}
