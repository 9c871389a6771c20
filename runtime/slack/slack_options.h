/* Options and results of slackened synchronisation.
 *
 * Thread: plain data. Real-time: yes.
 */
#ifndef WR_SLACK_OPTIONS_H
#define WR_SLACK_OPTIONS_H

#include <stdint.h>

#include "runtime/realtime/deadlines.h"
#include "scheduler/pacer.h"

/* Origin of delays. */
typedef enum wr_slack_delays {
    WR_SLACK_LIVE,    /* of the running tasks */
    WR_SLACK_FIXED,   /* `delay` periods */
    WR_SLACK_DRAWN,   /* 0 to `delay` periods, from the seed */
    WR_SLACK_REPLAYED /* as logged */
} wr_slack_delays;

/* Action if a delay error (delay_error.h) exceeds a limit, from the reader's next period on. */
typedef enum wr_slack_action {
    WR_SLACK_LOG,     /* count it */
    WR_SLACK_WARN,    /* count it and warn */
    WR_SLACK_SHORTEN, /* divide the period of the connection with the largest share by 2, 4 ... */
    WR_SLACK_WAIT, /* the reader waits for the producer through which most came: nothing of it is stale at a period's start */
    WR_SLACK_RELAX, /* the reader integrates its periods once more, against the others' waves of the period itself; again, up
                       to WR_SLACK_MOST_RELAXED times in all */
    WR_SLACK_STOP   /* the run ends as soon as it can */
} wr_slack_action;

enum { WR_SLACK_MOST_RELAXED = 4 };

typedef struct wr_slack_limit {
    double most; /* 0: none */
    wr_slack_action action;
} wr_slack_limit;

/* Watched periods in which a limit was exceeded. */
typedef struct wr_slack_excess {
    int64_t n; /* number of periods */
    double first_s, last_s;
} wr_slack_excess;

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
    double period_s;   /* P, a whole part or multiple of the communication step */
    double shortest_s; /* of connections that are shortened; P / 2^k */
    int bound;         /* periods; < 0: none */
    int n_sweep;       /* >= 1 */
    int fixed_degree;  /* of prediction; -1: chosen per signal */
    wr_slack_delays delays;
    int delay; /* periods; FIXED and DRAWN, and as far back as a log goes */
    uint64_t seed;
    int watch; /* every so many-th period is watched for what delays cost (delay_error.h); 0: none */
    wr_slack_limit local, global; /* on E_c, and on what is propagated */
    double
        history_period; /* > 0: what repeats itself is predicted from a period ago; phase units, or s */
    int phase_part, phase_signal; /* who publishes the phase; -1: it is time */
    int cap_history;              /* nodes remembered per part */
    int max_event_iterations;     /* at one instant: the start */
    int cap_node;                 /* nodes per wave */
} wr_slack_options;

/* Age of one input from another subsystem. */
typedef struct wr_slack_age {
    int64_t n_read;        /* periods */
    double mean_s, most_s; /* age at the start of a period */
} wr_slack_age;

typedef struct wr_slack_stats {
    int64_t n_period;      /* of the slowest task */
    int64_t n_integration; /* of all tasks, each sweep counts */
    int64_t n_wait;        /* periods that waited for a version, or for room in a store */
    int64_t n_stale;       /* reads of versions that are older than predictions reach */
    int64_t n_predicted, n_predicted_period; /* signals over one period: all, and from history */
    int n_active_worker;
} wr_slack_stats;

/* Against the wall clock: a part does not begin a period before the period's moment. This changes no result, but for ages of
 * what is read where these are as late as the others are, and for what is done under WR_DEADLINE_DEGRADE. */
typedef struct wr_slack_pace {
    double rate;             /* simulated s per wall s; 0: periods are timed, but begin at once */
    wr_pacer_clock clock;    /* as of wr_pacer_options */
    int64_t spin_ns;         /* likewise */
    double deadline_s;       /* wall s from a period's moment on, > 0; 0: the period's length */
    double catch_up_s;       /* wall s, > 0: what is later moves the schedule */
    double degraded_factor;  /* on tolerances, >= 1 */
    wr_deadlines *deadlines; /* is told of all periods; outlives it */
    /* What a part has done up to now, by its worker; and by a worker that waits, at least every 50 ms; NULL: not asked. */
    void (*work)(void *context, int i_part, wr_period_work *ret_work);
    void (*poll)(void *context);
    void *context;
} wr_slack_pace;

/* By how much the last of several sweeps still changed what a subsystem publishes, at most: */
typedef struct wr_slack_left {
    double units; /* in units of the tolerance, */
    int i_signal; /* of that signal (-1: by nothing), */
    double t_s;   /* in the period from there on; */
    double share; /* of the range of a signal so far, */
    int i_share;  /* of that one (-1: by nothing) */
} wr_slack_left;

/* Excesses of the limits, and sweeps of a period at present. */
typedef struct wr_slack_limits {
    wr_slack_excess local, global;
    int n_sweep; /* of its periods at present */
} wr_slack_limits;

#endif
