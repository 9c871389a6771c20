/* Expected time of a subsystem's next integration, so that the longest tasks begin first.
 *
 * The expected time is the counted work of the last integrations times the measured time per unit of work. With a period, the object stores
 * work by phase, because the work repeats after a period.
 *
 * Only speed depends on the expected times, so clocks are allowed. Thread: the subsystem's task. Real-time: yes after placing. */
#ifndef WR_PHASE_COST_H
#define WR_PHASE_COST_H

#include <stdint.h>

#include "base/arena.h"

enum { WR_PHASE_COST_PARTS = 128 }; /* number of parts of a period (assumed) */

typedef struct wr_phase_cost {
    double recent;      /* mean work of the last integrations; 0: no integration */
    double ns_per_work; /* measured time per work unit; 0: not known */
    float *density; /* [WR_PHASE_COST_PARTS] work per period; 0: not known; NULL without a period */
} wr_phase_cost;

/* A span of time in periods, from an arbitrary origin. The span is not known if an end is not finite or very large, or to <= from. */
typedef struct wr_phase_cost_span {
    double from, to;
} wr_phase_cost_span;

/* Places the object. Returns 0, or -1 when the arena is exhausted. */
int wr_phase_cost_place(wr_phase_cost *time, wr_arena *arena, int has_period);

/* Learns the work and the wall time, ns (0: not measured), of an integration over span. */
void wr_phase_cost_learn(wr_phase_cost *time, wr_phase_cost_span span, double work, int64_t ns);

/* Returns the expected time of this work, ns; 1 ns per unit without measurements. */
double wr_phase_cost_of_work(const wr_phase_cost *time, double work);

/* Returns the expected time of an integration over span, ns. */
double wr_phase_cost_expected(const wr_phase_cost *time, wr_phase_cost_span span);

#endif
