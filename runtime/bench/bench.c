/* `wrsim bench`: its command line, and what its files share. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include "runtime/bench/bench.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cli/print.h"
#include "scheduler/topology.h"

enum { MAX_RUNS = 1000, MAX_CORES = 1024, LARGEST = 10000 };

/* ---- shared ---- */

static void out_of_memory(void)
{
    fputs("wrsim: error: out of memory\n", stderr);
    exit(wrsim_status_exit_code(WRSIM_E_MEMORY));
}

const char *wr_bench_text(wr_bench *bench, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    const char *const copy = n < 0 ? NULL : wr_settings_memory_text(bench->memory, text, (size_t)n);
    if (n >= 0)
        free(text);
    if (!copy)
        out_of_memory();
    return copy;
}

/* A longer copy of an array; the old one stays in the memory until the end. */
static void *grow(wr_bench *bench, const void *array, int n, int *cap, size_t bytes)
{
    const int wanted = 2 * (n + 4);
    void *const longer = wr_settings_memory_take(bench->memory, (size_t)wanted, bytes);
    if (!longer)
        out_of_memory();
    if (n > 0)
        memcpy(longer, array, (size_t)n * bytes);
    *cap = wanted;
    return longer;
}

void wr_bench_list_add(wr_bench *bench, wr_bench_list *list, const char *text)
{
    if (list->n == list->cap)
        list->item = grow(bench, list->item, list->n, &list->cap, sizeof *list->item);
    list->item[list->n++] = text;
}

void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row)
{
    if (bench->n_row == bench->cap_row)
        bench->row = grow(bench, bench->row, bench->n_row, &bench->cap_row, sizeof *bench->row);
    bench->row[bench->n_row++] = *row;
}

wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name)
{
    if (bench->n_curve == bench->cap_curve) {
        int cap;
        bench->curve_case =
            grow(bench, bench->curve_case, bench->n_curve, &cap, sizeof *bench->curve_case);
        bench->curve =
            grow(bench, bench->curve, bench->n_curve, &bench->cap_curve, sizeof *bench->curve);
    }
    bench->curve_case[bench->n_curve] = case_name;
    bench->curve[bench->n_curve] = (wr_bench_curve){.name = name};
    return &bench->curve[bench->n_curve++];
}

/* ---- command line ---- */

enum {
    OPTION_RUNS = 256,
    OPTION_WARM,
    OPTION_ERROR,
    OPTION_SIGNALS,
    OPTION_BASELINE,
    OPTION_CORES,
    OPTION_CASE,
    OPTION_LIMIT,
    OPTION_CURVE,
    OPTION_SVG,
    OPTION_JSON,
    OPTION_PEERS,
    OPTION_LARGEST
};

static const struct option options[] = {{"define", required_argument, NULL, 'D'},
                                        {"runs", required_argument, NULL, OPTION_RUNS},
                                        {"warm", required_argument, NULL, OPTION_WARM},
                                        {"error", required_argument, NULL, OPTION_ERROR},
                                        {"signals", required_argument, NULL, OPTION_SIGNALS},
                                        {"baseline", required_argument, NULL, OPTION_BASELINE},
                                        {"cores", required_argument, NULL, OPTION_CORES},
                                        {"case", required_argument, NULL, OPTION_CASE},
                                        {"limit", required_argument, NULL, OPTION_LIMIT},
                                        {"curve", no_argument, NULL, OPTION_CURVE},
                                        {"svg", required_argument, NULL, OPTION_SVG},
                                        {"json", required_argument, NULL, OPTION_JSON},
                                        {"peers", required_argument, NULL, OPTION_PEERS},
                                        {"largest", required_argument, NULL, OPTION_LARGEST},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static void print_help(void)
{
    fputs(
        "usage: wrsim bench [OPTIONS] FILE         a config, or a suite such as bench/engine.toml\n"
        "       wrsim bench [OPTIONS] growth       5 to 10,000 subsystems: time and memory of "
        "each\n"
        "       wrsim bench compare A.json B.json  two results of one machine\n"
        "       wrsim bench table A.json           a table in Markdown\n"
        "\n"
        "Relaxed runs on 1, 2, ... cores against the best monolithic run (and peers), each tuned "
        "to\n"
        "the same error against a tight reference, measured in turns without output.\n"
        "\noptions:\n"
        "  -D, --define KEY=VALUE   set a key of the config; may be repeated\n"
        "      --error E            error both sides are tuned to (1e-4)\n"
        "      --signals GLOB       whose errors count: max|y - ref| / max|ref|; may be repeated\n"
        "      --warm S             simulated seconds before the clock starts\n"
        "      --runs N             rounds; medians and 10 % to 90 % are given (9)\n"
        "      --cores N            relaxed on 1 ... N cores (those of this machine)\n"
        "      --baseline NAME      monolithic, cvode-bdf-dense, cvode-bdf-klu, cvode-adams,\n"
        "                           arkode-erk, arkode-erk5, arkode-dirk,\n"
        "                           arkode-dirk5, lsodar; may be repeated\n"
        "      --case NAME          only this case of the suite\n"
        "      --limit S            wall time above which a run is given up (60)\n"
        "      --curve              sweep the tolerance of all solvers, too\n"
        "      --svg FILE           draw these curves (sets --curve)\n"
        "      --json FILE          all results\n"
        "      --peers PROGRAM      the program that runs other solvers (wrsim-peers)\n"
        "      --largest N          growth: most subsystems (10000)\n"
        "  -h, --help               this text\n",
        stdout);
}

static int set_number(const char *name, const char *text, double low, double high, double *ret)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end || errno || !(value >= low) || !(value <= high))
        return wr_print_usage_error("%s takes a number from %g to %g, not '%s'", name, low, high,
                                    text);
    *ret = value;
    return 0;
}

