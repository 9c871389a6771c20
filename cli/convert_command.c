/* `wrsim convert`. Thread: main. Real-time: no. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/record/convert.h"

typedef struct convert {
    wr_arguments line;
} convert;

static const wr_option options[] = {{.name = NULL}};

static int run(void *into)
{
    const convert *const c = into;
    const char *const from = c->line.operand[0], *const to = c->line.operand[1];
    wrsim_error err = {0};
    wr_conversion done = {0};
    const wrsim_status status = wr_results_convert(from, to, WRSIM_VERSION_STRING, &done, &err);
    if (status < 0) {
        wr_print_error(NULL, &err);
        return wrsim_status_exit_code(status);
    }
    fprintf(wr_out, "wrote %s: %d signal%s, %" PRId64 " point%s, %" PRId64 " row%s at events\n", to,
            done.n_signal, wr_plural(done.n_signal), done.n_row, wr_plural(done.n_row),
            done.n_event_row, wr_plural(done.n_event_row));
    if (done.lacks_waves)
        fprintf(wr_out, "%s lacks the waves of %s\n", to, from);
    return 0;
}

const wr_command wr_convert_command = {
    WR_COMMAND("convert", "RESULT NEW_RESULT", 2, 2, options, run),
    .help = "convert a result file to the format of another extension: .csv, .h5 or .mat",
    .more =
        "The new file has the same signals, units, descriptions, points and rows at events, and "
        "the config, but no waves\nand no event log. RESULT may be a MAT file of Dymola or "
        "OpenModelica.\n",
    .into = &(convert){.line = {0}}};
