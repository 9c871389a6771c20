/* A result file in the hands of one writer: taking it, giving it back, and what went wrong with it.
 *
 * Thread: the writer's. Real-time: no.
 */
#ifndef WR_RESULT_FILE_H
#define WR_RESULT_FILE_H

#include "base/diag.h"

/* Fills err for a failed system call on a result file and returns its status: WRSIM_E_DISK when
 * error_number says that there is no space, else WRSIM_E_IO. detail may be NULL. */
wrsim_status wr_result_file_fail(const char *file, int error_number, const char *detail,
                                 wrsim_error *err);

/* Takes a result file that was opened for writing for this writer alone, until it is closed, takes the
 * summary of what was in it away (NULL or "" = none), and empties it. 0, or an error number: EAGAIN where another run writes to it. Pipes and devices stay as they are;
 * file systems without locks go without. */
int wr_result_file_take(int fd, const char *summary);

/* Before the file is closed: is it still what the name stands for? WRSIM_OK, or WRSIM_E_IO with err saying that it was removed,
 * renamed or replaced meanwhile. Pipes and devices always are. */
wrsim_status wr_result_file_check(int fd, const char *file, wrsim_error *err);

/* Before the file is closed: a process that was forked meanwhile keeps it open, and its lock with it. */
void wr_result_file_release(int fd);

#endif
