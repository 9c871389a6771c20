/* Output of a subsystem: nodes of its wave, and recorded rows.
 *
 * Outputs that are states take their slopes from the integrator. Slopes of other outputs are differences along the solution:
 * (y(t + e, x + e x', u + e u') - y(t, x, u)) / e. The distance e is 1e-6 of the last step. Relative to the change of y in the step, the
 * truncation error is about e / step = 1e-6. The rounding error of y is about eps step / e = 2e-10. An algebraic loop across subsystems
 * amplifies the rounding, so outputs in a loop use a central difference with e = 1e-3 of the step. The central difference has a rounding
 * error of 2e-13, and a truncation error of about 1e-6.
 *
 * Between two nodes a wave is a cubic, through values and slopes. Outputs that are states need no further nodes if the dense output is
 * this cubic. find_split() compares computed outputs, and dense output of a higher order, with the cubic at two points of the step,
 * theta = 1/2 -+ sqrt(1/20). At these points an odd error, theta^2 (1 - theta)^2 (theta - 1/2) of the fifth derivative, has its maximum.
 * An even error, theta^2 (1 - theta)^2 of the fourth derivative, has 0.64 of its maximum. If the difference exceeds a share of the
 * tolerance, refine() divides the interval, recursively. The two points have no simple ratio to the step, so an oscillation hardly agrees
 * with the cubic at both points. Inputs are smooth only between their nodes, so find_split() also compares outputs that depend on inputs at
 * these nodes.
 *
 * Thread: one at a time. Real-time: yes after placing, with rt-safe models.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/group/group_stale.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"

/* Sizes of the recursion for nodes inside a step (assumed). The largest number of nested divisions of a step is REFINE_LEVELS - 1, or
 * REFINE_LEVELS_BOUNDED in a planned step (bounded_work.h). */
enum { REFINE_LEVELS = 24, REFINE_LEVELS_BOUNDED = 1 };
static const double SLOPE_SHARE = 1e-6, SLOPE_SHARE_OF_LOOP = 1e-3;
/* A slope jump gets a node if the jump moves an output by more than this share of the solver's tolerance over the remaining window. The
 * error of the cubic is at most 4/27 of this move (docs/lab/2026-11-22-events.md). */
static const double SLOPE_JUMP_SHARE = 0.2;
static const double REACH_SHARE = 0.01; /* least scale of differences, over reach_s (assumed) */

/* Values of late[]: an output changes with the next round of events, or with a later round. */
enum { LATE_DUE = 1, LATE_HELD };

/* Places the plans of the published outputs and of the recorded variables. */
static int place_plans(wr_subsystem *s, wr_arena *arena)
{
    wr_ode_publication *const p = wr_ode_of(s)->publication;
    const wr_group *const group = wr_ode_of(s)->group;
    wr_arena_cold(arena, 1); /* only wr_group_plan_place() reads the arrays */
    int *const outputs = WR_NEW_ARRAY(arena, int, s->n_published + s->n_recorded);
    int *const inputs = WR_NEW_ARRAY(arena, int, s->n_recorded);
    wr_arena_cold(arena, 0);
    if (!outputs || !inputs)
        return -1;
    int n_output = 0, n_input = 0;
    for (int i = 0; i < s->n_published; i++)
        if (group->state_of_output[p->published[i]] < 0)
            outputs[p->n_computed++] = p->published[i];
    if (p->n_computed > 0) {
        p->plan = wr_group_plan_place(arena, group, outputs, p->n_computed, NULL, 0);
        if (!p->plan)
            return -1;
    }
    for (int i = 0; i < s->n_recorded; i++) {
        if (p->recorded_kind[i] == WRSIM_OUTPUT)
            outputs[n_output++] = p->recorded_index[i];
        if (p->recorded_kind[i] == WRSIM_INPUT)
            inputs[n_input++] = p->recorded_index[i];
    }
    if (n_output + n_input == 0)
        return 0;
    p->plan_recorded = wr_group_plan_place(arena, group, outputs, n_output, inputs, n_input);
    return p->plan_recorded ? 0 : -1;
}

