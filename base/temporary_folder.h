/* Temporary folders that a killed process leaves are removed by the next process: a process locks its folder, and removes folders without a
 * lock.
 *
 * Thread: any; one owner of each folder. Real-time: no. */
#ifndef WR_TEMPORARY_FOLDER_H
#define WR_TEMPORARY_FOLDER_H

#include <limits.h>

#include "wrsim/status.h"

typedef struct wr_temporary_folder {
    char path[PATH_MAX]; /* "": none */
    int lock_fd;         /* descriptor of the folder with its lock; valid if path is not "" */
} wr_temporary_folder;

/* Makes an empty folder in TMPDIR, else in /tmp, and removes abandoned folders there. purpose: begins the message, such as "the FMU cannot
 * be unpacked". On failure *ret has the path "". Returns WRSIM_OK, or WRSIM_E_IO with err. */
wrsim_status wr_temporary_folder_make(wr_temporary_folder *ret, const char *purpose,
                                      wrsim_error *err);

/* Removes the folder with all its files. Links are removed, not followed. Accepts a folder with the path "". */
void wr_temporary_folder_remove(wr_temporary_folder *folder);

#endif
