/* Settings of [slack]. The wr_settings owns all strings. Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_SLACK_H
#define WR_SETTINGS_SLACK_H

/* Source of the ages in a slackened run. */
typedef enum wr_set_delays {
    WR_DELAYS_LIVE,
    WR_DELAYS_FIXED,
    WR_DELAYS_DRAWN,
    WR_DELAYS_COUNT
} wr_set_delays;

/* Reaction to a delay error above its limit. */
typedef enum wr_set_action {
    WR_ACTION_LOG,
    WR_ACTION_WARN,
    WR_ACTION_SHORTEN,
    WR_ACTION_WAIT,
    WR_ACTION_RELAX,
    WR_ACTION_STOP,
    WR_ACTION_COUNT
} wr_set_action;

typedef struct wr_set_slack {
    double period_s; /* time between exchanges; 0 = communication step */
    /* shortest period for WR_ACTION_SHORTEN; 0 = a sixteenth of the period */
    double shortest_period_s;
    int bound;  /* largest age of an input that is read without a wait, in periods; -1 = no limit */
    int sweeps; /* number of integrations of each period */
    int delays; /* wr_set_delays */
    int delay;  /* age in periods: exact with FIXED, largest with DRAWN */
    int seed;   /* seed of DRAWN */
    int watch;  /* the run examines every watch-th period; 0: none */
    double eps_loc, eps_glo;  /* limits of delay errors; 0 = none */
    int on_loc, on_glo;       /* wr_set_action */
    const char *log, *replay; /* files of versions: written, and replayed; "" = none */
} wr_set_slack;

#endif