const int *wr_ode_copy_ints(wr_arena *arena, const int *source, int n)
{
    int *const copy = WR_NEW_ARRAY(arena, int, n);
    if (copy && n > 0)
        memcpy(copy, source, (size_t)n * sizeof *copy);
    return copy;
}

int wr_ode_output_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    wr_ode_publication *const p = wr_ode_of(s)->publication;
    const wr_group *const group = wr_ode_of(s)->group;
    p->record_events = config->record_events;
    p->known_s = (double)NAN;
    p->published = wr_ode_copy_ints(arena, config->published, config->n_published);
    p->recorded_kind = wr_ode_copy_ints(arena, config->recorded_kind, config->n_recorded);
    p->recorded_index = wr_ode_copy_ints(arena, config->recorded_index, config->n_recorded);
    wr_arena_cold(arena, group->n_z == 0);
    p->value = WR_NEW_ARRAY(arena, double, s->n_published);
    p->slope = WR_NEW_ARRAY(arena, double, s->n_published);
    p->late = WR_NEW_ARRAY(arena, unsigned char, group->stale ? s->n_published : 0);
    wr_arena_cold(arena, 0);
    if (!p->published || !p->recorded_kind || !p->recorded_index || !p->value || !p->slope ||
        !p->late)
        return -1;
    for (int i = 0; i < group->n_x; i++)
        p->loosest = wr_max(p->loosest, group->tolerance_factor[i]);
    return place_plans(s, arena);
}

/* Places the memory for nodes inside steps. Such nodes occur if an output is computed, or if the dense output is not the wave's cubic. */
int wr_ode_refinement_place(wr_subsystem *s, wr_arena *arena, const wr_integrator_ops *solver)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_publication *const p = work->publication;
    for (int i = 0; i < s->n_external; i++)
        p->follows_inputs |= wr_ode_passes_on(s, i);
    p->is_held = p->plan && !p->follows_inputs && !wr_group_plan_has_states(work->group, p->plan);
    if (p->n_computed == 0 &&
        (work->group->n_x == 0 || (solver->dense_order <= 3 && !solver->current)))
        return 0;
    wr_arena_cold(arena, 1);
    p->refine = WR_NEW_ARRAY(arena, double, 2 * (REFINE_LEVELS + 1) * s->n_published);
    wr_arena_cold(arena, 0);
    return p->refine ? 0 : -1;
}

void wr_ode_output_state(wr_subsystem *s, wr_state_io *io)
{
    wr_ode_publication *const p = wr_ode_of(s)->publication;
    WR_STATE(io, p->amplification);
    WR_STATE(io, p->has_shown);
    WR_STATE(io, p->n_round_shown);
}

void wr_ode_set_amplification(wr_subsystem *s, double amplification)
{
    wr_ode_of(s)->publication->amplification = amplification;
}

/* Returns the point e seconds later along the slopes dx and the slopes of the inputs. If is_held is set, only the time changes. */
static wr_group_point move_point(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double e)
{
    wr_ode *const work = wr_ode_of(s);
    if (work->publication->is_held) {
        wr_group_point moved = *point;
        moved.t_s += e;
        return moved;
    }
    for (int i = 0; i < work->group->n_x; i++)
        wr_scratch(s, WR_X_MOVED)[i] = point->x[i] + e * dx[i];
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] = point->external[i] + e * wr_ode_input_slopes(s)[i];
    return (wr_group_point){.t_s = point->t_s + e,
                            .x = wr_scratch(s, WR_X_MOVED),
                            .d = point->d,
                            .external = wr_scratch(s, WR_EXTERNAL_MOVED),
                            .mode = point->mode};
}

/* Evaluates the outputs at the point e seconds later (move_point()). Returns 0, or another value if the model fails. */
static int evaluate_moved(wr_subsystem *s, const wr_group_point *point, const double *dx, double e,
                          double *ret_y)
{
    const wr_group_point moved = move_point(s, point, dx, e);
    return wr_group_evaluate(wr_ode_of(s)->group, wr_ode_of(s)->publication->plan, &moved, ret_y);
}

/* Returns the length of a move along the solution, s, that floating-point times resolve. The move is `share` of the last step, or of
 * REACH_SHARE * reach_s if longer, because differences over a very short step are rounding. */
