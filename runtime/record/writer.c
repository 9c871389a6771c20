/* The table of result file formats and what the formats share. See writer.h.
 *
 * Thread: any. Real-time: no.
 */
#include "runtime/record/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text_file.h"

const wr_writer_ops *const wr_writers[] = {&wr_writer_csv, &wr_writer_h5, &wr_writer_hdf5, NULL};

static const char *extension_of(const char *file)
{
    const char *const slash = strrchr(file, '/');
    const char *const dot = strrchr(slash ? slash + 1 : file, '.');
    return dot ? dot : "";
}

const wr_writer_ops *wr_writer_find(const char *file, wrsim_error *err)
{
    if (!file || !*file)
        return &wr_writer_null;
    const char *const extension = extension_of(file);
    char known[256] = "";
    for (const wr_writer_ops *const *ops = wr_writers; *ops; ops++) {
        if (strcasecmp((*ops)->extension, extension) == 0)
            return *ops;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s (%s)", used ? ", " : "",
                 (*ops)->extension, (*ops)->help);
    }
    wr_error_set(err, WRSIM_E_CONFIG,
                 "output file '%s' has %s%s%s, which names no result format; use one of %s", file,
                 *extension ? "the extension '" : "no extension", extension, *extension ? "'" : "",
                 known);
    return NULL;
}

wrsim_status wr_writer_fail(const char *file, int error_number, const char *detail,
                            wrsim_error *err)
{
    /* A limit on the size of files (EFBIG) or a quota is a full disk to the user. */
    const int is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    const wrsim_status status = is_full ? WRSIM_E_DISK : WRSIM_E_IO;
    const char *const reason = error_number == EAGAIN ? "it is in use, by another run or a reader"
                               : error_number         ? strerror(error_number)
                               : detail               ? detail
                                                      : "failed";
    if (is_full)
        wr_error_set(err, status,
                     "no space left for results in '%s' (%s): free space, set output.file to "
                     "another disk, or record less (output.signals, output.decimation); what was "
                     "written before stays readable",
                     file, reason);
    else
        wr_error_set(err, status, "cannot write results to '%s': %s; choose another output.file",
                     file, reason);
    if (err)
        snprintf(err->file, sizeof err->file, "%s", file);
    return status;
}

int wr_writer_take(int fd, const char *summary)
{
    /* On the open file, beside flock(), which HDF5 takes and gives back and its readers take. */
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat about;
    if (fstat(fd, &about) != 0)
        return errno;
    const int is_regular = S_ISREG(about.st_mode);
    if (is_regular && fcntl(fd, F_OFD_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES))
        return EAGAIN;
    if (summary && *summary)
        wr_text_file_remove(summary);
    return !is_regular || ftruncate(fd, 0) == 0 ? 0 : errno;
}

void wr_writer_release(int fd)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)fcntl(fd, F_OFD_SETLK, &all); /* fails only where locking did nothing */
}

int wr_writer_n_channel(const wr_recorder_options *options)
{
    int n_channel = 0;
    for (int i = 0; i < options->n_stream; i++)
        n_channel += options->stream[i].n_channel;
    return n_channel;
}
