/* The driver of relaxed runs (runtime/relax).
 *
 * Thread: as driver_ops.h. Real-time: as driver_ops.h.
 */
#ifndef WR_RELAX_DRIVER_H
#define WR_RELAX_DRIVER_H

#include "runtime/sim/driver_ops.h"

extern const wr_driver_ops wr_relax_driver;

/* The engine of a relaxed run; NULL: the run has another driver, or none. */
wr_engine *wr_relax_driver_engine(const wrsim *sim);

#endif
