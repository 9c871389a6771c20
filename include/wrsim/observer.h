/* Observers of a run: a table of functions that wrsim calls while a simulation advances, for traces and profiles.
 *
 *     wrsim_observer observer = {.size_bytes = sizeof observer, .user = &trace, .task_end = note_task};
 *     wrsim_observe(sim, &observer, &err);
 *
 * An observer does not change the bits of results. If the delays of a slackened run depend on the clock, results differ from run to run,
 * with or without an observer. A run without an observer does no work for this interface.
 *
 * Thread: functions for tasks, steps, events and periods run on the worker of the task. Calls for one subsystem never overlap, calls for
 * different subsystems may overlap. Functions for waits run on the waiting worker. Functions for windows, sweeps, rejections and decisions run
 * on one worker while no task runs. The function for commits runs on the worker of the commit. wrsim_advance returns after the last call.
 *
 * Real-time: wrsim allocates nothing, takes no lock and formats no text for a call. A run in real time needs functions that also
 * avoid such work. A function may call only wrsim_stop and wrsim_time of its simulation. A function must keep the floating-point
 * mode: rounding to nearest, denormal numbers are zero.
 *
 * Units: simulated time in s; wall time of CLOCK_MONOTONIC in ns, also if the host has a clock of its own. Ownership: a record is valid
 * during the call. wrsim copies the table. `user` must stay valid until the host removes the observer or destroys the simulation.
 * i_subsystem is an index for wrsim_stats_subsystem, i_worker an index for wrsim_stats_worker. */
#ifndef WRSIM_OBSERVER_H
#define WRSIM_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Integration of one subsystem over a window in one sweep, or over a period in one sweep. A run of one subsystem with states has no
 * windows: each task integrates some steps. A task that only checks the order of events has the number of the next sweep. A task that ends
 * the steps of models without rollback in an accepted window has the number of the last sweep. */
typedef struct wrsim_task_record {
    int i_subsystem; /* index of the subsystem */
    int i_worker;    /* worker that runs the task */
    int i_sweep;     /* sweep in the window or period, from 1 */
    double start_s;  /* start of the window or period */
    /* end of the window or period; in task_end the present time of the subsystem */
    double end_s;
    int64_t start_ns; /* wall time at the start of the task */
    int64_t end_ns;   /* wall time at the end of the task; 0 in task_begin */
    /* in task_end, 1: the subsystem does not integrate, because its inputs have hardly changed or the window is accepted */
    int is_unchanged;
    wrsim_status status; /* in task_end, negative: the task has failed */
} wrsim_task_record;

/* Step of a stepper or of a subsystem with states, up to the step's end or to an event in the step. The counters are the counters of
 * wrsim_subsystem_stats at the end of the step. The counters include all sweeps, rejected windows, and steps that the solver repeats to
 * end at an event. */
typedef struct wrsim_step_record {
    int i_subsystem;    /* index of the subsystem */
    double start_s;     /* start of the step */
    double end_s;       /* end of the step */
    int64_t n_step;     /* accepted steps of the solver since the start */
    int64_t n_rejected; /* rejected steps of the solver since the start */
} wrsim_step_record;

/* Causes of a stop, as bits. */
enum {
    WRSIM_CAUSE_STATE = 1 << 0,     /* an indicator has fired (n_state_event) */
    WRSIM_CAUSE_TIME = 1 << 1,      /* the step has ended at an announced time (n_time_event) */
    WRSIM_CAUSE_INPUT_JUMP = 1 << 2 /* an input has jumped (n_input_jump) */
};

/* Stop of a subsystem at a discontinuity. Each sweep reports its stops. All causes at one instant make one record. */
typedef struct wrsim_event_record {
    int i_subsystem; /* index of the subsystem */
    double time_s;   /* time of the stop */
    /* sum of causes, such as WRSIM_CAUSE_STATE; 0: events were due, but no indicator fired */
    unsigned causes;
} wrsim_event_record;

/* A sweep over a window, an accepted window after its last sweep, or a rejected window. The run retries a rejected window, or ends. */
typedef struct wrsim_window_record {
    double start_s;    /* start of the window */
    double end_s;      /* end of the window */
    int n_sweep;       /* window: number of sweeps; sweep: number of this sweep, from 1 */
    int n_integration; /* integrations of this sweep, or of all sweeps of the window */
    double change;     /* largest change of a waveform in the last sweep, in tolerance units */
    int i_failed; /* rejection: subsystem that failed; -1: no convergence, or an end within an instant */
    int64_t wall_ns; /* wall time of this call */
} wrsim_window_record;

