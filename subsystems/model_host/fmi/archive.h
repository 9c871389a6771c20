/* The zip archive of an FMU: the description in memory, and the files of this machine in a temporary folder. The folder of an unpacked FMU
 * (unpacked.h) serves instead of an archive, and stays as it is.
 *
 * A name in the archive may not leave the folder, and each entry becomes a regular file. So an archive writes nothing outside of its
 * folder.
 * A process holds a lock (flock) on its folder. If the process is killed, the system releases the lock. The next wr_archive_unpack() with
 * the same temporary folder and user then removes the folder.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_ARCHIVE_H
#define WR_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "wrsim/status.h"

typedef struct wr_archive wr_archive;

enum {
    /* largest ratio of unpacked bytes to bytes of the file (assumed); deflate reaches at most 1032 (zlib's manual) */
    WR_ARCHIVE_RATIO = 1000,
    WR_ARCHIVE_ENTRIES = 100000 /* largest number of entries (assumed) */
};
/* largest sum of unpacked bytes (assumed): 2 GiB */
#define WR_ARCHIVE_BYTES (INT64_C(2) << 30)

/* Opens an FMU, checks its list of entries and reads its description. path stays unchanged until close, and may lead through archives:
 * "a.ssp/resources/b.fmu". Returns NULL with err: WRSIM_E_IO
 * if the file cannot be read, WRSIM_E_MODEL if the archive is not valid, or WRSIM_E_MEMORY. */
wr_archive *wr_archive_open(const char *path, wrsim_error *err);

/* Returns the bytes of modelDescription.xml, valid until close. */
const char *wr_archive_description(const wr_archive *archive, size_t *ret_n_bytes);
/* Returns the platforms of the binaries, as "linux64, win64"; "" without binaries. */
const char *wr_archive_platforms(const wr_archive *archive);

/* Unpacks the binaries of this machine and resources/ into a new folder in TMPDIR or /tmp, with the mode 0700. On x86-64 the binaries are
 * in linux64 (FMI 2.0) or x86_64-linux (FMI 3.0). Call once. Returns WRSIM_OK, or a status with err; close then removes the folder. */
wrsim_status wr_archive_unpack(wr_archive *archive, wrsim_error *err);
/* Returns the absolute path of the folder, valid until close. Requires wr_archive_unpack(). */
const char *wr_archive_folder(const wr_archive *archive);

/* Reads a file in an archive, such as "a.ssp/SystemStructure.ssd", into memory of malloc. */
wrsim_status wr_archive_read_file(const char *path, size_t most_bytes, char **ret_bytes,
                                  size_t *ret_n, wrsim_error *err);
/* Returns 1 if the path leads to an archive with the entry `name`. */
int wr_archive_has(const char *path, const char *name);

/* Removes the folder. archive and *archive may be NULL. */
void wr_archive_close(wr_archive **archive);

#endif
