/* The study behind `wrsim partition --groups`: parts of a config, and the search for a grouping.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_STUDY_GROUPING_H
#define WR_STUDY_GROUPING_H

#include "offline/grouping/search.h"
#include "wrsim/config.h"

enum { WR_GROUPING_MEASURED = 4 + WR_SEARCH_FINALISTS };

/* Large; zero before the first use. */
typedef struct wr_grouping_study {
    wr_settings settings; /* settings of the config, not monolithic */
    wr_parts parts;
    wr_likeness *likeness;
    wr_verify verify;
    wr_search_result result;
    int n_measured, i_chosen; /* if asked for: of one solver first */
    struct wr_grouping_measured {
        char what[48];
        const wr_search_row *row;        /* row of the result; NULL: one solver */
        double bound_s[WR_VERIFY_CORES]; /* schedule bounds, s */
    } measured[WR_GROUPING_MEASURED];
} wr_grouping_study;

/* Searches for a grouping. The config outlives the study and must be free of errors. warm_s < 0: a fifth of the run.
 * is_given: the config's own subsystems are tuned, too. options->error 0 becomes simulation.rtol. WRSIM_E_CONFIG,
 * _E_ARG, _E_LIMIT if the config cannot be grouped in this way; errors of runs. Call wr_grouping_study_done() also
 * after a failure. */
wrsim_status wr_grouping_study_run(const wrsim_config *config, wr_search_options *options,
                                   double warm_s, int is_given, wr_grouping_study *study,
                                   wrsim_error *err);
/* Measures the results of the search, in n_round interleaved rounds. The finalist with the shortest measured
 * critical path becomes the best one. Returns errors of runs. */
wrsim_status wr_grouping_study_measure(wr_grouping_study *study, const wr_search_options *options,
                                       int n_round, wrsim_error *err);
void wr_grouping_study_done(wr_grouping_study *study);

#endif
