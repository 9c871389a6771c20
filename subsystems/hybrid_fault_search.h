/* See the .c file.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_FAULT_SEARCH_H
#define WR_HYBRID_FAULT_SEARCH_H

#include "subsystems/hybrid_parts.h"

double wr_hybrid_close_in(wr_subsystem *s, double tolerance_factor);
void wr_hybrid_fault_text(const wr_subsystem *s, wrsim_error *ret_err);

#endif
