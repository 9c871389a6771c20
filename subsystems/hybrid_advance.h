/* See the .c file.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_ADVANCE_H
#define WR_HYBRID_ADVANCE_H

#include "subsystems/hybrid_parts.h"

wrsim_status wr_hybrid_advance(wr_subsystem *s, double t_end_s, double tolerance_factor);
int wr_hybrid_is_event_due(wr_subsystem *s, const double *change);

#endif
