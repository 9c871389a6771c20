/* State events: seeing that an indicator has changed sign over a step, and finding when.
 *
 * Every indicator has a mode, 1 while it is positive, and a direction in which its sign change is
 * an event. A sign change the other way is silent: the mode follows. z = 0 counts as not positive.
 *
 * Finding closes a bracket [left, right] on the dense output of the step, for all indicators at
 * once: no event has happened at its left end and at least one at its right end, hence it closes in
 * on the earliest. The event's time is the right end, where the new signs already hold.
 *
 * Only candidates are looked at meanwhile: indicators with an event at the right end. Others can
 * only have crossed zero and come back, which the step's end does not show. So a probe needs to
 * evaluate the candidates' components only (block-selective root location). At the time found all
 * indicators are evaluated once; if one that was no candidate shows an event there, the bracket is
 * opened again for it. The next probe is the earliest zero of the candidates' curves: each is the
 * polynomial through the bracket's ends, the end given up last, and what is known from before the
 * span, up to four values in all. That is Muller's method with one value more ("A method for
 * solving algebraic equations using an automatic computer", Math. Tables Aids Comput. 10, 1956);
 * where it makes no way the bracket is halved.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#ifndef WR_EVENTS_H
#define WR_EVENTS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"

/* Evaluates indicators at a time inside the step: those listed at least, all if index is NULL.
 * Writes ret_z[n_z] at their places. Returns 0, or non-zero to give up. */
typedef int (*wr_events_probe)(void *self, double t_s, const int *index, int n_index,
                               double *ret_z);

/* The span to be searched. mode and z_left must stay as they are until the event is found, z_right
 * until the first probe. */
typedef struct wr_events_span {
    const unsigned char *mode;
    double left_s, right_s;
    const double *z_left, *z_right; /* [n_z] */
    const double *band;             /* [n_z] see wr_events_open(); NULL: 0 */
    double tolerance_s;             /* the event's time is found to this, ... */
    double tolerance_share;         /* ... or to this share of the span, if that is longer */
    double least_s;                 /* it comes so long after left_s, or later */
    int n_before;              /* what is known from before left_s, from where on indicators have */
    double before_s[2];        /* been smooth: times, the latest first, ... */
    const double *z_before[2]; /* ... [n_z] and indicators there. For better guesses */
    int probes_all;            /* probe writes all of ret_z[], whatever it is asked for */
    int max_probe; /* closing in ends with so many, as wide as the bracket then is; 0: no limit */
    wr_events_probe probe;
    void *self;
} wr_events_span;

typedef struct wr_events {
    int n_z;
    const unsigned char *direction; /* [n_z] 0 both, 1 rising only, 2 falling only */
    int64_t n_evaluation;           /* probes spent */
    int64_t n_before_span;          /* of them, when the bracket was opened first */
    /* The bracket. Candidates in ascending order; values by their place in the list. */
    wr_events_span span;
    double left_s, right_s, third_s; /* third: the end given up last */
    int side;                        /* end that moved last: -1 left, 1 right, 0 none */
    int is_right_moved;
    int n_silent; /* sign changes at the span's right end, or at the time found, that are no events */
    int n_candidate;
    int *candidate;               /* [n_z] */
    double *left, *right, *third; /* [n_z] */
    double *probed;               /* [n_z] by indicator */
    double *at_right;             /* [n_z] the same at the right end, with probes_all */
    int n_found, *found;          /* [n_z] events at the time found, ascending */
    unsigned *changed;            /* bits of sign changes, a block each */
} wr_events;

/* Places the workspace. NULL when out of memory. */
wr_events *wr_events_place(wr_arena *arena, int n_z, const unsigned char *direction);

/* Lists the indicators that have an event between the signs in mode and those of z, ascending, and
 * returns how many they are. */
int wr_events_list(const wr_events *events, const double *z, const unsigned char *mode,
                   int *ret_index);

/* Indicators as a weighted sum of arrays of them: an extrapolation. */
typedef struct wr_events_sum {
    double weight[3];
    const double *z[3]; /* [n_z] each */
} wr_events_sum;

/* Lists the indicators that have an event between the signs in mode and those of
 * w0 z0 + (w1 z1 + w2 z2), as wr_events_list. */
int wr_events_list_sum(const wr_events *events, const wr_events_sum *sum, const unsigned char *mode,
                       int *ret_index);

/* As wr_events_list, and lets the modes of indicators follow whose sign change is not an event; counts
 * those. */
int wr_events_take(const wr_events *events, const double *z, unsigned char *mode, int *ret_index,
                   int *ret_n_silent);

/* What is known of the indicators over a stretch: at its ends, and at up to two times on one side of it,
 * the nearest first. */
typedef struct wr_events_course {
    double left_s, right_s, known_s[2];
    const double *z_left, *z_right, *z_known[2]; /* [n_z] */
    int n_known;
    const double *nominal; /* [n_z] */
    double rtol; /* of its size, or of its nominal value: closer to zero it counts as zero */
} wr_events_course;

/* May an indicator with the same sign at both ends have crossed zero and come back? By the parabola through
 * the ends and the nearest value known, and by how far it is from the other one. Without any: may be. */
int wr_events_may_hide(const wr_events *events, const wr_events_course *course);

/* Is what the parabola through both ends and the nearest value known says of a time inside about what z[n_z] is
 * there? Without a value known: yes. */
int wr_events_foresaw(const wr_events *events, const wr_events_course *course, double t_s,
                      const double *z);

/* Opens the bracket (left, right]. Returns how many candidates there are; 0: no event. An indicator whose sign at the left end is
 * against its mode, which is within its band there, and not farther from zero at the right end, returns to its mode: it is no
 * candidate. */
int wr_events_open(wr_events *events, const wr_events_span *span);

/* Where the earliest event of an open bracket is expected from what is known so far. */
double wr_events_guess(const wr_events *events);

/* Moves the right end of an open bracket back until it is expected to lie no further behind the event
 * than a distance, not below the tolerance. Returns 0 or what probe returned. */
int wr_events_approach(wr_events *events, double distance_s);

/* Closes an open bracket to the tolerance, or until its right end is known to be that near. Writes
 * the event's time and all indicators there. ret_moved has for each indicator found how far it
 * moves in the tolerance (others than candidates: on average over the span). ret_z may be the
 * span's z_right. Returns 0 or what probe returned. */
int wr_events_land(wr_events *events, double *ret_t_s, double *ret_z, double *ret_moved);

#endif
