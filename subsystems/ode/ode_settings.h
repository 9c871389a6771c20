/* What a subsystem of components is told when it is created, and what follows from that. All are constant afterwards.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_SETTINGS_H
#define WR_ODE_SETTINGS_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_settings {
    double start_s;
    double communication_step_s;
    double jump_limit;
    double rtol;
    double atol_factor;
    double coupling_rtol;
    int looks_always; /* searches each step inside for events */
    const double *nominal_external;
    double event_tolerance_s;
    double chatter_time_s; /* 0: wr_ode_event_tolerance(), ... */
    double event_share;    /* ... by this share of the last step; 0: not so */
    double run_s;
    int max_event_iterations;
    int max_stuck_events;
    int record_events;
    const double *nominal_z;
    double
        look_s; /* steps are searched at multiples of it (pulse_search.c); INFINITY: they are not */
    double loosest; /* tolerance factor of a state */
    int n_published;
    int n_published_computed;
    const int *published;
    const wr_plan *plan_published; /* NULL when all published outputs are states */
    int follows_inputs;            /* of those published some are computed from inputs directly */
    int is_held; /* the computed ones depend on time, discrete states and modes alone */
    const int *recorded_kind;
    const int *recorded_index;
    const wr_plan *plan_recorded; /* NULL when no output or input is recorded */
    unsigned char *reaches_z;     /* [n_external] indicators depend on it, maybe through outputs; */
    unsigned char *reaches_y;     /* the same of published outputs */
} wr_ode_settings;

/* Time of communication point i. */
static inline double wr_ode_grid(const wr_subsystem *s, int64_t i)
{
    const wr_ode_settings *const settings = wr_ode_of(s)->settings;
    return settings->start_s + (double)i * settings->communication_step_s;
}

#endif
