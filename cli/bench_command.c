/* `wrsim bench` and `wrsim budget`. Thread: main. Real-time: no. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench.h"
#include "bench/bench_report.h"
#include "bench/bench_run.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "offline/budget.h"
#include "runtime/record/own_file.h"

/* Prints "-" if the error is NaN. */
static void print_error(FILE *out, double error)
{
    if (isnan(error))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %9.2g", error);
}

static void print_bench_rows(const wr_bench *bench, FILE *out)
{
    int n = 0;
    for (int i = 0; i < bench->n_row; i++) {
        const wr_bench_row *const r = &bench->row[i];
        if (r->n_subsystem > 0)
            continue;
        if (n++ == 0)
            fprintf(out, "\n%-16s %-16s %5s %-8s %8s %17s %9s %9s %11s %11s %9s %7s\n", "case",
                    "baseline", "cores", "kind", "ratio", "10 % .. 90 %", "error", "of base", "ms",
                    "ms of base", "f", "sweeps");
        fprintf(out, "%-16s %-16s %5d %-8s %8.3f %8.3f %8.3f", r->name, r->baseline, r->cores,
                r->kind, r->ratio, r->ratio_low, r->ratio_high);
        print_error(out, r->error);
        print_error(out, r->error_baseline);
        fprintf(out, " %11.4f %11.4f %9.0f %7.3f%s%s\n", r->wall_s * 1e3, r->wall_baseline_s * 1e3,
                r->work.n_rhs, r->work.n_window > 0.0 ? r->work.n_sweep / r->work.n_window : 0.0,
                r->note ? "  " : "", r->note ? r->note : "");
    }
    if (n > 0)
        fprintf(out,
                "ratio: time of the baseline / time of the run, larger is better; for the "
                "baselines schedule and oracle the inverse; median and spread over the rounds\n");
    /* The rows of growth have other columns: the unit of cost is one subsystem, state, connection or window. */
    int n_growth = 0;
    for (int i = 0; i < bench->n_row; i++) {
        const wr_bench_row *const r = &bench->row[i];
        if (r->n_subsystem == 0)
            continue;
        if (n_growth++ == 0)
            fprintf(out, "\n%-24s %10s %10s %13s %10s %18s  %s\n", "case", "subsystems", "ns/unit",
                    "KiB/subsystem", "start [s]", "ratio 10 % .. 90 %", "baseline");
        fprintf(out, "%-24s %10d %10.1f %13.1f %10.4f %5.2f  %4.2f .. %4.2f  %s\n", r->name,
                r->n_subsystem, r->unit_ns, r->unit_bytes / 1024.0, r->start_s, r->ratio,
                r->ratio_low, r->ratio_high, r->baseline);
        if (r->note)
            fprintf(out, "    %s\n", r->note);
    }
    if (n_growth > 0)
        fprintf(out, "ns/unit: CPU time per window and unit of the column baseline; for the unit "
                     "windows, CPU time per window\nratio: ns/unit over ns/unit of the smallest "
                     "model; smaller is better; median and spread over the rounds\nstart: wall "
                     "time from reading the config until the first window can begin\n");
}

/* Prints the points and their cost by purpose for each setting that rows of kind "points" have. */
static void print_bench_points(const wr_bench *bench, FILE *out)
{
    static const char *const names[] = {WRSIM_PURPOSES(WRSIM_PURPOSE_KEY)};
    const char *shown = "";
    for (int i = 0; i < bench->n_row; i++) {
        const wr_bench_row *const r = &bench->row[i];
        if (strcmp(r->kind, "points") != 0 || strcmp(r->setting, shown) == 0)
            continue;
        shown = r->setting;
        fprintf(out,
                "\n%s, from %d core%s on: %s; monolithic: %s\n%-16s %12s %12s %12s %12s %12s\n",
                r->name, r->cores, wr_plural(r->cores), r->setting, r->setting_baseline, "purpose",
                "points", "repeated", "ms", "repeated ms", "monolithic");
        for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++) {
            const wrsim_points *const a = &r->work.points[k], *const b =
                                                                  &r->work_baseline.points[k];
            if (a->n + b->n > 0)
                fprintf(out, "%-16s %12" PRId64 " %12" PRId64 " %12.4g %12.4g %12.4g\n", names[k],
                        a->n, a->n_repeated, 1e3 * a->cost_s, 1e3 * a->repeated_s, 1e3 * b->cost_s);
        }
    }
}

