/* Reading a whole file of text.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_RUN_FILE_H
#define WR_RUN_FILE_H

#include "base/check.h"

/* Its text, malloc'ed. NULL with err, also its file: it cannot be read, or is larger than a text of people may be (16 MiB). */
char *wr_run_file_read(const char *file, wrsim_error *err);

#endif
