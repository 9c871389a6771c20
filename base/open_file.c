/* Opens files without endless waits. See open_file.h. Thread: any. Real-time: no. */
#include "base/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A wait for the other end of a pipe lasts at most N_TRY * PAUSE_NS = 1 s (assumed). Both processes may start at the same time. */
enum { N_TRY = 100, PAUSE_NS = 10000000 };

static void pause_briefly(void) { (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL); }

size_t wr_open_file_part(const char *path)
{
    char part[PATH_MAX];
    struct stat about;
    for (size_t n = 0; path[n] && n < sizeof part; n++) {
        n += strcspn(path + n + 1, "/") + 1;
        if (n >= sizeof part)
            break;
        memcpy(part, path, n);
        part[n] = '\0';
        if (stat(part, &about) == 0 && S_ISREG(about.st_mode))
            return n;
        n--;
    }
    return 0;
}

int wr_open_file_is_pipe(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

int wr_open_file_descriptor(const char *path)
{
    /* MOST_LINKS is the limit of the Linux kernel. A number of MOST_DIGITS digits fits into an int. */
    enum { MOST_LINKS = 40, MOST_DIGITS = 9 };
    char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX], ours[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
        return -1;
    for (int i = 0; i < MOST_LINKS; i++) {
        const char *const slash = strrchr(at, '/'), *const name = slash ? slash + 1 : at;
        snprintf(target, sizeof target, "%.*s.", (int)(name - at), at);
        if (!realpath(target, folder))
            return -1;
        const size_t n_digit = strspn(name, "0123456789");
        if (n_digit > 0 && n_digit <= MOST_DIGITS && name[n_digit] == '\0' &&
            realpath("/proc/self/fd", ours) && strcmp(folder, ours) == 0)
            return (int)strtol(name, NULL, 10);
        const ssize_t n = readlink(at, target, sizeof target - 1);
        if (n < 0)
            return -1;
        target[n] = '\0';
        const int is_whole = target[0] == '/';
        if (snprintf(at, sizeof at, "%s%s%s", is_whole ? "" : folder, is_whole ? "" : "/",
                     target) >= (int)sizeof at)
            return -1;
    }
    return -1;
}

/* Makes later reads and writes block. Returns -1 on failure. */
static int make_blocking(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

/* Waits for a writer of a pipe; read() returns 0 until a process opens the pipe for writing. Returns 1 if the pipe has a writer, else 0.
 * The call reads *ret_n bytes (0 or 1) into *ret_byte. */
static int has_writer(int fd, char *ret_byte, int *ret_n)
{
    for (int i = 0; i < N_TRY; i++) {
        const ssize_t n = read(fd, ret_byte, 1);
        *ret_n = n == 1;
        if (n != 0)
            return n == 1 || errno == EAGAIN;
        pause_briefly();
    }
    errno = ENODATA;
    return 0;
}

FILE *wr_open_file_read(const char *path)
{
    /* Some editors write a byte order mark before texts. No supported format begins with these bytes. */
    static const char utf8_mark[] = "\xef\xbb\xbf";
    char byte, begin[sizeof utf8_mark - 1];
    struct stat about;
    int n_byte = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    const int is_fit = fstat(fd, &about) == 0 &&
                       (!S_ISFIFO(about.st_mode) || has_writer(fd, &byte, &n_byte)) &&
                       make_blocking(fd) == 0;
    if (is_fit && S_ISREG(about.st_mode) &&
        pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
        memcmp(begin, utf8_mark, sizeof begin) == 0)
        (void)lseek(fd, sizeof begin, SEEK_SET);
    FILE *const file = is_fit ? fdopen(fd, "rb") : NULL;
    if (!file) {
        const int error_number = errno;
        close(fd);
        errno = error_number;
    } else if (n_byte == 1) {
        (void)ungetc((unsigned char)byte, file); /* C guarantees ungetc of one byte */
    }
    return file;
}

int wr_open_file_is_binary(FILE *file)
{
    const int c = getc(file);
    if (c != EOF)
        (void)ungetc(c, file);
    return c == 0;
}

int wr_open_file_write(const char *path)
{
    for (int i = 0; i < N_TRY; i++) {
        const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (fd >= 0 && make_blocking(fd) == 0)
            return fd;
        if (fd >= 0 || errno != ENXIO || !wr_open_file_is_pipe(path)) {
            const int error_number = errno;
            if (fd >= 0)
                close(fd);
            errno = error_number;
            return -1;
        }
        pause_briefly();
    }
    errno = EPIPE;
    return -1;
}

FILE *wr_open_file_rewrite(const char *path)
{
    const int fd = wr_open_file_write(path);
    FILE *const file =
        fd >= 0 && (ftruncate(fd, 0) == 0 || errno == EINVAL) ? fdopen(fd, "w") : NULL;
    if (!file && fd >= 0) {
        const int error_number = errno;
        close(fd);
        errno = error_number;
    }
    return file;
}

size_t wr_open_file_write_all(int fd, const void *data, size_t n_bytes, int *ret_error_number)
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
        /* Another process that uses the pipe or terminal may make the descriptor non-blocking. */
        const int must_wait = n_written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (n_written == 0 ||
            (errno != EINTR && !(must_wait && (poll(&wanted, 1, -1) > 0 || errno == EINTR)))) {
            *ret_error_number = n_written == 0 ? ENOSPC : errno;
            break;
        }
    }
    return n;
}
