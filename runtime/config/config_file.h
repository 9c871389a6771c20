/* Reads a whole text file up to a largest size, and refuses files of other formats. Thread: any. Real-time: no. */
#ifndef WR_CONFIG_FILE_H
#define WR_CONFIG_FILE_H

#include "base/diag.h"

/* Returns the text of a regular file or pipe from malloc, with a final NUL that *ret_bytes does not count. Returns NULL with an error in
 * diag for a folder, an unreadable file, a file larger than max_bytes, or a lack of memory. The name or first bytes of another format are
 * errors, too. */
char *wr_config_file_read(const char *file, size_t max_bytes, size_t *ret_bytes, wr_diag *diag);

#endif
