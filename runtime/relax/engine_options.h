/* Options of the relaxation engine. Thread: plain data. Real-time: yes. */
#ifndef WR_ENGINE_OPTIONS_H
#define WR_ENGINE_OPTIONS_H

#include <stdatomic.h>

#include "runtime/config/settings_simulation.h"
#include "runtime/relax/window.h"

typedef struct wr_engine_options {
    double start_s; /* simulated time of the start */
    /* Settings of [relaxation]. The driver has applied wr_set_relaxation_tightening() to convergence. The engine ignores the scheme slack
     * and the strings. */
    wr_set_relaxation relaxation;
    const wr_window_rule *window_rule; /* rule of relaxation.window_control */
    double communication_step_s;       /* step of the grid of communication points; 0: no grid */
    int fixed_degree; /* degree of predictions; -1: the prediction chooses a degree per signal */
    int phase_part;   /* subsystem that publishes the phase; -1: the phase is time */
    int phase_signal;
    double event_tolerance_s; /* tolerance of event times; 0: derived from the steps */
    double chatter_time_s;    /* longest span in which many events may be chattering */
    /* limit on the updates of modes before the first round and after each round of events at the start */
    int max_event_iterations;
    double min_work;   /* work units per window and worker below which fewer workers run */
    int most_workers;  /* limit on the workers if min_work > 0; 0: no limit */
    int cap_node;      /* largest number of nodes of a wave */
    int counts_points; /* points have a cost (wr_subsystem_point_cost()) */
    int is_room_given; /* cap_node comes from the user, so too few nodes end the run with an error */
    /* flag that another thread sets to pause a run of one subsystem; or NULL */
    const atomic_int *stop_asked;
} wr_engine_options;

/* Returns 1 if each sweep of the run visits the levels one after the other. */
static inline int wr_engine_options_are_levelled(const wr_engine_options *options)
{
    return options->relaxation.scheme == WR_SCHEME_GAUSS_SEIDEL;
}

/* Returns the number of history nodes per subsystem. Predictions read one half of the history while a task writes the nodes of the last
 * window to the other half. */
static inline int wr_engine_history_nodes(int cap_history, int cap_node)
{
    return cap_history > 2 * cap_node ? cap_history : 2 * cap_node;
}

typedef struct wr_engine wr_engine;

#endif
