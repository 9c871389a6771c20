/* Points of the solution: the current one, and inside the last step.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_POINTS_H
#define WR_ODE_POINTS_H

#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"

/* State inside the last step; ret_dx, its slope, may be NULL. Writes nothing without states. */
static inline void wr_ode_state_at(wr_subsystem *s, double t_s, double *ret_x, double *ret_dx)
{
    if (wr_ode_of(s)->group->n_x > 0)
        wr_ode_of(s)->solver->dense(wr_ode_of(s)->integrator, t_s, ret_x, ret_dx);
}

/* Point inside the last step, with the inputs read. with_slope: also sets dx_step and external_slope, which
 * wr_ode_published_at() needs. */
static inline wr_group_point wr_ode_point_at(wr_subsystem *s, double t_s, int with_slope)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_state_at(s, t_s, work->scratch->x_step, with_slope ? work->scratch->dx_step : NULL);
    wr_ode_read_inputs(s, t_s, work->inputs->external_eval,
                       with_slope && work->settings->n_published_computed > 0);
    return (wr_group_point){.t_s = t_s,
                            .x = work->scratch->x_step,
                            .d = s->d,
                            .external = work->inputs->external_eval,
                            .mode = work->mode};
}

/* Current point, with the inputs in external. */
static inline wr_group_point wr_ode_point(const wr_subsystem *s)
{
    return (wr_group_point){
        .t_s = s->t_s, .x = s->x, .d = s->d, .external = s->external, .mode = wr_ode_of(s)->mode};
}

#endif
