/* The table of commands, searches in the table, and the help of the whole program. Thread: main. Real-time: no. */
#ifndef WR_COMMANDS_H
#define WR_COMMANDS_H

#include "cli/options.h"

/* The commands of cli/command_list.h, ended by NULL. */
extern const wr_command *const wr_commands[];

/* Returns the command with this name; NULL if no command has this name, or if name is NULL. */
const wr_command *wr_command_find(const char *name);

/* Returns the command name nearest to a mistyped word; NULL if no name is near, or if the word may be a file name. */
const char *wr_command_meant(const char *word);

/* Prints all commands, the options of the first command, and the exit codes. */
void wr_commands_print(void);

#endif
