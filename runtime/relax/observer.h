/* Observers of a run: recorder, progress, traces. Thread: per function. Real-time: as the observer. */
#ifndef WR_OBSERVER_H
#define WR_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "subsystems/model_host/fault.h"

/* Functions of an observer; each may be NULL. */
typedef struct wr_observer {
    void *context;
    /* Receives published values of a subsystem at the start, before each round of events, value[n_published]. A negative status
     * ends the start. Phase: setup. */
    wrsim_status (*start)(void *context, int i_subsystem, const double *value);
    /* Receives final rows and the final wave of a subsystem, on the worker of the subsystem's task, or serial. A negative status ends the
     * run. */
    wrsim_status (*commit)(void *context, int i_subsystem);
    /* Receives a batch of tasks of n subsystems, before the engine uses the results. Serial. task_ns[n]: wall time of each task; NULL: not
     * measured. */
    void (*batch)(void *context, int n, const int *subsystem, const int64_t *task_ns);
    /* Receives the end of an accepted window: serial, or in a slackened run on worker 0. The function must be short and must not block. */
    void (*window)(void *context, double t_s);
    /* Receives a sweep before its verdict, with the largest residual in tolerances. Serial. */
    void (*sweep)(void *context, double t_s, double length_s, int i_sweep, double delta);
    struct wr_observer *next; /* NULL, or set by wr_observer_append() */
} wr_observer;

/* Appends an observer, or a list of observers, to a list. The observers outlive the list. */
static inline void wr_observer_append(wr_observer **first, wr_observer *observer)
{
    while (*first)
        first = &(*first)->next;
    *first = observer;
}

#endif
