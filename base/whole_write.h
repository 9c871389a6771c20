/* Writes all bytes to a descriptor, in several system calls if necessary.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_WHOLE_WRITE_H
#define WR_WHOLE_WRITE_H

#include <stddef.h>

/* Returns the number of bytes written. If it is less than n_bytes, *ret_error_number is the errno. The call
 * continues after signals, and waits for a full pipe or terminal that another process has made non-blocking. */
size_t wr_whole_write(int fd, const void *data, size_t n_bytes, int *ret_error_number);

#endif
