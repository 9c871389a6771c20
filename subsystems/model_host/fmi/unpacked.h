/* FMUs that are unpacked folders, with modelDescription.xml at the top.
 *
 * Thread: any. Real-time: no (setup only). */
#ifndef WR_UNPACKED_H
#define WR_UNPACKED_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "wrsim/status.h"

#define WR_UNPACKED_DESCRIPTION "modelDescription.xml"

/* Returns 1 if the path is the folder of an unpacked FMU. */
static inline int wr_unpacked_is_fmu(const char *path)
{
    char file[PATH_MAX];
    struct stat about;
    return snprintf(file, sizeof file, "%s/" WR_UNPACKED_DESCRIPTION, path) < (int)sizeof file &&
           stat(file, &about) == 0 && S_ISREG(about.st_mode);
}

/* Reads the description into memory of malloc. */
wrsim_status wr_unpacked_read(const char *folder, char **ret_description, size_t *ret_n_bytes,
                              wrsim_error *err);

/* Lists the folders in binaries/, as "linux64, win64", in memory of malloc; "" without binaries. */
wrsim_status wr_unpacked_list_platforms(const char *folder, char **ret_text, wrsim_error *err);

#endif
