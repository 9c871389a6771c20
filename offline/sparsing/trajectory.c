/* Comparison of the states of a subsystem in two runs. See trajectory.h.
 *
 * Thread: one owner. Real-time: no. */
#include "offline/sparsing/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/structure/view.h"
#include "offline/structure/walk.h"

/* Smallest reference range of a state, as a part of its nominal value; the same as in lag.c. */
static const double LEAST_RANGE = 1e-3;

static wrsim_status take(wrsim *sim, wr_view *view, const double *time_s, int n_time,
                         wr_trajectory *to, wrsim_error *err)
{
    to->n = view->n[WRSIM_STATE];
    to->n_time = n_time;
    to->x = calloc((size_t)to->n * (size_t)n_time + 1, sizeof *to->x);
    if (!to->x)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d times", n_time);
    for (int k = 0; k < n_time; k++) {
        WR_TRY(wr_walk_to(sim, time_s[k], err));
        WR_TRY(wr_view_take(view, err));
        memcpy(to->x + (size_t)k * (size_t)to->n, view->x, (size_t)to->n * sizeof *to->x);
    }
    return WRSIM_OK;
}

wrsim_status wr_trajectory_run(const wrsim_config *config, const char *subsystem,
                               const double *time_s, int n_time, wrsim_report_fn report,
                               void *reporter, wr_trajectory *ret_trajectory, wrsim_error *err)
{
    const wr_selection selection = {.subsystem = subsystem};
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    WR_AUTO(wr_view_destroy) wr_view *view = NULL;
    *ret_trajectory = (wr_trajectory){.n = 0};
    wrsim_status status = wr_walk_begin(config, report, reporter, &sim, err);
    WR_THEN(status, wr_view_create(sim, &selection, &view, err));
    WR_THEN(status, take(sim, view, time_s, n_time, ret_trajectory, err));
    return status;
}

void wr_trajectory_done(wr_trajectory *trajectory)
{
    free(trajectory->x);
    *trajectory = (wr_trajectory){.n = 0};
}

double wr_trajectory_error(const wr_trajectory *of, const wr_trajectory *reference, int i,
                           const double *nominal)
{
    double low = HUGE_VAL, high = -HUGE_VAL, off = 0.0;
    const size_t n = (size_t)reference->n;
    for (size_t k = 0; k < (size_t)reference->n_time; k++) {
        const double is = of->x[k * n + (size_t)i], should = reference->x[k * n + (size_t)i];
        if (!isfinite(is) || !isfinite(should))
            return HUGE_VAL;
        low = wr_min(low, should);
        high = wr_max(high, should);
        off = wr_max(off, fabs(is - should));
    }
    return off / wr_max(high - low, LEAST_RANGE * nominal[i]);
}
