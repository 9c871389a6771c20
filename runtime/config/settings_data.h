/* Settings as plain structs. All strings belong to the wr_settings.
 *
 * Thread: one owner. Real-time: no.
 */
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
/* What is done where a split run fails, or takes far more work than one solver. */
typedef enum wr_on_failure {
    WR_ON_FAILURE_ONE_SOLVER, /* the run starts again as one subsystem */
    WR_ON_FAILURE_STOP,
    WR_ON_FAILURE_COUNT
} wr_on_failure;
/* Where delays come from. */
typedef enum wr_set_delays {
    WR_DELAYS_LIVE,
    WR_DELAYS_FIXED,
    WR_DELAYS_DRAWN,
    WR_DELAYS_COUNT
} wr_set_delays;
/* What is done where deadlines are missed more often than allowed. */
typedef enum wr_set_policy {
    WR_POLICY_REPORT,
    WR_POLICY_HOLD,
    WR_POLICY_DEGRADE,
    WR_POLICY_STOP,
    WR_POLICY_COUNT
} wr_set_policy;
/* How threads wait for a moment. */
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

/* Of simulation.monolithic. AUTO stands in configs only: a simulation has chosen. */
typedef enum wr_grouping {
    WR_GROUPING_SPLIT, /* as [[subsystem]] says */
    WR_GROUPING_MONOLITHIC,
    WR_GROUPING_AUTO
} wr_grouping;

/* Scalar keys; each field is a row of keys.c. */
typedef struct wr_set_simulation {
    double start_s, stop_s;
    double communication_step_s;
    double rtol;
    double atol_factor;       /* absolute tolerance = rtol * atol_factor * nominal */
    double event_tolerance_s; /* largest delay of a state event; 0 = auto */
    int max_event_iterations; /* at one instant */
    int max_stuck_events;     /* within chatter_time_s */
    double chatter_time_s;    /* 0 = auto */
    int event_blocks; /* a subsystem with so many indicators or more evaluates them in blocks */
    int monolithic;   /* wr_grouping */
} wr_set_simulation;

typedef struct wr_set_relaxation {
    int scheme; /* wr_scheme */
    double window_initial_s, window_min_s, window_max_s;
    const char *window_control; /* the rule's name */
    int max_sweeps;
    double max_work; /* times what one solver takes; a run that takes more is given up; 0 = none */
    int on_failure;  /* wr_on_failure */
    double error_limit; /* of splitting, in units of rtol; 0 = none */
    double convergence; /* accepted waveform error, in units of the tolerance */
    double
        solver_tolerance_factor; /* solver rtol = rtol * this when there are several subsystems */
    double tuned_rtol;           /* below it the two above shrink; 0 = never */
    double tolerance_first;      /* factor >= 1 on solver tolerances in a first sweep */
    int prediction;              /* wr_prediction */
    int active_set;              /* 0: integrate every subsystem in every sweep */
    int acceleration;            /* wr_acceleration */
    int max_nodes;               /* waveform nodes per window and subsystem; 0 = auto */
    double history_period;       /* phase units; 0 = no history */
    const char *history_phase;   /* component.variable; "" = time */
    int history_nodes;
} wr_set_relaxation;

/* Factor on relaxation.solver_tolerance_factor and .convergence: rtol / tuned_rtol, at least a
 * tenth. At a loose tolerance most steps end at stops, and their errors are far below the
 * tolerance. At a tight tolerance the error control ends most steps, and the solver of one
 * subsystem makes steps several times as long as a solver of all
 * (docs/lab/2026-11-26-loose-tolerances.md). */
static inline double wr_set_relaxation_tightening(const wr_set_relaxation *r, double rtol)
{
    static const double LEAST = 0.1;
    return r->tuned_rtol > rtol ? (rtol > LEAST * r->tuned_rtol ? rtol / r->tuned_rtol : LEAST)
                                : 1.0;
}

/* What follows where a limit of delay errors is exceeded. */
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
    double period_s;          /* of exchange; 0 = the communication step */
    double shortest_period_s; /* that WR_ACTION_SHORTEN makes; 0 = a sixteenth */
    int bound;                /* on ages of what is read, periods; -1 = none */
    int sweeps;               /* of each period */
    int delays;               /* wr_set_delays */
    int delay;                /* periods: of FIXED, most of DRAWN */
    int seed;                 /* of DRAWN */
    int watch;                /* every so many-th period is watched; 0 = none */
    double eps_loc, eps_glo;  /* limits of delay errors; 0 = none */
    int on_loc, on_glo;       /* wr_set_action */
    const char *log, *replay; /* files of versions read; "" = none */
} wr_set_slack;

