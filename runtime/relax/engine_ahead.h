/* Windows begun ahead: Gauss-Seidel sweeps with the first level one window ahead of the other levels (relaxation.ahead).
 *
 * With the first batch of a later level in window n, the first level integrates window n + 1, too. Its inputs are the predictions of the
 * later levels from before window n, which also cover window n + 1. If window n is accepted, these integrations are the first level's part
 * of the first sweep of window n + 1 (adoption). The same predictions are the published waves of the later levels. So the comparison with
 * their integrated waves, the effects and the error account are as in a sweep with older predictions.
 *
 * Between the task and the adoption the subsystem is at the end of window n: record, private numbers, state, rows and events of both ends
 * exchange places. So all decisions on window n read the numbers of window n. To take the begun window back is to forget it. The engine
 * takes the begun window back if the first level integrates window n again, or if window n is rejected or cut. Other reasons are a failed
 * task of the begun window, and a time event before this window's end. A next run with another start or an earlier end also takes the
 * window back.
 *
 * No window begins ahead in accelerated sweeps, with algebraic loops, after a rejection, during a check of events, or beyond the end of
 * the run. wr_ahead_join() has further conditions. The object exists only if all subsystems of the run have rollback. Each subsystem of
 * the first level must be able to keep two ends (wr_subsystem_keep), and read no other subsystem of this level.
 *
 * Thread: serial section; wr_ahead_run_task(): a worker. Real-time: yes after placing. */
#ifndef WR_ENGINE_AHEAD_H
#define WR_ENGINE_AHEAD_H

#include "base/state_io.h"
#include "runtime/relax/engine_parts.h"

/* Returns the reason why no window of a run begins ahead, with the name of a subsystem or NULL. Returns NULL if windows may begin ahead. */
const char *wr_engine_ahead_lack(const wr_engine *engine, const char **ret_name);

/* Places the object if the run can begin windows ahead. Returns 0, or -1 when the arena is exhausted. */
int wr_ahead_place(const wr_engine *engine, wr_arena *arena, struct wr_ahead **ret_ahead);

/* Adds tasks of the next window to the prepared batch of a later level, if this window may begin. */
void wr_ahead_join(wr_engine *engine);

/* Runs the k-th task ahead of the batch. Returns its status. *ret_t_s: time at its end. */
wrsim_status wr_ahead_run_task(wr_engine *engine, int k, double *ret_t_s);

/* Takes the begun window back if one of its tasks in the last batch has failed. */
void wr_ahead_end_batch(wr_engine *engine);

/* Returns 1 if a window is begun. */
int wr_ahead_is_begun(const wr_engine *engine);

/* Makes the integrations ahead the results of the present batch. The present window has begun with the end of these integrations. */
void wr_ahead_adopt(wr_engine *engine);

/* Takes the begun window back, because a subsystem of the first level has integrated the present window. From the second sweep on, also
 * stores this repetition. */
void wr_ahead_repeat(wr_engine *engine);

/* Forgets the begun window, if any, and counts it as taken back. */
void wr_ahead_take_back(wr_engine *engine);

/* A run that stops forgets the results of the begun window. The next run repeats its integrations, without counting them again, so results
 * do not depend on stops and checkpoints. But if a run stops inside a window whose events do not end, the engine takes the begun window
 * back. wr_ahead_state() stores that the next run has to repeat (base/state_io.h). */
void wr_ahead_pause(wr_engine *engine);
/* Starts a batch that repeats integrations ahead of the last run, before the first window. Returns 1, or 0 without such a batch. */
int wr_ahead_resume(wr_engine *engine);
/* Returns 1 if this batch has ended. */
int wr_ahead_has_resumed(wr_engine *engine);
void wr_ahead_state(wr_engine *engine, wr_state_io *io);

#endif
