/* Expected time of a subsystem's next integration, so that the longest tasks go first.
 *
 * Counted work times how long a unit of it took where that was measured. Work is that of the last
 * integrations; with a period it is kept by phase: a cylinder's differs by half between its strokes,
 * but hardly from one cycle to the next.
 *
 * Only speed depends on it, so clocks may. Thread: the subsystem's task. Real-time: yes after placing.
 */
#ifndef WR_TASK_TIME_H
#define WR_TASK_TIME_H

#include <stdint.h>

#include "base/arena.h"

enum { WR_TASK_TIME_PARTS = 128 }; /* of a period */

typedef struct wr_task_time {
    double recent;      /* work of the last integrations; 0 = there was none */
    double ns_per_work; /* 0 = never measured */
    float *density; /* [WR_TASK_TIME_PARTS] work per period; 0 = not known; NULL without a period */
} wr_task_time;

/* A span of time in periods, counted from anywhere. Not finite or not growing: not known. */
typedef struct wr_task_time_span {
    double from, to;
} wr_task_time_span;

/* 0, or -1 when the arena is exhausted. */
int wr_task_time_place(wr_task_time *time, wr_arena *arena, int has_period);

/* An integration over span took this work, and as long; ns = 0: not measured. */
void wr_task_time_learn(wr_task_time *time, wr_task_time_span span, double work, int64_t ns);

/* Nanoseconds that this work takes (1 for each unit where nothing was measured), ... */
double wr_task_time_of_work(const wr_task_time *time, double work);

/* ... and that an integration over span will. */
double wr_task_time_expected(const wr_task_time *time, wr_task_time_span span);

#endif
