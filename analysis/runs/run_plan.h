/* Many runs of a config: which keys take which values in which run.
 *
 * A grid has a run for every combination of the keys' values, the last key changing fastest. Paired keys take their values
 * together: run i has the i-th of each; a key with one value has it in all runs. Cases, the rows of a CSV file whose header
 * names keys, are paired among themselves and combined with the rest: all runs of the first case come first.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_PLAN_H
#define WR_RUN_PLAN_H

#include "analysis/runs/value_list.h"
#include "base/check.h"

enum { WR_RUN_PLAN_KEYS = 64, WR_RUN_PLAN_RUNS = 100000, WR_RUN_PLAN_TEXT_BYTES = 4096 };

typedef struct wr_run_key {
    char *name;
    wr_value_list values;
    int is_case; /* from a file of cases */
} wr_run_key;

typedef struct wr_run_plan {
    int is_paired; /* set before wr_run_plan_finish() */
    int n_key;
    wr_run_key key[WR_RUN_PLAN_KEYS];
    int n_inner; /* runs of each case */
    int n_run;
} wr_run_plan;

/* "KEY=VALUES" (value_list.h). WRSIM_OK, or WRSIM_E_ARG, WRSIM_E_MEMORY with err. */
wrsim_status wr_run_plan_add(wr_run_plan *plan, const char *text, wrsim_error *err);

/* A key that has no values yet. Status as above. */
wrsim_status wr_run_plan_add_key(wr_run_plan *plan, const char *name, wrsim_error *err);

/* All keys of a file of cases. WRSIM_OK, or WRSIM_E_IO, WRSIM_E_CONFIG, WRSIM_E_MEMORY with err (file and line). */
wrsim_status wr_run_plan_add_cases(wr_run_plan *plan, const char *file, wrsim_error *err);

/* Counts the runs. WRSIM_E_ARG: there is none, or too many, paired lists differ in length, two runs are the same. */
wrsim_status wr_run_plan_finish(wr_run_plan *plan, wrsim_error *err);

/* What key i_key is in run i_run, 0 .. n_run - 1. */
const char *wr_run_plan_value(const wr_run_plan *plan, int i_run, int i_key);

/* "a = 1, b = 2", for people. Returns ret_text. */
const char *wr_run_plan_text(const wr_run_plan *plan, int i_run,
                             char ret_text[WR_RUN_PLAN_TEXT_BYTES]);

void wr_run_plan_done(wr_run_plan *plan);

#endif
