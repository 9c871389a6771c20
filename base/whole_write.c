/* Complete writes. See whole_write.h.
 *
 * Thread: any. Real-time: no. */
#include "base/whole_write.h"

#include <errno.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

/* Waits until the descriptor can be written. Another process with the same pipe or terminal may have made it
 * non-blocking. */
static int is_ready_soon(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLOUT};
    return (errno == EAGAIN || errno == EWOULDBLOCK) &&
           (poll(&wanted, 1, -1) > 0 || errno == EINTR);
}

size_t wr_whole_write(int fd, const void *data, size_t n_bytes, int *ret_error_number)
{
    const char *const bytes = data;
    size_t n = 0;
    while (n < n_bytes) {
        const ssize_t n_written = write(fd, bytes + n, n_bytes - n);
        if (n_written > 0)
            n += (size_t)n_written;
        else if (n_written == 0 || (errno != EINTR && !is_ready_soon(fd))) {
            *ret_error_number = n_written == 0 ? ENOSPC : errno;
            return n;
        }
    }
    return n;
}
