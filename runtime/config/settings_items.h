/* Settings of components, connections, subsystems, plug-ins and ports. The wr_settings owns all strings and arrays. Thread: one owner.
 * Real-time: no. */
#ifndef WR_SETTINGS_ITEMS_H
#define WR_SETTINGS_ITEMS_H

#include "base/diag.h"
#include "runtime/config/settings_simulation.h"

/* A named value with its place: a number (NaN if refused), true or false, or a text. */
typedef struct wr_set_value {
    const char *name;
    double value;
    wr_where where;
    int is_flag;      /* 1: value is 0 or 1 */
    const char *text; /* the text; NULL: no text */
    /* With a text: the right notation if the text resembles a number, else "". */
    const char *number_hint;
} wr_set_value;

/* A component. name, model, fmu and mode are NULL if refused or missing. */
typedef struct wr_set_component {
    const char *name, *model;
    const char *fmu;         /* path of the FMU whose model the component is */
    const char *mode;        /* "me" or "cs": kind of the FMU; NULL: "me" if the FMU has both */
    int event_mode;          /* of co-simulation; 1: true, -1: false, 0: not given */
    double tolerance_factor; /* factor on the solver's tolerance for the states of the component */
    double cost_s;           /* time of one point (wrsim/stats.h), s */
    int is_cost_measured;    /* 1: a study has measured cost_s; 0: the config declares cost_s */
    double time_scale_s;     /* as in wrsim_description; 0: not given */
    int has_own_process;     /* 1: process = "own"; 0: process = "auto" */
    int n_parameters, n_start;
    wr_set_value *parameters, *start;
    int is_partial; /* not 0: the reader has refused keys, whose values may seem missing */
    wr_where where, where_model, where_mode, where_event_mode, where_time_scale, where_process;
} wr_set_component;

/* A connection of one output to one input. The reader has expanded lists in `to` and `signals`. */
typedef struct wr_set_connection {
    const char *from, *to;
    double period_s; /* time between exchanges in a slackened run; 0 = slack.period */
    /* The input is factor * value + offset of the output's value, in the unit of the input. */
    double factor, offset;
    int is_unconverted; /* 1: no conversion of units before factor and offset */
    wr_where where_from, where_to;
    wr_where where_period; /* file NULL, line 0: no period is given */
} wr_set_connection;

typedef struct wr_set_subsystem {
    const char *name;        /* NULL if refused */
    int n_components;        /* without refused names; 0 if the reader has refused the list */
    const char **components; /* names or globs */
    wr_where where_components;
    wr_set_solver solver; /* with defaults */
    /* Subsystem whose earlier waveforms predict this subsystem's waveforms; NULL: none. */
    const char *history_source;
    double lag;       /* delay behind history_source, in units of the phase */
    int level;        /* level in Gauss-Seidel sweeps; -1 = refused or not given */
    const char *kind; /* kind of the subsystem; default "components"; NULL if refused */
    const char *file; /* file of the kind, such as a recording; NULL = none or refused */
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
    int is_refused; /* 1: an earlier item has this name (wr_settings_check_names()) */
} wr_set_name;

/* A port between host and simulation: drives inputs, or shows a signal. */
typedef struct wr_set_port {
    const char *name; /* NULL if refused */
    int n_to;         /* > 0: an input port with these inputs */
    wr_set_name *to;
    wr_set_name from; /* signal of an output port; name NULL: refused, or an input port */
    double start;     /* NaN: refused or not given */
    int mode;         /* wr_port_mode; -1: refused */
    wr_where where;
} wr_set_port;

#endif
