/* Files that are written completely at the end of a run. A test before the run finds files that cannot be written.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_TEXT_FILE_H
#define WR_TEXT_FILE_H

#include <stddef.h>

#include "wrsim/status.h"

/* Tests whether a file can be written. Returns 0 or the error number. An existing file stays unchanged, also a
 * dangling link. Pipes and devices are not opened. */
int wr_text_file_try(const char *path);

/* Writes a whole file. Returns 0 or the error number. The text is written to a temporary file, which is then
 * renamed: if writing fails, an old file stays. Pipes, devices and folders without room for another file are written
 * directly; an incomplete file is removed. If the name leads to a descriptor of this process
 * (wr_open_file_descriptor()), the call appends the text to this descriptor. */
int wr_text_file_write(const char *path, const char *text);

/* As wr_text_file_write for any bytes, but the old file is never lost: the bytes are on the disk on return. If no temporary
 * file can be made, the call fails. */
int wr_text_file_keep(const char *path, const void *data, size_t n_bytes);

/* Returns 1 for error numbers that mean a lack of space: a full disk, a quota, a limit on the size of files. */
int wr_text_file_is_full(int error_number);

/* Fills err (may be NULL): the path cannot be written, and the remedy. Returns WRSIM_E_DISK for a full disk, else
 * WRSIM_E_IO. */
wrsim_status wr_text_file_fail(const char *path, int error_number, wrsim_error *err);

/* Removes a file. A file behind a link is emptied; pipes, devices and descriptors stay unchanged. */
void wr_text_file_remove(const char *path);

#endif
