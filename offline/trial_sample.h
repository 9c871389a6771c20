/* Cost of one run, and work of the subsystems in a run. The caller owns the sample. Thread: one owner. Real-time: no. */
#ifndef WR_TRIAL_SAMPLE_H
#define WR_TRIAL_SAMPLE_H

#include "wrsim/wrsim.h"

enum { WR_TRIAL_WHY_BYTES = 256 };

/* Cost of one run, without warm-up. */
typedef struct wr_trial_sample {
    char why[WR_TRIAL_WHY_BYTES]; /* reason of a failure; else "" */
    /* cpu_s: CPU time of the calling thread, which is the whole CPU time with one worker */
    double wall_s, cpu_s;
    double n_step, n_rhs, n_indicator, n_event, n_window, n_sweep, n_integration;
    /* right-hand sides of the whole model; a right-hand side of a subsystem counts by the subsystem's share of the states */
    double n_rhs_whole;
    double accepted_s,
        n_rhs_accepted; /* wall time and right-hand sides of accepted integrations (wrsim_stats) */
    wrsim_split_probe choice; /* result of the study of the split; has_answer 0: no study */
    int bound_core[WRSIM_BOUND_CASES];
    double bound_s[WRSIM_BOUND_CASES]; /* NaN: not available */
    /* Cost of points (component.cost), s, and its bounds on bound_core[] cores; 0: no cost, or no count. */
    double point_s, bound_point_s[WRSIM_BOUND_CASES];
    wrsim_points points[WRSIM_PURPOSE_COUNT];
} wr_trial_sample;

/* Work of one subsystem in a run, without warm-up. */
typedef struct wr_trial_subsystem {
    const char *name, *solver;
    int n_state, n_input;
    double rtol; /* relative tolerance of the solver; 0 = no tolerance */
    double work; /* counted instructions (runtime/sim/run.h) */
    double n_integration;
} wr_trial_subsystem;

#endif
