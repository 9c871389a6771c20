/* The program's commands, one row each, their forms in other files, and a run without printed text. `wrsim NAME` runs wr_NAME_command.
 * Thread: main. Real-time: no. */
#ifndef WR_COMMAND_LIST_H
#define WR_COMMAND_LIST_H

#include "cli/options.h"

/* The first row is the command that runs if the command line names no command. */
#define WR_COMMAND_LIST(X)                                                                         \
    X(run)                                                                                         \
    X(check)                                                                                       \
    X(sweep)                                                                                       \
    X(compare)                                                                                     \
    X(events)                                                                                      \
    X(convert)                                                                                     \
    X(report)                                                                                      \
    X(plot)                                                                                        \
    X(models)                                                                                      \
    X(import)                                                                                      \
    X(export)                                                                                      \
    X(keys)                                                                                        \
    X(topology)                                                                                    \
    X(rtcheck)                                                                                     \
    X(codegen)                                                                                     \
    X(bench)                                                                                       \
    X(budget)                                                                                      \
    X(analyze)                                                                                     \
    X(partition)                                                                                   \
    X(stability)                                                                                   \
    X(reduce)                                                                                      \
    X(sparse)                                                                                      \
    X(help)

#define WR_X(name) extern const wr_command wr_##name##_command;
WR_COMMAND_LIST(WR_X)
#undef WR_X

/* Further forms of commands, defined in other files. */
extern const wr_command wr_grouping_form, wr_bench_compare_form, wr_bench_table_form;

/* Runs a config as `wrsim run --quiet` does. Returns the exit code. */
int wr_run_quietly(const char *config, const char *const *override, int n_override);

#endif
