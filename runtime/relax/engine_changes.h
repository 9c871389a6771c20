/* Activity: the effect of input changes decides which subsystems integrate again.
 *
 * Thread: per function. Real-time: yes.
 */
#ifndef WR_ENGINE_CHANGES_H
#define WR_ENGINE_CHANGES_H

#include "runtime/relax/engine_parts.h"

/* Effect of the input change by the learned factor alone, in tolerances. */
double wr_engine_seen_effect(const wr_record *record);

/* Must the subsystem integrate, whatever an estimate says? */
int wr_engine_is_due(const wr_engine *engine, int i);

/* Does the subsystem's input change matter in sweep i_sweep? An estimate takes one or two right-hand sides. Thread: its task. */
int wr_engine_matters(wr_engine *engine, int i, int i_sweep);

/* With one worker, after task i_task of a batch of all subsystems: adds its changes to the subsystems that read it last, and
 * estimates their effect while the data is in the cache. Results equal the results of the serial section and the tasks of the
 * next sweep. */
void wr_engine_check_early(wr_engine *engine, int i_task);

/* Drops an early check. One that no decision has used is undone, because more workers would not have made it. */
void wr_engine_drop_check(wr_engine *engine, int i);
static inline void wr_engine_forget_check(wr_engine *engine, int i)
{
    if (engine->record[i].checked)
        wr_engine_drop_check(engine, i);
}
/* If no sweep follows: undoes all early checks. Serial. */
void wr_engine_take_back_checks(wr_engine *engine);

/* Does the subsystem get a task in the next sweep? Serial. */
int wr_engine_needs_integration(wr_engine *engine, int i);

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

#endif
