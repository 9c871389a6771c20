/* Values at the start of what subsystems publish, each found when all that it depends on is known.
 *
 * Outputs that are states are known at once. The others are vertices of a graph over all subsystems: an arc
 * leads from one to another that reads it directly, through however many components of its subsystem.
 * Strong components of more than one vertex are algebraic loops across subsystems; they are solved by
 * damped Newton, and their text says how they run: "a.y -> b.u -> b.y -> a.u".
 *
 * A component computes all its outputs at once. Where some of its inputs are known before others, it is
 * called early, with the defaults of those that are not known, only if nothing else can go on, as within a
 * subsystem (subsystems/group/group_plan.c).
 *
 * The same loops are looked at while a run goes on: what they make of a small error follows from their feed-through.
 *
 * Thread: one owner. Real-time: wr_start_take() and wr_start_amplification(), with models that are; the rest is setup.
 */
#ifndef WR_START_H
#define WR_START_H

#include "runtime/relax/link.h"

typedef struct wr_start wr_start;

/* Finds the order. The parts outlive it. NULL when out of memory. */
wr_start *wr_start_place(wr_arena *arena, const wr_link *part, int n_part, int is_gauss_seidel);

/* What is to be known afterwards. */
typedef enum wr_start_goal {
    WR_START_INDICATORS, /* inputs that indicators read, directly or through outputs */
    WR_START_ALL
} wr_start_goal;

/* Evaluates outputs in order at the present states, discrete states and modes, and writes the inputs. err names
 * the model or the loop that has no value: WRSIM_E_LOOP, or what the model reports. */
wrsim_status wr_start_propagate(wr_start *start, wr_start_goal goal, wrsim_error *err);

/* [n_external] of that subsystem, as the last propagate() left them. */
const double *wr_start_inputs(const wr_start *start, int i_part);

/* [n_published] of that subsystem, the same. */
const double *wr_start_outputs(const wr_start *start, int i_part);

/* An algebraic loop across subsystems: its n signals, each of them by the subsystem that publishes it. */
typedef struct wr_start_loop {
    int n;
    const int *i_part, *i_signal; /* [n] */
    /* [n * n], column-major: to be added to what came out, times by how much that is off what was used: Newton's step
     * (I - D)^-1 U r, D being the feed-through and U its part that a sweep reads of the one before. As of the last
     * wr_start_amplification(); 0 where that is not known. */
    const double *step;
} wr_start_loop;

/* All of them. */
const wr_start_loop *wr_start_loops(const wr_start *start, int *ret_n);

/* Passes over the loops' steps (base/state_io.h). */
void wr_start_state(wr_start *start, wr_state_io *io);

/* What a subsystem publishes now, value[n_signal] in its outputs' units; unit[n_signal]: one tolerance of each. */
void wr_start_take(wr_start *start, int i_part, const double *value, const double *unit);

/* What the loops make of waves that come out a tolerance off what was used, in tolerances: e = (I - D)^-1 r, D being
 * their feed-through at the present states, discrete states and modes and the values taken; the largest sum of a
 * row, of all loops, between 1 and 1e6. `before` where a model refuses values beside the present ones. */
double wr_start_amplification(wr_start *start, double before);

#endif
