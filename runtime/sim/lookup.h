/* The assembly: the parts of a simulation, from plug-ins to subsystems. Finds models and variables by name or number.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_LOOKUP_H
#define WR_LOOKUP_H

#include "base/names.h"
#include "runtime/config/settings.h"
#include "runtime/graph/graph.h"
#include "runtime/record/recorder.h"
#include "runtime/record/results_waves.h"
#include "runtime/relax/engine.h"
#include "runtime/relax/link.h"
#include "runtime/slack/slack.h"
#include "subsystems/model_host/model_files.h"
#include "subsystems/ode/ode_subsystem.h"

struct wr_assembly;

/* A kind of subsystem: a row of subsystem_kinds.c. */
typedef struct wr_setup_kind {
    const char *name;   /* value of the key kind in [[subsystem]] */
    const char *solver; /* shown as the solver's name; NULL: the integrator's name */
    int needs_file;     /* needs the key file */
    int has_inputs;     /* its components have inputs from other subsystems */
    int publishes_all; /* also outputs that no other subsystem reads, so that they can be recorded */
    int has_group;     /* it integrates its components as a group, with all their variables */
    /* Creates the subsystem; errors go to diag. */
    wrsim_status (*create)(struct wr_assembly *a, int i_subsystem, wr_diag *diag);
} wr_setup_kind;

/* Bound on the work of a subsystem (ode_subsystem.h). */
typedef struct wr_setup_bound {
    int n_spare, fails;
    int64_t budget;
} wr_setup_bound;

/* Files for the matrices of a solver (solver.pattern, solver.code); NULL: none. */
typedef struct wr_setup_matrix {
    const char *pattern_file, *code_file;
    wr_where where_pattern, where_code;
} wr_setup_matrix;

/* One subsystem, with the data that driver and recorder need. */
typedef struct wr_setup {
    const char *name; /* belongs to the settings or graph */
    wr_subsystem *subsystem;
    const wr_setup_kind *kind;
    wr_results_waves *waves; /* played waves; NULL: none */
    int n_component;
    int *component; /* [n_component] indices into the assembly */
    /* Inputs from other subsystems: one external per producing output. */
    int n_external, n_source;
    int *external_component, *external_output; /* [n_external] the producing output */
    double *external_period_s;                 /* [n_external] period of exchange, as period_s */
    int *external_source, *external_signal;    /* [n_external] as wr_subsystem_config */
    int *producer;                             /* [n_source] subsystem behind each source */
    double *period_s;          /* [n_source] slackened: period of exchange; 0: the common period */
    int n_listener, *listener; /* consumers that are not producers of this subsystem */
    double *input_start;       /* [n_external] */
    /* Published signals. */
    int n_published;
    int *published;           /* [n_published] group outputs */
    const char **signal_name; /* [n_published] */
    /* Recorded variables. */
    int n_recorded;
    int *recorded_kind, *recorded_index; /* [n_recorded] */
    wr_channel *channel;                 /* [n_recorded] */
    int n_group_edge;
    wr_group_edge *group_edge;
    const wr_integrator_ops *integrator;
    wr_integ_options options;
    wr_lms formula; /* options.formula, if it is one */
    wr_setup_bound bound;
    wr_setup_matrix matrix;
    int level;
    int history_source; /* subsystem whose waveforms this one repeats, -1: none */
    double lag;         /* delay behind the history source, phase units */
} wr_setup;

/* The group of a subsystem; NULL: its kind has none. */
static inline wr_group *wr_setup_group(const wr_setup *m)
{
    return m->kind->has_group ? wr_ode_group(m->subsystem) : NULL;
}

/* "dopri54", or the name of a kind without a solver. */
static inline const char *wr_setup_solver_name(const wr_setup *m)
{
    return m->kind->solver ? m->kind->solver : m->integrator->name;
}

/* Position of the variables of a component. */
typedef struct wr_place {
    int i_component;             /* index of the component in its subsystem */
    int first[WRSIM_KIND_COUNT]; /* index of its first variable of each kind in its subsystem */
    int number;                  /* number of its first variable among all, kind by kind */
} wr_place;

