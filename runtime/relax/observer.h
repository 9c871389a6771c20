/* Observers of a run: recorder, progress, traces. Thread: per function. Real-time: as the observer. */
#ifndef WR_OBSERVER_H
#define WR_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "subsystems/model_host/fault.h"

/* Reasons of a window's end in the order of their numbers in result files: name and text. */
#define WR_WINDOW_REASONS(X)                                                                       \
    X(ACCEPTED, "accepted")                                                                        \
    X(CONTRACTION, "sweeps do not contract")                                                       \
    X(SWEEPS, "too many sweeps (relaxation.max_sweeps)")                                           \
    X(EVENTS, "events change from sweep to sweep")                                                 \
    X(INSTANT, "the end divides an instant")                                                       \
    X(RUN_END, "an event ends the run")                                                            \
    X(HELD, "a model without rollback has an event")                                               \
    X(SOLVER, "a solver fails")                                                                    \
    X(NAN, "a value is not finite")                                                                \
    X(CALLBACK, "a model fails")                                                                   \
    X(LIMIT, "too many nodes or rows in the window")                                               \
    X(CHATTER, "events repeat without end")                                                        \
    X(OTHER, "a subsystem fails")                                                                  \
    X(LOST, "lost records, because the disk was too slow")
#define WR_WINDOW_REASON_NAME(name, text) WR_WINDOW_##name,
typedef enum wr_window_reason {
    WR_WINDOW_REASONS(WR_WINDOW_REASON_NAME) WR_WINDOW_REASON_COUNT
} wr_window_reason;

/* An accepted or rejected window. */
typedef struct wr_window_report {
    double start_s, end_s;
    wr_window_reason reason;
    int n_sweep;
    double contraction; /* ratio of the residuals of successive sweeps; NaN: not known */
    double change;      /* largest residual of the last sweep, tolerances */
    double
        prediction; /* largest residual of the first sweep: the error of the prediction, tolerances */
    int i_failed;   /* subsystem that failed; -1: none */
    const int
        *n_integration; /* [number of subsystems] integrations of each subsystem in all sweeps */
} wr_window_report;

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
    /* Receives each accepted and each rejected window of a run with windows. Serial. The report is valid during the call. */
    void (*report)(void *context, const wr_window_report *report);
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
