/* Waits until the wall-clock moment of a simulated time.
 *
 * An anchor relates one clock reading to one simulated time. The pacer computes each moment from the anchor, so rounding errors do not
 * accumulate. While steps are late, the anchor stays the same and the loop catches up. If a step is later than a limit or the clock jumps,
 * the present reading becomes the anchor of the present step.
 *
 * One clock cannot distinguish a jump forward from a long step. A step that takes longer than its nominal span plus jump_s counts as a
 * jump.
 *
 * Thread: one owner; the functions of the clock run in the owner's thread. Real-time: yes (waits with clock_nanosleep or the function of
 * the host). */
#ifndef WR_PACER_H
#define WR_PACER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"

/* Clock of a host. Both functions receive `context`. */
typedef struct wr_pacer_clock {
    int64_t (*now)(void *context); /* returns the clock reading, ns since a fixed moment */
    /* Returns at due_ns or earlier, even if a user sets the clock during the wait. */
    void (*sleep_until)(void *context, int64_t due_ns);
    void *context;
} wr_pacer_clock;

enum {
    WR_PACER_SPIN_ONLY = -1, /* value of spin_ns: the pacer waits by spinning only */
    WR_PACER_STOPPED = -1    /* result of wr_pacer_wait: the stop flag is set */
};

typedef struct wr_pacer_options {
    double rate;          /* simulated s per wall s, > 0 */
    wr_pacer_clock clock; /* both functions NULL: CLOCK_MONOTONIC */
    /* length of the spin at the end of a wait, ns; 0: the pacer only sleeps */
    int64_t spin_ns;
    /* lateness of a step above which the pacer sets a new anchor, wall s, > 0; INFINITY: the loop always catches up */
    double most_late_s;
    double jump_s; /* deviation that counts as a jump of the clock, wall s, > 0; INFINITY: never */
    const atomic_int *stop; /* flag of the caller; a value other than 0 ends waits; NULL: none */
} wr_pacer_options;

/* A pacer. The caller may read the counters between calls. */
typedef struct wr_pacer {
    int64_t n_wait;     /* completed waits */
    int64_t n_overrun;  /* completed waits that began after their moment */
    int64_t n_reanchor; /* completed waits later than most_late_s; each sets a new anchor */
    int64_t n_jump;     /* jumps of the clock; each sets a new anchor */
    /* Private members: */
    wr_pacer_clock clock;
    double rate;
    int64_t spin_ns, most_late_ns, jump_ns;
    const atomic_int *stop;
    double anchor_s;   /* simulated time of the anchor, s */
    double last_s;     /* simulated time of the last wait that the stop flag has not ended, s */
    int64_t anchor_ns; /* clock reading of the anchor */
    int64_t seen_ns;   /* last reading of the clock */
    int64_t n_rest;    /* sleeps and pauses */
} wr_pacer;

/* Initialises a pacer. Returns WRSIM_E_ARG if a number is out of range or one function of the clock is missing. */
wrsim_status wr_pacer_init(wr_pacer *pacer, const wr_pacer_options *options);

/* Makes the present reading the anchor of simulated time t_s, for the start, and after a change of simulated time without a wait. */
void wr_pacer_begin(wr_pacer *pacer, double t_s);

/* Returns the clock reading of t_s, rounded to ns, or INT64_MIN or INT64_MAX if out of range. */
int64_t wr_pacer_due_ns(const wr_pacer *pacer, double t_s);

/* Waits until the moment of t_s, which must not be before the moment of the last wait. Returns the lateness in ns, >= 0, also if the
 * moment has passed. If the stop flag is set, returns WR_PACER_STOPPED within 50 ms. A jump of the clock ends the wait. A jump forward
 * gives lateness, and a stopped clock counts as a jump. If more than the nominal span of the step plus jump_s is left, the wait ends as
 * after a jump. */
int64_t wr_pacer_wait(wr_pacer *pacer, double t_s);

#endif
