/* Opens result files in HDF5 format for reading, also while a run writes the file. Thread: one owner. Real-time: no. */
#ifndef WR_OPEN_HDF5_H
#define WR_OPEN_HDF5_H

#include <hdf5.h>

#include "runtime/record/results_read.h"

/* Returns the file, which the caller closes by H5Fclose(); negative: HDF5 cannot open the file, or the file has a later layout. */
hid_t wr_hdf5_open_results(const char *file);

/* Fills err with the reason why a file cannot be read: no memory, a layout of a later version of wrsim, or a damaged or foreign file. Returns
 * the status. */
wrsim_status wr_hdf5_fail_to_read(const char *file, int is_memory_out, wrsim_error *err);

/* Reads an attribute that is one integer or one text. Returns 0 or NULL on failure; the text is from malloc. */
int wr_hdf5_read_integer(hid_t object, const char *name, int *ret_value);
char *wr_hdf5_read_text(hid_t object, const char *name);

#endif
