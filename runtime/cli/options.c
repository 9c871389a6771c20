/* One row per option here and in option_texts. See options.h.
 *
 * Thread: main. Real-time: no.
 */
#include "runtime/cli/options.h"

#include <stdio.h>
#include <string.h>

#include "runtime/bench/bench.h"
#include "wrsim/wrsim.h"

const struct option wr_options[] = {{"define", required_argument, NULL, 'D'},
                                    {"output", required_argument, NULL, 'o'},
                                    {"json", optional_argument, NULL, 'j'},
                                    {"monolithic", no_argument, NULL, 'm'},
                                    {"limit", required_argument, NULL, 'l'},
                                    {"plugin", required_argument, NULL, 'p'},
                                    {"progress", no_argument, NULL, 'g'},
                                    {"quiet", no_argument, NULL, 'q'},
                                    {"help", no_argument, NULL, 'h'},
                                    {"version", no_argument, NULL, 'V'},
                                    {NULL, 0, NULL, 0}};

static const struct {
    const char *value, *help;
} option_texts[sizeof wr_options / sizeof wr_options[0] - 1] = {
    {" KEY=VALUE", "set a key of the config; may be repeated"},
    {" FILE", "result file, .csv or .h5 (output.file)"},
    {" FILE", "summary as JSON (output.json); of check: without FILE, to standard output"},
    {"", "all in one subsystem, the single-solver twin"},
    {" L", "exit code 1 above L"},
    {" FILE", "the models of this plug-in"},
    {"", "draw the progress line even if standard error is no terminal"},
    {"", "no progress, no summary"},
    {"", "this text; after a command, or as wrsim help COMMAND, that command's"},
    {"", "version"}};

/* "run, check: ", whose option this is; nothing for those of all. */
static void print_owners(int letter)
{
    const char *comma = "";
    for (const wr_command *c = wr_commands; c->name; c++) {
        if (!c->options || !strchr(c->options, letter))
            continue;
        printf("%s%s", comma, c->name);
        comma = ", ";
    }
    if (*comma)
        printf(": ");
}

int wr_print_help(const wr_command *command)
{
    if (command && !command->options) {
        char name[16];
        snprintf(name, sizeof name, "%s", command->name);
        optind = 0; /* another command line */
        return wr_bench_main(2, (char *[]){name, "--help", NULL});
    }
    if (command) {
        printf("usage: wrsim %s%s %s\n\n%s\n\noptions:\n", command->name,
               *command->options ? " [OPTIONS]" : "", command->operands, command->help);
    } else {
        printf("wrsim %s: simulates coupled hybrid ODE models by waveform relaxation\n\n"
               "usage: wrsim [COMMAND] [OPTIONS] ...\n\ncommands:\n",
               wrsim_version());
        for (const wr_command *c = wr_commands; c->name; c++)
            printf("  %-9s %-18s %s\n", c->name, c->operands, c->help);
        printf("\noptions:\n");
    }
    for (int i = 0; wr_options[i].name; i++) {
        const struct option *const o = &wr_options[i];
        const int is_short = strchr(WR_SHORT_OPTIONS, o->val) != NULL;
        if (command && o->val != 'h' && !strchr(command->options, o->val))
            continue;
        const char short_form[] = {'-', (char)o->val, ',', '\0'};
        char name[64];
        snprintf(name, sizeof name, "--%s%s", o->name, option_texts[i].value);
        printf("  %3s %-20s ", is_short ? short_form : "", name);
        if (!command)
            print_owners(o->val);
        printf("%s\n", option_texts[i].help);
    }
    if (!command)
        printf("\nexit codes:\n"
               "  0 done   1 results differ   2 wrong usage   3 config   4 model or plug-in\n"
               "  5 simulation failed   6 file or disk   7 memory or internal   130 stopped by a "
               "signal\n");
    return 0;
}
