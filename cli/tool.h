/* Common parts of the offline tools: loading the config, JSON, and the end of the command.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_TOOL_H
#define WR_TOOL_H

#include "cli/options.h"
#include "offline/structure/folder.h"
#include "wrsim/wrsim.h"

/* Loads the first operand with the command line's overrides. Further overrides keep a run from writing results, and from waiting
 * for the wall clock or a host. If simulation.monolithic is "auto", the config is loaded as split, so that its subsystems can be studied.
 * Prints all errors of the config; err stays unset then. The caller owns the config. */
wrsim_status wr_tool_load(const wr_arguments *arguments, wrsim_config **ret_config);

/* Loads the first operand with these overrides and one more (NULL: none). report gets the errors (NULL: nobody). */
wrsim_status wr_tool_load_with(const wr_arguments *a, const char *more, wrsim_report_fn report,
                               wrsim_config **ret_config);

/* Creates the simulation of a config once, which prints all errors; a study returns only the first error. */
wrsim_status wr_tool_check(wrsim_config *config);

/* Prints JSON, and frees it. json NULL: memory was exhausted. */
wrsim_status wr_tool_print_json(char *json, wrsim_error *err);

/* Writes JSON to a file of the folder. */
wrsim_status wr_tool_write_json(wr_folder *folder, const char *file, const char *json,
                                wrsim_error *err);

/* Prints the number of written files. */
void wr_tool_print_files(const wr_folder *folder, const char *remark);

/* Prints an error that is not printed yet. Returns the exit code. */
int wr_tool_end(wrsim_status status, const wrsim_error *err);

#endif
