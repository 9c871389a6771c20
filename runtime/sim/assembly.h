/* Everything that a simulation is made of, from plug-ins to subsystems, and where its variables are.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_ASSEMBLY_H
#define WR_ASSEMBLY_H

#include "base/names.h"
#include "runtime/config/settings.h"
#include "runtime/graph/graph.h"
#include "runtime/record/recorder.h"
#include "runtime/record/results_waves.h"
#include "runtime/relax/engine.h"
#include "runtime/relax/link.h"
#include "runtime/slack/slack.h"
#include "subsystems/ode/ode_subsystem.h"
#include "subsystems/provided.h"

struct wr_assembly;

/* A kind of subsystem (setup_kinds.c). */
typedef struct wr_setup_kind {
    const char *name;   /* as [[subsystem]] kind says */
    const char *solver; /* what stands for a solver's name; NULL: its integrator's */
    int needs_file;     /* the key file */
    int has_inputs;     /* what drives its components drives it */
    int has_group;      /* it is a group of its components: all their variables are here */
    /* Makes the subsystem; errors go to diag. */
    wrsim_status (*create)(struct wr_assembly *a, int i_subsystem, wr_diag *diag);
} wr_setup_kind;

/* How its work is bounded (ode_subsystem.h). */
typedef struct wr_setup_bound {
    int n_spare, fails;
    int64_t budget;
} wr_setup_bound;

/* Files for the matrices of a solver (solver.pattern, solver.code); NULL: none. */
typedef struct wr_setup_matrix {
    const char *pattern_file, *code_file;
    wr_where where_pattern, where_code;
} wr_setup_matrix;

/* One subsystem with what the engine and the recorder need to know of it. */
typedef struct wr_setup {
    const char *name; /* belongs to the settings or graph */
    wr_subsystem *subsystem;
    const wr_setup_kind *kind;
    wr_results_waves *waves; /* that it plays; NULL = none */
    int n_component;
    int *component; /* [n_component] indices into the assembly */
    /* Inputs from other subsystems: one external per producing output. */
    int n_external, n_source;
    int *external_component, *external_output; /* [n_external] who drives it */
    double *external_period_s;                 /* [n_external] of exchange, as period_s */
    int *external_source, *external_signal;    /* [n_external] as wr_subsystem_config */
    int *producer;                             /* [n_source] subsystem behind each source */
    double *period_s;                          /* [n_source] of exchange, slackened; 0: as all */
    int n_listener, *listener;                 /* who reads it without being read by it */
    double *input_start;                       /* [n_external] */
    /* What others read. */
    int n_published;
    int *published;           /* [n_published] group outputs */
    const char **signal_name; /* [n_published] */
    /* What is recorded. */
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

/* The group it is made of; NULL: none. */
static inline wr_group *wr_setup_group(const wr_setup *m)
{
    return m->kind->has_group ? wr_ode_group(m->subsystem) : NULL;
}

/* "dopri54", or what else stands for a solver. */
static inline const char *wr_setup_solver_name(const wr_setup *m)
{
    return m->kind->solver ? m->kind->solver : m->integrator->name;
}

/* Where the variables of a component are. */
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
    wr_provided **plugin;
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
    wr_diag length_warnings;           /* of a long run (run_length.h); status WRSIM_OK */
    struct wr_bag *bag;                /* owns the small arrays and strings above */
    wr_arena *arena; /* what the window loop touches; the engine places here, too */
} wr_assembly;

/* Finds "component.variable" among outputs, states, discrete states and inputs: its component, kind
 * and index in the component. Returns 0 or -1. */
int wr_assembly_find(const wr_assembly *assembly, const char *name, int *ret_component,
                     wrsim_kind *ret_kind, int *ret_index);

/* Subsystems without that of the input ports. */
static inline int wr_assembly_n_relaxed(const wr_assembly *a)
{
    return a->n_subsystem - (a->i_port >= 0);
}

/* May name, which wr_assembly_find() does not know, be of a component that could not be made, or not be read? */
int wr_assembly_may_lack(const wr_assembly *assembly, const char *name);

/* What was meant by a name that is not there: words for the end of a message, as wr_names_hint(). Returns ret_hint. */
const char *wr_assembly_hint(const wr_assembly *assembly, const char *name,
                             char ret_hint[WR_NAMES_HINT_BYTES]);

/* A variable's number: its place among all variables of all components, kind by kind. */
int wr_assembly_number(const wr_assembly *assembly, int i_component, wrsim_kind kind, int index);

/* A variable that somebody asked for by its number. */
typedef struct wr_find {
    int i_component, index; /* among all; among those of its kind in the component */
    wrsim_kind kind;        /* no indicators and parameters: they have no number */
} wr_find;

/* Undoes that. Returns 0, or -1: there is no such variable. */
int wr_assembly_locate(const wr_assembly *assembly, int variable, wr_find *ret_find);

/* The state that it is, or that an output is equal to: its subsystem, and its number there. Returns 0, or -1: none. */
int wr_assembly_state(const wr_assembly *assembly, int variable, int *ret_subsystem,
                      int *ret_state);

/* The list of models number i: the built-in ones, the host's, then plug-in by plug-in; NULL at the end. */
const wrsim_model *const *wr_assembly_models(const wr_assembly *assembly, int i);

/* Models that a config may name: built-in ones, the host's, then those of the plug-ins. NULL if none has the
 * name. */
const wrsim_model *wr_assembly_model(const wr_assembly *assembly, const char *name);

#endif
