/* The program's commands: one row each.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMMANDS_H
#define WR_COMMANDS_H

#include "cli/command_line.h"

/* Terminated by name == NULL. The first row is what runs when no command is named. */
extern const wr_command wr_commands[];

/* NULL when there is none of this name, or no name. */
const wr_command *wr_command_find(const char *name);

/* A lone word that is neither a command nor looks like a file is most likely a mistyped command: the
 * nearest one's name, NULL = none is near. */
const char *wr_command_meant(const char *word);

#endif
