/* `wrsim partition --groups`.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "cli/command_line.h"
#include "cli/grouping_command.h"
#include "cli/print.h"
#include "cli/print_grouping.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/grouping/fragment.h"
#include "offline/grouping/study_grouping.h"
#include "offline/structure/folder.h"
#include "wrsim/wrsim.h"

enum { RUNS = 600, MOST_GROUPS = 8 };

typedef struct order {
    wr_arguments line;
    const char *dir;
    wr_search_options search;
    wr_option_numbers cores;
    wr_folder written;
    double warm_s; /* simulated s; negative: not given */
    int is_given, is_quiet, is_json, n_round;
} order;

enum { MOST = WR_GROUPING_GROUPS - 1 };

#define ROW(...) WR_OPTION(order, __VA_ARGS__)
static const wr_option options[] = {
    ROW("groups", "K|auto", "number of subsystems; auto: the number with the lowest cost", COUNT,
        search.k, .low = 2, .high = MOST),
    ROW("cores", "N,N,...",
        "cores for which the critical path counts (default 2; several: their geometric mean)", LIST,
        cores),
    ROW("error", "E", "error at which all candidates are compared (default simulation.rtol)",
        NUMBER, search.error, .low = 1e-9, .high = 1.0),
    ROW("warm", "S", "simulated time before work is counted (default: a fifth of the run)", NUMBER,
        warm_s, .low = 0.0, .high = 1e12),
    ROW("most", "K", "most subsystems that auto tries (default 8)", COUNT, search.most, .low = 2,
        .high = MOST),
    ROW("runs", "N", "approximate number of runs to spend (default 600)", COUNT, search.n_run,
        .low = 8, .high = 1000000),
    ROW("given", NULL, "also tune the config's own [[subsystem]] tables and compare them", FLAG,
        is_given),
    ROW("measure", "N", "also measure schedule bounds: the shortest times of tasks in N rounds",
        COUNT, n_round, .low = 1, .high = 100000),
    ROW("random", "N", "also compare with the best of N random balanced groupings", COUNT,
        search.n_random, .low = 0, .high = 100000),
    ROW("json", NULL, "print JSON", FLAG, is_json),
    ROW("quiet", NULL, "print no progress", FLAG, is_quiet, .letter = 'q'),
    ROW("output", "DIR",
        "write subsystems.toml (the tables) and grouped.toml (a whole config) to this folder", FILE,
        dir, .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int set_cores(order *o)
{
    const int n = o->cores.n;
    if (n > WR_VERIFY_CORES - 1)
        return wr_command_line_refuse(o, "--cores takes at most %d values", WR_VERIFY_CORES - 1);
    for (int i = 0; i < n; i++) {
        const double value = o->cores.value[i];
        if (!(value >= 1.0 && value <= 64.0) || value != floor(value))
            return wr_command_line_refuse(o, "--cores takes whole numbers from 1 to 64, not %g",
                                          value);
        o->search.core[i] = (int)value;
    }
    if (n > 0)
        o->search.n_core = n;
    return 0;
}

static void progress(void *user, const char *text)
{
    (void)user;
    fprintf(wr_err, "wrsim: partition: %s\n", text);
}

typedef enum file { SUBSYSTEMS, GROUPED, GIVEN, N_FILE } file;

static const char *const file_names[N_FILE] = {
    [SUBSYSTEMS] = "subsystems.toml", [GROUPED] = "grouped.toml", [GIVEN] = "given.toml"};

/* Called before the search, which takes minutes. */
static wrsim_status open_folder(order *o, wrsim_error *err)
{
    WR_TRY(wr_folder_open(&o->written, o->dir, o->line.operand[0], NULL, err));
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
    WR_TRY(wr_fragment_config(of, &r->best, o->dir, memory, &text));
    WR_TRY(write_file(&o->written, GROUPED, &text, err));
    if (!r->given.what[0])
        return WRSIM_OK;
    WR_TRY(wr_fragment_config(of, &r->given, o->dir, memory, &text));
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
        WR_TRY(wr_tool_print_json(wr_grouping_json(study, &o->search), err));
    } else {
        wr_print_grouping(wr_out, v, &o->search, r);
        if (o->n_round > 0)
            wr_print_grouping_measured(wr_out, study);
    }
    return o->dir ? write_files(o, &v->of, r, memory, err) : WRSIM_OK;
}

static int run(void *into)
{
    order *const o = into;
    static wr_grouping_study study; /* static: too large for the stack */
    const int code = set_cores(o);
    if (code != 0)
        return code;
    if (!o->is_quiet)
        o->search.progress = progress;
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    wr_settings_memory *memory = wr_settings_memory_create();
    wrsim_status status =
        memory ? wrsim_config_from_file(o->line.operand[0], o->line.override, o->line.n_override,
                                        wr_print_error, NULL, &config, NULL)
               : WRSIM_E_MEMORY;
    if (status >= 0)
        status = wr_tool_check(config);
    if (status >= 0) {
        status = o->dir ? open_folder(o, &err) : WRSIM_OK;
        if (status >= 0)
            status =
                wr_grouping_study_run(config, &o->search, o->warm_s, o->is_given, &study, &err);
        if (status >= 0 && study.verify.is_reference_poor)
            fprintf(wr_err,
                    "wrsim: partition: the reference changes by %.2g if its tolerance is "
                    "tightened, so errors of %.2g are uncertain; lower simulation.rtol\n",
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

const wr_command wr_grouping_form = {
    .name = "partition --groups auto",
    .operands = "CONFIG",
    .min_operand = 1,
    .max_operand = 1,
    .help = "group the components of a config into subsystems and sweep levels, by counted cost",
    .option = options,
    .into = &(order){.search = {.most = MOST_GROUPS, .n_run = RUNS, .n_core = 1, .core = {2}},
                     .warm_s = -1.0},
    .run = run};