static void print_cost(FILE *out, double cost, char mark)
{
    if (isnan(cost))
        fprintf(out, " %10s", "-");
    else
        fprintf(out, " %9.4g%c", cost, mark);
}

static void print_bench_curves(const wr_bench *bench, FILE *out)
{
    for (int first = 0, last; first < bench->n_curve; first = last) {
        last = wr_bench_end_of_case(bench, first);
        enum { MOST = 16 };
        wr_bench_winner w[MOST];
        fprintf(out, "\n%s: CPU time on one core, ms, at each of these errors (* = least)\n%-24s",
                bench->curve_case[first], "");
        for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++) {
            fprintf(out, " %9.0e ", wr_bench_errors[k]);
            w[k] = wr_bench_winner_at(bench, first, last, wr_bench_errors[k]);
        }
        for (int i = first; i < last; i++) {
            fprintf(out, "\n%-24s", bench->curve[i].name);
            for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++)
                print_cost(out, 1e3 * wr_bench_cost_at(&bench->curve[i], wr_bench_errors[k]),
                           strcmp(w[k].name, bench->curve[i].name) == 0 ? '*' : ' ');
        }
        fprintf(out, "\n%-24s", "relaxed / best monolithic");
        for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++)
            print_cost(out, w[k].relaxed_s / w[k].monolithic_s, ' ');
        fprintf(out, "\n%-24s", "auto / best monolithic");
        for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++)
            print_cost(out, w[k].auto_s / w[k].monolithic_s, ' ');
        fputc('\n', out);
        for (int i = first; i < last; i++)
            if (!isnan(bench->curve[i].floor))
                fprintf(out, "%s: the error does not fall below %.2g\n", bench->curve[i].name,
                        bench->curve[i].floor);
    }
}

static void print_outcome(FILE *out, const char *name, const wrsim_budget_outcome *o)
{
    char beside[64] = "";
    if (o->error_beside >= 0.0)
        snprintf(beside, sizeof beside, " (%.2g at the neighbouring tolerances)", o->error_beside);
    fprintf(out, "%-8s error %.2g%s, counted work %.3g\n", name, o->error, beside, o->work);
}

static void print_budget(FILE *out, const char *name, const wrsim_budget *b)
{
    fprintf(out,
            "%s: requested error %.2g of %d signal%s, from t = %.9g s to %.9g s (error of the "
            "reference %.1g)\n\n",
            name, b->error, b->n_signal, wr_plural(b->n_signal), b->start_s, b->stop_s,
            b->reference_error);
    if (!b->is_complete)
        fputs("the search was interrupted; the chosen tolerances are the best of the completed "
              "runs\n\n",
              out);
    fprintf(out, "%-28s %-12s %9s %9s %9s %10s %8s\n", "tolerance of", "solver", "now", "uniform",
            "chosen", "of error", "of work");
    for (int i = 0; i < b->n_tolerance; i++) {
        const wrsim_budget_tolerance *const t = &b->tolerance[i];
        fprintf(out, "%-28s %-12s %9.2g %9.2g %9.2g", t->name, t->solver, t->now, t->uniform,
                t->chosen);
        if (isnan(t->error_share))
            fprintf(out, " %10s", "-");
        else
            fprintf(out, " %8.0f %%", 100.0 * t->error_share);
        fprintf(out, " %6.0f %%\n", 100.0 * t->work_share);
    }
    fputc('\n', out);
    fprintf(out, "now: the config with simulation.rtol = %.3g, the requested error\n", b->error);
    print_outcome(out, "now", &b->now);
    print_outcome(out, "uniform", &b->uniform);
    print_outcome(out, "chosen", &b->chosen);
    fprintf(out, "work saved over now: %.0f %%, over uniform: %.0f %%\n\n",
            100.0 * (1.0 - b->chosen.work / b->now.work),
            100.0 * (1.0 - b->chosen.work / b->uniform.work));
    for (int i = 0; i < b->n_override; i++)
        fprintf(out, "%s-D %s", i ? " " : "", b->override[i]);
    fputc('\n', out);
}

