/* What a slackened run says that stale inputs have cost.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_DELAY_H
#define WR_PRINT_DELAY_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* Nothing where nothing was watched. */
void wr_print_delay(FILE *out, const wrsim *sim);

/* Which limits were exceeded, and by what: one line each, of those with that action in the config ("warn", "stop"). */
void wr_print_delay_excess(FILE *out, const wrsim *sim);

#endif
