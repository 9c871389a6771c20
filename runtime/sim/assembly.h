/* The assembly: the objects of a simulation, from plug-ins to subsystems. Thread: one owner. Real-time: no (setup). */
#ifndef WR_ASSEMBLY_H
#define WR_ASSEMBLY_H

#include "base/names.h"
#include "runtime/config/settings.h"
#include "runtime/graph/graph.h"
#include "runtime/sim/subsystem_setup.h"
#include "subsystems/model_files/model_files.h"

/* Position of the variables of a component. */
typedef struct wr_place {
    int i_component; /* index of the component in its subsystem */
    /* Index of the component's first variable of each kind in the subsystem. */
    int first[WRSIM_KIND_COUNT];
    int number; /* number of the component's first variable, as wr_lookup_number() */
} wr_place;

typedef struct wr_assembly {
    const wr_settings *settings;
    const wr_memory *memory; /* the simulation's memory functions; NULL: the system's functions */
    const wrsim_model *const *host_models; /* models of the host, NULL-terminated; NULL: none */
    int n_plugin;
    wr_model_files **plugin; /* [n_plugin] plug-ins, and FMUs of components */
    int n_named_plugin; /* plug-ins whose models a component names; FMUs of components follow */
    const char **plugin_path; /* [n_plugin] */
    /* [n_plugin] process that has listed the models of a plug-in, as long as no component has this process; NULL: none */
    struct wr_model_process **plugin_process;
    int is_model_missing; /* 1: some models are unknown, because their plug-in or list is refused */
    int n_component;      /* components of the settings, then components that wrsim adds */
    int n_listed;         /* components of the settings */
    int n_stepper;        /* components whose models advance themselves */
    int i_port;           /* index of the component whose outputs are the input ports; -1: none */
    struct wr_ports *ports; /* NULL before wr_ports_place() */
    struct wr_scenarios *scenarios;
    int is_spliced;        /* the components of scenarios have been added */
    wr_component **within; /* [n_component] component in a scenario's wrapper; NULL: no wrapper */
    wr_component **component;
    struct wr_model_process **process; /* [n_component] process of its own; NULL: none */
    int n_named;
    struct wr_named *named; /* [n_named] created components, sorted by name */
    wr_graph *graph;
    wr_place *place; /* [n_component] */
    int *signal_of;  /* [all variables] index among the published signals; -1: not published */
    unsigned char *is_recorded; /* [all variables] */
    int n_subsystem;
    wr_setup *setup;
    int cap_node; /* largest number of nodes of a waveform in a window or period */
    int phase_subsystem, phase_signal; /* output with the phase; -1: the phase is time, or unused */
    wr_diag warnings;          /* warnings of valid, but unusual settings; status WRSIM_OK */
    wr_diag length_warnings;   /* warnings of a long run (build_simulation.c); status WRSIM_OK */
    struct wr_heap_pool *pool; /* owns the small arrays and strings of the setup */
    wr_arena *arena;           /* memory of the window loop, for subsystems and engine */
} wr_assembly;

/* Returns the number of subsystems, without the subsystem of the input ports. */
static inline int wr_assembly_n_relaxed(const wr_assembly *a)
{
    return a->n_subsystem - (a->i_port >= 0);
}

/* Returns the index of the subsystem of a component. */
static inline int wr_assembly_subsystem(const wr_assembly *a, int i_component)
{
    return a->graph->node[i_component].i_subsystem;
}

static inline wrsim_status wr_assembly_out_of_memory(wr_diag *diag)
{
    return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while the simulation is built");
}

#endif
