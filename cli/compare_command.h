/* The command `compare`: differences between two result files.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMPARE_COMMAND_H
#define WR_COMPARE_COMMAND_H

#include "cli/command_line.h"

/* Returns the exit code. */
int wr_compare_command(const wr_cli *cli);

#endif
