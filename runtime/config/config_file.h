/* Reads a whole text file, with a limit of the size and helpful errors.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_CONFIG_FILE_H
#define WR_CONFIG_FILE_H

#include "base/diag.h"

/* Returns the text of a regular file or pipe from malloc, with a final NUL that is not counted. NULL with an error
 * in diag (at `file`) if the file cannot be opened or read, is a folder, has the name or first bytes of another
 * format (an FMU, a plug-in, results), or is larger than max_bytes. */
char *wr_config_file_read(const char *file, size_t max_bytes, size_t *ret_bytes, wr_diag *diag);

#endif
