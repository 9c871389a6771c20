/* Opening and closing of a result file by its writer, and errors about the file. Thread: the writer's. Real-time: no. */
#ifndef WR_RESULT_FILE_H
#define WR_RESULT_FILE_H

#include "base/diag.h"

/* Fills err for a failed system call on a result file and returns its status: WRSIM_E_DISK for a lack of space, else
 * WRSIM_E_IO. detail may be NULL. */
wrsim_status wr_result_file_fail(const char *file, int error_number, const char *detail,
                                 wrsim_error *err);

/* Locks a regular file, opened for writing, until the file is closed. Returns 0, or EAGAIN if another run writes to the file. On file
 * systems without locks the function locks nothing. */
int wr_result_file_lock(int fd);

/* Locks a result file as wr_result_file_lock() does. Removes the summary of the old results (NULL or "": none) and empties
 * the file. Returns 0 or an error number: EAGAIN if another run writes to the file. Pipes and devices stay unchanged. */
int wr_result_file_take(int fd, const char *summary);

/* Checks that the name still leads to this file, before the file is closed. Returns WRSIM_OK, or WRSIM_E_IO with err if the file was
 * removed, renamed or replaced. The function does not check pipes and devices. */
wrsim_status wr_result_file_check(int fd, const char *file, wrsim_error *err);

/* Releases the lock before the file is closed, because a forked process may keep the file open. */
void wr_result_file_release(int fd);

#endif
