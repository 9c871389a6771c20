/* What the readers of the result formats share; see results.h.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RESULTS_READ_H
#define WR_RESULTS_READ_H

#include <stddef.h>

#include "runtime/record/results.h"

/* Reads the whole text of a file in CSV format. */
wr_results *wr_results_csv_read(const char *file, const char *text, size_t n_bytes,
                                wrsim_error *err);
wr_results *wr_results_hdf5_read(const char *file, wrsim_error *err);

/* Fills err with a sentence about a file (line 0: about the file as a whole). Returns status. */
wrsim_status wr_results_fail(wrsim_error *err, wrsim_status status, const char *file, int line,
                             const char *format, ...) WR_PRINTF(5, 6);

#endif
