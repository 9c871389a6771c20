/* The study behind `wrsim partition --groups`: parts of a config, and the search for a grouping. Thread: one owner. Real-time: no. */
#ifndef WR_STUDY_GROUPING_H
#define WR_STUDY_GROUPING_H

#include "base/text_buffer.h"
#include "offline/grouping/search.h"
#include "wrsim/config.h"

/* Largest number of measured rows: finalists, one solver, the best random grouping, the config's subsystems as given and in one level. */
enum { WR_GROUPING_MEASURED = 4 + WR_SEARCH_FINALISTS };

/* Data of a study. The object is too large for a stack. The caller sets the object to zero before the first use. */
typedef struct wr_grouping_study {
    const wr_settings *declared;  /* settings of the config */
    wr_settings settings;         /* the same, not monolithic, with `components` */
    wr_set_component *components; /* components with declared and measured costs */
    wr_parts parts;
    wr_likeness *likeness;
    wr_verify verify;
    wr_search_result result;
    /* number of measured rows, with the row of one solver first; index of the chosen row, or -1 */
    int n_measured, i_chosen;
    struct wr_grouping_measured {
        char what[48];
        const wr_search_row *row;        /* row of the result; NULL: one solver */
        double bound_s[WR_VERIFY_CORES]; /* schedule bounds, s */
    } measured[WR_GROUPING_MEASURED];
} wr_grouping_study;

/* Searches for a grouping. The config outlives the study and must be free of errors. warm_s < 0 becomes a fifth of the run. If is_given is
 * 1, the search also tunes the config's own subsystems. options->error 0 becomes simulation.rtol. Returns WRSIM_OK; WRSIM_E_CONFIG, _E_ARG,
 * _E_GRAPH or _E_LIMIT if the study does not apply to the config; or errors of runs. The caller calls wr_grouping_study_done() also after a
 * failure. */
wrsim_status wr_grouping_study_run(const wrsim_config *config, wr_search_options *options,
                                   double warm_s, int is_given, wr_grouping_study *study,
                                   wrsim_error *err);
/* Measures the results of the search, in n_round interleaved rounds. The best grouping is the finalist with at most the requested error and
 * the shortest measured critical path (geometric mean over the numbers of cores). Returns WRSIM_OK, or errors of runs. */
wrsim_status wr_grouping_study_measure(wr_grouping_study *study, const wr_search_options *options,
                                       int n_round, wrsim_error *err);
void wr_grouping_study_done(wr_grouping_study *study);

/* Writes a result as TOML: [[subsystem]] tables, and comments with the necessary keys of [relaxation] and [solver]. */
void wr_fragment_tables(const wr_grouping_of *of, const wr_search_row *row, wr_heap_pool *memory,
                        wr_text_buffer *to);
/* Writes the whole config with these tables and the declared costs, for a file in `folder` (wr_settings_dump_next()). The config of the
 * study must still exist. */
wrsim_status wr_fragment_config(const wr_grouping_study *study, const wr_search_row *row,
                                const char *folder, wr_heap_pool *memory, wr_text_buffer *to);

#endif
