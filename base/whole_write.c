/* Complete writes. See whole_write.h.
 *
 * Thread: any. Real-time: no. */
#include "base/whole_write.h"

#include <errno.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

size_t wr_whole_write(int fd, const void *data, size_t n_bytes, int *ret_error_number)
{
    const char *const bytes = data;
    size_t n = 0;
    while (n < n_bytes) {
        struct pollfd wanted = {.fd = fd, .events = POLLOUT};
        const ssize_t n_written = write(fd, bytes + n, n_bytes - n);
        if (n_written > 0) {
            n += (size_t)n_written;
            continue;
        }
        /* Another process with the same pipe or terminal may have made the descriptor non-blocking. */
        const int must_wait = n_written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (n_written == 0 ||
            (errno != EINTR && !(must_wait && (poll(&wanted, 1, -1) > 0 || errno == EINTR)))) {
            *ret_error_number = n_written == 0 ? ENOSPC : errno;
            break;
        }
    }
    return n;
}
