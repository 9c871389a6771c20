/* Parses command lines, and prints help and errors. Thread: main. Real-time: no. */
#ifndef WR_COMMAND_LINE_H
#define WR_COMMAND_LINE_H

#include "cli/options.h"

/* Parses argv into the command's struct and runs the command, or prints its help. argv[0] is the command's name. Returns
 * the exit code. */
int wr_command_line_run(const wr_command *command, int argc, char **argv);

/* Returns the index of the first operand: a word that is no option and no value of an option of these commands, or the word after "--".
 * argc: no operand. commands ends with NULL. */
int wr_command_line_operand(const wr_command *const *commands, int argc, char **argv);

/* Prints an error of the command line with a hint at the command's --help. into: the command's struct. Returns the exit code. */
int wr_command_line_refuse(const void *into, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
