/* Result files and their errors. See result_file.h. Thread: the writer's. Real-time: no. */
#include "runtime/record/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text_file.h"

wrsim_status wr_result_file_fail(const char *file, int error_number, const char *detail,
                                 wrsim_error *err)
{
    const int is_full = wr_text_file_is_full(error_number);
    const wrsim_status status = is_full ? WRSIM_E_DISK : WRSIM_E_IO;
    const char *const reason = error_number == EAGAIN ? "another run or a reader uses the file"
                               : error_number         ? strerror(error_number)
                               : detail               ? detail
                                                      : "unknown reason";
    if (is_full)
        wr_error_set(
            err, status,
            "no space left for results in '%s' (%s): free space, use another disk, or record "
            "less (output.signals, output.decimation); earlier rows stay readable",
            file, reason);
    else
        wr_error_set(err, status, "results '%s' cannot be written: %s; %schoose another file", file,
                     reason, error_number == ENOENT ? "check that its folder exists, or " : "");
    if (err)
        snprintf(err->file, sizeof err->file, "%s", file);
    return status;
}

int wr_result_file_lock(int fd)
{
    /* The lock belongs to the open file. HDF5 and its readers use flock(), which is independent of this lock. */
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES) ? EAGAIN : 0;
}

int wr_result_file_take(int fd, const char *summary)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return errno;
    const int is_regular = S_ISREG(about.st_mode);
    if (is_regular && wr_result_file_lock(fd) != 0)
        return EAGAIN;
    if (summary && *summary)
        wr_text_file_remove(summary);
    return !is_regular || ftruncate(fd, 0) == 0 ? 0 : errno;
}

wrsim_status wr_result_file_check(int fd, const char *file, wrsim_error *err)
{
    struct stat open_file, named;
    if (fstat(fd, &open_file) != 0 || !S_ISREG(open_file.st_mode))
        return WRSIM_OK;
    if (stat(file, &named) == 0 && named.st_dev == open_file.st_dev &&
        named.st_ino == open_file.st_ino)
        return WRSIM_OK;
    wr_error_set(err, WRSIM_E_IO,
                 open_file.st_nlink == 0
                     ? "'%s' was removed during the run, so the results are lost; repeat the run"
                     : "'%s' was renamed or replaced during the run, so it lacks the results; use "
                       "the renamed file, or repeat the run",
                 file);
    if (err)
        snprintf(err->file, sizeof err->file, "%s", file);
    return WRSIM_E_IO;
}

void wr_result_file_release(int fd)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)fcntl(fd, F_OFD_SETLK, &all); /* the call fails only where locks have no effect */
}
