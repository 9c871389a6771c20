/* See program_output.h. glibc's fopencookie() makes the streams. Thread: as program_output.h. Real-time: no. */
#include "cli/program_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/open_file.h"
#include "cli/fit_table.h"
#include "cli/live_line.h"

enum { FIRST_COPY = 10, ESCAPED = 4 /* length of \xNN */, CHUNK = 1024 };

/* A stream's descriptor, and the bytes of an incomplete UTF-8 character. */
typedef struct outlet {
    int fd;
    int error_number; /* errno of the first failed write; the stream drops all later text */
    int n_missing;    /* bytes still missing from the character */
    int n_held;       /* bytes of the character received so far */
    unsigned char held[4];
    /* text that is not written yet: the last table, which has to fit a terminal, and an incomplete line */
    wr_text_buffer waiting;
    int is_terminal;
} outlet;

static outlet out = {.fd = STDOUT_FILENO}, err = {.fd = STDERR_FILENO};
FILE *wr_out, *wr_err;

static char *put_escaped(char *at, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    *at++ = '\\';
    *at++ = 'x';
    *at++ = digits[byte >> 4];
    *at++ = digits[byte & 15];
    return at;
}

/* Writes the bytes of `held` to `at`: unchanged if the bytes form a printable character, else escaped. */
static char *put_held(outlet *to, char *at, int is_printable)
{
    /* U+0080 to U+009F are control characters. */
    if (to->n_held == 2 && to->held[0] == 0xc2 && to->held[1] < 0xa0)
        is_printable = 0;
    for (int i = 0; i < to->n_held; i++)
        if (is_printable)
            *at++ = (char)to->held[i];
        else
            at = put_escaped(at, to->held[i]);
    to->n_held = to->n_missing = 0;
    return at;
}

static char *put_byte(outlet *to, char *at, unsigned char byte)
{
    if (to->n_missing > 0 && (byte & 0xc0) == 0x80) {
        to->held[to->n_held++] = byte;
        return --to->n_missing > 0 ? at : put_held(to, at, 1);
    }
    at = put_held(to, at, 0);
    if (byte >= 0xc2 && byte < 0xf5) {
        to->held[to->n_held++] = byte;
        to->n_missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        return at;
    }
    if (byte == '\n' || byte == '\t' || (byte >= ' ' && byte < 0x7f)) {
        *at++ = (char)byte;
        return at;
    }
    return put_escaped(at, byte);
}

/* Returns the width of the terminal in characters: the variable COLUMNS, or the width that the system knows; 0: unknown. */
static int width_of(int fd)
{
    const char *const columns = getenv("COLUMNS");
    const int wish = columns ? atoi(columns) : 0;
    return wish > 0 ? wish : wr_terminal_columns(fd);
}

static void write_text(outlet *to, const char *text, size_t n)
{
    if (!to->error_number)
        (void)wr_open_file_write_all(to->fd, text, n, &to->error_number);
}

/* Writes the waiting text with fitted tables. is_end 0: the last table may continue, and keeps waiting. Without memory the text stays as
 * it is. */
static void write_fitted(outlet *to, int is_end)
{
    wr_text_buffer fitted = {0};
    const int width = width_of(to->fd);
    const char *const text = wr_text_buffer_get(&to->waiting);
    size_t n = to->waiting.n_bytes;
    if (!text || n == 0)
        return;
    if (width > 0)
        n = wr_fit_table(text, n, width, is_end, &fitted);
    const char *const narrow = width > 0 ? wr_text_buffer_get(&fitted) : NULL;
    write_text(to, narrow ? narrow : text, narrow ? fitted.n_bytes : n);
    wr_text_buffer_done(&fitted);
    wr_text_buffer rest = {0};
    if (n < to->waiting.n_bytes)
        wr_text_buffer_put(&rest, text + n, to->waiting.n_bytes - n);
    wr_text_buffer_done(&to->waiting);
    to->waiting = rest;
}

static void write_chunk(outlet *to, const char *chunk, size_t n)
{
    if (to->is_terminal)
        wr_text_buffer_put(&to->waiting, chunk, n);
    if (!to->is_terminal || to->waiting.is_failed)
        write_text(to, chunk, n);
}

static ssize_t write_filtered(void *cookie, const char *text, size_t n)
{
    outlet *const to = cookie;
    char chunk[CHUNK + 8 * ESCAPED], *at = chunk;
    for (size_t i = 0; i < n; i++) {
        at = put_byte(to, at, (unsigned char)text[i]);
        if (at - chunk >= CHUNK || i + 1 == n) {
            write_chunk(to, chunk, (size_t)(at - chunk));
            at = chunk;
        }
    }
    write_fitted(to, 0);
    errno = to->error_number;
    return to->error_number ? 0 : (ssize_t)n;
}

static FILE *stream_to(outlet *to)
{
    return fopencookie(to, "w", (cookie_io_functions_t){.write = write_filtered});
}

void wr_program_output_open(void)
{
    /* The loop opens closed descriptors among 0 to 2, so that no result file gets such a number. A write to an opened descriptor still
     * fails. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", O_RDONLY);
    wr_out = stdout;
    wr_err = stderr;
    FILE *const own_out = stream_to(&out), *const own_err = stream_to(&err);
    const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_COPY);
    if (!own_out || !own_err || copy < 0)
        return;
    out.fd = copy;
    out.is_terminal = isatty(copy) == 1;
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    /* The buffers are static, so that the program can report exhausted memory. */
    static char err_buffer[BUFSIZ], out_buffer[BUFSIZ];
    setvbuf(own_err, err_buffer, _IOLBF, sizeof err_buffer);
    setvbuf(own_out, out_buffer, isatty(copy) ? _IOLBF : _IOFBF, sizeof out_buffer);
    wr_out = own_out;
    wr_err = own_err;
}

void wr_program_output_flush(void)
{
    (void)fflush(wr_out);
    write_fitted(&out, 1);
}

int wr_program_output_close(void)
{
    (void)fflush(stdout); /* the call writes the text of plug-ins */
    (void)fflush(wr_err);
    wr_program_output_flush();
    const int failed = ferror(wr_out) || out.error_number;
    return !failed ? 0 : out.error_number ? out.error_number : errno;
}

const char *wr_program_output_path(const char *path)
{
    static char copy[32];
    if (out.fd == STDOUT_FILENO || wr_open_file_descriptor(path) != STDOUT_FILENO)
        return path;
    snprintf(copy, sizeof copy, "/dev/fd/%d", out.fd);
    return copy;
}
