/* `wrsim rtcheck`: estimates whether deadlines will hold.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_RTCHECK_COMMAND_H
#define WR_RTCHECK_COMMAND_H

#include "cli/command_line.h"

/* Returns the exit code of the verdict or of the error. */
int wr_rtcheck_command(const wr_cli *cli);

#endif
