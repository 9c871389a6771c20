/* The config of an offline tool: as it is, but that a run of it writes no results and waits for nobody.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_TOOL_CONFIG_H
#define WR_TOOL_CONFIG_H

#include "cli/tool_options.h"
#include "wrsim/wrsim.h"

/* Loads the first operand with the overrides given. A split that is to be decided (simulation.monolithic = "auto") counts as
 * split: its subsystems are there to be looked at. All errors are printed; err gets none that were. The config is the
 * caller's. */
wrsim_status wr_tool_load(const wr_tool *tool, wrsim_config **ret_config, wrsim_error *err);

#endif
