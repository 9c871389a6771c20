/* `wrsim codegen`: a factorisation as C.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_CODEGEN_COMMAND_H
#define WR_CODEGEN_COMMAND_H

#include "cli/command_line.h"

/* Returns the exit code. */
int wr_codegen_command(const wr_cli *cli);

#endif
