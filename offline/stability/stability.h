/* Checks whether the fixed steps of a config are stable. Along a run with solvers of variable steps, because
 * unstable steps would hide everything else, every subsystem with a fixed step is linearised. Its modes are compared
 * with the method at that step (modes.h), or the map of a step is computed (linear_step.h). Subsystems that exchange
 * once in a period without waiting are judged by the map of a period (period_map.h).
 *
 * The result holds for small changes along this run. It does not cover times between the examined points, events,
 * and modes whose directions change quickly.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_STABILITY_H
#define WR_STABILITY_H

#include "offline/stability/stability_exchange.h"
#include "offline/stability/stability_result.h"
#include "offline/structure/linear.h"

typedef struct wr_stability_request {
    const char *file; /* file of the config */
    const char *const *override;
    int n_override;
    const double *time_s; /* [n_time] ascending; NULL: n_time times spread evenly over the run */
    int n_time;
    wr_walk_progress_fn progress; /* NULL: none */
    void *user;
} wr_stability_request;

/* Makes the run and judges. Errors of the config go to report. WRSIM_E_ARG if no subsystem has a fixed step and none
 * exchanges in this way. The caller owns the result (wr_stability_done()). */
wrsim_status wr_stability_run(const wr_stability_request *request, wr_stability *ret,
                              wrsim_report_fn report, void *reporter, wrsim_error *err);
void wr_stability_done(wr_stability *stability);

/* Returns 1 if steps are judged by their own map, not by modes in a region. */
static inline int wr_stability_is_mapped(const wr_stability_group *group)
{
    return group->kept || group->has_mass;
}

#endif
