/* Reads result files in CSV format. Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_CSV_H
#define WR_RESULTS_CSV_H

#include <stddef.h>

#include "base/json_tree.h"
#include "runtime/record/results_read.h"

/* Reads results from the whole text of a file. description: only for WR_RESULTS_WHOLE, from wr_csv_description_load(); may be NULL. */
wr_results *wr_results_csv_read(const char *file, const char *text, size_t n_bytes,
                                wr_results_extent extent, const wr_json_tree *description,
                                wrsim_error *err);
/* Reads the rows at events from the whole text of a file. */
wrsim_status wr_results_csv_events(const char *file, const char *text, size_t n_bytes, int n_wanted,
                                   const char *const *wanted, wr_results_events *ret,
                                   wrsim_error *err);

#endif
