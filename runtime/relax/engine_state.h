/* The engine's state between two runs, as bytes (base/state_io.h). Thread: one owner, between two runs. Real-time: yes. */
#ifndef WR_ENGINE_STATE_H
#define WR_ENGINE_STATE_H

#include "base/state_io.h"
#include "runtime/relax/engine_options.h"

/* Returns the first subsystem whose state cannot be written to a checkpoint, or -1. */
int wr_engine_opaque(const wr_engine *engine);

/* Visits all state that changes, subsystems included, in sections. The state contains neither the number of workers nor the expected times
 * of tasks, on which only speed depends. No subsystem may be opaque. */
void wr_engine_state(wr_engine *engine, wr_state_io *io);

#endif
