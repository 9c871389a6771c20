/* Adds nodes to the wave inside a step.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_WAVE_REFINEMENT_H
#define WR_WAVE_REFINEMENT_H

#include "subsystems/ode/ode_parts.h"

/* Appends the nodes that the wave needs between the current point, which has a node, and the end of the integrator's last step. Modes
 * and discrete states still have their values of the step. */
wrsim_status wr_ode_publish_inside(wr_subsystem *s, double end_s);
/* Appends the wave's node at the current point, where a step has just ended. The modes are the located ones of that end. */
wrsim_status wr_ode_publish_here(wr_subsystem *s);

#endif
