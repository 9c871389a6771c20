/* The task of a subsystem in a sweep. Thread: any worker, one task per subsystem at a time. Real-time: yes. */
#ifndef WR_ENGINE_TASK_H
#define WR_ENGINE_TASK_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/prefetch.h"

/* Completes the accepted window of subsystem i: ends its steps, or fires the events that wait. Stores the status in the record. */
void wr_engine_complete(wr_engine *engine, int i);

/* If is_completing is 1, ends the accepted window of subsystem i. Otherwise integrates the subsystem if its input change matters, except in
 * a sweep with is_check_only, and prefetches the memory of the next task (NULL: unknown). */
void wr_engine_run_task(wr_engine *engine, int i, int i_worker, const wr_prefetch *next);

/* Integrates subsystem i from its present time to t_end_s, the end of the next window (engine_ahead.h). */
wrsim_status wr_engine_integrate_ahead(wr_engine *engine, int i, double t_end_s);

/* Commits the rows of an accepted window to the observers. Thread: the subsystem's task, or serial; i_worker is the calling worker. */
void wr_engine_commit_rows(wr_engine *engine, int i, int i_worker);

#endif
