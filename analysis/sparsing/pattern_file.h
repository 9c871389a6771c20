/* Pattern files: which entries of a subsystem's Jacobian its solver is to use. Matrix Market "coordinate pattern general",
 * n x n, with comment lines
 *
 *     %wrsim pattern 1
 *     %wrsim subsystem NAME
 *     %wrsim tau SECONDS
 *     %wrsim state ROW COMPONENT.STATE        (each of them)
 *
 * Solver "linimp" reads them (subsystems/group/jacobian_pattern_file.h).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_PATTERN_FILE_H
#define WR_PATTERN_FILE_H

#include "analysis/sparsing/sparsing.h"

/* Writes keep[n * n]. Returns WRSIM_OK, WRSIM_E_IO or WRSIM_E_MEMORY. */
wrsim_status wr_pattern_file_write(const char *path, const wr_sparsing *s,
                                   const unsigned char *keep, wrsim_error *err);

/* Reads entries into ret_keep[n * n]: of a pattern file, whose states may stand in another order but must be those of s, or of any Matrix
 * Market file of that size, whose rows are the states in their order. Refuses entries where the Jacobian has none, but for the
 * diagonal, which is left out there. WRSIM_E_ARG with file and line in err, WRSIM_E_IO, WRSIM_E_MEMORY. */
wrsim_status wr_pattern_file_read(const char *path, const wr_sparsing *s, unsigned char *ret_keep,
                                  wrsim_error *err);

#endif
