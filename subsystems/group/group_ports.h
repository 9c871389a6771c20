/* Ports of a group: contiguous inputs that a model reads in place.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PORTS_H
#define WR_GROUP_PORTS_H

#include "subsystems/group/group_layout.h"

/* Links each port to its values if these are contiguous; other ports are in u. Needs graph->driver. Returns 0, or -1 when out of
 * memory. */
int wr_group_ports_place(wr_arena *arena, wr_group *group);

/* Returns an input (group number) of the last evaluation; it is current if the plan finds the input. Call this before the arrays of the
 * point change, because a port may point into them. */
double wr_group_input(const wr_group *group, int i_input);

#endif
