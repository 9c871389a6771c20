/* See commands.h. Thread: main. Real-time: no. */
#include "cli/commands.h"

#include <string.h>

#include "base/check.h"
#include "base/names.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "wrsim/wrsim.h"

#define WR_X(name) &wr_##name##_command,
const wr_command *const wr_commands[] = {WR_COMMAND_LIST(WR_X) NULL};
#undef WR_X

/* Meaning of each exit code of wrsim/status.h, and remedy ("": none). */
static const struct {
    int code;
    const char *meaning, *remedy;
} exit_codes[] = {
    {0, "done", ""},
    {1,
     "compare: a difference is above the limit, or a signal or point is missing; sparse: the "
     "pattern is refused or too inaccurate",
     ""},
    {2, "the command line is wrong; compare: the files have too few signals or points in common",
     "see wrsim COMMAND --help"},
    {3, "the config is wrong, or components do not fit together",
     "correct the line that the message names"},
    {4,
     "a model's description or a plug-in is wrong; analyze: a model has a dependency that it does "
     "not declare",
     "see docs/howto/write_a_model.md"},
    {5, "the simulation failed; sweep: some runs failed, and the table names them",
     "see docs/howto/fix_a_failed_run.md"},
    {6, "a file cannot be read or written, a file has wrong content, or the disk is full",
     "correct the file or path that the message names, or free space; earlier results are "
     "readable"},
    {7,
     "memory is exhausted; the system refuses a request under realtime.strict; or wrsim has a "
     "defect",
     "the message names the request or the defect"},
    {8,
     "the estimated splitting error is above relaxation.error_limit, with complete results; or "
     "slack.on_loc or slack.on_glo has stopped the run",
     "see docs/howto/set_tolerances.md and docs/howto/bound_delay_errors.md"},
    {9, "realtime.policy = \"stop\" has stopped the run after too many missed deadlines",
     "see docs/howto/keep_deadlines.md"},
    {10, "rtcheck: deadlines will not hold",
     "use a larger realtime.deadline, more cores, or a looser tolerance"},
    {11,
     "rtcheck: the measurement does not decide; stability: the exchange is not judged, or its "
     "stability depends on the prediction",
     "the printed report gives the reason"},
    {12,
     "stability: a fixed step or the exchange is unstable, a step damps a growing mode, or a "
     "method does not converge",
     "use a smaller step, another method, or a shorter period"},
    {13, "a model or plug-in ended the program",
     "the message names the component or plug-in, and the call; see docs/howto/write_a_model.md"},
    {130, "stopped by Ctrl-C, SIGTERM or SIGHUP", "earlier results are complete"},
};

void wr_commands_print(void)
{
    fprintf(wr_out,
            "wrsim %s: simulates coupled hybrid ODE models by waveform relaxation\n\n"
            "usage: wrsim [COMMAND] [OPTIONS] ...\n\n"
            "commands (wrsim COMMAND --help lists the options of each):\n",
            wrsim_version());
    for (int i = 0; wr_commands[i]; i++) {
        const char *const operands = wr_commands[i]->operands;
        fprintf(wr_out, "  %-9s %-27.*s %s\n", wr_commands[i]->name, (int)strcspn(operands, "\n"),
                operands, wr_commands[i]->help);
    }
    fprintf(wr_out, "\nThe word run may be left out.\n\noptions:\n");
    wr_options_print(wr_out, wr_commands[0]);
    fprintf(wr_out, "  -V, --version              print the version\n");
    fprintf(wr_out, "\nexit codes:\n");
    for (size_t i = 0; i < WR_COUNT_OF(exit_codes); i++)
        fprintf(wr_out, "  %3d  %s%s%s\n", exit_codes[i].code, exit_codes[i].meaning,
                *exit_codes[i].remedy ? "\n       " : "", exit_codes[i].remedy);
}

const wr_command *wr_command_find(const char *name)
{
    for (int i = 0; name && wr_commands[i]; i++)
        if (strcmp(wr_commands[i]->name, name) == 0)
            return wr_commands[i];
    return NULL;
}

const char *wr_command_meant(const char *word)
{
    const char *names[64];
    int n = 0;
    for (; wr_commands[n] && n < 64; n++)
        names[n] = wr_commands[n]->name;
    return strpbrk(word, "./") ? NULL : wr_names_nearest(word, names, n);
}

static int run_help(void *into)
{
    const wr_arguments *const a = into;
    const char *const word = a->n_operand ? a->operand[0] : NULL;
    const wr_command *const command = wr_command_find(word);
    if (command) {
        wr_options_print_help(wr_out, command);
        return 0;
    }
    if (word) {
        const char *const meant = wr_command_meant(word);
        return wr_print_misuse("", "unknown command '%s'%s%s%s", word,
                               meant ? "; did you mean '" : "", meant ? meant : "",
                               meant ? "'?" : "");
    }
    wr_commands_print();
    return 0;
}

const wr_command wr_help_command = {WR_COMMAND("help", "[COMMAND]", 0, 1, WR_NO_OPTIONS, run_help),
                                    .help = "list commands, options and exit codes, or describe "
                                            "one command",
                                    .into = &(wr_arguments){.n_operand = 0}};
