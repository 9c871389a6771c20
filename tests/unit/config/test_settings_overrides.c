#include "wr_test.h"

#include "settings_harness.h"

static const char text[] = "[simulation]\n"
                           "stop = 1\n"
                           "[[component]]\n"
                           "name = \"cyl1\"\n"
                           "model = \"m\"\n"
                           "parameters = { x = 1, y = 2 }\n"
                           "[[component]]\n"
                           "name = \"cyl2\"\n"
                           "model = \"m\"\n"
                           "[[subsystem]]\n"
                           "name = \"airpath\"\n"
                           "components = [\"cyl1\"]\n";

static const char own_solver[] = "[simulation]\n"
                                 "stop = 1\n"
                                 "[[component]]\n"
                                 "name = \"cyl1\"\n"
                                 "model = \"m\"\n"
                                 "[[component]]\n"
                                 "name = \"cyl2\"\n"
                                 "model = \"m\"\n"
                                 "[[subsystem]]\n"
                                 "name = \"first\"\n"
                                 "components = [\"cyl1\"]\n"
                                 "solver = { kind = \"rk4\", step = 0.1 }\n"
                                 "[[subsystem]]\n"
                                 "name = \"second\"\n"
                                 "components = [\"cyl2\"]\n";

TEST(scalars)
{
    static const char *const overrides[] = {" simulation.rtol = 1e-3 ",
                                            "relaxation.window={min=1e-5, initial=1e-4}",
                                            "relaxation.window.initial=2e-4",
                                            "output.file=a b.h5",
                                            "output.json=",
                                            "scheduler.workers=2",
                                            "output.signals=[\"a.*\", 'b=c']",
                                            NULL};
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(text, overrides);
    assert_close(s->simulation.rtol, 1e-3, 0.0, 0.0);
    assert_close(s->relaxation.window_min_s, 1e-5, 0.0, 0.0);
    assert_close(s->relaxation.window_initial_s, 2e-4, 0.0, 0.0);
    assert_string_equal(s->output.file, "a b.h5");
    assert_string_equal(s->output.json, "");
    assert_int_equal(s->scheduler.workers, 2);
    assert_int_equal(s->output.n_signals, 2);
    assert_string_equal(s->output.signals[1], "b=c");
}

TEST(words)
{
    static const char *const overrides[] = {
        "scheduler.workers=auto",     "relaxation.scheme=gauss_seidel", "solver.kind=\"rk4\"",
        "simulation.monolithic=true", "output.signals=cyl*.p",          NULL};
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(text, overrides);
    assert_int_equal(s->scheduler.workers, 0);
    assert_int_equal(s->relaxation.scheme, WR_SCHEME_GAUSS_SEIDEL);
    assert_string_equal(s->solver.kind, "rk4");
    assert_int_equal(s->simulation.monolithic, 1);
    assert_int_equal(s->output.n_signals, 1);
    assert_string_equal(s->output.signals[0], "cyl*.p");
    /* The subsystem inherits the value of the override. */
    assert_string_equal(s->subsystems[0].solver.kind, "rk4");
}

/* The last override of a key wins. Names may address list items. An override creates missing tables. */
TEST(lists)
{
    static const char *const overrides[] = {"component.cyl1.parameters.x=5",
                                            "component.cyl2.parameters.z=6",
                                            "component.cyl2.start.soc[3]=7",
                                            "subsystem.airpath.solver.kind=rk4",
                                            "subsystem.airpath.components=['cyl*']",
                                            "component.cyl1.parameters.x=8",
                                            "component.cyl2.name=other",
                                            NULL};
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(text, overrides);
    assert_close(s->components[0].parameters[0].value, 8.0, 0.0, 0.0);
    assert_close(s->components[0].parameters[1].value, 2.0, 0.0, 0.0);
    assert_string_equal(s->components[0].parameters[0].where.file,
                        "-D component.cyl1.parameters.x=8");
    assert_string_equal(s->components[1].name, "other");
    assert_string_equal(s->components[1].parameters[0].name, "z");
    assert_string_equal(s->components[1].start[0].name, "soc[3]");
    assert_string_equal(s->subsystems[0].solver.kind, "rk4");
    assert_string_equal(s->subsystems[0].components[0], "cyl*");
}

/* A star stands for all items of a repeated table, or for all solvers. Each item gets its own copy of the value, so a later override
 * can change one item. */
