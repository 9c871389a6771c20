/* Counts the points at which a group evaluates its components (wrsim/stats.h), by purpose, and spends or measures their time.
 *
 * A group with a meter calls copies of its models, whose callbacks count. So a group without a meter has no cost. A callback counts a point
 * if time, states, discrete states, modes, or a value that it reads of the inputs differ from the last callback of the component.
 * A Jacobian or a directional derivative of a model counts as one further point.
 *
 * Thread: the thread that evaluates the component. Real-time: yes after placing; the mode WR_POINTS_SPEND waits.
 */
#ifndef WR_POINT_METER_H
#define WR_POINT_METER_H

#include "base/state_io.h"
#include "subsystems/group/group_values.h"
#include "subsystems/solvers/integrator.h"
#include "wrsim/stats.h"

/* Places a meter if a component of the group counts points (wr_component.points), and sets the models of the callers. Returns 0, or -1
 * when out of memory. */
int wr_point_meter_place(wr_arena *arena, wr_group *group);

/* Sets the places of the present purpose, and of the counters of the solver (NULL: none). Until the call points count as OTHER. */
void wr_group_watch_points(wr_group *group, const unsigned char *purpose,
                           const wr_integ_stats *solver);

/* Returns whether the group has a meter. */
static inline int wr_group_counts_points(const wr_group *group)
{
    return group->values->meter != NULL;
}

/* Mark the start of a window of a group with a meter. After wr_group_repeat_points() the points since the last mark count as repeated. */
void wr_group_mark_points(wr_group *group);
void wr_group_repeat_points(wr_group *group);

/* Adds the points of component c by purpose. Without a meter the function adds nothing. */
void wr_group_add_points(const wr_group *group, int c, wrsim_points ret[WRSIM_PURPOSE_COUNT]);

/* Returns the cost of all points so far, s. */
double wr_group_point_cost(const wr_group *group);

/* Returns the median time of a point of component c, s; NaN: too few points, or not measured. */
double wr_group_measured_cost(const wr_group *group, int c);

/* Visits the counters and the last point of each component (base/state_io.h). */
void wr_group_points_state(wr_group *group, wr_state_io *io);

#endif
