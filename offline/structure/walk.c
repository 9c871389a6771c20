/* A run that stops at chosen times. See walk.h. Thread: one owner. Real-time: no. */
#include "offline/structure/walk.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/diag.h"
#include "runtime/sim/report.h"
#include "runtime/sim/simulation.h"

const char *const wr_walk_overrides[] = {"output.file=\"\"",
                                         "output.json=\"\"",
                                         "output.events=false",
                                         "slack.log=\"\"",
                                         "realtime.rate=0",
                                         "realtime.priority=0",
                                         "realtime.lock_memory=false",
                                         "realtime.jitter=false",
                                         NULL};

wrsim_status wr_walk_begin(const wrsim_config *config, wrsim_report_fn report, void *reporter,
                           wrsim **ret_sim, wrsim_error *err)
{
    wrsim *sim = NULL;
    WR_TRY(wrsim_create(config, report, reporter, &sim, report ? NULL : err));
    const wrsim_status status = wrsim_prepare(sim, err);
    if (status < 0)
        wrsim_destroy(&sim);
    else
        *ret_sim = sim;
    return status;
}

wrsim_status wr_walk_to(wrsim *sim, double time_s, wrsim_error *err)
{
    const wrsim_status status = wrsim_advance(sim, time_s, err);
    char end[256];
    /* Models that have ended the run, such as FMUs, have no values at other points. */
    if (status >= 0 && wr_report_end(sim, end, sizeof end))
        return wr_error_set(err, WRSIM_E_STATE,
                            "%s, but the command needs the run up to t = %.9g s; set an earlier "
                            "simulation.stop, or choose earlier times",
                            end, time_s);
    return status == WRSIM_STOPPED
               ? wr_error_set(err, WRSIM_E_STATE,
                              "the run was stopped at t = %.9g s; repeat the command",
                              wrsim_time(sim))
               : status;
}

wrsim_status wr_walk_check_times(const wrsim_config *config, const double *time_s, int n_time,
                                 wrsim_error *err)
{
    const double start_s = config->settings->simulation.start_s,
                 stop_s = config->settings->simulation.stop_s;
    for (int i = 0; i < n_time; i++) {
        if (!(time_s[i] >= start_s && time_s[i] <= stop_s))
            return wr_error_set(
                err, WRSIM_E_ARG,
                "time %.9g s is not within the run, %.9g s to %.9g s; choose another time",
                time_s[i], start_s, stop_s);
        if (i > 0 && !(time_s[i] > time_s[i - 1]))
            return wr_error_set(err, WRSIM_E_ARG,
                                "times must ascend, but %.9g s follows %.9g s; sort the times",
                                time_s[i], time_s[i - 1]);
    }
    return WRSIM_OK;
}

double *wr_walk_times(const wrsim_config *config, int n_time)
{
    const double start_s = config->settings->simulation.start_s,
                 stop_s = config->settings->simulation.stop_s;
    double *const time_s = calloc((size_t)n_time + 1, sizeof *time_s);
    for (int i = 0; time_s && i < n_time; i++)
        time_s[i] = i + 1 == n_time && n_time > 1
                        ? stop_s
                        : start_s + (stop_s - start_s) * i / (n_time > 1 ? n_time - 1 : 1);
    return time_s;
}
