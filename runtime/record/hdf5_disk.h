/* The disk under a result file in HDF5 format: a file driver that a full disk cannot break.
 *
 * HDF5 does not survive a write that fails: the file can then not be closed, and the program
 * crashes when the library ends. This driver tells HDF5 that every write succeeded. The first that
 * did not is noted, and nothing after it reaches the file, which is left as if the run had been
 * killed at that moment: readable, thanks to the order in which a single writer with many readers
 * writes. The writer asks after each of its steps whether the disk has failed.
 *
 * Only writer_hdf5.c includes this. Thread: one at a time per file. Real-time: no.
 */
#ifndef WR_HDF5_DISK_H
#define WR_HDF5_DISK_H

#include <hdf5.h>

typedef struct wr_hdf5_disk {
    int error_number; /* errno of the first call that failed, 0 while all is well */
} wr_hdf5_disk;

/* Makes files opened with this access list use the driver and report to disk, which must outlive
 * them. Negative when HDF5 refuses. */
herr_t wr_hdf5_disk_use(hid_t access, wr_hdf5_disk *disk);

#endif
