/* Deadlines of a run whose subsystems advance in periods: misses, and the reaction to misses. Step n consists of the n-th period of all
 * watched subsystems. The step is a miss if one of these periods ends after its deadline. The thread that notes the last period of a step,
 * or a thread that is judging at that time, judges the step. If a subsystem is WR_DEADLINES_AHEAD steps behind another subsystem, the judge
 * judges the oldest of these steps without the late subsystem, as a miss.
 *
 * More than m misses in k successive steps (weakly_hard.h) are a violation, to which the policy reacts.
 *
 * Thread: wr_deadlines_note(): any, but for each subsystem only one thread at a time. Flags: any. All other functions: the owner, while no
 * thread is in wr_deadlines_note(). Real-time: all functions except wr_deadlines_place(). No function waits. */
#ifndef WR_DEADLINES_H
#define WR_DEADLINES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/histogram.h"
#include "scheduler/weakly_hard.h"

enum { WR_DEADLINES_AHEAD = 64, WR_DEADLINES_WORST = 10 }; /* numbers of steps (assumed) */

typedef enum wr_deadline_policy {
    WR_DEADLINE_REPORT, /* no reaction */
    WR_DEADLINE_HOLD,   /* while wr_deadlines_is_holding() is 1, the run holds outputs */
    WR_DEADLINE_DEGRADE, /* wr_deadlines_is_degraded() is 1 from a violation until k successive steps are in time */
    WR_DEADLINE_STOP /* wr_deadlines_is_stopping() is 1 after a miss that violates the limit of m misses */
} wr_deadline_policy;

/* Work of a subsystem in a period. */
typedef struct wr_period_work {
    int64_t n_rhs, n_jacobian, n_event;
} wr_period_work;

/* Times of a period of a subsystem. */
typedef struct wr_period_time {
    double t_s;                /* simulated time at the start, s */
    int64_t begun_ns, done_ns; /* wall time of start and end, readings of one clock */
    int64_t late_ns;           /* delay of the start, >= 0 */
    int64_t compute_ns;        /* computing time, without waits */
    int64_t over_ns;           /* time from the deadline to the end; > 0 is a miss */
    wr_period_work work;
} wr_period_time;

/* One of the steps with the largest over_ns. */
typedef struct wr_worst_step {
    int64_t i_step;
    /* largest over_ns of all watched subsystems; INT64_MAX: the period of a subsystem is missing */
    int64_t over_ns;
    /* the first subsystem whose period is missing, else the first subsystem with the largest over_ns */
    int i_part;
    wr_period_time time; /* period of subsystem i_part; if the period is missing, only t_s is set */
} wr_worst_step;

/* Times of a judged step. */
typedef struct wr_judged_step {
    double t_s;         /* simulated time at the start, s; NaN: no period of the step is complete */
    int64_t compute_ns; /* sum of the complete periods */
    int64_t late_ns;    /* smallest delay of a start; 0: no period is complete */
    int64_t over_ns;    /* largest over_ns; INT64_MAX: the period of a subsystem is missing */
} wr_judged_step;

typedef struct wr_deadlines_options {
    int n_part;
    const unsigned char *is_watched; /* [n_part] 0: the subsystem has no deadlines */
    int m, k; /* at most m misses in k successive steps (wr_weakly_hard_init() has the limits) */
    wr_deadline_policy policy;
    /* The judge calls `judged` for each step, in order; the calls do not overlap. NULL: no call */
    void (*judged)(void *context, const wr_judged_step *step);
    void *context;
} wr_deadlines_options;

/* Statistics of all steps. */
typedef struct wr_deadlines_stats {
    int64_t n_step, n_miss, n_violation, first_violation,
        longest_run;     /* counts as in wr_weakly_hard (weakly_hard.h) */
    int64_t n_held;      /* number of steps at whose end wr_deadlines_is_holding() is 1 */
    int64_t n_degraded;  /* number of steps judged while wr_deadlines_is_degraded() is 1 */
    int64_t n_abandoned; /* number of steps judged while the period of a subsystem is missing */
    /* largest over_ns of the complete steps; <= 0: all periods of these steps end in time */
    int64_t most_over_ns;
    /* wall time of the last step, from the first start to the last end of a subsystem */
    int64_t last_span_ns;
    int n_worst;
    /* list of worst steps, in descending order of over_ns */
    wr_worst_step worst[WR_DEADLINES_WORST];
} wr_deadlines_stats;

typedef struct wr_deadlines wr_deadlines;

/* Returns the deadlines of a run, or NULL when the arena is exhausted or m or k is invalid. */
wr_deadlines *wr_deadlines_place(wr_arena *arena, const wr_deadlines_options *options);

/* Deletes all steps and statistics, and clears the flags. */
void wr_deadlines_reset(wr_deadlines *deadlines);

/* Stores the next period of a watched subsystem. Judges complete and abandoned steps in order, unless another thread judges. */
void wr_deadlines_note(wr_deadlines *deadlines, int i_part, const wr_period_time *time);

/* Return the flags. Thread: any. The stop flag stays until wr_deadlines_take_stop() or wr_deadlines_reset(). */
int wr_deadlines_is_degraded(const wr_deadlines *deadlines);
int wr_deadlines_is_stopping(const wr_deadlines *deadlines);

/* Returns 1 if the policy is WR_DEADLINE_HOLD and the last step is a miss and a violation. Thread: owner. */
int wr_deadlines_is_holding(const wr_deadlines *deadlines);

/* Returns and clears the stop flag. Thread: owner. */
int wr_deadlines_take_stop(wr_deadlines *deadlines);

/* ---- measurements; thread: owner ---- */

void wr_deadlines_stats_get(const wr_deadlines *deadlines, wr_deadlines_stats *ret_stats);

/* Return histograms with one value per step, in ns: the sum of compute_ns, the smallest late_ns, and the margin before the deadline. After
 * a miss the margin is 0. */
const wr_histogram *wr_deadlines_compute(const wr_deadlines *deadlines);
const wr_histogram *wr_deadlines_lateness(const wr_deadlines *deadlines);
const wr_histogram *wr_deadlines_margin(const wr_deadlines *deadlines);

/* Return the histogram of a subsystem's computing times in ns, one value per period, and the number of its misses. */
const wr_histogram *wr_deadlines_part_compute(const wr_deadlines *deadlines, int i_part);
int64_t wr_deadlines_part_misses(const wr_deadlines *deadlines, int i_part);

#endif
