/* The number of workers that take part, and the expected work that it is chosen by.
 *
 * Thread: serial section. Real-time: plain data.
 */
#ifndef WR_ENGINE_LOAD_H
#define WR_ENGINE_LOAD_H

#include "scheduler/crew.h"

typedef struct wr_load {
    int n_active_worker;
    wr_crew crew;
    int64_t noted_ns;    /* time up to which the crew has the work of windows */
    double unnoted_work; /* work units since then */
    double expected_sweeps, work_per_window;
} wr_load;

#endif
