/* Placing and starting an engine. Thread: one owner. Real-time: no (setup). */
#ifndef WR_ENGINE_PLACE_H
#define WR_ENGINE_PLACE_H

#include "runtime/relax/engine_options.h"
#include "runtime/relax/wiring.h"
#include "scheduler/team.h"

/* Places an engine in arena. The team, `parts` and the objects that `parts` refers to outlive the engine. Returns NULL when out of
 * memory. */
wr_engine *wr_engine_place(wr_arena *arena, const wr_engine_options *options,
                           const wr_wiring *parts, int n_part, wr_team *team);

/* Finds consistent start values of all subsystems and the first predictions. Sets err on failure. */
wrsim_status wr_engine_start(wr_engine *engine, wrsim_error *err);

/* Frees the memory of wr_engine_start(). The engine cannot run afterwards. Accepts NULL. */
void wr_engine_close(wr_engine *engine);

#endif
