/* The commands that list models, keys and cores: `models`, `keys`, `topology`.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_LIST_COMMAND_H
#define WR_LIST_COMMAND_H

#include "cli/command_line.h"

/* Return the exit code. */
int wr_models_command(const wr_cli *cli);
int wr_keys_command(const wr_cli *cli);
int wr_topology_command(const wr_cli *cli);

#endif
