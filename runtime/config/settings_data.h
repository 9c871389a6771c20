/* Settings as plain structs. The wr_settings owns all strings. Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_DATA_H
#define WR_SETTINGS_DATA_H

#include "base/diag.h"
#include <math.h>

typedef enum wr_scheme {
    WR_SCHEME_JACOBI,
    WR_SCHEME_GAUSS_SEIDEL,
    WR_SCHEME_SLACK, /* no relaxation: subsystems do not wait for one another */
    WR_SCHEME_COUNT
} wr_scheme;
/* Reaction to a split run that fails, or needs far more work than one solver. */
typedef enum wr_on_failure {
    WR_ON_FAILURE_ONE_SOLVER, /* the run starts again as one subsystem */
    WR_ON_FAILURE_STOP,
    WR_ON_FAILURE_COUNT
} wr_on_failure;
/* Source of the ages in a slackened run. */
typedef enum wr_set_delays {
    WR_DELAYS_LIVE,
    WR_DELAYS_FIXED,
    WR_DELAYS_DRAWN,
    WR_DELAYS_COUNT
} wr_set_delays;
/* Reaction to more missed deadlines than allowed. */
typedef enum wr_set_policy {
    WR_POLICY_REPORT,
    WR_POLICY_HOLD,
    WR_POLICY_DEGRADE,
    WR_POLICY_STOP,
    WR_POLICY_COUNT
} wr_set_policy;
/* Method by which threads wait for a period. */
typedef enum wr_set_wait { WR_WAIT_SLEEP, WR_WAIT_MIXED, WR_WAIT_SPIN, WR_WAIT_COUNT } wr_set_wait;
typedef enum wr_prediction {
    WR_PREDICT_AUTO,
    WR_PREDICT_HOLD,
    WR_PREDICT_LINEAR,
    WR_PREDICT_QUADRATIC,
    WR_PREDICT_CUBIC,
    WR_PREDICT_COUNT
} wr_prediction;
typedef enum wr_acceleration {
    WR_ACCELERATE_AUTO,
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
    int max_event_iterations; /* limit of event iterations at one instant */
    int max_stuck_events;     /* limit of state events within chatter_time_s */
    double chatter_time_s;    /* time span for max_stuck_events; 0 = auto */
    int event_blocks; /* number of indicators from which on a subsystem evaluates its indicators in blocks */
    int monolithic; /* wr_grouping */
} wr_set_simulation;

