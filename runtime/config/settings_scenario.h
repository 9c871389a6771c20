/* Settings of scenarios. The wr_settings owns all strings and arrays. Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_SCENARIO_H
#define WR_SETTINGS_SCENARIO_H

#include "runtime/config/settings_items.h"

typedef enum wr_scenario_action {
    WR_SCENARIO_OVERRIDE,
    WR_SCENARIO_BIAS,
    WR_SCENARIO_GAIN,
    WR_SCENARIO_RAMP,
    WR_SCENARIO_FREEZE,
    WR_SCENARIO_REPLAY,
    WR_SCENARIO_RESET,
    WR_SCENARIO_PARAMETER,
    WR_SCENARIO_STOP,
    WR_SCENARIO_ACTION_COUNT
} wr_scenario_action;

/* Names of the actions by wr_scenario_action. */
extern const char *const wr_settings_actions[WR_SCENARIO_ACTION_COUNT];

/* A change of a signal, a state or a parameter, or the end of the run, with its time. */
typedef struct wr_set_scenario {
    const char *name;   /* "scenario3" if the third scenario has no name; NULL if refused */
    wr_set_name signal; /* name NULL: refused, or no signal is the target */
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
    double period_s; /* time after which the file plays from offset_s again, s; INFINITY: never */
    int is_refused;  /* 1: the reader has reported an error */
    wr_where where, where_value, where_file, where_column;
} wr_set_scenario;

#endif
