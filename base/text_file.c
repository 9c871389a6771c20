/* Writes complete files. See text_file.h. Thread: any. Real-time: no. */
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/open_file.h"
#include "base/same_file.h"

int wr_text_file_try(const char *path)
{
    struct stat about;
    char target[PATH_MAX];
    const int own_fd = wr_open_file_descriptor(path);
    if (own_fd >= 0) {
        const int flags = fcntl(own_fd, F_GETFL);
        return flags < 0 ? errno : (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
    }
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return S_ISDIR(about.st_mode) ? EISDIR : 0;
    /* The test removes only a file that the test itself has created. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int is_made = fd >= 0;
    if (!is_made && errno == EEXIST)
        fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && lstat(path, &about) == 0) { /* a dangling link */
        const int failure = wr_same_file_place(path, target);
        return failure == 0 ? wr_text_file_try(target) : failure;
    }
    if (fd < 0)
        return errno;
    close(fd);
    if (is_made)
        unlink(path);
    return 0;
}

int wr_text_file_is_full(int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

wrsim_status wr_text_file_fail(const char *path, int error_number, wrsim_error *err)
{
    const int is_full = wr_text_file_is_full(error_number);
    const wrsim_status status = is_full ? WRSIM_E_DISK : WRSIM_E_IO;
    wr_error_set(err, status, "the file cannot be written: %s; %s", strerror(error_number),
                 is_full ? "free space, or write to another disk"
                         : "check the path and its permissions");
    if (err)
        snprintf(err->file, sizeof err->file, "%.*s", (int)sizeof err->file - 1, path);
    return status;
}

void wr_text_file_remove(const char *path)
{
    struct stat about;
    if (wr_open_file_descriptor(path) < 0 && truncate(path, 0) == 0 && lstat(path, &about) == 0 &&
        S_ISREG(about.st_mode))
        unlink(path);
}

/* Content of a file. */
typedef struct content {
    const void *data;
    size_t n_bytes;
    int is_durable; /* 1: fsync() precedes rename() */
} content;

/* Writes and closes the file. Returns 0 or the error number of the first failed call. */
static int write_all(FILE *file, const content *what)
{
    int failure = file ? 0 : errno;
    if (file && fwrite(what->data, 1, what->n_bytes, file) != what->n_bytes)
        failure = errno;
    if (file && failure == 0 && what->is_durable &&
        (fflush(file) != 0 || (fsync(fileno(file)) != 0 && errno != EINVAL))) /* EINVAL: a pipe */
        failure = errno;
    if (file && fclose(file) != 0 && failure == 0)
        failure = errno;
    return failure;
}

/* Writes to a pipe, a device or a dangling link, or to a file in a folder that cannot have a temporary file. Returns 0 or an error
 * number. */
static int write_in_place(const char *path, const content *what)
{
    FILE *const file = wr_open_file_rewrite(path);
    const int failure = write_all(file, what);
    if (file && failure != 0)
        wr_text_file_remove(path);
    return failure;
}

/* Opens a new file in the folder of path for writing. Returns NULL on failure. */
static FILE *open_beside(const char *path, mode_t mode, char ret_name[PATH_MAX])
{
    enum { MOST_TRIES = 100 };
    for (int i = 0; i < MOST_TRIES; i++) {
        if (snprintf(ret_name, PATH_MAX, "%s.%ld-%d.new", path, (long)getpid(), i) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        const int fd = open(ret_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        FILE *const file = fd >= 0 ? fdopen(fd, "w") : NULL;
        if (fd >= 0 && !file) {
            const int error_number = errno;
            close(fd);
            unlink(ret_name);
            errno = error_number;
        }
        if (fd >= 0)
            return file;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

/* Makes the new name durable across a crash of the machine. The call ignores folders that the system cannot synchronise. */
static void keep_name(const char *path)
{
    char folder[PATH_MAX];
    const char *const slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 1;
    if (n >= sizeof folder)
        return;
    memcpy(folder, slash ? path : ".", n);
    folder[n] = '\0';
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static int write_content(const char *path, const content *what)
{
    char target[PATH_MAX], name[PATH_MAX];
    struct stat about;
    const int is_there = stat(path, &about) == 0;
    const int is_link_to_nothing = !is_there && lstat(path, &about) == 0;
    if (is_link_to_nothing || (is_there && !S_ISREG(about.st_mode)))
        return write_in_place(path, what);
    if (is_there && access(path, W_OK) != 0)
        return errno;
    /* If path is a link, the call replaces the target of the link. */
    const char *const place = is_there && realpath(path, target) ? target : path;
    FILE *const file = open_beside(place, is_there ? about.st_mode & 0777 : 0666, name);
    if (!file)
        return what->is_durable ? errno : write_in_place(path, what);
    int failure = write_all(file, what);
    if (failure == 0 && rename(name, place) != 0)
        failure = errno;
    if (failure != 0)
        unlink(name);
    else if (what->is_durable)
        keep_name(place);
    return failure;
}

int wr_text_file_write(const char *path, const char *text)
{
    const int fd = wr_open_file_descriptor(path);
    int failure = 0;
    if (fd >= 0) {
        (void)wr_open_file_write_all(fd, text, strlen(text), &failure);
        return failure;
    }
    return write_content(path, &(content){.data = text, .n_bytes = strlen(text)});
}

int wr_text_file_keep(const char *path, const void *data, size_t n_bytes)
{
    return write_content(path, &(content){.data = data, .n_bytes = n_bytes, .is_durable = 1});
}
