/* Operations of the module 'hdf5', which links HDF5. Rows of writer.h and functions of results_read.h load it.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_HDF5_H
#define WR_HDF5_H

#include "runtime/record/results_read.h"
#include "runtime/record/writer_ops.h"

typedef struct wr_hdf5_ops {
    const wr_writer_ops *writer;
    wr_results *(*read)(const char *file, wrsim_error *err);
    wrsim_status (*waves)(const char *file, int n_wanted, const char *const *wanted,
                          wr_results_part **ret_part, int *ret_n, wrsim_error *err);
    wrsim_status (*events)(const char *file, int n_wanted, const char *const *wanted,
                           wr_results_events *ret, wrsim_error *err);
    void (*leave)(void); /* disables HDF5's cleanup at the end of the process */
} wr_hdf5_ops;

#endif
