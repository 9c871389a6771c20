/* Checkpoints and snapshots: the state of a simulation between two advances, to a file or kept in memory, and back.
 *
 * What is brought back goes on as the one that was kept: every later value has the same bits, and windows, sweeps,
 * right-hand sides, the error account and whatever else the summary tells count on, with any number of workers. Only what
 * a clock has measured, and what a worker has done, is the process's own.
 *
 *     wrsim_checkpoint_write(sim, "engine.ckpt", &err);             in one process, between two advances
 *     wrsim_prepare(sim, &err);                                     in another one, of the same config
 *     wrsim_checkpoint_read(sim, "engine.ckpt", &err);
 *     wrsim_run(sim, &err);
 *
 * All solvers but cvode_bdf and cvode_adams can be kept; a simulation with a subsystem that cannot is refused with its
 * name (WRSIM_E_CONFIG). What instances of models have got hold of in init() stays theirs: their memory
 * (wrsim_instance.memory) is kept, their data is constant.
 *
 * A slackened run (relaxation.scheme = "slack") goes on bit for bit where no clock has a say in it: slack.bound = 0, delays
 * that are fixed or drawn, several sweeps, a replay. A live one goes on as the clock will have it, and has to be logged anew
 * from there to be replayed from there (slack.log): a log that has rows does not go back, which is WRSIM_E_STATE.
 *
 * A result file never goes back: rows that it has are not written again where the simulation has gone back, and those after
 * them are new.
 *
 * Thread: the simulation's owner, between two advances; a call by a callback is WRSIM_E_STATE.
 */
#ifndef WRSIM_CHECKPOINT_H
#define WRSIM_CHECKPOINT_H

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the state of a simulation that is prepared and has not failed. The file is written beside its place and renamed
 * when it is on the disk, so that one that was there is lost in no case; it has to be a checkpoint of wrsim then, or empty.
 * Returns WRSIM_OK, WRSIM_E_ARG, _E_STATE, _E_CONFIG (a subsystem's inside cannot be had), _E_MEMORY, _E_DISK, _E_IO; then
 * nothing has changed. Real-time: no. */
WRSIM_API wrsim_status wrsim_checkpoint_write(wrsim *sim, const char *file, wrsim_error *err);

/* Brings a simulation that is prepared (one that has advanced or failed goes back) to the state in a file, which the same
 * version of wrsim has written of the same config: of all keys that results depend on but simulation.stop, of the same
 * models. Read before the first advance, the result file begins behind it. Returns WRSIM_OK; WRSIM_E_ARG, also where rows
 * would be missing in the result file; _E_STATE, _E_MEMORY; WRSIM_E_CONFIG where a subsystem's inside cannot be had
 * or the config is another one; WRSIM_E_IO where the file is none, of another version, cut short or damaged. The file is
 * looked through first: after a failure nothing has changed. Real-time: no. */
WRSIM_API wrsim_status wrsim_checkpoint_read(wrsim *sim, const char *file, wrsim_error *err);

typedef struct wrsim_snapshot wrsim_snapshot; /* opaque */

/* Room for states of a prepared simulation, in which the present one is kept at once. *ret_snapshot is the caller's.
 * Returns WRSIM_OK, WRSIM_E_ARG, _E_STATE, _E_CONFIG, _E_MEMORY. Phase: setup, after wrsim_prepare. */
WRSIM_API wrsim_status wrsim_snapshot_create(wrsim *sim, wrsim_snapshot **ret_snapshot,
                                             wrsim_error *err);

/* Keeps the present state of the simulation that the snapshot was made for, in place of the one before. Returns WRSIM_OK,
 * WRSIM_E_ARG or _E_STATE. Real-time: yes; it copies what changes, up to some megabytes where there is history. */
WRSIM_API wrsim_status wrsim_snapshot_take(wrsim *sim, wrsim_snapshot *snapshot, wrsim_error *err);

/* Back to it, also after a failure, unless what failed was the writing of results. Statistics go back, too. As
 * often as wanted. Returns WRSIM_OK, WRSIM_E_ARG, _E_STATE; _E_DISK or _E_IO where results cannot be written.
 * Real-time: as take. */
WRSIM_API wrsim_status wrsim_snapshot_restore(wrsim *sim, const wrsim_snapshot *snapshot,
                                              wrsim_error *err);

/* Frees it; accepts NULL and nulls the pointer. Before or after its simulation's end. */
WRSIM_API void wrsim_snapshot_destroy(wrsim_snapshot **snapshot);

/* Keeps what wrsim_prepare has left, for wrsim_reset: a snapshot that is the simulation's own. Once; returns as
 * wrsim_snapshot_create, and WRSIM_E_STATE where the simulation has advanced. Phase: setup, after wrsim_prepare. */
WRSIM_API wrsim_status wrsim_keep_start(wrsim *sim, wrsim_error *err);

/* Back to that, as wrsim_snapshot_restore; WRSIM_E_STATE where wrsim_keep_start was not called. Real-time: as that. */
WRSIM_API wrsim_status wrsim_reset(wrsim *sim, wrsim_error *err);

#ifdef __cplusplus
}
#endif
#endif