typedef struct wr_set_relaxation {
    int scheme; /* wr_scheme */
    double window_initial_s, window_min_s, window_max_s;
    const char *window_control; /* name of the window rule */
    int max_sweeps;
    double max_work;    /* limit in units of the work of one solver; 0: no limit */
    int on_failure;     /* wr_on_failure */
    double error_limit; /* limit of the splitting error, in units of rtol; 0: no limit */
    double convergence; /* accepted error of waveforms, in units of the tolerance */
    /* solver rtol = rtol * solver_tolerance_factor in a run of several subsystems */
    double solver_tolerance_factor;
    /* rtol below which convergence and solver_tolerance_factor shrink; 0: never */
    double tuned_rtol;
    double tolerance_first;    /* factor >= 1 on solver tolerances in a first sweep */
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

/* Reaction to a delay error above its limit. */
typedef enum wr_set_action {
    WR_ACTION_LOG,
    WR_ACTION_WARN,
    WR_ACTION_SHORTEN,
    WR_ACTION_WAIT,
    WR_ACTION_RELAX,
    WR_ACTION_STOP,
    WR_ACTION_COUNT
} wr_set_action;

typedef struct wr_set_slack {
    double period_s; /* time between exchanges; 0 = communication step */
    /* shortest period for WR_ACTION_SHORTEN; 0 = a sixteenth of the period */
    double shortest_period_s;
    int bound;                /* largest age of read data, in periods; -1 = no limit */
    int sweeps;               /* number of integrations of each period */
    int delays;               /* wr_set_delays */
    int delay;                /* age in periods: exact with FIXED, largest with DRAWN */
    int seed;                 /* seed of DRAWN */
    int watch;                /* the run examines every watch-th period; 0: none */
    double eps_loc, eps_glo;  /* limits of delay errors; 0 = none */
    int on_loc, on_glo;       /* wr_set_action */
    const char *log, *replay; /* files of read versions; "" = none */
} wr_set_slack;

typedef struct wr_set_realtime {
    double rate;       /* simulated s per wall s; 0 = not paced */
    double deadline_s; /* wall s from the beginning of a period; 0: length of the period / rate */
    int misses, of;    /* at most `misses` misses in `of` successive steps */
    int policy;        /* wr_set_policy */
    double degraded_tolerance; /* factor on tolerances while the run is degraded */
    int soft;                  /* 1: the run only counts misses */
    double catch_up_s;         /* longest delay that the run catches up, wall s */
    int wait;                  /* wr_set_wait */
    int priority;              /* priority of SCHED_FIFO; 0 = none */
    int lock_memory, strict, jitter;
} wr_set_realtime;

typedef struct wr_set_scheduler {
    int workers; /* number of workers; 0 = auto */
    int n_cores;
    int *cores; /* [n_cores] logical numbers of physical cores; none = all */
    int smt;    /* 1: also use SMT siblings */
    int pin;
    int event_threads; /* 1: in a run of one subsystem, other workers' cores evaluate indicators */
    double spin_us;    /* time that a barrier spins before its threads sleep */
    double min_work;   /* work units per window and worker below which fewer workers run */
    const char *topology; /* "" or a synthetic hwloc description, for tests */
} wr_set_scheduler;

typedef struct wr_set_output {
    const char *file; /* result file; "" = none */
    int n_signals;
    /* [n_signals] glob patterns of component.variable; none = all outputs and states */
    const char **signals;
    int decimation;   /* the file has every decimation-th communication point */
    double start_s;   /* no rows before this time, s */
    int events;       /* 1: rows at events, too */
    int waves;        /* 1: nodes of published waveforms, too */
    const char *json; /* summary file; "" = none */
    /* Actual file of the summary, if this file differs from `json`; else NULL. This member is no key, so dumps omit it. */
    const char *json_place;
} wr_set_output;

static inline const char *wr_set_json_place(const wr_set_output *output)
{
    return output->json_place && output->json[0] ? output->json_place : output->json;
}

/* Reaction if solver.spare_steps or solver.budget is not sufficient. */
typedef enum wr_over_budget {
    WR_OVER_BUDGET_FINISH,
    WR_OVER_BUDGET_FAIL,
    WR_OVER_BUDGET_COUNT
} wr_over_budget;

/* A choice of a solver. The table [solver] is the default of subsystems without a solver of their own. */
typedef struct wr_set_solver {
    const char *kind;
    double step_s; /* fixed step, or largest step; 0 = none, NaN = refused */
    double min_step_s;
    double rtol;       /* 0 = derived from simulation.rtol */
    int linear_solver; /* wr_linear_solver */
    int max_order;     /* 0 = limit of the method */
    int spare_steps;   /* extra fixed steps if work is bounded; -1 = not bounded */
    int budget;      /* right-hand sides per communication step with error control; 0 = no bound */
    int over_budget; /* wr_over_budget */
    const char *pattern; /* file of kept Jacobian entries; "" = none */
    const char *code;    /* shared object with a factorisation; "" = none */
    /* Coefficients of a multistep formula, the new point first; none: coefficients of the method. */
    int n_alpha;
    const double *alpha;
    int n_beta;
    const double *beta;
} wr_set_solver;

/* A named value with its place: a number (NaN if refused), true or false, or a text. */
typedef struct wr_set_value {
    const char *name;
    double value;
    wr_where where;
    int is_flag;             /* 1: value is 0 or 1 */
    const char *text;        /* the text; NULL: no text */
    const char *number_hint; /* the right notation, if the text resembles a number; else "" */
} wr_set_value;

/* A component. name and model are NULL if refused or missing. */
typedef struct wr_set_component {
    const char *name, *model;
    double tolerance_factor; /* factor on the solver's tolerance for the states of the component */
    int n_parameters, n_start;
    wr_set_value *parameters, *start;
    int is_partial; /* 1: the reader has refused keys, whose values may seem missing */
    wr_where where, where_model;
} wr_set_component;

/* A connection of one output to one input. The reader has expanded lists in `to` and `signals`. */
typedef struct wr_set_connection {
    const char *from, *to;
    double period_s; /* time between exchanges in a slackened run; 0 = slack.period */
    wr_where where_from, where_to;
    wr_where where_period; /* file NULL, line 0: no period is given */
} wr_set_connection;

typedef struct wr_set_subsystem {
    const char *name;        /* NULL if refused */
    int n_components;        /* 0 if the reader has refused the list */
    const char **components; /* names or globs */
    wr_set_solver solver;    /* with defaults */
    /* Subsystem whose earlier waveforms predict this subsystem's waveforms; NULL: none. */
    const char *history_source;
    double lag;       /* delay behind history_source, in units of the phase */
    int level;        /* level in Gauss-Seidel sweeps; -1 = not given */
    const char *kind; /* kind of the subsystem; default "components" */
    const char *file; /* file of the kind, such as a recording; NULL = none */
    wr_where where, where_solver, where_max_order, where_pattern, where_code, where_history_source,
        where_lag, where_file, where_kind;
    wr_where where_level; /* file NULL, line 0: no level is given */
} wr_set_subsystem;

typedef struct wr_set_plugin {
    const char *file; /* path, already resolved against the folder of the config; NULL if refused */
    wr_where where;
} wr_set_plugin;

/* Course of an input port from one value to the next. */
typedef enum wr_port_mode { WR_PORT_HOLD, WR_PORT_RAMP, WR_PORT_MODE_COUNT } wr_port_mode;

/* A name with its place. */
typedef struct wr_set_name {
    const char *name;
    wr_where where;
    int is_refused; /* 1: another item has this name (wr_settings_check_names()) */
} wr_set_name;

/* A port between host and simulation: drives inputs, or shows a signal. */
typedef struct wr_set_port {
    const char *name; /* NULL if refused */
    int n_to;         /* > 0: an input port with these inputs */
    wr_set_name *to;
    wr_set_name from; /* signal of an output port; name NULL: refused, or an input port */
    double start;     /* NaN: not given */
    int mode;         /* wr_port_mode */
    wr_where where;
} wr_set_port;

typedef enum wr_scenario_action {
    WR_SCENARIO_OVERRIDE,
    WR_SCENARIO_BIAS,
    WR_SCENARIO_GAIN,
    WR_SCENARIO_RAMP,
    WR_SCENARIO_FREEZE,
    WR_SCENARIO_REPLAY,
    WR_SCENARIO_RESET,
    WR_SCENARIO_PARAMETER,
    WR_SCENARIO_ACTION_COUNT
} wr_scenario_action;

/* Names of the actions by wr_scenario_action. */
extern const char *const wr_settings_actions[WR_SCENARIO_ACTION_COUNT];

/* A change of a signal, a state or a parameter, with its time. */
typedef struct wr_set_scenario {
    const char *name;   /* "scenario3" if the third scenario has no name */
    wr_set_name signal; /* name NULL: the target is a parameter */
    int n_to;           /* 0: all readers of the signal */
    wr_set_name *to;
    wr_set_name parameter; /* "component.parameter" */
    int action;            /* wr_scenario_action */
    double value;
    int is_api;            /* 1: a host triggers the scenario */
    double at_s;           /* NaN: no time is given */
    wr_set_name condition; /* signal of the condition; name NULL: no condition */
    int is_below;          /* 1: true if signal < threshold; 0: true if signal > threshold */
    double threshold;
    double until_s, duration_s; /* INFINITY: not given */
    double ramp_time_s;
    const char *file, *column; /* file and column of a recording */
    int is_held;     /* 1: the value stays until the next point; 0: linear interpolation */
    double offset_s; /* time in the file at the beginning of the scenario, s */
    int is_refused;  /* 1: the reader has reported an error */
    wr_where where, where_value, where_file, where_column;
} wr_set_scenario;

/* Repeated tables of a config; rows of wr_tables (keys.c). */
typedef enum wr_list {
    WR_LIST_COMPONENT,
    WR_LIST_CONNECTION,
    WR_LIST_SUBSYSTEM,
    WR_LIST_PLUGIN,
    WR_LIST_PORT,
    WR_LIST_SCENARIO,
    WR_LIST_COUNT
} wr_list;

typedef struct wr_settings {
    const char *file; /* name of the config file; "" if read from text */
    wr_set_simulation simulation;
    wr_set_relaxation relaxation;
    wr_set_slack slack;
    wr_set_realtime realtime;
    wr_set_scheduler scheduler;
    wr_set_output output;
    wr_set_solver solver;
    int n_components, n_connections, n_subsystems, n_plugins, n_ports, n_scenarios;
    wr_set_component *components;
    wr_set_connection *connections;
    wr_set_subsystem *subsystems;
    wr_set_plugin *plugins;
    wr_set_port *ports;
    wr_set_scenario *scenarios;
    int is_partial[WR_LIST_COUNT]; /* 1: the list lacks refused items */
    const struct wr_toml *root;    /* the parsed tree of the config */
    struct wr_heap_pool *memory;   /* owner of all strings and arrays of the settings */
} wr_settings;

/* Returns the resolution of time, s: the distance of two neighbouring numbers at the end of the run that is farther from zero. */
static inline double wr_settings_clock(const wr_settings *set)
{
    const double start_s = fabs(set->simulation.start_s), stop_s = fabs(set->simulation.stop_s);
    const double t_s = start_s > stop_s ? start_s : stop_s;
    return nextafter(t_s, (double)INFINITY) - t_s;
}

/* Return the shortest communication step and the shortest window, s. Communication points must be distinct. A window contains steps, so the
 * shortest window is four times as long. */
static inline double wr_settings_least_step(const wr_settings *set)
{
    return 64.0 * wr_settings_clock(set);
}
static inline double wr_settings_least_window(const wr_settings *set)
{
    return 4.0 * wr_settings_least_step(set);
}

/* Returns the unit of lengths that are "auto", s: the communication step, or the length of the run if the run is shorter. */
static inline double wr_settings_time_unit(const wr_settings *set)
{
    const double run_s = set->simulation.stop_s - set->simulation.start_s;
    const double step_s = set->simulation.communication_step_s;
    return run_s > 0.0 && run_s < step_s ? run_s : step_s;
}

/* Default lengths of windows in units of wr_settings_time_unit(). First window: engines and small models run well from a tenth to ten
 * units. Shortest window: a coupling may be five orders of magnitude faster than the recorded points. Longest window: beyond a thousand
 * points, the cost of a window is negligible beside the cost of its points. */
#define WR_WINDOW_INITIAL_UNITS 1.0
#define WR_WINDOW_MIN_UNITS 1e-5
#define WR_WINDOW_MAX_UNITS 1000.0

/* Returns the time between exchanges in a slackened run, s. */
static inline double wr_settings_slack_period(const wr_settings *set)
{
    return set->slack.period_s > 0.0 ? set->slack.period_s : set->simulation.communication_step_s;
}

/* Returns 1 if periods of connections may become shorter during the run. */
static inline int wr_settings_is_shortening(const wr_settings *set)
{
    const wr_set_slack *const k = &set->slack;
    return set->relaxation.scheme == WR_SCHEME_SLACK &&
           ((k->eps_loc > 0.0 && k->on_loc == WR_ACTION_SHORTEN) ||
            (k->eps_glo > 0.0 && k->on_glo == WR_ACTION_SHORTEN));
}

/* Returns the shortest period of a connection, s. */
static inline double wr_settings_shortest_period(const wr_settings *set)
{
    return set->slack.shortest_period_s > 0.0 ? set->slack.shortest_period_s
                                              : wr_settings_slack_period(set) / 16.0;
}

/* Returns 1 if the run is paced or timed, or uses a real-time service of the system. */
static inline int wr_settings_is_realtime(const wr_settings *set)
{
    const wr_set_realtime *const r = &set->realtime;
    return r->rate > 0.0 || r->priority > 0 || r->lock_memory || r->jitter;
}

#endif
