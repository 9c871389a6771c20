/* `wrsim bench` and `wrsim budget`. See bench_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/bench_command.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/print.h"
#include "cli/print_bench.h"
#include "cli/program_output.h"
#include "offline/budget.h"
#include "runtime/record/own_file.h"

enum { MAX_LOAD = 64 };

/* First word of the command line, for messages; set once. */
static const char *command = "bench";
/* --quiet: progress is not printed. */
static int is_quiet;

int wr_bench_usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(wr_err, "wrsim: %s: ", command);
    vfprintf(wr_err, format, args);
    va_end(args);
    fprintf(wr_err, " (see wrsim %s --help)\n", command);
    return wrsim_status_exit_code(WRSIM_E_ARG);
}

static void tell(void *user, wr_news news, const char *text)
{
    (void)user;
    if (news == WR_NEWS_USAGE)
        wr_bench_usage_error("%s", text);
    else if (news != WR_NEWS_PROGRESS)
        fprintf(wr_err, "wrsim: %s%s\n", news == WR_NEWS_ERROR ? "error: " : "", text);
    else if (!is_quiet)
        fprintf(wr_err, "%s\n", text);
}

/* Option letters as commands[] uses them; D, q and h are also short options. */
static const struct option options[] = {
    {"define", required_argument, NULL, 'D'},  {"runs", required_argument, NULL, 'n'},
    {"warm", required_argument, NULL, 'w'},    {"error", required_argument, NULL, 'e'},
    {"signals", required_argument, NULL, 's'}, {"baseline", required_argument, NULL, 'b'},
    {"cores", required_argument, NULL, 'c'},   {"case", required_argument, NULL, 'a'},
    {"limit", required_argument, NULL, 'l'},   {"total", required_argument, NULL, 't'},
    {"curve", no_argument, NULL, 'u'},         {"svg", required_argument, NULL, 'v'},
    {"json", required_argument, NULL, 'j'},    {"peers", required_argument, NULL, 'p'},
    {"largest", required_argument, NULL, 'g'}, {"load", required_argument, NULL, 'd'},
    {"write", required_argument, NULL, 'o'},   {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};

enum { BENCH, BUDGET, BUSY, GROWTH, COMPARE, TABLE, COMMANDS };

static const struct {
    const char *name, *operands;
    int min_operand, max_operand;
    const char *options; /* letters of the accepted options */
} commands[COMMANDS] = {
    [BENCH] = {"it", "a file, busy FILE, growth, compare A B or table A", 1, 1, "Dqeswnbcaltuvjp"},
    [BUDGET] = {"it", "one file", 1, 1, "Dqeswao"},
    [BUSY] = {"busy", "one file", 1, 1, "Dqwnaltjd"},
    [GROWTH] = {"growth", "no file", 0, 0, "qnatjg"},
    [COMPARE] = {"compare", "two files", 2, 2, ""},
    [TABLE] = {"table", "files", 1, INT_MAX, ""},
};

/* Prints the accepted options, after a command line was refused for an option. */
static void print_options_taken(void)
{
    for (int is = BUSY; is < COMMANDS; is++) {
        int n = 0;
        fprintf(wr_out, "%s takes", commands[is].name);
        for (int i = 0; options[i].name; i++)
            if (strchr(commands[is].options, options[i].val))
                fprintf(wr_out, "%s --%s", n++ > 0 ? "," : "", options[i].name);
        fputs(n > 0 ? ".\n" : " no options.\n", wr_out);
    }
}

static void print_help(wr_bench *bench)
{
    fputs(
        "usage: wrsim bench [OPTIONS] FILE         a config, or a suite such as bench/engine.toml\n"
        "       wrsim bench [OPTIONS] busy FILE    two workers against one on a busy machine\n"
        "       wrsim bench [OPTIONS] growth       time and memory per subsystem, 5 to 10,000\n"
        "       wrsim bench compare A.json B.json  two results of one machine\n"
        "       wrsim bench table A.json ...       a table in Markdown\n"
        "\n"
        "Compares relaxed runs on 1, 2, ... cores with the best monolithic run (and peers). All "
        "are "
        "tuned to the\n"
        "same error against a tight reference, and measured in turns without output.\n"
        "\noptions:\n"
        "  -D, --define KEY=VALUE   set a key of the config; may be repeated\n"
        "  -q, --quiet              print no progress\n"
        "      --error E            error to which both sides are tuned (1e-4)\n"
        "      --signals GLOB       signals for the error max|y - ref| / max|ref|; may be "
        "repeated\n"
        "      --warm S             simulated seconds before the clock starts\n"
        "      --runs N             rounds; rows give the median and the 10 % and 90 % quantiles "
        "(9)\n"
        "      --cores N            relaxed runs on 1 ... N cores (all of this machine)\n"
        "      --baseline NAME      baseline of the comparison; may be repeated:\n",
        wr_out);
    for (int i = 0; wr_bench_baselines[i]; i++)
        fprintf(wr_out, "%s%s%s", i % 5 == 0 ? "                           " : " ",
                wr_bench_baselines[i],
                !wr_bench_baselines[i + 1] ? "\n"
                : i % 5 == 4               ? ",\n"
                                           : ",");
    fprintf(wr_out,
            "      --case NAME          only this case of the suite, or shape of growth:\n"
            "                           %s\n",
            wr_bench_shapes_text(bench));
    fputs(
        "      --limit S            wall time above which a run is stopped (60)\n"
        "      --total S            wall time after which measuring stops and results are printed\n"
        "      --curve              also sweep the tolerance of all solvers\n"
        "      --svg FILE           draw the work-precision curves (sets --curve)\n"
        "      --json FILE          write all results\n"
        "      --peers PROGRAM      the program that runs other solvers (wrsim-peers)\n"
        "      --load N             busy: number of processes that load the machine (2)\n"
        "      --largest N          growth: largest number of subsystems, at least 5 (10000)\n"
        "  -h, --help\n\n",
        wr_out);
    print_options_taken();
}

static void print_budget_help(void)
{
    fputs("usage: wrsim budget [OPTIONS] FILE   a config, or a suite such as bench/engine.toml\n"
          "\n"
          "Finds tolerances of every subsystem's solver and of the relaxation. The error at the "
          "outputs\n"
          "reaches simulation.rtol with the least counted work. The error is "
          "max|y - ref| /\n"
          "max|ref|, worst signal, over the whole run, against a tight reference.\n"
          "\noptions:\n"
          "  -D, --define KEY=VALUE   set a key of the config; may be repeated\n"
          "  -q, --quiet              print no progress\n"
          "      --error E            error at the outputs; also sets simulation.rtol\n"
          "      --signals GLOB       signals for the error (default: recorded ones); may be "
          "repeated\n"
          "      --warm S             simulated seconds before work is counted\n"
          "      --case NAME          only this case of the suite\n"
          "      --write FILE         write the config of one case with the tolerances found, and\n"
          "                           with all -D except simulation.stop\n"
          "  -h, --help\n",
          wr_out);
}

static int set_number(const char *name, const char *text, double low, double high, double *ret)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end || errno || !(value >= low) || !(value <= high))
        return wr_bench_usage_error("%s takes a number from %g to %g, not '%s'", name, low, high,
                                    text);
    *ret = value;
    return 0;
}

