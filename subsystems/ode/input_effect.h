/* Estimates the effect of a change of inputs on a window.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_INPUT_EFFECT_H
#define WR_INPUT_EFFECT_H

#include "subsystems/ode/ode_parts.h"

double wr_ode_effect(wr_subsystem *s, const double *change, double length_s,
                     const double *output_weight);

#endif
