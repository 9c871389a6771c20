/* Collects the linearisations for a study of sparsing: along a run of a config, or from Matrix Market files. Also compares the states of
 * two runs.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SPARSING_RUN_H
#define WR_SPARSING_RUN_H

#include "offline/sparsing/sparsing.h"
#include "wrsim/config.h"

/* The subsystem of a study. */
typedef struct wr_sparsing_target {
    char name[64]; /* name of the subsystem */
    double step_s; /* fixed step of the subsystem's solver, s; 0: no fixed step */
    int has_table; /* table with the subsystem's solver: 1: [[subsystem]], 0: [solver] */
} wr_sparsing_target;

/* Finds a subsystem by name, or the only subsystem with states if name is NULL. Creates the simulation without running. Returns WRSIM_OK;
 * WRSIM_E_ARG if no subsystem with states has the name (err has the nearest name), or without a name if not exactly one subsystem has
 * states; or an error of creating the simulation. */
wrsim_status wr_sparsing_find_target(const wrsim_config *config, const char *name,
                                     wrsim_report_fn report, void *reporter,
                                     wr_sparsing_target *ret_target, wrsim_error *err);

typedef struct wr_sparsing_source {
    /* Members for a run: */
    const wrsim_config *config;       /* config to run; NULL: matrices from files */
    const wr_sparsing_target *target; /* subsystem of the study */
    const double *time_s;             /* [n_time] times of the linearisations, s */
    int n_time;                       /* number of linearisations */
    /* Members for files: */
    const char *const *jacobian; /* [n_jacobian] paths of the files with the Jacobians */
    int n_jacobian;              /* number of Jacobians */
    const char *mass;            /* path of the file with the mass matrix; NULL: the identity */
} wr_sparsing_source;

/* A study with its memory. */
typedef struct wr_sparsing_study {
    wr_sparsing sparsing; /* samples and results */
    wr_arena *arena;      /* owner of names, nominal values and the pattern */
    int has_mass;         /* 1: the mass matrix L is not the identity */
} wr_sparsing_study;

/* Returns up to n_most communication points, spread evenly over a run, which the caller frees; NULL when out of memory. With fixed
 * steps, an advance can end only at communication points. */
double *wr_sparsing_times(const wrsim_config *config, int n_most, int *ret_n);

/* Collects the linearisations. options->tau_s 0 selects the step of the target. The caller calls wr_sparsing_study_done() also after a
 * failure. report (may be NULL) receives errors of the config. Returns WRSIM_OK, or errors of running, reading and wr_samples_add(), with
 * the file, or the subsystem and the time, in err. */
wrsim_status wr_sparsing_collect(wr_sparsing_study *study, const wr_sparsing_source *source,
                                 const wr_sparsing_options *options, wrsim_report_fn report,
                                 void *reporter, wrsim_error *err);
void wr_sparsing_study_done(wr_sparsing_study *study);

/* States of a subsystem in a run. */
typedef struct wr_trajectory {
    int n;      /* number of states */
    int n_time; /* number of times */
    double *x;  /* [n_time * n] states at each time */
} wr_trajectory;

/* Runs a config and stores the states of one subsystem at n_time ascending times within the run. The caller calls wr_trajectory_done() also
 * after a failure. Returns WRSIM_OK, WRSIM_E_MEMORY, or an error of the run. */
wrsim_status wr_trajectory_run(const wrsim_config *config, const char *subsystem,
                               const double *time_s, int n_time, wrsim_report_fn report,
                               void *reporter, wr_trajectory *ret_trajectory, wrsim_error *err);
void wr_trajectory_done(wr_trajectory *trajectory);

/* Returns the largest difference of state i, relative to the range of the state in the reference. The range is at least a thousandth of
 * nominal[i]. The result is not finite if a value of the state is not finite. */
double wr_trajectory_error(const wr_trajectory *of, const wr_trajectory *reference, int i,
                           const double *nominal);

#endif
