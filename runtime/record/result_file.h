/* Opening and closing of a result file by its one writer, and errors about it.
 *
 * Thread: the writer's. Real-time: no. */
#ifndef WR_RESULT_FILE_H
#define WR_RESULT_FILE_H

#include "base/diag.h"

/* Fills err for a failed system call on a result file and returns its status: WRSIM_E_DISK for a lack of space, else
 * WRSIM_E_IO. detail may be NULL. */
wrsim_status wr_result_file_fail(const char *file, int error_number, const char *detail,
                                 wrsim_error *err);

/* Locks a result file, opened for writing, until it is closed. Removes the summary of the old results (NULL or "" =
 * none) and empties the file. Returns 0 or an error number: EAGAIN if another run writes to it. Pipes and devices
 * stay unchanged; on file systems without locks there is no lock. */
int wr_result_file_take(int fd, const char *summary);

/* Called before the file is closed: checks that the name still leads to this file. Returns WRSIM_OK, or WRSIM_E_IO
 * with err if the file was removed, renamed or replaced. Pipes and devices are not checked. */
wrsim_status wr_result_file_check(int fd, const char *file, wrsim_error *err);

/* Called before the file is closed: releases the lock, because a forked process may keep the file open. */
void wr_result_file_release(int fd);

#endif
