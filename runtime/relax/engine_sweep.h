/* Sweeps: batches of tasks, level by level, and the publication of their waves. Thread: serial section. Real-time: yes. */
#ifndef WR_ENGINE_SWEEP_H
#define WR_ENGINE_SWEEP_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/phase.h"

/* Begins the first sweep of a window, without its batch. */
void wr_engine_begin_first_sweep(wr_engine *engine);

/* Begins a sweep. is_check_only: subsystems only estimate, and the sweep counts the subsystems that would integrate. */
void wr_engine_begin_sweep(wr_engine *engine, int is_check_only);

/* Changes a sweep that only estimates to a sweep of integrations, before its first batch. */
void wr_engine_integrate_sweep(wr_engine *engine);

/* Removes the last sweep from the count of iterations. */
void wr_engine_uncount_sweep(wr_engine *engine);
/* Counts the integrations of a batch with a failed task in wr_sweep.n_by_subsystem. */
void wr_engine_count_failed_batch(wr_engine *engine);

/* Prepares the next batch: the first level, from `level` on, with an active subsystem. Returns 0 if no such level exists. */
int wr_engine_prepare_from(wr_engine *engine, int level);

/* Takes the window that has begun ahead as the first level's batch of this sweep. */
void wr_engine_adopt_level(wr_engine *engine);

/* Prepares the batch that ends the accepted window. Returns 0 if no subsystem needs this batch. */
int wr_engine_begin_completion(wr_engine *engine);

/* Ends the batch of wr_engine_begin_completion(). Returns the failed subsystem with the earliest fault, or -1. */
int wr_engine_end_completion(wr_engine *engine);

/* Collects the residuals of the waves of a batch, and notifies their consumers. */
void wr_engine_publish_level(wr_engine *engine);

/* Returns the phase at the window's end: the time, or the value of the published wave. */
wr_phase_point wr_engine_phase_at_end(const wr_engine *engine);

#endif
