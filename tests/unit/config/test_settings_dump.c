#include <unistd.h>

#include "wr_test.h"

#include "settings_harness.h"

static const char text[] = "[simulation]\n"
                           "stop = 0.1\n"
                           "monolithic = \"auto\"\n"
                           "communication_step = 0.30000000000000004\n"
                           "rtol = 3e-7\n"
                           "[relaxation]\n"
                           "history = { period = 0.5, phase = \"a.angle\" }\n"
                           "scheme = \"gauss_seidel\"\n"
                           "window = { initial = 1.1e-5, control = \"ratio\" }\n"
                           "[scheduler]\n"
                           "workers = 2\n"
                           "cores = [3, 1]\n"
                           "[output]\n"
                           "file = \"a\\\"b\\\\c\\u0007\\u00e4.h5\"\n"
                           "signals = [\"x.*\", \"y.z\"]\n"
                           "start = 0.05\n"
                           "waves = true\n"
                           "[[component]]\n"
                           "name = \"c\"\n"
                           "model = \"m\"\n"
                           "parameters = { z = 1e300, \"a b\" = 0.1, \"q\\\"[1]\" = -5, "
                           "on = true, off = false, note = \"a\\\"b\\n\" }\n"
                           "start = { x = 1e-310 }\n"
                           "[[connection]]\n"
                           "from = \"c\"\n"
                           "to = \"d\"\n"
                           "signals = [\"p\", \"q -> r\"]\n"
                           "factor = -1e-3\n"
                           "offset = 0.1\n"
                           "convert = false\n"
                           "[[subsystem]]\n"
                           "name = \"s\"\n"
                           "components = [\"c\"]\n"
                           "solver = { kind = \"rk4\", step = 1e-4 }\n"
                           "history_source = \"s\"\n"
                           "lag = 0.1\n"
                           "level = 4\n"
                           "[[subsystem]]\n"
                           "name = \"tape\"\n"
                           "components = [\"d\"]\n"
                           "kind = \"replay\"\n"
                           "file = \"d.csv\"\n"
                           "[[port]]\n"
                           "name = \"in\"\n"
                           "to = [\"c.u\", \"d.v\"]\n"
                           "start = 0.30000000000000004\n"
                           "mode = \"ramp\"\n"
                           "[[port]]\n"
                           "name = \"bare\"\n"
                           "to = \"c.w\"\n"
                           "[[port]]\n"
                           "name = \"out\"\n"
                           "from = \"c.y\"\n"
                           "[[scenario]]\n"
                           "name = \"tape\"\n"
                           "signal = \"c.y\"\n"
                           "to = [\"c.u\", \"d.v\"]\n"
                           "action = \"replay\"\n"
                           "file = \"drive.csv\"\n"
                           "column = \"speed\"\n"
                           "between = \"hold\"\n"
                           "offset = -1.5\n"
                           "at = 0.30000000000000004\n"
                           "until = 7\n"
                           "[[scenario]]\n"
                           "signal = \"c.y\"\n"
                           "action = \"ramp\"\n"
                           "value = 2.5\n"
                           "ramp_time = 0.1\n"
                           "when = \" c.soc[3] <-1e-3 \"\n"
                           "duration = 0.2\n"
                           "[[scenario]]\n"
                           "name = \"host\"\n"
                           "parameter = \"c.area\"\n"
                           "value = 3.0\n"
                           "[[plugin]]\n"
                           "file = \"p.so\"\n";