typedef struct wr_set_realtime {
    double rate;               /* simulated s per wall s; 0 = not paced */
    double deadline_s;         /* wall s from a period's moment on; 0 = its length / rate */
    int misses, of;            /* at most so many misses in any so many steps in a row */
    int policy;                /* wr_set_policy */
    double degraded_tolerance; /* factor on tolerances while degraded */
    int soft;                  /* 1: count only */
    double catch_up_s;         /* wall s: what is later than that is not caught up */
    int wait;                  /* wr_set_wait */
    int priority;              /* SCHED_FIFO; 0 = none */
    int lock_memory, strict, jitter;
} wr_set_realtime;

typedef struct wr_set_scheduler {
    int workers; /* 0 = auto */
    int n_cores;
    int *cores; /* logical numbers of physical cores to use; none = all */
    int smt;    /* 1: also use SMT siblings */
    int pin;
    int event_threads;    /* of one subsystem's run: workers beyond the first lend it their cores */
    double spin_us;       /* how long a barrier spins before it sleeps */
    double min_work;      /* work units per window and worker below which fewer workers run */
    const char *topology; /* "" or a synthetic hwloc description, for tests */
} wr_set_scheduler;

typedef struct wr_set_output {
    const char *file; /* "" = none */
    int n_signals;
    const char **signals; /* globs over component.variable; none given = all outputs and states */
    int decimation;       /* every n-th communication point */
    double start_s;       /* nothing is recorded before */
    int events;           /* rows at events too */
    int waves;            /* 1: nodes of what subsystems publish, too */
    const char *json;     /* "" = none */
    /* No key: where what json names really is, which is said to nobody; NULL: where it says. */
    const char *json_place;
} wr_set_output;

static inline const char *wr_set_json_place(const wr_set_output *output)
{
    return output->json_place && output->json[0] ? output->json_place : output->json;
}

/* What is done when bounded work does not do. */
typedef enum wr_over_budget {
    WR_OVER_BUDGET_FINISH,
    WR_OVER_BUDGET_FAIL,
    WR_OVER_BUDGET_COUNT
} wr_over_budget;

/* A solver choice; the [solver] table gives the default for subsystems without one. */
typedef struct wr_set_solver {
    const char *kind;
    double step_s; /* fixed step, or largest step; 0 = none, NaN = may have been refused */
    double min_step_s;
    double rtol;       /* 0 = from simulation.rtol */
    int linear_solver; /* wr_linear_solver */
    int max_order;     /* 0 = the method's own */
    int spare_steps;   /* of fixed steps, where work is bounded; -1 = it is not */
    int budget;        /* right-hand sides per communication step with error control; 0 = any */
    int over_budget;   /* wr_over_budget */
    const char *pattern,
        *code; /* files; "" = none. Relative paths are relative to the config file */
    /* Coefficients of a multistep formula, the new point first; none: the method's own. */
    int n_alpha;
    const double *alpha;
    int n_beta;
    const double *beta;
} wr_set_solver;

/* A named value with its place: a number, NaN if it was refused; true or false; or a text. */
typedef struct wr_set_value {
    const char *name;
    double value;
    wr_where where;
    int is_flag;             /* value is 0 or 1 */
    const char *text;        /* NULL: it is none */
    const char *number_hint; /* how to write a number, where a text looks like one; "" */
} wr_set_value;

/* name and model are NULL if they were refused or are missing. */
typedef struct wr_set_component {
    const char *name, *model;
    double tolerance_factor; /* on the solver's tolerance for its states */
    int n_parameters, n_start;
    wr_set_value *parameters, *start;
    int is_partial; /* keys of it were refused: what seems missing may be in them */
    wr_where where, where_model;
} wr_set_component;

/* One output to one input; fan-out (`to` as an array) and `signals` lists are already unfolded. */
typedef struct wr_set_connection {
    const char *from, *to;
    double period_s; /* of exchange where it is cut, slackened; 0 = slack.period */
    wr_where where_from, where_to;
    wr_where where_period; /* file NULL, line 0: none is given */
} wr_set_connection;

typedef struct wr_set_subsystem {
    const char *name;           /* NULL if refused */
    int n_components;           /* 0 if they were refused */
    const char **components;    /* names or globs */
    wr_set_solver solver;       /* defaults filled in */
    const char *history_source; /* subsystem whose waveforms it repeats; NULL = none */
    double lag;                 /* by how much later, phase units */
    int level;                  /* of Gauss-Seidel sweeps; -1 = not given */
    const char *kind;           /* of subsystem; "components" by default */
    const char *file;           /* that its kind reads, such as a recording; NULL = none */
    wr_where where, where_solver, where_max_order, where_pattern, where_code, where_history_source,
        where_lag, where_file, where_kind;
    wr_where where_level; /* file NULL, line 0: none is given */
} wr_set_subsystem;

typedef struct wr_set_plugin {
    const char *file; /* relative paths are relative to the config file; NULL if refused */
    wr_where where;
} wr_set_plugin;

