/* Services of the host and the machine: logger, memory, clock and models (wrsim/host.h), observer (wrsim/observer.h), and the cores of the
 * workers.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#ifndef WR_HOST_SERVICES_H
#define WR_HOST_SERVICES_H

#include "runtime/sim/simulation.h"

/* Stores the host's services (NULL: none). Returns WRSIM_OK; or WRSIM_E_ARG with err set and no change. */
wrsim_status wr_host_services_take(wrsim *sim, const wrsim_host *host, wrsim_error *err);

/* Stores the host's observer (NULL: none), and passes the observer to a placed driver. Returns WRSIM_OK; or WRSIM_E_ARG with err set and no
 * change. */
wrsim_status wr_host_services_take_observer(wrsim *sim, const wrsim_observer *observer,
                                            wrsim_error *err);

/* Passes the stored observer to the driver and the subsystems. Requires a placed driver, and no run in progress. */
void wr_host_services_observe(wrsim *sim);

/* Passes a line to the host's logger, if any. During the call the simulation's state is WR_SIM_RUNNING, as in other callbacks. */
__attribute__((format(printf, 3, 4))) void wr_host_services_log(wrsim *sim, wrsim_log_level level,
                                                                const char *format, ...);

/* Logs each item of diag with its place in the config. */
void wr_host_services_log_all(wrsim *sim, wrsim_log_level level, const wr_diag *diag);

/* Reads the topology of the machine or of scheduler.topology, and chooses the workers and cores of the config. Errors go to diag. */
wrsim_status wr_host_services_choose_cores(wrsim *sim, wr_diag *diag);

/* If the run pins workers, claims the chosen cores, and replaces cores that another run has claimed and the config does not list. Workers
 * without a core are not pinned. If scheduler.workers is 0, the number of workers is at most the number of free or listed cores (with
 * scheduler.smt: of their hardware threads), but at least one. */
void wr_host_services_claim_cores(wrsim *sim, wr_diag *diag);

/* Releases cores and memory. */
void wr_host_services_free_cores(wrsim *sim);

#endif
