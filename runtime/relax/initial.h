/* Start values of all subsystems: as one solver with all components would find them.
 *
 * 1. States and discrete states, from descriptions and init().
 * 2. Modes: outputs that indicators need are evaluated in the order of their dependencies over all
 *    subsystems (start.h), then all indicators; again until no mode changes.
 * 3. Values before the initial events: all that is published, in order.
 * 4. Initial events, all at these values.
 * 5. What they set off, in rounds of all subsystems: values after them, in order; everybody looks at its
 *    indicators; again until no event is left.
 * Then subsystems are to be started (wr_subsystem_start).
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_INITIAL_H
#define WR_INITIAL_H

#include "runtime/relax/start.h"

typedef struct wr_initial {
    const wr_link *part; /* [n_part] */
    int n_part;
    int max_event_iterations; /* at the start's instant */
    /* Told what a subsystem publishes before each round of events, value[n_published]; NULL: nobody. A negative status ends
     * the search. */
    wrsim_status (*tell)(void *context, int i_part, const double *value);
    void *context;
} wr_initial;

/* Finds them; start is over the same parts. err says what is wrong. */
wrsim_status wr_initial_find(const wr_initial *initial, wr_start *start, wrsim_error *err);

#endif
