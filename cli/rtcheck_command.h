/* `wrsim rtcheck`: will deadlines hold?
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_RTCHECK_COMMAND_H
#define WR_RTCHECK_COMMAND_H

#include "cli/command_line.h"

/* Returns the exit code: that of the verdict, or of what went wrong. */
int wr_rtcheck_command(const wr_cli *cli);

#endif