enum { MAX_LOAD = 64 };

typedef struct bench_args {
    wr_arguments line;
    wr_bench_options set;
    wr_option_texts only, signal, baseline, cost;
    int is_quiet;
} bench_args;

/* The parsed command line. The struct is static, because it is too large for the stack, and because tell() has no pointer to the struct. */
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
#define JSON ROW("json", "FILE", "write all results to this JSON file", FILE, set.json)

#define COST                                                                                       \
    ROW("cost", "PATTERN=TIME",                                                                    \
        "time of one point of the components that match, such as 'cyl*=100us'; rows compare the "  \
        "cost of points alone, and together with the time of wrsim itself; may be repeated",       \
        REPEAT, cost)
#define BURN                                                                                       \
    ROW("burn", NULL, "runs wait for the time of --cost at each point; rows compare wall times",   \
        FLAG, set.is_spent)

static const char *const *baselines(void) { return wr_bench_baselines; }

static const wr_option bench_options[] = {
    ROW("error", "E", "error to which the runs and their baselines are tuned (default 1e-4)",
        NUMBER, set.error, .low = 1e-12, .high = 0.1),
    SIGNALS,
    WARM("simulated time before the measurement begins, s"),
    RUNS,
    ROW("cores", "N",
        "measure relaxed runs on 1 to N cores (default: all cores that this process may use)",
        COUNT, set.max_core, .low = 1, .high = 1e9),
    COST,
    BURN,
    ROW("baseline", "NAME", "baseline of the comparison; may be repeated", REPEAT, baseline,
        .words = baselines),
    CASE,
    LIMIT,
    TOTAL,
    ROW("curve", NULL, "also measure all solvers at a series of tolerances", FLAG, set.has_curve),
    ROW("svg", "FILE", "write the work-precision curves to this drawing; sets --curve", FILE,
        set.svg),
    JSON,
    ROW("peers", "PROGRAM", "the program that runs other solvers (wrsim-peers)", FILE, set.peers),
    QUIET,
    DEFINE,
    {.name = NULL}};

static const wr_option busy_options[] = {
    WARM("simulated time before the measurement begins, s"),
    RUNS,
    ROW("load", "N", "number of processes that load the machine (default 2)", COUNT, set.n_load,
        .low = 1, .high = MAX_LOAD),
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
    ROW("write", "FILE",
        "write the config of --case with the size of --largest, and measure nothing", FILE,
        set.write),
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
    print_bench_curves(bench, wr_out);
    print_bench_rows(bench, wr_out);
    print_bench_points(bench, wr_out);
    wr_program_output_flush(); /* main() reports failed writes */
    if (o->json) {
        const int written = wrsim_status_exit_code(wr_bench_write_json(bench, o->json));
        code = code != 0 ? code : written;
    }
    if (o->svg && bench->n_curve == 0) /* an old drawing stays */
        fprintf(wr_err, "wrsim: bench: '%s' is not written, because no curve has a point\n",
                o->svg);
    else if (o->svg) {
        const int written = wrsim_status_exit_code(wr_bench_write_svg(bench, o->svg));
        code = code != 0 ? code : written;
    }
    return code;
}

