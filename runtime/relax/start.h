/* Values at the start of what subsystems publish, each found when all that it depends on is known.
 *
 * Outputs that are states are known at once. The others are vertices of a graph over all subsystems: an arc
 * leads from one to another that reads it directly, through however many components of its subsystem.
 * Strong components of more than one vertex are algebraic loops across subsystems; they are solved by
 * damped Newton, and their text says how they run: "a.y -> b.u -> b.y -> a.u".
 *
 * A component computes all its outputs at once. Where some of its inputs are known before others, it is
 * called early, with the defaults of those that are not known, only if nothing else can go on, as within a
 * subsystem (subsystems/group_order.c).
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_START_H
#define WR_START_H

#include "runtime/relax/engine.h"

typedef struct wr_start wr_start;

/* Finds the order. The parts outlive it. NULL when out of memory. */
wr_start *wr_start_create(const wr_engine_part *part, int n_part);
void wr_start_destroy(wr_start **start);

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

/* A signal whose value the last propagate() changed, by how much, for messages: the one that changed most for its
 * size; NULL = none did. */
const char *wr_start_moved(const wr_start *start, double *ret_before, double *ret_now);

#endif
