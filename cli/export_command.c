/* `wrsim export`: a config as an FMU. Thread: main. Real-time: no. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/diag.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/run_creation.h"
#include "cli/tool.h"
#include "runtime/cosim/cosim_export.h"

typedef struct export_line {
    wr_arguments line;
    const char *output, *fmi;
} export_line;

static const char *const *versions(void)
{
    static const char *const words[] = {"2", "3", NULL};
    return words;
}

#define ROW(...) WR_OPTION(export_line, __VA_ARGS__)
static const wr_option options[] = {
    ROW("output", "FMU",
        "file to write, with the extension .fmu; absent: the name of the config, in this folder",
        FILE, output, .letter = 'o'),
    ROW("fmi", "VERSION", "version of FMI", CHOICE, fmi, .words = versions),
    WR_RUN_CREATION_MONOLITHIC,
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

/* Returns the name of the FMU of a config, from malloc: the config's name with .fmu, without its folder. */
static char *default_name(const char *config)
{
    const char *const slash = strrchr(config, '/');
    const char *const name = slash ? slash + 1 : config;
    const char *const dot = strrchr(name, '.');
    const int n = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *text = NULL;
    return asprintf(&text, "%.*s.fmu", n, name) < 0 ? NULL : text;
}

static void print_content(const export_line *a, const char *path, const wr_cosim_content *c)
{
    fprintf(wr_out,
            "%s: FMU of co-simulation, FMI %s.0\n"
            "  %d input%s, %d output%s (ports), %d recorded signal%s\n"
            "  %d tunable variable%s (parameters and scenarios), %d parameter%s (fixed after the "
            "initialisation)\n",
            path, a->fmi, c->n_input, wr_plural(c->n_input), c->n_output, wr_plural(c->n_output),
            c->n_signal, wr_plural(c->n_signal), c->n_tunable, wr_plural(c->n_tunable),
            c->n_parameter, wr_plural(c->n_parameter));
    fprintf(wr_out, "  steps %s; the FMU %s its state; %d file%s of the config inside\n",
            c->can_vary_steps ? "of any length" : "are multiples of simulation.communication_step",
            c->can_save ? "saves and restores" : "cannot save", c->n_file, wr_plural(c->n_file));
    if (!c->can_save)
        fprintf(wr_out, "  state: %s\n", c->refusal);
    if (c->has_realtime)
        fputs("  without [realtime], because the importing tool sets the pace\n", wr_out);
}

static int run(void *into)
{
    const export_line *const a = into;
    WR_AUTO_FREE char *const name = default_name(a->line.operand[0]);
    const char *const path = a->output ? a->output : name;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    if (!path)
        return wr_tool_end(wr_error_memory(&err), &err);
    const wr_run_creation request = {.line = &a->line};
    const int exit_code = wr_run_creation_make(&request, &sim);
    if (exit_code != 0)
        return exit_code;
    wr_cosim_content content;
    const wrsim_status status =
        wr_cosim_export(sim, a->fmi[0] == '3' ? 3 : 2, path, &content, &err);
    wrsim_destroy(&sim);
    if (status >= 0)
        print_content(a, path, &content);
    return wr_tool_end(status, &err);
}

const wr_command wr_export_command = {
    WR_COMMAND("export", "CONFIG", 1, 1, options, run),
    .help = "write an FMU of co-simulation that contains the config and wrsim",
    .more =
        "Another simulation tool loads the FMU on Linux without wrsim. Ports of the config become "
        "inputs and outputs, and recorded signals (output.signals) become outputs.\nParameters of "
        "[[scenario]] with at = \"api\" are tunable, and all other parameters are fixed after the "
        "initialisation.\nPlug-ins, FMUs and files of the config are inside of the FMU. The "
        "command "
        "refuses a config that needs HDF5, KLU, or a shared object with another library than libc "
        "and libm.\n",
    .into = &(export_line){.fmi = "2"}};
