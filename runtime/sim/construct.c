/* From settings to a simulation that could be prepared. See construct.h.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/sim/construct.h"
#include "runtime/sim/delay.h"

#include <stdlib.h>

#include "base/fp_mode.h"
#include "runtime/sim/assemble.h"
#include "runtime/sim/outputs.h"
#include "runtime/sim/realtime.h"
#include "runtime/sim/workers.h"

void wr_construct_fill(wrsim *sim, wr_diag *diag)
{
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* models describe themselves */
    sim->assembly = wr_assembly_create(sim->settings, &sim->memory, sim->host.models, diag);
    wr_fp_mode_restore(before);
    wr_workers_place(sim, diag);
    wr_outputs_check(sim->settings, diag);
    wr_version_log_check(sim->settings, diag);
    wr_realtime_check(sim->settings, diag);
    wr_delay_check(sim->settings, diag);
}

wrsim *wr_construct_empty(const wr_settings *settings)
{
    static _Atomic uint64_t n_made; /* relaxed: it only gives each another one */
    wrsim *const sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->number = 1 + atomic_fetch_add_explicit(&n_made, 1, memory_order_relaxed);
    sim->own = *settings;
    if (sim->own.simulation.monolithic == WR_GROUPING_AUTO)
        sim->own.simulation.monolithic = WR_GROUPING_SPLIT;
    sim->settings = &sim->own;
    atomic_init(&sim->state, WR_SIM_CREATED);
    sim->furthest_s = settings->simulation.start_s;
    return sim;
}

void wr_simulation_find_errors(const wr_settings *settings, wr_diag *diag)
{
    wrsim *sim = wr_construct_empty(settings);
    if (!sim)
        return;
    wr_construct_fill(sim, diag);
    wr_construct_free(&sim);
}

wrsim_status wr_simulation_create(const wr_settings *settings, const wr_memory *memory,
                                  wrsim **ret_sim)
{
    wr_diag diag = {0};
    wrsim *sim = wr_construct_empty(settings);
    if (!sim)
        return WRSIM_E_MEMORY;
    if (memory)
        sim->memory = *memory;
    wr_construct_fill(sim, &diag);
    const wrsim_status status = wr_diag_status(&diag);
    wr_diag_done(&diag);
    if (status < 0)
        wr_construct_free(&sim);
    else
        *ret_sim = sim;
    return status;
}

void wr_construct_free(wrsim **sim)
{
    if (!*sim)
        return;
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* models end */
    wr_assembly_destroy(&(*sim)->assembly);
    wr_fp_mode_restore(before);
    wr_workers_done(*sim);
    free(*sim);
    *sim = NULL;
}
