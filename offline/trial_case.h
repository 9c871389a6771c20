/* A config whose runs a trial compares, and the settings of one run. The caller owns both. Thread: one owner. Real-time: no. */
#ifndef WR_TRIAL_CASE_H
#define WR_TRIAL_CASE_H

#include "offline/texts.h"

/* A config and options for its runs. */
typedef struct wr_trial_case {
    const char *name, *config; /* name for messages, and file of the config */
    wr_texts override, signal; /* overrides, and signals whose errors count */
    double warm_s;             /* simulated time before measurements begin, s */
    double grid_s;             /* distance of the points at which the trial measures errors, s */
    double error;              /* requested relative error */
    double reference_rtol, reference_event_s;
    const char *reference_solver;
    /* Values of the config: */
    double start_s, stop_s, rtol, convergence;
    double window_initial_s, window_min_s, window_max_s;
    /* named subsystems with their history sources ("" = none); empty if monolithic */
    wr_texts subsystem, history_source;
    int is_auto;  /* 1: simulation.monolithic is "auto" */
    int n_costly; /* number of components whose points have a cost */
    int is_spent; /* 1: simulation.points is "spend" */
} wr_trial_case;

/* Settings of a run; texts are in the trial's memory. */
typedef struct wr_trial_setting {
    const char *peer; /* solver of another program, which the caller runs; NULL for wrsim */
    wr_texts override;
    double rtol; /* simulation.rtol; 0: as in the config */
} wr_trial_setting;

#endif
