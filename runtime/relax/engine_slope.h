/* Couplings whose slope is infinite (docs/NUMERICS.md, "Couplings without a finite slope").
 *
 * Thread: serial section. Real-time: yes after placing.
 */
#ifndef WR_ENGINE_SLOPE_H
#define WR_ENGINE_SLOPE_H

#include "runtime/relax/engine_parts.h"

/* Setup: places the search. Returns 0, or -1 when out of memory. */
int wr_engine_place_slope(wr_engine *engine, wr_arena *arena);

/* After a failed batch, counts the full waves, and the evaluations of their subsystems. */
void wr_engine_count_full(wr_engine *engine);

/* Counts the evaluations of the last batch, or of an adopted level (engine_ahead.h). */
void wr_engine_count_evaluations(wr_engine *engine);

/* After a batch without failure, tests inputs every TEST_EVALUATIONS evaluations (engine_slope.c), more often after an infinite slope. If
 * enough tests in a row find an infinite slope of one coupling, sets the failure that ends the run and returns 1. */
int wr_engine_ends_at_slope(wr_engine *engine);

/* Visits the search (base/state_io.h). */
void wr_engine_slope_state(wr_engine *engine, wr_state_io *io);

#endif
