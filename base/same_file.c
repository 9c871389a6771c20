/* Decides whether two paths lead to one file. See same_file.h. Thread: any. Real-time: no. */
#include "base/same_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the last name of a path, after the folder. */
static const char *name_in(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int wr_same_file_place(const char *path, char ret_place[PATH_MAX])
{
    enum { MOST_LINKS = 40 }; /* limit of the Linux kernel */
    char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];
    int n = snprintf(at, sizeof at, "%s", path);
    for (int i = 0; i < MOST_LINKS && n < (int)sizeof at; i++) {
        if (realpath(at, ret_place))
            return 0;
        const char *const name = name_in(at);
        const int n_folder = (int)(name - at);
        if (errno != ENOENT || n_folder + 1 >= (int)sizeof target)
            return errno;
        snprintf(target, sizeof target, "%.*s.", n_folder, at);
        if (!realpath(target, folder))
            return errno;
        const ssize_t n_byte = readlink(at, target, sizeof target - 1);
        if (n_byte < 0)
            return snprintf(ret_place, PATH_MAX, "%s/%s", folder, name) < PATH_MAX ? 0
                                                                                   : ENAMETOOLONG;
        target[n_byte] = '\0';
        n = target[0] == '/' ? snprintf(at, sizeof at, "%s", target)
                             : snprintf(at, sizeof at, "%s/%s", folder, target);
    }
    return n < (int)sizeof at ? ELOOP : ENAMETOOLONG;
}

static int folder_of(const char *path, struct stat *ret_about)
{
    char folder[PATH_MAX];
    const int n = (int)(name_in(path) - path);
    return snprintf(folder, sizeof folder, "%.*s.", n, path) < (int)sizeof folder &&
           stat(folder, ret_about) == 0;
}

int wr_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    char place_a[PATH_MAX], place_b[PATH_MAX];
    if (a[0] == '\0' || b[0] == '\0')
        return 0;
    const int is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;
    if (is_a && !S_ISREG(of_a.st_mode))
        return 0;
    if (is_a != is_b ||
        (!is_a && (wr_same_file_place(a, place_a) != 0 || wr_same_file_place(b, place_b) != 0)))
        return strcmp(a, b) == 0;
    if (!is_a && (strcmp(name_in(place_a), name_in(place_b)) != 0 || !folder_of(place_a, &of_a) ||
                  !folder_of(place_b, &of_b)))
        return 0;
    return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}