static int set_file(const char **file, const char *option, const char *text)
{
    *file = text;
    return *text ? 0 : wr_bench_usage_error("%s takes the name of a file, not ''", option);
}

static int set_count(const char *name, const char *text, double high, int *ret)
{
    double value = 0.0;
    const int code = set_number(name, text, 1.0, high, &value);
    if (code == 0 && value != floor(value))
        return wr_bench_usage_error("%s takes a whole number, not '%s'", name, text);
    if (code == 0)
        *ret = (int)value;
    return code;
}

/* More workers than cores would wait for one another and distort the measurement. */
static int set_cores(wr_bench_options *o)
{
    const int n = wr_bench_count_cores(), code = set_count("--cores", optarg, 1e9, &o->max_core);
    if (code == 0 && o->max_core > n)
        return wr_bench_usage_error("--cores %d: this process may use %d cores; lower --cores "
                                    "(rows of kind bound estimate more)",
                                    o->max_core, n);
    return code;
}

static int set_option(wr_bench *bench, int c)
{
    wr_bench_options *const o = &bench->options;
    switch (c) {
    case 'D':
        wr_texts_add(bench->trial.memory, &o->override, optarg);
        return 0;
    case 'q':
        is_quiet = 1;
        return 0;
    case 's':
        wr_texts_add(bench->trial.memory, &o->signal, optarg);
        return 0;
    case 'b':
        if (!wr_bench_is_baseline(optarg))
            return wr_bench_usage_error("there is no baseline '%s'; known are %s", optarg,
                                        wr_bench_baselines_text(bench));
        wr_texts_add(bench->trial.memory, &o->baseline, optarg);
        return 0;
    case 'n':
        return set_count("--runs", optarg, WR_BENCH_RUNS, &o->n_run);
    case 'c':
        return set_cores(o);
    case 'g':
        return set_count("--largest", optarg, 1000000, &o->n_largest);
    case 'd':
        return set_count("--load", optarg, MAX_LOAD, &o->n_load);
    case 'w':
        return set_number("--warm", optarg, 0.0, 1e12, &o->warm_s);
    case 'e':
        /* For a budget, --error sets simulation.rtol. */
        return set_number("--error", optarg, 1e-12, o->is_budget ? 0.1 : 1.0, &o->error);
    case 'l':
        return set_number("--limit", optarg, 1e-3, 1e6, &o->limit_s);
    case 't':
        return set_number("--total", optarg, 1e-3, 1e9, &o->total_s);
    case 'a':
        if (o->only)
            return wr_bench_usage_error("--case takes one name, not '%s' and '%s'", o->only,
                                        optarg);
        o->only = optarg;
        return 0;
    case 'v':
        o->has_curve = 1;
        return set_file(&o->svg, "--svg", optarg);
    case 'u':
        o->has_curve = 1;
        return 0;
    case 'j':
        return set_file(&o->json, "--json", optarg);
    case 'p':
        return set_file(&o->peers, "--peers", optarg);
    case 'o':
        return set_file(&o->write, "--write", optarg);
    default:
        return wrsim_status_exit_code(WRSIM_E_INTERNAL); /* getopt_long returns no other letter */
    }
}

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