/* Measures the cases of a file (NULL: the cases of growth) and prints the results. Returns the exit code. */
static int measure(wr_bench *bench, wr_bench_case_fn fn, const char *file)
{
    const wrsim_status status = wr_bench_file(bench, file, fn);
    const int has_figures = bench->n_row > 0 || bench->n_curve > 0;
    int code = wrsim_status_exit_code(status);
    if (wr_bench_is_over(bench)) {
        fprintf(wr_err, "wrsim: bench: %s; %s\n",
                wr_bench_is_interrupted() ? "interrupted by a signal"
                                          : "the time of --total is over",
                has_figures                 ? "completed measurements are kept"
                : wr_bench_is_interrupted() ? "no measurement is complete; repeat the command"
                                            : "no measurement is complete; raise --total");
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
    const char *const marked = wr_text(bench->trial.memory, WR_OWN_CONFIG_MARK "budget.\n%s", text);
    wr_program_output_flush(); /* main() reports failed writes */
    const wrsim_status status = wr_bench_write(bench, file, marked[0] ? marked : NULL);
    free(text);
    return status;
}

static wrsim_status find_budget(wr_bench *bench, const wr_bench_case *c)
{
    wrsim_budget budget;
    const wrsim_status status = wr_budget_find(&bench->trial, &budget);
    if (budget.n_tolerance > 0)
        print_budget(wr_out, c->run.name, &budget);
    if (status != WRSIM_OK || !bench->options.write)
        return status;
    return write_config(bench, &budget, bench->options.write);
}

/* Chooses tolerances for the cases of a file. The limit of a run, ANY_TIME_S in s, is practically no limit (assumed), because the
 * result must depend on counted work only. */
static int choose_tolerances(wr_bench *bench, const char *file)
{
    enum { ANY_TIME_S = 1000000 };
    bench->options.limit_s = ANY_TIME_S;
    const wrsim_status status = wr_bench_file(bench, file, find_budget);
    if (wr_bench_is_interrupted())
        fprintf(wr_err, "wrsim: budget: interrupted by a signal%s\n",
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
    (void)into; /* into points to `given` */
    const wr_command *const command = given.line.command;
    const char *const file = given.line.n_operand ? given.line.operand[0] : NULL;
    const int n_core = wr_bench_count_cores();
    if (given.only.n > 1)
        return wr_command_line_refuse(&given, "--case takes one name, not '%s' and '%s'",
                                      given.only.text[0], given.only.text[1]);
    /* More workers than cores would wait for one another and distort the measurement. */
    if (given.set.max_core > n_core)
        return wr_command_line_refuse(&given,
                                      "--cores %d is more than the %d cores that this process may "
                                      "use; lower --cores (rows of kind bound estimate more cores)",
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
    add_texts(&bench, &o->cost, given.cost.text, given.cost.n);
    const int code = o->is_budget ? choose_tolerances(&bench, file)
                                  : measure(&bench,
                                            command == &busy     ? wr_bench_busy
                                            : command == &growth ? NULL
                                                                 : wr_bench_measure,
                                            file);
    if (wr_heap_pool_is_short(bench.trial.memory))
        fputs("wrsim: error: out of memory for the measurement\n", wr_err);
    wr_bench_destroy(&bench);
    return code;
}

static const wr_command busy = {WR_COMMAND("bench busy", "FILE", 1, 1, busy_options, run),
                                .help = "compare two workers with one on a busy machine",
                                .into = &given};

static const wr_command growth = {WR_COMMAND("bench growth", "", 0, 0, growth_options, run),
                                  .help = "measure time and memory per subsystem, from 5 to 10,000",
                                  .into = &given};

static const wr_command *const forms[] = {&busy, &growth, &wr_bench_compare_form,
                                          &wr_bench_table_form, NULL};

/* Returns the form whose name ends with the first operand, and removes the operand from argv. Returns NULL for the command itself. */
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
    WR_COMMAND("bench", "FILE", 1, 1, bench_options, run),
    .needs_config = 1,
    .help = "measure speed at equal error",
    .more = "FILE is a config, or a suite such as bench/engine.toml. Relaxed runs on 1, 2, ... "
            "cores are compared with the best\nmonolithic run and with peers. All are tuned to the "
            "same error against a tight reference, and measured in turns\nwithout output.\n",
    .form = forms,
    .choose = choose,
    .into = &given};

const wr_command wr_budget_command = {
    WR_COMMAND("budget", "FILE", 1, 1, budget_options, run), .needs_config = 1,
    .help = "choose solver tolerances for a given error at the outputs",
    .more = "FILE is a config, or a suite such as bench/engine.toml. The command finds tolerances "
            "of every subsystem's solver and of\nthe relaxation. The error of the worst output, "
            "max|y - ref| / max|ref| over the run against a tight reference,\nreaches "
            "simulation.rtol with the least counted work.\n",
    .into = &given};
