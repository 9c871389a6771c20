/* Processes of components (subsystems/model_process): decides which components have one, and starts them. Thread: one owner. Real-time: no
 * (setup). */
#ifndef WR_COMPONENT_PROCESS_H
#define WR_COMPONENT_PROCESS_H

#include "runtime/sim/assembly.h"

struct wrsim;

/* If the models of a plug-in are only for components with processes of their own, lets a process list the models, so that wrsim does not load
 * the plug-in. Returns 1 with *ret_process; 0: wrsim must load the plug-in; -1 with the reason in diag. */
int wr_component_process_list(const wr_assembly *a, const wr_set_plugin *plugin,
                              struct wr_model_process **ret_process, wr_diag *diag);

/* Starts the process of component i with the FMU of its settings, or with the file of a model in the assembly. model: NULL with an
 * FMU. Returns the list of models of the process, or NULL with the reason in diag. */
const wrsim_model *const *wr_component_process_start(wr_assembly *a, int i,
                                                     const wrsim_model *model, wr_diag *diag);

/* Returns whether component i has a process of its own: its config demands one, or another component has the only instance that its model
 * allows. */
int wr_component_process_is_needed(const wr_assembly *a, int i, const wrsim_model *model);

/* Returns the largest number of workers, at least 1, that leaves a core for each process that the workers call at a time. */
int wr_component_process_most_workers(const wr_assembly *a, int n_cpu);

/* Sets the waits and CPUs of all processes before the run starts. */
void wr_component_process_set_waits(struct wrsim *sim);

/* Calls of the component process with number i, from 0, of the simulation. */
typedef struct wr_component_process_stats {
    const char *component;
    int is_needed; /* 1: the model allows one instance in a process; 0: the config demands the process */
    int64_t n_call; /* calls since the start */
    double
        call_cost_us; /* time of a call without the time of the model, us, measured at the start */
} wr_component_process_stats;

/* Fills *ret. Returns 0, or -1 if the simulation has at most i processes. */
int wr_component_process_stats_get(const struct wrsim *sim, int i, wr_component_process_stats *ret);

/* Ends all processes. */
void wr_component_process_end(wr_assembly *a);

#endif
