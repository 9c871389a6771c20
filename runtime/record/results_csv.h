/* Reads result files in CSV format. Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_CSV_H
#define WR_RESULTS_CSV_H

#include <stddef.h>

#include "runtime/record/results_read.h"

/* Read the communication points, and the rows at events, from the whole text of a file. */
wr_results *wr_results_csv_read(const char *file, const char *text, size_t n_bytes,
                                wrsim_error *err);
wrsim_status wr_results_csv_events(const char *file, const char *text, size_t n_bytes, int n_wanted,
                                   const char *const *wanted, wr_results_events *ret,
                                   wrsim_error *err);

#endif
