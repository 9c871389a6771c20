/* Files written whole. See text_file.h.
 *
 * Thread: any. Real-time: no.
 */
#include "runtime/base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int wr_text_file_try(const char *path)
{
    struct stat about;
    const int is_new = stat(path, &about) != 0;
    if (!is_new && S_ISDIR(about.st_mode))
        return EISDIR;
    if (!is_new && !S_ISREG(about.st_mode))
        return 0;
    FILE *const file = fopen(path, "a");
    if (!file)
        return errno;
    fclose(file);
    if (is_new)
        unlink(path);
    return 0;
}

int wr_text_file_write(const char *path, const char *text)
{
    struct stat about;
    FILE *const file = fopen(path, "w");
    /* errno is taken at the call that failed: what follows may change it. */
    int failure = file ? 0 : errno;
    if (file && fputs(text, file) < 0)
        failure = errno;
    if (file && fclose(file) != 0 && failure == 0)
        failure = errno;
    if (file && failure != 0 && lstat(path, &about) == 0 && S_ISREG(about.st_mode))
        unlink(path);
    return failure;
}
