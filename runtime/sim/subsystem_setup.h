/* The data of a subsystem while a simulation is built, and its kind. Thread: one owner. Real-time: no (setup). */
#ifndef WR_SUBSYSTEM_SETUP_H
#define WR_SUBSYSTEM_SETUP_H

#include "runtime/record/recorder.h"
#include "runtime/record/results_waves.h"
#include "runtime/relax/wiring.h"
#include "subsystems/ode/ode_subsystem.h"

struct wr_assembly;

/* A kind of subsystem: a row of subsystem_kinds.c. */
typedef struct wr_setup_kind {
    const char *name;   /* value of the key kind in [[subsystem]], or "stepper" or "port" */
    const char *solver; /* shown as the solver's name; NULL: the integrator's name */
    int needs_file;     /* needs the key file */
    int has_inputs;     /* components of the kind have inputs from other subsystems */
    int publishes_all;  /* the kind also publishes unread outputs, for recording */
    int has_group; /* the kind integrates its components as a group, with all their variables */
    /* Creates the subsystem, and adds errors to diag. */
    wrsim_status (*create)(struct wr_assembly *a, int i_subsystem, wr_diag *diag);
} wr_setup_kind;

/* A subsystem, with the data that the driver and the recorder need. */
typedef struct wr_setup {
    const char *name; /* not owned */
    wr_subsystem *subsystem;
    const wr_setup_kind *kind;
    wr_results_waves *waves; /* played waves; NULL: none */
    int n_component;
    int *component; /* [n_component] indices into the assembly */
    /* Externals, the inputs from other subsystems: one per producing output. */
    int n_external, n_source;
    int *external_component, *external_output; /* [n_external] the producing output */
    double *external_period_s; /* [n_external] period of exchange, s; 0: the common period */
    int *external_source, *external_signal; /* [n_external] as in wr_ode_config */
    wr_wiring
        link; /* link to other subsystems; its subsystem and arena are set when the driver is placed */
    int n_published;
    int *published; /* [n_published] indices among the outputs of the subsystem's components */
    int n_recorded;
    int *recorded_kind, *recorded_index; /* [n_recorded] */
    wr_channel *channel;                 /* [n_recorded] */
    int n_group_edge;
    wr_group_edge *group_edge;
    wr_ode_config ode; /* solver_choice.c sets the solver, its options, files and bounds */
    wr_lms formula;    /* ode.options.formula points to this formula if the method is multistep */
} wr_setup;

/* Returns the group of a subsystem; NULL: its kind has no group. */
static inline wr_group *wr_setup_group(const wr_setup *m)
{
    return m->kind->has_group ? wr_ode_group(m->subsystem) : NULL;
}

/* Returns the solver's name, such as "dopri54", or the name of a kind without a solver. */
static inline const char *wr_setup_solver_name(const wr_setup *m)
{
    return m->kind->solver ? m->kind->solver : m->ode.integrator->name;
}

#endif