static double choose_move(const wr_subsystem *s, double t_s, double share)
{
    const wr_ode *const work = wr_ode_of(s);
    const double step_s =
        work->publication->inside_s > 0.0 ? work->publication->inside_s : wr_ode_last_step(s);
    const double scale_s = wr_max(step_s, REACH_SHARE * wr_ode_reach(s));
    const double wanted = wr_max(share * scale_s, 64.0 * DBL_EPSILON * fabs(t_s));
    const double e = (t_s + wanted) - t_s;
    return e > 0 ? e : wanted;
}

/* Writes outputs at the moved point into WR_Y_MOVED. Returns 1 over the time of the difference, negative for a move backwards, or 0 if the
 * model fails. *ret_is_central: WR_Y_BACK has the outputs on the other side, for a central difference in a loop. */
static double evaluate_beside(wr_subsystem *s, const wr_group_point *point, const double *dx,
                              int *ret_is_central)
{
    wr_ode *const work = wr_ode_of(s);
    *ret_is_central = 0;
    if (work->publication->amplification > 0.0) {
        const double e = choose_move(s, point->t_s, SLOPE_SHARE_OF_LOOP);
        const double back = wr_max(point->t_s - (point->t_s - e), 0.0);
        *ret_is_central = evaluate_moved(s, point, dx, e, wr_scratch(s, WR_Y_MOVED)) == 0 &&
                          evaluate_moved(s, point, dx, -back, wr_scratch(s, WR_Y_BACK)) == 0;
        if (*ret_is_central)
            return 1.0 / (e + back);
    }
    const double e = choose_move(s, point->t_s, SLOPE_SHARE);
    if (evaluate_moved(s, point, dx, e, wr_scratch(s, WR_Y_MOVED)) == 0)
        return 1.0 / e;
    /* At the edge of the model's range the difference is backwards. */
    return evaluate_moved(s, point, dx, -e, wr_scratch(s, WR_Y_MOVED)) == 0 ? -1.0 / e : 0.0;
}

wrsim_status wr_ode_published_at(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double *ret_value, double *ret_slope)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const int has_computed = work->publication->n_computed > 0;
    double per_e = 0.0;
    int is_central = 0;
    if (has_computed) {
        WR_POINTS_FOR(s, PUBLISH);
        s->stats.n_output_evaluation += ret_slope ? 2 : 1;
        if (ret_slope && (per_e = evaluate_beside(s, point, dx, &is_central)) == 0.0)
            return wr_ode_group_fault(s);
        if (wr_group_evaluate(group, work->publication->plan, point, NULL) != 0)
            return wr_ode_group_fault(s);
    }
    const double *const value = wr_group_evaluated(group);
    const double *const beside = is_central ? wr_scratch(s, WR_Y_BACK) : value;
    for (int i = 0; i < s->n_published; i++) {
        const int y = work->publication->published[i], x = group->state_of_output[y];
        ret_value[i] = x >= 0 ? point->x[x] : value[y];
        if (ret_slope)
            ret_slope[i] = x >= 0 ? dx[x] : (wr_scratch(s, WR_Y_MOVED)[y] - beside[y]) * per_e;
        if (!(fabs(ret_value[i]) <= DBL_MAX && fabs(ret_slope ? ret_slope[i] : 0.0) <= DBL_MAX)) {
            int c = 0;
            while (wr_ode_of(s)->group->y_start[c + 1] <= y)
                c++;
            s->fault = (wr_fault){.status = WRSIM_E_NAN,
                                  .t_s = point->t_s,
                                  .i_component = c,
                                  .kind = WRSIM_OUTPUT,
                                  .i_variable = y - wr_ode_of(s)->group->y_start[c],
                                  .message = "its value or slope overflows"};
            return WRSIM_E_NAN;
        }
    }
    return WRSIM_OK;
}

/* Evaluates the published outputs at states changed by sign times an error. Returns 0, or another value if the model fails. */
static int evaluate_off(wr_subsystem *s, wr_group_point *point, const double *error, double sign)
{
    wr_ode *const work = wr_ode_of(s);
    const double *const x = point->x;
    for (int i = 0; i < work->group->n_x; i++)
        wr_scratch(s, WR_X_MOVED)[i] = x[i] + sign * error[i];
    point->x = wr_scratch(s, WR_X_MOVED);
    const int rc =
        wr_group_evaluate(work->group, work->publication->plan, point, wr_scratch(s, WR_Y_MOVED));
    point->x = x;
    return rc;
}

