/* Simulated time against the wall clock: wait until the moment of a simulated time.
 *
 * An anchor says which clock reading belongs to which simulated time; all moments are computed from it and never
 * accumulated. It stays where it is while steps are late (the loop catches up), until a step is later than a limit or the
 * clock jumps: then the present reading belongs to the present step's time.
 *
 * One clock cannot tell a jump forward from a step that took as long: whatever lies more than the limit above a step's nominal
 * span counts as a jump.
 *
 * Thread: one owner; the clock's functions are called in its thread. Real-time: yes (waiting is its purpose:
 * clock_nanosleep, or what the host gives).
 */
#ifndef WR_PACER_H
#define WR_PACER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"

/* A host's clock; context is handed to both. */
typedef struct wr_pacer_clock {
    int64_t (*now)(void *context); /* ns since some fixed moment */
    /* Returns at due_ns or sooner, and not later because the clock is set meanwhile. */
    void (*sleep_until)(void *context, int64_t due_ns);
    void *context;
} wr_pacer_clock;

enum {
    WR_PACER_SPIN_ONLY = -1, /* as spin_ns */
    WR_PACER_STOPPED = -1    /* as lateness */
};

typedef struct wr_pacer_options {
    double rate;          /* simulated s per wall s, > 0 */
    wr_pacer_clock clock; /* both functions NULL: CLOCK_MONOTONIC */
    int64_t spin_ns;      /* the last part of a wait is spun; 0 = sleep only */
    double most_late_s;   /* wall s, > 0: later steps move the anchor; INFINITY = catch up always */
    double jump_s; /* wall s, > 0: the clock jumps when it is off by more; INFINITY = never */
    const atomic_int *stop; /* not 0 ends waits; NULL: none. The caller keeps it. */
} wr_pacer_options;

/* To be read between calls. */
typedef struct wr_pacer {
    int64_t n_wait;     /* that reached their moment */
    int64_t n_overrun;  /* of these, whose moment was over when they began */
    int64_t n_reanchor; /* of these, later than most_late_s: the anchor was moved */
    int64_t n_jump;     /* of the clock: the anchor was moved */
    /* Inside. */
    wr_pacer_clock clock;
    double rate;
    int64_t spin_ns, most_late_ns, jump_ns;
    const atomic_int *stop;
    double anchor_s,
        last_s; /* simulated time of the anchor, and of the last wait that ended by itself */
    int64_t anchor_ns;
    int64_t seen_ns; /* the last reading of the clock */
    int64_t n_rest;  /* sleeps and pauses */
} wr_pacer;

/* WRSIM_E_ARG if a number is outside of what is said above, or if one of the clock's functions is missing. */
wrsim_status wr_pacer_init(wr_pacer *pacer, const wr_pacer_options *options);

/* From now on simulated time t_s is now. At the start, and wherever simulated time does not simply go on. */
void wr_pacer_begin(wr_pacer *pacer, double t_s);

/* Reading of the clock that belongs to t_s, rounded to ns; INT64_MIN or INT64_MAX if there is none that far away. */
int64_t wr_pacer_due_ns(const wr_pacer *pacer, double t_s);

/* Waits until the moment of t_s, which does not come before that of the last wait. Returns by how many ns it is over, >= 0,
 * whether waiting ended late or there was nothing to wait for; or WR_PACER_STOPPED at once, or within 50 ms, if the stop flag is
 * set. A jump of the clock ends the wait; one back counts as no lateness, one forward as what it looks like. So it never sleeps
 * until later than the nominal span of the step plus jump_s; a clock that stands still counts as a jump, too. */
int64_t wr_pacer_wait(wr_pacer *pacer, double t_s);

#endif
