/* Settings of a subsystem of components, and values derived from them. They are constant after creation.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_SETTINGS_H
#define WR_ODE_SETTINGS_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_settings {
    double start_s; /* of the simulation */
    double communication_step_s;
    double jump_limit;    /* factor on the tolerance of an input; a larger change is a jump */
    double rtol;          /* the solver's */
    double atol_factor;   /* tolerance of x: rtol * (|x| + atol_factor * nominal) */
    double coupling_rtol; /* of inputs and published outputs */
    int looks_always;     /* each step is searched inside for events */
    const double *nominal_external; /* [n_external] */
    double event_tolerance_s;       /* error of the time of a state event; 0: event_share counts */
    double chatter_time_s; /* time within which max_stuck_events are chattering; 0: chosen */
    double
        event_share; /* location error as a share of the last step; 0: event_tolerance_s counts */
    double run_s;    /* length of the run; 0: not known */
    int max_event_iterations; /* rounds of one instant */
    int max_stuck_events;     /* state events within chatter_time_s */
    int record_events;        /* 1: rows at events, too */
    const double *nominal_z;  /* [n_z] */
    double look_s;            /* distance of search times (pulse_search.c); INFINITY: no search */
    double loosest;           /* largest tolerance factor of a state */
    int n_published;
    int n_published_computed;      /* published outputs that are no states */
    const int *published;          /* [n_published] outputs of the group */
    const wr_plan *plan_published; /* NULL: all published outputs are states */
    int follows_inputs;            /* a published output depends on an input directly */
    int is_held;               /* computed outputs depend only on time, discrete states and modes */
    const int *recorded_kind;  /* [n_recorded] wrsim_kind */
    const int *recorded_index; /* [n_recorded] */
    const wr_plan *plan_recorded; /* NULL: no output or input is recorded */
    unsigned char *reaches_z; /* [n_external] an indicator depends on it, maybe through outputs */
    unsigned char *reaches_y; /* [n_external] a published output depends on it directly */
} wr_ode_settings;

/* Time of communication point i. */
static inline double wr_ode_grid(const wr_subsystem *s, int64_t i)
{
    const wr_ode_settings *const settings = wr_ode_of(s)->settings;
    return settings->start_s + (double)i * settings->communication_step_s;
}

#endif
