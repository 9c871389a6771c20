/* Results as a MAT file (mat.h). The rows of a run wait in an HDF5 file FILE.mat.h5, which stays after a kill or a failure. At the end the
 * writer converts this file to the MAT file, and removes it. During the run the MAT file is empty and locked.
 *
 * Thread: see writer.h. Real-time: no. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/open_file.h"
#include "runtime/record/mat.h"
#include "runtime/record/result_file.h"
#include "runtime/record/results.h"
#include "runtime/record/writer_ops.h"

#define ROWS_ENDING ".h5" /* ending of the name of the HDF5 file */
/* Format of the name of a new file, which has the number of the process (at most 7 digits, proc(5)), and the bytes after the name. */
#define NEW_FORMAT "%s.%ld.new"
enum { NEW_BYTES = sizeof ".4194304.new" - 1 };

static const char NOT_REGULAR[] = "a MAT file must be a regular file";

struct wr_writer {
    char *file, *rows_file; /* the MAT file, and the HDF5 file */
    char *version;
    int fd; /* of the MAT file, which holds the lock; -1: not open */
    const wr_writer_ops *rows_ops;
    wr_writer *rows; /* NULL: not open */
    int is_failed;
};

static wrsim_status mat_row(wr_writer *writer, double t_s, const double *const *values,
                            wrsim_error *err)
{
    const wrsim_status status = writer->rows_ops->row(writer->rows, t_s, values, err);
    writer->is_failed |= status < 0;
    return status;
}

static wrsim_status mat_event(wr_writer *writer, int i_stream, int kind, double t_s,
                              const double *values, wrsim_error *err)
{
    const wrsim_status status =
        writer->rows_ops->event(writer->rows, i_stream, kind, t_s, values, err);
    writer->is_failed |= status < 0;
    return status;
}

static wrsim_status mat_flush(wr_writer *writer, wrsim_error *err)
{
    const wrsim_status status = writer->rows_ops->flush(writer->rows, err);
    writer->is_failed |= status < 0;
    return status;
}

/* Writes a new file, which then replaces the MAT file. */
static wrsim_status replace(const char *file, const wr_results *results, const char *version,
                            wrsim_error *err)
{
    char place[PATH_MAX], name[PATH_MAX];
    const wr_mat_ops *const mat = wr_mat_load(err);
    if (!mat)
        return err->status;
    if (!realpath(file, place) ||
        snprintf(name, sizeof name, NEW_FORMAT, place, (long)getpid()) >= (int)sizeof name)
        return wr_result_file_fail(file, ENAMETOOLONG, NULL, err);
    wrsim_status status = mat->write(name, file, results, version, err);
    if (status >= 0 && rename(name, place) != 0)
        status = wr_result_file_fail(file, errno, NULL, err);
    if (status < 0)
        (void)unlink(name);
    return status;
}

static wrsim_status convert(const wr_writer *writer, wrsim_error *err)
{
    WR_AUTO(wr_results_destroy)
    wr_results *results = wr_results_load_whole(writer->rows_file, err);
    return results ? replace(writer->file, results, writer->version, err) : err->status;
}

/* Adds to an error that the rows are not lost. */
static wrsim_status keep_rows(const wr_writer *writer, wrsim_status status, wrsim_error *err)
{
    if (!err)
        return status;
    const char *const slash = strrchr(writer->rows_file, '/');
    char reason[sizeof err->text];
    snprintf(reason, sizeof reason,
             "%.280s. The rows of the run are in '%.258s' beside the MAT file; `wrsim convert` "
             "converts them",
             err->text, slash ? slash + 1 : writer->rows_file);
    memcpy(err->text, reason, sizeof reason);
    return status;
}

