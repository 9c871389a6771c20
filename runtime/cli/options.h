/* The options of the commands and what --help says of them.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_OPTIONS_H
#define WR_OPTIONS_H

#include <getopt.h>

#include "runtime/cli/commands.h"

/* Letters stand for options in wr_command.options, too; D, o, q, h and V are their short forms. Ends with
 * name == NULL. */
extern const struct option wr_options[];

#define WR_SHORT_OPTIONS ":D:o:qhV"

/* What `command` takes; NULL = all commands, all options and the exit codes. Returns 0. */
int wr_print_help(const wr_command *command);

#endif
