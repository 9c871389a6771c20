/* Algebraic variables of a subsystem with a singular mass matrix. See consistent.h.
 *
 * At the start, at events and at jumps of inputs, wr_ode_settle() solves the equations for the algebraic variables. A slope at such a point
 * is the slope of the solution, not f.
 *
 * Between these instants each solver step includes one Newton step for the algebraic equations (integ_linimp.c), so their residual does
 * not accumulate.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models.
 */
#include <string.h>

#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"

/* Evaluates f at (t_s, x), with the inputs of the present round. */
static int rhs_here(void *self, double t_s, const double *x, double *ret_dx)
{
    wr_subsystem *const s = self;
    const wr_group_point point = wr_ode_point_of(s, t_s, x, s->external);
    return wr_group_rhs(wr_ode_of(s)->group, &point, ret_dx);
}

static int jacobian_here(void *self, double t_s, const double *x, double *ret_values)
{
    wr_subsystem *const s = self;
    const wr_group_point point = wr_ode_point_of(s, t_s, x, s->external);
    return wr_group_jacobian(wr_ode_of(s)->group, &point, ret_values);
}

wrsim_status wr_ode_algebraic_place(wr_subsystem *s, const wr_equations *ode, wr_arena *arena)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_mass *const mass = work->group->mass;
    if (!mass)
        return WRSIM_OK;
    work->algebraic->here = *ode;
    work->algebraic->here.rhs = rhs_here;
    work->algebraic->here.jacobian = ode->jacobian ? jacobian_here : NULL;
    work->algebraic->here.tangent = NULL; /* differences of f are exact enough at events */
    work->algebraic->consistent = wr_consistent_place(arena, &work->algebraic->here);
    work->algebraic->shift = WR_NEW_ARRAY(arena, double, work->group->n_x);
    return work->algebraic->consistent && work->algebraic->shift ? WRSIM_OK : WRSIM_E_MEMORY;
}

static wrsim_status report(wr_subsystem *s, int code)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_algebraic *const a = work->algebraic;
    if (code != WRSIM_E_SOLVER || work->group->fault.status < 0)
        return wr_ode_group_fault(s);
    wr_ode_fault(s, WRSIM_E_SOLVER, s->t_s, a->consistent->message);
    if (a->consistent->i_worst >= 0) {
        s->fault.i_component = wr_group_owner_of_state(work->group, a->consistent->i_worst);
        s->fault.kind = WRSIM_STATE;
        s->fault.i_variable = a->consistent->i_worst - work->group->x_start[s->fault.i_component];
    }
    return WRSIM_E_SOLVER;
}

wrsim_status wr_ode_settle(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!work->algebraic->consistent || work->group->mass->n_algebraic == 0)
        return WRSIM_OK;
    memcpy(wr_scratch(s, WR_X_STEP), s->x, (size_t)work->group->n_x * sizeof *s->x);
    work->group->fault.status = WRSIM_OK;
    const int code = wr_consistent_solve(work->algebraic->consistent,
                                         wr_integrator_stats(work->integrator), s->t_s, s->x);
    wr_group_forget(work->group);
    if (code != 0)
        return report(s, code);
    if (memcmp(wr_scratch(s, WR_X_STEP), s->x, (size_t)work->group->n_x * sizeof *s->x) != 0)
        wr_ode_mark_changed(s);
    return WRSIM_OK;
}

wrsim_status wr_ode_slope_here(wr_subsystem *s, double *ret_dx)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point(s);
    if (!work->algebraic->consistent)
        return wr_group_rhs(work->group, &point, ret_dx) != 0 ? wr_ode_group_fault(s) : WRSIM_OK;
    work->group->fault.status = WRSIM_OK;
    const int code = wr_consistent_slope(
        work->algebraic->consistent, wr_integrator_stats(work->integrator), s->t_s, s->x, ret_dx);
    wr_group_forget(work->group);
    return code != 0 ? report(s, code) : WRSIM_OK;
}

/* Prepares derivatives at the present point for an estimate. The integrator's statistics exclude this work, because the work may depend on
 * the number of workers (wr_engine_check_early()). *ret_n_rhs: evaluations of f. */
static int prepare(wr_subsystem *s, int64_t *ret_n_rhs)
{
    wr_integ_stats spent = {.n_step = 0};
    const int code =
        wr_consistent_prepare(wr_ode_of(s)->algebraic->consistent, &spent, s->t_s, s->x);
    *ret_n_rhs = spent.n_rhs;
    return code;
}

int wr_ode_algebraic_effect(wr_subsystem *s, const double *f, double length_s, double *f_moved)
{
    wr_ode *const work = wr_ode_of(s);
    if (!work->algebraic->consistent)
        return 0;
    const int n = work->group->n_x;
    int64_t n_rhs;
    const int code = prepare(s, &n_rhs);
    s->stats.n_effect_rhs += n_rhs;
    if (code != 0)
        return -1;
    for (int i = 0; i < n; i++)
        f_moved[i] -= f[i];
    wr_consistent_split(work->algebraic->consistent, f_moved, f_moved, work->algebraic->shift);
    for (int i = 0; i < n; i++)
        f_moved[i] += f[i] + work->algebraic->shift[i] / length_s;
    wr_group_forget(work->group);
    return 0;
}

int wr_ode_algebraic_split(wr_subsystem *s, const double *df, double *ret_rate,
                           const double **ret_shift)
{
    wr_ode *const work = wr_ode_of(s);
    int64_t n_rhs;
    if (prepare(s, &n_rhs) != 0)
        return -1;
    wr_consistent_split(work->algebraic->consistent, df, ret_rate, work->algebraic->shift);
    *ret_shift = work->algebraic->shift;
    return 0;
}
