/* See the .c file.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_TURN_H
#define WR_HYBRID_TURN_H

#include "subsystems/hybrid_parts.h"

/* Stores in s->watch the turns of indicators in the step that ends at end_s. Finds the bend of the indicator that fires there. */
void wr_hybrid_watch_course(wr_subsystem *s, double end_s);

#endif
