/* The scalar state of a subsystem along the solution.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_CLOCK_H
#define WR_ODE_CLOCK_H

#include <stdint.h>

/* Save and restore copy all members. */
typedef struct wr_ode_clock {
    double t_s;
    double step_rhs;           /* copy of wr_subsystem.step_rhs */
    int64_t i_grid;            /* next communication point to be recorded */
    double next_time_s;        /* earliest time event */
    double announced_s;        /* time at which next_time_s was announced */
    double clear_s;            /* no event was expected before this time since the last stop */
    double last_step_s;        /* length of the last accepted step */
    double step_before_s;      /* length of the accepted step before */
    double last_tried_s;       /* length of the last step as the integrator made it */
    double reach_s;            /* longest recent step; it decays */
    double limit_s;            /* limit of the next step after steps that missed inputs; 0: none */
    double time_event_s;       /* last time event of a component with no declared time scale */
    double crawl_s;            /* start of the counted steps without an event */
    double streak_s;           /* time of the first event of a streak that may be chattering */
    int n_crawl;               /* steps without an event since crawl_s */
    int n_jump_found;          /* searches in a row that found a jump of f */
    int n_streak;              /* state events in the streak */
    int n_dense;               /* events of any kind since dense_s */
    double dense_s;            /* time of the first event that n_dense counts */
    int n_band;                /* indicators with a band; band_index lists the first ones */
    int n_before;              /* 0: z has jumped; 1: z_before is valid; 2: z_earlier too */
    int n_missed;              /* last steps in a row that aimed at events that did not come */
    int n_unlooked;            /* steps since the last step that was searched inside for events */
    int look_interval;         /* steps from one searched step to the next; 0 counts as 1 */
    int z_turn;                /* position of z in z_turning[] */
    unsigned char needs_probe; /* an indicator that has just fired is still near zero */
    unsigned char has_band;    /* band[] is valid: no step since the last firing */
    unsigned char
        has_carried; /* band[] also holds indicators that the inputs of a new window carried against their modes */
    unsigned char is_dx_exact; /* dx is f at t_s, not only a slope of the dense output */
    unsigned char is_paused;   /* the last advance has not come to its end */
} wr_ode_clock;

#endif
