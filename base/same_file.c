/* Two paths, one file. See same_file.h.
 *
 * Thread: any. Real-time: no.
 */
#include "base/same_file.h"

#include <string.h>
#include <sys/stat.h>

int wr_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (a[0] == '\0' || b[0] == '\0')
        return 0;
    if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0)
        return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    return strcmp(a, b) == 0;
}
