/* Configs and who uses them (wrsim/config.h).
 *
 * Thread: as in wrsim/config.h. Real-time: no.
 */
#ifndef WR_CONFIGS_H
#define WR_CONFIGS_H

#include "wrsim/config.h"

/* Takes a reference to a config, and gives it back. */
void wr_simulation_use_config(wrsim_config *config);

#endif
