/* Expected time of a subsystem's next integration, so that the longest tasks begin first.
 *
 * The expected time is the counted work of the last integrations times the measured time per unit of work. With a
 * period, work is stored by phase: the work of a cylinder differs by half between its strokes, but little between cycles.
 *
 * Only speed depends on these times, so clocks are allowed. Thread: the subsystem's task. Real-time: yes after placing.
 */
#ifndef WR_TASK_TIME_H
#define WR_TASK_TIME_H

#include <stdint.h>

#include "base/arena.h"

enum { WR_TASK_TIME_PARTS = 128 }; /* parts of a period */

typedef struct wr_task_time {
    double recent;      /* mean work of the last integrations; 0: no integration */
    double ns_per_work; /* measured time per work unit; 0: not known */
    float *density; /* [WR_TASK_TIME_PARTS] work per period; 0: not known; NULL without a period */
} wr_task_time;

/* A span of time in periods, from an arbitrary origin. If an end is not finite, or to <= from, the span is not known. */
typedef struct wr_task_time_span {
    double from, to;
} wr_task_time_span;

/* 0, or -1 when the arena is exhausted. */
int wr_task_time_place(wr_task_time *time, wr_arena *arena, int has_period);

/* Learns the work and the wall time, ns (0: not measured), of an integration over span. */
void wr_task_time_learn(wr_task_time *time, wr_task_time_span span, double work, int64_t ns);

/* Expected time of this work, ns; 1 ns per unit if nothing was measured. */
double wr_task_time_of_work(const wr_task_time *time, double work);

/* Expected time of an integration over span, ns. */
double wr_task_time_expected(const wr_task_time *time, wr_task_time_span span);

#endif
