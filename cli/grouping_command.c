/* `wrsim partition --groups`. See grouping_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/grouping_command.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/grouping/fragment.h"
#include "analysis/grouping/study_grouping.h"
#include "analysis/structure/folder.h"
#include "base/check.h"
#include "cli/print.h"
#include "cli/print_grouping.h"
#include "cli/program_output.h"
#include "wrsim/wrsim.h"

enum { MOST_OVERRIDES = 256, RUNS = 600, MOST_GROUPS = 8 };

typedef struct order {
    wr_search_options search;
    const char *config, *folder;
    wr_folder written;
    double warm_s; /* < 0: not given */
    int is_given, is_quiet, is_json, n_round;
    int n_override;
    const char *override[MOST_OVERRIDES];
} order;

static const struct option options[] = {{"groups", required_argument, NULL, 'k'},
                                        {"cores", required_argument, NULL, 'c'},
                                        {"error", required_argument, NULL, 'e'},
                                        {"warm", required_argument, NULL, 'w'},
                                        {"runs", required_argument, NULL, 'n'},
                                        {"most", required_argument, NULL, 'm'},
                                        {"random", required_argument, NULL, 'r'},
                                        {"given", no_argument, NULL, 'g'},
                                        {"measure", required_argument, NULL, 'M'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"define", required_argument, NULL, 'D'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static int print_help(void)
{
    fputs(
        "usage: wrsim partition --groups K|auto [OPTIONS] CONFIG\n\n"
        "group the components of a config into subsystems and levels of a sweep, by counted "
        "cost\n\n"
        "options:\n"
        "      --groups K|auto      so many subsystems, or as many as pay\n"
        "      --cores N[,N...]     cores whose critical path counts (default 2; several: their "
        "geometric mean)\n"
        "      --error E            error that all candidates are compared at (default "
        "simulation.rtol)\n"
        "      --warm S             simulated time before work is counted (default a fifth of the "
        "run)\n"
        "      --most K             most subsystems that auto tries (default 8)\n"
        "      --runs N             runs to be spent, about (default 600)\n"
        "      --given              tune the config's own [[subsystem]] tables, too, and compare\n"
        "      --measure N          measure schedule bounds, too: the shortest times of tasks in N "
        "rounds\n"
        "      --random N           compare with the best of N random balanced groupings, too\n"
        "  -o, --output DIR         write subsystems.toml (the tables) and grouped.toml (a whole "
        "config) there\n"
        "      --json               print JSON\n"
        "  -D, --define KEY=VALUE   set a key of the config; may be repeated\n"
        "  -q, --quiet              no progress\n"
        "  -h, --help               this text\n",
        wr_out);
    return 0;
}

static int number(const char *name, const char *text, double low, double high, double *ret)
{
    char *end = NULL;
    errno = 0;
    *ret = strtod(text, &end);
    if (end == text || *end || errno || !(*ret >= low) || !(*ret <= high))
        return wr_print_misuse("partition", "%s takes a number from %g to %g, not '%s'", name, low,
                               high, text);
    return 0;
}

static int count(const char *name, const char *text, int low, int high, int *ret)
{
    double value;
    const int code = number(name, text, low, high, &value);
    if (code == 0 && value != floor(value))
        return wr_print_misuse("partition", "%s takes a whole number, not '%s'", name, text);
    *ret = code == 0 ? (int)value : 0;
    return code;
}

static int set_cores(order *o, const char *text)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    o->search.n_core = 0;
    char *rest = NULL;
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        int n = 0;
        const int code = count("--cores", word, 1, 64, &n);
        if (code != 0)
            return code;
        if (o->search.n_core == WR_VERIFY_CORES - 1)
            return wr_print_misuse("partition", "--cores takes at most %d numbers",
                                   WR_VERIFY_CORES - 1);
        o->search.core[o->search.n_core++] = n;
    }
    return o->search.n_core > 0 ? 0
                                : wr_print_misuse("partition", "--cores takes numbers of cores");
}

static int set_option(order *o, int c, const char *word)
{
    switch (c) {
    case 'k':
        return strcmp(optarg, "auto") == 0
                   ? 0
                   : count("--groups", optarg, 2, WR_GROUPING_GROUPS - 1, &o->search.k);
    case 'c':
        return set_cores(o, optarg);
    case 'e':
        return number("--error", optarg, 1e-9, 1.0, &o->search.error);
    case 'w':
        return number("--warm", optarg, 0.0, 1e12, &o->warm_s);
    case 'n':
        return count("--runs", optarg, 8, 1000000, &o->search.n_run);
    case 'm':
        return count("--most", optarg, 2, WR_GROUPING_GROUPS - 1, &o->search.most);
    case 'r':
        return count("--random", optarg, 0, 100000, &o->search.n_random);
    case 'g':
        o->is_given = 1;
        return 0;
    case 'M':
        return count("--measure", optarg, 1, 100000, &o->n_round);
    case 'o':
        o->folder = optarg;
        return *optarg ? 0 : wr_print_misuse("partition", "-o takes the name of a folder, not ''");
    case 'j':
        o->is_json = 1;
        return 0;
    case 'q':
        o->is_quiet = 1;
        return 0;
    case 'D':
        if (o->n_override == MOST_OVERRIDES)
            return wr_print_misuse("partition", "at most %d keys can be set", MOST_OVERRIDES);
        o->override[o->n_override++] = optarg;
        return 0;
    case ':':
        return wr_print_misuse("partition", "option '%s' needs a value", word);
    default:
        return wr_print_misuse("partition", "'partition' takes no option '%s'", word);
    }
}

