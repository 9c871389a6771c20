/* Two paths, one file. See same_file.h.
 *
 * Thread: any. Real-time: no.
 */
#include "base/same_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What follows the folder. */
static const char *name_in(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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
    if (a[0] == '\0' || b[0] == '\0')
        return 0;
    const int is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;
    if (is_a && !S_ISREG(of_a.st_mode))
        return 0;
    if (!is_a && !is_b && strcmp(name_in(a), name_in(b)) != 0)
        return 0;
    if (is_a != is_b || (!is_a && (!folder_of(a, &of_a) || !folder_of(b, &of_b))))
        return strcmp(a, b) == 0;
    return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}
