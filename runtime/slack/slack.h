/* Slackened synchronisation: subsystems go on without waiting for one another (DESIGN 7; Ben Khaled et al., "Parallel
 * simulation of hybrid dynamical systems", sec. 4.3 and 4.4).
 *
 * Life of a subsystem here, period after period of P seconds, whatever the others do meanwhile:
 *   1. pick: of each source what it has published last, up to the present time t (a version). What is newer is not
 *      looked at: nobody reads the future. Its age is tau = t - its end [eq. 18].
 *   2. read: the version's prediction, made by its producer (predict.h: held, extrapolated or a period ago), over the period.
 *   3. integrate the period against that, publish the wave and its prediction, hand over the rows.
 *
 * With slack.bound = b the pick waits until tau <= b P: 0 is the strictly synchronised exchange at P [sec. 4.3],
 * no bound the one of [sec. 4.4]. With n > 1 sweeps a period is integrated n times, from the second on against the others'
 * waves of it, as in Gauss-Jacobi relaxation with a fixed number of sweeps; all wait for one another then.
 * What is played (recordings, ports) is known ahead: its wave of the period itself is read.
 *
 * Which version each read got is all that results depend on beside the model. It follows from bound 0, from fixed or
 * drawn delays, or from a log: then results have the same bits on any number of workers. Else it is as the clock would
 * have it, and may be logged.
 *
 * Thread: one owner; parts run on the team's workers, each by one at a time. Real-time: wr_slack_run, after start, except
 * that observers are the caller's.
 */
#ifndef WR_SLACK_H
#define WR_SLACK_H

#include <stdint.h>

#include "base/state_io.h"
#include "runtime/relax/link.h"
#include "runtime/relax/observer.h"
#include "scheduler/team.h"

/* Where delays come from. */
typedef enum wr_slack_delays {
    WR_SLACK_LIVE,    /* as late as the others are */
    WR_SLACK_FIXED,   /* `delay` periods */
    WR_SLACK_DRAWN,   /* 0 to `delay` periods, from the seed */
    WR_SLACK_REPLAYED /* as logged */
} wr_slack_delays;

/* What a subsystem read in one period, [n_source] in the order of its sources: numbers of versions, counted from 1 per
 * producer; 0: what was there at the start. */
typedef struct wr_slack_log {
    void *context;
    /* Told of every period of a subsystem, on its worker; NULL: nobody is. A negative status ends the run. */
    wrsim_status (*note)(void *context, int i_part, double t_s, const int64_t *version);
    /* What a log has for the period of a subsystem that begins at t_s; REPLAYED only. The same at every call, though
     * sooner for times that follow one another. Returns 0 or -1: it has nothing for that time. */
    int (*next)(void *context, int i_part, double t_s, int64_t *ret_version);
} wr_slack_log;

typedef struct wr_slack_options {
    double start_s, communication_step_s;
    double period_s;  /* P, a whole part or multiple of the communication step */
    int bound;        /* periods; < 0: none */
    int n_sweep;      /* >= 1 */
    int fixed_degree; /* of prediction; -1: chosen per signal */
    wr_slack_delays delays;
    int delay; /* periods; FIXED and DRAWN, and as far back as a log goes */
    uint64_t seed;
    double
        history_period; /* > 0: what repeats itself is predicted from a period ago; phase units, or s */
    int phase_part, phase_signal; /* who publishes the phase; -1: it is time */
    int cap_history;              /* nodes remembered per part */
    int max_event_iterations;     /* at one instant: the start */
    int cap_node;                 /* nodes per wave */
} wr_slack_options;

/* Of one input from another subsystem. */
typedef struct wr_slack_age {
    int64_t n_read;        /* periods */
    double mean_s, most_s; /* of tau at the beginnings of periods */
} wr_slack_age;

typedef struct wr_slack_stats {
    int64_t n_period;      /* of the slowest part */
    int64_t n_integration; /* of all parts, sweeps counted */
    int64_t n_wait;  /* periods that had to wait for others' versions, or for room in a store */
    int64_t n_stale; /* reads of versions older than predictions reach: held from there on */
    int64_t n_predicted, n_predicted_period; /* signals over one period: all, and from history */
    int n_active_worker;
} wr_slack_stats;

typedef struct wr_slack wr_slack;

/* Places one in arena. The team and the parts' arrays outlive it. NULL when memory is exhausted. */
wr_slack *wr_slack_place(wr_arena *arena, const wr_slack_options *options, const wr_link *parts,
                         int n_part, wr_team *team);

/* As of wr_engine_observe(): sweeps are not told; windows are periods that all have passed. Before wr_slack_start(). */
void wr_slack_observe(wr_slack *slack, wr_observer *observer);

/* log outlives it. Before wr_slack_start(). */
void wr_slack_set_log(wr_slack *slack, const wr_slack_log *log);

/* Finds start values. On failure err says why: also WRSIM_E_CONFIG where a subsystem cannot take these periods or sweeps. */
wrsim_status wr_slack_start(wr_slack *slack, wrsim_error *err);

/* Can it run to t_end_s? WRSIM_E_ARG with err set where a subsystem of communication steps cannot. Changes nothing. */
wrsim_status wr_slack_check_end(const wr_slack *slack, double t_end_s, wrsim_error *err);

/* Runs all parts to t_end_s exactly, where they meet. Returns WRSIM_OK, WRSIM_STOPPED after wr_slack_stop() (all stand at
 * wr_slack_time(), the latest time that any had reached), or a failure with err set; rows handed over stay. After a
 * failure the part that failed stands at the beginning of the period in which it did, and those that had been behind there,
 * too; others may be ahead. */
wrsim_status wr_slack_run(wr_slack *slack, double t_end_s, wrsim_error *err);

/* Asks for a stop. Thread: any, async-signal-safe. */
void wr_slack_stop(wr_slack *slack);

/* Where the slowest part is, s. Between runs, and in observers. */
double wr_slack_time(const wr_slack *slack);

/* How many periods the slowest part has behind it. Between runs, and in observers. */
int64_t wr_slack_periods(const wr_slack *slack);

/* The first subsystem whose inside cannot be had as bytes; -1: there is none. */
int wr_slack_opaque(const wr_slack *slack);

/* Passes over all that changes (base/state_io.h), between runs that have not failed; reading, also after one that has. What
 * goes on from there is the same run, unless delays are live. Real-time: yes. */
void wr_slack_state(wr_slack *slack, wr_state_io *io);

/* Between runs. */
wr_slack_stats wr_slack_stats_get(const wr_slack *slack);
wr_slack_age wr_slack_age_get(const wr_slack *slack, int i_part, int i_external);

#endif
