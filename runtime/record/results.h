/* Reading result files back, and comparing two of them.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RESULTS_H
#define WR_RESULTS_H

#include "base/diag.h"

typedef struct wr_results {
    int n_signal, n_row;
    char **name, **unit; /* [n_signal] */
    double *time_s;      /* [n_row] communication points */
    double *value;       /* [n_signal * n_row], signal-major */
    char *config_text;   /* as stored; "" if none */
} wr_results;

/* For programs, before anything is read or written: what a damaged file has left HDF5 with is not tidied up at exit, aloud. */
void wr_results_leave_hdf5(void);

/* Reads a .csv or .h5 file of ours, also one that is still being written or was cut off. */
wr_results *wr_results_load(const char *file, wrsim_error *err);
void wr_results_destroy(wr_results **results);

/* A range below this part of the largest value is taken for noise. Two runs whose solvers control errors
 * relative to values, at 1e-8 or looser, cannot agree on a motion that small; and errors of whoever does
 * move where the reference stands still are then judged by its size. */
#define WR_NOISE_PART 1e-8

typedef struct wr_difference {
    const char *name; /* belongs to a */
    double range;     /* max - min of the signal in b (the reference); see is_constant */
    int is_constant;  /* b moves by no more than WR_NOISE_PART of its size, which range is then */
    double max_abs, rms;     /* infinite if a value is not finite in either */
    double max_rel, rms_rel; /* relative to range; to 1 if the reference is all zeros */
    double t_max_s;          /* where the largest difference is */
} wr_difference;

/* How much of two results was compared. */
typedef struct wr_overlap {
    int n_only_a, n_only_b;      /* signals without a partner, */
    const char *only_a, *only_b; /* the first of them; NULL = none; belong to a and b */
    int n_row;                   /* communication points both have */
    double first_s, last_s;      /* the first and last of them */
    int n_row_only_a, n_row_only_b;
    double end_a_s, end_b_s; /* the last point of each; equal if they are one point */
} wr_overlap;

/* Is there anything in one that the other lacks: a signal, or a point, such as all those after its end? */
int wr_results_lack(const wr_overlap *overlap);

/* Compares the signals both have, at the times both have (linear interpolation is never used);
 * b is the reference. Writes *ret_difference (malloc'ed, [n]) and *ret_overlap and returns n, or
 * negative status with err (no common signal, no common time, or only one where a result has more). */
int wr_results_compare(const wr_results *a, const wr_results *b, wr_difference **ret_difference,
                       wr_overlap *ret_overlap, wrsim_error *err);

#endif
