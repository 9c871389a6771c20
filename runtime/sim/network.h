/* Connections between subsystems: signals that cross cuts, Gauss-Seidel levels, history sources and the phase.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_NETWORK_H
#define WR_NETWORK_H

#include "runtime/sim/assembly.h"

/* Separates connections inside of subsystems from connections between subsystems. n_variable: number of variables of all components. */
wrsim_status wr_network_cut(wr_assembly *a, int n_variable, wr_diag *diag);

/* If a prediction uses relaxation.history.phase, finds and publishes the phase, even if no other subsystem reads the phase. */
wrsim_status wr_network_find_phase(wr_assembly *a, wr_diag *diag);
wrsim_status wr_network_find_history_sources(wr_assembly *a, wr_diag *diag);

/* Sets the Gauss-Seidel levels from the config or the connections. Requires wr_network_cut(). */
wrsim_status wr_network_set_levels(wr_assembly *a, wr_diag *diag);
/* Checks that all or no subsystems of the config have a level, also in a scheme without levels. */
void wr_network_check_levels(const wr_assembly *a, wr_diag *diag);

#endif
