/* Reads result files and compares two result files. Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_H
#define WR_RESULTS_H

#include "runtime/record/results_read.h"

/* Reads the communication points of a file in CSV or HDF5 format, also of an incomplete file. Returns NULL with err on failure. */
wr_results *wr_results_load(const char *file, wrsim_error *err);

/* Reads also descriptions, subsystems, config and rows at events. Fails if the description of a CSV file belongs to other results. */
wr_results *wr_results_load_whole(const char *file, wrsim_error *err);

/* Removes a result file, and the description of a CSV file. */
void wr_results_remove(const char *file);

/* Reads rows at events of a file in any format. */
wrsim_status wr_results_events_read(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err);

/* A signal counts as constant if its range is at most this share (assumed) of its largest magnitude. Runs with error control relative to
 * values, at 1e-8 or looser, cannot agree on such small motions. Errors are then relative to the size of the signal. */
#define WR_NOISE_PART 1e-8

typedef struct wr_difference {
    const char *name; /* name of the signal; the string belongs to result a */
    double range;     /* max - min of the signal in b, the reference; see is_constant */
    int is_constant;  /* 1: b is constant (WR_NOISE_PART); range is then the largest magnitude */
    /* largest and root mean square difference; infinite if a value is not finite */
    double max_abs, rms;
    double max_rel, rms_rel; /* max_abs and rms divided by range, or by 1 if range is 0 */
    double t_max_s;          /* time of the largest difference, s */
} wr_difference;

/* Extent of a comparison. */
typedef struct wr_overlap {
    int n_only_a, n_only_b; /* numbers of signals that the other result lacks */
    const char *only_a,
        *only_b; /* first signals that only one result has; NULL: none; the strings belong to a and b */
    int n_row;              /* number of common communication points */
    double first_s, last_s; /* first and last common point, s */
    int n_row_only_a, n_row_only_b;
    /* last point of each result, s; equal if the points differ by rounding only */
    double end_a_s, end_b_s;
} wr_overlap;

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
