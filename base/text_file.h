/* Files written whole at the end of a run: tried before it, so that hours are not spent on what cannot
 * be kept.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_TEXT_FILE_H
#define WR_TEXT_FILE_H

#include <stddef.h>

#include "wrsim/status.h"

/* 0 if the file can be written, else the error number. What is there stays as it is, also a link that
 * leads to nothing yet. Pipes and devices are not opened. */
int wr_text_file_try(const char *path);

/* Writes the whole file. 0, or the error number. Nobody sees half of it: it is written beside its place, under another
 * name, and then renamed, so that what was there stays where writing fails. Pipes, devices and places where no other file
 * can be made are written to at once; half a file is taken away again. A name that leads to a descriptor of this process
 * (wr_open_file_descriptor()) is that descriptor: the text follows what was written there, and nothing of it is ever taken away. */
int wr_text_file_write(const char *path, const char *text);

/* The same of any bytes, which are on the disk when it returns: what was there is lost in no case, so that where no other
 * file can be made it fails. */
int wr_text_file_keep(const char *path, const void *data, size_t n_bytes);

/* Whether an error number says that there is no room for more: a full disk, a quota, a limit on the size of files. */
int wr_text_file_is_full(int error_number);

/* Says that path cannot be written, with what to do; err may be NULL. Returns WRSIM_E_DISK of a full disk, else WRSIM_E_IO. */
wrsim_status wr_text_file_fail(const char *path, int error_number, wrsim_error *err);

/* Takes a file away. One behind a link is emptied; pipes, devices and what descriptors lead to stay as they are. */
void wr_text_file_remove(const char *path);

#endif
