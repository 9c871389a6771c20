/* Requests: operations of one subsystem that the serial section needs besides the integration. A request reads the private state of
 * subsystem i (engine_run.h), records and published waves. wr_request_take_runaway() also reads the private state of subsystem i_failed. A
 * request changes the private state and the record of subsystem i only. Therefore each request can run as a task on any worker.
 *
 * Thread: the subsystem's task, or serial. Real-time: yes. */
#ifndef WR_ENGINE_REQUESTS_H
#define WR_ENGINE_REQUESTS_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/predict.h"
#include "subsystems/subsystem.h"

/* As wr_request_note_time(); also writes the last comparison of waves, the fault and has_effect to the record. */
void wr_request_refresh(wr_engine *engine, int i);
/* Writes the present time and, with ends_windows, the next time event to the record. */
struct wr_run;
void wr_request_note_time(const struct wr_run *run);

/* ---- input changes ---- */

/* Returns the estimated effect of the change of the inputs since the last integration, in tolerances (subsystems/ode/ode_tangent.c). */
double wr_request_effect(wr_engine *engine, int i);
/* Returns 1 if a state event is due at the window's end with the present inputs. Stores the number of evaluations of indicators in the
 * early check. */
int wr_request_is_event_due(wr_engine *engine, int i);
/* Returns 1 if the subsystem must integrate again for jumps of its inputs. The jumps may have another order relative to the subsystem's
 * events, or a jump that caused an event may have another time. After all events at the window's end, an input may differ from the value
 * that the subsystem has read. Outputs that depend directly on such an input belong to this instant, not to the next window. */
int wr_request_has_missed(wr_engine *engine, int i);
/* Make, and undo, an early check (wr_engine_check_early). */
void wr_request_check(wr_engine *engine, int i);
void wr_request_undo_check(wr_engine *engine, int i);
/* Returns the larger effect of both directions of a shift of input i_external over length_s. shift [n_external] is scratch of zeros, effect
 * [n_x] scratch. */
double wr_request_change_by(wr_engine *engine, int i, int i_external, double shift_by,
                            double length_s, double *shift, double *effect);

/* ---- instants and algebraic loops ---- */

wr_instant_kind wr_request_instant_at(const wr_engine *engine, int i, double t_s);
int wr_request_is_event_near(const wr_engine *engine, int i);
int wr_request_next_answer(const wr_engine *engine, int i, int i_instant, double *ret_t_s);
/* Returns whether the last advance has ended at an event without rollback. */
int wr_request_is_held(const wr_engine *engine, int i);
/* Returns the event without rollback at which the last advance has ended, if any. */
const wr_held_event *wr_request_held(const wr_engine *engine, int i);
const wr_run_end *wr_request_run_end(const wr_engine *engine, int i);
void wr_request_set_amplification(const wr_engine *engine, int i, double amplification);

/* ---- failures ---- */

/* Returns the subsystem to the start of the window. */
void wr_request_restore(wr_engine *engine, int i);
/* Ends the accepted window. After a failure stores the fault; fault_s is the time up to which the rows of the window are right. */
wrsim_status wr_request_accept(wr_engine *engine, int i);
/* Makes the rows and nodes of the window up to t_s final, and drops the later rows and nodes. */
void wr_request_cut_rows(wr_engine *engine, int i, double t_s);
/* Stores the fault of the last failed operation. */
void wr_request_keep_fault(wr_engine *engine, int i);
/* Locates the fault of a failed integration, and stores the fault. fault_s is the time up to which the subsystem is free of the fault. */
void wr_request_locate_fault(wr_engine *engine, int i);
/* After a failure of a run's only subsystem: makes the rows up to the fault final, and prevents the rollback. */
void wr_request_keep_advance(wr_engine *engine, int i);
/* Returns whether a state of subsystem i diverges at the window's start, and whether a state also diverges with constant inputs. If the
 * start of the window is saved, restores the subsystem first, because inputs may have changed. */
wr_runaway wr_request_find_runaway(wr_engine *engine, int i);
/* Stores the fault of wr_request_find_runaway(), with the status, times and message of the fault of a failed subsystem downstream. */
void wr_request_take_runaway(wr_engine *engine, int i, int i_failed);
/* Writes the text of the stored fault, or of the subsystem's last fault. Phase: between runs. */
void wr_request_fault_text(wr_engine *engine, int i, wrsim_error *ret_err);

/* ---- counters, between runs ---- */

wr_predict_count wr_request_predicted(const wr_engine *engine, int i);

#endif
