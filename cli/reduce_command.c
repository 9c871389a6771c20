/* `wrsim reduce`.
 *
 * Thread: main. Real-time: no.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/text_buffer.h"
#include "cli/busy_line.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/print_reduce.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/reduction/bode.h"
#include "offline/reduction/model_file.h"
#include "offline/reduction/replaced.h"
#include "offline/structure/folder.h"

enum {
    MAX_ORDER = 60,
    MOST_STATES = 2000,
    N_SAMPLE = 61,
    MOST_SAMPLES = 10000,
    MOST_NAME_BYTES = 100
};
static const char name_characters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
#define ERROR 1e-3 /* error of the response if --error is absent */

static const char summary[] =
    "Replaces a linear part of a config by a model with few states. The method is block Arnoldi; "
    "the order is\nchosen by the error of the frequency response. CONFIG with --component or "
    "--subsystem is linearised at its\nstart or at --at. Matrices of G x + C x' = B u, y = L^T x + "
    "D u are Matrix Market files; the operand is G.\n";

typedef struct reduce {
    wr_arguments line;
    const char *dir;
    wr_selection selection;
    wr_linear_files files;
    double time_s;
    wr_option_numbers expand, band;
    wr_reduction_options options;
    const char *name;
    int is_matching, is_json;
    /* Set later: */
    wrsim_config *config;
    char source[512];
    wr_linearised linearised;
    wr_linear_system *own; /* system from matrix files */
    const wr_linear_system *system;
    wr_reduction *reduction;
    wr_moment_matching matching;
    wr_folder folder;
} reduce;