/* Returns the largest error of a computed output relative to its size, divided by the largest tolerance factor of a state. Returns INFINITY
 * if the model fails. Computed outputs need their own error control. The relative tolerance of an angle of many turns may be a whole turn,
 * but the sine of the angle needs more accuracy. */
double wr_ode_computed_error(void *self, double t_s, const double *x, const double *error)
{
    wr_subsystem *const s = self;
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    wr_group_point point = {
        .t_s = t_s, .x = x, .d = s->d, .external = wr_ode_inputs_at(s, t_s, 0), .mode = work->mode};
    const int is_off_had =
        evaluate_off(s, &point, error, 1.0) == 0 || evaluate_off(s, &point, error, -1.0) == 0;
    if (!is_off_had || wr_group_evaluate(group, work->publication->plan, &point, NULL) != 0) {
        group->fault.status = WRSIM_OK; /* publishing reports the fault */
        return (double)INFINITY;
    }
    group->fault.status = WRSIM_OK;
    const double *const value = wr_group_evaluated(group);
    double largest = 0.0;
    for (int i = 0; i < s->n_published; i++) {
        const int y = work->publication->published[i];
        if (group->state_of_output[y] >= 0)
            continue;
        const double size = wr_max(work->publication->y_size[i], fabs(value[y]));
        const double off = fabs(wr_scratch(s, WR_Y_MOVED)[y] - value[y]) /
                           (size + wr_ode_atol_factor(s) * group->nominal_y[y]);
        largest = wr_max(largest, off);
    }
    return largest / work->publication->loosest;
}

void wr_ode_note_sizes(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const int n = s->n_published;
    const double *const value = s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)n;
    for (int i = 0; i < n; i++)
        work->publication->y_size[i] = wr_max(work->publication->y_size[i], fabs(value[i]));
}

wrsim_status wr_ode_add_node(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope)
{
    s->stats.n_node += s->n_published > 0;
    const wrsim_status status = wr_wave_extend(s->wave, t_s, ret_value, ret_slope);
    if (status < 0)
        wr_ode_fault(
            s, status, t_s,
            "a window has too many steps for a waveform; lower relaxation.window.min and .max (or "
            "slack.period), raise relaxation.max_nodes, or check the model for a singularity");
    return status;
}

wrsim_status wr_ode_publish(wr_subsystem *s, const wr_group_point *point, const double *dx)
{
    double *value, *slope;
    WR_TRY(wr_ode_add_node(s, point->t_s, &value, &slope));
    return wr_ode_published_at(s, point, dx, value, slope);
}

/* Returns whether value[n_published] equals the wave's last node, up to the smaller of WR_LEAST_JUMP and SLOPE_JUMP_SHARE * rtol. With
 * slope[n_published], not NULL, only the latter bound counts, also for the effect of the slopes' difference until the window's end. */
static int is_shown(const wr_subsystem *s, const double *value, const double *slope)
{
    const size_t last = (size_t)(s->wave->n_node - 1) * (size_t)s->n_published;
    const double *const shown = s->wave->value + last, *const turned = s->wave->slope + last;
    const double least = slope ? 1.0 : WR_LEAST_JUMP, reach_s = wr_ode_window_end(s) - s->t_s;
    const double part = wr_min(SLOPE_JUMP_SHARE * wr_ode_rtol(s), least);
    for (int i = 0; i < s->n_published; i++) {
        double moved = fabs(value[i] - shown[i]);
        if (slope)
            moved += reach_s * fabs(slope[i] - turned[i]);
        const double nominal = s->nominal_published[i];
        if (!(moved <= part * (fabs(shown[i]) + wr_ode_atol_factor(s) * nominal)))
            return 0;
    }
    return 1;
}

