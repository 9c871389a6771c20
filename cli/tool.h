/* Common functions of commands: loading and checking a config, JSON, the list of written files, and the end of the command. Thread: main.
 * Real-time: no. */
#ifndef WR_TOOL_H
#define WR_TOOL_H

#include "cli/options.h"
#include "offline/structure/folder.h"
#include "wrsim/wrsim.h"

/* Loads the first operand with the command line's overrides. Further overrides prevent a run from writing results, from waiting for the
 * wall clock, and from requests of [realtime] to the system. If simulation.monolithic is "auto", loads the config as split, so that a tool
 * can study its subsystems. Prints all errors of the config. Returns WRSIM_OK, or an error of the config. The caller owns the config. */
wrsim_status wr_tool_load(const wr_arguments *arguments, wrsim_config **ret_config);

/* Loads the first operand with the overrides of wr_tool_load() and one further override (NULL: none). report (may be NULL) receives the
 * errors. Returns WRSIM_OK, or an error of the config. */
wrsim_status wr_tool_load_with(const wr_arguments *a, const char *more, wrsim_report_fn report,
                               wrsim_config **ret_config);

/* Creates and destroys the simulation of a config, and prints all errors. A study returns only the first error. Returns the status. */
wrsim_status wr_tool_check(wrsim_config *config);

/* Tests whether a file of an option can be read, before a study that takes long. path may be NULL. Returns WRSIM_OK or WRSIM_E_IO. */
wrsim_status wr_tool_check_file(const char *path, wrsim_error *err);

/* Prints JSON, and frees the text. json NULL: memory is exhausted. Returns WRSIM_OK, or WRSIM_E_MEMORY. */
wrsim_status wr_tool_print_json(char *json, wrsim_error *err);

/* Writes JSON to a file of the folder. Returns WRSIM_OK, or an error of writing. */
wrsim_status wr_tool_write_json(wr_folder *folder, const char *file, const char *json,
                                wrsim_error *err);

/* Prints the number of written files, the folder and the remark. */
void wr_tool_print_files(const wr_folder *folder, const char *remark);

/* Prints an error unless an earlier function has printed it. Returns the exit code. */
int wr_tool_end(wrsim_status status, const wrsim_error *err);

#endif
