/* Where a subsystem stands, beside arrays. It is saved and restored.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_CLOCK_H
#define WR_ODE_CLOCK_H

#include <stdint.h>

/* State beside arrays; all of it is saved and restored. */
typedef struct wr_ode_clock {
    double t_s;
    double step_rhs;      /* as the subsystem's */
    int64_t i_grid;       /* next communication point to be recorded */
    double next_time_s;   /* earliest time event, */
    double announced_s;   /* known since */
    double clear_s;       /* since the last stop, no event has been expected before */
    double last_step_s;   /* length of the last accepted step */
    double step_before_s; /* of the one before */
    double last_tried_s;  /* length of the last step as the integrator made it */
    double reach_s;       /* longest of the last steps, forgotten by and by */
    double limit_s;       /* of the next step, where the last ones missed inputs; 0 = none */
    double time_event_s;  /* last time event of a component with no declared time scale */
    double crawl_s;  /* since then so many steps without an event, of the last few thousand, ... */
    double streak_s; /* time of the first event of a streak that may be chattering */
    int n_crawl;     /* ... are counted here; looks in a row that have found a jump of f */
    int n_jump_found;
    int n_streak; /* events in it */
    int n_dense;  /* the same of events of all kinds */
    double dense_s;
    int n_band;        /* indicators with a band, the first of which are in band_index */
    int n_before;      /* 0: z has jumped; 1: z_before is valid; 2: z_earlier too */
    int n_missed;      /* the last so many steps were aimed at events that did not come */
    int n_unlooked;    /* steps since the last one that was looked at inside, and after how many */
    int look_interval; /* the next one is; 0 counts as 1 */
    int z_turn;        /* where z and its like are in z_turning[] */
    unsigned char needs_probe; /* an indicator that has just fired is still near zero */
    unsigned char has_band;    /* nothing has moved since the last firing: band[] is valid */
    unsigned char is_dx_exact; /* dx is f at t_s, not only a slope of the dense output */
    unsigned char is_paused;   /* the last advance has not come to its end */
} wr_ode_clock;

#endif
