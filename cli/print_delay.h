/* Texts about the delay errors of a slackened run.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_DELAY_H
#define WR_PRINT_DELAY_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* Prints nothing if slack.watch is 0. */
void wr_print_delay(FILE *out, const wrsim *sim);

/* Prints one line for each exceeded limit whose action in the config is "warn" or "stop". */
void wr_print_delay_excess(FILE *out, const wrsim *sim);

#endif
