/* One row for each option; an option with two meanings has a row for each command. See options.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cli/program_output.h"
#include "wrsim/wrsim.h"

typedef struct option_row {
    struct option option;
    const char *value, *help; /* value after the name, and effect */
    /* command to which the row applies; NULL: all commands that take the option */
    const char *only;
} option_row;

static const option_row rows[] = {
    {{"define", required_argument, NULL, 'D'},
     " KEY=VALUE",
     "set a key of the config; may be repeated",
     NULL},
    {{"output", required_argument, NULL, 'o'},
     " FILE",
     "result file, .csv or .h5 (output.file)",
     NULL},
    {{"json", optional_argument, NULL, 'j'},
     " FILE",
     "write the summary as JSON (output.json)",
     "run"},
    {{"json", optional_argument, NULL, 'j'}, "", "print JSON instead of text", "check"},
    {{"monolithic", no_argument, NULL, 'm'},
     "",
     "put all components into one subsystem, without relaxation",
     NULL},
    {{"limit", required_argument, NULL, 'l'},
     " L",
     "exit code 1 if a difference exceeds L, or one side lacks a signal or a point",
     NULL},
    {{"allow-missing", no_argument, NULL, 'a'},
     "",
     "ignore signals and points that one side lacks",
     NULL},
    {{"all", no_argument, NULL, 'A'}, "", "list expert keys, too", NULL},
    {{"plugin", required_argument, NULL, 'p'}, " FILE", "list models of this plug-in", NULL},
    {{"checkpoint", required_argument, NULL, 'c'},
     " FILE",
     "write checkpoints to this file: at the start, every S, and when a signal stops the run",
     NULL},
    {{"checkpoint-every", required_argument, NULL, 'e'},
     " S",
     "simulated time between checkpoints, s",
     NULL},
    {{"restart", required_argument, NULL, 'r'},
     " FILE",
     "continue from a checkpoint; a new result file (-o) gets the remaining rows",
     NULL},
    {{"progress", no_argument, NULL, 'g'},
     "",
     "draw the progress line even if standard error is no terminal",
     NULL},
    {{"quiet", no_argument, NULL, 'q'}, "", "print no progress and no summary", NULL},
    {{"help", no_argument, NULL, 'h'},
     "",
     "print this text; after a command, the command's help",
     NULL},
    {{"version", no_argument, NULL, 'V'}, "", "version", NULL}};

const struct option *wr_options(void)
{
    static struct option options[WR_COUNT_OF(rows) + 1]; /* the last row ends the list */
    for (size_t i = 0, n = 0; i < WR_COUNT_OF(rows); i++)
        if (i == 0 || rows[i].option.val != rows[i - 1].option.val)
            options[n++] = rows[i].option;
    return options;
}

static int takes(const wr_command *command, const option_row *row)
{
    return command->options && strchr(command->options, row->option.val) &&
           (!row->only || strcmp(row->only, command->name) == 0);
}

/* Prints the commands that take the option, as "run, check: "; nothing for an option that all take. Commands that parse
 * their own command line take -D as well. */
static void print_owners(const wr_command *all, const option_row *row)
{
    const char *comma = "";
    for (const wr_command *c = all; c->name; c++) {
        if (!takes(c, row) && !(c->own && row->option.val == 'D'))
            continue;
        fprintf(wr_out, "%s%s", comma, c->name);
        comma = ", ";
    }
    if (*comma)
        fprintf(wr_out, ": ");
}

/* all: the list of commands, if their names are to be printed; NULL: names are not printed. */
static void print_option(const option_row *row, const wr_command *all)
{
    const char letter = (char)row->option.val;
    const char short_form[] = {'-', letter, ',', '\0'};
    char name[64];
    snprintf(name, sizeof name, "--%s%s", row->option.name, row->value);
    fprintf(wr_out, "  %3s %-20s ", strchr(WR_SHORT_OPTIONS, letter) ? short_form : "", name);
    if (all)
        print_owners(all, row);
    fprintf(wr_out, "%s\n", row->help);
}

static void print_all(const wr_command *all)
{
    fprintf(wr_out,
            "wrsim %s: simulates coupled hybrid ODE models by waveform relaxation\n\n"
            "usage: wrsim [COMMAND] [OPTIONS] ...\n\ncommands:\n",
            wrsim_version());
    for (const wr_command *c = all; c->name; c++)
        fprintf(wr_out, "  %-9s %-18s %s\n", c->name, c->operands, c->help);
    fprintf(wr_out, "\noptions:\n");
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        print_option(&rows[i], all);
    fprintf(wr_out, "\nfurther options, see wrsim COMMAND --help:");
    for (const wr_command *c = all; c->name; c++)
        if (c->own)
            fprintf(wr_out, " %s", c->name);
    fprintf(
        wr_out,
        "\n\nexit codes:\n  0 done   1 results differ   2 wrong usage   3 config   4 model or "
        "plug-in\n  5 simulation failed   6 file or disk   7 memory or internal   8 estimated "
        "splitting error above its limit\n  9 deadlines missed, with realtime.policy = \"stop\"   "
        "10 rtcheck: will not hold   11 rtcheck: too close to say\n  12 stability: not stable   13 "
        "a model or plug-in has ended the program\n  130 stopped by a signal\n");
}

int wr_print_help(const wr_command *all, const wr_command *command)
{
    if (!command) {
        print_all(all);
        return 0;
    }
    if (command->own) {
        char name[16];
        snprintf(name, sizeof name, "%s", command->name);
        optind = 0; /* getopt_long starts over */
        return command->own(2, (char *[]){name, "--help", NULL});
    }
    fprintf(wr_out, "usage: wrsim %s%s %s\n\n%s\n\n%s%soptions:\n", command->name,
            *command->options ? " [OPTIONS]" : "", command->operands, command->help,
            command->more ? command->more : "", command->more ? "\n" : "");
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        if (takes(command, &rows[i]) || rows[i].option.val == 'h')
            print_option(&rows[i], NULL);
    return 0;
}
