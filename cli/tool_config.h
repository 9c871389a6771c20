/* The config of an offline tool: a run of it writes no results and does not wait for the wall clock or a host.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_TOOL_CONFIG_H
#define WR_TOOL_CONFIG_H

#include "cli/tool_options.h"
#include "wrsim/wrsim.h"

/* Loads the first operand with the tool's overrides. If simulation.monolithic is "auto", the config is loaded as split,
 * so that its subsystems can be studied. Prints all errors of the config; err stays unset then. The caller owns the
 * config. */
wrsim_status wr_tool_load(const wr_tool *tool, wrsim_config **ret_config, wrsim_error *err);

#endif
