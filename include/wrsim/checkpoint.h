/* Checkpoints and snapshots save the state of a simulation between two advances. A later call restores the state. A checkpoint is
 * a file; a snapshot stays in memory.
 *
 * A restored simulation continues like the saved simulation: every later value has the same bits, with any number of workers. Counts of
 * windows, sweeps and right-hand sides, the splitting error and wrsim_stats.wall_s also continue. The calls do not save statistics of
 * workers.
 *
 *     wrsim_checkpoint_write(sim, "engine.ckpt", &err);             in one process, between two advances
 *     wrsim_prepare(sim, &err);                                     in another process, of the same config
 *     wrsim_checkpoint_read(sim, "engine.ckpt", &err);
 *     wrsim_run(sim, &err);
 *
 * The calls save the states of all solvers except cvode_bdf and cvode_adams. If the state of a subsystem cannot be saved, the call returns
 * WRSIM_E_CONFIG and names the subsystem. A checkpoint includes wrsim_instance.memory of each instance. A checkpoint excludes
 * wrsim_instance.data, which is constant, and resources that init() has acquired.
 *
 * A slackened run (relaxation.scheme = "slack") continues with the same bits if no delay depends on a clock. No delay depends on a clock
 * with slack.bound = 0, fixed or drawn delays, several sweeps, or a replay. Otherwise the delays after the restore depend on the clock.
 * With realtime.policy = "degrade" results depend on missed deadlines. A run that writes slack.log cannot be restored once the log has rows
 * (WRSIM_E_STATE).
 *
 * A restore does not shorten the result file: the run does not write again the rows that the file already has.
 *
 * Thread: the owner of the simulation, between two advances. A call from a callback returns WRSIM_E_STATE. */
#ifndef WRSIM_CHECKPOINT_H
#define WRSIM_CHECKPOINT_H

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the state of a simulation to a file. The simulation must be prepared and must not have failed. The call first writes a temporary
 * file. The complete file then replaces an old file. An old file must be empty or a checkpoint of wrsim. Returns WRSIM_OK, WRSIM_E_ARG,
 * _E_STATE, _E_CONFIG (the state of a subsystem cannot be saved), _E_MEMORY, _E_DISK or _E_IO. A failed call changes nothing. Real-time:
 * no. */
WRSIM_API wrsim_status wrsim_checkpoint_write(wrsim *sim, const char *file, wrsim_error *err);

/* Restores the state in a file. The simulation must be prepared, and may have advanced or failed. The file must come from the same
 * version of wrsim, the same models and the same config. Only keys without influence on results, and simulation.stop, may differ. If the
 * call comes before the first advance, the result file begins after the restored time. The call checks the file first, so a failed call
 * changes nothing. Returns WRSIM_OK; WRSIM_E_ARG, also if the result file would lack rows; _E_STATE; _E_MEMORY; _E_DISK or _E_IO if
 * results cannot be written. Returns WRSIM_E_CONFIG if the state of a subsystem cannot be restored or the config differs. Returns
 * WRSIM_E_IO if the file cannot be read, is no checkpoint, of another version, truncated or damaged. Real-time: no. */
WRSIM_API wrsim_status wrsim_checkpoint_read(wrsim *sim, const char *file, wrsim_error *err);

typedef struct wrsim_snapshot wrsim_snapshot; /* saved state in memory; opaque */

/* Creates a snapshot for a prepared simulation and saves the present state in the snapshot. The caller owns *ret_snapshot. Returns
 * WRSIM_OK, WRSIM_E_ARG, _E_STATE, _E_CONFIG, _E_MEMORY. Phase: setup, after wrsim_prepare. */
WRSIM_API wrsim_status wrsim_snapshot_create(wrsim *sim, wrsim_snapshot **ret_snapshot,
                                             wrsim_error *err);

/* Replaces the saved state by the present state. The snapshot must belong to this simulation. Returns WRSIM_OK, WRSIM_E_ARG or _E_STATE,
 * or _E_CALLBACK if a model fails to write its own state. After a failure of a model the snapshot has no state.
 * Real-time: yes; the call copies the changing memory, up to some megabytes with a long history. */
WRSIM_API wrsim_status wrsim_snapshot_take(wrsim *sim, wrsim_snapshot *snapshot, wrsim_error *err);

/* Restores the saved state and statistics. The call is allowed any number of times, also after a failure, except a
 * failure to write results. Returns WRSIM_OK, WRSIM_E_ARG, _E_STATE; _E_DISK or _E_IO if results cannot be written;
 * _E_CALLBACK if a model fails to read its own state.
 * Real-time: as wrsim_snapshot_take. */
WRSIM_API wrsim_status wrsim_snapshot_restore(wrsim *sim, const wrsim_snapshot *snapshot,
                                              wrsim_error *err);

/* Frees a snapshot and sets *snapshot to NULL. snapshot and *snapshot may be NULL. The simulation may already be destroyed. */
WRSIM_API void wrsim_snapshot_destroy(wrsim_snapshot **snapshot);

/* Saves the state after wrsim_prepare, for wrsim_reset. The simulation owns this snapshot. A further call returns WRSIM_OK and does
 * nothing. Returns a status as wrsim_snapshot_create does, and WRSIM_E_STATE if the simulation has advanced. Phase: setup, after
 * wrsim_prepare. */
WRSIM_API wrsim_status wrsim_keep_start(wrsim *sim, wrsim_error *err);

/* Restores the state that wrsim_keep_start has saved, as wrsim_snapshot_restore does. Returns WRSIM_E_STATE if the simulation has no such
 * state. Real-time: as wrsim_snapshot_restore. */
WRSIM_API wrsim_status wrsim_reset(wrsim *sim, wrsim_error *err);

#ifdef __cplusplus
}
#endif
#endif