TEST(round_trip)
{
    AUTO(wr_settings_destroy) wr_settings *s = parse_good(text, NULL);
    AUTO(wr_test_free) char *first = wr_settings_dump(s, WR_DUMP_ALL);
    assert_non_null(first);
    AUTO(wr_settings_destroy) wr_settings *again = parse_good(first, NULL);
    AUTO(wr_test_free) char *second = wr_settings_dump(again, WR_DUMP_ALL);
    assert_string_equal(first, second);
    /* The bits are equal, not only the text. */
    assert_memory_equal(&s->simulation, &again->simulation, sizeof s->simulation);
    assert_string_equal(s->relaxation.history_phase, again->relaxation.history_phase);
    assert_string_equal(s->relaxation.window_control, again->relaxation.window_control);
    again->relaxation.history_phase = s->relaxation.history_phase; /* bytes are compared */
    again->relaxation.window_control = s->relaxation.window_control;
    assert_memory_equal(&s->relaxation, &again->relaxation, sizeof s->relaxation);
    assert_string_equal(again->subsystems[0].history_source, "s");
    assert_close(again->subsystems[0].lag, 0.1, 0.0, 0.0);
    assert_int_equal(again->subsystems[0].level, 4);
    assert_string_equal(again->output.file, "a\"b\\c\a\xc3\xa4.h5");
    assert_close(again->output.start_s, 0.05, 0.0, 0.0);
    assert_int_equal(again->scheduler.n_cores, 2);
    assert_int_equal(again->scheduler.cores[0], 3);
    assert_int_equal(again->components[0].n_parameters, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(again->components[0].parameters[i].name,
                            s->components[0].parameters[i].name);
        assert_close(again->components[0].parameters[i].value, s->components[0].parameters[i].value,
                     0.0, 0.0);
        assert_int_equal(again->components[0].parameters[i].is_flag,
                         s->components[0].parameters[i].is_flag);
    }
    assert_true(again->components[0].parameters[3].is_flag);
    assert_close(again->components[0].parameters[3].value, 1.0, 0.0, 0.0);
    assert_string_equal(again->components[0].parameters[5].text, "a\"b\n");
    assert_close(again->components[0].start[0].value, 1e-310, 0.0, 0.0);
    assert_int_equal(again->n_connections, 2);
    assert_string_equal(again->connections[1].to, "d.r");
    assert_close(again->connections[1].factor, -1e-3, 0.0, 0.0);
    assert_close(again->connections[1].offset, 0.1, 0.0, 0.0);
    assert_true(again->connections[1].is_unconverted);
    assert_string_equal(again->subsystems[0].solver.kind, "rk4");
    assert_null(again->subsystems[0].file);
    assert_string_equal(again->subsystems[1].file, "./d.csv");
    assert_true(again->output.waves);
    assert_int_equal(again->n_scenarios, 3);
    const wr_set_scenario *const tape = &again->scenarios[0], *const ramp = &again->scenarios[1];
    assert_string_equal(tape->file, "./drive.csv");
    assert_string_equal(tape->to[1].name, "d.v");
    assert_int_equal(tape->action, WR_SCENARIO_REPLAY);
    assert_true(tape->is_held);
    assert_close(tape->offset_s, -1.5, 0.0, 0.0);
    assert_close(tape->at_s, 0.30000000000000004, 0.0, 0.0);
    assert_close(tape->until_s, 7.0, 0.0, 0.0);
    assert_string_equal(ramp->name, "scenario2");
    assert_string_equal(ramp->condition.name, "c.soc[3]");
    assert_true(ramp->is_below && isnan(ramp->at_s) && isinf(ramp->until_s));
    assert_close(ramp->threshold, -1e-3, 0.0, 0.0);
    assert_close(ramp->ramp_time_s, 0.1, 0.0, 0.0);
    assert_close(ramp->duration_s, 0.2, 0.0, 0.0);
    assert_int_equal(again->scenarios[2].action, WR_SCENARIO_PARAMETER);
    assert_string_equal(again->scenarios[2].parameter.name, "c.area");
    assert_true(again->scenarios[2].is_api);
    assert_close(again->scenarios[2].value, 3.0, 0.0, 0.0);
    assert_int_equal(again->n_ports, 3);
    assert_int_equal(again->ports[0].n_to, 2);
    assert_string_equal(again->ports[0].to[1].name, "d.v");
    assert_close(again->ports[0].start, 0.30000000000000004, 0.0, 0.0);
    assert_int_equal(again->ports[0].mode, WR_PORT_RAMP);
    assert_true(isnan(again->ports[1].start));
    assert_int_equal(again->ports[1].mode, WR_PORT_HOLD);
    assert_int_equal(again->ports[2].n_to, 0);
    assert_string_equal(again->ports[2].from.name, "c.y");
    assert_string_equal(again->plugins[0].file, "./p.so");
    assert_non_null(strstr(first, "stop = 0.1\n"));
    assert_non_null(strstr(first, "communication_step = 0.30000000000000004\n"));
    assert_non_null(strstr(first, "scheme = \"gauss_seidel\"\n"));
    assert_non_null(strstr(first, "window.control = \"ratio\"\n"));
}

