/* Locks of files. See file_claim.h. Thread: any. Real-time: no. */
#include "base/file_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "base/same_file.h"

static const char EXTENSION[] = ".lock";

struct wr_file_claim {
    int fd;
    char name[PATH_MAX]; /* name of the lock file; "": the file itself is locked */
};

/* Locks or unlocks an open file. The lock belongs to the open file, not to the process, so two simulations of one process also exclude
 * each other. Returns 0, EAGAIN if another open file has the lock, or ENOLCK for another failure. */
static int lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &all) == 0)
        return 0;
    return errno == EAGAIN || errno == EACCES ? EAGAIN : ENOLCK;
}

static int is_still(const char *name, const struct stat *open_file)
{
    struct stat named;
    return lstat(name, &named) == 0 && named.st_dev == open_file->st_dev &&
           named.st_ino == open_file->st_ino;
}

/* Result of open_locked(): another run has removed the file between open() and lock(). */
enum { IS_REMOVED = -1 };

/* Opens and locks the file. Returns 0, EAGAIN, IS_REMOVED, or another error number if no lock is possible. */
static int open_locked(wr_file_claim *claim, const char *name, int flags)
{
    struct stat about;
    claim->fd = open(name, flags | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (claim->fd < 0)
        return errno;
    int failure = fstat(claim->fd, &about) != 0 || !S_ISREG(about.st_mode) ? EINVAL : 0;
    if (failure == 0)
        failure = lock(claim->fd, F_WRLCK);
    if (failure == 0 && !is_still(name, &about))
        failure = IS_REMOVED;
    /* If the lock is impossible, the call removes the empty lock file. */
    if (failure > 0 && failure != EAGAIN && (flags & O_CREAT) && about.st_size == 0 &&
        is_still(name, &about))
        unlink(name);
    if (failure != 0) {
        close(claim->fd);
        claim->fd = -1;
    }
    return failure;
}

int wr_file_claim_take(const char *path, wr_file_claim **ret_claim)
{
    char place[PATH_MAX];
    struct stat about;
    *ret_claim = NULL;
    if (wr_open_file_descriptor(path) >= 0 || wr_same_file_place(path, place) != 0 ||
        (stat(place, &about) == 0 && !S_ISREG(about.st_mode)))
        return 0;
    wr_file_claim *claim = calloc(1, sizeof *claim);
    if (!claim)
        return ENOMEM;
    const int n = snprintf(claim->name, sizeof claim->name, "%s%s", place, EXTENSION);
    int failure = n < (int)sizeof claim->name ? IS_REMOVED : ENAMETOOLONG;
    while (failure == IS_REMOVED)
        failure = open_locked(claim, claim->name, O_CREAT);
    if (failure != 0 && failure != EAGAIN) {
        claim->name[0] = '\0';
        failure = open_locked(claim, place, 0);
    }
    if (failure == 0) {
        *ret_claim = claim;
        return 0;
    }
    free(claim);
    return failure == EAGAIN ? EAGAIN : 0;
}

void wr_file_claim_release(wr_file_claim **claim_at)
{
    wr_file_claim *const claim = *claim_at;
    struct stat about;
    if (!claim)
        return;
    /* unlink() precedes the unlock, so that the call does not remove the lock file of the next run. A file with content belongs to another
     * program. */
    if (claim->name[0] && fstat(claim->fd, &about) == 0 && about.st_size == 0 &&
        is_still(claim->name, &about))
        unlink(claim->name);
    (void)lock(claim->fd, F_UNLCK); /* a forked process may have the file open */
    close(claim->fd);
    free(claim);
    *claim_at = NULL;
}
