/* Where a simulation's workers run. See workers.h.
 *
 * Thread: as in wrsim/sim.h. Real-time: no (setup only).
 */
#include "runtime/sim/workers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "scheduler/pick.h"

/* The scheduler knows no config: its errors get their place here. */
static void set_places(wr_diag *diag, int i_first, wr_where where)
{
    for (int i = i_first; i < diag->n_items; i++) {
        wrsim_error *const error = &diag->items[i];
        if (error->status != WRSIM_E_CONFIG || error->file[0] || !where.file)
            continue;
        snprintf(error->file, sizeof error->file, "%s", where.file);
        error->line = where.line;
        error->column = where.column;
    }
}

static int capacity(const wrsim *sim)
{
    const int n = sim->settings->scheduler.workers;
    return n > 0 ? n : sim->topology->n_pu + 1;
}

static int is_pinning(const wrsim *sim)
{
    return sim->settings->scheduler.pin && !sim->topology->is_synthetic;
}

/* Left to itself it takes no more workers than there are subsystems. */
static void pick(wrsim *sim, wr_diag *diag)
{
    const wr_set_scheduler *const set = &sim->settings->scheduler;
    const int n_subsystem = sim->assembly ? wr_assembly_n_relaxed(sim->assembly) : 1;
    sim->n_worker = wr_pick_units(sim->topology, set->workers, n_subsystem, set->cores,
                                  set->n_cores, set->smt, sim->worker_pu, capacity(sim), diag);
}

static void choose_cpus(wrsim *sim)
{
    for (int i = 0; i < sim->n_worker; i++) {
        const int is_pinnable = is_pinning(sim) && sim->worker_pu[i] >= 0;
        sim->cpu[i] = is_pinnable ? sim->topology->pu[sim->worker_pu[i]].os_cpu : -1;
    }
}

wrsim_status wr_workers_place(wrsim *sim, wr_diag *diag)
{
    const int n_before = diag->n_items;
    sim->topology = wr_topology_create(sim->settings->scheduler.topology, diag);
    set_places(diag, n_before, wr_settings_place(sim->settings, "scheduler.topology"));
    if (!sim->topology)
        return wr_diag_status(diag);
    sim->n_cpu = sim->topology->is_synthetic ? INT_MAX : sim->topology->n_pu;
    const size_t cap = (size_t)capacity(sim);
    sim->worker_pu = calloc(cap, sizeof *sim->worker_pu);
    sim->cpu = calloc(cap, sizeof *sim->cpu);
    if (!sim->worker_pu || !sim->cpu)
        return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for %d workers",
                           capacity(sim));
    pick(sim, diag);
    set_places(diag, n_before, wr_settings_place(sim->settings, "scheduler.cores"));
    if (sim->n_worker < 1)
        return wr_diag_status(diag);
    choose_cpus(sim);
    return WRSIM_OK;
}

void wr_workers_claim(wrsim *sim, wr_diag *diag)
{
    if (is_pinning(sim)) {
        sim->claim = wr_claim_create(sim->topology, NULL);
        if (!sim->claim) {
            wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while cores are claimed");
            return;
        }
        /* Each refusal leaves one core less to choose from; cores that the config lists are taken all the same. */
        while (wr_claim_cores(sim->claim, sim->worker_pu, sim->n_worker) > 0)
            pick(sim, diag);
        choose_cpus(sim);
    }
}

void wr_workers_done(wrsim *sim)
{
    wr_claim_destroy(&sim->claim);
    wr_topology_destroy(&sim->topology);
    free(sim->worker_pu);
    free(sim->cpu);
    sim->worker_pu = sim->cpu = NULL;
}
