/* Account: how far splitting has moved the solution, as the run itself believes.
 *
 * A subsystem integrates x' = f(x, u) with waves instead of its producers' outputs, and these are off
 * by their inputs' errors; so a split run is the exact solution of a system with other inputs:
 *
 *     E' = (df/dx) E + (df/du) (E_u + w + s),   E_y = (dh/dx) E + (dh/du) (E_u + w + s)
 *
 * E is the error of the states, E_y that of what is published, E_u the producers' E_y, w what their waves
 * miss between nodes, s what their last iterates have moved since the reader integrated (the theory of
 * one step's defect carried on: Hairer, Norsett, Wanner, "Solving ODEs I", 2nd ed., I.10 and II.3). Errors
 * have signs: they cancel, decay and grow as the true ones do (carry.h). The solvers' own errors are not in it.
 *
 *   - w: the mean over each step of the cubic's error, h^4 y'''' / 720, with y'''' from the middle of two
 *     successive steps against the cubic over both.
 *   - s: the mean of a change that grows towards the window's end, a third of it there.
 *   - errors of inputs that steps missed within the tolerance (subsystems/ode/input_resolution.c) are added.
 *
 * Events carry errors on as well (event_error.h). An event that errs in time shifts the states;
 * readers of an output that jumps there land on the jump, and are as late as the event that made
 * it. Discrete states keep the errors of the values that an event has stored. Until they are
 * overwritten they act on slopes and outputs (carry.h). An event at a window's start may be of the errors' making: errors of
 * the window before carry an indicator across zero, and new inputs carry it back. All that such an event changes is an
 * error. Without the errors the indicator of an event may turn back before zero: all that the event changes is an error, too. With the
 * errors an indicator may turn back before zero: all that the prevented event would change is an error (subsystems/ode/indicator_turns.c). If
 * that event begins the next window, it is late instead. At an event the error of an input is the
 * value that was read less the value in the accepted wave. Where an event may be lost or gained, or
 * its round goes another way within the errors, the subsystem is not covered.
 *
 * All are carried on together, over the windows since the last time: producers' errors act on their readers
 * by the mean of both ends, found by some sweeps over the subsystems. How often that is done follows from
 * the right-hand sides that were integrated (counts: same bits on any number of workers). Nothing that results
 * depend on is changed.
 *
 * Thread: the engine's serial section. Real-time: yes after placing.
 */
#ifndef WR_ACCOUNT_H
#define WR_ACCOUNT_H

#include "subsystems/subsystem.h"

typedef struct wr_account wr_account;

/* An accepted window of one subsystem, which stands at its end. */
typedef struct wr_account_window {
    const wr_wave *wave; /* as accepted */
    const double *moved; /* [n_external] of inputs since they were integrated, in their units */
    double n_rhs;        /* of its integration */
    double effect;       /* of what moved, as it was judged; in any measure */
    double modelled;     /* what such effects come to (sensitivity.h) */
} wr_account_window;

/* Places one for n subsystems, of which the i-th has errors of up to its range. NULL when the arena is
 * exhausted. The subsystems outlive it. */
wr_account *wr_account_place(wr_arena *arena, int n);
/* Adds the i-th; 0 or -1. */
int wr_account_place_part(wr_account *account, wr_arena *arena, int i, wr_subsystem *subsystem);
/* An external input of the i-th reads that signal of a producer. */
void wr_account_read(wr_account *account, int i, int i_external, int i_producer, int i_signal);

/* Each window, in this order: each subsystem's window, then what follows from all. */
void wr_account_note(wr_account *account, int i, double length_s, const wr_account_window *window);
void wr_account_carry(wr_account *account);
/* Carries errors on to the last window whatever it costs: a run has ended. */
void wr_account_close(wr_account *account);

/* Passes over all that changes (base/state_io.h): of all together, and of the i-th. last: the wave of its last window,
 * NULL before the first; the nodes are the caller's to pass over. */
void wr_account_state(wr_account *account, wr_state_io *io);
void wr_account_part_state(wr_account *account, int i, wr_state_io *io, const wr_wave *last);

/* The errors of one subsystem so far: the largest at recorded times, and of discrete states after events, relative to the range of
 * the signal. */
typedef struct wr_account_sum {
    double error;                  /* of its states, discrete states and published outputs */
    double waves, readers, sweeps; /* what has come in there: sizes that tell shares only */
    int i_external;                /* the input through which most has come, -1 = none; ... */
    double through;                /* ... in the same measure as waves */
    int is_uncovered; /* the error of an event is unknown, or whether there is an event without the errors */
} wr_account_sum;

wr_account_sum wr_account_get(const wr_account *account, int i);

#endif
