/* Second runs. See probe.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/probe.h"

#include <math.h>

#include "base/check.h"
#include "runtime/sim/construct.h"
#include "runtime/sim/run_work.h"

/* Instructions per node of a wave inside a step: outputs are evaluated four times (subsystems/ode/wave_refinement.c). */
static const double NODE = 1000.0;
/* Of what windows are counted as, those of a few steps take this much: 4000 instructions against 15000. */
static const double LEAST_WINDOW = 0.25;

wrsim_status wr_probe_open(const wr_settings *settings, const wr_memory *memory, wrsim **ret_sim,
                           wrsim_error *err)
{
    wr_settings set = *settings;
    set.output.file = set.output.json = set.slack.log = "";
    set.realtime.rate = 0.0;
    set.realtime.priority = set.realtime.lock_memory = set.realtime.jitter = 0;
    /* Looking at the machine takes longer than some probes. */
    set.scheduler = (wr_set_scheduler){.workers = 1, .topology = "core:1 pu:1"};
    WR_TRY(wr_simulation_create(&set, memory, ret_sim));
    return wrsim_prepare(*ret_sim, err);
}

int wr_probe_is_fit(const wrsim *sim)
{
    wrsim_stats stats;
    return wrsim_stats_get(sim, &stats) >= 0 && stats.n_subsystem > 1 &&
           stats.n_subsystem <= WR_PROBE_SUBSYSTEMS && stats.n_state <= WR_PROBE_STATES;
}

double wr_probe_rtol(const wrsim *sim)
{
    double rtol = (double)INFINITY;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        if (s.rtol > 0.0)
            rtol = wr_min(rtol, s.rtol);
    }
    return isfinite(rtol) ? rtol : 0.0;
}

void wr_probe_merge(wr_settings *settings, double rtol)
{
    settings->simulation.monolithic = WR_GROUPING_MONOLITHIC;
    if (rtol > 0.0)
        settings->solver.rtol = rtol;
}

double wr_probe_least_work(const wrsim *sim)
{
    const int n = sim->assembly->n_subsystem;
    double work = 0.0;
    for (int i = 0; i < n; i++) {
        wrsim_subsystem_stats s;
        double window;
        wrsim_stats_subsystem(sim, i, &s);
        work += wr_run_work(&s, n, &window);
        work -= (1.0 - LEAST_WINDOW) * window;
        work += NODE * (double)sim->assembly->setup[i].subsystem->stats.n_refined;
    }
    return work;
}
