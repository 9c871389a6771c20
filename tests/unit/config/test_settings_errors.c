/* Errors of the config, with position and message. */
#include "wr_test.h"

#include "settings_harness.h"

#define STOP "simulation.stop = 1\n"
#define COMPONENT "[[component]]\nname = \"c\"\nmodel = \"m\"\n"
#define SUBSYSTEM "[[subsystem]]\nname = \"s\"\ncomponents = [\"c\"]\n"
#define CONNECTION "[[connection]]\nfrom = \"a.b\"\nto = \"c.d\"\n"

/* Each text gives one error at this place (column 0: any column), and the error contains the message. */
static const struct {
    const char *text;
    int line, column;
    const char *message;
} cases[] = {
    /* missing */
    {"", 0, 0, "'simulation.stop' is missing and has no default; add it (in s)"},
    {"[simulation]\nrtol = 1e-3\n", 1, 1, "'simulation.stop' is missing"},
    /* unknown keys, at every level */
    {STOP "simulatoin.rtol = 1\n", 2, 1, "unknown key 'simulatoin'; did you mean 'simulation'?"},
    {STOP "simulation.Stop = 1\n", 2, 12, "unknown key 'simulation.Stop'; did you mean 'stop'?"},
    {STOP "rtol = 1\n", 2, 1, "unknown key 'rtol'; did you mean 'simulation.rtol'?"},
    {STOP "  zzzzzz = 1\n", 2, 3,
     "unknown key 'zzzzzz'; choose one of: simulation, relaxation, slack, realtime, scheduler, "
     "output, "
     "solver, component, connection, subsystem, plugin, port, scenario"},
    {STOP "window = { initial = 1, max = 1 }\n", 2, 1,
     "unknown key 'window'; did you mean 'relaxation.window'?"},
    {STOP "[window]\ncontrol = 1\n", 2, 2,
     "unknown key 'window.control'; did you mean 'relaxation.window.control'?"},
    {STOP "simulation.workers = 1\n", 2, 12, "did you mean 'scheduler.workers'?"},
    {STOP "[scheduler]\nworker = 1\n", 3, 1,
     "unknown key 'scheduler.worker'; did you mean 'workers'?"},
    {STOP "[scheduler]\nqqqqqqq = 1\n", 3, 1,
     "unknown key 'scheduler.qqqqqqq'; choose one of: workers, cores, event_threads, smt, pin, "
     "spin_us, min_work, "
     "topology"},
    {STOP "[relaxation]\nwindow = { inital = 1 }\n", 3, 12, "did you mean 'initial'?"},
    {STOP "\"simulation.rtol\" = 1\n", 2, 1,
     "unknown key 'simulation.rtol'; did you mean 'simulation'?"},
    {STOP "\"\" = 1\n", 2, 1, "unknown key ''"},
    {STOP "[[componnent]]\nname = \"a\"\n", 2, 3, "did you mean 'component'?"},
    {STOP COMPONENT "modle = 1\n", 5, 1,
     "unknown key 'modle' in [[component]]; did you mean 'model'?"},
    {STOP COMPONENT "zzzzz = 1\n", 5, 1,
     "unknown key 'zzzzz' in [[component]]; choose one of: name, model, fmu, mode, event_mode, "
     "parameters, start, tolerance_factor"},
    {STOP COMPONENT "time_scale = 0\n", 5, 14,
     "'time_scale' of [[component]] must be above 0; write a time in s, or inf"},
    {STOP COMPONENT "tolerance_factor = 0\n", 5, 20,
     "'tolerance_factor' of [[component]] must be from 1e-09 to 1e+09"},
    {STOP COMPONENT "tolerance_factor = inf\n", 5, 20,
     "'tolerance_factor' of [[component]] must be from 1e-09 to 1e+09"},
    {STOP COMPONENT "tolerance_factor = \"1\"\n", 5, 20,
     "'tolerance_factor' of [[component]] must be a number, but is the text \"1\""},
    {STOP SUBSYSTEM "slover = 1\n", 5, 1,
     "unknown key 'slover' in [[subsystem]]; did you mean 'solver'?"},
    {STOP SUBSYSTEM "solver.knd = \"rk4\"\n", 5, 8,
     "unknown key 'solver.knd'; did you mean 'kind'?"},
    {STOP "[[connection]]\nfrom = \"a.b\"\nto = \"c.d\"\nsignal = \"x\"\n", 5, 1,
     "unknown key 'signal' in [[connection]]; did you mean 'signals'?"},
    {STOP "[[plugin]]\nfile = \"p\"\nname = \"x\"\n", 4, 1,
     "unknown key 'name' in [[plugin]]; choose one of: file"},
    /* wrong type */
    {"simulation.stop = \"1.0\"\n", 1, 19,
     "'simulation.stop' must be a number (in s), but is the text \"1.0\"; write numbers like 20, "
     "0.005 or 5e-3, without quotes or a unit"},
    {STOP "simulation.rtol = \"x\"\n", 2, 19,
     "'simulation.rtol' must be a number, but is the text \"x\""},
    {STOP "simulation.rtol = true\n", 2, 19, "must be a number, but is true"},
    {STOP "simulation.rtol = 2024-01-01\n", 2, 19, "must be a number, but is a date"},
    {STOP "simulation.rtol = [1]\n", 2, 19, "must be a number, but is a list"},
    {STOP "simulation.rtol.x = 1\n", 2, 0, "must be a number, but is a table"},
    {STOP "relaxation.max_sweeps = 2.5\n", 2, 25,
     "'relaxation.max_sweeps' must be a whole number, but is 2.5"},
    {STOP "scheduler.pin = 1\n", 2, 17, "'scheduler.pin' must be true or false, but is 1"},
    {STOP "simulation.monolithic = 1\n", 2, 25, "must be true, false or \"auto\", but is 1"},
    {STOP "simulation.monolithic = \"no\"\n", 2, 25, "\"auto\", but is the text \"no\""},
    {STOP "relaxation.scheme = 1\n", 2, 21, "'relaxation.scheme' must be a string, but is 1"},
    {STOP "output.file = 1\n", 2, 15, "must be a string, but is 1"},
    {STOP "output.signals = 1\n", 2, 18, "must be a list of strings, but is 1"},
    {STOP "output.signals = [\"a\", 1]\n", 2, 24,
     "'output.signals' must be a list of strings, but an entry is a whole number"},
    {STOP "output.signals = [\"a\", \"\"]\n", 2, 24, "but an entry is empty"},
    {STOP "scheduler.cores = 1\n", 2, 19, "must be a list of whole numbers, but is 1"},
    {STOP "scheduler.cores = [\"1\"]\n", 2, 20,
     "must be a whole number, but is the text \"1\"; write numbers like"},
    {STOP "scheduler.workers = 1.5\n", 2, 21, "must be \"auto\" or a whole number, but is 1.5"},
    {STOP "scheduler.workers = \"many\"\n", 2, 21,
     "'scheduler.workers' is 'many', but must be \"auto\" or a whole number"},
    {STOP "simulation.chatter_time = true\n", 2, 27,
     "must be \"auto\" or a number (in s), but is true"},
    {STOP "simulation.chatter_time = \"off\"\n", 2, 27, "is 'off', but must be \"auto\""},
    {STOP "relaxation.tolerance_first = 0.5\n", 2, 30,
     "'relaxation.tolerance_first' is 0.5, but must lie between 1 and 1000000"},
    {STOP "relaxation.tolerance_first = \"auto\"\n", 2, 30,
     "can no longer be 'auto': remove it, or write a number"},
    {STOP "relaxation.window = 1e-3\n", 2, 21, "'relaxation.window' must be a table"},
    {STOP "output = \"a.h5\"\n", 2, 10, "'output' must be a table, but is a string"},
    /* A misspelt key explains a missing key, so the reader reports one error. */
    {"[simulation]\nstp = 1\n", 2, 1, "unknown key 'simulation.stp'; did you mean 'stop'?"},
    {"[simulatoin]\nstop = 1\n", 1, 2, "unknown key 'simulatoin'"},
    {"stop = 1\n[simulation]\nrtol = 1e-3\n", 1, 1, "did you mean 'simulation.stop'?"},
    {STOP "[[component]]\nnme = \"a\"\nmodel = \"m\"\n", 3, 1, "unknown key 'nme'"},
    {STOP "[[subsystem]]\nname = \"a\"\ncomponent = [\"c\"]\n", 4, 1, "unknown key 'component'"},
    {STOP "[[connection]]\nform = \"a.b\"\nto = \"c.d\"\n", 3, 1, "unknown key 'form'"},
    {STOP "[[connection]]\nfrom = \"a\"\nto = \"c\"\nsignal = [\"x\"]\n", 5, 1,
     "did you mean 'signals'?"},
    /* out of range */
    {"simulation.stop = nan\n", 1, 19, "'simulation.stop' must be a finite number"},
    {"simulation.stop = inf\n", 1, 19, "'simulation.stop' must be a finite number"},
    {STOP "output.start = nan\n", 2, 16, "'output.start' must be a finite number"},
    {STOP "output.start = inf\n", 2, 16, "'output.start' is inf, but must be at most 1e+30 s"},
    {STOP "simulation.rtol = 0.5\n", 2, 19,
     "'simulation.rtol' is 0.5, but must lie between 1e-14 and 0.1"},
    {STOP "simulation.communication_step = 0\n", 2, 33,
     "'simulation.communication_step' is 0, but must lie between 1e-24 and 1e+30 s"},
    {STOP "simulation.communication_step = -1\n", 2, 33, "is -1, but must lie between"},
    {STOP "relaxation.max_sweeps = 0\n", 2, 25, "is 0, but must lie between 1 and 1000"},
    {STOP "relaxation.max_sweeps = 9223372036854775807\n", 2, 25, "must lie between 1 and 1000"},
    {STOP "scheduler.workers = 0\n", 2, 21, "is 0, but must lie between 1 and 4096"},
    {STOP "scheduler.cores = [0, -1]\n", 2, 23, "is -1, but must lie between 0 and 65535"},
    {STOP "scheduler.cores = [3, 3]\n", 2, 23, "'scheduler.cores' lists 3 twice"},
    {STOP "relaxation.scheme = \"jacoby\"\n", 2, 21,
     "'relaxation.scheme' cannot be 'jacoby'; did you mean 'jacobi'?"},
    {STOP "relaxation.scheme = \"sor\"\n", 2, 21,
     "is 'sor', but must be auto, jacobi, gauss_seidel or slack"},
    {STOP "relaxation.prediction = \"zzzzzz\"\n", 2, 25,
     "must be auto, hold, linear, quadratic or cubic"},
    {STOP "relaxation.history.period = -1\n", 2, 29,
     "'relaxation.history.period' is -1, but must lie between 0 and 1e+30"},
    /* two keys */
    {"[simulation]\nstart = 2\nstop = 1\n", 3, 8,
     "'simulation.stop' (1 s) must be greater than 'simulation.start' (2 s); set a later stop"},
    {"[simulation]\nstop = 0.0\n", 2, 8, "must be greater than"},
    {"simulation = { stop = 1e12, communication_step = 1e-12 }\n", 1, 50,
     "'simulation.communication_step' (1e-12 s) is too short for a run of 1e+12 s"},
    {STOP "output.start = 1.5\n", 2, 16,
     "'output.start' (1.5 s) is after 'simulation.stop' (1 s), so the result would be empty; lower "
     "output.start"},
    {STOP "relaxation.window = { min = 2, max = 1 }\n", 2, 29,
     "'relaxation.window.min' (2 s) must not exceed 'relaxation.window.max' (1 s)"},
    {STOP "relaxation.window = { initial = 3, max = 1 }\n", 2, 33,
     "'relaxation.window.initial' (3 s) must lie between 'relaxation.window.min' (5e-09 s) and "
     "'relaxation.window.max' (1 s)"},
    {STOP "relaxation.window = { initial = 0.1, min = 0.5 }\n", 2, 33, "must lie between"},
    {STOP "solver = { step = 1e-3, min_step = 1e-2 }\n", 2, 10,
     "'solver.min_step' (0.01 s) must not exceed 'solver.step' (0.001 s)"},
    {STOP "solver.kind = \"\"\n", 2, 1, "'solver.kind' must not be empty"},
    /* lists of tables in another form */
    {STOP "[component]\nname = \"a\"\n", 2, 1,
     "'component' is a table; write [[component]] with double brackets"},
    {STOP "subsystem = 1\n", 2, 13, "'subsystem' is a whole number; write [[subsystem]]"},
    {STOP "component = [1]\n", 2, 14,
     "'component' contains a whole number; write [[component]] and its keys"},
    /* components */
    {STOP "[[component]]\nmodel = \"m\"\n", 2, 1,
     "[[component]] needs the key 'name'; add name = \"...\""},
    {STOP "[[component]]\nname = \"c\"\n", 2, 1,
     "[[component]] needs the key 'model' or 'fmu'; add model = \"...\", or fmu = \"X.fmu\""},
    {STOP "[[component]]\nname = 1\nmodel = \"m\"\n", 3, 8,
     "'name' of [[component]] must be a string"},
    {STOP "[[component]]\nname = \"\"\nmodel = \"m\"\n", 3, 8,
     "'name' of [[component]] must not be empty"},
    {STOP "[[component]]\nname = \"a.b\"\nmodel = \"m\"\n", 3, 8,
     "'a.b' is not a valid name; use a letter or _, then letters, digits and _, at most 63 "
     "characters"},
    {STOP COMPONENT "parameters = [1.0]\n", 5, 14,
     "'parameters' must be a table like { name = 1.0 }, but is a list"},
    {STOP COMPONENT "start = { x = \"1\" }\n", 5, 15,
     "'x' in 'start' must be a number, but is the text \"1\"; write numbers"},
    {STOP COMPONENT "start = { x = true }\n", 5, 15,
     "'x' in 'start' must be a number, but is true"},
    {STOP COMPONENT "parameters = { x = [1] }\n", 5, 20,
     "'x' in 'parameters' must be a number, true, false or a text, but is a list"},
    {STOP COMPONENT "parameters = { x = nan }\n", 5, 20, "'x' in 'parameters' must be a finite"},
    {STOP COMPONENT "start = { x = -inf }\n", 5, 15, "'x' in 'start' must be a finite number"},
    /* subsystems */
    {STOP "[[subsystem]]\ncomponents = [\"c\"]\n", 2, 1, "[[subsystem]] needs the key 'name'"},
    {STOP "[[subsystem]]\nname = \"s\"\n", 2, 1,
     "[[subsystem]] needs the key 'components'; add components = [\"...\"]"},
    {STOP "[[subsystem]]\nname = \"s\"\ncomponents = []\n", 4, 14,
     "'components' of [[subsystem]] must be a list of component names, but is empty"},
    {STOP "[[subsystem]]\nname = \"s\"\ncomponents = \"c\"\n", 4, 14, "names, but is a string"},
    {STOP "[[subsystem]]\nname = \"s\"\ncomponents = [1]\n", 4, 15, "contains a whole number"},
    {STOP "[[subsystem]]\nname = \"s\"\ncomponents = [\"\"]\n", 4, 15, "contains an empty name"},
    {STOP SUBSYSTEM "solver = \"rk4\"\n", 5, 10, "'solver' must be a table like"},
    {STOP SUBSYSTEM "solver = { rtol = 1 }\n", 5, 19,
     "'solver.rtol' is 1, but must lie between 0 and 0.1"},
    {STOP SUBSYSTEM "history_source = \"v\"\n", 5, 18,
     "'history_source' and 'lag' of [[subsystem]] belong together; add 'lag'"},
    {STOP SUBSYSTEM "lag = 0.5\n", 5, 7,
     "'history_source' and 'lag' of [[subsystem]] belong together; add 'history_source'"},
    {STOP SUBSYSTEM "history_source = \"v\"\nlag = -0.5\n", 6, 7,
     "'lag' of [[subsystem]] must be finite and above 0"},
    {STOP SUBSYSTEM "history_source = \"v\"\nlag = \"half\"\n", 6, 7,
     "'lag' of [[subsystem]] must be a number, but is the text \"half\""},
    {STOP SUBSYSTEM "level = \"first\"\n", 5, 9,
     "'level' of [[subsystem]] must be a whole number from 0 to 9999, but is the text \"first\""},
    {STOP SUBSYSTEM "level = 10000\n", 5, 9,
     "'level' of [[subsystem]] must be a whole number from 0 to 9999, but is 10000"},
    {STOP SUBSYSTEM "kind = 3\n", 5, 8, "'kind' of [[subsystem]] must be a string, but is a whole"},
    /* connections */
    {STOP "[[connection]]\nto = \"a.b\"\n", 2, 1,
     "[[connection]] needs the key 'from'; add from = \"...\""},
    {STOP "[[connection]]\nfrom = \"a.b\"\n", 2, 1, "[[connection]] needs the key 'to'"},
    {STOP CONNECTION "period = -0.004\n", 5, 10,
     "'period' of [[connection]] must be finite and above 0 s"},
    {STOP CONNECTION "period = \"fast\"\n", 5, 10,
     "'period' of [[connection]] must be a number, but is the text \"fast\""},
    {STOP CONNECTION "factor = 0\n", 5, 10,
     "'factor' of [[connection]] must be finite and at least 2.3e-308 in size"},
    {STOP CONNECTION "factor = -1e-310\n", 5, 10,
     "'factor' of [[connection]] must be finite and at least 2.3e-308 in size"},
    {STOP CONNECTION "offset = nan\n", 5, 10, "'offset' of [[connection]] must be finite"},
    {STOP CONNECTION "convert = 1\n", 5, 11,
     "'convert' of [[connection]] must be true or false, but is 1"},
    {STOP "[[connection]]\nfrom = [\"a.b\"]\nto = \"c.d\"\n", 3, 8,
     "'from' of [[connection]] must be"},
    {STOP "[[connection]]\nfrom = \"a\"\nto = \"c.d\"\n", 3, 8,
     "'from' is 'a', but must be component.variable, like airpath.p"},
    {STOP "[[connection]]\nfrom = \"a.\"\nto = \"c.d\"\n", 3, 8, "must be component.variable"},
    {STOP "[[connection]]\nfrom = \"a.b\"\nto = [\"c.d\", \".e\"]\n", 4, 14,
     "'to' is '.e', but must be component.variable"},
    {STOP "[[connection]]\nfrom = \"a.b\"\nto = []\n", 4, 6,
     "'to' of [[connection]] is an empty list; add at least one name"},
    {STOP "[[connection]]\nfrom = \"a.b\"\nto = [\"c.d\", 1]\n", 4, 14,
     "but contains a whole number"},
    {STOP "[[connection]]\nfrom = \"a.b\"\nto = \"c\"\nsignals = [\"x\"]\n", 3, 8,
     "'from' is 'a.b', but with the key 'signals' it must be the name of a component"},
    {STOP "[[connection]]\nfrom = \"a\"\nto = \"c\"\nsignals = 1\n", 5, 11,
     "'signals' of [[connection]]"},
    {STOP "[[connection]]\nfrom = \"a\"\nto = \"c\"\nsignals = []\n", 5, 11, "is an empty list"},
    {STOP "[[connection]]\nfrom = \"a\"\nto = \"c\"\nsignals = [\"x ->\"]\n", 5, 12,
     "signal 'x ->' must be a name or \"output -> input\""},
    {STOP "[[connection]]\nfrom = \"a\"\nto = \"c\"\nsignals = [\"x -> y -> z\"]\n", 5, 12,
     "must be a name or"},
    /* plug-ins */
    {STOP "[[plugin]]\n", 2, 1, "[[plugin]] needs the key 'file'; add file = \"...\""},
    {STOP "[[plugin]]\nfile = \"\"\n", 3, 8, "'file' of [[plugin]] must not be empty"},
    /* TOML itself */
    {STOP "x = \n", 2, 0, "not valid TOML"},
    {STOP "x = .005 # s\n", 2, 5, "'.005' is not a number; write numbers like 20, 0.005"},
    {STOP "x = [1.0, 20ms]\n", 2, 13, "'20ms' is not a number"},
    {STOP "[t]\nx = 1.0 s\n", 3, 9, "'1.0 s' is not a number"},
    {STOP "x = 1.0 2.0\n", 2, 9, "'1.0 2.0' is not a number; write numbers like 20, 0.005 or 5e-3"},
    {STOP "x = 01.0\n", 2, 6, "'01.0' is not a number; write numbers like 20, 0.005 or 5e-3"},
    {STOP "x = 1d0\n", 2, 6, "'1d0' is not a number"},
    {STOP "x = 1e999\n", 2, 10, "'1e999' is not a number"},
    {STOP "x = 1_0_.0\n", 2, 9, "'1_0_.0' is not a number"},
    {STOP "x = 1,5\n", 2, 6, "'1,5' is not a number; write numbers like 20, 0.005 or 5e-3"},
    {STOP "x = 1 \"s\"\n", 2, 7, "expected a comment"},
    {STOP "simulation.stop = 2\n", 2, 0, "not valid TOML"},
    /* quoted file contents send no codes to the terminal */
    {STOP "\"a\\u001b[31m\\u009b\" = 1\n", 2, 1, "unknown key 'a?[31m?\?'"},
};

