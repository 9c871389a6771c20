/* Bode diagrams of a full and a reduced system: magnitude, phase and error over the frequency.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_BODE_H
#define WR_BODE_H

#include "offline/reduction/reduction.h"

/* Draws a column of B: curves of the full system, one per output, and points of the reduced system. Returns
 * WRSIM_OK, WRSIM_E_IO, WRSIM_E_MEMORY. */
wrsim_status wr_bode_write(const char *path, const char *title, const wr_linear_system *system,
                           const wr_reduction *reduction, int i_column, wrsim_error *err);

#endif
