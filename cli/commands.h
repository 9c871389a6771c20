/* The program's commands: one row each.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMMANDS_H
#define WR_COMMANDS_H

#include "cli/command_line.h"

/* The last row has name == NULL. The first row is the command that runs if the command line names none. */
extern const wr_command wr_commands[];

/* Returns NULL if no command has this name, or if name is NULL. */
const wr_command *wr_command_find(const char *name);

/* Returns the command name nearest to a mistyped word; NULL if none is near, or if the word looks like a file name. */
const char *wr_command_meant(const char *word);

#endif
