/* The options of the commands and what --help says of them.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_OPTIONS_H
#define WR_OPTIONS_H

#include <getopt.h>

#include "cli/command_line.h"

#define WR_SHORT_OPTIONS ":D:o:qhV"

/* For getopt_long, together with WR_SHORT_OPTIONS; ends with name == NULL. Their letters stand for them in
 * wr_command.options, too. */
const struct option *wr_options(void);

/* What `command` takes; NULL = `all` commands, all options and the exit codes. Returns 0. */
int wr_print_help(const wr_command *all, const wr_command *command);

#endif
