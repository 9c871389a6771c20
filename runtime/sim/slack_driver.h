/* The driver of slackened runs (runtime/slack), and their delay errors (wrsim/delay.h).
 *
 * Thread: as driver_ops.h. Real-time: as driver_ops.h.
 */
#ifndef WR_SLACK_DRIVER_H
#define WR_SLACK_DRIVER_H

#include "runtime/sim/driver_ops.h"

extern const wr_driver_ops wr_slack_driver;

#endif
