/* Bounded work: limits the steps, or the right-hand sides, of a stretch. A stretch leads from a communication point, or the start of an
 * advance, to the next communication point, or the end of the advance.
 *
 * Fixed steps: a stretch has n = ceil(length / step) planned steps. If m steps remain, each step covers 1/m of the remaining time. A step
 * with an event ends at the event, by its dense output, without a repetition. The remaining steps then become slightly longer, so an event
 * costs a restart, not a step. The stretch uses a spare step if the remaining steps would be too long, or for an event in the last step.
 * Without spare steps a coarse step with two right-hand sides (integrator.h) covers the excess. Without spare and coarse steps, the last
 * step ends at its planned end, and so does a step before much longer steps (longest_end). There the step's events fire, late and together.
 *
 * Steps with error control: a stretch has a budget of right-hand sides. If the budget is spent and bound->fails is 0, a few planned steps
 * cover the remaining time, without error control.
 *
 * In planned steps at most WR_LOCATE_BOUNDED evaluations narrow the bracket of an event. Except right after an event, events that the ends
 * of planned steps do not show stay undetected.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>

#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"

/* Limits of the length of the next steps, in lengths of a planned step (both assumed). Above longest_step the stretch uses a spare or
 * coarse step. If neither remains and the next steps would exceed longest_end, a step does not stop at its event. A late event costs far
 * more accuracy than long stable steps (docs/lab/2026-11-24-bounded-work.md). */
static const double longest_step = 1.75, longest_end = 4.0;
/* Relative rounding of the number of steps in a length (assumed). */
static const double rounding = 1e-9;
/* Planned steps in the remaining stretch after the budget is spent, and spare steps in addition (both assumed). */
enum { FINISH_STEPS = 4, FINISH_SPARE = 4 };
/* Largest number of coarse steps in a stretch (docs/lab/2026-11-24-bounded-work.md). */
enum { COARSE_MOST = 8 };

void wr_ode_bound_place(wr_subsystem *s, const wr_ode_config *config)
{
    const int is_fixed =
        config->integrator && (config->integrator->flags & WR_INTEG_FIXED_STEP) != 0;
    *wr_ode_of(s)->bound =
        (wr_bound){.is_on = is_fixed ? config->bounds_steps && config->options.step_s > 0.0
                                     : s->n_x > 0 && config->budget > 0,
                   .n_spare = config->n_spare,
                   .budget = is_fixed ? 0 : config->budget,
                   .fails = config->over_budget_fails,
                   .step_s = config->options.step_s};
}

static int64_t n_rhs(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return (work->integrator ? wr_integrator_stats(work->integrator)->n_rhs : 0) +
           s->stats.n_effect_rhs + s->stats.n_restart_rhs;
}

static void plan(wr_bound *bound, double length_s, double step_s)
{
    const double n = ceil(length_s / step_s * (1.0 - rounding));
    bound->n_left = n > 1.0 ? (int)wr_min(n, (double)INT32_MAX) : 1;
    bound->length_s = length_s / bound->n_left;
    bound->is_planned = 1;
}

/* Begins a stretch. The stretch ends at the next communication point or at the end of the advance. */
static void begin_stretch(wr_subsystem *s, double t_end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_bound *const bound = wr_ode_of(s)->bound;
    int64_t i = (int64_t)floor((s->t_s - wr_ode_start(s)) / wr_ode_communication_step(s));
    while (wr_time_is_due(s->t_s, wr_ode_grid_time(s, i)))
        i++;
    const double grid_s = wr_ode_grid_time(s, i);
    bound->end_s = grid_s < t_end_s && !wr_time_close(grid_s, t_end_s) ? grid_s : t_end_s;
    bound->is_planned = bound->is_coarse = bound->is_whole = 0;
    bound->n_spare_left = bound->n_spare;
    bound->n_coarse_left = work->solver && work->solver->coarse ? COARSE_MOST : 0;
    bound->n_rhs_before = n_rhs(s);
    if (bound->budget == 0)
        plan(bound, bound->end_s - s->t_s, bound->step_s);
}

