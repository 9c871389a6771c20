/* Conditions for a pause. In a pause the advance of a subsystem that is alone returns before its end, after a step. The next advance
 * continues. Results and counters do not depend on pauses.
 *
 * Thread: one at a time; another thread may set *is_wanted. */
#ifndef WR_PAUSE_H
#define WR_PAUSE_H

#include <stdatomic.h>

typedef struct wr_pause {
    int n_step; /* number of steps after which a pause is due; 0: no pause */
    const atomic_int
        *is_wanted; /* set: a pause is requested (relaxed: only the flag matters); or NULL */
} wr_pause;

#endif
