/* Opens and writes files that users name. Opening a named pipe normally waits until both ends are open. wr_open_file_read(),
 * wr_open_file_write() and wr_open_file_rewrite() wait for at most a second.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_OPEN_FILE_H
#define WR_OPEN_FILE_H

#include <stdio.h>

/* Opens a file like fopen(path, "rbe"), but skips a UTF-8 byte order mark at the beginning of a regular file. Returns NULL with errno;
 * ENODATA if no process opens a pipe for writing within a second. */
FILE *wr_open_file_read(const char *path);

/* Returns 1 if the file begins with a NUL byte, as endless devices such as /dev/zero do and texts do not. The call consumes no byte. */
int wr_open_file_is_binary(FILE *file);

/* Opens a file like open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666). Returns -1 with errno; EPIPE if no process opens a pipe for
 * reading within a second. */
int wr_open_file_write(const char *path);

/* Opens a file like fopen(path, "w"), but waits at most a second for a reader of a pipe. Returns NULL with errno. */
FILE *wr_open_file_rewrite(const char *path);

/* Writes n_bytes to a descriptor, in several system calls if necessary. Returns the number of bytes written. If the result is less than
 * n_bytes, *ret_error_number is the errno. The call continues after signals, and waits for a full pipe or terminal that is non-blocking. */
size_t wr_open_file_write_all(int fd, const void *data, size_t n_bytes, int *ret_error_number);

/* Returns the descriptor of this process that a name leads to, or -1 for a regular name. Examples of names that lead to descriptors are
 * /dev/stdout, /dev/fd/1 and links to these names. open() would start at the beginning of the file, so writers use the descriptor. */
int wr_open_file_descriptor(const char *path);

/* Returns the length, in bytes, of the shortest part of a path that leads to a regular file; 0: none. A part begins at the start, and ends
 * before a '/' or at the end: "a.ssp" of "a.ssp/b/c.fmu". */
size_t wr_open_file_part(const char *path);

/* Returns 1 for a named pipe. dlopen() must not open a pipe, because dlopen() waits for the other end. */
int wr_open_file_is_pipe(const char *path);

#endif
