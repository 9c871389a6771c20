/* `wrsim partition --groups`: subsystems and sweep levels for a config.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_GROUPING_COMMAND_H
#define WR_GROUPING_COMMAND_H

#include "cli/options.h"

extern const wr_command wr_grouping_form;

#endif
