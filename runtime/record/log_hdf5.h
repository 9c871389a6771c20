/* Reads the log of a result file in HDF5 format; part of the module 'hdf5'. Thread: one owner. Real-time: no. */
#ifndef WR_LOG_HDF5_H
#define WR_LOG_HDF5_H

#include <hdf5.h>

#include "runtime/record/run_log.h"

/* Reads the log of an open file into an empty log. Returns 1; 0: the file has no log of this layout, or a damaged log. *ret_is_memory_out is
 * 1 when out of memory. */
int wr_log_hdf5_read(hid_t file, wr_run_log *log, int *ret_is_memory_out);

#endif
