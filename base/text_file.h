/* Writes complete files, such as summaries and checkpoints. A test before the run finds files that the run could not write.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_TEXT_FILE_H
#define WR_TEXT_FILE_H

#include <stddef.h>

#include "wrsim/status.h"

/* Tests whether a file can be written. Returns 0 or the error number. An existing file stays unchanged, also a dangling link. The test does
 * not open pipes and devices. */
int wr_text_file_try(const char *path);

/* Writes a whole file. Returns 0 or the error number. The call writes the text to a temporary file and then renames this file. If writing
 * fails, an old file stays. If path is a pipe, a device or a dangling link, or the folder cannot have another file, the call writes
 * directly. After a failure of a direct write the call removes the incomplete file. If the name leads to a descriptor of this process
 * (wr_open_file_descriptor()), the call appends the text to this descriptor. */
int wr_text_file_write(const char *path, const char *text);

/* Writes any bytes like wr_text_file_write(), but never loses an old regular file: the bytes are on the disk on return. The call fails if
 * the folder of a regular file cannot have a temporary file. Names of descriptors have no special meaning. */
int wr_text_file_keep(const char *path, const void *data, size_t n_bytes);

/* Returns 1 for error numbers that mean a lack of space: a full disk, a quota, a limit on the size of files. */
int wr_text_file_is_full(int error_number);

/* Fills err (may be NULL) with the path, the reason and a remedy. Returns WRSIM_E_DISK for a lack of space,
 * else WRSIM_E_IO. */
wrsim_status wr_text_file_fail(const char *path, int error_number, wrsim_error *err);

/* Removes a file. If path is a link, the call empties the target; pipes, devices and descriptors stay unchanged. */
void wr_text_file_remove(const char *path);

#endif
