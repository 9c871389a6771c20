/* Compares two courses of the same variables point by point: the subsystem's course and its shadow (delay_shadow.h).
 *
 * The error of a variable at a point is the difference of the two courses. If the shadow jumps beside a point, and the course jumps
 * up to WR_COMPARE_REACH points earlier or later, an event is late. A late event is an error of time, so the comparison omits the
 * point. If the course has no such jump, the course lacks an event, and the point counts. The comparison therefore judges each
 * point WR_COMPARE_REACH points later. A jump is a change by a share of the range, which grows during the run. The shadow jumps
 * only at events and at jumps of its inputs.
 *
 * Thread: one owner. Real-time: yes after placing.
 */
#ifndef WR_DELAY_COMPARE_H
#define WR_DELAY_COMPARE_H

#include "base/arena.h"
#include "base/state_io.h"

enum { WR_COMPARE_REACH = 2, WR_COMPARE_POINTS = 2 * WR_COMPARE_REACH + 1 }; /* points (assumed) */

typedef struct wr_delay_compare {
    int n;              /* number of variables */
    int n_point;        /* number of the next point; wraps to stay below 2 WR_COMPARE_POINTS */
    double *least;      /* [n] lower limit of the range */
    double *low, *high; /* [n] smallest and largest value of the shadow so far */
    double *most;       /* [n] largest error so far */
    /* [n] error of the point judged last, or a larger added error; 0 if omitted */
    double *last;
    /* [n] largest omitted error, and the shadow's jump beside this error. If the range grows so much that the change is no jump, the error
     * counts. */
    double *held, *held_jump;
    double *course, *shadow; /* [WR_COMPARE_POINTS * n] the last points, a cyclic buffer */
    /* 1: the shadow may have jumped since the previous point */
    unsigned char has_instant[WR_COMPARE_POINTS];
} wr_delay_compare;

/* Places the comparison of n variables. The caller fills `least`. Returns 0, or -1 when the arena is exhausted. */
int wr_delay_compare_place(wr_delay_compare *compare, wr_arena *arena, int n);

/* Return memory for the values of the next point, [n] each. */
double *wr_delay_compare_course(wr_delay_compare *compare);
double *wr_delay_compare_shadow(wr_delay_compare *compare);
/* Adds the point whose values the caller has written, and judges the point WR_COMPARE_REACH points back. has_instant 1: the shadow has
 * passed an event or a jump of an input since the previous point. */
void wr_delay_compare_add(wr_delay_compare *compare, int has_instant);
/* Discards the points, because the shadow begins anew and earlier points are not adjacent to later points. */
void wr_delay_compare_restart(wr_delay_compare *compare);

/* Widens the range of variable i by a value of the shadow. */
void wr_delay_compare_note(wr_delay_compare *compare, int i, double value);
/* Adds an error of variable i that the caller has computed. */
void wr_delay_compare_error(wr_delay_compare *compare, int i, double error);

/* Returns the unit of errors of variable i, at least least[i]: its range, or its size if the range may be rounding. 0: no value yet. */
double wr_delay_compare_range(const wr_delay_compare *compare, int i);
/* Returns the largest error of variable i so far. */
double wr_delay_compare_largest(const wr_delay_compare *compare, int i);
/* Returns the largest error of all variables so far, as a share of the variable's range, at most 1. */
double wr_delay_compare_most(const wr_delay_compare *compare);

void wr_delay_compare_state(wr_delay_compare *compare, wr_state_io *io);

#endif
