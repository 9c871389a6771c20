/* Are the fixed steps of a config stable? Along a run of it, made with solvers that choose their steps (for one with
 * unstable steps would show nothing but that), every subsystem that the config gives a fixed step is linearised, and its modes
 * are held against the method at that step (modes.h), or the map of a step is taken (linear_step.h). Where subsystems exchange once in a period without waiting, the whole
 * is held against the map of a period (period_map.h).
 *
 * What is found holds for small changes along this run: between the points that were looked at, at events, and for modes whose
 * directions turn quickly, it says nothing.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_STABILITY_H
#define WR_STABILITY_H

#include "analysis/stability/stability_exchange.h"
#include "analysis/stability/stability_result.h"
#include "analysis/structure/linear.h"

typedef struct wr_stability_request {
    const char *file; /* of the config */
    const char *const *override;
    int n_override;
    const double *time_s; /* [n_time] ascending; NULL: n_time of them evenly over the run */
    int n_time;
    wr_walk_progress_fn progress; /* NULL: nobody is told */
    void *user;
} wr_stability_request;

/* Makes the run and judges. Errors of the config go to report. WRSIM_E_ARG where no subsystem has a fixed step and none exchanges
 * so. Result: the caller's, freed by wr_stability_done(). */
wrsim_status wr_stability_run(const wr_stability_request *request, wr_stability *ret,
                              wrsim_report_fn report, void *reporter, wrsim_error *err);
void wr_stability_done(wr_stability *stability);

/* Are its steps maps of their own, not modes in a region? */
static inline int wr_stability_is_mapped(const wr_stability_group *group)
{
    return group->kept || group->has_mass;
}

#endif