static int dispatch(wr_bench *bench, const char *given, int n, char **operand)
{
    int is = bench->options.is_budget ? BUDGET : BENCH;
    for (int i = BUSY; i < COMMANDS && is == BENCH && n > 0; i++)
        if (strcmp(operand[0], commands[i].name) == 0) {
            is = i;
            n--;
            operand++;
        }
    for (int i = 0; options[i].name; i++)
        if (strchr(given, options[i].val) && !strchr(commands[is].options, options[i].val))
            return wr_bench_usage_error("%s takes no option '--%s'", commands[is].name,
                                        options[i].name);
    if (n < commands[is].min_operand || n > commands[is].max_operand)
        return wr_bench_usage_error("%s takes %s", commands[is].name, commands[is].operands);
    switch (is) {
    case BUDGET:
        return choose_tolerances(bench, operand[0]);
    case COMPARE:
        return wr_compare_benches(operand[0], operand[1]);
    case TABLE:
        return wr_print_bench_table(n, operand);
    case GROWTH:
        return measure(bench, NULL, NULL);
    default:
        return measure(bench, is == BUSY ? wr_bench_busy : wr_bench_measure, operand[0]);
    }
}

int wr_bench_main(int argc, char **argv)
{
    wr_bench bench;
    int c, code = wrsim_status_exit_code(
               wr_bench_create(&bench, &(wr_listener){.tell = tell, .report = wr_print_error}));
    char given[32] = ""; /* letters of the present options, each once */
    command = argv[0];
    bench.options.place_of = wr_program_output_path;
    bench.options.is_budget = strcmp(command, "budget") == 0;
    opterr = 0;
    while (code == 0 && (c = getopt_long(argc, argv, ":D:qh", options, NULL)) != -1) {
        if (c == 'h') {
            if (bench.options.is_budget)
                print_budget_help();
            else
                print_help(&bench);
            wr_bench_destroy(&bench);
            return 0;
        }
        if (c == '?')
            code = wr_bench_usage_error("there is no option '%s', or it takes no value",
                                        argv[optind - 1]);
        else if (c == ':')
            code = wr_bench_usage_error("option '%s' needs a value", argv[optind - 1]);
        else
            code = set_option(&bench, c);
        if (!strchr(given, c))
            given[strlen(given)] = (char)c;
    }
    if (code == 0)
        code = dispatch(&bench, given, argc - optind, argv + optind);
    if (wr_settings_memory_failed(bench.trial.memory))
        fputs("wrsim: error: out of memory\n", wr_err);
    wr_bench_destroy(&bench);
    return code;
}
