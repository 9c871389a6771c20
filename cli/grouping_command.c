/* `wrsim partition --groups`. See grouping_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/grouping_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "cli/print.h"
#include "cli/print_grouping.h"
#include "cli/program_output.h"
#include "cli/tool_options.h"
#include "offline/grouping/fragment.h"
#include "offline/grouping/study_grouping.h"
#include "offline/structure/folder.h"
#include "wrsim/wrsim.h"

enum { RUNS = 600, MOST_GROUPS = 8 };

typedef struct order {
    wr_tool tool;
    wr_search_options search;
    wr_tool_numbers cores;
    wr_folder written;
    double warm_s; /* simulated s; negative: not given */
    int is_given, is_quiet, is_json, n_round;
} order;

static int set_cores(order *o)
{
    const int n = o->cores.n;
    if (n > WR_VERIFY_CORES - 1)
        return wr_print_misuse("partition", "--cores takes at most %d values", WR_VERIFY_CORES - 1);
    for (int i = 0; i < n; i++) {
        const double value = o->cores.value[i];
        if (!(value >= 1.0 && value <= 64.0) || value != floor(value))
            return wr_print_misuse("partition", "--cores takes whole numbers from 1 to 64, not %g",
                                   value);
        o->search.core[i] = (int)value;
    }
    if (n > 0)
        o->search.n_core = n;
    return 0;
}

static int parse(order *o, int argc, char **argv)
{
    enum { MOST = WR_GROUPING_GROUPS - 1 };
    const wr_tool_option options[] = {
        {"groups", "K|auto", "number of subsystems; auto: the number with the lowest cost",
         WR_TOOL_COUNT, &o->search.k, 2, MOST},
        {"cores", "N,N,...",
         "cores for which the critical path counts (default 2; several: their geometric mean)",
         WR_TOOL_NUMBERS_LIST, &o->cores, 0, 0},
        {"error", "E", "error at which all candidates are compared (default simulation.rtol)",
         WR_TOOL_NUMBER, &o->search.error, 1e-9, 1.0},
        {"warm", "S", "simulated time before work is counted (default: a fifth of the run)",
         WR_TOOL_NUMBER, &o->warm_s, 0.0, 1e12},
        {"most", "K", "most subsystems that auto tries (default 8)", WR_TOOL_COUNT, &o->search.most,
         2, MOST},
        {"runs", "N", "approximate number of runs to spend (default 600)", WR_TOOL_COUNT,
         &o->search.n_run, 8, 1000000},
        {"given", NULL, "also tune the config's own [[subsystem]] tables and compare them",
         WR_TOOL_FLAG, &o->is_given, 0, 0},
        {"measure", "N", "also measure schedule bounds: the shortest times of tasks in N rounds",
         WR_TOOL_COUNT, &o->n_round, 1, 100000},
        {"random", "N", "also compare with the best of N random balanced groupings", WR_TOOL_COUNT,
         &o->search.n_random, 0, 100000},
        {"json", NULL, "print JSON", WR_TOOL_FLAG, &o->is_json, 0, 0},
        {"quiet", NULL, "print no progress", WR_TOOL_FLAG, &o->is_quiet, 0, 0},
        {NULL, NULL, NULL, WR_TOOL_FLAG, NULL, 0, 0}};
    o->tool.option = options;
    const int code = wr_tool_parse(&o->tool, argc, argv);
    o->tool.option = NULL;
    if (code != 0)
        return code;
    const int refused = set_cores(o);
    return refused == 0 ? 0 : refused + 1;
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
    WR_TRY(wr_folder_open(&o->written, o->tool.folder, o->tool.operand[0], NULL, err));
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
    WR_TRY(wr_fragment_config(of, &r->best, o->tool.folder, memory, &text));
    WR_TRY(write_file(&o->written, GROUPED, &text, err));
    if (!r->given.what[0])
        return WRSIM_OK;
    WR_TRY(wr_fragment_config(of, &r->given, o->tool.folder, memory, &text));
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
    return o->tool.folder ? write_files(o, &v->of, r, memory, err) : WRSIM_OK;
}

static int run(order *o)
{
    static wr_grouping_study study; /* static: too large for the stack */
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wr_settings_memory *memory = wr_settings_memory_create();
    wrsim_status status =
        memory ? wrsim_config_from_file(o->tool.operand[0], o->tool.override, o->tool.n_override,
                                        wr_print_error, NULL, &config, NULL)
               : WRSIM_E_MEMORY;
    if (status >= 0)
        status = wrsim_create(config, wr_print_error, NULL, &sim, NULL); /* prints all errors */
    wrsim_destroy(&sim);
    if (status >= 0) {
        status = o->tool.folder ? open_folder(o, &err) : WRSIM_OK;
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

int wr_grouping_main(int argc, char **argv)
{
    static order o; /* static: too large for the stack */
    o = (order){.tool = {.name = "partition",
                         .operands = "CONFIG --groups K|auto",
                         .n_operand = 1,
                         .output = "write subsystems.toml (the tables) and grouped.toml (a whole "
                                   "config) to this folder",
                         .summary = "Groups the components of a config into subsystems and sweep "
                                    "levels, by counted cost.\n"},
                .search = {.most = MOST_GROUPS, .n_run = RUNS, .n_core = 1, .core = {2}},
                .warm_s = -1.0};
    const int code = parse(&o, argc, argv);
    if (code != 0)
        return code - 1;
    if (!o.is_quiet)
        o.search.progress = progress;
    return run(&o);
}
