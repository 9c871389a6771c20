/* Settings of [simulation], [relaxation] and [solver]. The wr_settings owns all strings. Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_SIMULATION_H
#define WR_SETTINGS_SIMULATION_H

#include "runtime/config/scheme_list.h"

typedef enum wr_scheme {
#define WR_SCHEME_ENUMERATOR(NAME, value, driver, relaxes, help) WR_SCHEME_##NAME,
    WR_SCHEME_LIST(WR_SCHEME_ENUMERATOR, WR_SCHEME_ENUMERATOR)
#undef WR_SCHEME_ENUMERATOR
        WR_SCHEME_COUNT
} wr_scheme;

/* Returns 1 if sweeps of the scheme converge. */
static inline int wr_scheme_relaxes(wr_scheme scheme)
{
#define WR_SCHEME_RELAXES(NAME, value, driver, relaxes, help) relaxes,
    static const int does[] = {WR_SCHEME_LIST(WR_SCHEME_RELAXES, WR_SCHEME_RELAXES)};
#undef WR_SCHEME_RELAXES
    return does[scheme];
}

/* Reaction to a split run that fails, or needs far more work than one solver. */
typedef enum wr_on_failure {
    WR_ON_FAILURE_ONE_SOLVER, /* the run starts again as one subsystem */
    WR_ON_FAILURE_STOP,
    WR_ON_FAILURE_COUNT
} wr_on_failure;
typedef enum wr_prediction {
    WR_PREDICT_AUTO,
    WR_PREDICT_HOLD,
    WR_PREDICT_LINEAR,
    WR_PREDICT_QUADRATIC,
    WR_PREDICT_CUBIC,
    WR_PREDICT_COUNT
} wr_prediction;
typedef enum wr_acceleration {
    WR_ACCELERATE_AUTO, /* ANDERSON if an algebraic loop crosses subsystems, else NONE */
    WR_ACCELERATE_NONE,
    WR_ACCELERATE_ANDERSON,
    WR_ACCELERATE_COUNT
} wr_acceleration;

/* Values of simulation.monolithic. AUTO occurs in configs only. A simulation has one of the other values. */
typedef enum wr_grouping {
    WR_GROUPING_SPLIT, /* subsystems as in [[subsystem]] */
    WR_GROUPING_MONOLITHIC,
    WR_GROUPING_AUTO
} wr_grouping;

/* Scalar keys. Each member has a row in keys.c, which describes the member. */
typedef struct wr_set_simulation {
    double start_s, stop_s;
    double communication_step_s;
    double rtol;
    double atol_factor;       /* absolute tolerance = rtol * atol_factor * nominal */
    double event_tolerance_s; /* largest delay of a state event; 0 = auto */
    int max_event_iterations; /* largest number of rounds of events at one instant */
    int max_stuck_events;     /* limit of state events within chatter_time_s */
    double chatter_time_s;    /* time span for max_stuck_events; 0 = auto */
    int event_blocks; /* number of indicators from which on a subsystem evaluates its indicators in blocks */
    int monolithic; /* wr_grouping */
    int points;     /* wr_points_mode (subsystems/model_host/component.h) */
} wr_set_simulation;

typedef struct wr_set_relaxation {
    int scheme;         /* wr_scheme */
    int scheme_workers; /* number of workers for which WR_SCHEME_AUTO chooses */
    double window_initial_s, window_min_s, window_max_s; /* requested, least and largest length */
    const char *window_control;                          /* name of the window rule */
    int max_sweeps;
    double max_work;    /* limit in units of the work of one solver; 0: no limit */
    int on_failure;     /* wr_on_failure */
    double error_limit; /* largest splitting error, in units of rtol * range; 0: no limit */
    double convergence; /* largest accepted effect of changed inputs, in units of the tolerance */
    /* solver rtol = rtol * solver_tolerance_factor in a run of several subsystems */
    double solver_tolerance_factor;
    /* rtol below which convergence and solver_tolerance_factor shrink; 0: never */
    double tuned_rtol;
    /* factor >= 1 on solver tolerances in the first sweep of a window that probably takes several sweeps */
    double tolerance_first;
    int ahead;                 /* 1: the first Gauss-Seidel level is one window ahead */
    int prediction;            /* wr_prediction */
    int active_set;            /* 0: integrate every subsystem in every sweep */
    int acceleration;          /* wr_acceleration */
    int max_nodes;             /* waveform nodes per window and subsystem; 0 = auto */
    double history_period;     /* period of the history in units of the phase; 0 = none */
    const char *history_phase; /* signal of the phase, component.variable; "" = time */
    int history_nodes;
} wr_set_relaxation;

/* Returns the factor on relaxation.solver_tolerance_factor and .convergence: rtol / tuned_rtol, from a tenth to 1. At a loose tolerance,
 * events and communication points end most steps, whose errors are far below the tolerance. At a tight tolerance the error control ends
 * most steps. Then the solver of one subsystem makes much longer steps than a solver of all subsystems
 * (docs/lab/2026-11-26-loose-tolerances.md). */
static inline double wr_set_relaxation_tightening(const wr_set_relaxation *r, double rtol)
{
    static const double LEAST = 0.1;
    return r->tuned_rtol > rtol ? (rtol > LEAST * r->tuned_rtol ? rtol / r->tuned_rtol : LEAST)
                                : 1.0;
}

/* Reaction if solver.spare_steps or solver.budget is not sufficient. */
typedef enum wr_over_budget {
    WR_OVER_BUDGET_FINISH,
    WR_OVER_BUDGET_FAIL,
    WR_OVER_BUDGET_COUNT
} wr_over_budget;

/* A choice of a solver. [solver] gives the keys that the table of a subsystem does not set. */
typedef struct wr_set_solver {
    const char *kind;
    double step_s; /* fixed step, or largest step; 0 = none, NaN = refused */
    double min_step_s;
    double rtol;       /* 0 = derived from simulation.rtol */
    int linear_solver; /* wr_linear_solver */
    int max_order;     /* 0 = limit of the method */
    int spare_steps; /* most extra steps for events per stretch, with fixed steps; -1 = no bound */
    int budget;      /* most right-hand sides per stretch, with error control; 0 = no bound */
    int over_budget; /* wr_over_budget */
    const char *pattern; /* file of kept Jacobian entries; "" = none */
    const char *code;    /* shared object with a factorisation; "" = none */
    /* Coefficients of a multistep formula, the new point first; none: coefficients of the method. */
    int n_alpha;
    const double *alpha;
    int n_beta;
    const double *beta;
} wr_set_solver;

#endif