static wrsim_status mat_close(wr_writer **writer_at, wr_recorder_stats *stats, wrsim_error *err)
{
    wr_writer *const writer = *writer_at;
    wrsim_status status = WRSIM_OK;
    wrsim_error local = {0};
    struct stat about;
    if (!writer)
        return WRSIM_OK;
    if (writer->rows)
        status = writer->rows_ops->close(&writer->rows, stats, &local);
    const int is_complete = writer->fd >= 0 && !writer->is_failed && status >= 0;
    if (is_complete)
        status = wr_result_file_check(writer->fd, writer->file, &local);
    if (is_complete && status >= 0)
        status = convert(writer, &local);
    if (is_complete && status < 0)
        status = keep_rows(writer, status, &local);
    if (is_complete && status >= 0) {
        (void)unlink(writer->rows_file);
        stats->file_bytes = stat(writer->file, &about) == 0 ? about.st_size : 0;
    }
    if (status < 0 && err && !writer->is_failed)
        *err = local;
    if (writer->fd >= 0) {
        wr_result_file_release(writer->fd);
        (void)close(writer->fd);
    }
    free(writer->file);
    free(writer->rows_file);
    free(writer->version);
    free(writer);
    *writer_at = NULL;
    return status;
}

/* Opens the MAT file, locks and empties it. */
static wrsim_status open_mat(const char *file, const char *summary, int *ret_fd, wrsim_error *err)
{
    struct stat about;
    const char *const slash = strrchr(file, '/');
    /* The end of the run needs a longer name (replace()). */
    if (strlen(slash ? slash + 1 : file) + NEW_BYTES > NAME_MAX)
        return wr_result_file_fail(file, ENAMETOOLONG, NULL, err);
    *ret_fd = wr_open_file_write(file);
    if (*ret_fd >= 0 && fstat(*ret_fd, &about) == 0 && !S_ISREG(about.st_mode))
        return wr_result_file_fail(file, 0, NOT_REGULAR, err);
    const int failure = *ret_fd < 0 ? errno : wr_result_file_take(*ret_fd, summary);
    return failure == 0 ? WRSIM_OK : wr_result_file_fail(file, failure, NULL, err);
}

static wrsim_status mat_whole(const char *file, const wr_results *results, const char *version,
                              wrsim_error *err)
{
    struct stat about;
    const wr_mat_ops *const mat = wr_mat_load(err);
    if (!mat)
        return err->status;
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return wr_result_file_fail(file, 0, NOT_REGULAR, err);
    return mat->write(file, file, results, version, err);
}

static wr_writer *mat_open(const wr_recorder_options *options, wrsim_error *err)
{
    wr_writer *writer = calloc(1, sizeof *writer);
    wr_recorder_stats stats;
    if (writer) {
        writer->fd = -1;
        writer->is_failed = 1; /* until the files are open */
        writer->file = strdup(options->file);
        writer->rows_file = malloc(strlen(options->file) + sizeof ROWS_ENDING);
        writer->version = strdup(options->version ? options->version : "");
    }
    if (!writer || !writer->file || !writer->rows_file || !writer->version) {
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the result file '%s'", options->file);
        goto fail;
    }
    sprintf(writer->rows_file, "%s%s", options->file, ROWS_ENDING);
    writer->rows_ops = wr_writer_h5.load(err);
    if (!writer->rows_ops || open_mat(options->file, options->summary, &writer->fd, err) < 0)
        goto fail;
    wr_recorder_options rows = *options;
    rows.file = writer->rows_file;
    rows.summary = NULL;
    rows.log = NULL; /* a MAT file has no log, and an empty log means a run without events */
    writer->rows = writer->rows_ops->open(&rows, err);
    if (!writer->rows)
        goto fail;
    writer->is_failed = 0;
    return writer;
fail:
    (void)mat_close(&writer, &stats, NULL); /* err is already filled */
    return NULL;
}

/* Loads the module before the file is opened, so that a missing module is an error of the config. */
static const wr_writer_ops *load(wrsim_error *err)
{
    static const wr_writer_ops ops = {
        .extension = ".mat",
        .help = "MAT version 4",
        .open = mat_open,
        .row = mat_row,
        .event = mat_event,
        .flush = mat_flush,
        .close = mat_close,
        .whole = mat_whole,
    };
    return wr_mat_load(err) ? &ops : NULL;
}

const wr_writer_ops wr_writer_mat = {.extension = ".mat",
                                     .help = "MAT version 4",
                                     .beside = ROWS_ENDING,
                                     .beside_kind = WR_OWN_RESULT,
                                     .load = load};
