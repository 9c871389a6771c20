/* `wrsim bench` and `wrsim budget`.
 *
 * Thread: main. Real-time: no.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_busy.h"
#include "bench/bench_growth.h"
#include "bench/bench_report.h"
#include "bench/bench_run.h"
#include "bench/bench_suite.h"
#include "bench/bench_tune.h"
#include "cli/bench_compare.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/print_bench.h"
#include "cli/program_output.h"
#include "offline/budget.h"
#include "runtime/record/own_file.h"

enum { MAX_LOAD = 64 };

typedef struct bench_args {
    wr_arguments line;
    wr_bench_options set;
    wr_option_texts only, signal, baseline;
    int is_quiet;
} bench_args;

/* The parsed command line; listeners get no pointer to it. Static: too large for the stack. */
static bench_args given = {.set = WR_BENCH_DEFAULTS};

static void tell(void *user, wr_news news, const char *text)
{
    (void)user;
    if (news == WR_NEWS_USAGE)
        wr_command_line_refuse(&given, "%s", text);
    else if (news != WR_NEWS_PROGRESS)
        fprintf(wr_err, "wrsim: %s%s\n", news == WR_NEWS_ERROR ? "error: " : "", text);
    else if (!given.is_quiet)
        fprintf(wr_err, "%s\n", text);
}

#define ROW(...) WR_OPTION(bench_args, __VA_ARGS__)
#define DEFINE WR_OPTION_DEFINE(WR_SET_KEY)
#define QUIET ROW("quiet", NULL, "print no progress", FLAG, is_quiet, .letter = 'q')
#define SIGNALS                                                                                    \
    ROW("signals", "GLOB",                                                                         \
        "signals for the error max|y - ref| / max|ref| (default: all recorded); may be repeated",  \
        REPEAT, signal)
#define WARM(text) ROW("warm", "S", text, NUMBER, set.warm_s, .low = 0.0, .high = 1e12)
#define RUNS                                                                                       \
    ROW("runs", "N", "rounds; rows give the median and the 10 % and 90 % quantiles (default 9)",   \
        COUNT, set.n_run, .low = 1, .high = WR_BENCH_RUNS)
#define CASE ROW("case", "NAME", "measure only this case of the suite", REPEAT, only)
#define LIMIT                                                                                      \
    ROW("limit", "S", "wall time after which a run is stopped, s (default 60)", NUMBER,            \
        set.limit_s, .low = 1e-3, .high = 1e6)
#define TOTAL                                                                                      \
    ROW("total", "S", "wall time after which measuring stops and results are printed, s", NUMBER,  \
        set.total_s, .low = 1e-3, .high = 1e9)
#define JSON ROW("json", "FILE", "write all results", FILE, set.json)

static const char *const *baselines(void) { return wr_bench_baselines; }

static const wr_option bench_options[] = {
    ROW("error", "E", "error to which all sides are tuned (default 1e-4)", NUMBER, set.error,
        .low = 1e-12, .high = 1.0),
    SIGNALS,
    WARM("simulated time before the clock starts, s"),
    RUNS,
    ROW("cores", "N", "relaxed runs on 1 to N cores (default: all cores of this machine)", COUNT,
        set.max_core, .low = 1, .high = 1e9),
    ROW("baseline", "NAME", "baseline of the comparison; may be repeated", REPEAT, baseline,
        .words = baselines),
    CASE,
    LIMIT,
    TOTAL,
    ROW("curve", NULL, "also sweep the tolerance of all solvers", FLAG, set.has_curve),
    ROW("svg", "FILE", "draw the work-precision curves; sets --curve", FILE, set.svg),
    JSON,
    ROW("peers", "PROGRAM", "the program that runs other solvers (wrsim-peers)", FILE, set.peers),
    QUIET,
    DEFINE,
    {.name = NULL}};

static const wr_option busy_options[] = {WARM("simulated time before the clock starts, s"),
                                         RUNS,
                                         ROW("load", "N",
                                             "processes that load the machine (default 2)", COUNT,
                                             set.n_load, .low = 1, .high = MAX_LOAD),
                                         CASE,
                                         LIMIT,
                                         TOTAL,
                                         JSON,
                                         QUIET,
                                         DEFINE,
                                         {.name = NULL}};

