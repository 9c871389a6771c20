/* Estimates the effect of a change of inputs from one right-hand side, without a new integration.
 *
 * Over a window of length H a change of the inputs by du moves the state by about H |f(x, u + du) -
 * f(x, u)|, evaluated at the window's end. Outputs that read inputs directly are evaluated with the new inputs. So a closed valve
 * shows no effect, however large du. If the state relaxes within the window, the estimate is too large; a learned factor corrects
 * it (relax/sensitivity.h).
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <math.h>

#include "base/check.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/input_effect.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"

/* Largest |a - b| in units of rtol |b| + atol; a NaN counts as infinite. */
static double distance(int n, const double *a, const double *b, const double *at, double length_s,
                       double rtol, const double *atol)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double units = length_s * fabs(a[i] - b[i]) / (rtol * fabs(at[i]) + atol[i]);
        if (!(units <= largest))
            largest = isfinite(units) ? units : (double)INFINITY;
    }
    return largest;
}

/* The published values are the last node of the wave. */
static double outputs_moved(wr_subsystem *s, const wr_group_point *moved, const double *weight)
{
    const wr_ode *const work = wr_ode_of(s);
    if (!work->settings->plan_published || work->settings->n_published_computed == 0)
        return 0.0;
    if (wr_group_evaluate(work->group, work->settings->plan_published, moved, NULL) != 0)
        return (double)INFINITY;
    const double *const now = wr_group_evaluated(work->group);
    WR_ASSERT(s->wave->n_node > 0); /* the wave of the last integration */
    const double *const value =
        s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)work->settings->n_published;
    double largest = 0.0;
    for (int i = 0; i < work->settings->n_published; i++) {
        const int y = work->settings->published[i];
        if (work->group->state_of_output[y] < 0)
            largest = wr_max(largest, fabs(now[y] - value[i]) / weight[i]);
    }
    return largest;
}

double wr_ode_effect(wr_subsystem *s, const double *change, double length_s,
                     const double *output_weight)
{
    wr_ode *const work = wr_ode_of(s);
    const int n_x = work->group->n_x;
    for (int i = 0; i < s->n_external; i++)
        work->scratch->external_moved[i] = s->external[i] + change[i];
    const wr_group_point here = wr_ode_point(s);
    wr_group_point moved = here;
    moved.external = work->scratch->external_moved;

    double effect = 0.0;
    if (n_x > 0) {
        /* The slope of an explicit pair at the step's end is f. */
        const unsigned flags = work->solver->flags;
        const int is_pair = (flags & WR_INTEG_ROLLBACK) && !(flags & WR_INTEG_FIXED_STEP);
        const double *const dx =
            is_pair && work->clock->is_dx_exact ? work->dx : work->scratch->dx_step;
        s->stats.n_effect_rhs += 1 + (dx == work->scratch->dx_step);
        if (dx == work->scratch->dx_step &&
            wr_group_rhs(work->group, &here, work->scratch->dx_step) != 0)
            return (double)INFINITY;
        if (wr_group_rhs(work->group, &moved, work->scratch->x_moved) != 0)
            return (double)INFINITY;
        if (wr_ode_algebraic_effect(s, dx, length_s, work->scratch->x_moved) != 0)
            return (double)INFINITY;
        effect = distance(n_x, work->scratch->x_moved, dx, s->x, length_s, s->rtol, s->atol_x);
        for (int i = 0; i < n_x; i++)
            s->effect[i] = length_s * (work->scratch->x_moved[i] - dx[i]);
        s->has_effect = 1;
    }
    return wr_max(effect, outputs_moved(s, &moved, output_weight));
}
