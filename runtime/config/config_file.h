/* Reading a whole text file with a limit and with errors a user can act on.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_CONFIG_FILE_H
#define WR_CONFIG_FILE_H

#include "base/diag.h"

/* The text of a regular file (or pipe), malloc'ed, with a final NUL that is not counted. NULL with
 * an error in diag (at file) when it cannot be opened or read, is a folder, is no config by its
 * name or first bytes (an FMU, a plug-in, results), or is larger than max_bytes. */
char *wr_config_file_read(const char *file, size_t max_bytes, size_t *ret_bytes, wr_diag *diag);

#endif