#define ROW(...) WR_OPTION(reduce, __VA_ARGS__)
static const wr_option options[] = {
    ROW("component", "NAME", "reduce this component", TEXT, selection.component,
        .excludes = "B subsystem"),
    ROW("subsystem", "NAME", "reduce all components of this subsystem to one model", TEXT,
        selection.subsystem, .excludes = "B"),
    ROW("at", "T", "linearise at this time of the run, s (default: the run's start)", NUMBER,
        time_s, .low = -1e300, .high = 1e300),
    ROW("B", "FILE", "input matrix", FILE, files.B, .needs = "L", .excludes = "define"),
    ROW("C", "FILE", "matrix of x' (default: the unit matrix)", FILE, files.C, .needs = "B"),
    ROW("L", "FILE", "output matrix, one column per output", FILE, files.L, .needs = "B"),
    ROW("D", "FILE", "direct feedthrough from inputs to outputs (default: 0)", FILE, files.D,
        .needs = "B"),
    ROW("order", "N", "use this order (default: the smallest order that meets --error)", COUNT,
        options.order, .low = 1, .high = MOST_STATES),
    ROW("error", "E", "allowed error of the response, relative to its peak (default 1e-3)", NUMBER,
        options.error, .low = 1e-14, .high = 1),
    ROW("max-order", "N", "largest order to try (default 60)", COUNT, options.max_order, .low = 1,
        .high = MOST_STATES),
    ROW("expand", "S,S,...", "expansion points s0 >= 0, 1/s (default 0)", LIST, expand),
    ROW("band", "LOW,HIGH", "frequency range, Hz (default: the range that the run resolves)", LIST,
        band),
    ROW("samples", "N", "number of frequencies to compare at (default 61)", COUNT, options.n_sample,
        .low = 2, .high = MOST_SAMPLES),
    ROW("moments", NULL, "list moments, and compare with explicit moment matching", FLAG,
        is_matching),
    ROW("name", "NAME", "name of the new model (default: NAME_reduced of the reduced part)", TEXT,
        name),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR", "write the model, configs, Bode diagrams and JSON to this folder", FILE,
        dir, .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int is_from_files(const reduce *r) { return r->files.B != NULL; }

static int check_options(reduce *r)
{
    if (!is_from_files(r) && !r->selection.subsystem && !r->selection.component)
        return wr_command_line_refuse(
            r,
            "'reduce' needs --component or --subsystem for a config, or --B and --L for matrices");
    for (int i = 0; i < r->expand.n; i++)
        if (!(r->expand.value[i] >= 0.0))
            return wr_command_line_refuse(r, "--expand takes numbers of at least 0 (1/s), not %g",
                                          r->expand.value[i]);
    if (r->name && (!isalpha((unsigned char)r->name[0]) || strlen(r->name) > MOST_NAME_BYTES ||
                    r->name[strspn(r->name, name_characters)]))
        return wr_command_line_refuse(
            r, "--name takes a letter, then letters, digits and '_', not '%s'", r->name);
    if (r->band.n > 0 &&
        (r->band.n != 2 || !(r->band.value[0] > 0.0) || !(r->band.value[0] < r->band.value[1])))
        return wr_command_line_refuse(r, "--band takes two frequencies, 0 < LOW,HIGH in Hz");
    return 0;
}

static wrsim_status load(reduce *r, wrsim_error *err)
{
    if (is_from_files(r)) {
        r->files.G = r->line.operand[0];
        snprintf(r->source, sizeof r->source, "%s", r->files.G);
        WR_TRY(wr_linear_system_read(&r->files, &r->own, err));
        r->system = r->own;
        return WRSIM_OK;
    }
    const char *const part =
        r->selection.component ? r->selection.component : r->selection.subsystem;
    snprintf(r->source, sizeof r->source, "%s of %s", part, r->line.operand[0]);
    WR_TRY(wr_tool_load(&r->line, &r->config));
    WR_TRY(wr_linearised_make(r->config, &r->selection, r->time_s, wr_print_error, NULL,
                              &r->linearised, err));
    r->system = r->linearised.system;
    return WRSIM_OK;
}

static wrsim_status compute(reduce *r, wrsim_error *err)
{
    static const double zero = 0.0;
    r->options.s0 = r->expand.n ? r->expand.value : &zero;
    r->options.n_s0 = r->expand.n ? r->expand.n : 1;
    if (r->band.n == 2) {
        r->options.low_Hz = r->band.value[0];
        r->options.high_Hz = r->band.value[1];
    } else if (!is_from_files(r)) {
        const wr_linearised *const l = &r->linearised;
        r->options.low_Hz = 1.0 / l->span_s;
        r->options.high_Hz = fmax(0.5 / l->step_s, 10.0 / l->span_s);
    }
    WR_TRY(wr_reduction_create(r->system, &r->options, &r->reduction, err));
    if (!r->is_matching)
        return WRSIM_OK;
    const wrsim_status status =
        wr_moment_matching_make(r->system, r->reduction, r->options.s0[0], &r->matching);
    return status < 0 ? wr_error_set(err, status, "moments: %s", wrsim_status_text(status))
                      : WRSIM_OK;
}

/* Loads a written config, and prints all its errors. */
static wrsim_status try_config(const char *path)
{
    wrsim_config *config = NULL;
    wrsim_status status =
        wrsim_config_from_file(path, NULL, 0, wr_print_error, NULL, &config, NULL);
    if (status >= 0 && !wrsim_config_is_undecided(config))
        status = wr_tool_check(config);
    wrsim_config_destroy(&config);
    return status;
}

static wrsim_status write_all(reduce *r, const char *json, wrsim_error *err)
{
    char file[160];
    snprintf(file, sizeof file, "%s.ss", r->name);
    char about[1024];
    const wr_reduction *const d = r->reduction;
    snprintf(about, sizeof about,
             "# %s, order %d of %d: response off by %.2e from %.3g to %.3g Hz\n", r->source,
             d->reduced->q, r->system->n, fmax(d->trial[d->i_chosen].error.error, d->between.error),
             d->low_Hz, d->high_Hz);
    const char *path = wr_folder_file(&r->folder, err, "%s", file);
    if (!path)
        return err->status;
    WR_TRY(wr_model_file_write(path, r->name, r->system, d->space, about, err));
    if (!(path = wr_folder_file(&r->folder, err, "fragment.toml")))
        return err->status;
    WR_TRY(wr_model_fragment_write(path, r->name, file, r->system,
                                   is_from_files(r) ? NULL : &r->linearised, err));
    if (!is_from_files(r)) {
        char full[WR_FOLDER_PATH_BYTES];
        snprintf(full, sizeof full, "%s/%s", r->dir, file);
        const wr_replacement how = {.config = r->line.operand[0],
                                    .override = r->line.override,
                                    .n_override = r->line.n_override,
                                    .selection = &r->selection,
                                    .linearised = &r->linearised,
                                    .model = r->name,
                                    .file = full,
                                    .folder = r->dir};
        if (!(path = wr_folder_file(&r->folder, err, "reduced.toml")))
            return err->status;
        WR_TRY(wr_replaced_write(&how, path, err));
        WR_TRY(try_config(path));
    }
    for (int j = 0; j < wr_linear_columns(r->system); j++) {
        const char *const input = j < r->system->n_input ? r->system->input[j].name : "rate";
        char title[256];
        snprintf(title, sizeof title, "%s from %s: order %d of %d", r->name, input,
                 r->reduction->reduced->q, r->system->n);
        if (!(path = wr_folder_file(&r->folder, err, "bode_%s.svg", input)))
            return err->status;
        WR_TRY(wr_bode_write(path, title, r->system, r->reduction, j, err));
    }
    return wr_tool_write_json(&r->folder, "reduction.json", json, err);
}

static wrsim_status tell(reduce *r, wrsim_error *err)
{
    const wr_reduce_report report = {.source = r->source,
                                     .system = r->system,
                                     .linearised = is_from_files(r) ? NULL : &r->linearised,
                                     .options = &r->options,
                                     .reduction = r->reduction,
                                     .matching = r->is_matching ? &r->matching : NULL};
    char *const json = wr_reduce_json(&report);
    if (!json)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    wrsim_status status = WRSIM_OK;
    if (r->is_json)
        fputs(json, wr_out);
    else
        wr_print_reduce(&report);
    if (r->dir)
        status = write_all(r, json, err);
    if (status == WRSIM_OK && r->dir && !r->is_json) {
        fputs("\n", wr_out);
        wr_tool_print_files(&r->folder, is_from_files(r) ? "; fragment.toml goes into a config"
                                                         : "; reduced.toml runs as it is");
    }
    free(json);
    return status;
}

static int run(void *into)
{
    reduce *const r = into;
    char name[128];
    const int code = check_options(r);
    if (code != 0)
        return code;
    wrsim_error err = {0};
    if (!r->name) {
        snprintf(name, sizeof name, "%s_reduced",
                 r->selection.component   ? r->selection.component
                 : r->selection.subsystem ? r->selection.subsystem
                                          : "system");
        r->name = name;
    }
    wr_busy_line *line = wr_busy_line_begin("reduce", 1);
    wrsim_status status = load(r, &err);
    if (status >= 0)
        status = compute(r, &err);
    wr_busy_line_end(&line);
    if (status >= 0 && r->dir)
        status = wr_folder_open(&r->folder, r->dir, r->line.operand[0], r->config, &err);
    if (status >= 0)
        status = tell(r, &err);
    wr_moment_matching_done(&r->matching);
    wr_reduction_destroy(&r->reduction);
    wr_linearised_done(&r->linearised);
    wr_linear_system_destroy(&r->own);
    wrsim_config_destroy(&r->config);
    return wr_tool_end(status < 0 ? status : WRSIM_OK, &err);
}

const wr_command wr_reduce_command = {
    .name = "reduce",
    .operands = "CONFIG|G.mtx",
    .min_operand = 1,
    .max_operand = 1,
    .help = "replace a linear part by a model with few states",
    .more = summary,
    .option = options,
    .into = &(reduce){.time_s = (double)NAN,
                      .options = {.max_order = MAX_ORDER, .error = ERROR, .n_sample = N_SAMPLE}},
    .run = run};
