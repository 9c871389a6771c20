/* State events: detects a change of an indicator's sign in a step, and locates the event.
 *
 * Every indicator has a mode, its stored sign: 1 positive, 0 not positive. z = 0 counts as not positive. A direction selects the sign
 * changes that are events. A sign change in the other direction is silent: only the mode changes.
 *
 * The search narrows a bracket [left, right] on the dense output of the step, for all indicators at once. Apart from rounding after an
 * event at the span's start, no event is at the left end. At least one event is at the right end, so the bracket converges to an event. The
 * event's time is the right end, at which the new signs hold.
 *
 * Candidates are indicators with an event at the right end. Without probes_all a probe evaluates only the components of candidates
 * (block-selective root location). Other indicators have no event, or have two crossings of zero that the step's end does not show. At the
 * located time the search compares the signs of all indicators. If an indicator that is no candidate then has an event, the search opens
 * the bracket again. The next probe is next to the earliest zero of the candidates' curves. A curve is the polynomial through up to four
 * values: the bracket's ends, the last replaced end, and known values outside the span. The method is Muller's method with a fourth value (Muller,
 * "A method for solving algebraic equations using an automatic computer", Math. Tables Aids Comput. 10, 1956). If the method converges
 * slowly, the search halves the bracket.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#ifndef WR_EVENTS_H
#define WR_EVENTS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"

/* Evaluates at least the listed indicators (index NULL: all) at a time inside the step, into ret_z[n_z]. Returns 0; another value ends the
 * search. */
typedef int (*wr_events_probe)(void *self, double t_s, const int *index, int n_index,
                               double *ret_z);

/* The span of the search. mode, z_left and z_right stay constant until the search has located the event. */
typedef struct wr_events_span {
    const unsigned char *mode;
    double left_s, right_s;
    const double *z_left, *z_right; /* [n_z] */
    const double *
        band; /* [n_z] < 0: the indicator may return (wr_events_open()); NULL: no indicator may return */
    double until_s; /* latest time of a return */
    double
        tolerance_s; /* error of the event's time, s; the larger of tolerance_s and tolerance_share counts */
    double tolerance_share; /* error of the event's time, as a share of the span */
    double least_s;         /* least time from left_s to the event */
    int n_known; /* number of known points outside the span with smooth indicators from the points to the span */
    double known_s[2];        /* times of the known points, the nearest first */
    const double *z_known[2]; /* [n_z] indicators at the known points, for better guesses */
    int probes_all;           /* probe writes all of ret_z[] */
    int max_probe;            /* number of probes after which a search ends; 0: no limit */
    wr_events_probe probe;
    void *self;
} wr_events_span;

typedef struct wr_events {
    int n_z;
    const unsigned char *direction; /* [n_z] 0 both, 1 rising only, 2 falling only */
    int64_t n_evaluation;           /* number of probes */
    int64_t n_before_span;          /* n_evaluation at the start of the present search */
    wr_events_span span;
    double left_s, right_s, third_s; /* ends of the bracket; last replaced end */
    int side;                        /* end that moved last: -1 left, 1 right, 0 none */
    int is_right_moved;
    int n_silent; /* sign changes at the span's right end, or at the located time, that are no events */
    int n_candidate;
    int *candidate;               /* [n_z] candidates, ascending */
    double *left, *right, *third; /* [n_z] values of the candidates at left_s, right_s, third_s */
    double *probed;               /* [n_z] last probe: the candidates, or all with probes_all */
    double *at_right;    /* [n_z] indicators at right_s, with probes_all, after right_s has moved */
    int n_found, *found; /* [n_z] events at the located time, ascending */
    unsigned *changed;   /* bits of sign changes, one element per block */
} wr_events;

/* Places the workspace. Returns NULL when out of memory. */
wr_events *wr_events_place(wr_arena *arena, int n_z, const unsigned char *direction);

/* Lists the indicators that have an event between the signs in mode and the signs of z, ascending. Returns the number of listed
 * indicators. */
int wr_events_list(const wr_events *events, const double *z, const unsigned char *mode,
                   int *ret_index);

/* Lists the indicators whose sign differs from their mode, ascending, with and without an event. Returns the number of listed indicators. */
int wr_events_list_changed(const wr_events *events, const double *z, const unsigned char *mode,
                           int *ret_index);

/* Indicators as a weighted sum of arrays, such as an extrapolation. */
typedef struct wr_events_sum {
    double weight[3];
    const double *z[3]; /* [n_z] each */
} wr_events_sum;

/* Lists the events of the indicators w0 z0 + (w1 z1 + w2 z2), like wr_events_list(). */
int wr_events_list_sum(const wr_events *events, const wr_events_sum *sum, const unsigned char *mode,
                       int *ret_index);

/* Lists the events like wr_events_list(). If a sign change is no event, the mode follows; *ret_n_silent counts such changes. */
int wr_events_take(const wr_events *events, const double *z, unsigned char *mode, int *ret_index,
                   int *ret_n_silent);

/* Known values of the indicators over an interval: at the ends of the interval, and at up to two times outside, the nearest first. */
typedef struct wr_events_course {
    double left_s, right_s, known_s[2];
    const double *z_left, *z_right, *z_known[2]; /* [n_z] */
    int n_known;
    const double *nominal; /* [n_z] */
    double rtol;           /* share of an indicator's size that counts as zero */
} wr_events_course;

/* Returns whether an indicator with one sign at both ends may have crossed zero twice. The parabola through the ends and the nearest
 * known value decides, with a bound of the parabola's error. Without known values the function returns 1 if n_z > 0. */
int wr_events_may_hide(const wr_events *events, const wr_events_course *course);

/* Returns whether the parabola through both ends and the nearest known value predicts z[n_z] at a time inside. Returns 1 without known
 * values. */
int wr_events_foresaw(const wr_events *events, const wr_events_course *course, double t_s,
                      const double *z);

/* Opens the bracket (left, right]. Returns the number of candidates; 0: no event. An indicator with a negative band returns to its mode,
 * and is no candidate, under three conditions. The indicator's sign at the left end is against the mode. The indicator's size is at most
 * -band at the left end, and not larger at the right end. The right end is at most at until_s. */
int wr_events_open(wr_events *events, const wr_events_span *span);

/* Returns the expected time of the earliest event of an open bracket. */
double wr_events_guess(const wr_events *events);

/* Moves the right end of an open bracket back until its expected distance from the event is at most max(distance_s, tolerance). The
 * search also ends if the right end is at most least_s after the span's start, or after max_probe probes. Returns 0 or the probe's return
 * value. */
int wr_events_approach(wr_events *events, double distance_s);

/* Narrows an open bracket until its width, or the distance of its right end from the event, is at most the tolerance. The search also
 * ends if the right end is at most least_s after the span's start, or after max_probe probes. Writes the event's time and all indicators
 * at that time. Sets ret_moved[n_z] only for located indicators: estimated change in the tolerance. ret_z may be the span's z_right.
 * Returns 0 or the probe's return value. */
int wr_events_land(wr_events *events, double *ret_t_s, double *ret_z, double *ret_moved);

#endif
