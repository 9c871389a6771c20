/* Copies files. See cosim_copy.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/cosim_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/open_file.h"
#include "base/text_file.h"

enum { BLOCK_BYTES = 1 << 16 };

wrsim_status wr_cosim_copy(const char *from, const char *to, wrsim_error *err)
{
    FILE *const source = wr_open_file_read(from);
    if (!source)
        return wr_error_set(err, WRSIM_E_IO, "the file '%s' cannot be read: %s", from,
                            strerror(errno));
    const int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    int error_number = fd < 0 ? errno : 0;
    char block[BLOCK_BYTES];
    size_t n;
    while (!error_number && (n = fread(block, 1, sizeof block, source)) > 0)
        (void)wr_open_file_write_all(fd, block, n, &error_number);
    const int is_read = !ferror(source);
    (void)fclose(source);
    if (fd >= 0 && close(fd) != 0 && !error_number)
        error_number = errno;
    if (error_number)
        return wr_text_file_fail(to, error_number, err);
    return is_read ? WRSIM_OK : wr_error_set(err, WRSIM_E_IO, "the file '%s' cannot be read", from);
}
