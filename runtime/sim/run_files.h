/* Files that a run reads and writes: a run overwrites no file that the run reads, and no file with content that wrsim did not write.
 *
 * Thread: as in wrsim/sim.h. Real-time: no.
 */
#ifndef WR_RUN_FILES_H
#define WR_RUN_FILES_H

#include "base/file_claim.h"
#include "runtime/config/settings.h"

/* Checks that the name of the result file selects a format. Also checks that the run replaces no input file, and no file with content that
 * wrsim did not write. Results, summary and log must be different files. The check runs when a simulation is created, so that `wrsim check`
 * reports the errors, too. Errors go to diag. */
void wr_run_files_check(const wr_settings *set, wr_diag *diag);

/* Checks that the summary can be written, and claims the file for this run (base/file_claim.h). The caller releases *ret_claim. */
wrsim_status wr_run_files_try(const wr_settings *set, wr_file_claim **ret_claim, wrsim_error *err);

/* Writes the summary to the file of the config, if any. text NULL: no memory for the summary. */
wrsim_status wr_run_files_write(const wr_settings *set, const char *text, wrsim_error *err);

/* Returns the role of a file among the inputs of the run, also under another path: "the config", "a plug-in of the run". Returns NULL if
 * the file is no input. */
const char *wr_run_files_input(const wr_settings *set, const char *path);

/* Checks that the trace of a run may be written to `place`, the file that the user names `path`: the file is no input or output of the run, no
 * checkpoint, and no file that wrsim did not write. checkpoint NULL: none. Returns WRSIM_OK, or WRSIM_E_ARG with err set. */
wrsim_status wr_run_files_check_trace(const wr_settings *set, const char *path, const char *place,
                                      const char *checkpoint, wrsim_error *err);

#endif