typedef struct wr_assembly {
    const wr_settings *settings;
    const wr_memory *memory;               /* the simulation's, NULL: the system's */
    const wrsim_model *const *host_models; /* NULL-terminated; NULL: none */
    int n_plugin;
    wr_model_files **plugin;
    int is_model_missing;   /* a plug-in could not be loaded: some models may be unknown */
    int n_component;        /* components of the settings, then components that wrsim adds */
    int n_listed;           /* components of the settings */
    int n_stepper;          /* components whose models advance themselves */
    int i_port;             /* the component whose outputs are the input ports; -1 = none */
    struct wr_ports *ports; /* NULL before the subsystems are created */
    struct wr_scenarios *scenarios;
    int is_spliced; /* the components of scenarios have been added */
    wr_component *
        *within; /* [n_component] component inside of a scenario's wrapper; NULL: no wrapper */
    wr_component **component;
    int n_named;
    struct wr_named *named; /* [n_named] created components, by name */
    wr_graph *graph;
    wr_place *place; /* [n_component] */
    int *signal_of;  /* [all variables] index among the published signals; -1: not published */
    unsigned char *is_recorded; /* [all variables] */
    int n_subsystem;
    wr_setup *setup;
    int cap_node;                      /* waveform nodes of a subsystem in a window */
    int phase_subsystem, phase_signal; /* publisher of the phase; -1: the phase is time */
    wr_diag warnings;                  /* valid, but unusual settings; status WRSIM_OK */
    wr_diag length_warnings;   /* warnings of a long run (build_simulation.h); status WRSIM_OK */
    struct wr_heap_pool *pool; /* owns the small arrays and strings above */
    wr_arena *arena;           /* memory of the window loop, for subsystems and engine */
} wr_assembly;

/* Finds "component.variable" among outputs, states, discrete states and inputs: its component, kind
 * and index in the component. Returns 0 or -1. */
int wr_lookup_name(const wr_assembly *assembly, const char *name, int *ret_component,
                   wrsim_kind *ret_kind, int *ret_index);

/* Number of subsystems, without the subsystem of the input ports. */
static inline int wr_lookup_n_relaxed(const wr_assembly *a)
{
    return a->n_subsystem - (a->i_port >= 0);
}

/* May a name that wr_lookup_name() does not find belong to a component that could not be created or read? */
int wr_lookup_may_lack(const wr_assembly *assembly, const char *name);

/* Suggests a similar name for an unknown name: text for the end of a message, as wr_names_hint(). Returns ret_hint. */
const char *wr_lookup_hint(const wr_assembly *assembly, const char *name,
                           char ret_hint[WR_NAMES_HINT_BYTES]);

/* A variable's number: its place among all variables of all components, kind by kind. */
int wr_lookup_number(const wr_assembly *assembly, int i_component, wrsim_kind kind, int index);

/* A variable found by its number. */
typedef struct wr_find {
    int i_component, index; /* among all components; among the component's variables of this kind */
    wrsim_kind kind;        /* never an indicator or a parameter: they have no number */
} wr_find;

/* The inverse of wr_lookup_number(). Returns 0, or -1: there is no such variable. */
int wr_lookup_variable(const wr_assembly *assembly, int variable, wr_find *ret_find);

/* If the variable is a state, or an output that equals a state: the state's subsystem and index there. Returns 0, else -1. */
int wr_lookup_state(const wr_assembly *assembly, int variable, int *ret_subsystem, int *ret_state);

/* List i of models: the built-in models, the host's, then one list per plug-in; NULL after the last. */
const wrsim_model *const *wr_lookup_models(const wr_assembly *assembly, int i);

/* The first model of that name in these lists, or NULL. */
const wrsim_model *wr_lookup_model(const wr_assembly *assembly, const char *name);

static inline wrsim_status wr_lookup_out_of_memory(wr_diag *diag)
{
    return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while the simulation is built");
}

/* A memory size for one subsystem: `room` in models of few subsystems, a share in larger models. */
int wr_lookup_scaled(const wr_assembly *a, int room);
/* Does the simulation have one subsystem, which runs without windows and pauses if its memory is half full? */
int wr_lookup_is_lone(const wr_assembly *a);
/* Largest number of rows of a subsystem in a window; 1 if the subsystem records nothing. */
int wr_lookup_rows(const wr_assembly *a, const wr_setup *m);

/* The subsystem that a component is in. */
static inline int wr_lookup_subsystem(const wr_assembly *a, int i_component)
{
    return a->graph->node[i_component].i_subsystem;
}

/* Names the connection from an output to a subsystem, "a.y -> b.u", with the first input that the output drives there. from:
 * the output's name. */
void wr_lookup_connection(const wr_assembly *a, int i_reader, const char *from, char *ret,
                          size_t bytes);

#endif