/* How an input port goes from one value to the next. */
typedef enum wr_port_mode { WR_PORT_HOLD, WR_PORT_RAMP, WR_PORT_MODE_COUNT } wr_port_mode;

/* A name with its place. */
typedef struct wr_set_name {
    const char *name;
    wr_where where;
} wr_set_name;

/* Between a host and the simulation: drives inputs, or shows a signal. */
typedef struct wr_set_port {
    const char *name; /* NULL if refused */
    int n_to;         /* > 0: an input port, and these are the inputs */
    wr_set_name *to;
    wr_set_name from; /* of an output port; name NULL: refused, or it is none */
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

/* What happens to a signal, a state or a parameter, and when. */
typedef struct wr_set_scenario {
    const char *name;   /* "scenario3" if the third has none */
    wr_set_name signal; /* name NULL: a parameter's */
    int n_to;           /* 0: all that read the signal */
    wr_set_name *to;
    wr_set_name parameter; /* "component.parameter" */
    int action;            /* wr_scenario_action */
    double value;
    int is_api;            /* the host says when */
    double at_s;           /* NaN: not at a time */
    wr_set_name condition; /* the signal that is compared; name NULL: there is none */
    int is_below;          /* 1: signal < threshold, 0: signal > threshold */
    double threshold;
    double until_s, duration_s; /* INFINITY: not given */
    double ramp_time_s;
    const char *file, *column; /* of a recording */
    int is_held;               /* between its points; 0: linear */
    double offset_s;           /* time in the file at which it begins */
    int is_refused;            /* something is wrong and has been told */
    wr_where where, where_value, where_file, where_column;
} wr_set_scenario;

/* The tables that a config repeats; rows of wr_tables (keys.c). */
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
    const char *file; /* the config file; "" if from text */
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
    int is_partial[WR_LIST_COUNT];     /* items of that list were refused: some are not there */
    const struct wr_toml *root;        /* the tree all this was read from */
    struct wr_settings_memory *memory; /* owns every string and array above */
} wr_settings;

/* How far numbers are apart at the end of the run that is farther from zero, s. */
static inline double wr_settings_clock(const wr_settings *set)
{
    const double start_s = fabs(set->simulation.start_s), stop_s = fabs(set->simulation.stop_s);
    const double t_s = start_s > stop_s ? start_s : stop_s;
    return nextafter(t_s, (double)INFINITY) - t_s;
}

/* No communication step may be shorter, s: its ends have to be told apart; nor a window, in which steps are made. */
static inline double wr_settings_least_step(const wr_settings *set)
{
    return 64.0 * wr_settings_clock(set);
}
static inline double wr_settings_least_window(const wr_settings *set)
{
    return 4.0 * wr_settings_least_step(set);
}

/* Unit of lengths that are "auto", s: the communication step, or the run if that is shorter. */
static inline double wr_settings_time_unit(const wr_settings *set)
{
    const double run_s = set->simulation.stop_s - set->simulation.start_s;
    const double step_s = set->simulation.communication_step_s;
    return run_s > 0.0 && run_s < step_s ? run_s : step_s;
}

/* Lengths of windows, in this unit. The first window: engines and small models run well from a
 * tenth to ten times that. The shortest window: a coupling may be five orders of magnitude faster
 * than the recorded points. The longest window: beyond a thousand points the cost of a window is
 * negligible beside the cost of its points. */
#define WR_WINDOW_INITIAL_UNITS 1.0
#define WR_WINDOW_MIN_UNITS 1e-5
#define WR_WINDOW_MAX_UNITS 1000.0

/* Of exchange in slackened synchronisation, s. */
static inline double wr_settings_slack_period(const wr_settings *set)
{
    return set->slack.period_s > 0.0 ? set->slack.period_s : set->simulation.communication_step_s;
}

/* May periods of connections be shortened while it runs? */
static inline int wr_settings_is_shortening(const wr_settings *set)
{
    const wr_set_slack *const k = &set->slack;
    return set->relaxation.scheme == WR_SCHEME_SLACK &&
           ((k->eps_loc > 0.0 && k->on_loc == WR_ACTION_SHORTEN) ||
            (k->eps_glo > 0.0 && k->on_glo == WR_ACTION_SHORTEN));
}

/* That connections are shortened to at most, s. */
static inline double wr_settings_shortest_period(const wr_settings *set)
{
    return set->slack.shortest_period_s > 0.0 ? set->slack.shortest_period_s
                                              : wr_settings_slack_period(set) / 16.0;
}

/* Is the run paced or timed, or is a service of the system asked for? */
static inline int wr_settings_is_realtime(const wr_settings *set)
{
    const wr_set_realtime *const r = &set->realtime;
    return r->rate > 0.0 || r->priority > 0 || r->lock_memory || r->jitter;
}

#endif
