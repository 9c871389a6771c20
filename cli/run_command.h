/* The commands `run` (simulate and record) and `check` (print the structure).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_RUN_COMMAND_H
#define WR_RUN_COMMAND_H

#include "cli/command_line.h"

/* Return the exit code. */
int wr_run_command(const wr_cli *cli);
int wr_check_command(const wr_cli *cli);

#endif