static int set_count(const char *name, const char *text, int high, int *ret)
{
    double value = 0.0;
    const int code = set_number(name, text, 1.0, high, &value);
    if (code == 0 && value != floor(value))
        return wr_print_usage_error("%s takes a whole number, not '%s'", name, text);
    if (code == 0)
        *ret = (int)value;
    return code;
}

static int set_option(wr_bench *bench, int c, int *ret_largest)
{
    wr_bench_options *const o = &bench->options;
    switch (c) {
    case 'D':
        wr_bench_list_add(bench, &o->override, optarg);
        return 0;
    case OPTION_SIGNALS:
        wr_bench_list_add(bench, &o->signal, optarg);
        return 0;
    case OPTION_BASELINE:
        wr_bench_list_add(bench, &o->baseline, optarg);
        return 0;
    case OPTION_RUNS:
        return set_count("--runs", optarg, MAX_RUNS, &o->n_run);
    case OPTION_CORES:
        return set_count("--cores", optarg, MAX_CORES, &o->max_core);
    case OPTION_LARGEST:
        return set_count("--largest", optarg, 1000000, ret_largest);
    case OPTION_WARM:
        return set_number("--warm", optarg, 0.0, 1e12, &o->warm_s);
    case OPTION_ERROR:
        return set_number("--error", optarg, 1e-12, 1.0, &o->error);
    case OPTION_LIMIT:
        return set_number("--limit", optarg, 1e-3, 1e6, &o->limit_s);
    case OPTION_CASE:
        o->only = optarg;
        return 0;
    case OPTION_SVG:
        o->svg = optarg;
        o->has_curve = 1;
        return 0;
    case OPTION_CURVE:
        o->has_curve = 1;
        return 0;
    case OPTION_JSON:
        o->json = optarg;
        return 0;
    case OPTION_PEERS:
        o->peers = optarg;
        return 0;
    default:
        return wrsim_status_exit_code(WRSIM_E_INTERNAL); /* the caller took the rest */
    }
}

/* What the options leave open: all cores this process may use. */
static void take_cores(wr_bench *bench)
{
    if (bench->options.max_core > 0)
        return;
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    bench->options.max_core = topology ? topology->n_core : 1;
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
}

static int run_file(wr_bench *bench, const char *file)
{
    wr_bench_case *list = NULL;
    int n = 0, worst = 0;
    int code = wr_bench_cases_load(bench, file, &list, &n);
    if (code != 0)
        return code;
    /* A case that fails does not take the others' results away. */
    for (int i = 0; i < n; i++) {
        code = wr_bench_measure(bench, &list[i]);
        worst = code != 0 ? code : worst;
    }
    wr_bench_forget(bench);
    wr_results_destroy(&bench->reference);
    return worst;
}

static int report(const wr_bench *bench, int code)
{
    const wr_bench_options *const o = &bench->options;
    wr_bench_print_curves(bench, stdout);
    wr_bench_print_rows(bench, stdout);
    if (o->json) {
        const int written = wr_bench_write_json(bench, o->json);
        code = code != 0 ? code : written;
    }
    if (o->svg) {
        const int written = wr_bench_write_svg(bench, o->svg);
        code = code != 0 ? code : written;
    }
    return code;
}

static int measure(wr_bench *bench, const char *what, int n_largest)
{
    const char *const parent = getenv("TMPDIR");
    snprintf(bench->folder, sizeof bench->folder, "%s/wrsim-bench-XXXXXX",
             parent && strlen(parent) < 32 ? parent : "/tmp");
    if (!mkdtemp(bench->folder)) {
        fprintf(stderr, "wrsim: error: '%s' cannot be made: %s\n", bench->folder, strerror(errno));
        return wrsim_status_exit_code(WRSIM_E_IO);
    }
    take_cores(bench);
    int code =
        strcmp(what, "growth") == 0 ? wr_bench_growth(bench, n_largest) : run_file(bench, what);
    rmdir(bench->folder); /* every run takes its results away */
    if (bench->n_row > 0 || code == 0)
        code = report(bench, code);
    return code;
}

static int dispatch(wr_bench *bench, int n, char **operand, int n_largest)
{
    if (n == 3 && strcmp(operand[0], "compare") == 0)
        return wr_bench_compare(operand[1], operand[2]);
    if (n == 2 && strcmp(operand[0], "table") == 0)
        return wr_bench_table(operand[1]);
    if (n != 1)
        return wr_print_usage_error("'bench' takes a file, growth, compare A B or table A");
    return measure(bench, operand[0], n_largest);
}

int wr_bench_main(int argc, char **argv)
{
    wr_bench bench = {.options = {.n_run = 9, .warm_s = -1.0, .limit_s = 60.0},
                      .memory = wr_settings_memory_create()};
    int c, code = bench.memory ? 0 : wrsim_status_exit_code(WRSIM_E_MEMORY), n_largest = LARGEST;
    opterr = 0;
    while (code == 0 && (c = getopt_long(argc, argv, ":D:h", options, NULL)) != -1) {
        if (c == 'h') {
            print_help();
            wr_settings_memory_destroy(&bench.memory);
            return 0;
        }
        if (c == '?')
            code = wr_print_usage_error("bench: there is no option '%s', or it takes no value; "
                                        "wrsim bench --help lists them",
                                        argv[optind - 1]);
        else if (c == ':')
            code = wr_print_usage_error("option '%s' needs a value", argv[optind - 1]);
        else
            code = set_option(&bench, c, &n_largest);
    }
    if (code == 0)
        code = dispatch(&bench, argc - optind, argv + optind, n_largest);
    wr_settings_memory_destroy(&bench.memory);
    return code;
}
