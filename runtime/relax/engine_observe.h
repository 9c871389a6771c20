/* Reports of a relaxed run to the host's observer (wrsim/observer.h), and of windows to the run's observers (observer.h). Without an observer
 * the reports do nothing.
 *
 * Thread: the worker of the task or wait; reports on sweeps and windows: serial section. Real-time: as the observer. */
#ifndef WR_ENGINE_OBSERVE_H
#define WR_ENGINE_OBSERVE_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/observer.h"

/* Runs the k-th task of the batch, with reports before and after. Requires an observer. */
void wr_engine_observe_task(wr_engine *e, int k, int i_worker);

/* Reports the waits of the team from now on, or no longer without an observer. Between runs. */
void wr_engine_observe_waits(wr_engine *e);

/* Waits at the barrier. The last worker runs serial(e) and reports this time. Requires an observer. */
void wr_engine_observe_barrier(wr_engine *e, int i_worker, void (*serial)(void *context));

void wr_engine_observe_sweep(const wr_engine *e);
void wr_engine_observe_window(const wr_engine *e);

/* Reports a rejected window. i_failed: the subsystem that failed; -1: no subsystem. reason: WR_WINDOW_CONTRACTION stands for each reason
 * that the engine's state explains. */
void wr_engine_observe_rejection(wr_engine *e, int i_failed, wr_window_reason reason);

#endif
