/* Opening files that users name: none is waited for without end.
 *
 * A named pipe is open once both ends are; whoever names one that nobody else opens would wait for ever.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_OPEN_FILE_H
#define WR_OPEN_FILE_H

#include <stdio.h>

/* As fopen(path, "rbe"), but behind UTF-8's byte order mark where a plain file begins with it: NULL with errno; ENODATA for a
 * pipe into which nobody writes within a second. */
FILE *wr_open_file_read(const char *path);

/* 1 if the file begins with a NUL, as no text does and as devices do that have neither lines nor an end. Nothing is consumed. */
int wr_open_file_is_binary(FILE *file);

/* As open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666): -1 with errno; EPIPE for a pipe that nobody reads within a second. */
int wr_open_file_write(const char *path);

/* As fopen(path, "w"), with the same. */
FILE *wr_open_file_rewrite(const char *path);

/* The number of this process's descriptor that a name leads to, as /dev/stdout, /dev/fd/1 and links to them do; -1: it is a file's
 * own name. Whoever opens such a name gets the file anew, from its beginning; what is written there belongs to the descriptor. */
int wr_open_file_descriptor(const char *path);

/* 1 if it is a named pipe, which dlopen() would wait for. */
int wr_open_file_is_pipe(const char *path);

#endif
