/* The assembly: all that a simulation is made of, from plug-ins to subsystems. Finds its models and variables by name or
 * number.
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
    const char *name;   /* as [[subsystem]] kind says */
    const char *solver; /* shown as the solver's name; NULL: the integrator's name */
    int needs_file;     /* the key file */
    int has_inputs;     /* its components have inputs from other subsystems */
    int has_group;      /* it integrates its components as a group, with all their variables */
    /* Makes the subsystem; errors go to diag. */
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
    double *external_period_s;                 /* [n_external] of exchange, as period_s */
    int *external_source, *external_signal;    /* [n_external] as wr_subsystem_config */
    int *producer;                             /* [n_source] subsystem behind each source */
    double *period_s;                          /* [n_source] of exchange, slackened; 0: as all */
    int n_listener, *listener; /* subsystems that read it and that it does not read */
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
    int history_source; /* subsystem whose waveforms it repeats, -1 = none */
    double lag;         /* how much later, phase units */
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
    int i_component;             /* in its subsystem */
    int first[WRSIM_KIND_COUNT]; /* its first variable of each kind, in its subsystem */
    int number;                  /* of its first variable among all, kind by kind */
} wr_place;

typedef struct wr_assembly {
    const wr_settings *settings;
    const wr_memory *memory;               /* the simulation's, NULL: the system's */
    const wrsim_model *const *host_models; /* NULL-terminated; NULL: none */
    int n_plugin;
    wr_model_files **plugin;
    int is_model_missing;   /* a plug-in could not be had: there may be models that are not known */
    int n_component;        /* as in the settings, then those that the program makes */
    int n_listed;           /* as in the settings */
    int i_port;             /* the component whose outputs are the input ports; -1 = none */
    struct wr_ports *ports; /* once subsystems are there */
    struct wr_scenarios *scenarios;
    int is_spliced; /* the components of scenarios are there */
    wr_component *
        *within; /* [n_component] what scenarios have put another component around; NULL: nothing */
    wr_component **component;
    int n_named;
    struct wr_named *named; /* [n_named] components that could be made, by name */
    wr_graph *graph;
    wr_place *place; /* [n_component] */
    int *
        signal_of; /* [all variables] what an output is published as in its subsystem; -1: it is not */
    unsigned char *is_recorded; /* [all variables] */
    int n_subsystem;
    wr_setup *setup;
    int cap_node;                      /* waveform nodes of a subsystem in a window */
    int phase_subsystem, phase_signal; /* whose published signal is the phase; -1: time is */
    wr_diag warnings;                  /* what is not wrong, but seldom meant; status WRSIM_OK */
    wr_diag length_warnings;           /* of a long run (build_simulation.h); status WRSIM_OK */
    struct wr_heap_pool *pool;         /* owns the small arrays and strings above */
    wr_arena *arena; /* what the window loop touches; the engine places here, too */
} wr_assembly;

/* Finds "component.variable" among outputs, states, discrete states and inputs: its component, kind
 * and index in the component. Returns 0 or -1. */
int wr_lookup_name(const wr_assembly *assembly, const char *name, int *ret_component,
                   wrsim_kind *ret_kind, int *ret_index);

/* Subsystems without that of the input ports. */
static inline int wr_lookup_n_relaxed(const wr_assembly *a)
{
    return a->n_subsystem - (a->i_port >= 0);
}

/* May name, which wr_lookup_name() does not know, be of a component that could not be made, or not be read? */
int wr_lookup_may_lack(const wr_assembly *assembly, const char *name);

/* What was meant by a name that is not there: words for the end of a message, as wr_names_hint(). Returns ret_hint. */
const char *wr_lookup_hint(const wr_assembly *assembly, const char *name,
                           char ret_hint[WR_NAMES_HINT_BYTES]);

/* A variable's number: its place among all variables of all components, kind by kind. */
int wr_lookup_number(const wr_assembly *assembly, int i_component, wrsim_kind kind, int index);

/* A variable found by its number. */
typedef struct wr_find {
    int i_component, index; /* among all; among those of its kind in the component */
    wrsim_kind kind;        /* no indicators and parameters: they have no number */
} wr_find;

/* The inverse of wr_lookup_number(). Returns 0, or -1: there is no such variable. */
int wr_lookup_variable(const wr_assembly *assembly, int variable, wr_find *ret_find);

/* The state that it is, or that an output is equal to: its subsystem, and its number there. Returns 0, or -1: none. */
int wr_lookup_state(const wr_assembly *assembly, int variable, int *ret_subsystem, int *ret_state);

/* The list of models number i: the built-in ones, the host's, then plug-in by plug-in; NULL at the end. */
const wrsim_model *const *wr_lookup_models(const wr_assembly *assembly, int i);

/* Models that a config may name: built-in ones, the host's, then those of the plug-ins. NULL if none has the
 * name. */
const wrsim_model *wr_lookup_model(const wr_assembly *assembly, const char *name);

static inline wrsim_status wr_lookup_out_of_memory(wr_diag *diag)
{
    return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while subsystems are built");
}

/* Room that is so large in models of few subsystems, and shared in larger ones. */
int wr_lookup_scaled(const wr_assembly *a, int room);
/* Does one subsystem run without windows, which pauses where its room is half full? */
int wr_lookup_is_lone(const wr_assembly *a);
/* Rows that a subsystem may have in a window; nobody reads rows without columns. */
int wr_lookup_rows(const wr_assembly *a, const wr_setup *m);

/* The subsystem that a component is in. */
static inline int wr_lookup_subsystem(const wr_assembly *a, int i_component)
{
    return a->graph->node[i_component].i_subsystem;
}

/* Names the connection from an output to a subsystem, "a.y -> b.u": the first of the inputs that the output drives. from: the
 * output's name. */
void wr_lookup_connection(const wr_assembly *a, int i_reader, const char *from, char *ret,
                          size_t bytes);

#endif
