/* Deadlines of a run whose parts move on their own: what was in time, what was not, and what follows from it.
 *
 * Every part (subsystem) notes each of its periods. The n-th periods of all watched parts are step n: it is missed where
 * any of them is. Steps are judged in order, by whoever notes the last period of one. A part that is WR_DEADLINES_AHEAD
 * steps behind another has missed the oldest of them for certain, and nobody waits for it there.
 *
 * More than m misses in the last k steps (weakly_hard.h) are a violation, upon which the policy acts.
 *
 * Thread: wr_deadlines_note() of one part by one thread at a time, of several parts at once; what is atomic by any; the rest
 * by the owner while nobody notes. Real-time: all but place; nobody waits for anybody.
 */
#ifndef WR_DEADLINES_H
#define WR_DEADLINES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/histogram.h"
#include "scheduler/weakly_hard.h"

enum { WR_DEADLINES_AHEAD = 64, WR_DEADLINES_WORST = 10 };

typedef enum wr_deadline_policy {
    WR_DEADLINE_REPORT,  /* nothing is done */
    WR_DEADLINE_HOLD,    /* wr_deadlines_is_holding() */
    WR_DEADLINE_DEGRADE, /* wr_deadlines_is_degraded() until k steps in a row are in time */
    WR_DEADLINE_STOP     /* wr_deadlines_is_stopping(), with every further miss */
} wr_deadline_policy;

/* What a part did in a period. */
typedef struct wr_period_work {
    int64_t n_rhs, n_jacobian, n_event;
} wr_period_work;

/* A period of a part. */
typedef struct wr_period_time {
    double t_s;                /* where it begins, simulated */
    int64_t begun_ns, done_ns; /* readings of one clock */
    int64_t late_ns;           /* it began so much after its moment, >= 0 */
    int64_t compute_ns;        /* waits left out */
    int64_t over_ns;           /* done so much after its deadline: > 0 is a miss */
    wr_period_work work;
} wr_period_time;

/* One of the steps that came closest to their deadlines, or missed them by most. */
typedef struct wr_worst_step {
    int64_t i_step;
    int64_t over_ns; /* of the last part; INT64_MAX: one was not done when this was judged */
    int i_part;      /* that one, else the part that computed longest; and its period: */
    wr_period_time time;
} wr_worst_step;

typedef struct wr_deadlines_options {
    int n_part;
    const unsigned char *is_watched; /* [n_part] 0: has no deadlines */
    int m, k;                        /* as of wr_weakly_hard_init() */
    wr_deadline_policy policy;
} wr_deadlines_options;

/* Of all steps. */
typedef struct wr_deadlines_stats {
    int64_t n_step, n_miss, n_violation, first_violation, longest_run; /* as wr_weakly_hard */
    int64_t n_held, n_degraded; /* steps at whose end outputs were to be held; that were degraded */
    int64_t n_abandoned;        /* judged without a part that was far behind */
    int64_t most_over_ns;       /* of any part */
    int64_t
        last_span_ns; /* of the last step: from the first part that began to the last that was done */
    int n_worst;
    wr_worst_step worst[WR_DEADLINES_WORST]; /* the worst one first */
} wr_deadlines_stats;

typedef struct wr_deadlines wr_deadlines;

/* NULL when memory is exhausted, or for wrong numbers. */
wr_deadlines *wr_deadlines_place(wr_arena *arena, const wr_deadlines_options *options);

/* Forgets everything. */
void wr_deadlines_reset(wr_deadlines *deadlines);

/* The next period of a watched part is done. */
void wr_deadlines_note(wr_deadlines *deadlines, int i_part, const wr_period_time *time);

/* Thread: any. Stopping stays until it is taken. */
int wr_deadlines_is_degraded(const wr_deadlines *deadlines);
int wr_deadlines_is_stopping(const wr_deadlines *deadlines);

/* Has the last step been missed, and with it the constraint, under WR_DEADLINE_HOLD? Owner. */
int wr_deadlines_is_holding(const wr_deadlines *deadlines);

/* As of wr_deadlines_is_stopping(), which it ends. Owner. */
int wr_deadlines_take_stop(wr_deadlines *deadlines);

/* ---- what was measured; owner ---- */

void wr_deadlines_stats_get(const wr_deadlines *deadlines, wr_deadlines_stats *ret_stats);

/* One value for each step: of computing, all parts together; of the lateness of the first part to begin; of the time that
 * was left at the end, 0 where none was. */
const wr_histogram *wr_deadlines_compute(const wr_deadlines *deadlines);
const wr_histogram *wr_deadlines_lateness(const wr_deadlines *deadlines);
const wr_histogram *wr_deadlines_margin(const wr_deadlines *deadlines);

/* Of a part's computing, one value for each of its periods; and how many it has missed. */
const wr_histogram *wr_deadlines_part_compute(const wr_deadlines *deadlines, int i_part);
int64_t wr_deadlines_part_misses(const wr_deadlines *deadlines, int i_part);

#endif
