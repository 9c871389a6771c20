/* Reads result files in HDF5 format; part of the module 'hdf5'. The functions have the contracts of their callers in
 * hdf5.h.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_HDF5_H
#define WR_RESULTS_HDF5_H

#include "runtime/record/results_read.h"

wr_results *wr_hdf5_read(const char *file, wrsim_error *err);
wrsim_status wr_hdf5_waves(const char *file, int n_wanted, const char *const *wanted,
                           wr_results_part **ret_part, int *ret_n, wrsim_error *err);
wrsim_status wr_hdf5_events(const char *file, int n_wanted, const char *const *wanted,
                            wr_results_events *ret, wrsim_error *err);
/* Disables the cleanup of HDF5 at exit; see wr_results_leave_hdf5(). */
void wr_hdf5_leave(void);

#endif
