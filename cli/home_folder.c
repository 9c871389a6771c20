/* See home_folder.h. Thread: as home_folder.h. Real-time: no. */
#include "cli/home_folder.h"

#include <fcntl.h>
#include <unistd.h>

static int home = -1;

void wr_home_folder_keep(void) { home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC); }

void wr_home_folder_return(void)
{
    if (home >= 0 && fchdir(home) != 0)
        home = -1; /* from now on names are relative to the current folder */
}
