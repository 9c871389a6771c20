/* Algebraic loops across subsystems: how they amplify errors of waves, and Newton's step for their waves.
 *
 * Thread: serial section. Real-time: yes, with models that are.
 */
#ifndef WR_ENGINE_LOOPS_H
#define WR_ENGINE_LOOPS_H

#include "runtime/relax/engine_parts.h"

/* Memory for loops, after they are known. Setup. 0, or -1: out of memory. */
int wr_engine_place_loops(wr_engine *engine);

/* Evaluates the loops' amplification at the window's end. Returns 1 if the amplification is much larger than this
 * window has assumed. */
int wr_engine_ask_loops(wr_engine *engine);

/* Newton's step: computes guesses of the loops' waves, and the error of the published waves. 0: not possible in this window. */
int wr_engine_step_loops(wr_engine *engine);

#endif
