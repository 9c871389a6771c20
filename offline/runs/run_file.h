/* Reads a whole text file.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_RUN_FILE_H
#define WR_RUN_FILE_H

#include "base/check.h"

/* Returns the text, malloc'ed. NULL with err and its file if the file cannot be read or is larger than 16 MiB. */
char *wr_run_file_read(const char *file, wrsim_error *err);

#endif