/* Publishes values as a node of a round of the present instant. Earlier rounds without a node also get a node. */
static wrsim_status show_round(wr_subsystem *s, int round, const double *value, const double *slope)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n = (size_t)s->n_published;
    double *to_value, *to_slope;
    while (work->publication->n_round_shown < round - 1) { /* earlier rounds without a change */
        WR_TRY(wr_ode_add_node(s, s->t_s, &to_value, &to_slope));
        memcpy(to_value, to_value - n, n * sizeof *to_value);
        memcpy(to_slope, to_slope - n, n * sizeof *to_slope);
        work->publication->n_round_shown++;
    }
    WR_TRY(wr_ode_add_node(s, s->t_s, &to_value, &to_slope));
    memcpy(to_value, value, n * sizeof *to_value);
    memcpy(to_slope, slope, n * sizeof *to_slope);
    wr_ode_publish_causes(s);
    work->publication->n_round_shown++;
    return WRSIM_OK;
}

/* Marks in late[] the published outputs that due events of models with their own modes change. Outputs whose event waits keep the
 * values of the last node in value[n_published]. Returns whether an output is marked. */
static int mark_late(wr_subsystem *s, double *value)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_publication *const p = work->publication;
    wr_group *const group = work->group;
    const double *const shown =
        s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)s->n_published;
    const unsigned char *const marks[] = {group->stale->is_held, group->stale->is_due};
    int any = 0;
    memset(p->late, 0, (size_t)s->n_published);
    for (int k = 0; k < 2; k++) {
        if (wr_group_mark_stale(group, marks[k]) == 0)
            continue;
        for (int i = 0; i < s->n_published; i++) {
            if (p->late[i] || !group->stale->output[p->published[i]])
                continue;
            p->late[i] = k == 0 ? LATE_HELD : LATE_DUE;
            value[i] = k == 0 ? shown[i] : value[i];
            any = 1;
        }
    }
    return any;
}

/* Evaluates the published outputs after a round of events, ret_value[n_published]. Components with a flag in is_after (NULL: none) have
 * their states and discrete states after the round, all other components their states and discrete states before the round. */
static wrsim_status published_with(wr_subsystem *s, const unsigned char *is_after,
                                   double *ret_value)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    double *const x = wr_scratch(s, WR_X_MOVED), *const d = wr_scratch(s, WR_D_PROBE);
    wr_ode_copy(x, wr_scratch(s, WR_X_BEFORE), group->n_x);
    wr_ode_copy(d, work->instant->d_before, group->n_d);
    for (int c = 0; is_after && c < group->n_component; c++) {
        const int i_x = group->x_start[c], i_d = group->d_start[c];
        if (!is_after[c])
            continue;
        wr_ode_copy(x + i_x, s->x + i_x, group->x_start[c + 1] - i_x);
        wr_ode_copy(d + i_d, s->d + i_d, group->d_start[c + 1] - i_d);
    }
    wr_group_point point = wr_ode_point_of(s, s->t_s, x, s->external);
    point.d = d;
    return wr_ode_published_at(s, &point, NULL, ret_value, NULL);
}

wrsim_status wr_ode_amend_round(wr_subsystem *s)
{
    wr_ode_publication *const p = wr_ode_of(s)->publication;
    double *const shown = s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)s->n_published;
    if (!p->has_late)
        return WRSIM_OK;
    p->has_late = 0;
    WR_TRY(published_with(s, NULL, p->value));
    WR_TRY(published_with(s, wr_ode_of(s)->group->stale->is_due, p->slope));
    /* An event that changes no value at the old states has changed no branch, so the value of the round was right. A new branch is valid at
     * the new states only. For example, an event sets back an angle and counts a turn. */
    for (int i = 0; i < s->n_published; i++) {
        const double size = fabs(shown[i]) + wr_ode_atol_factor(s) * s->nominal_published[i];
        if (p->late[i] == LATE_DUE && !(fabs(p->value[i] - shown[i]) <= WR_LEAST_JUMP * size))
            shown[i] = p->slope[i];
    }
    return WRSIM_OK;
}

