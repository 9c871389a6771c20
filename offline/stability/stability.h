/* Checks whether the fixed steps of a config are stable. The study runs the config with solvers of variable steps, because unstable steps
 * would hide all other results. If a subsystem has a mass matrix, solvers for mass matrices keep fixed steps, with whole Jacobians. The
 * study linearises every subsystem, and for the exchange the whole system. The modes (modes.h) or the map of a step (linear_step.h) decide
 * whether the step is stable. The map of a period (period_map.h) decides for subsystems that exchange once in a period without waiting.
 *
 * The result holds for small changes along this run. The result does not cover times between the examined points, events, and modes whose
 * directions change quickly.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_STABILITY_H
#define WR_STABILITY_H

#include "offline/stability/stability_exchange.h"

typedef struct wr_stability_request {
    const char *file; /* file of the config */
    const char *const *override;
    int n_override;
    const double *time_s; /* [n_time] ascending; NULL: n_time times spread evenly over the run */
    int n_time;
    wr_walk_progress_fn progress; /* NULL: none */
    void *user;
} wr_stability_request;

/* Performs the run and judges the steps. report receives errors of the config. Returns WRSIM_OK, an error of the run, or WRSIM_E_ARG if no
 * subsystem has a fixed step or exchanges once in a period. The caller owns the result (wr_stability_done()). */
wrsim_status wr_stability_run(const wr_stability_request *request, wr_stability *ret,
                              wrsim_report_fn report, void *reporter, wrsim_error *err);
void wr_stability_done(wr_stability *stability);

/* Returns 1 if the map of a step decides, 0 if the modes decide. */
static inline int wr_stability_is_mapped(const wr_stability_group *group)
{
    return group->kept || group->has_mass;
}

#endif
