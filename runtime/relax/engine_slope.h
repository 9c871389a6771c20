/* Couplings whose slope is infinite (docs/NUMERICS.md, "Couplings without a finite slope").
 *
 * Thread: serial section. Real-time: yes after placing.
 */
#ifndef WR_ENGINE_SLOPE_H
#define WR_ENGINE_SLOPE_H

#include "runtime/relax/engine_parts.h"

/* Setup. 0, or -1: out of memory. */
int wr_engine_place_slope(wr_engine *engine, wr_arena *arena);

/* After a batch that has failed: counts waves that were full of nodes. */
void wr_engine_count_full(wr_engine *engine);

/* After each other batch: tests an input after some thousand evaluations. If the slope of a coupling proves infinite, sets the
 * failure that ends the run and returns 1. */
int wr_engine_ends_at_slope(wr_engine *engine);

/* Passes over the search (base/state_io.h). */
void wr_engine_slope_state(wr_engine *engine, wr_state_io *io);

#endif
