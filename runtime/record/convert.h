/* Converts a result file to another format. Thread: one owner. Real-time: no. */
#ifndef WR_CONVERT_H
#define WR_CONVERT_H

#include "base/diag.h"

typedef struct wr_conversion {
    int n_signal;
    int64_t n_row, n_event_row; /* rows in the new file */
    int lacks_waves;            /* 1: the old file has waves, which the new file lacks */
} wr_conversion;

/* Reads `from` in any format, and writes its points, rows at events, units, descriptions and config to `to`, whose extension chooses the
 * format. version: of the program, for the new file. The call replaces an older result when the new file is complete, and refuses to replace
 * other files. After a failure the older result stays. The call writes pipes, devices, and links to CSV results directly. Returns WRSIM_OK, or
 * the error of the reader or the writer. */
wrsim_status wr_results_convert(const char *from, const char *to, const char *version,
                                wr_conversion *ret, wrsim_error *err);

#endif
