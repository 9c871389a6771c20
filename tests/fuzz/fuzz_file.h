/* Makes a file from the input, for fuzz targets of readers that take a path. Thread: one owner. Real-time: no. */
#ifndef WR_FUZZ_FILE_H
#define WR_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct wr_fuzz_file {
    int fd;
    char path[64];
} wr_fuzz_file;

static inline void wr_fuzz_require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "a fuzz target says: %s\n", what);
    abort();
}

/* Opens a file in memory with the bytes. The path has no suffix, by which some readers choose a format. */
static inline wr_fuzz_file wr_fuzz_file_open(const uint8_t *data, size_t n_bytes)
{
    wr_fuzz_file file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    wr_fuzz_require(file.fd >= 0 && write(file.fd, data, n_bytes) == (ssize_t)n_bytes,
                    "a file of the input");
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void wr_fuzz_file_close(const wr_fuzz_file *file) { close(file->fd); }

#endif
