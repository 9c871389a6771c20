/* The options of the commands, and the help printed for them.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_OPTIONS_H
#define WR_OPTIONS_H

#include <getopt.h>

#include "cli/command_line.h"

#define WR_SHORT_OPTIONS ":D:o:qhV"

/* Returns the option list for getopt_long, to be used with WR_SHORT_OPTIONS; the last row has name == NULL.
 * wr_command.options uses the same letters. */
const struct option *wr_options(void);

/* Prints the help of `command`, or if it is NULL all commands, all options and the exit codes. Returns 0. */
int wr_print_help(const wr_command *all, const wr_command *command);

#endif