/* Passes the remaining budget to the solver. If the budget is spent, sets a fault, or plans the remaining steps of the stretch. */
static wrsim_status spend(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_bound *const bound = work->bound;
    const int64_t n_left = bound->n_rhs_before + bound->budget - n_rhs(s);
    work->solver->limit(work->integrator, n_left > 0 ? n_left : 0);
    if (n_left > 0)
        return WRSIM_OK;
    if (bound->fails)
        return wr_ode_fault(s, WRSIM_E_LIMIT, s->t_s,
                            "the solver has spent solver.budget right-hand sides within a "
                            "communication step; raise solver.budget, loosen rtol, or set "
                            "solver.over_budget = \"finish\"");
    s->stats.n_spent++;
    plan(bound, bound->end_s - s->t_s, (bound->end_s - s->t_s) / FINISH_STEPS);
    bound->n_spare_left = FINISH_SPARE;
    return WRSIM_OK;
}

/* Returns the length of the next step, s. Sets is_coarse and is_whole, and counts the step in n_left or n_coarse_left. left_s: remaining
 * time of the stretch. */
static double next_length(wr_bound *bound, double left_s)
{
    const int has_spare = bound->n_spare_left > 0;
    bound->is_coarse = !has_spare && bound->n_coarse_left > 0 &&
                       left_s > longest_step * bound->length_s * bound->n_left;
    bound->is_whole = !has_spare && bound->n_coarse_left <= bound->is_coarse &&
                      left_s > longest_end * bound->length_s * (bound->n_left - 1);
    if (!bound->is_coarse)
        return left_s / bound->n_left--;
    bound->n_coarse_left--;
    const double excess_s = left_s - bound->length_s * bound->n_left;
    return bound->n_left == 0 ? left_s : wr_min(excess_s, bound->length_s);
}

wrsim_status wr_ode_bound_next_step(wr_subsystem *s, double t_end_s, double *stop_s)
{
    wr_bound *const bound = wr_ode_of(s)->bound;
    if (!(s->t_s < bound->end_s) || wr_time_close(s->t_s, bound->end_s))
        begin_stretch(s, t_end_s);
    if (!bound->is_planned)
        WR_TRY(spend(s));
    if (!bound->is_planned)
        return WRSIM_OK;
    const double left_s = bound->end_s - s->t_s;
    if (bound->n_left == 0 && (bound->n_spare_left > 0 || bound->n_coarse_left == 0)) {
        bound->n_left = 1;
        bound->n_spare_left--;
    }
    while (bound->n_spare_left > 0 && left_s > longest_step * bound->length_s * bound->n_left) {
        bound->n_left++;
        bound->n_spare_left--;
    }
    const double length_s = next_length(bound, left_s);
    double end_s = length_s < left_s ? s->t_s + length_s : bound->end_s;
    /* An event that is due at the step's start fires at the step's end. */
    const int is_stop = !bound->is_whole && *stop_s > s->t_s && !wr_time_close(*stop_s, s->t_s);
    if (is_stop && (*stop_s < end_s || wr_time_close(*stop_s, end_s)))
        end_s = *stop_s;
    *stop_s = end_s;
    return WRSIM_OK;
}

static int is_before(double event_s, double t_s)
{
    return event_s < t_s && !wr_time_close(event_s, t_s);
}

wrsim_status wr_ode_bound_late(wr_subsystem *s, double from_s, int n_state)
{
    const wr_ode *const work = wr_ode_of(s);
    if (!work->bound->is_whole)
        return WRSIM_OK;
    const int n_late =
        n_state + is_before(wr_ode_next_time(s), s->t_s) + is_before(wr_ode_next_jump(s), s->t_s);
    if (n_late == 0)
        return WRSIM_OK;
    if (work->bound->fails)
        return wr_ode_fault(s, WRSIM_E_LIMIT, s->t_s,
                            "too few steps can end at the events of a communication step; raise "
                            "solver.spare_steps, lower solver.step, or set "
                            "solver.over_budget = \"finish\"");
    s->stats.n_late_event += n_late;
    s->stats.latest_s = wr_max(s->stats.latest_s, s->t_s - from_s);
    return WRSIM_OK;
}

int wr_ode_may_leave(wr_subsystem *s)
{
    const wr_bound *const bound = wr_ode_of(s)->bound;
    if (!bound->is_on || bound->fails)
        return 0;
    s->stats.n_unsettled++;
    return 1;
}