TEST(stars)
{
    static const char *const overrides[] = {"component.*.parameters.x=5", "*.solver.kind=dopri54",
                                            "component.*.start={y = 1}",  "component.c*1.start.y=2",
                                            "*.solver.max_order=3",       NULL};
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(own_solver, overrides);
    for (int i = 0; i < 2; i++)
        assert_close(s->components[i].parameters[0].value, 5.0, 0.0, 0.0);
    assert_close(s->components[0].start[0].value, 2.0, 0.0, 0.0);
    assert_close(s->components[1].start[0].value, 1.0, 0.0, 0.0);
    assert_string_equal(s->solver.kind, "dopri54");
    assert_string_equal(s->subsystems[0].solver.kind,
                        "dopri54"); /* subsystem "first" has its own solver.kind */
    assert_int_equal(s->subsystems[0].solver.max_order,
                     3); /* subsystem "first" inherits max_order */
    assert_int_equal(s->subsystems[1].solver.max_order, 3);
}

TEST(refused)
{
    static const struct {
        const char *override, *message;
    } cases[] = {
        {"simulation.rtol", "KEY=VALUE"},
        {"=1", "KEY=VALUE"},
        {"", "KEY=VALUE"},
        {"output.file=a\n[x]", "KEY=VALUE"},
        {" =1", "not a dotted name"},
        {"simulation..rtol=1", "not a dotted name"},
        {"simulation.=1", "not a dotted name"},
        {"simulation.rtol=abc", "'simulation.rtol' must be a number, but is the text \"abc\""},
        {"simulation.rtol=7", "must lie between"},
        {"simulation.rtoll=7", "did you mean 'rtol'"},
        {"rtol=7", "did you mean 'simulation.rtol'"},
        {"window.control=fixed",
         "unknown key 'window.control'; did you mean 'relaxation.window.control'?"},
        {"window.contrl=fixed", "unknown key 'window'; did you mean 'relaxation.window'?"},
        {"simulation.history.period=1", "'simulation.history.period'; did you mean 'relaxation.h"},
        {"simulation.scheduler.workers=1", "did you mean 'scheduler.workers'?"},
        {"indow.control=fixed", "unknown key 'indow'; choose one of: "},
        {"simulaton.rtol=1e-6", "did you mean 'simulation'"},
        {"simulation.stop.x=7", "'stop' is a whole number, so it has no key 'x'"},
        {"output=7", "must be a table"},
        {"output.signals=[\"a\"", "not valid TOML"},
        {"output.file=\"a", "not valid TOML"},
        {"component.cyl3.parameters.x=1", "unknown component 'cyl3'; did you mean 'cyl1'?"},
        {"component.zzzzzz.parameters.x=1", "unknown component 'zzzzzz'; choose one of: cyl1"},
        {"subsystem.air.solver.kind=rk4", "'air'; choose one of: "},
        {"subsystem.airpth.solver.kind=rk4", "did you mean 'airpath'"},
        {"component.cyl1=1", "the name or the key of the component is missing"},
        {"component.*=1", "the name or the key of the component is missing"},
        {"*=1", "write *.solver.KEY or component.cyl*.KEY"},
        {"*.kind=rk4", "write *.solver.KEY or component.cyl*.KEY"},
        {"*.solver=rk4", "write *.solver.KEY or component.cyl*.KEY"},
        {"*.solver.max_order=abc", "must be a"},
        {"port.*.start=1", "the config has no [[port]] with a name like '*'"},
        {"component.zz?.start.y=1", "the config has no [[component]] with a name like 'zz?'"},
        {"connection.a.b=1", "has no names"},
        {"plugin.file=x.so", "has no names"},
        {"component.cyl1.parametres.x=1", "did you mean 'parameters'"},
        {"component.cyl1.parameters.x=[1]", "'x' in 'parameters' must be a number"},
        {"component.cyl1.start.x=abc", "'x' in 'start' must be a number"},
        {"simulation.stop=-1", "must be greater"},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const char *const overrides[] = {cases[i].override, NULL};
        char place[128];
        snprintf(place, sizeof place, "-D %s", cases[i].override);
        AUTO(wr_diag_done) wr_diag diag = {0};
        assert_null(parse_with(text, overrides, &diag));
        if (diag.n_items != 1 || !strstr(diag.items[0].text, cases[i].message))
            fail_msg("%s: %d errors, first '%s', expected '%s'", place, diag.n_items,
                     diag.items[0].text, cases[i].message);
        assert_string_equal(diag.items[0].file, place);
    }
}
