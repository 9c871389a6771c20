/* A component: one instance of a model with its parameters, variables and start values.
 *
 * Thread: one at a time. Real-time: reading, because components are constant after setup.
 */
#ifndef WR_COMPONENT_H
#define WR_COMPONENT_H

#include "base/arena.h"
#include "base/diag.h"
#include "wrsim/model.h"

/* A variable of a model's description, with copies of the strings. */
typedef struct wr_variable {
    char *name, *unit, *description; /* one allocation, which free(name) frees */
    double start, nominal, min, max;
    unsigned flags;
    int index;
    int is_nominal_declared; /* 0: nominal is 1 or an estimate (runtime/graph/nominals.h) */
} wr_variable;

/* Non-zero elements of an incidence pattern. */
typedef struct wr_incidence {
    int is_declared; /* 0: the pattern is full */
    int n, cap;
    int *row, *column;
} wr_incidence;

/* Entries of a mass matrix, each once. */
typedef struct wr_mass_list {
    int n, cap; /* n 0: the matrix is the identity */
    int *row, *column;
    double *value;
} wr_mass_list;

/* An input block: contiguous inputs that a model reads together (wrsim_description.port). */
typedef struct wr_input_port {
    int first, n;
} wr_input_port;

/* Treatment of points (wrsim/stats.h). */
typedef enum wr_points_mode {
    WR_POINTS_OFF,
    WR_POINTS_COUNT,
    WR_POINTS_SPEND,   /* also waits for cost_s at each point */
    WR_POINTS_MEASURE, /* also measures the time of points */
    WR_POINTS_MODES
} wr_points_mode;

typedef struct wr_component {
    char *name;
    const wrsim_model *model;
    wr_where where;          /* place of [[component]] in the config */
    wrsim_instance instance; /* for describe(); the group has its own instance for runs */
    double *param;
    char **text; /* [n_param] values of text parameters; NULL: another type */
    int n[WRSIM_KIND_COUNT];
    wr_variable *variable[WRSIM_KIND_COUNT]; /* [kind][n[kind]] */
    wr_incidence pattern[WRSIM_PATTERN_COUNT];
    wr_mass_list mass;
    int n_port, cap_port;
    wr_input_port *port;     /* [n_port] */
    double tolerance_factor; /* factor on the tolerance of the states; default 1 */
    double time_scale_s;     /* as in wrsim_description; 0: not declared */
    double cost_s;           /* time of one point, s; 0: as cheap as counted work assumes */
    int is_cost_measured;    /* 1: a study has measured cost_s; 0: the config declares cost_s */
    wr_points_mode points;
    int n_w;
    size_t data_bytes, memory_bytes;
    int is_claimed; /* the only component of its model (WRSIM_CAP_ONE_INSTANCE) */
} wr_component;

/* A named value from the config: a text if text is set, a flag (value 0 or 1) if is_flag, else a number. */
typedef struct wr_assignment {
    const char *name;
    double value;
    int is_flag;
    const char *text;
    const char
        *number_hint; /* for a text that resembles a number: correct form of the number; or NULL */
    wr_where where;
    int is_refused; /* an error about the value is in diag */
} wr_assignment;

/* Creates a component. Checks the model's descriptor (wr_model_check()), creates an instance with parameters, calls describe(), and sets
 * start values of states, discrete states and inputs. Adds errors to diag, for an unknown name with a similar name or the valid names.
 * Returns NULL on failure. */
wr_component *wr_component_create(const char *name, const wrsim_model *model, const wr_where *where,
                                  const wr_assignment *params, int n_params,
                                  const wr_assignment *starts, int n_starts, wr_diag *diag);
/* Returns whether a component has the only instance that the model allows in this process (WRSIM_CAP_ONE_INSTANCE). */
int wr_component_is_claimed(const wrsim_model *model);
void wr_component_destroy(wr_component **component);

/* Replaces start values, with the checks of wr_component_create(). Sets every valid value, also if other values have errors. Returns 0, or
 * -1 with every error in diag. */
int wr_component_set_start(wr_component *component, const wr_assignment *starts, int n_starts,
                           wr_diag *diag);

/* Returns the index of a variable of a kind; -1: none. */
int wr_component_find(const wr_component *component, wrsim_kind kind, const char *name);

/* Returns whether the pattern has an element. A full pattern has all elements. The row of an output that is a state has only that state,
 * also if the model declares more elements. */
int wr_component_depends(const wr_component *component, wrsim_pattern pattern, int row, int column);

#endif
