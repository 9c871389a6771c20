/* Who is told what happens in a run: recorder, progress, traces.
 *
 * Thread: as said per function. Real-time: as the observer is.
 */
#ifndef WR_OBSERVER_H
#define WR_OBSERVER_H

#include <stdint.h>

#include "subsystems/model_host/fault.h"

/* Functions may be NULL. */
typedef struct wr_observer {
    void *context;
    /* What a subsystem publishes at the start before each round of events, value[n_published]; what it comes to is the
     * first window's. Phase: setup. A negative status ends the start. */
    wrsim_status (*start)(void *context, int i_subsystem, const double *value);
    /* Rows and wave of a subsystem are final. Called on the subsystem's worker. A negative status stops
     * the run at the end of the window. */
    wrsim_status (*commit)(void *context, int i_subsystem);
    /* These subsystems have had a task each, at the same time as far as there are workers. Serial, before anything is made of
     * it. task_ns[n]: what each took, wall time; NULL: this one was not measured. */
    void (*batch)(void *context, int n, const int *subsystem, const int64_t *task_ns);
    /* A window was accepted. Serial, between sweeps: must be short and must not block. */
    void (*window)(void *context, double t_s);
    /* A sweep was judged: largest difference in tolerances. Serial. */
    void (*sweep)(void *context, double t_s, double length_s, int i_sweep, double delta);
    struct wr_observer *next; /* the engine's */
} wr_observer;

#endif
