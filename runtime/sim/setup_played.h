/* What is said of every subsystem that plays (subsystems/playback/playback.h).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETUP_PLAYED_H
#define WR_SETUP_PLAYED_H

#include "runtime/sim/assembly.h"
#include "subsystems/playback/playback.h"

/* Nominal values of what a subsystem publishes, [n_published], in the assembly's bag; NULL when out of memory. */
double *wr_setups_published_nominals(const wr_assembly *a, const wr_setup *m);

/* Fills ret_config from the settings and what has been found of m. The arrays are the assembly's bag's. */
wrsim_status wr_setups_played(const wr_assembly *a, const wr_setup *m,
                              wr_playback_config *ret_config, wr_diag *diag);

#endif