static const wr_option growth_options[] = {
    RUNS,
    ROW("largest", "N", "largest number of subsystems, at least 5 (default 10000)", COUNT,
        set.n_largest, .low = 1, .high = 1000000),
    ROW("case", "NAME", "measure only models of this shape", REPEAT, only,
        .words = wr_bench_shapes),
    TOTAL,
    JSON,
    QUIET,
    {.name = NULL}};

static const wr_option budget_options[] = {
    /* --error sets simulation.rtol, whose limit is 0.1. */
    ROW("error", "E", "error at the outputs; also sets simulation.rtol", NUMBER, set.error,
        .low = 1e-12, .high = 0.1),
    SIGNALS,
    WARM("simulated time before work is counted, s"),
    CASE,
    ROW("write", "FILE",
        "write the config of one case with the tolerances found, and with all -D except "
        "simulation.stop",
        FILE, set.write),
    QUIET,
    DEFINE,
    {.name = NULL}};

static int report(const wr_bench *bench, int code)
{
    const wr_bench_options *const o = &bench->options;
    wr_print_bench_curves(bench, wr_out);
    wr_print_bench_rows(bench, wr_out);
    (void)fflush(wr_out); /* main() reports failed writes */
    if (o->json) {
        const int written = wrsim_status_exit_code(wr_bench_write_json(bench, o->json));
        code = code != 0 ? code : written;
    }
    if (o->svg) {
        const int written = wrsim_status_exit_code(wr_bench_write_svg(bench, o->svg));
        code = code != 0 ? code : written;
    }
    return code;
}

/* Measures every case of a file; file NULL: the cases of growth. */
static int measure(wr_bench *bench, wr_bench_case_fn fn, const char *file)
{
    const wrsim_status status = wr_bench_file(bench, file, fn);
    const int has_figures = bench->n_row > 0 || bench->n_curve > 0;
    int code = wrsim_status_exit_code(status);
    if (wr_bench_is_over(bench)) {
        fprintf(wr_err, "wrsim: bench: %s; %s\n",
                wr_bench_is_interrupted() ? "interrupted" : "the time is up",
                has_figures ? "completed measurements are kept" : "no measurement was completed");
        if (code == 0 && bench->n_row == 0)
            code = wrsim_status_exit_code(WRSIM_E_SOLVER);
    }
    return has_figures || code == 0 ? report(bench, code) : code;
}

static wrsim_status write_config(wr_bench *bench, const wrsim_budget *budget, const char *file)
{
    wrsim_error err = {0};
    char *const text = wr_budget_config(&bench->trial, budget, &err);
    if (!text) {
        wr_print_error(NULL, &err);
        return err.status;
    }
    const char *const marked = wr_text(bench->trial.memory, WR_OWN_CONFIG_MARK "\n%s", text);
    (void)fflush(wr_out); /* main() reports failed writes */
    const wrsim_status status = wr_bench_write(bench, file, marked[0] ? marked : NULL);
    free(text);
    return status;
}

static wrsim_status find_budget(wr_bench *bench, const wr_bench_case *c)
{
    wrsim_budget budget;
    const wrsim_status status = wr_budget_find(&bench->trial, &budget);
    if (budget.n_tolerance > 0)
        wr_print_budget(wr_out, c->run.name, &budget);
    if (status != WRSIM_OK || !bench->options.write)
        return status;
    return write_config(bench, &budget, bench->options.write);
}

/* The search has no time limit: its result depends on counted work only. */
static int choose_tolerances(wr_bench *bench, const char *file)
{
    enum { ANY_TIME_S = 1000000 };
    bench->options.limit_s = ANY_TIME_S;
    const wrsim_status status = wr_bench_file(bench, file, find_budget);
    if (wr_bench_is_interrupted())
        fprintf(wr_err, "wrsim: budget: interrupted%s\n",
                bench->options.write ? "; no config is written" : "");
    return wrsim_status_exit_code(status);
}

static void add_texts(wr_bench *bench, wr_texts *to, const char *const *text, int n)
{
    for (int i = 0; i < n; i++)
        wr_texts_add(bench->trial.memory, to, text[i]);
}

