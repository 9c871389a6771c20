/* Sets the tolerances of a subsystem. See ode_tolerances.h. Thread: setup only. */
#include "subsystems/ode/ode_tolerances.h"

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

/* Location error of a state event, as a share of the interval in which its indicator changes sign: RTOL_SHARE * rtol, at least
 * ROUNDING_SHARE (both assumed). Above ROUNDING_SHARE, the errors of all events' times together are less than RTOL_SHARE * rtol of the
 * simulated time. Two digits more take about 0.25 % more instructions on the engine (docs/lab/2026-11-26-time-scales.md). */
static const double RTOL_SHARE = 1e-4, ROUNDING_SHARE = 16.0 * DBL_EPSILON;

double wr_ode_choose_share(double rtol) { return wr_max(RTOL_SHARE * rtol, ROUNDING_SHARE); }

int wr_ode_tolerances_place(const wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    const double rtol = config->options.rtol;
    wr_ode_tolerances *const t = wr_ode_of(s)->tolerances;
    wr_arena_cold(arena, 1); /* evaluations of the right-hand side do not read the array */
    double *const nominal = WR_NEW_ARRAY(arena, double, config->n_external);
    wr_arena_cold(arena, 0);
    if (!nominal)
        return -1;
    for (int i = config->n_edges - 1; i >= 0; i--) {
        const wr_group_edge *const e = &config->edges[i];
        if (e->from == -1)
            nominal[e->i_external] =
                config->components[e->to]->variable[WRSIM_INPUT][e->i_input].nominal /
                fabs(wr_unit_apply_change(e->scale, 1.0));
    }
    *t = (wr_ode_tolerances){.rtol = rtol,
                             .atol_factor = config->options.atol_factor,
                             .coupling_rtol =
                                 config->coupling_rtol > 0.0 ? config->coupling_rtol : rtol,
                             .event_s = config->event_tolerance_s,
                             .jump_limit = config->jump_limit,
                             .looks_always = config->looks_always,
                             .nominal_u = nominal};
    if (!(t->event_s > 0.0))
        t->event_share = wr_ode_choose_share(t->coupling_rtol);
    return 0;
}