static void progress(void *user, const char *text)
{
    (void)user;
    fprintf(wr_err, "wrsim: partition: %s\n", text);
}

typedef enum file { SUBSYSTEMS, GROUPED, GIVEN, N_FILE } file;

static const char *const file_names[N_FILE] = {
    [SUBSYSTEMS] = "subsystems.toml", [GROUPED] = "grouped.toml", [GIVEN] = "given.toml"};

/* Before the search, which takes minutes. */
static wrsim_status open_folder(order *o, wrsim_error *err)
{
    WR_TRY(wr_folder_open(&o->written, o->folder, o->config, NULL, err));
    for (int i = 0; i < N_FILE; i++)
        if ((i != GIVEN || o->is_given) && !wr_folder_file(&o->written, err, "%s", file_names[i]))
            return err->status;
    return WRSIM_OK;
}

static wrsim_status write_file(wr_folder *folder, file which, wr_text_buffer *text,
                               wrsim_error *err)
{
    const char *const path = wr_folder_file(folder, err, "%s", file_names[which]);
    if (path)
        return wr_text_buffer_write(text, path, err);
    wr_text_buffer_done(text);
    return err->status;
}

static wrsim_status write_files(order *o, const wr_grouping_of *of, const wr_search_result *r,
                                wr_settings_memory *memory, wrsim_error *err)
{
    wr_text_buffer text = {0};
    wr_fragment_tables(of, &r->best, memory, &text);
    WR_TRY(write_file(&o->written, SUBSYSTEMS, &text, err));
    WR_TRY(wr_fragment_config(of, &r->best, o->folder, memory, &text));
    WR_TRY(write_file(&o->written, GROUPED, &text, err));
    if (!r->given.what[0])
        return WRSIM_OK;
    WR_TRY(wr_fragment_config(of, &r->given, o->folder, memory, &text));
    return write_file(&o->written, GIVEN, &text, err);
}

static wrsim_status report(order *o, wr_grouping_study *study, wr_settings_memory *memory,
                           wrsim_error *err)
{
    const wr_verify *const v = &study->verify;
    const wr_search_result *const r = &study->result;
    if (o->n_round > 0)
        WR_TRY(wr_grouping_study_measure(study, &o->search, o->n_round, err));
    if (o->is_json) {
        char *const json = wr_grouping_json(study, &o->search);
        if (!json)
            return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the JSON");
        fputs(json, wr_out);
        free(json);
    } else {
        wr_print_grouping(wr_out, v, &o->search, r);
        if (o->n_round > 0)
            wr_print_grouping_measured(wr_out, study);
    }
    return o->folder ? write_files(o, &v->of, r, memory, err) : WRSIM_OK;
}

static int run(order *o)
{
    static wr_grouping_study study; /* large */
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wr_settings_memory *memory = wr_settings_memory_create();
    wrsim_status status = memory ? wrsim_config_from_file(o->config, o->override, o->n_override,
                                                          wr_print_error, NULL, &config, NULL)
                                 : WRSIM_E_MEMORY;
    if (status >= 0)
        status = wrsim_create(config, wr_print_error, NULL, &sim, NULL); /* says all errors */
    wrsim_destroy(&sim);
    if (status >= 0) {
        status = o->folder ? open_folder(o, &err) : WRSIM_OK;
        if (status >= 0)
            status =
                wr_grouping_study_run(config, &o->search, o->warm_s, o->is_given, &study, &err);
        if (status >= 0 && study.verify.is_reference_poor)
            fprintf(wr_err,
                    "wrsim: partition: the reference changes by %.2g when its tolerance does: "
                    "errors of %.2g are hard to judge\n",
                    study.verify.reference_error, o->search.error);
        if (status >= 0)
            status = report(o, &study, memory, &err);
        if (status < 0)
            wr_print_error(NULL, &err);
        wr_grouping_study_done(&study);
    }
    wrsim_config_destroy(&config);
    wr_settings_memory_destroy(&memory);
    return wrsim_status_exit_code(status < 0 ? status : WRSIM_OK);
}

int wr_grouping_main(int argc, char **argv)
{
    order o = {.search = {.most = MOST_GROUPS, .n_run = RUNS, .n_core = 1, .core = {2}},
               .warm_s = -1.0};
    int c, code = 0;
    opterr = 0;
    while (code == 0 && (c = getopt_long(argc, argv, ":D:o:qh", options, NULL)) != -1) {
        if (c == 'h')
            return print_help();
        code = set_option(&o, c, argv[optind - 1]);
    }
    if (code != 0)
        return code;
    if (argc - optind != 1)
        return wr_print_misuse("partition", "'partition' takes CONFIG");
    o.config = argv[optind];
    if (!o.is_quiet)
        o.search.progress = progress;
    return run(&o);
}
