/* Calls of a group's components outside of evaluations: start and end of instances, events, next times, ends of steps.
 *
 * Thread: one at a time. Real-time: yes but for start and end, with models that are.
 */
#ifndef WR_GROUP_EVENT_H
#define WR_GROUP_EVENT_H

#include "subsystems/group/group_layout.h"

/* Sets x and d to their start values, from descriptions and init(). Returns 0, or a negative status with the fault set. */
wrsim_status wr_group_init(wr_group *group, double t_s, double *ret_x, double *ret_d);

/* Calls done() of every started instance. The owner of the group calls this before it frees the memory. */
void wr_group_done(wr_group *group);

/* Calls step_completed() of the components after an accepted step that ends at the point. Returns as an evaluation (group_eval.h). */
int wr_group_step_completed(wr_group *group, const wr_group_point *point);

/* Reasons for an event of a component: its announced time has come, or one of its indicators has fired. */
enum { WR_DUE_TIME = 1, WR_DUE_STATE = 2 };

/* Fires one round of events, which change x and d in place. fired[n_z]: as in wrsim_event. due[n_component]: reasons for the event of a
 * component; 0: no event. The modes of the point are those after the round. */
int wr_group_event(wr_group *group, const wr_group_point *point, const signed char *fired,
                   const unsigned char *due, int is_initial, double *x, double *d);

/* Writes the earliest announced time event of each component to ret_time[n_component]; returns the earliest of all. */
double wr_group_next_time(wr_group *group, const wr_group_point *point, double *ret_time);

#endif
