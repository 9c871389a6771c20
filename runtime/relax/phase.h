/* Phase: where in its period the model is, to find the time at which it was there before.
 *
 * The phase is a signal that grows (a crank angle), or time itself. Kept are its values and slopes
 * at the ends of accepted windows.
 *
 * Thread: serial section of the engine; tasks ask wr_phase_back() meanwhile. Real-time: yes after
 * placing.
 */
#ifndef WR_PHASE_H
#define WR_PHASE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/state_io.h"

typedef struct wr_phase wr_phase;

/* A point of time with its phase and how fast that grows. */
typedef struct wr_phase_point {
    double t_s, phase, rate; /* rate: phase units per second */
} wr_phase_point;

/* period: phase units, or seconds if the phase is time. NULL when the arena is exhausted. */
wr_phase *wr_phase_place(wr_arena *arena, double period, int is_time);

/* Appends the end of an accepted window. */
void wr_phase_append(wr_phase *phase, wr_phase_point point);

/* How often the phase was less than before, and what was on record was dropped. */
int64_t wr_phase_falls(const wr_phase *phase);

/* Passes over what is on record (base/state_io.h). */
void wr_phase_state(wr_phase *phase, wr_state_io *io);

/* Finds when the phase was `lag` less than it is now. Returns 0 if that is not on record, else 1
 * with that time and how many times faster the phase grows now than it did then. *place, 0 at first, is
 * where the same lag was found last: the search begins there. */
int wr_phase_back(const wr_phase *phase, wr_phase_point now, double lag, int64_t *place,
                  double *ret_t_s, double *ret_rate);

#endif
