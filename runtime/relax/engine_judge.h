/* The verdict on the sweep that has ended: collects its numbers and prepares the sweep that follows. See sweep_verdict.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#ifndef WR_ENGINE_JUDGE_H
#define WR_ENGINE_JUDGE_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/sweep_verdict.h"

/* If the verdict is another sweep, marks the active subsystems of that sweep. */
wr_verdict wr_engine_judge(wr_engine *engine);

#endif