wrsim_status wr_ode_note_round(wr_subsystem *s, int round)
{
    wr_ode *const work = wr_ode_of(s);
    if (s->n_published == 0 || !wr_ode_is_wave_open(s))
        return WRSIM_OK;
    const wr_group_point point = wr_ode_point(s);
    WR_TRY(wr_ode_published_at(s, &point, NULL, work->publication->value, NULL));
    const int has_late = work->group->stale && mark_late(s, work->publication->value);
    if (!has_late && is_shown(s, work->publication->value, NULL))
        return WRSIM_OK;
    memset(work->publication->slope, 0, (size_t)s->n_published * sizeof *work->publication->slope);
    work->publication->has_late = has_late;
    return show_round(s, round, work->publication->value, work->publication->slope);
}

wrsim_status wr_ode_publish_right(wr_subsystem *s, int round)
{
    wr_ode_publication *const p = wr_ode_of(s)->publication;
    const size_t n = (size_t)s->n_published;
    const wr_group_point point = wr_ode_point(s);
    WR_TRY(wr_ode_published_at(s, &point, wr_ode_of(s)->dx, p->value, p->slope));
    const int has_moved = !is_shown(s, p->value, NULL);
    p->has_shown = has_moved || p->n_round_shown > 0;
    if (!has_moved && p->n_round_shown > 0)
        memcpy(s->wave->slope + (size_t)(s->wave->n_node - 1) * n, p->slope, n * sizeof *p->slope);
    else if (has_moved || !is_shown(s, p->value, p->slope))
        return show_round(s, has_moved ? round : 1, p->value, p->slope);
    return WRSIM_OK;
}

static double recorded_value(const wr_subsystem *s, const wr_group_point *point, int kind, int i)
{
    switch ((wrsim_kind)kind) {
    case WRSIM_STATE:
        return point->x[i];
    case WRSIM_DISCRETE:
        return point->d[i];
    case WRSIM_INPUT:
        return wr_group_input(wr_ode_of(s)->group, i);
    case WRSIM_OUTPUT:
        return wr_group_evaluated(wr_ode_of(s)->group)[i];
    case WRSIM_INDICATOR:
    case WRSIM_PARAMETER:
    case WRSIM_KIND_COUNT:
        break;
    }
    return (double)NAN; /* wr_ode_create() rejects other kinds */
}

int wr_ode_recorded_at(wr_subsystem *s, const wr_group_point *point, double *ret_row)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_publication *const p = work->publication;
    if (p->plan_recorded && wr_group_evaluate(work->group, p->plan_recorded, point, NULL) != 0)
        return 1;
    for (int i = 0; i < s->n_recorded; i++)
        ret_row[i] = recorded_value(s, point, p->recorded_kind[i], p->recorded_index[i]);
    return 0;
}

wrsim_status wr_ode_append_row(wr_subsystem *s, const wr_group_point *point, wr_row_kind kind,
                               double row_time_s)
{
    WR_POINTS_FOR(s, PUBLISH);
    wr_ode *const work = wr_ode_of(s);
    if (s->n_row == s->cap_row)
        return wr_ode_fault(s, WRSIM_E_LIMIT, row_time_s,
                            "a window has too many recorded rows; lower relaxation.window.min and "
                            ".max (or slack.period), or set output.events = false");
    s->stats.n_output += work->publication->plan_recorded != NULL;
    if (wr_ode_recorded_at(s, point, s->row_value + (size_t)s->n_row * (size_t)s->n_recorded) != 0)
        return wr_ode_group_fault(s);
    s->row_time_s[s->n_row] = row_time_s;
    s->row_kind[s->n_row++] = (unsigned char)kind;
    return WRSIM_OK;
}

/* ---- nodes inside a step ---- */

/* Largest error of waves, as a share of the coupling tolerance (docs/lab/2026-11-23-instants.md). The share is half of the default of
 * relaxation.solver_tolerance_factor. */
static const double WAVE_SHARE = 0.1;
/* Least detectable deviation, as a share of a value (assumed). Slopes by differences are not more accurate. */
static const double LEAST_SHARE = 1e-13;
/* Bound, with a reserve, of the rounding of three points of time (DBL_EPSILON / 2 each), as a share of slope times present time. */
static const double CLOCK_SHARE = 4.0 * DBL_EPSILON;
/* The two values of theta in find_split(), 1/2 -+ sqrt(1/20), and the ratio of the largest even error to the even error at theta. */
static const double LOOK_AT[2] = {0.2763932022500210, 0.7236067977499790};
static const double EVEN_ERROR = 1.5625;

