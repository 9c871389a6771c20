/* Start of an engine: consistent start values and the first predictions.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_ENGINE_START_H
#define WR_ENGINE_START_H

#include "base/diag.h"
#include "runtime/relax/engine_options.h"

/* Finds consistent start values of all subsystems and the first predictions. Sets err on failure. */
wrsim_status wr_engine_start(wr_engine *engine, wrsim_error *err);

/* Frees the memory of wr_engine_start(). The engine cannot run afterwards. Accepts NULL. */
void wr_engine_close(wr_engine *engine);

#endif
