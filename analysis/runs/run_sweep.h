/* A sweep: many runs of a config with other values, and what of them enters a table.
 *
 * Each run is a process of its own (run_pool.h), so that a model that crashes, exits or is killed for its memory takes no other run
 * with it, and so that what a run leaves behind in a process - plug-ins, libraries, rounding - reaches no other. It has one
 * worker, not pinned: there are as many runs as cores, and the kernel spreads them. Results are the same bits on any
 * number of workers, so those of `wrsim run` with the same -D.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_SWEEP_H
#define WR_RUN_SWEEP_H

#include "analysis/runs/run_folder.h"
#include "analysis/runs/run_plan.h"
#include "analysis/runs/run_result.h"
#include "wrsim/config.h"

enum { WR_RUN_OVERRIDES = WR_RUN_PLAN_KEYS + 8, WR_RUN_KEPT_BYTES = 4096 };

typedef struct wr_run_sweep {
    const char *config, *result_list, *format; /* format: "csv", "h5" */
    char *config_text;                         /* as it was at the beginning */
    wr_run_plan plan;
    wr_run_results results;
    wr_run_folder folder;
} wr_run_sweep;

/* How a run has ended. */
typedef struct wr_run_outcome {
    const char *status; /* "done", "inaccurate", "failed" */
    int exit_code;      /* of the process; -1: a signal has ended it */
    const char *message;
    double wall_s;
} wr_run_outcome;

/* Runs a config with overrides as `wrsim run` does; returns the exit code. */
typedef int (*wr_run_fn)(const char *config, const char *const *override, int n_override);

/* Reads the config's text; plan and results are there. WRSIM_OK, or WRSIM_E_IO, WRSIM_E_ARG, WRSIM_E_MEMORY with err. */
wrsim_status wr_run_sweep_begin(wr_run_sweep *sweep, wrsim_error *err);
void wr_run_sweep_done(wr_run_sweep *sweep);

/* What is run, as JSON, malloc'ed; NULL: out of memory. */
char *wr_run_sweep_describe(const wr_run_sweep *sweep);

/* 0: the config's file is no longer what it was. */
int wr_run_sweep_is_unchanged(const wr_run_sweep *sweep);

/* What a process of its own does before the first run: is any run's config valid (of at most 1000 of them, evenly chosen), and
 * does it record what is asked for? Returns the exit code; says what is wrong to report. */
int wr_run_sweep_check(const wr_run_sweep *sweep, wrsim_report_fn report, void *user);

/* What the process of a run does; its standard output and error go to log.txt. Returns the exit code. */
int wr_run_sweep_run(const wr_run_sweep *sweep, int i_run, wr_run_fn run, wrsim_report_fn report);

/* What is said of a run whose process has ended with this status of waitpid() (message in ret_text, one line), and its row, where
 * the process has not left one. Not of a run that a sweep which is stopped has ended: that is to be done again. WRSIM_OK, or
 * WRSIM_E_IO, WRSIM_E_MEMORY with err. */
wrsim_status wr_run_sweep_ended(const wr_run_sweep *sweep, int i_run, int wait_status,
                                double wall_s, char ret_text[WR_RUN_KEPT_BYTES], wrsim_error *err);

/* The overrides of a run; texts are the caller's to free (wr_run_overrides_done). */
typedef struct wr_run_overrides {
    int n;
    char *text[WR_RUN_OVERRIDES];
} wr_run_overrides;
/* with_files: also where results go; else they go nowhere. 0, or -1: out of memory. */
int wr_run_overrides_make(wr_run_overrides *o, const wr_run_sweep *sweep, int i_run,
                          int with_files);
void wr_run_overrides_done(wr_run_overrides *o);

/* Writes the row of a run: its values, how it ended, its results. */
wrsim_status wr_run_row_write(const wr_run_sweep *sweep, int i_run, const wr_run_outcome *outcome,
                              wrsim_error *err);

#endif
