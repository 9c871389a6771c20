/* Description from which wr_ode_create() builds a subsystem of components. Thread: any. Real-time: setup only. */
#ifndef WR_ODE_CONFIG_H
#define WR_ODE_CONFIG_H

#include "subsystems/group/group.h"
#include "subsystems/solvers/integrator.h"
#include "subsystems/subsystem.h"

typedef struct wr_ode_config {
    const char *name;
    wr_arena *arena;
    wr_component *const *components;
    int n_components;
    int is_once;                /* 1: no rollback, because a model has WRSIM_CAP_CANNOT_RESTORE */
    const wr_group_edge *edges; /* connections inside the group, and from external inputs */
    int n_edges;
    int n_external;
    const int *source;        /* [n_external] source of each input, 0 .. n_source - 1 */
    const int *source_signal; /* [n_external] signal in the source's wave */
    int n_source;
    const int *published; /* [n_published] group outputs of the wave */
    int n_published;
    const int *recorded_kind;  /* [n_recorded] wrsim_kind: STATE, DISCRETE, INPUT or OUTPUT */
    const int *recorded_index; /* [n_recorded] group index in that kind */
    int n_recorded;
    const wr_integrator_ops *integrator;
    wr_integ_options options;
    /* Files with the kept entries of the Jacobian (jacobian_pattern_file.h) and generated code (lu_object.h); NULL: none. */
    const char *pattern_file, *code_file;
    wr_where where_pattern, where_code;
    double
        coupling_rtol; /* relative tolerance of inputs and published outputs; 0: tolerance of the solver */
    int looks_always; /* the subsystem searches inside each step for events, because loose tolerances make long steps */
    double start_s;
    double communication_step_s; /* grid t = start_s + i * step */
    double event_tolerance_s;    /* location error of state events; 0: a share of the step */
    int max_event_iterations;    /* largest number of rounds at one instant */
    int max_stuck_events;        /* largest number of stops at state events within chatter_time_s */
    double chatter_time_s;       /* span of max_stuck_events; 0: automatic (event_iteration.c) */
    double run_s;                /* length of the run; 0: unknown */
    int event_blocks; /* least number of indicators for event blocks (group_blocks.c); 0: never */
    /* Bounds of the work per communication step, or per advance if the advance is shorter (bounded_work.c). */
    int bounds_steps; /* 1: a method of fixed steps makes only planned, spare and coarse steps */
    int n_spare;      /* largest number of spare steps besides the planned steps */
    int64_t budget;   /* largest number of right-hand sides with error control; 0: no bound */
    int over_budget_fails; /* 1: late events and spent budgets are faults; 0: the statistics count late events and spent budgets */
    int cap_node;          /* largest number of nodes of the wave per window */
    int cap_row;           /* largest number of recorded rows per window */
    double jump_limit;     /* height of a jump that ends a step, over rtol * (|u| + nominal) */
    int record_events;     /* 1: the run also records rows at events (left and right values) */
    int has_log;           /* 1: the subsystem writes an event log (ode_log.h) */
} wr_ode_config;

#endif
