/* Ports of a group: inputs that a model reads side by side.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PORTS_H
#define WR_GROUP_PORTS_H

#include "subsystems/group/group_layout.h"

/* Links ports to where their values are, as far as that is one place; the others are in u. Needs drivers.
 * 0, or -1 when out of memory. */
int wr_group_ports_place(wr_arena *arena, wr_group *group);

/* An input (group number) as the last evaluation found it, current where that was to give it; read before the arrays
 * of its point change, in which it may be. */
double wr_group_input(const wr_group *group, int i_input);

#endif
