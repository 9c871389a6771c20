/* A sweep: many runs of a config with different values, and a table of their results.
 *
 * Each run is a process (run_pool.h). So models, plug-ins, libraries and floating-point modes of a run do not affect other runs. By default
 * a run has one worker, not pinned, because a sweep has as many runs at a time as cores. Results are bitwise equal to the results of `wrsim
 * run` with equal -D.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RUN_SWEEP_H
#define WR_RUN_SWEEP_H

#include "offline/runs/run_folder.h"
#include "offline/runs/run_plan.h"
#include "offline/runs/run_result.h"
#include "wrsim/config.h"

/* Largest number of overrides: the keys of the plan, and up to 8 keys of the sweep. Size of a message or a log line, bytes (assumed). */
enum { WR_RUN_OVERRIDES = WR_RUN_PLAN_KEYS + 8, WR_RUN_KEPT_BYTES = 4096 };

typedef struct wr_run_sweep {
    /* file of the config, list of results, and format: "csv" or "h5" */
    const char *config, *result_list, *format;
    char *config_text; /* text of the config at wr_run_sweep_begin() */
    wr_run_plan plan;
    wr_run_results results;
    wr_run_folder folder;
} wr_run_sweep;

/* End of a run. */
typedef struct wr_run_outcome {
    const char *status; /* "done", "inaccurate", "failed" */
    int exit_code;      /* exit code of the process; -1: ended by a signal */
    const char *message;
    double wall_s;
} wr_run_outcome;

/* Function that runs a config with overrides, as `wrsim run` does, and returns the exit code. */
typedef int (*wr_run_fn)(const char *config, const char *const *override, int n_override);

/* Reads the config's text into a sweep with plan and results. Returns WRSIM_OK; or WRSIM_E_IO or WRSIM_E_ARG with err. */
wrsim_status wr_run_sweep_begin(wr_run_sweep *sweep, wrsim_error *err);
void wr_run_sweep_done(wr_run_sweep *sweep);

/* Returns the description of the sweep as JSON, which the caller frees; NULL when out of memory. */
char *wr_run_sweep_describe(const wr_run_sweep *sweep);

/* Returns 1 if the config file still has its text of wr_run_sweep_begin(), else 0. */
int wr_run_sweep_is_unchanged(const wr_run_sweep *sweep);

/* Checks, in a process before the first run, that a run has a valid config and records the requested results. Tries at most 1000 runs,
 * spread evenly over the sweep. Returns the exit code; report receives errors. */
int wr_run_sweep_check(const wr_run_sweep *sweep, wrsim_report_fn report, void *user);

/* Performs a run in the present process, with standard output and error in log.txt. Returns the exit code. */
int wr_run_sweep_run(const wr_run_sweep *sweep, int i_run, wr_run_fn run, wrsim_report_fn report);

/* Records the end of a run's process, whose status of waitpid() is wait_status. If the process has not written the row of the run,
 * writes the row and a message of one line in ret_text. Otherwise ret_text is "". The caller omits runs that stop with the sweep,
 * because a resumed sweep repeats these runs. Returns WRSIM_OK; or WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY with err. */
wrsim_status wr_run_sweep_ended(const wr_run_sweep *sweep, int i_run, int wait_status,
                                double wall_s, char ret_text[WR_RUN_KEPT_BYTES], wrsim_error *err);

/* Overrides of a run; the caller frees the texts (wr_run_overrides_done). */
typedef struct wr_run_overrides {
    int n;
    char *text[WR_RUN_OVERRIDES];
} wr_run_overrides;
/* Makes the overrides, with result files if with_files is 1, else without results. Returns 0, or -1 when out of memory. */
int wr_run_overrides_make(wr_run_overrides *o, const wr_run_sweep *sweep, int i_run,
                          int with_files);
void wr_run_overrides_done(wr_run_overrides *o);

/* Writes the row of a run: its values, its end, its results. Returns WRSIM_OK, or a negative status with err. */
wrsim_status wr_run_row_write(const wr_run_sweep *sweep, int i_run, const wr_run_outcome *outcome,
                              wrsim_error *err);

#endif