/* The interval from the wave's last node to right_s, with values and then slopes at right_s. */
typedef struct wr_refine {
    double left_s, right_s;
    const double *right;
} wr_refine;

static double *buffer_of(const wr_subsystem *s, int level)
{
    return wr_ode_of(s)->publication->refine + 2 * (size_t)level * (size_t)s->n_published;
}

/* Returns whether the dense output is equal to the wave's cubic. */
static int has_cubic_states(const wr_subsystem *s)
{
    return wr_ode_of(s)->group->n_x == 0 ||
           wr_integrator_current(wr_ode_of(s)->solver, wr_ode_of(s)->integrator)->dense_order <= 3;
}

/* Returns the point at a time inside the step. If publication->is_held is set and the dense output is the wave's cubic, the point has the
 * states and inputs of the current point. */
static wr_group_point point_inside(wr_subsystem *s, double t_s, int with_slope)
{
    if (!wr_ode_of(s)->publication->is_held || !has_cubic_states(s))
        return wr_ode_point_at(s, t_s, with_slope);
    wr_group_point point = wr_ode_point(s);
    point.t_s = t_s;
    return point;
}

/* Evaluates the published outputs at t_s without slopes, into ret[n_published]. */
static wrsim_status evaluate_values(wr_subsystem *s, double t_s, double *ret)
{
    WR_POINTS_FOR(s, PUBLISH);
    const wr_group_point point = point_inside(s, t_s, 0);
    return wr_ode_published_at(s, &point, NULL, ret, NULL);
}

/* Returns the largest difference between at[n_published], the outputs at t_s, and the cubic, in limits of each output. */
static double deviation(const wr_subsystem *s, const wr_refine *stretch, double t_s,
                        const double *at)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_wave *const wave = s->wave;
    const int n = s->n_published;
    const size_t last = (size_t)(wave->n_node - 1) * (size_t)n;
    const double *const y0 = wave->value + last, *const s0 = wave->slope + last;
    const double *const y1 = stretch->right, *const s1 = y1 + n;
    const wr_hermite w = wr_hermite_at(stretch->left_s, stretch->right_s, t_s);
    const int is_cubic = has_cubic_states(s);
    const double share = work->publication->amplification > 0.0
                             ? WAVE_SHARE / work->publication->amplification
                             : WAVE_SHARE;
    const double clock_s = CLOCK_SHARE * fabs(stretch->right_s);
    const double length_s = stretch->right_s - stretch->left_s;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        if (is_cubic && s->signal_state[i] >= 0)
            continue;
        const double size = wr_max(fabs(at[i]), wr_max(fabs(y0[i]), fabs(y1[i])));
        const double nominal = s->nominal_published[i];
        const double off = fabs(at[i] - wr_hermite_value(&w, y0[i], y1[i], s0[i], s1[i]));
        double limit =
            wr_max(share * wr_ode_coupling_rtol(s) * (size + wr_ode_atol_factor(s) * nominal),
                   LEAST_SHARE * size);
        if (off > limit) {
            const double slope =
                wr_max(wr_max(fabs(s0[i]), fabs(s1[i])), fabs(y1[i] - y0[i]) / length_s);
            limit = wr_max(limit, clock_s * slope);
        }
        largest = wr_max(largest, off / limit);
    }
    return largest;
}

/* Returns the first time after t_s at which outputs may have a pulse that values at the ends of the interval do not show. */
static double next_inside(const wr_subsystem *s, double t_s, double end_s)
{
    double next_s = (double)INFINITY;
    if (wr_ode_of(s)->publication->follows_inputs)
        next_s = wr_ode_next_input_node(s, t_s);
    return wr_ode_is_searched(s) && wr_ode_of(s)->publication->n_computed > 0
               ? wr_min(next_s, wr_ode_next_look(s, t_s, end_s))
               : next_s;
}

