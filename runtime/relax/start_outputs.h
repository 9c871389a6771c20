/* Start values of published signals, in the order of their dependencies.
 *
 * Outputs that equal states are known. All other outputs are vertices of a graph over all subsystems. An arc leads from an output y to each
 * output that depends directly on y, through any number of components of one subsystem. Strong components of more than one vertex are
 * algebraic loops across subsystems. Damped Newton iteration solves the loops. Messages name a loop as "a.y -> b.u -> b.y -> a.u".
 *
 * A component computes all its outputs in one call. If no component has all inputs, the evaluation calls a component with
 * the defaults of its unknown inputs (as in subsystems/group/group_plan.c).
 *
 * During a run, the feed-through of the loops gives their amplification of small errors.
 *
 * Thread: one owner. Real-time: wr_start_take(), wr_start_loops(), wr_start_state(), and, with models that are, wr_start_amplification().
 * All other functions: setup. */
#ifndef WR_START_OUTPUTS_H
#define WR_START_OUTPUTS_H

#include "runtime/relax/wiring.h"

typedef struct wr_start wr_start;

/* Finds the order of evaluation. The subsystems outlive the object. Returns NULL when out of memory. */
wr_start *wr_start_place(wr_arena *arena, const wr_wiring *part, int n_part, int is_gauss_seidel);

/* Values that wr_start_propagate() finds. */
typedef enum wr_start_goal {
    WR_START_INDICATORS, /* inputs that indicators read, directly or through outputs */
    WR_START_ALL
} wr_start_goal;

/* Evaluates outputs in order at the present states, discrete states and modes, and writes the inputs. On failure err names the model
 * that fails, with the model's status, or the loop without a solution, with WRSIM_E_LOOP. */
wrsim_status wr_start_propagate(wr_start *start, wr_start_goal goal, wrsim_error *err);

/* Returns the inputs [n_external] of subsystem i_part after the last wr_start_propagate(). */
const double *wr_start_inputs(const wr_start *start, int i_part);

/* Returns the published outputs [n_published] of subsystem i_part after the last wr_start_propagate(). */
const double *wr_start_outputs(const wr_start *start, int i_part);

/* An algebraic loop across subsystems: n signals, each with the subsystem that publishes the signal. */
typedef struct wr_start_loop {
    int n;
    const int *i_part, *i_signal; /* [n] */
    /* [n * n], column-major: (I - D)^-1 U of the last wr_start_amplification(), or 0. Newton's step adds (I - D)^-1 U r to a
     * sweep's waves. r is the sweep's residual, D the feed-through, and U the part of D read from the sweep before. */
    const double *step;
} wr_start_loop;

/* Returns all loops, and their number in *ret_n. */
const wr_start_loop *wr_start_loops(const wr_start *start, int *ret_n);

/* Visits the loops' steps (base/state_io.h). */
void wr_start_state(wr_start *start, wr_state_io *io);

/* Copies the present published values of a subsystem, value[n_published], and their tolerance units, unit[n_published]. */
void wr_start_take(wr_start *start, int i_part, const double *value, const double *unit);

/* Returns the largest error of waves per residual in the loops, from 1 to 1e6. The result is the largest absolute row sum of (I - D)^-1
 * over all loops, in tolerance units. D is the feed-through at the present states, discrete states, modes and values of wr_start_take(). If
 * a model refuses values near the present values, `before` replaces the row sum of its loop. */
double wr_start_amplification(wr_start *start, double before);

#endif
