/* Plan of a sweep: the values of keys in each run.
 *
 * A grid has a run for every combination of values. The last key changes fastest. Paired keys change together: run i has the i-th value of
 * each key. A key with one value has this value in every run. Cases are rows of a CSV file whose header has keys. Each case combines with
 * all values of the other keys. All runs of the first case come first.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RUN_PLAN_H
#define WR_RUN_PLAN_H

#include "base/check.h"
#include "offline/runs/value_list.h"

/* Assumed limits: keys of a sweep, runs of a sweep, bytes of a text with all values of a run. */
enum { WR_RUN_PLAN_KEYS = 64, WR_RUN_PLAN_RUNS = 100000, WR_RUN_PLAN_TEXT_BYTES = 4096 };

typedef struct wr_run_key {
    char *name;
    wr_value_list values;
    int is_case; /* 1: the key comes from a file of cases */
} wr_run_key;

typedef struct wr_run_plan {
    int is_paired; /* 1: keys change together; the caller sets the flag before wr_run_plan_finish() */
    int n_key;
    wr_run_key key[WR_RUN_PLAN_KEYS];
    int n_inner; /* number of runs per case */
    int n_run;
} wr_run_plan;

/* Adds "KEY=VALUES" (value_list.h). Returns WRSIM_OK; or WRSIM_E_ARG or WRSIM_E_MEMORY with err. */
wrsim_status wr_run_plan_add(wr_run_plan *plan, const char *text, wrsim_error *err);

/* Adds a key without values. Returns the statuses of wr_run_plan_add(). */
wrsim_status wr_run_plan_add_key(wr_run_plan *plan, const char *name, wrsim_error *err);

/* Adds all keys of a file of cases. Returns WRSIM_OK; or WRSIM_E_IO, WRSIM_E_CONFIG, WRSIM_E_ARG or WRSIM_E_MEMORY with err (file). */
wrsim_status wr_run_plan_add_cases(wr_run_plan *plan, const char *file, wrsim_error *err);

/* Counts the runs. Returns WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_ARG for no keys, too many runs, paired lists of different lengths, or two
 * equal runs. */
wrsim_status wr_run_plan_finish(wr_run_plan *plan, wrsim_error *err);

/* Returns the value of key i_key in run i_run, 0 .. n_run - 1. */
const char *wr_run_plan_value(const wr_run_plan *plan, int i_run, int i_key);

/* Writes a text such as "a = 1, b = 2". Returns ret_text. */
const char *wr_run_plan_text(const wr_run_plan *plan, int i_run,
                             char ret_text[WR_RUN_PLAN_TEXT_BYTES]);

void wr_run_plan_done(wr_run_plan *plan);

#endif