/* Finds the time at which the interval most needs a node; NaN: none. Writes values and slopes at this time into the level's buffer. */
static wrsim_status find_split(wr_subsystem *s, int level, const wr_refine *stretch,
                               double *ret_split_s)
{
    const double length_s = stretch->right_s - stretch->left_s;
    double *const at = buffer_of(s, level);
    double split_s = stretch->left_s + 0.5 * length_s;
    *ret_split_s = (double)NAN;
    if (!(split_s > stretch->left_s && split_s < stretch->right_s) ||
        wr_time_close(stretch->left_s, stretch->right_s))
        return WRSIM_OK;
    double worst = 0.0;
    for (int i = 0; i < 2 && worst <= 1.0; i++) {
        const double look_s = stretch->left_s + LOOK_AT[i] * length_s;
        WR_TRY(evaluate_values(s, look_s, at));
        worst = EVEN_ERROR * deviation(s, stretch, look_s, at);
    }
    double t_s = stretch->left_s, worst_node = wr_max(worst, 1.0);
    while ((t_s = next_inside(s, t_s, stretch->right_s)) < stretch->right_s &&
           !wr_time_close(t_s, stretch->right_s)) {
        WR_TRY(evaluate_values(s, t_s, at));
        const double here = deviation(s, stretch, t_s, at);
        if (here > worst_node) {
            worst = worst_node = here;
            split_s = t_s;
        }
    }
    if (!(worst > 1.0))
        return WRSIM_OK;
    *ret_split_s = split_s;
    const wr_group_point point = wr_ode_point_at(s, split_s, 1);
    return wr_ode_published_at(s, &point, wr_scratch(s, WR_DX_STEP), at, at + s->n_published);
}

static wrsim_status refine(wr_subsystem *s, int level, wr_refine stretch)
{
    double split_s;
    if (wr_ode_is_planned(s) && level == REFINE_LEVELS_BOUNDED)
        return WRSIM_OK;
    WR_TRY(find_split(s, level, &stretch, &split_s));
    if (isnan(split_s) || level == REFINE_LEVELS - 1)
        return WRSIM_OK;
    const int n = s->n_published;
    const double *const at = buffer_of(s, level);
    WR_TRY(refine(s, level + 1, (wr_refine){stretch.left_s, split_s, at}));
    double *value, *slope;
    WR_TRY(wr_ode_add_node(s, split_s, &value, &slope));
    for (int i = 0; i < n; i++) {
        value[i] = at[i];
        slope[i] = at[n + i];
    }
    return refine(s, level + 1, (wr_refine){split_s, stretch.right_s, stretch.right});
}

static wrsim_status publish_inside(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    double *const end = buffer_of(s, REFINE_LEVELS);
    const wr_group_point point = point_inside(s, end_s, 1);
    WR_TRY(wr_ode_published_at(s, &point, wr_scratch(s, WR_DX_STEP), end, end + s->n_published));
    if (wr_ode_keeps_modes(s))
        work->publication->known_s = end_s;
    return refine(s, 0, (wr_refine){s->t_s, end_s, end});
}

wrsim_status wr_ode_publish_inside(wr_subsystem *s, double end_s)
{
    wr_ode_publication *const p = wr_ode_of(s)->publication;
    p->known_s = (double)NAN;
    if (s->n_published == 0 || (p->n_computed == 0 && has_cubic_states(s)) || !(end_s > s->t_s))
        return WRSIM_OK;
    p->inside_s = end_s - s->t_s;
    const wrsim_status status = publish_inside(s, end_s);
    p->inside_s = 0.0;
    return status;
}

wrsim_status wr_ode_publish_here(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n = (size_t)s->n_published, bytes = n * sizeof(double);
    const int is_known =
        work->publication->known_s >= s->t_s && work->publication->known_s <= s->t_s;
    work->publication->known_s = (double)NAN;
    if (n == 0)
        return WRSIM_OK;
    if (!is_known) {
        const wr_group_point point = wr_ode_point(s);
        return wr_ode_publish(s, &point, work->dx);
    }
    double *value, *slope;
    const double *const end = buffer_of(s, REFINE_LEVELS);
    WR_TRY(wr_ode_add_node(s, s->t_s, &value, &slope));
    memcpy(value, end, bytes);
    memcpy(slope, end + n, bytes);
    for (size_t i = 0; i < n; i++) {
        const int x = s->signal_state[i];
        if (x >= 0) {
            value[i] = s->x[x];
            slope[i] = work->dx[x];
        }
    }
    return WRSIM_OK;
}
