/* Values of variables, also while the simulation's state is "running". Thread: the simulation's owner, between windows. Real-time: yes. */
#ifndef WR_INSPECT_H
#define WR_INSPECT_H

#include "base/diag.h"
#include "runtime/config/settings.h"
#include "runtime/sim/simulation.h"
#include "wrsim/wrsim.h"

/* Reads many values, with the contract of wrsim_get_many(). Requires start values (sim->has_values). */
wrsim_status wr_inspect_many(wrsim *sim, int n, const int *variable, double *ret_value);

#endif