/* The defaults round-trip too, among them -inf. */
TEST(round_trip_of_defaults)
{
    AUTO(wr_settings_destroy) wr_settings *s = parse_good("simulation.stop = 1\n", NULL);
    AUTO(wr_test_free) char *first = wr_settings_dump(s, WR_DUMP_ALL);
    assert_non_null(strstr(first, "start = -inf\n"));
    assert_non_null(strstr(first, "workers = \"auto\"\n"));
    assert_non_null(strstr(first, "tolerance_first = 1.0\n"));
    AUTO(wr_settings_destroy) wr_settings *again = parse_good(first, NULL);
    AUTO(wr_test_free) char *second = wr_settings_dump(again, WR_DUMP_ALL);
    assert_string_equal(first, second);
}

/* A short dump leaves out keys with default values, and parsing the dump restores them. */
TEST(short)
{
    static const char least[] = "[simulation]\nstop = 1.0\n";
    const char *const texts[] = {text, "simulation.stop = 1\nsimulation.rtol = 1e-6\n"};
    for (int i = 0; i < 2; i++) {
        AUTO(wr_settings_destroy) wr_settings *s = parse_good(texts[i], NULL);
        AUTO(wr_test_free) char *all = wr_settings_dump(s, WR_DUMP_ALL);
        AUTO(wr_test_free) char *shorter = wr_settings_dump(s, WR_DUMP_SHORT);
        AUTO(wr_settings_destroy) wr_settings *again = parse_good(shorter, NULL);
        AUTO(wr_test_free) char *all_again = wr_settings_dump(again, WR_DUMP_ALL);
        assert_string_equal(all, all_again);
        assert_null(strstr(shorter, "[slack]"));
        if (i == 1)
            assert_string_equal(shorter, least);
    }
}

static void touch(const char *folder, const char *name, char *ret_path)
{
    snprintf(ret_path, 256, "%s/%s", folder, name);
    FILE *const file = fopen(ret_path, "w");
    assert_non_null(file);
    fclose(file);
}

/* A dump for a folder names files of this folder relatively and other files absolutely; names of missing files stay. */
TEST(next_paths)
{
    char here[] = "/tmp/wrsim_next_XXXXXX", there[] = "/tmp/wrsim_next_XXXXXX";
    char kept[256], code[256], config[1024];
    assert_non_null(mkdtemp(here));
    assert_non_null(mkdtemp(there));
    touch(there, "kept.mtx", kept);
    touch(here, "code.so", code);
    snprintf(config, sizeof config,
             "simulation.stop = 1\n[solver]\nkind = \"linimp\"\npattern = \"%s/../%s/kept.mtx\"\n"
             "code = \"%s\"\n[[plugin]]\nfile = \"/nowhere/p.so\"\n",
             there, strrchr(there, '/') + 1, code);
    wr_settings *s = parse_good(config, NULL);
    char *const next = wr_settings_dump_next(s, there);
    assert_non_null(strstr(next, "pattern = \"kept.mtx\"\n"));
    assert_non_null(strstr(next, code));
    assert_non_null(strstr(next, "\"/nowhere/p.so\""));
    char *const elsewhere = wr_settings_dump_next(s, NULL);
    assert_non_null(strstr(elsewhere, kept));
    assert_null(strstr(elsewhere, ".."));
    free(next);
    free(elsewhere);
    wr_settings_destroy(&s);
    unlink(kept);
    unlink(code);
    rmdir(here);
    rmdir(there);
}

/* Runs that must give the same results store the same text. */
TEST(only_results)
{
    static const char *const overrides[] = {"scheduler.workers=7", "output.file=b.h5",
                                            "output.json=c.json", "scheduler.cores=[]", NULL};
    static const char *const different[] = {"simulation.rtol=1e-5", NULL};
    wr_settings *settings[] = {parse_good(text, NULL), parse_good(text, overrides),
                               parse_good(text, different)};
    char *dumps[3];
    for (int i = 0; i < 3; i++)
        dumps[i] = wr_settings_dump(settings[i], WR_DUMP_RESULTS);
    assert_string_equal(dumps[0], dumps[1]);
    assert_string_not_equal(dumps[0], dumps[2]);
    assert_null(strstr(dumps[0], "scheduler"));
    assert_null(strstr(dumps[0], "h5"));
    assert_non_null(strstr(dumps[0], "signals = [\"x.*\", \"y.z\"]\n"));
    wr_settings *again = parse_good(dumps[0], NULL);
    wr_settings_destroy(&again);
    for (int i = 0; i < 3; i++) {
        free(dumps[i]);
        wr_settings_destroy(&settings[i]);
    }
}
