/* The files a run writes: results (output.file) and summary (output.json).
 *
 * Thread: as in wrsim/sim.h. Real-time: no.
 */
#ifndef WR_OUTPUTS_H
#define WR_OUTPUTS_H

#include "base/file_claim.h"
#include "runtime/config/settings.h"

/* That results have a format, and that no file is replaced which the run reads or which wrsim did not write. Said when a
 * simulation is made and not when files are opened, so that `wrsim check` says it, too. */
void wr_outputs_check(const wr_settings *set, wr_diag *diag);

/* Whether the summary can be written, before anything is integrated, and before old results make way for new ones. *ret_claim holds
 * the file for this run (file_claim.h). */
wrsim_status wr_outputs_try(const wr_settings *set, wr_file_claim **ret_claim, wrsim_error *err);

/* Leaves the summary where the config asks for it, if it does. text NULL: there was no memory for it. */
wrsim_status wr_outputs_write(const wr_settings *set, const char *text, wrsim_error *err);

#endif
