/* See the .c file.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_EFFECT_H
#define WR_HYBRID_EFFECT_H

#include "subsystems/hybrid_parts.h"

double wr_hybrid_effect(wr_subsystem *s, const double *change, double length_s,
                        const double *output_weight);

#endif
