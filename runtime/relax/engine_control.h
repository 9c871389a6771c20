/* State of a run: its end, stops and failures. After placing, only the functions of this header write the object, except `failure`.
 *
 * Thread: serial section; wr_control_stop(): any, async-signal-safe. Real-time: yes. */
#ifndef WR_ENGINE_CONTROL_H
#define WR_ENGINE_CONTROL_H

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/state_io.h"

typedef struct wr_control {
    double end_s;
    double sound_s;   /* time up to which the last failed window is free of faults */
    int n_fault;      /* number of windows cut at sound_s */
    double held_s;    /* end of the last window that was cut at an event without rollback */
    int held_round;   /* round of this event at its instant */
    double instant_s; /* end of a window that only passes an instant */
    double asked_s;   /* end_s as asked by the caller; INFINITY before the first run */
    int is_stopped;   /* 1: the last run has stopped, and the next run continues the stopped run */
    int is_leaving;   /* 1: workers return after this batch */
    int is_cut;       /* 1: the run has stopped within a window */
    int i_ended;      /* subsystem whose event has ended the run (WRSIM_TERMINATE); -1: none */
    wrsim_status status;
    int i_failed; /* subsystem whose failure ends the run; -1: no subsystem */
    wrsim_error failure;
    atomic_int stop; /* relaxed: no other data depends on this flag */
} wr_control;

/* Maximum number of windows cut at a fault (assumed). The time of a fault may depend on the window, so one cut may not be enough. */
enum { WR_CONTROL_MAX_FAULTS = 8 };

static inline void wr_control_begin(wr_control *c, double end_s)
{
    c->end_s = c->asked_s = end_s;
    if (!c->is_stopped) {
        c->sound_s = c->held_s = c->instant_s = -(double)INFINITY;
        c->n_fault = 0;
    }
    c->status = WRSIM_OK;
    c->is_cut = 0;
}

/* Sets whether workers return after the present batch. */
static inline void wr_control_set_leaving(wr_control *c, int is_leaving)
{
    c->is_leaving = is_leaving;
}

/* Ends the run after this batch. */
static inline void wr_control_leave(wr_control *c, wrsim_status status)
{
    c->status = status;
    c->is_leaving = 1;
}

static inline void wr_control_fail(wr_control *c, int i_failed, wrsim_status status)
{
    c->i_failed = i_failed;
    wr_control_leave(c, status);
}

/* Ends the run within a window. */
static inline void wr_control_cut(wr_control *c)
{
    wr_control_leave(c, WRSIM_STOPPED);
    c->is_cut = 1;
}

/* Stores the failed subsystem. Returns 1 and stores sound_s if the run advances to sound_s before the failure ends the run; else 0. */
static inline int wr_control_goes_on(wr_control *c, int i_failed, double sound_s)
{
    c->i_failed = i_failed;
    if (c->n_fault >= WR_CONTROL_MAX_FAULTS)
        return 0;
    c->n_fault++;
    c->sound_s = sound_s;
    return 1;
}

/* Ends the next try of the window at held_s at the latest, because of an event of a model without rollback in a round of its instant. */
static inline void wr_control_hold(wr_control *c, double held_s, int round)
{
    c->held_s = held_s;
    c->held_round = round;
}

/* Marks the window that ends at end_s as a window that only passes an instant. */
static inline void wr_control_pass_instant(wr_control *c, double end_s) { c->instant_s = end_s; }

/* Returns wr_subsystem.last_round for a window that ends at t_end_s. */
static inline int wr_control_last_round(const wr_control *c, double t_end_s)
{
    return wr_time_close(t_end_s, c->held_s) ? c->held_round : -1;
}

/* Ends the run at end_s instead, shortly after the end that the caller has asked for. */
static inline void wr_control_extend(wr_control *c, double end_s)
{
    c->end_s = c->instant_s = end_s;
}

/* Ends the run at t_s, because an event has ended the run. */
static inline void wr_control_end_at(wr_control *c, double t_s) { c->end_s = c->asked_s = t_s; }

/* Adds time and subsystem (or "") to `failure`, after the caller has set its text. The failure belongs to no solver. */
static inline void wr_control_place_failure(wr_control *c, double t_s, const char *subsystem)
{
    c->i_failed = -1;
    c->failure.time_s = t_s;
    snprintf(c->failure.subsystem, sizeof c->failure.subsystem, "%s", subsystem);
}

static inline wrsim_status wr_control_end(wr_control *c)
{
    c->is_stopped = c->status == WRSIM_STOPPED;
    return c->status;
}

static inline void wr_control_stop(wr_control *c)
{
    atomic_store_explicit(&c->stop, 1, memory_order_relaxed);
}

/* Clears a requested stop. Returns 1 if a stop was requested. */
static inline int wr_control_take_stop(wr_control *c)
{
    return atomic_exchange_explicit(&c->stop, 0, memory_order_relaxed);
}

/* Visits the end of the last run of n subsystems (base/state_io.h). After reading, `status` and i_failed contain no failure. */
static inline void wr_control_state(wr_control *c, wr_state_io *io, int n)
{
    WR_STATE(io, c->sound_s);
    WR_STATE(io, c->n_fault);
    WR_STATE(io, c->is_stopped);
    wr_state_index(io, &c->i_ended, n);
    if (!wr_state_reads(io))
        return;
    c->status = WRSIM_OK;
    c->i_failed = -1;
    c->asked_s = (double)INFINITY;
}

#endif
