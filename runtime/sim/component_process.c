/* Decides which components have a process of their own, and starts the processes. See component_process.h. Thread: one owner. Real-time: no
 * (setup). */
#include "runtime/sim/component_process.h"

#include <string.h>

#include "models/models.h"
#include "runtime/sim/simulation.h"
#include "subsystems/model_process/model_process.h"

static int has_model(const wrsim_model *const *list, const wrsim_model *model)
{
    while (*list && *list != model)
        list++;
    return *list != NULL;
}

enum { BUILT_IN = -1, OF_HOST = -2 };

/* Returns the index of the file of a model, BUILT_IN or OF_HOST. */
static int find_plugin(const wr_assembly *a, const wrsim_model *model)
{
    for (int k = 0; k < a->n_plugin; k++)
        if (has_model(wr_model_files_models(a->plugin[k]), model))
            return k;
    return has_model(wr_models, model) ? BUILT_IN : OF_HOST;
}

/* Returns whether a component without a process of its own has a model of the list, or no component with a process has one. */
static int is_used_here(const wr_settings *set, const wrsim_model *const *list)
{
    int n_own = 0;
    for (int i = 0; i < set->n_components; i++) {
        const wr_set_component *const c = &set->components[i];
        for (int k = 0; c->model && list[k]; k++) {
            const int is_its = strcmp(list[k]->name, c->model) == 0;
            if (is_its && !c->has_own_process)
                return 1;
            n_own += is_its;
        }
    }
    return n_own == 0;
}

int wr_component_process_list(const wr_assembly *a, const wr_set_plugin *plugin,
                              wr_model_process **ret_process, wr_diag *diag)
{
    int n_own = 0;
    for (int i = 0; i < a->settings->n_components; i++)
        n_own += a->settings->components[i].model && a->settings->components[i].has_own_process;
    if (n_own == 0 || !plugin->file || wr_settings_is_realtime(a->settings))
        return 0;
    wr_model_process *process = wr_model_process_start(plugin->file, &plugin->where, diag);
    if (!process)
        return -1;
    if (is_used_here(a->settings, wr_model_process_models(process))) {
        wr_model_process_end(&process);
        return 0;
    }
    *ret_process = process;
    return 1;
}

int wr_component_process_is_needed(const wr_assembly *a, int i, const wrsim_model *model)
{
    return a->settings->components[i].has_own_process ||
           ((model->caps & WRSIM_CAP_ONE_INSTANCE) && wr_component_is_claimed(model));
}

const wrsim_model *const *wr_component_process_start(wr_assembly *a, int i,
                                                     const wrsim_model *model, wr_diag *diag)
{
    const wr_set_component *const set = &a->settings->components[i];
    const wr_where *const where = set->has_own_process ? &set->where_process : &set->where;
    const char *const name = set->name ? set->name : "?";
    const int i_plugin = set->fmu ? BUILT_IN : find_plugin(a, model);
    if (wr_settings_is_realtime(a->settings)) {
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    set->has_own_process
                        ? "component '%s': process = \"own\" is impossible in a real-time run, "
                          "because each call waits for another process; remove the key 'process'"
                        : "component '%s': its model allows one instance in a process, and a "
                          "process of its own is impossible in a real-time run; remove one of the "
                          "components of this model",
                    name);
        return NULL;
    }
    if (i_plugin == OF_HOST) {
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "component '%s': a model of the host program cannot run in a process of its "
                    "own; remove the key 'process', or put the model into a plug-in",
                    name);
        return NULL;
    }
    if (i_plugin >= 0 && a->plugin_process[i_plugin]) {
        a->process[i] = a->plugin_process[i_plugin];
        a->plugin_process[i_plugin] = NULL;
    } else
        a->process[i] = wr_model_process_start(i_plugin >= 0 ? a->plugin_path[i_plugin] : set->fmu,
                                               &set->where_model, diag);
    return a->process[i] ? wr_model_process_models(a->process[i]) : NULL;
}

static int count_processes(const wr_assembly *a)
{
    int n = 0;
    for (int i = 0; a->process && i < a->n_listed; i++)
        n += a->process[i] != NULL;
    return n;
}

/* Returns whether n_worker workers leave a core for each process that they call at a time. */
static int leaves_cores(int n_worker, int n_process, int n_cpu)
{
    return n_worker <= n_cpu - (n_process < n_worker ? n_process : n_worker);
}

