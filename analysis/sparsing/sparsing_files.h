/* What a study of sparsing writes: pattern files, spy plots, spectra, tables, JSON.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SPARSING_FILES_H
#define WR_SPARSING_FILES_H

#include "analysis/sparsing/sparsing.h"
#include "analysis/structure/folder.h"
#include "wrsim/config.h"

/* Errors of runs against a tight one, by state in parts of ranges; NULL where there was no such run. */
typedef struct wr_sparsing_errors {
    const double *sparsed, *unsparsed; /* [n] */
} wr_sparsing_errors;

/* pattern.mtx, full.mtx, mixed.mtx (only after a search), full.svg, sparsed.svg, mixed.svg, spectrum.svg, eigenvalues.csv,
 * changes.svg and changes.csv (estimates over all linearisations). WRSIM_OK, or what writing does. */
wrsim_status wr_sparsing_write(const wr_sparsing *s, wr_folder *folder, wrsim_error *err);

/* Everything as JSON; the caller frees it. NULL when out of memory. of: the config's path. */
char *wr_sparsing_json(const wr_sparsing *s, const wr_sparsing_errors *errors, const char *of);

/* The index of the largest, and it; *ret_i -1 without any. */
double wr_sparsing_worst(const double *error, int n, int *ret_i);

/* Writes a config with a pattern, which the next run takes as it is, as sparsed.toml; source: what it comes from. */
wrsim_status wr_sparsing_write_config(const wrsim_config *config, const char *source,
                                      wr_folder *folder, wrsim_error *err);

#endif