/* Returns 1 if text i gives exactly its expected error. Else prints the errors. */
static int is_as_expected(size_t i)
{
    wr_diag diag = {0};
    wr_settings *s = parse_with(cases[i].text, NULL, &diag);
    const wrsim_error none = {0}, *const e = diag.n_items > 0 ? &diag.items[0] : &none;
    const int is_place =
        e->line == cases[i].line && (cases[i].column == 0 || e->column == cases[i].column);
    const int is_good = !s && diag.n_items == 1 && is_place && strstr(e->text, cases[i].message) &&
                        strcmp(e->file, "t.toml") == 0 && e->status == WRSIM_E_CONFIG;
    if (!is_good) {
        print_error("%s\ngives\n", cases[i].text);
        for (int j = 0; j < diag.n_items; j++)
            print_error("  %d:%d: %s\n", diag.items[j].line, diag.items[j].column,
                        diag.items[j].text);
        print_error("expected\n  %d:%d: %s\n\n", cases[i].line, cases[i].column, cases[i].message);
    }
    wr_settings_destroy(&s);
    wr_diag_done(&diag);
    return is_good;
}

TEST(each)
{
    int n_wrong = 0;
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++)
        n_wrong += !is_as_expected(i);
    assert_int_equal(n_wrong, 0);
}

/* A short text declares a thousand signals for each of 1001 components. */
TEST(too_many_connections)
{
    AUTO(wr_test_free) char *text = calloc(64 * 1024, 1);
    char *end = stpcpy(text, STOP "[[connection]]\nfrom = \"a\"\nto = [");
    for (int i = 0; i < 1001; i++)
        end = stpcpy(end, "\"c\",");
    end = stpcpy(end, "]\nsignals = [");
    for (int i = 0; i < 1000; i++)
        end = stpcpy(end, "\"x\",");
    strcpy(end, "]\n");
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(parse_with(text, NULL, &diag));
    assert_int_equal(diag.n_items, 1);
    assert_non_null(strstr(diag.items[0].text, "more than the allowed 1000000 connections"));
}

/* Errors truncate long names. */
TEST(long_names)
{
    AUTO(wr_test_free) char *text = calloc(200 * 1024, 1);
    char *end = stpcpy(text, STOP "[simulation.");
    memset(end, 'x', 100000);
    strcpy(end + 100000, "]\n");
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(parse_with(text, NULL, &diag));
    assert_int_equal(diag.n_items, 1);
    assert_non_null(strstr(diag.items[0].text, "unknown key 'simulation.xxxx"));
}
