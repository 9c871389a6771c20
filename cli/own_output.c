/* See own_output.h. The streams are glibc's fopencookie().
 *
 * Thread: as there. Real-time: no.
 */
#include "cli/own_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/open_file.h"
#include "base/whole_write.h"

/* All sources of the program have been given others; here stdio's are meant. */
#undef stdout
#undef stderr

enum { FIRST_COPY = 10, ESCAPED = 4 /* \xNN */, CHUNK = 1024 };

/* Where a stream writes to, and the UTF-8 character that it is in. */
typedef struct outlet {
    int fd, error_number;
    int n_more; /* bytes that the character lacks */
    int n_held; /* bytes of it, not written yet */
    unsigned char held[4];
} outlet;

static outlet out = {.fd = STDOUT_FILENO}, err = {.fd = STDERR_FILENO};
FILE *wr_own_stdout, *wr_own_stderr;

static void write_all(outlet *to, const char *text, size_t n)
{
    if (!to->error_number)
        (void)wr_whole_write(to->fd, text, n, &to->error_number);
}

static char *put_escaped(char *at, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    *at++ = '\\';
    *at++ = 'x';
    *at++ = digits[byte >> 4];
    *at++ = digits[byte & 15];
    return at;
}

/* What is held turns out to be a character, or not. */
static char *put_held(outlet *to, char *at, int is_character)
{
    /* U+0080 to U+009F are control characters, too. */
    if (to->n_held == 2 && to->held[0] == 0xc2 && to->held[1] < 0xa0)
        is_character = 0;
    for (int i = 0; i < to->n_held; i++)
        if (is_character)
            *at++ = (char)to->held[i];
        else
            at = put_escaped(at, to->held[i]);
    to->n_held = to->n_more = 0;
    return at;
}

static char *put_byte(outlet *to, char *at, unsigned char byte)
{
    if (to->n_more > 0 && (byte & 0xc0) == 0x80) {
        to->held[to->n_held++] = byte;
        return --to->n_more > 0 ? at : put_held(to, at, 1);
    }
    at = put_held(to, at, 0);
    if (byte >= 0xc2 && byte < 0xf5) {
        to->held[to->n_held++] = byte;
        to->n_more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        return at;
    }
    if (byte == '\n' || byte == '\t' || (byte >= ' ' && byte < 0x7f)) {
        *at++ = (char)byte;
        return at;
    }
    return put_escaped(at, byte);
}

static ssize_t write_filtered(void *cookie, const char *text, size_t n)
{
    outlet *const to = cookie;
    char chunk[CHUNK + 8 * ESCAPED], *at = chunk;
    for (size_t i = 0; i < n; i++) {
        at = put_byte(to, at, (unsigned char)text[i]);
        if (at - chunk >= CHUNK || i + 1 == n) {
            write_all(to, chunk, (size_t)(at - chunk));
            at = chunk;
        }
    }
    errno = to->error_number;
    return to->error_number ? 0 : (ssize_t)n;
}

static FILE *stream_to(outlet *to)
{
    return fopencookie(to, "w", (cookie_io_functions_t){.write = write_filtered});
}

/* Descriptors 0 to 2 that nobody has opened would become a result file's. */
static void take_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", O_RDONLY); /* so that writing to it still fails */
}

void wr_own_output_open(void)
{
    take_standard_descriptors();
    wr_own_stdout = stdout;
    wr_own_stderr = stderr;
    FILE *const own_out = stream_to(&out), *const own_err = stream_to(&err);
    const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_COPY);
    if (!own_out || !own_err || copy < 0)
        return;
    out.fd = copy;
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    /* Buffers that need no memory: what there is to say may be that there is none. */
    static char err_buffer[BUFSIZ], out_buffer[BUFSIZ];
    setvbuf(own_err, err_buffer, _IOLBF, sizeof err_buffer);
    setvbuf(own_out, out_buffer, isatty(copy) ? _IOLBF : _IOFBF, sizeof out_buffer);
    wr_own_stdout = own_out;
    wr_own_stderr = own_err;
}

int wr_own_output_close(void)
{
    (void)fflush(stdout); /* what plug-ins have left there */
    (void)fflush(wr_own_stderr);
    const int failed = fflush(wr_own_stdout) != 0 || ferror(wr_own_stdout);
    return !failed ? 0 : out.error_number ? out.error_number : errno;
}

const char *wr_own_output_path(const char *path)
{
    static char copy[32];
    if (out.fd == STDOUT_FILENO || wr_open_file_descriptor(path) != STDOUT_FILENO)
        return path;
    snprintf(copy, sizeof copy, "/dev/fd/%d", out.fd);
    return copy;
}

int wr_own_output_descriptor(void) { return out.fd; }
