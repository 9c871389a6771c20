/* Makes and removes temporary folders. See temporary_folder.h. Thread: any. Real-time: no. */
#include "base/temporary_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"

#define PREFIX "wrsim-fmu-" /* beginning of the names */

enum {
    FOLDER_TRIES =
        100 /* largest number of folders to make, as another process may remove one before its lock (assumed) */
};

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    (void)remove(path);
    return 0;
}

static void remove_all(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Opens a folder and takes its lock without waiting. Returns the descriptor; -1 with errno if another process has the lock, another user
 * owns the folder, the folder no longer exists, or a call fails. */
static int lock_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    if (fd < 0)
        return -1;
    errno = ENOENT; /* unless a call fails */
    if (fstat(fd, &about) == 0 && about.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstat(fd, &about) == 0 && about.st_nlink > 0)
        return fd;
    const int error_number = errno;
    (void)close(fd);
    errno = error_number;
    return -1;
}

/* Removes folders of processes that have ended without wr_temporary_folder_remove(). */
static void remove_abandoned(const char *parent)
{
    DIR *const list = opendir(parent);
    char path[PATH_MAX];
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) >= PATH_MAX)
            continue;
        const int fd = lock_folder(path);
        if (fd < 0)
            continue;
        remove_all(path);
        (void)close(fd);
    }
    if (list)
        (void)closedir(list);
}

/* Makes the folder and takes its lock. Another process that removes abandoned folders may take the lock first; then the folder is lost, and
 * the next try makes another. */
wrsim_status wr_temporary_folder_make(wr_temporary_folder *ret, const char *purpose,
                                      wrsim_error *err)
{
    const char *const given = secure_getenv("TMPDIR");
    char parent[PATH_MAX];
    ret->path[0] = '\0';
    if (!realpath(given && *given ? given : "/tmp", parent))
        return wr_error_set(err, WRSIM_E_IO,
                            "the temporary folder '%s' cannot be used: %s; set TMPDIR to a folder",
                            given && *given ? given : "/tmp", strerror(errno));
    remove_abandoned(parent);
    int error_number = 0;
    for (int i = 0; i < FOLDER_TRIES; i++) {
        const int n = snprintf(ret->path, sizeof ret->path, "%s/" PREFIX "XXXXXX", parent);
        const int is_short = n < (int)sizeof ret->path;
        if (!is_short || !mkdtemp(ret->path)) {
            error_number = is_short ? errno : ENAMETOOLONG;
            break;
        }
        ret->lock_fd = lock_folder(ret->path);
        if (ret->lock_fd >= 0)
            return WRSIM_OK;
        /* The disk may have no locks, so that the folder still exists. */
        error_number = errno;
        (void)rmdir(ret->path);
    }
    ret->path[0] = '\0';
    return wr_error_set(err, WRSIM_E_IO,
                        "%s in the temporary folder '%s': %s; set TMPDIR to another folder",
                        purpose, parent, strerror(error_number));
}

void wr_temporary_folder_remove(wr_temporary_folder *folder)
{
    if (!folder->path[0])
        return;
    remove_all(folder->path);
    (void)close(folder->lock_fd);
    folder->path[0] = '\0';
}
