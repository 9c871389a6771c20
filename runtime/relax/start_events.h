/* Start values of all subsystems, equal to the start values of one solver with all components.
 *
 * 1. States and discrete states, from descriptions and init().
 * 2. Modes: the outputs that indicators read, in the order of dependencies over all subsystems
 *    (start_outputs.h), then all indicators. The step repeats until no mode changes, at most
 *    max_event_iterations + 1 times.
 * 3. Values before the initial events: all published signals, in order. If a model has init_from_inputs(), new states and modes, and the
 *    signals again, until no start value changes.
 * 4. Initial events of all subsystems, at the values of step 3.
 * 5. Events that follow, in rounds of all subsystems: all published signals, in order, then all
 *    indicators; repeated until no event is left.
 * The caller then starts the subsystems (wr_subsystem_start).
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_START_EVENTS_H
#define WR_START_EVENTS_H

#include "runtime/relax/observer.h"
#include "runtime/relax/start_outputs.h"

typedef struct wr_start_events {
    const wr_wiring *part; /* [n_part] */
    int n_part;
    /* limit on the updates of modes before the first round and after each round */
    int max_event_iterations;
    /* first of a list of observers; each observer gets the values before each round */
    const wr_observer *observer;
} wr_start_events;

/* Finds the start values. `start` contains the subsystems of `initial`. Sets err on failure. */
wrsim_status wr_start_events_find(const wr_start_events *initial, wr_start *start,
                                  wrsim_error *err);

#endif
