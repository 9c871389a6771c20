/* Linearisations for sparsing: along a run of a config, or from Matrix Market files.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SPARSING_RUN_H
#define WR_SPARSING_RUN_H

#include "analysis/sparsing/sparsing.h"
#include "wrsim/config.h"

/* Which subsystem is studied. */
typedef struct wr_sparsing_target {
    char name[64];
    double step_s; /* of its solver; 0: it has none */
    int has_table; /* it has a [[subsystem]] of its own; else [solver] is its solver's */
} wr_sparsing_target;

/* Finds the subsystem of that name, or (NULL) the only one with states. Runs nothing. WRSIM_E_ARG where it is not clear which, or
 * there is none of that name (the nearest is said); what making the simulation does. */
wrsim_status wr_sparsing_find_target(const wrsim_config *config, const char *name,
                                     wrsim_report_fn report, void *reporter,
                                     wr_sparsing_target *ret_target, wrsim_error *err);

typedef struct wr_sparsing_source {
    /* Along a run: */
    const wrsim_config *config; /* NULL: from files */
    const wr_sparsing_target *target;
    const double *time_s; /* [n_time] when to linearise */
    int n_time;
    /* From files: */
    const char *const *jacobian; /* [n_jacobian] */
    int n_jacobian;
    const char *mass; /* NULL: the identity */
} wr_sparsing_source;

/* A study with its names, which live as long as it does. */
typedef struct wr_sparsing_study {
    wr_sparsing sparsing;
    wr_arena *arena;
    int has_mass; /* L is no identity */
} wr_sparsing_study;

/* Up to n_most times spread over a run, at its communication points: there a run's windows end anyway, so that looking at it
 * does not cut its steps. The caller's; NULL when out of memory. */
double *wr_sparsing_times(const wrsim_config *config, int n_most, int *ret_n);

/* Collects; options->tau_s 0: the target's step. The study is the caller's also on failure. report (may be
 * NULL) gets errors of the config. Returns what running, reading and wr_sparsing_add() do, with err naming file, or subsystem
 * and time. */
wrsim_status wr_sparsing_collect(wr_sparsing_study *study, const wr_sparsing_source *source,
                                 const wr_sparsing_options *options, wrsim_report_fn report,
                                 void *reporter, wrsim_error *err);
void wr_sparsing_study_done(wr_sparsing_study *study);

#endif
