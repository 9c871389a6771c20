/* Phase: the model's position in its period, and the search for the last time at the same position.
 *
 * The phase is a signal that grows, such as a crank angle, or time itself. For a signal, the object stores the phase and its rate at
 * ends of accepted windows. For time, the object stores nothing.
 *
 * Thread: serial section of the engine; tasks may call wr_phase_back(). Real-time: yes after placing. */
#ifndef WR_PHASE_H
#define WR_PHASE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/state_io.h"

typedef struct wr_phase wr_phase;

/* A time, with the phase and its rate at that time. */
typedef struct wr_phase_point {
    double t_s, phase, rate; /* s, phase units, phase units per second */
} wr_phase_point;

/* Places a record of the phase. period: phase units. is_time: the phase is time, and the period is in seconds. Returns NULL when the
 * arena is exhausted. */
wr_phase *wr_phase_place(wr_arena *arena, double period, int is_time);

/* Appends the end of an accepted window, unless the phase is time. */
void wr_phase_append(wr_phase *phase, wr_phase_point point);

/* Returns the number of decreases of the phase. Each decrease clears the record. */
int64_t wr_phase_falls(const wr_phase *phase);

/* Visits the record (base/state_io.h). */
void wr_phase_state(wr_phase *phase, wr_state_io *io);

/* Finds the time at which the phase was `lag` less than in `now`. Also finds the ratio of the present rate to the rate at that time.
 * Returns 0 if the record does not contain that phase, or the rate in `now` or at that time is not positive. *place: position in the record
 * of the last search for this lag; 0 before the first search. */
int wr_phase_back(const wr_phase *phase, wr_phase_point now, double lag, int64_t *place,
                  double *ret_t_s, double *ret_rate);

#endif
