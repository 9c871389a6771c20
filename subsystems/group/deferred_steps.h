/* Deferred calls of step_completed(), for models without rollback in a run that repeats windows.
 *
 * Such a model may store values at the ends of steps, such as the past of a delay. The model cannot forget values of a discarded
 * integration. So the group notes the ends of steps, and calls step_completed() once per noted end, after the last sweep of the window.
 * Evaluations in a window then use no values that the model stores in the same window. For each end of a step the group compares outputs
 * and derivatives before all calls with outputs and derivatives after the call. A difference above the tolerance is a fault. So is a
 * request of an event (WRSIM_ENTER_EVENT).
 *
 * Thread: one at a time. Real-time: no, because the list of steps grows.
 */
#ifndef WR_DEFERRED_STEPS_H
#define WR_DEFERRED_STEPS_H

#include "subsystems/group/group_layout.h"

typedef struct wr_deferred_steps {
    int n_step, cap_step;
    double *step; /* [cap_step * n_value] on the heap: time, states, inputs, outputs, derivatives */
    double *
        drift; /* [n_x] bound of the change of the state by differences of its derivative, in the present run */
    double *y;       /* [most_y] */
    double *dx;      /* [most_x] */
    double last_s;   /* end of the last step without a fault; NaN: none */
    int n_component; /* number of components with deferred calls */
    const int *component;
    size_t n_value; /* values of a step, of all these components */
} wr_deferred_steps;

/* Places group->deferred if a model without rollback has step_completed(). Setup only. Returns 0, or -1 when out of memory. */
int wr_deferred_steps_place(wr_arena *arena, wr_group *group);
/* Frees the heap memory, and clears the list for a new start. */
void wr_deferred_steps_clear(wr_group *group);
/* Appends the prepared point, the end of a step. Returns 0, or -1 with the fault set when out of memory. */
int wr_deferred_steps_note(wr_group *group);
/* Drops the noted steps, whose integration is discarded. */
void wr_deferred_steps_drop(wr_group *group);
/* Calls step_completed() for the noted steps of an accepted window, and compares the values with the relative tolerance rtol. Returns 0, or
 * -1 with the fault set. *ret_sound_s: end of the last step without a fault; NaN: none. */
int wr_deferred_steps_complete(wr_group *group, double rtol, double *ret_sound_s);

#endif
