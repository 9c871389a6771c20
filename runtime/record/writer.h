/* The table of result formats. Thread: any. Real-time: no. */
#ifndef WR_WRITER_H
#define WR_WRITER_H

#include "runtime/record/writer_ops.h"

/* Returns the writer for a file's extension (any case), the null writer for "". Loads the format's module. Returns NULL with err, which
 * lists the known extensions or names the module. */
const wr_writer_ops *wr_writer_find(const char *file, wrsim_error *err);

/* Returns the row of a file's extension (any case) without loading its module, or NULL. */
const wr_writer_ops *wr_writer_row(const char *file);

/* Returns the name of the further file of a result file (wr_writer_ops, beside), from malloc; "" if the format has no further file. Returns
 * NULL when out of memory. */
char *wr_writer_beside(const char *file);

/* Returns the extensions of all formats without the dot, ended by NULL. */
const char *const *wr_writer_names(void);

#endif
