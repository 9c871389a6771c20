/* One row per option, one more where it means something else to a command. See options.h.
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
    const char *value, *help; /* what follows it, and what it does ... */
    const char *only;         /* ... for this command; NULL = for all that take it */
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
    {{"json", optional_argument, NULL, 'j'}, " FILE", "summary as JSON (output.json)", "run"},
    {{"json", optional_argument, NULL, 'j'}, "", "print JSON instead of text", "check"},
    {{"monolithic", no_argument, NULL, 'm'},
     "",
     "all in one subsystem, the single-solver twin",
     NULL},
    {{"limit", required_argument, NULL, 'l'},
     " L",
     "exit code 1 above L, or where one side lacks a signal or a point",
     NULL},
    {{"allow-missing", no_argument, NULL, 'a'}, "", "what one side lacks is no difference", NULL},
    {{"all", no_argument, NULL, 'A'}, "", "also keys for experts", NULL},
    {{"plugin", required_argument, NULL, 'p'}, " FILE", "those of this plug-in", NULL},
    {{"checkpoint", required_argument, NULL, 'c'},
     " FILE",
     "keep the state there, at the start, every S, and where a signal stops the run",
     NULL},
    {{"checkpoint-every", required_argument, NULL, 'e'},
     " S",
     "simulated seconds from one checkpoint to the next",
     NULL},
    {{"restart", required_argument, NULL, 'r'},
     " FILE",
     "go on from a checkpoint; the result file (-o, another one) gets the rest",
     NULL},
    {{"progress", no_argument, NULL, 'g'},
     "",
     "draw the progress line even if standard error is no terminal",
     NULL},
    {{"quiet", no_argument, NULL, 'q'}, "", "no progress, no summary", NULL},
    {{"help", no_argument, NULL, 'h'}, "", "this text; after a command, what it takes", NULL},
    {{"version", no_argument, NULL, 'V'}, "", "version", NULL}};

const struct option *wr_options(void)
{
    static struct option options[WR_COUNT_OF(rows) + 1]; /* the last one ends it */
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

/* "run, check: ", whose option this is; nothing for those of all. Commands with a command line of their own set keys, too. */
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

/* all: the commands whose option it is are named; NULL: they are not. */
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
    fprintf(wr_out, "\nfurther ones, wrsim COMMAND --help:");
    for (const wr_command *c = all; c->name; c++)
        if (c->own)
            fprintf(wr_out, " %s", c->name);
    fprintf(
        wr_out,
        "\n\nexit codes:\n"
        "  0 done   1 results differ   2 wrong usage   3 config   4 model or plug-in\n"
        "  5 simulation failed   6 file or disk   7 memory or internal   8 splitting cost too "
        "much accuracy, as it seems\n"
        "  9 deadlines missed, with realtime.policy = \"stop\"   10 rtcheck: will not hold   11 "
        "too close to say   12 stability: not stable\n"
        "  13 a model or plug-in has ended the program\n"
        "  130 stopped by a signal\n");
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
        optind = 0; /* another command line */
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
