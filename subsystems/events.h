/* State events: seeing that an indicator has changed sign over a step, and finding when.
 *
 * Every indicator has a mode, 1 while it is positive, and a direction in which its sign change is
 * an event. A sign change the other way is silent: the mode follows. z = 0 counts as not positive.
 *
 * Finding bisects the step on its dense output by the Illinois variant of the false position method
 * (Dowell and Jarratt 1971), for all indicators at once: the bracket [left, right] is kept so that
 * no event has happened at its left end and at least one at its right end, hence it closes in on
 * the earliest. The event's time is the right end, where the new signs already hold.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#ifndef WR_EVENTS_H
#define WR_EVENTS_H

#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/check.h"

typedef struct wr_events {
    int n_z;
    const unsigned char *direction; /* [n_z] 0 both, 1 rising only, 2 falling only */
    double *left, *right, *middle;  /* [n_z] workspace */
    int64_t n_evaluation;           /* indicator evaluations spent by locate */
} wr_events;

/* Evaluates all indicators at a time inside the step: 0, or non-zero to give up. */
typedef int (*wr_events_probe)(void *self, double t_s, double *ret_z);

/* Places the workspace. NULL when out of memory. */
wr_events *wr_events_place(wr_arena *arena, int n_z, const unsigned char *direction);

/* How many indicators have an event between the signs in mode and those of z. */
int wr_events_count(const wr_events *events, const double *z, const unsigned char *mode);

/* Lets the modes of indicators follow whose sign change is not an event. */
void wr_events_follow(const wr_events *events, const double *z, unsigned char *mode);

/* Sets fired[i] = +1, -1 or 0 and counts them. */
int wr_events_mark(const wr_events *events, const double *z, const unsigned char *mode,
                   signed char *ret_fired);

/* Finds the earliest event in (left_s, right_s], where z_left and z_right are the indicators at the
 * ends and at least one has an event at right_s against mode. On success writes the time, the
 * indicators there, and for every indicator how far it moved over the last bracket. Returns 0 or
 * what probe returned. */
int wr_events_locate(wr_events *events, const unsigned char *mode, double left_s,
                     const double *z_left, double right_s, const double *z_right,
                     double tolerance_s, wr_events_probe probe, void *self, double *ret_t_s,
                     double *ret_z, double *ret_moved);

#endif
