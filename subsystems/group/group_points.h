/* Counts the points at which a group evaluates its components (wrsim/stats.h), by purpose. Two modes also wait at each point, or measure
 * the time of points (wr_points_mode).
 *
 * A group with a meter calls copies of its models, whose callbacks count. So a group without a meter has no cost. A callback counts a point
 * if time, states, discrete states, modes or an input that the callback reads differ from the component's last point. A Jacobian or a
 * directional derivative of a model counts as one further point.
 *
 * Thread: the thread that evaluates the component. Real-time: yes after placing; the mode WR_POINTS_SPEND waits.
 */
#ifndef WR_GROUP_POINTS_H
#define WR_GROUP_POINTS_H

#include "base/state_io.h"
#include "subsystems/group/group_layout.h"

/* Places a meter if a component of the group counts points (wr_component.points), and sets the models of the callers. Returns 0, or -1
 * when out of memory. */
int wr_group_points_place(wr_arena *arena, wr_group *group);

/* Reads or writes the counters and the last point of each component (base/state_io.h). */
void wr_group_points_state(wr_group *group, wr_state_io *io);

#endif