/* Finished period of a subsystem in a slackened run. */
typedef struct wrsim_period_record {
    int i_subsystem; /* index of the subsystem */
    int i_worker;    /* worker of the last sweep */
    double start_s;  /* start of the period */
    double end_s;    /* end of the period */
    int n_sweep;     /* number of sweeps */
    /* 1: a sweep of the period began after a wait for data or memory */
    int has_waited;
    int has_deadline; /* 1: over_ns is valid, because a period of [realtime] ends here */
    int64_t
        over_ns; /* wall time from the deadline to the end of the period, ns; at most 0: in time */
} wrsim_period_record;

/* Rows of an accepted window or a finished period that a subsystem has passed to the recorder. A full recorder delays the subsystem. */
typedef struct wrsim_commit_record {
    int i_subsystem;     /* index of the subsystem */
    int i_worker;        /* worker that passes the rows */
    int64_t start_ns;    /* wall time at the start */
    int64_t end_ns;      /* wall time at the end */
    wrsim_status status; /* negative: the recorder has failed */
} wrsim_commit_record;

/* Finished serial section of a relaxed run: one worker compares the waveforms of a sweep and prepares the next tasks. */
typedef struct wrsim_decision_record {
    int i_worker;     /* worker of the serial section */
    int64_t start_ns; /* wall time at the start */
    int64_t end_ns;   /* wall time at the end */
} wrsim_decision_record;

/* Reasons of a wait. */
typedef enum wrsim_wait_reason {
    WRSIM_WAIT_BARRIER, /* other workers have tasks, or one worker prepares the next tasks */
    WRSIM_WAIT_DATA,    /* slackened: each subsystem of the worker waits for data, or is complete */
    WRSIM_WAIT_CLOCK    /* slackened: the wall time of the next period is in the future */
} wrsim_wait_reason;

/* Finished wait of a worker. In a relaxed run the waits of a worker sum up to wait_ns of wrsim_worker_stats. */
typedef struct wrsim_wait_record {
    int i_worker;             /* waiting worker */
    wrsim_wait_reason reason; /* reason of the wait */
    int64_t start_ns;         /* wall time at the start of the wait */
    int64_t end_ns;           /* wall time at the end of the wait */
} wrsim_wait_record;

/* Table of functions. Unused functions are NULL. Later versions may add members at the end. */
typedef struct wrsim_observer {
    size_t size_bytes;                                             /* sizeof(wrsim_observer) */
    void *user;                                                    /* argument of all functions */
    void (*task_begin)(void *user, const wrsim_task_record *task); /* a task begins */
    void (*task_end)(void *user, const wrsim_task_record *task);   /* a task has ended */
    /* A solver has accepted a step of a subsystem, or a stepper has completed a step. */
    void (*step)(void *user, const wrsim_step_record *step);
    /* A subsystem has handled the events at a stop. */
    void (*event)(void *user, const wrsim_event_record *event);
    void (*wait)(void *user, const wrsim_wait_record *wait); /* a worker has waited */
    /* A sweep has ended, in a relaxed run of several subsystems. The call precedes the call for the window. wrsim reports no sweep
     * without integrations, or with a failed integration. */
    void (*sweep)(void *user, const wrsim_window_record *sweep);
    /* The run has accepted a window, in a relaxed run of several subsystems. */
    void (*window)(void *user, const wrsim_window_record *window);
    /* The run has rejected a window, in a relaxed run of several subsystems. */
    void (*rejection)(void *user, const wrsim_window_record *window);
    /* A subsystem has finished a period, in a slackened run. */
    void (*period)(void *user, const wrsim_period_record *period);
    /* A subsystem has passed its rows to the recorder: in a task of the subsystem, in a serial section, or at the end of an advance. */
    void (*commit)(void *user, const wrsim_commit_record *commit);
    /* A serial section has ended, in a relaxed run. The calls for its sweeps, windows, rejections and commits precede this call. */
    void (*decision)(void *user, const wrsim_decision_record *decision);
} wrsim_observer;

#ifdef __cplusplus
}
#endif
#endif
