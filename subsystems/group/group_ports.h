/* Ports of a group: inputs that a model reads side by side.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PORTS_H
#define WR_GROUP_PORTS_H

#include "subsystems/group/group_layout.h"

/* Links each port to its values if they are contiguous; other ports are in u. Needs graph->driver. 0, or -1 when out of memory. */
int wr_group_ports_place(wr_arena *arena, wr_group *group);

/* An input (group number) of the last evaluation, current if the plan finds it. Read it before the arrays of the point change,
 * because a port may point into them. */
double wr_group_input(const wr_group *group, int i_input);

#endif
