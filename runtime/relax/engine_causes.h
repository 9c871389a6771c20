/* Causes of jumps in rings, and the check of events that share an instant with jumps of inputs.
 *
 * Thread: serial section. Real-time: yes after placing.
 */
#ifndef WR_ENGINE_CAUSES_H
#define WR_ENGINE_CAUSES_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/sweep_verdict.h"

/* Before a window is accepted: sets up a sweep that checks events at shared instants. 0: there is nothing to check. */
int wr_engine_begin_event_check(wr_engine *engine);

/* Before that check: each state event that a jump has caused must have its origin in an own event of a subsystem at that
 * instant. */
wr_verdict wr_engine_trace_causes(wr_engine *engine);

/* After that check. */
wr_verdict wr_engine_judge_event_check(wr_engine *engine);

/* Does the window end within an instant, before the end of the run? */
int wr_engine_parts_instant(wr_engine *engine);

#endif
