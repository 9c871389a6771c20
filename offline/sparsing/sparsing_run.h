/* Collects the linearisations for a study of sparsing: along a run of a config, or from Matrix Market files.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SPARSING_RUN_H
#define WR_SPARSING_RUN_H

#include "offline/sparsing/sparsing.h"
#include "wrsim/config.h"

/* The subsystem that is studied. */
typedef struct wr_sparsing_target {
    char name[64]; /* its name */
    double step_s; /* fixed step of its solver, s; 0: the solver has none */
    /* 1: the config has a [[subsystem]] table for it; 0: its solver is set in [solver] */
    int has_table;
} wr_sparsing_target;

/* Finds the subsystem with that name; name NULL: the only subsystem that has states. The config is not run. Returns
 * WRSIM_E_ARG if there is no such subsystem (err then has the nearest name) or several have states, or an error of
 * creating the simulation. */
wrsim_status wr_sparsing_find_target(const wrsim_config *config, const char *name,
                                     wrsim_report_fn report, void *reporter,
                                     wr_sparsing_target *ret_target, wrsim_error *err);

typedef struct wr_sparsing_source {
    /* Members that are used for a run: */
    const wrsim_config *config; /* the config to run; NULL: the matrices are read from files */
    const wr_sparsing_target *target; /* subsystem that is studied */
    const double *time_s;             /* [n_time] times of the linearisations, s */
    int n_time;                       /* number of linearisations */
    /* Members that are used for files: */
    const char *const *jacobian; /* [n_jacobian] paths of the files with the Jacobians */
    int n_jacobian;              /* number of Jacobians */
    const char *mass;            /* path of the file with the mass matrix; NULL: the identity */
} wr_sparsing_source;

/* A study together with the names that it uses; its arena owns them. */
typedef struct wr_sparsing_study {
    wr_sparsing sparsing; /* the study */
    wr_arena *arena;      /* owns names, nominal values and the pattern */
    int has_mass;         /* 1: the mass matrix L is not the identity */
} wr_sparsing_study;

/* Returns up to n_most times, spread evenly over a run; the caller frees them, and NULL means out of memory. They
 * are communication points. Windows end there, so linearising does not change the steps of the run. */
double *wr_sparsing_times(const wrsim_config *config, int n_most, int *ret_n);

/* Collects the linearisations. options->tau_s 0 selects the step of the target. The caller calls
 * wr_sparsing_study_done() also after a failure. report (may be NULL) receives errors of the config. Returns errors
 * of running, reading and wr_sparsing_add(); err then names the file, or the subsystem and the time. */
wrsim_status wr_sparsing_collect(wr_sparsing_study *study, const wr_sparsing_source *source,
                                 const wr_sparsing_options *options, wrsim_report_fn report,
                                 void *reporter, wrsim_error *err);
void wr_sparsing_study_done(wr_sparsing_study *study);

#endif
