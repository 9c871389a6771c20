/* Pattern files, which list the entries of a subsystem's Jacobian that its solver uses. The format is Matrix Market
 * "coordinate pattern general", n x n, with comment lines
 *
 *     %wrsim pattern 1
 *     %wrsim subsystem NAME
 *     %wrsim tau SECONDS
 *     %wrsim state ROW COMPONENT.STATE        (one line for each state)
 *
 * The solver "linimp" reads such files (subsystems/group/jacobian_pattern_file.h).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_PATTERN_FILE_H
#define WR_PATTERN_FILE_H

#include "offline/sparsing/sparsing.h"

/* Writes the entries that keep[n * n] marks. Returns WRSIM_OK, WRSIM_E_IO or WRSIM_E_MEMORY. */
wrsim_status wr_pattern_file_write(const char *path, const wr_sparsing *s,
                                   const unsigned char *keep, wrsim_error *err);

/* Reads a pattern into ret_keep[n * n]. In a pattern file the states may have a different order, but must be the
 * states of s. In any other Matrix Market file, which must be n x n, the rows are the states in the order of s.
 * Refuses an entry off the diagonal where the Jacobian has none; such an entry on the diagonal is ignored. Returns
 * WRSIM_E_ARG with file and line in err, WRSIM_E_IO, or WRSIM_E_MEMORY. */
wrsim_status wr_pattern_file_read(const char *path, const wr_sparsing *s, unsigned char *ret_keep,
                                  wrsim_error *err);

#endif
