/* Writing all of something to a descriptor, whatever the system takes of it at once.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_WHOLE_WRITE_H
#define WR_WHOLE_WRITE_H

#include <stddef.h>

/* How many of the bytes are written; fewer than n_bytes: *ret_error_number is why (errno). A signal stops nothing, and where a
 * pipe or terminal is full that somebody else has made non-blocking, it is waited for. */
size_t wr_whole_write(int fd, const void *data, size_t n_bytes, int *ret_error_number);

#endif
