/* Account: the run's own estimate of the splitting error.
 *
 * A subsystem integrates x' = f(x, u) with waves in place of its producers' outputs, and the waves have errors.
 * A split run is therefore the exact solution of a system with other inputs:
 *
 *     E' = (df/dx) E + (df/du) (E_u + w + s),   E_y = (dh/dx) E + (dh/du) (E_u + w + s)
 *
 * E is the error of the states, E_y the error of the published outputs, and E_u the producers' E_y. w is the error of
 * the producers' waves between nodes. s is the change of the producers' last iterates since the reader integrated
 * (Hairer, Norsett, Wanner, "Solving ODEs I", 1993, I.10 and II.3). Errors have signs, and cancel, decay and grow like
 * the true errors (propagation.h). The account does not include the solvers' own errors.
 *
 *   - w is the mean of the cubic's error over each step, h^4 y'''' / 720. y'''' comes from the middle node of two
 *     steps and the cubic over both.
 *   - E also gets the effect of input errors that steps miss within the tolerance (subsystems/ode/input_resolution.c).
 *   - s grows towards the window's end, so its mean over the window is a third of its end value.
 *
 * Events propagate errors, too (event_error.h). An event at a wrong time shifts the states. A reader of an output
 * that jumps is as late as the event that makes the jump. An event stores values with errors in discrete states, which act
 * on slopes and outputs until the next event overwrites them (propagation.h).
 *
 * Errors also add and remove events:
 *   - Errors of the window before may move an indicator across zero, and new inputs move the indicator back. All changes
 *     by the event at the window's start are then errors.
 *   - Without the errors the indicator of an event may turn back before zero. All changes by the event are errors.
 *   - With the errors an indicator may turn back before zero. All changes that the prevented event would make
 *     are errors (subsystems/ode/ode_watch.c). If that event begins the next window, the event is late instead.
 * At an event the error of an input is the producer's error plus the value of the step less the value in the accepted wave. If the errors
 * may change the branch of an event's round, the subsystem is not covered. If the errors may add or remove an event, the subsystem is
 * covered only if the reported error is large.
 *
 * The account propagates the errors of all subsystems together, over the windows since the last propagation. Some sweeps over the
 * subsystems find the producers' errors at both ends. The mean of both errors acts on the readers. Counts of right-hand sides decide when
 * to propagate, so any number of workers gives the same bits. Results do not depend on the account.
 *
 * Thread: the engine's serial section. Real-time: yes after placing. */
#ifndef WR_SPLITTING_ERROR_H
#define WR_SPLITTING_ERROR_H

#include "runtime/relax/wiring.h"

typedef struct wr_splitting_error wr_splitting_error;

/* An accepted window of one subsystem, which is at the window's end. */
typedef struct wr_splitting_error_window {
    const wr_wave *wave; /* accepted wave */
    const double
        *moved;      /* [n_external] change of each input since the last integration, input units */
    double n_rhs;    /* right-hand sides of the last integration */
    double effect;   /* estimated effect of `moved`, in a unit that all windows share */
    double modelled; /* learned factor on `effect` (sensitivity.h) */
    int has_effect;  /* the subsystem stores the effect on each state */
} wr_splitting_error_window;

/* Places an account of n subsystems, which outlive the account. Returns NULL when the arena is exhausted. */
wr_splitting_error *wr_splitting_error_place(wr_arena *arena, const wr_wiring *parts, int n);

/* Stores a window of subsystem i. After each window the caller calls wr_splitting_error_note() for each subsystem, then
 * wr_splitting_error_propagation(). If the cost is within the limit, wr_splitting_error_propagation() propagates the errors of all
 * subsystems. Otherwise the function propagates errors across events only. */
void wr_splitting_error_note(wr_splitting_error *account, int i, double length_s,
                             const wr_splitting_error_window *window);
void wr_splitting_error_propagation(wr_splitting_error *account);
/* Propagates the errors up to the last window at the end of a run, without a limit on the cost. */
void wr_splitting_error_close(wr_splitting_error *account);

/* Visits the shared state, and the state of the i-th subsystem (base/state_io.h). last: wave of the subsystem's last window, NULL before
 * the first window. The caller visits the wave's nodes. */
void wr_splitting_error_state(wr_splitting_error *account, wr_state_io *io);
void wr_splitting_error_part_state(wr_splitting_error *account, int i, wr_state_io *io,
                                   const wr_wave *last);

/* The largest errors of one subsystem so far, relative to the signal's range: at propagations with new rows or without recorded variables,
 * and for discrete states after events. */
typedef struct wr_splitting_error_sum {
    double error; /* largest error of states, discrete states and published outputs */
    double waves, readers, sweeps; /* sums of sources of error; only their ratios have a meaning */
    int i_external;                /* input with the largest share; -1: no input */
    double through;                /* share of input i_external, unit of waves */
    /* the subsystem has inputs, and one of these is true: the kind has no derivatives, an event's error is unknown, or small errors may add
     * or remove an event */
    int is_uncovered;
} wr_splitting_error_sum;

wr_splitting_error_sum wr_splitting_error_get(const wr_splitting_error *account, int i);

#endif
