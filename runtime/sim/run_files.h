/* Files that a run reads and writes: a run overwrites no file that it reads, and no file that wrsim did not write.
 *
 * Thread: as in wrsim/sim.h. Real-time: no.
 */
#ifndef WR_RUN_FILES_H
#define WR_RUN_FILES_H

#include "base/file_claim.h"
#include "runtime/config/settings.h"

/* That results have a format, and that no file is replaced which the run reads or which wrsim did not write. Said when a
 * simulation is made and not when files are opened, so that `wrsim check` says it, too. */
void wr_run_files_check(const wr_settings *set, wr_diag *diag);

/* Whether the summary can be written, before anything is integrated, and before old results make way for new ones. *ret_claim holds
 * the file for this run (file_claim.h). */
wrsim_status wr_run_files_try(const wr_settings *set, wr_file_claim **ret_claim, wrsim_error *err);

/* Leaves the summary where the config asks for it, if it does. text NULL: there was no memory for it. */
wrsim_status wr_run_files_write(const wr_settings *set, const char *text, wrsim_error *err);

/* What a path is to the config, under whatever name: "the config", "a plug-in of the run"; NULL: nothing that it reads. */
const char *wr_run_files_input(const wr_settings *set, const char *path);

#endif
