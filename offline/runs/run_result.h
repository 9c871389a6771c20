/* Results of a run for the table: "max:cyl1.p", "at:0.5:shaft.speed", "stat:n_sweep".
 *
 *     NAME          the last recorded value of a signal; also final:NAME
 *     max:NAME      the largest recorded value of a signal; min:NAME the smallest
 *     mean:NAME     the mean of a signal over the recorded time (trapezoidal rule between rows)
 *     at:T:NAME     the value of a signal at T s: of the row at T, or interpolated between two rows
 *     stat:PATH     a number of the run's summary: n_sweep, error_account.error, subsystems.NAME.n_rhs
 *
 * Only rows at communication points count. NAME may contain * and ?.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RUN_RESULT_H
#define WR_RUN_RESULT_H

#include "base/json_tree.h"
#include "base/text_buffer.h"
#include "runtime/record/results.h"

enum { WR_RUN_RESULTS = 256 }; /* largest number of results (assumed) */

typedef enum wr_run_result_kind {
    WR_RUN_FINAL,
    WR_RUN_MAX,
    WR_RUN_MIN,
    WR_RUN_MEAN,
    WR_RUN_AT,
    WR_RUN_STAT
} wr_run_result_kind;

typedef struct wr_run_result {
    wr_run_result_kind kind;
    double at_s;
    char *prefix; /* "max:", ...; "" or "final:" for a last value */
    char *name;   /* signal, pattern or path */
} wr_run_result;

typedef struct wr_run_results {
    int n;
    wr_run_result result[WR_RUN_RESULTS];
} wr_run_results;

/* Parses a list separated by commas; NULL: the last values of all signals. Returns WRSIM_OK; or WRSIM_E_ARG or WRSIM_E_MEMORY with err. */
wrsim_status wr_run_results_parse(wr_run_results *results, const char *list, wrsim_error *err);
void wr_run_results_done(wr_run_results *results);

/* Checks that each result except stat:PATH has a signal, and that no signal occurs twice with the same prefix. name[n]: recorded signals.
 * Returns WRSIM_OK, or WRSIM_E_ARG with err. */
wrsim_status wr_run_results_check(const wr_run_results *results, int n, const char *const *name,
                                  wrsim_error *err);
/* Checks that all times are within the run. Returns WRSIM_OK, or WRSIM_E_ARG with err. */
wrsim_status wr_run_results_check_times(const wr_run_results *results, double start_s,
                                        double stop_s, wrsim_error *err);
/* Checks that the summary has all numbers. Returns WRSIM_OK, or WRSIM_E_ARG with err. */
wrsim_status wr_run_results_check_stats(const wr_run_results *results, const wr_json_tree *summary,
                                        wrsim_error *err);

/* Appends ",NAME [UNIT]" and ",VALUE" of each result; missing values are empty. Omits signals if no row exists. */
void wr_run_results_put(const wr_run_results *results, const wr_results *rows,
                        const wr_json_tree *summary, wr_text_buffer *header,
                        wr_text_buffer *values);

/* Returns the number of the summary at a path; NaN if the path leads to no number. A path names items of arrays by their "name". */
double wr_run_stat(const wr_json_tree *summary, const char *path);

#endif