int wr_component_process_most_workers(const wr_assembly *a, int n_cpu)
{
    const int n_process = count_processes(a);
    int most = n_cpu;
    if (!leaves_cores(most, n_process, n_cpu))
        most = n_process <= n_cpu / 2 ? n_cpu - n_process : n_cpu / 2;
    return most > 1 ? most : 1;
}

/* Returns whether unit pu has none of the first n_busy workers and no other run. */
static int is_free_unit(const wrsim *sim, int n_busy, int pu)
{
    int is_free = !sim->topology->pu[pu].is_taken;
    for (int i = 0; i < n_busy; i++)
        is_free &= sim->worker_pu[i] != pu;
    return is_free;
}

/* Returns the next free unit after unit `last` (-1: the first), from the first unit again after the last unit; -1: none. */
static int next_free_unit(const wrsim *sim, int n_busy, int last)
{
    for (int k = 1; k <= sim->topology->n_pu; k++)
        if (is_free_unit(sim, n_busy, (last + k) % sim->topology->n_pu))
            return (last + k) % sim->topology->n_pu;
    return -1;
}

/* Returns the waits of all processes. n_busy: workers that may call at the same time. */
static wr_process_waits choose_waits(const wrsim *sim, int n_busy)
{
    /* Processes that share a core hinder one another while they spin (docs/lab/2026-11-29-component-process.md). */
    enum { NS_PER_US = 1000, SHARED_SPIN_NS = 10000 };
    const int is_pinning = sim->settings->scheduler.pin && !sim->topology->is_synthetic;
    const int n_process = count_processes(sim->assembly);
    wr_process_waits waits = {.cpu = -1, .caller_cpu = -1, .is_stop_asked = &sim->is_stop_asked};
    int n_free = 0;
    for (int pu = 0; pu < sim->topology->n_pu; pu++)
        n_free += is_free_unit(sim, n_busy, pu);
    /* A call takes 0.5 us if the process has a core without a worker, and both sides spin. Without such a core, also because another run
     * has the core, a spinning side would delay the other side. So both sleep, and a call takes 13 us on the core of the worker, but 25 us
     * on the core of another worker. */
    if (!leaves_cores(n_busy, n_process, sim->n_cpu) || n_free == 0) {
        waits.moves = is_pinning;
        return waits;
    }
    waits.spin_ns = waits.process_spin_ns = (int64_t)(NS_PER_US * sim->settings->scheduler.spin_us);
    if (n_process > n_free && waits.spin_ns > SHARED_SPIN_NS)
        waits.process_spin_ns = SHARED_SPIN_NS;
    waits.caller_cpu = is_pinning ? sim->cpu[0] : -1;
    return waits;
}

void wr_component_process_set_waits(wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    const int n_subsystem = wr_assembly_n_relaxed(a);
    const int n_busy = sim->n_worker < n_subsystem ? sim->n_worker : n_subsystem;
    wr_process_waits waits = choose_waits(sim, n_busy);
    int pu = -1;
    for (int i = 0; i < a->n_listed; i++) {
        if (!a->process[i])
            continue;
        pu = waits.caller_cpu >= 0 ? next_free_unit(sim, n_busy, pu) : -1;
        waits.cpu = pu >= 0 ? sim->topology->pu[pu].os_cpu : -1;
        wr_model_process_set_waits(a->process[i], &waits);
    }
}

int wr_component_process_stats_get(const wrsim *sim, int i, wr_component_process_stats *ret)
{
    const wr_assembly *const a = sim->assembly;
    for (int c = 0; c < a->n_listed; c++) {
        if (!a->process[c] || i-- > 0)
            continue;
        const wr_process_counts counts = wr_model_process_count(a->process[c]);
        *ret =
            (wr_component_process_stats){.component = a->component[c]->name,
                                         .is_needed = !a->settings->components[c].has_own_process,
                                         .n_call = counts.n_call,
                                         .call_cost_us = counts.call_cost_us};
        return 0;
    }
    return -1;
}

void wr_component_process_end(wr_assembly *a)
{
    for (int i = 0; a->process && i < a->n_listed; i++)
        wr_model_process_end(&a->process[i]);
    for (int k = 0; k < a->n_plugin; k++)
        wr_model_process_end(&a->plugin_process[k]);
}
