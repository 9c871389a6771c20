/* Calls of a group's components outside of evaluations: start and end of instances, events, next times, ends of steps.
 *
 * Thread: one at a time. Real-time: yes but for start and end, with models that are.
 */
#ifndef WR_GROUP_EVENT_H
#define WR_GROUP_EVENT_H

#include "subsystems/group/group_layout.h"

/* Start values: x, d from descriptions and init(). Returns 0 or a negative status with fault set.
 */
wrsim_status wr_group_init(wr_group *group, double t_s, double *ret_x, double *ret_d);

/* done() of every instance that has been started. Whoever placed the group calls it before its memory goes. */
void wr_group_done(wr_group *group);

/* What instances remember: one block, to be saved and brought back with the states; NULL and 0: nothing. */
void *wr_group_memory(const wr_group *group, size_t *ret_bytes);
/* That part of it which is component c's. */
void *wr_group_memory_of(const wr_group *group, int c, size_t *ret_bytes);

/* A step has been accepted that ends at that point. As the evaluations below. */
int wr_group_step_completed(wr_group *group, const wr_group_point *point);

/* Why a component has an event: its announced time has come, one of its indicators has fired. */
enum { WR_DUE_TIME = 1, WR_DUE_STATE = 2 };

/* One pass of event handling: fired[n_z] as in wrsim_event; due[n_component] says whose event it is
 * and why; modes are already the new ones. Changes x and d in place. */
int wr_group_event(wr_group *group, const wr_group_point *point, const signed char *fired,
                   const unsigned char *due, int is_initial, double *x, double *d);

/* Earliest announced time event per component, written to ret_time[n_component]; returns the
 * earliest. */
double wr_group_next_time(wr_group *group, const wr_group_point *point, double *ret_time);

#endif
