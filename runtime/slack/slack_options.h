/* Options and results of slackened synchronisation. Thread: plain data. Real-time: yes. */
#ifndef WR_SLACK_OPTIONS_H
#define WR_SLACK_OPTIONS_H

#include <stdint.h>

#include "runtime/config/settings_slack.h"
#include "runtime/realtime/deadlines.h"
#include "scheduler/pacer.h"

enum { WR_SLACK_MOST_RELAXED = 4 }; /* sweeps per period (assumed) */

/* Watched periods whose error exceeds a limit. */
typedef struct wr_slack_excess {
    int64_t n; /* number of periods */
    double first_s, last_s;
} wr_slack_excess;

/* Log of the versions that a task selects in each period, [n_pick] as in wr_period_task (task_record.h). Each producer's versions count
 * from 1; 0: the start values. */
typedef struct wr_slack_log {
    void *context;
    /* Notes each period of a subsystem, on the subsystem's worker; NULL: no log. A negative status ends the run. */
    wrsim_status (*note)(void *context, int i_part, double t_s, const int64_t *version);
    /* REPLAYED only: finds the logged versions of a subsystem's period that begins at t_s. Repeated calls give the same versions.
     * Increasing times are fastest. Returns 0, or -1 if the log has no such period or an invalid version. */
    int (*next)(void *context, int i_part, double t_s, int64_t *ret_version);
} wr_slack_log;

typedef struct wr_slack_options {
    double start_s, communication_step_s;
    /* Settings of [slack]. The driver has set period_s and shortest_period_s > 0, and for a replay WR_DELAYS_REPLAYED with the largest
     * delay of the log. The task loop ignores the strings. */
    wr_set_slack slack;
    int fixed_degree;      /* degree of prediction; -1: the run chooses the degree per signal */
    double history_period; /* model period for predictions, phase units or s; 0: none */
    int phase_part, phase_signal; /* publisher of the phase; -1: the phase is time */
    int cap_history;              /* number of nodes of history per task */
    /* limit on the updates of modes before the first round and after each round at the start */
    int max_event_iterations;
    int cap_node; /* largest number of nodes of a wave */
} wr_slack_options;

/* Age of one input from another subsystem. */
typedef struct wr_slack_age {
    int64_t n_read;        /* number of periods that read the input */
    double mean_s, most_s; /* mean and largest age at the start of a period */
} wr_slack_age;

typedef struct wr_slack_stats {
    int64_t n_period;      /* whole periods P up to the time of the slowest task */
    int64_t n_integration; /* integrations of all tasks; each sweep counts */
    int64_t n_wait;        /* periods that waited for a version, or for room in a store */
    /* number of reads for a period that ends after the end of the version's prediction */
    int64_t n_stale;
    /* predictions of a signal for the next period: all, and those from history */
    int64_t n_predicted, n_predicted_period;
    int n_active_worker;
} wr_slack_stats;

/* Pacing against the wall clock: a task does not begin a period before the period's wall time. Pacing changes results only
 * through live delays and through WR_DEADLINE_DEGRADE. */
typedef struct wr_slack_pace {
    double rate;          /* simulated s per wall s; 0: periods begin at once, but have deadlines */
    wr_pacer_clock clock; /* see wr_pacer_options (scheduler/pacer.h) */
    int64_t spin_ns;      /* see wr_pacer_options (scheduler/pacer.h) */
    /* wall s from a period's wall time to its deadline; with rate 0 largest computing time; 0: the period's length */
    double deadline_s;
    double catch_up_s;      /* wall s, > 0: a larger lateness changes the schedule */
    double degraded_factor; /* factor on tolerances, >= 1 */
    /* receives whole periods P, and the last part of P in a run, not of played tasks; outlives the run */
    wr_deadlines *deadlines;
    /* work: returns the counted work of the task so far, on the task's worker. poll: while worker 0 waits for the wall clock, the worker
     * calls poll() between sleeps of at most 20 ms. Either function may be NULL. */
    void (*work)(void *context, int i_part, wr_period_work *ret_work);
    void (*poll)(void *context);
    void *context;
} wr_slack_pace;

/* Largest change of a subsystem's published signals in the last sweep of a period. */
typedef struct wr_slack_left {
    double units; /* this change in tolerances */
    int i_signal; /* signal of `units`; -1: no change */
    double t_s;   /* start of the period with this change, s */
    double share; /* largest change as a share of the signal's range so far */
    int i_share;  /* signal of `share`; -1: no change */
} wr_slack_left;

/* Excesses of the limits of one subsystem. */
typedef struct wr_slack_limits {
    wr_slack_excess local, global;
    int n_sweep; /* present sweeps per period */
} wr_slack_limits;

#endif
