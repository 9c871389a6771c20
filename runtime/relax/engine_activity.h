/* Activity: the effect of input changes decides which subsystems integrate again. Thread: per function. Real-time: yes. */
#ifndef WR_ENGINE_ACTIVITY_H
#define WR_ENGINE_ACTIVITY_H

#include "runtime/relax/engine_parts.h"

/* Activity of all subsystems in the present or next sweep. Only engine_activity.c writes the object. */
typedef struct wr_activity {
    int is_all;       /* all subsystems have tasks */
    int is_forced;    /* the active subsystems integrate, even if no input has changed */
    int is_once_turn; /* only subsystems without rollback integrate */
    int has_once_run; /* subsystems without rollback have advanced in this window */
    /* [n] for each consumer: number of the last batch of fewer than n tasks that has added to the consumer's input_change */
    int64_t *notified_in;
} wr_activity;

/* Places the activity. Returns 0, or -1 when the arena is exhausted. */
int wr_activity_place(wr_engine *engine, wr_arena *arena);
void wr_activity_begin_window(wr_engine *engine);
/* Visits the state (base/state_io.h). */
void wr_activity_state(wr_engine *engine, wr_state_io *io);
/* Clears the flags of a forced sweep and of a sweep of subsystems without rollback, after a sweep. */
void wr_activity_end_sweep(wr_activity *activity);

/* Returns the effect of the input change since the last integration of an accepted window, in tolerances. */
double wr_engine_left_effect(wr_engine *engine, int i);

/* Returns 1 if the subsystem must integrate, independent of an estimate. Missed jumps and events do not count. */
int wr_engine_is_due(const wr_engine *engine, int i);

/* Returns 1 if the subsystem's input change matters in sweep i_sweep, or the subsystem must integrate without an estimate. An estimate
 * takes one or two right-hand sides. Thread: the subsystem's task, or serial. */
int wr_engine_matters(wr_engine *engine, int i, int i_sweep);

/* With one worker: checks each subsystem whose own task and producers' tasks are complete after task i_task. The check adds the changes
 * of all producers to the input change, and estimates the effect while the data is in the cache. Results equal the results of the serial
 * section and the tasks of the next sweep. */
void wr_engine_check_early(wr_engine *engine, int i_task);

/* Deletes an early check. Undoes an unused check, because a run with more workers has no such check. */
void wr_engine_drop_check(wr_engine *engine, int i);
static inline void wr_engine_forget_check(wr_engine *engine, int i)
{
    if (engine->record[i].checked)
        wr_engine_drop_check(engine, i);
}
/* Deletes all early checks, before a decision on the last sweep has used its checks. A used check belongs to an earlier sweep, so it counts
 * with any number of workers. Serial. */
void wr_engine_forget_checks(wr_engine *engine);
/* Undoes all early checks of the last sweep, also the used checks, because no sweep follows. wr_engine_find_active() has deleted the checks
 * of earlier sweeps. Serial. */
void wr_engine_take_back_checks(wr_engine *engine);

/* Decides whether the subsystem gets a task in the next batch of its level. Returns is_active of the subsystem. Serial. */
int wr_engine_activate(wr_engine *engine, int i);

/* Marks the active subsystems of the next sweep. Returns the number of active subsystems. Serial. */
int wr_engine_find_active(wr_engine *engine);
/* Returns 1 if a sweep must follow even if the waves agree. The last integration of a subsystem then had a loosened tolerance, or missed
 * a jump or an event at the window's end. Serial. */
int wr_engine_is_anything_open(wr_engine *engine);
/* Makes all subsystems with rollback integrate in the next sweep. Serial. */
void wr_engine_force_all(wr_engine *engine);
/* Makes all subsystems with rollback integrate in the next sweep. Deletes early checks, because their number depends on the workers.
 * Serial. */
void wr_engine_force_anew(wr_engine *engine);
/* Makes only subsystems with shared instants integrate in the next sweep. Serial. */
void wr_engine_activate_shared(wr_engine *engine);
/* Activates the subsystems with a waiting event whose inputs have changed since their last integration, also by much less than the
 * tolerances, up to relaxation.max_sweeps. Such an event cannot be taken back, and may depend on small changes. Returns 0 without such a subsystem. Serial. */
int wr_engine_activate_held(wr_engine *engine);
/* Makes only subsystems without rollback integrate in the next sweep. Serial. */
void wr_engine_activate_once(wr_engine *engine);

/* Adds the changes of the producers of a batch to the input changes of their consumers. Serial. */
void wr_engine_notify_consumers(wr_engine *engine);

#endif
