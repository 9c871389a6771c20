/* The program's commands. See commands.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/commands.h"

#include <string.h>

#include "base/names.h"
#include "cli/analyze_command.h"
#include "cli/bench_command.h"
#include "cli/codegen_command.h"
#include "cli/compare_command.h"
#include "cli/list_command.h"
#include "cli/options.h"
#include "cli/partition_command.h"
#include "cli/print.h"
#include "cli/reduce_command.h"
#include "cli/rtcheck_command.h"
#include "cli/run_command.h"
#include "cli/sparse_command.h"
#include "cli/stability_command.h"
#include "cli/sweep_command.h"

static int command_help(const wr_cli *cli)
{
    const char *const word = cli->n_operand ? cli->operand[0] : NULL;
    const wr_command *const command = wr_command_find(word);
    if (!word || command)
        return wr_print_help(wr_commands, command);
    const char *const meant = wr_command_meant(word);
    return wr_print_usage_error("there is no command '%s'%s%s%s", word,
                                meant ? "; did you mean '" : "", meant ? meant : "",
                                meant ? "'?" : "");
}

static const char compare_more[] =
    "Differences are relative to the signal's range in REFERENCE. If the range is below 1e-8 of "
    "the largest\nvalue there, the signal is marked as constant, and its differences are relative "
    "to that value; to 1 if all\nvalues are zero. Signals of both files are compared at the "
    "communication points of both.\nWith --limit, a signal or a point that one file lacks counts "
    "as a difference.\n";

static const char rtcheck_more[] =
    "Runs the config for up to 10 s, period by period with a sleep after each. The verdict allows "
    "for 30 % more\nand less time than measured, and for the measured delay with which the machine "
    "wakes a thread.\n";

static const char codegen_more[] =
    "The matrix is L - tau J with the entries that solver.pattern keeps, or with all entries. The "
    "code fits this\npattern only and is refused for any other one.\n";

const wr_command wr_commands[] = {
    {"run", "CONFIG", 1, 1, "Dojmgqcer", "simulate and record (the word run may be omitted)",
     wr_run_command, NULL, NULL},
    {"check", "CONFIG", 1, 1, "Djm",
     "validate a config, print its structure, say whether its split pays (--json)",
     wr_check_command, NULL, NULL},
    {"sweep", "CONFIG", 1, 1, NULL,
     "run a config with many values of its keys in parallel and collect a table (see wrsim sweep "
     "--help)",
     NULL, NULL, wr_sweep_main},
    {"compare", "RESULT REFERENCE", 2, 2, "la",
     "print the largest and RMS difference of every signal, relative to its range (--limit L)",
     wr_compare_command, compare_more, NULL},
    {"models", "[MODEL]", 0, 1, "p",
     "list built-in models (or a family, such as engine), or describe one (--plugin FILE: models "
     "of a plug-in)",
     wr_models_command, NULL, NULL},
    {"keys", "[KEY]", 0, 1, "A",
     "list the keys of a config with defaults and meaning (--all: expert keys, too)",
     wr_keys_command, NULL, NULL},
    {"topology", "[SYNTHETIC]", 0, 1, "", "show the cores of this machine or of a synthetic one",
     wr_topology_command, NULL, NULL},
    {"rtcheck", "CONFIG", 1, 1, "Dq",
     "say whether the deadlines of [realtime] will hold on these cores (exit codes 0, 10, 11)",
     wr_rtcheck_command, rtcheck_more, NULL},
    {"codegen", "CONFIG FILE.c [SUBSYSTEM]", 2, 3, "Dq",
     "write the factorisation of linimp as C without branches, to be compiled for solver.code",
     wr_codegen_command, codegen_more, NULL},
    {"bench", "FILE|growth|...", 0, 4, NULL,
     "measure speed at equal error (see wrsim bench --help)", NULL, NULL, wr_bench_main},
    {"budget", "CONFIG", 0, 4, NULL,
     "choose solver tolerances for a given error at the outputs (see wrsim budget --help)", NULL,
     NULL, wr_bench_main},
    {"analyze", "CONFIG", 1, 1, NULL,
     "show which variables depend on which, declared and detected (see wrsim analyze --help)", NULL,
     NULL, wr_analyze_main},
    {"partition", "CONFIG|MATRIX", 1, 1, NULL,
     "permute an incidence matrix to blocks, or group components by cost (see wrsim partition "
     "--help)",
     NULL, NULL, wr_partition_main},
    {"stability", "CONFIG", 1, 1, NULL,
     "check whether fixed steps are stable, or show the properties of a method (see wrsim "
     "stability --help)",
     NULL, NULL, wr_stability_main},
    {"reduce", "CONFIG|G.mtx", 1, 1, NULL,
     "replace a linear part by a model with few states (see wrsim reduce --help)", NULL, NULL,
     wr_reduce_main},
    {"sparse", "CONFIG", 1, 1, NULL,
     "find Jacobian entries that linimp can omit (see wrsim sparse --help)", NULL, NULL,
     wr_sparse_main},
    {"help", "[COMMAND]", 0, 1, "", "list commands and options, or describe one command",
     command_help, NULL, NULL},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

const wr_command *wr_command_find(const char *name)
{
    for (int i = 0; name && wr_commands[i].name; i++)
        if (strcmp(wr_commands[i].name, name) == 0)
            return &wr_commands[i];
    return NULL;
}

const char *wr_command_meant(const char *word)
{
    const char *names[32];
    int n = 0;
    for (; wr_commands[n].name && n < 32; n++)
        names[n] = wr_commands[n].name;
    return strpbrk(word, "./") ? NULL : wr_names_nearest(word, names, n);
}
