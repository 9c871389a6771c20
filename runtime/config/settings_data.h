/* Settings as plain structs, and values that follow from the settings. The wr_settings owns all strings. Thread: one owner. Real-time:
 * no. */
#ifndef WR_SETTINGS_DATA_H
#define WR_SETTINGS_DATA_H

#include "runtime/config/settings_items.h"
#include "runtime/config/settings_machine.h"
#include "runtime/config/settings_scenario.h"
#include "runtime/config/settings_simulation.h"
#include "runtime/config/settings_slack.h"
#include <math.h>

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
    int is_partial[WR_LIST_COUNT]; /* 1: items of the list are refused or may be missing */
    const struct wr_toml *root;    /* the parsed tree of the config */
    wr_diag warnings;              /* of the system of FMUs that the config describes */
    struct wr_heap_pool *memory;   /* owner of all strings and arrays of the settings */
} wr_settings;

/* Returns the resolution of time, s: the distance from the larger of |start_s| and |stop_s| to the next larger number. */
static inline double wr_settings_clock(const wr_settings *set)
{
    const double start_s = fabs(set->simulation.start_s), stop_s = fabs(set->simulation.stop_s);
    const double t_s = start_s > stop_s ? start_s : stop_s;
    return nextafter(t_s, (double)INFINITY) - t_s;
}

/* Return the shortest communication step and the shortest window, s. Both factors are assumed: 64 keeps communication points distinct, and
 * 4 leaves room for the steps in a window. */
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

/* Default lengths of windows (assumed), in units of wr_settings_time_unit(). Initial length: engines and small models run well from a tenth
 * to ten units. Least length: a coupling may be five orders of magnitude faster than the recorded points. Largest length: beyond a thousand
 * points, the cost of a window is negligible beside the cost of its points. */
#define WR_WINDOW_INITIAL_UNITS 1.0
#define WR_WINDOW_MIN_UNITS 1e-5
#define WR_WINDOW_MAX_UNITS 1000.0

/* Returns the default time between exchanges in a slackened run, s. */
static inline double wr_settings_slack_period(const wr_settings *set)
{
    return set->slack.period_s > 0.0 ? set->slack.period_s : set->simulation.communication_step_s;
}

/* Returns 1 if sweeps converge. */
static inline int wr_settings_relaxes(const wr_settings *set)
{
    return wr_scheme_relaxes((wr_scheme)set->relaxation.scheme);
}

/* Returns 1 if sweeps may visit the levels of subsystems one after the other. */
static inline int wr_settings_may_have_levels(const wr_settings *set)
{
    return set->relaxation.scheme == WR_SCHEME_GAUSS_SEIDEL ||
           set->relaxation.scheme == WR_SCHEME_AUTO;
}

/* Returns 1 if periods of connections may become shorter during the run. */
static inline int wr_settings_is_shortening(const wr_settings *set)
{
    const wr_set_slack *const k = &set->slack;
    return set->relaxation.scheme == WR_SCHEME_SLACK &&
           ((k->eps_loc > 0.0 && k->on_loc == WR_ACTION_SHORTEN) ||
            (k->eps_glo > 0.0 && k->on_glo == WR_ACTION_SHORTEN));
}

/* Returns the shortest period that "shorten" may choose for a connection, s. */
static inline double wr_settings_shortest_period(const wr_settings *set)
{
    return set->slack.shortest_period_s > 0.0 ? set->slack.shortest_period_s
                                              : wr_settings_slack_period(set) / 16.0;
}

/* Returns 1 if the run writes an event log and window records. */
static inline int wr_settings_has_log(const wr_settings *set)
{
    return set->output.log && set->output.file && set->output.file[0] != '\0';
}

/* Returns 1 if the run is paced, requests a priority or locked memory, or measures jitter. */
static inline int wr_settings_is_realtime(const wr_settings *set)
{
    const wr_set_realtime *const r = &set->realtime;
    return r->rate > 0.0 || r->priority > 0 || r->lock_memory || r->jitter;
}

#endif
