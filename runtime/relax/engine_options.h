/* Options of the relaxation engine. Thread: plain data. Real-time: yes. */
#ifndef WR_ENGINE_OPTIONS_H
#define WR_ENGINE_OPTIONS_H

#include "runtime/relax/accelerate.h"
#include "runtime/relax/window.h"
#include <stdatomic.h>

typedef struct wr_engine_options {
    double start_s; /* simulated time of the start */
    int is_gauss_seidel;
    int scheme_workers; /* number of workers for which a run chooses its scheme; 0: the scheme is fixed */
    const wr_window_rule *window_rule;
    double window_initial_s, window_min_s, window_max_s; /* requested, least and largest length */
    double communication_step_s; /* step of the grid of communication points; 0: no grid */
    int max_sweeps;
    double convergence; /* accepted effect of unconverged inputs, tolerance units */
    /* factor >= 1 on solver tolerances in the first sweep of a window that probably takes several sweeps */
    double tolerance_first;
    int fixed_degree; /* degree of predictions; -1: the prediction chooses a degree per signal */
    double period;    /* period of the model, phase units; 0: no history */
    int phase_part;   /* subsystem that publishes the phase; -1: the phase is time */
    int phase_signal;
    int cap_history;    /* requested number of nodes of history per subsystem */
    int is_ahead;       /* 1: the first Gauss-Seidel level is one window ahead, where possible */
    int has_active_set; /* 0: each sweep integrates all subsystems with rollback */
    wr_accelerate_kind acceleration;
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

/* Returns the number of history nodes per subsystem. Predictions read one half of the history while a task writes the nodes of the last
 * window to the other half. */
static inline int wr_engine_history_nodes(int cap_history, int cap_node)
{
    return cap_history > 2 * cap_node ? cap_history : 2 * cap_node;
}

typedef struct wr_engine wr_engine;

#endif
