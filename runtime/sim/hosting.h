/* What the host has given: checked, kept, and used. See wrsim/host.h.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#ifndef WR_HOSTING_H
#define WR_HOSTING_H

#include "runtime/sim/simulation.h"

/* Keeps what a host gives; NULL gives nothing. WRSIM_OK, or WRSIM_E_ARG with a sentence: then nothing has changed. */
wrsim_status wr_hosting_take(wrsim *sim, const wrsim_host *host, wrsim_error *err);

/* Says a line to the host's logger, if there is one. Its calls back are refused as those by other callbacks are. */
__attribute__((format(printf, 3, 4))) void wr_hosting_log(wrsim *sim, wrsim_log_level level,
                                                          const char *format, ...);

/* Each item, with its place. */
void wr_hosting_log_all(wrsim *sim, wrsim_log_level level, const wr_diag *diag);

#endif
