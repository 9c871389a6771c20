/* File driver of HDF5 for result files, which survives a full disk.
 *
 * HDF5 cannot close a file after a failed write and crashes at exit. This driver reports success for every write to
 * HDF5. The driver stores the first error and writes nothing afterwards, so the file stays as if the run had been killed at
 * that moment. The order of writes for a single writer with many readers (SWMR) keeps such a file readable. The writer checks
 * error_number after each of its steps.
 *
 * The driver also omits HDF5's mark of an open file, and writes the file's length ahead. So readers, with SWMR or
 * without, can open the file during the run and after any end of the run.
 *
 * Only writer_hdf5.c uses this driver. Thread: one at a time per file. Real-time: no. */
#ifndef WR_DISK_HDF5_H
#define WR_DISK_HDF5_H

#include <stdint.h>

typedef struct wr_disk_hdf5 {
    int error_number; /* errno of the first failed call for the open file, or of a failed open; 0 = none */
    const char *summary; /* summary of earlier results, for wr_result_file_take */
    int fd;              /* descriptor of the last opened file */
    int64_t driver;      /* hid_t of the driver; 0 = none */
} wr_disk_hdf5;

/* Sets the driver for files that HDF5 opens with this access list (an hid_t). The driver reports to `disk`, which must outlive the files.
 * Returns a negative number if HDF5 refuses. */
int wr_disk_hdf5_use(int64_t access, wr_disk_hdf5 *disk);

/* Takes a shared lock, which lets readers, but no other writer, open the file. The driver's exclusive lock ends when HDF5 begins to write
 * for many readers, or with this call if HDF5's locking is off (HDF5_USE_FILE_LOCKING). */
void wr_disk_hdf5_share(const wr_disk_hdf5 *disk);

/* Removes the driver. All files must be closed. */
void wr_disk_hdf5_release(wr_disk_hdf5 *disk);

#endif
