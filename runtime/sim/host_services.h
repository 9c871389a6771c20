/* Services of the host and the machine: logger, memory and clock (wrsim/host.h), and the cores of the workers.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#ifndef WR_HOST_SERVICES_H
#define WR_HOST_SERVICES_H

#include "runtime/sim/simulation.h"

/* Keeps what a host gives; NULL gives nothing. WRSIM_OK, or WRSIM_E_ARG with a sentence: then nothing has changed. */
wrsim_status wr_host_services_take(wrsim *sim, const wrsim_host *host, wrsim_error *err);

/* Says a line to the host's logger, if there is one. Its calls back are refused as those by other callbacks are. */
__attribute__((format(printf, 3, 4))) void wr_host_services_log(wrsim *sim, wrsim_log_level level,
                                                                const char *format, ...);

/* Each item, with its place. */
void wr_host_services_log_all(wrsim *sim, wrsim_log_level level, const wr_diag *diag);

/* Reads the machine and chooses as many workers, on these cores, as the config says. Errors go to diag. */
wrsim_status wr_host_services_choose_cores(wrsim *sim, wr_diag *diag);

/* Holds these cores against other runs, or chooses others where others hold them: workers without a core are not
 * pinned, and left to itself a run takes no more workers than there are free cores. */
void wr_host_services_claim_cores(wrsim *sim, wr_diag *diag);

/* Gives cores and memory back. */
void wr_host_services_free_cores(wrsim *sim);

#endif
