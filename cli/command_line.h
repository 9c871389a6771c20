/* Parses a command's options, and prints its help and errors.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMMAND_LINE_H
#define WR_COMMAND_LINE_H

#include "cli/options.h"

/* Parses argv into the command's struct, whose first member is wr_arguments. Returns 0 to go on; else the exit code + 1, after a
 * message or the help. */
int wr_command_line_parse(const wr_command *command, int argc, char **argv, void *into);

/* Returns the index of the first word that is neither an option of these commands nor the value of one; argc: none. commands ends with
 * NULL. */
int wr_command_line_operand(const wr_command *const *commands, int argc, char **argv);

/* Prints an error of the command line with a hint at the command's --help. Returns the exit code + 1. */
int wr_command_line_refuse(const void *into, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
