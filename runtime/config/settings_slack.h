/* Settings of [slack]. The wr_settings owns all strings. Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_SLACK_H
#define WR_SETTINGS_SLACK_H

/* Source of the ages in a slackened run. */
typedef enum wr_set_delays {
    WR_DELAYS_LIVE,  /* versions that the running tasks have published */
    WR_DELAYS_FIXED, /* ages of exactly slack.delay periods */
    WR_DELAYS_DRAWN, /* ages of 0 to slack.delay periods, drawn from slack.seed */
    WR_DELAYS_COUNT,
    WR_DELAYS_REPLAYED = WR_DELAYS_COUNT /* delays of the log slack.replay; no value of the key */
} wr_set_delays;

/* Action of a reader if one of its delay errors exceeds a limit. */
typedef enum wr_set_action {
    WR_ACTION_LOG,     /* count the excess */
    WR_ACTION_WARN,    /* count the excess and warn */
    WR_ACTION_SHORTEN, /* divide the period of the connection with the largest share by 2, 4 ... */
    WR_ACTION_WAIT,    /* at a period's start wait for the producer with the largest share */
    WR_ACTION_RELAX,   /* add 1 to the least number of sweeps, up to WR_SLACK_MOST_RELAXED */
    WR_ACTION_STOP,    /* end the run as soon as possible */
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
