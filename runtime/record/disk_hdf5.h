/* The disk under a result file in HDF5 format: a file driver that a full disk cannot break.
 *
 * HDF5 does not survive a write that fails: the file can then not be closed, and the program
 * crashes when the library ends. This driver tells HDF5 that every write succeeded. The first that
 * did not is noted, and nothing after it reaches the file, which is left as if the run had been
 * killed at that moment: readable, thanks to the order in which a single writer with many readers
 * writes. The writer asks after each of its steps whether the disk has failed.
 *
 * It also keeps HDF5's mark of a file that is being written out of the file, and tells its length ahead, so that any
 * reader, with SWMR or without, opens it while the run goes on and after whatever has ended it.
 *
 * Only writer_hdf5.c includes this. Thread: one at a time per file. Real-time: no.
 */
#ifndef WR_DISK_HDF5_H
#define WR_DISK_HDF5_H

#include <stdint.h>

typedef struct wr_disk_hdf5 {
    int error_number;    /* errno of the first call that failed, 0 while all is well */
    const char *summary; /* for wr_result_file_take */
    int fd;              /* of the file that was opened last */
    int64_t driver;      /* an hid_t; 0 = none */
} wr_disk_hdf5;

/* Makes files opened with this access list (an hid_t) use the driver and report to disk, which must
 * outlive them. Negative when HDF5 refuses. */
int wr_disk_hdf5_use(int64_t access, wr_disk_hdf5 *disk);

/* Lets readers in, which are kept out from the opening on, but no other writer. HDF5 lets both in where it begins to write for
 * many readers, or none of them when it is told not to lock (HDF5_USE_FILE_LOCKING). */
void wr_disk_hdf5_share(const wr_disk_hdf5 *disk);

/* After the files are closed. */
void wr_disk_hdf5_release(wr_disk_hdf5 *disk);

#endif
