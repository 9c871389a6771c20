/* Result files of trial runs: their temporary folder, and the largest difference of two results. Thread: one owner. Real-time: no. */
#ifndef WR_TRIAL_FILES_H
#define WR_TRIAL_FILES_H

#include "runtime/record/results.h"
#include "wrsim/status.h"

enum { WR_TRIAL_PATH_BYTES = 64 };

/* Makes a temporary folder in TMPDIR (at most 31 characters), else in /tmp. Returns WRSIM_OK, or WRSIM_E_IO with an empty path and err. */
wrsim_status wr_trial_folder(char ret_path[WR_TRIAL_PATH_BYTES], wrsim_error *err);

/* Returns the largest max|a - reference| / max|reference| of all signals; INFINITY if a lacks signals or rows of the reference. For a zero
 * reference the divisor is 1. *ret_signal is the signal of the reference with the largest difference. *ret_signal is NULL if all signals
 * agree, or if a lacks signals or rows. */
double wr_trial_difference(const wr_results *a, const wr_results *reference,
                           const char **ret_signal);

#endif
