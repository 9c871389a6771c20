/* Which subsystems integrate again: the effect of changed inputs, and what the engine learns from it.
 *
 * Thread: per function. Real-time: yes.
 */
#ifndef WR_ENGINE_CHANGES_H
#define WR_ENGINE_CHANGES_H

#include "runtime/relax/engine_work.h"

/* Effect of the input change by the learned factor alone, in tolerances. */
static inline double wr_engine_seen_effect(const wr_run *p)
{
    return wr_sensitivity_unmodelled(&p->sensitivity, p->input_change);
}

/* Estimated effect of the change of a subsystem's inputs since its last integration, in tolerances
 * (subsystems/ode/ode_tangent.c). Thread: the subsystem's task, or serial. */
double wr_engine_effect(const wr_engine *engine, const wr_run *run);

/* Must the subsystem integrate, whatever an estimate says? */
int wr_engine_is_due(const wr_engine *engine, const wr_run *run);

/* Does the subsystem's input change matter in sweep i_sweep? An estimate takes one or two right-hand sides. Thread: its task. */
int wr_engine_matters(const wr_engine *engine, wr_run *run, int i_sweep);

/* With one worker, after task i_task of a batch of all subsystems: adds its changes to the subsystems that read it last, and
 * estimates their effect while the data is in the cache. Results equal the results of the serial section and the tasks of the
 * next sweep. */
void wr_engine_check_early(wr_engine *engine, int i_task);

/* Undoes an early check that no decision has used, because more workers would not have made it. */
void wr_engine_forget_check(wr_run *run);
/* If no sweep follows: undoes all early checks. Serial. */
void wr_engine_take_back_checks(wr_engine *engine);

/* Factor >= 1 on the solver tolerance of the next integration: relaxation.tolerance_first in the first sweep of a
 * window that is expected to take several, else 1. */
double wr_engine_tolerance_factor(const wr_engine *engine, const wr_run *run);

/* Does the subsystem get a task in the next sweep? Serial. */
int wr_engine_needs_integration(const wr_engine *engine, wr_run *run);

/* Marks the active subsystems of the next sweep; returns how many there are. Serial. */
int wr_engine_find_active(wr_engine *engine);
/* Must a sweep follow even if the waves agree, because the last one had a loosened tolerance or missed an event at the
 * window's end? Serial. */
int wr_engine_is_anything_open(wr_engine *engine);
/* All subsystems with rollback integrate in the next sweep. Serial. */
void wr_engine_force_all(wr_engine *engine);
/* Only subsystems without rollback integrate in the next sweep. Serial. */
void wr_engine_activate_once(wr_engine *engine);

/* After a batch: adds the changes of its producers to the input changes of their consumers. Serial. */
void wr_engine_notify_consumers(wr_engine *engine);

/* Learns from the difference of outputs and end state to the integration before. Thread: the subsystem's task. */
void wr_engine_measure_sensitivity(wr_run *run);

#endif
