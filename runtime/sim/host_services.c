/* Services of the host and the machine: logger, memory, clock, models, observer, cores. See host_services.h.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#include "runtime/sim/host_services.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sim/component_process.h"
#include "runtime/sim/driver.h"
#include "scheduler/core_choice.h"

/* ---- host ---- */

enum { LINE_BYTES = 1024 };
static const char NEWER_MEMBER[] =
    "it sets a member that this version of the library lacks; leave the member 0";

/* Returns 1 if bytes known_bytes to size_bytes of a table are 0. These bytes are members of a newer header, which this library lacks. */
static int is_rest_zero(const void *table, size_t known_bytes, size_t size_bytes)
{
    const unsigned char *const bytes = table;
    for (size_t i = known_bytes; i < size_bytes; i++)
        if (bytes[i] != 0)
            return 0;
    return 1;
}

static const char *find_fault(const wrsim_host *host)
{
    /* The oldest wrsim_host ends before the member models. */
    if (host->size_bytes < offsetof(wrsim_host, models) || host->size_bytes > LINE_BYTES)
        return "set size_bytes to sizeof(wrsim_host)";
    if (!is_rest_zero(host, sizeof *host, host->size_bytes))
        return NEWER_MEMBER;
    if (!host->allocate != !host->release)
        return "give both allocate and release, or neither";
    if (!host->now_ns != !host->sleep_until_ns)
        return "give both now_ns and sleep_until_ns, or neither";
    return NULL;
}

wrsim_status wr_host_services_take(wrsim *sim, const wrsim_host *host, wrsim_error *err)
{
    if (!host)
        return WRSIM_OK;
    const char *const fault = find_fault(host);
    if (fault)
        return wr_error_set(err, WRSIM_E_ARG, "the wrsim_host cannot be used: %s", fault);
    const size_t bytes = host->size_bytes < sizeof *host ? host->size_bytes : sizeof *host;
    memcpy(&sim->host, host, bytes);
    sim->memory = (wr_memory){
        .allocate = host->allocate, .release = host->release, .context = host->memory_user};
    sim->pace_clock = (wr_pacer_clock){
        .now = host->now_ns, .sleep_until = host->sleep_until_ns, .context = host->clock_user};
    return WRSIM_OK;
}

void wr_host_services_log(wrsim *sim, wrsim_log_level level, const char *format, ...)
{
    if (!sim->host.log)
        return;
    char line[LINE_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    const wr_sim_state before = wr_simulation_where(sim);
    wr_simulation_enter(sim, WR_SIM_RUNNING);
    sim->host.log(sim->host.log_user, level, line);
    wr_simulation_enter(sim, before);
}

void wr_host_services_log_all(wrsim *sim, wrsim_log_level level, const wr_diag *diag)
{
    for (int i = 0; i < diag->n_items; i++) {
        const wrsim_error *const e = &diag->items[i];
        if (e->line > 0)
            wr_host_services_log(sim, level, "%s:%d: %s", e->file, e->line, e->text);
        else if (e->file[0])
            wr_host_services_log(sim, level, "%s: %s", e->file, e->text);
        else
            wr_host_services_log(sim, level, "%s", e->text);
    }
}

/* ---- observer (wrsim/observer.h) ---- */

void wr_host_services_observe(wrsim *sim)
{
    const wrsim_observer *const o = sim->observer.size_bytes > 0 ? &sim->observer : NULL;
    sim->driver->observe(sim, o);
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wr_subsystem *const s = sim->assembly->setup[i].subsystem;
        s->observer = o && (o->step || o->event) ? o : NULL;
        s->i_observed = i;
    }
}

wrsim_status wr_host_services_take_observer(wrsim *sim, const wrsim_observer *observer,
                                            wrsim_error *err)
{
    const size_t bytes = observer ? observer->size_bytes : 0;
    /* The oldest wrsim_observer ends before the member commit. */
    const char *const fault =
        observer && (bytes < offsetof(wrsim_observer, commit) || bytes > LINE_BYTES)
            ? "set size_bytes to sizeof(wrsim_observer)"
        : observer && !is_rest_zero(observer, sizeof *observer, bytes) ? NEWER_MEMBER
                                                                       : NULL;
    if (fault)
        return wr_error_set(err, WRSIM_E_ARG, "the wrsim_observer cannot be used: %s", fault);
    sim->observer = (wrsim_observer){.size_bytes = 0};
    if (observer)
        memcpy(&sim->observer, observer, bytes < sizeof *observer ? bytes : sizeof *observer);
    if (wr_driver_is_placed(sim))
        wr_host_services_observe(sim);
    return WRSIM_OK;
}

/* ---- workers ---- */

/* Adds the place in the config to errors of the scheduler, from item i_first on. The scheduler has no access to the config. */
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

/* Chooses the workers and their cores. If scheduler.workers is 0, the run has at most one worker per subsystem, and leaves cores for
 * processes of components. */
static void pick(wrsim *sim, wr_diag *diag)
{
    const wr_set_scheduler *const set = &sim->settings->scheduler;
    const int n_subsystem = sim->assembly ? wr_assembly_n_relaxed(sim->assembly) : 1;
    const int n_free =
        sim->assembly ? wr_component_process_most_workers(sim->assembly, sim->n_cpu) : 1;
    sim->n_worker = wr_core_choice_units(
        sim->topology, set->workers, n_subsystem < n_free ? n_subsystem : n_free, set->cores,
        set->n_cores, set->smt, sim->worker_pu, capacity(sim), diag);
}

static void choose_cpus(wrsim *sim)
{
    for (int i = 0; i < sim->n_worker; i++) {
        const int is_pinnable = is_pinning(sim) && sim->worker_pu[i] >= 0;
        sim->cpu[i] = is_pinnable ? sim->topology->pu[sim->worker_pu[i]].os_cpu : -1;
    }
}

wrsim_status wr_host_services_choose_cores(wrsim *sim, wr_diag *diag)
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
        return wr_diag_add(diag, WRSIM_E_MEMORY, NULL,
                           "out of memory for %d workers; lower scheduler.workers", capacity(sim));
    pick(sim, diag);
    set_places(diag, n_before, wr_settings_place(sim->settings, "scheduler.cores"));
    if (sim->n_worker < 1)
        return wr_diag_status(diag);
    choose_cpus(sim);
    return WRSIM_OK;
}

void wr_host_services_claim_cores(wrsim *sim, wr_diag *diag)
{
    if (is_pinning(sim)) {
        sim->claim = wr_core_lock_create(sim->topology, NULL);
        if (!sim->claim) {
            wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while cores are claimed");
            return;
        }
        /* wr_core_lock_take() refuses a core once, so the loop ends. A core listed in the config stays chosen even after a refusal. */
        while (wr_core_lock_take(sim->claim, sim->worker_pu, sim->n_worker) > 0)
            pick(sim, diag);
        choose_cpus(sim);
    }
}

void wr_host_services_free_cores(wrsim *sim)
{
    wr_core_lock_destroy(&sim->claim);
    wr_topology_destroy(&sim->topology);
    free(sim->worker_pu);
    free(sim->cpu);
    sim->worker_pu = sim->cpu = NULL;
}
