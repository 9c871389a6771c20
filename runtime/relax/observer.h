/* Observers of a run: recorder, progress, traces.
 *
 * Thread: per function. Real-time: as the observer.
 */
#ifndef WR_OBSERVER_H
#define WR_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "subsystems/model_host/fault.h"

/* Functions may be NULL. */
typedef struct wr_observer {
    void *context;
    /* Published values of a subsystem at the start, before each round of events, value[n_published]. The values after the last
     * round belong to the first window. Phase: setup. A negative status ends the start. */
    wrsim_status (*start)(void *context, int i_subsystem, const double *value);
    /* Rows and wave of a subsystem are final. Called on the subsystem's worker. A negative status stops
     * the run at the end of the window. */
    wrsim_status (*commit)(void *context, int i_subsystem);
    /* A batch of tasks, one for each of n subsystems, has ended. Serial, before its results are used. task_ns[n]: wall time of
     * each task; NULL: the batch was not measured. */
    void (*batch)(void *context, int n, const int *subsystem, const int64_t *task_ns);
    /* A window was accepted. Serial, between sweeps: must be short and must not block. */
    void (*window)(void *context, double t_s);
    /* A sweep was judged: largest difference in tolerances. Serial. */
    void (*sweep)(void *context, double t_s, double length_s, int i_sweep, double delta);
    struct wr_observer *next; /* set by wr_observer_append() */
} wr_observer;

/* Appends an observer to the list; the observer outlives the list. */
static inline void wr_observer_append(wr_observer **first, wr_observer *observer)
{
    while (*first)
        first = &(*first)->next;
    observer->next = NULL;
    *first = observer;
}

#endif
