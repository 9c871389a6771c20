/* Operations of the module 'hdf5', which links HDF5. The HDF5 formats of writer.h load this module, too. Thread: any. Real-time: no. */
#ifndef WR_HDF5_H
#define WR_HDF5_H

#include "runtime/record/results_read.h"
#include "runtime/record/run_log.h"
#include "runtime/record/writer_ops.h"

typedef struct wr_hdf5_ops {
    const wr_writer_ops *writer;
    wr_results *(*read)(const char *file, wr_results_extent extent, wrsim_error *err);
    wrsim_status (*waves)(const char *file, int n_wanted, const char *const *wanted,
                          wr_results_part **ret_part, int *ret_n, char **ret_unit,
                          wrsim_error *err);
    wrsim_status (*events)(const char *file, int n_wanted, const char *const *wanted,
                           wr_results_events *ret, wrsim_error *err);
    wrsim_status (*log)(const char *file, wr_run_log *ret, wrsim_error *err);
    void (*leave)(void); /* disables HDF5's cleanup at the end of the process */
} wr_hdf5_ops;

/* Disables HDF5's cleanup at exit, which would print errors about damaged files. Call before all other functions. */
void wr_results_leave_hdf5(void);

/* Reads a result file in HDF5 format. This function and the following functions load the module. */
wr_results *wr_results_hdf5_read(const char *file, wr_results_extent extent, wrsim_error *err);
/* Appends the waves that contain wanted signals to (*ret_part)[*ret_n]. ret_unit[n_wanted]: units of the recorded signals from malloc, else
 * unchanged. */
wrsim_status wr_results_hdf5_waves(const char *file, int n_wanted, const char *const *wanted,
                                   wr_results_part **ret_part, int *ret_n, char **ret_unit,
                                   wrsim_error *err);
wrsim_status wr_results_hdf5_events(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err);
/* Reads the event log and the window records into an empty log, whose memory belongs to the caller also after a failure. */
wrsim_status wr_results_hdf5_log(const char *file, wr_run_log *ret, wrsim_error *err);

#endif
