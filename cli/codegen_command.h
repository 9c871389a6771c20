/* `wrsim codegen`: writes a factorisation as C code.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_CODEGEN_COMMAND_H
#define WR_CODEGEN_COMMAND_H

#include "cli/command_line.h"

/* Returns the exit code. */
int wr_codegen_command(const wr_cli *cli);

#endif
