/* Writes the results of a study of sparsing: pattern files, plots of patterns and spectra, tables, JSON. Also reads patterns.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SPARSING_FILES_H
#define WR_SPARSING_FILES_H

#include "offline/sparsing/sparsing.h"
#include "offline/structure/folder.h"
#include "wrsim/config.h"

/* Pattern files, which list the entries of a subsystem's Jacobian that its solver uses. The format is Matrix Market
 * "coordinate pattern general", n x n, with comment lines
 *
 *     %wrsim pattern 1
 *     %wrsim subsystem NAME
 *     %wrsim tau SECONDS
 *     %wrsim state ROW COMPONENT.STATE        (one line for each state)
 *
 * The solver "linimp" reads such files (subsystems/group/jacobian_pattern_file.h). */

/* Writes the entries that keep[n * n] marks. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_pattern_file_write(const char *path, const wr_sparsing *s,
                                   const unsigned char *keep, wrsim_error *err);

/* Reads a pattern into ret_keep[n * n]. In a pattern file the states may have a different order, but must be the states of s. In any other
 * Matrix Market file, which must be n x n, the rows are the states in the order of s. Refuses an entry off the diagonal where the Jacobian
 * has no entry. Ignores such an entry on the diagonal. Returns WRSIM_OK, WRSIM_E_ARG with the file in err, WRSIM_E_IO, or
 * WRSIM_E_MEMORY. */
wrsim_status wr_pattern_file_read(const char *path, const wr_sparsing *s, unsigned char *ret_keep,
                                  wrsim_error *err);

/* Errors of the states against a run with tight tolerances, relative to the range of each state. */
typedef struct wr_sparsing_errors {
    const double *sparsed;   /* [n] errors of the run with the sparsed Jacobian */
    const double *unsparsed; /* [n] errors of the run with the full Jacobian */
} wr_sparsing_errors;

/* Writes pattern.mtx, full.mtx, full.svg, sparsed.svg, spectrum.svg, eigenvalues.csv, changes.svg and changes.csv (estimates at all
 * linearisations), and after a search also mixed.mtx and mixed.svg. Returns WRSIM_OK, or an error of writing. */
wrsim_status wr_sparsing_write(const wr_sparsing *s, wr_folder *folder, wrsim_error *err);

/* Returns all results as JSON, which the caller frees, or NULL when out of memory. errors is NULL without runs. `of` is the path of the
 * config. */
char *wr_sparsing_json(const wr_sparsing *s, const wr_sparsing_errors *errors, const char *of);

/* Returns the largest of n errors; *ret_i is its index, or -1 if n is 0. */
double wr_sparsing_worst(const double *error, int n, int *ret_i);

/* Writes the config as sparsed.toml, with the pattern of the study. A comment in the file names `source`, the origin of the config. */
wrsim_status wr_sparsing_write_config(const wrsim_config *config, const char *source,
                                      wr_folder *folder, wrsim_error *err);

#endif