static const wr_command busy, growth;

static int run(void *into)
{
    wr_bench bench;
    (void)into; /* given */
    const wr_command *const command = given.line.command;
    const char *const file = given.line.n_operand ? given.line.operand[0] : NULL;
    const int n_core = wr_bench_count_cores();
    if (given.only.n > 1)
        return wr_command_line_refuse(&given, "--case takes one name, not '%s' and '%s'",
                                      given.only.text[0], given.only.text[1]);
    /* More workers than cores would wait for one another and distort the measurement. */
    if (given.set.max_core > n_core)
        return wr_command_line_refuse(&given,
                                      "--cores %d: this process may use %d cores; lower --cores "
                                      "(rows of kind bound estimate more)",
                                      given.set.max_core, n_core);
    if (wr_bench_create(&bench, &given.set,
                        &(wr_listener){.tell = tell, .report = wr_print_error}) < 0)
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    wr_bench_options *const o = &bench.options;
    o->place_of = wr_program_output_path;
    o->is_budget = command == &wr_budget_command;
    o->has_curve |= o->svg != NULL;
    o->only = given.only.text[0];
    add_texts(&bench, &o->override, given.line.override, given.line.n_override);
    add_texts(&bench, &o->signal, given.signal.text, given.signal.n);
    add_texts(&bench, &o->baseline, given.baseline.text, given.baseline.n);
    const int code = o->is_budget ? choose_tolerances(&bench, file)
                                  : measure(&bench,
                                            command == &busy     ? wr_bench_busy
                                            : command == &growth ? NULL
                                                                 : wr_bench_measure,
                                            file);
    if (wr_settings_memory_failed(bench.trial.memory))
        fputs("wrsim: error: out of memory\n", wr_err);
    wr_bench_destroy(&bench);
    return code;
}

static const wr_command busy = {.name = "bench busy",
                                .operands = "FILE",
                                .min_operand = 1,
                                .max_operand = 1,
                                .help = "compare two workers with one on a busy machine",
                                .option = busy_options,
                                .into = &given,
                                .run = run};

static const wr_command growth = {.name = "bench growth",
                                  .operands = "",
                                  .help = "measure time and memory per subsystem, from 5 to 10,000",
                                  .option = growth_options,
                                  .into = &given,
                                  .run = run};

static const wr_command *const forms[] = {&busy, &growth, &wr_bench_compare_form,
                                          &wr_bench_table_form, NULL};

/* The first operand chooses the form; the form's name ends with it. */
static const wr_command *choose(int *argc, char **argv)
{
    const wr_command *const all[] = {&wr_bench_command, &busy, &growth, NULL};
    const int i = wr_command_line_operand(all, *argc, argv);
    for (int k = 0; i < *argc && forms[k]; k++)
        if (strcmp(strchr(forms[k]->name, ' ') + 1, argv[i]) == 0) {
            memmove(argv + i, argv + i + 1, (size_t)(--*argc - i) * sizeof *argv);
            return forms[k];
        }
    return NULL;
}

const wr_command wr_bench_command = {
    .name = "bench",
    .operands = "FILE",
    .min_operand = 1,
    .max_operand = 1,
    .help = "measure speed at equal error",
    .more = "FILE is a config, or a suite such as bench/engine.toml. Relaxed runs on 1, 2, ... "
            "cores are compared with the best\nmonolithic run and with peers. All are tuned to the "
            "same error against a tight reference, and measured in turns\nwithout output.\n",
    .option = bench_options,
    .form = forms,
    .choose = choose,
    .into = &given,
    .run = run};

const wr_command wr_budget_command = {
    .name = "budget",
    .operands = "FILE",
    .min_operand = 1,
    .max_operand = 1,
    .help = "choose solver tolerances for a given error at the outputs",
    .more = "FILE is a config, or a suite such as bench/engine.toml. The command finds tolerances "
            "of every subsystem's solver and of\nthe relaxation. The error of the worst output, "
            "max|y - ref| / max|ref| over the run against a tight reference,\nreaches "
            "simulation.rtol with the least counted work.\n",
    .option = budget_options,
    .into = &given,
    .run = run};
