/* Cost: how long a subsystem's next integration will take, so that the longest tasks go first.
 *
 * Counted work times how long a unit of it took where that was measured. Work is that of the last
 * integrations; with a period it is kept by phase: a cylinder's differs by half between its strokes,
 * but hardly from one cycle to the next.
 *
 * Only speed depends on it, so clocks may. Thread: the subsystem's task. Real-time: yes after placing.
 */
#ifndef WR_COST_H
#define WR_COST_H

#include <stdint.h>

#include "base/arena.h"

enum { WR_COST_PARTS = 128 }; /* of a period */

typedef struct wr_cost {
    double recent;      /* work of the last integrations; 0 = there was none */
    double ns_per_work; /* 0 = never measured */
    float *density;     /* [WR_COST_PARTS] work per period; 0 = not known; NULL without a period */
} wr_cost;

/* A stretch of time in periods, counted from anywhere. Not finite or not growing: not known. */
typedef struct wr_cost_span {
    double from, to;
} wr_cost_span;

/* 0, or -1 when the arena is exhausted. */
int wr_cost_place(wr_cost *cost, wr_arena *arena, int has_period);

/* An integration over span took this work, and as long; ns = 0: not measured. */
void wr_cost_learn(wr_cost *cost, wr_cost_span span, double work, int64_t ns);

/* Nanoseconds that this work takes (1 for each unit where nothing was measured), ... */
double wr_cost_of_work(const wr_cost *cost, double work);

/* ... and that an integration over span will. */
double wr_cost_expected(const wr_cost *cost, wr_cost_span span);

#endif
