/* Reads result files and compares two result files. Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_H
#define WR_RESULTS_H

#include "runtime/record/results_read.h"
#include "wrsim/results.h"

/* Reads the communication points of a file in CSV or HDF5 format, also of an incomplete file. Returns NULL with err on failure. */
wr_results *wr_results_load(const char *file, wrsim_error *err);

/* Reads also descriptions, subsystems, config and rows at events. Fails if the description of a CSV file belongs to other results. */
wr_results *wr_results_load_whole(const char *file, wrsim_error *err);

/* Copies the rows at events with a wanted signal from results of wr_results_load_whole(). */
wrsim_status wr_results_take_events(const wr_results *results, int n_wanted,
                                    const char *const *wanted, wr_results_events *ret,
                                    wrsim_error *err);

/* Removes a result file, and the description and the event log of a CSV file. */
void wr_results_remove(const char *file);

/* Reads rows at events of a file in any format. */
wrsim_status wr_results_events_read(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err);

/* A signal counts as constant if its range is at most this share (assumed) of its largest magnitude. Runs with error control relative to
 * values, at 1e-8 or looser, cannot agree on such small motions. Errors are then relative to the size of the signal. */
#define WR_NOISE_PART 1e-8

typedef wrsim_difference wr_difference;
typedef wrsim_overlap wr_overlap;

/* Rows of two results with the same time. */
typedef struct wr_results_pair {
    int a, b;
} wr_results_pair;

/* Finds rows with the same time in two results with ascending times. ret_pair: room for the smaller number of rows. Returns the number of
 * pairs. */
int wr_results_match(const wr_results *a, const wr_results *b, wr_results_pair *ret_pair);

/* Returns 1 if a signal or communication point is in one result only. */
int wr_results_lack(const wr_overlap *overlap);

/* Compares the common signals at the common times, without interpolation. b is the reference, and differences are in the units of b. Writes
 * *ret_difference ([n], from malloc) and *ret_overlap. Returns n, or a negative status with err. Causes are times that decrease or are not
 * finite, units that do not fit, no common signal, and no common time. Further causes are a single common time of longer results, and no
 * memory. */
int wr_results_compare(const wr_results *a, const wr_results *b, wr_difference **ret_difference,
                       wr_overlap *ret_overlap, wrsim_error *err);

#endif
