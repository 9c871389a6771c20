/* Builds and starts a subsystem of components. See ode_subsystem.h.
 *
 * Thread: one at a time. Real-time: save and restore; creating is setup only.
 */
#include "subsystems/ode/ode_subsystem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/event_log.h"
#include "subsystems/group/group_stale.h"
#include "subsystems/model_host/descriptor.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_log.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_step.h"
#include "subsystems/ode/ode_stop.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/ode/stall_diagnosis.h"
#include "subsystems/solvers/shifted_matrix.h"

/* Work units of a second of component.cost. A unit is about 60 instructions (docs/lab/2026-11-27-advice.md), and a second 3e9
 * (runtime/sim/run.h). */
static const double UNITS_PER_SECOND = 5e7;

/* Returns the number of variables of a recorded kind; -1: the kind cannot be recorded. */
static int n_of_kind(const wr_group *group, int kind)
{
    switch ((wrsim_kind)kind) {
    case WRSIM_STATE:
        return group->n_x;
    case WRSIM_DISCRETE:
        return group->n_d;
    case WRSIM_INPUT:
        return group->n_u;
    case WRSIM_OUTPUT:
        return group->n_y;
    case WRSIM_INDICATOR:
    case WRSIM_PARAMETER:
    case WRSIM_KIND_COUNT:
        break;
    }
    return -1;
}

/* Returns the first error of a config, or NULL. */
static const char *check_config(const wr_ode_config *config, const wr_group *group)
{
    if (!(config->communication_step_s > 0) || !isfinite(config->communication_step_s) ||
        !isfinite(config->start_s))
        return "the start time or the communication step is invalid";
    if (!(config->event_tolerance_s >= 0) || config->max_event_iterations < 1 ||
        config->max_stuck_events < 1 || !(config->chatter_time_s >= 0))
        return "a limit for events is invalid";
    if (group->n_x > 0 && !config->integrator)
        return "the integrator is missing";
    if (config->cap_node < 4 || config->cap_row < 1)
        return "cap_node is below 4, or cap_row below 1";
    for (int i = 0; i < config->n_published; i++)
        if (config->published[i] < 0 || config->published[i] >= group->n_y)
            return "a published output does not exist";
    for (int i = 0; i < config->n_recorded; i++)
        if (config->recorded_index[i] < 0 ||
            config->recorded_index[i] >= n_of_kind(group, config->recorded_kind[i]))
            return "a recorded variable does not exist";
    for (int i = 0; i < config->n_external; i++)
        if (config->source[i] < 0 || config->source[i] >= config->n_source ||
            config->source_signal[i] < 0)
            return "an external input has no source";
    return NULL;
}

/* Rejects models with capabilities that the solvers do not support. */
static int check_caps(const wr_ode_config *config, wr_diag *diag)
{
    int n_error = 0;
    for (int c = 0; c < config->n_components; c++) {
        const wr_component *const component = config->components[c];
        const uint32_t caps = component->model->caps;
        const char *const reason = caps & WRSIM_CAP_COMMUNICATION_STEPS
                                       ? "advances in communication steps only"
                                   : caps & WRSIM_CAP_OWN_THREAD ? "needs a thread of its own"
                                                                 : NULL;
        if (reason) {
            wr_diag_add(diag, WRSIM_E_MODEL, &component->where,
                        "component '%s': model '%s' %s, which no solver supports; %s",
                        component->name, component->model->name, reason,
                        caps & WRSIM_CAP_OWN_THREAD ? "remove WRSIM_CAP_OWN_THREAD"
                                                    : "give the model a wrsim_model.stepper");
            n_error++;
        }
    }
    return -n_error;
}

/* Places the tolerances of states and coupled signals, the nominal values of published signals, and the state that equals each signal. */
static int coupling_place(wr_subsystem *s, wr_arena *arena)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    const double part = wr_ode_coupling_rtol(s) * wr_ode_atol_factor(s);
    double *const atol_x = WR_NEW_ARRAY(arena, double, group->n_x);
    wr_arena_cold(arena, 1);
    double *const atol_y = WR_NEW_ARRAY(arena, double, s->n_published);
    double *const atol_u = WR_NEW_ARRAY(arena, double, s->n_external);
    double *const nominal = WR_NEW_ARRAY(arena, double, s->n_published);
    int *const state = WR_NEW_ARRAY(arena, int, s->n_published);
    wr_arena_cold(arena, 0);
    if (!atol_x || !atol_y || !atol_u || !nominal || !state)
        return -1;
    for (int i = 0; i < group->n_x; i++)
        atol_x[i] = part * group->nominal_x[i];
    for (int i = 0; i < s->n_published; i++) {
        nominal[i] = group->nominal_y[wr_ode_published(s)[i]];
        atol_y[i] = part * nominal[i];
        state[i] = group->state_of_output[wr_ode_published(s)[i]];
    }
    for (int i = 0; i < s->n_external; i++)
        atol_u[i] = part * wr_ode_nominal_u(s)[i];
    s->rtol = wr_ode_coupling_rtol(s);
    s->atol_x = atol_x;
    s->atol_published = atol_y;
    s->atol_external = atol_u;
    s->nominal_published = nominal;
    s->signal_state = state;
    return 0;
}

/* Places the fields of the subsystem, without the fields of coupling_place() and of the saved state. */
static int record_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    const wr_group *const group = wr_ode_of(s)->group;
    s->n_recorded = config->n_recorded;
    s->n_external = config->n_external;
    s->n_source = config->n_source;
    s->n_published = config->n_published;
    s->n_x = group->n_x;
    s->n_d = group->n_d;
    s->has_state_events = group->n_z > 0;
    /* Assumed work of a right-hand side: a fixed amount, 1 per state, 1/4 per indicator, and the declared costs. The solver
     * evaluates indicators less often than f. */
    s->work_per_rhs = 10.0 + group->n_x + 0.25 * group->n_z;
    for (int c = 0; c < group->n_component; c++)
        if (!group->component[c]->is_cost_measured)
            s->work_per_rhs += UNITS_PER_SECOND * group->component[c]->cost_s;
    int may_probe = 1;
    for (int c = 0; c < group->n_component; c++)
        may_probe &= wr_model_may_probe(group->component[c]->model);
    s->flags |= WR_SUBSYSTEM_PAUSES | (wr_group_has_own(group) ? WR_SUBSYSTEM_OWN_STATE : 0U) |
                (may_probe ? 0U : WR_SUBSYSTEM_NO_PROBE) |
                (wr_group_own_has_bytes(group) ? 0U : WR_SUBSYSTEM_NO_BYTES);
    s->cap_row = config->cap_row;
    s->wave = wr_wave_place(arena, config->n_published, config->cap_node);
    s->unseen = WR_NEW_ARRAY(arena, double, s->n_x);
    s->effect = WR_NEW_ARRAY(arena, double, s->n_x);
    wr_arena_cold(arena, 1);
    s->external_source = wr_ode_copy_ints(arena, config->source, config->n_external);
    s->external_signal = wr_ode_copy_ints(arena, config->source_signal, config->n_external);
    s->row_time_s = WR_NEW_ARRAY(arena, double, config->cap_row);
    s->row_kind = WR_NEW_ARRAY(arena, unsigned char, config->cap_row);
    s->row_value =
        wr_arena_push(arena, (size_t)config->cap_row * (size_t)config->n_recorded, sizeof(double));
    char *const name = WR_NEW_ARRAY(arena, char, strlen(config->name) + 1);
    wr_arena_cold(arena, 0);
    if (name)
        memcpy(name, config->name, strlen(config->name) + 1);
    s->name = name;
    return s->external_source && s->external_signal && s->row_time_s && s->row_kind &&
                   s->row_value && s->wave && s->unseen && s->effect &&
                   wr_ode_window_place(s, arena) == 0 && name
               ? 0
               : -1;
}

/* Places all objects except the solver. */
static int objects_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    *wr_ode_of(s)->grid =
        (wr_ode_grid){.start_s = config->start_s, .step_s = config->communication_step_s};
    if (record_place(s, arena, config) < 0)
        return -1;
    wr_ode_find_time_scale(s);
    wr_ode_bound_place(s, config);
    return wr_ode_tolerances_place(s, arena, config) < 0 || wr_ode_state_place(s, arena) < 0 ||
                   wr_ode_scratch_place(s, arena, wr_ode_is_searched(s)) < 0 ||
                   wr_ode_resolution_place(s, arena) < 0 || wr_ode_indicators_place(s, arena) < 0 ||
                   wr_ode_place_instants(s, arena, config->cap_node) < 0 ||
                   wr_ode_instant_place(s, arena, config) < 0 ||
                   wr_ode_output_place(s, arena, config) < 0 ||
                   wr_ode_inputs_place(s, arena, config, wr_ode_plan(s)) < 0 ||
                   wr_ode_refinement_place(s, arena, config->integrator) < 0 ||
                   coupling_place(s, arena) < 0
               ? -1
               : 0;
}

static void destroy(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (work)
        wr_ode_solver_destroy(work);
    if (work && work->group)
        wr_group_done(work->group);
}

/* Places the objects in one piece of memory. */
static wr_ode *parts_place(wr_arena *arena)
{
    struct whole {
        wr_ode parts;
#define MEMBER(type, name) type name;
        WR_ODE_OBJECTS(MEMBER)
    } *const whole = WR_NEW(arena, struct whole);
    if (!whole)
        return NULL;
    wr_ode *const work = &whole->parts;
#define PLACE(type, name) work->name = &whole->name;
    WR_ODE_OBJECTS(PLACE)
    return work;
}

wr_group *wr_ode_group(const wr_subsystem *s) { return wr_ode_of(s)->group; }

const wr_matrix *wr_ode_matrix_pattern(const wr_subsystem *s, wr_arena *arena)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_mass *const mass = work->group->mass;
    const wr_matrix *const jacobian = wr_ode_kept_pattern(s);
    const int *of_jacobian, *of_mass;
    return mass ? wr_sparsity_join_place(arena, jacobian, mass->pattern, &of_jacobian, &of_mass)
                : wr_shifted_pattern_place(arena, jacobian, &of_jacobian, &of_mass);
}

const unsigned char *wr_ode_mode(const wr_subsystem *s) { return wr_ode_of(s)->mode; }

const wr_integ_stats *wr_ode_solver_stats(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return work->integrator ? wr_integrator_stats(work->integrator) : NULL;
}

static void take_inputs(wr_subsystem *s, const double *external)
{
    if (s->n_external > 0 && external != s->external)
        memcpy(s->external, external, (size_t)s->n_external * sizeof *s->external);
}

static wrsim_status begin(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    wr_ode_clear_state(s);
    wr_ode_begin_clock(s);
    wr_ode_forget_time_event(s);
    s->t_s = wr_ode_start(s);
    s->end = (wr_run_end){.t_s = (double)INFINITY};
    if (s->log)
        wr_event_log_clear(s->log);
    wr_ode_aim_again(s);
    s->fault.status = WRSIM_OK;
    group->fault.status = WRSIM_OK;
    wr_ode_freeze_inputs(s);
    wr_ode_close_wave(s);
    return wr_group_init(group, s->t_s, s->x, s->d) < 0 ? wr_ode_group_fault(s) : WRSIM_OK;
}

static wrsim_status find_modes(wr_subsystem *s, const double *external, int *ret_n_changed)
{
    wr_ode *const work = wr_ode_of(s);
    int n_changed = 0;
    take_inputs(s, external);
    /* With unknown modes the equations may have no solution. */
    if (wr_ode_has_mass(s) && wr_ode_settle(s) < 0)
        s->fault.status = work->group->fault.status = WRSIM_OK;
    if (work->group->n_z > 0) {
        const wr_group_point point = wr_ode_point(s);
        s->stats.n_indicator_evaluation++;
        if (wr_group_indicators(work->group, &point, wr_ode_z(s)) != 0)
            return wr_ode_group_fault(s);
    }
    for (int i = 0; i < work->group->n_z; i++) {
        const unsigned char sign = wr_ode_z(s)[i] > 0.0;
        n_changed += sign != work->mode[i];
        work->mode[i] = sign;
    }
    *ret_n_changed = n_changed;
    return WRSIM_OK;
}

/* Largest change of a start value that counts as rounding, relative to the value (assumed). Loops of values end at smaller changes. */
static const double START_ROUNDING = 1e-10;

static int has_moved(const double *before, const double *now, int n)
{
    int any = 0;
    for (int i = 0; i < n && !any; i++)
        any = fabs(now[i] - before[i]) > START_ROUNDING * wr_max(fabs(now[i]), fabs(before[i]));
    return any;
}

/* Repeats the calls, because a value may pass through all components with init_from_inputs() one after the other. */
static wrsim_status init_from_inputs(wr_subsystem *s, const double *external, int *ret_has_changed)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    int is_moved = 1;
    *ret_has_changed = 0;
    take_inputs(s, external);
    for (int k = 0; k < wr_group_n_from_inputs(group) && is_moved; k++) {
        wr_ode_copy(wr_scratch(s, WR_X_BEFORE), s->x, group->n_x);
        wr_ode_copy(work->instant->d_before, s->d, group->n_d);
        wr_group_point point = wr_ode_point(s);
        point.x = wr_scratch(s, WR_X_BEFORE);
        point.d = work->instant->d_before;
        if (wr_group_init_from_inputs(group, &point, s->x, s->d) != 0)
            return wr_ode_group_fault(s);
        is_moved = has_moved(point.x, s->x, group->n_x) || has_moved(point.d, s->d, group->n_d);
        *ret_has_changed |= is_moved;
    }
    return WRSIM_OK;
}

/* Returns the group's plan. Every plan of this kind of subsystem is a plan of its group. */
static const wr_plan *plan_of(const wr_output_plan *plan) { return (const wr_plan *)plan; }

static const wr_output_plan *make_plan(wr_subsystem *s, wr_arena *arena, int i_signal, int is_whole)
{
    const wr_ode *const work = wr_ode_of(s);
    const int *const y = &wr_ode_published(s)[i_signal];
    return (const wr_output_plan *)(is_whole
                                        ? wr_group_whole_plan_place(arena, work->group, y, 1)
                                        : wr_group_plan_place(arena, work->group, y, 1, NULL, 0));
}

static void plan_reads(const wr_subsystem *s, const wr_output_plan *plan,
                       unsigned char *ret_is_read)
{
    const wr_group *const group = wr_ode_of(s)->group;
    if (plan || group->n_z > 0)
        wr_group_plan_reads(group, plan_of(plan), ret_is_read);
    else
        memset(ret_is_read, 0, (size_t)s->n_external);
}

static void plan_gives(const wr_subsystem *s, const wr_output_plan *plan,
                       unsigned char *ret_is_given)
{
    int n_output;
    const int *const output = wr_group_plan_gives(plan_of(plan), &n_output);
    for (int i = 0; i < s->n_published; i++) {
        ret_is_given[i] = 0;
        for (int k = 0; k < n_output && !ret_is_given[i]; k++)
            ret_is_given[i] = output[k] == wr_ode_published(s)[i];
    }
}

/* During the events of the start, stale outputs (group_stale.h) keep their last values. ret_value[n_published]: values at the point, valid
 * for the plan's outputs. */
static void keep_stale(wr_subsystem *s, const wr_output_plan *plan, const wr_group_point *point,
                       double *ret_value)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    int n_output, has_stale = 0;
    const int *const output = wr_group_plan_gives(plan_of(plan), &n_output);
    if (wr_ode_is_starting(s) &&
        wr_group_indicators(group, point, wr_scratch(s, WR_Z_WATCH)) == 0) {
        const int n = wr_ode_list_events(s, wr_scratch(s, WR_Z_WATCH), wr_scratch_index(s));
        has_stale = wr_ode_mark_own_modes(s, wr_scratch_index(s), n) > 0 &&
                    wr_group_mark_stale(group, group->stale->is_due) > 0;
    }
    group->fault.status = WRSIM_OK;
    for (int i = 0; i < s->n_published; i++)
        for (int k = 0; k < n_output; k++)
            if (output[k] == wr_ode_published(s)[i])
                wr_ode_show_at_start(s, i, has_stale && group->stale->output[output[k]],
                                     &ret_value[i]);
}

static wrsim_status outputs(wr_subsystem *s, const wr_output_plan *plan, const double *external,
                            double *ret_value)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point_of(s, s->t_s, s->x, external);
    wr_group_forget(work->group);
    work->group->fault.status = WRSIM_OK;
    if (wr_group_evaluate(work->group, plan_of(plan), &point, wr_scratch(s, WR_Y_MOVED)) != 0)
        return wr_ode_group_fault(s);
    for (int i = 0; i < s->n_published; i++)
        ret_value[i] = wr_scratch(s, WR_Y_MOVED)[wr_ode_published(s)[i]];
    if (work->group->stale)
        keep_stale(s, plan, &point, ret_value);
    return WRSIM_OK;
}

static void path_text(const wr_subsystem *s, int i_external, int i_signal, char *text,
                      size_t text_bytes)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group_path_text(work->group, i_external, wr_ode_published(s)[i_signal], text, text_bytes);
}

static wrsim_status fire_initial(wr_subsystem *s, const double *external, int *ret_n_due)
{
    take_inputs(s, external);
    if (wr_ode_of(s)->group->n_z > 0)
        wr_ode_set_fired(s, NULL, 0, NULL);
    wr_ode_clear_due(s);
    wr_ode_begin_instant(s);
    wr_ode_begin_start_output(s);
    wr_ode_log_stop(s);
    *ret_n_due = wr_ode_fire_round(s, 1);
    return *ret_n_due < 0 ? (wrsim_status)*ret_n_due : WRSIM_OK;
}

static wrsim_status follow(wr_subsystem *s, const double *external, int *ret_n_flip)
{
    take_inputs(s, external);
    wr_group_forget(wr_ode_of(s)->group);
    const int n_due = wr_ode_look_again(s, NULL, ret_n_flip);
    return n_due < 0 ? (wrsim_status)n_due : WRSIM_OK;
}

static wrsim_status fire_next(wr_subsystem *s, int *ret_n_due)
{
    WR_TRY(wr_ode_check_rounds(s));
    *ret_n_due = wr_ode_fire_round(s, 0);
    if (*ret_n_due < 0)
        return (wrsim_status)*ret_n_due;
    if (!(s->end.t_s < (double)INFINITY))
        return WRSIM_OK;
    wr_ode_fault(s, WRSIM_E_CALLBACK, s->t_s,
                 "an event at the start ends the run, so the run has no results; end the run at a "
                 "later event");
    s->fault.i_component = s->end.i_component;
    return WRSIM_E_CALLBACK;
}

static int is_stale(const wr_subsystem *s, int i_signal)
{
    const wr_ode *const work = wr_ode_of(s);
    return work->group->stale && wr_ode_is_starting(s) && work->publication->late[i_signal];
}

static wrsim_status start(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    group->fault.status = WRSIM_OK; /* a failed trial of outputs may have left the fault */
    wr_ode_end_instant(s, NULL);
    wr_ode_log_close(s, WR_LOG_CAUSE_START);
    wr_ode_note_time_event(s);
    if (group->n_x > 0) {
        s->stats.n_restart_rhs++;
        WR_TRY(wr_ode_settle(s));
        WR_TRY(wr_ode_slope_here(s, work->dx));
        WR_TRY(wr_ode_start_solver(s, work->dx));
    }
    const wr_group_point point = wr_ode_point(s);
    const wr_plan *const plans[] = {wr_ode_plan(s), work->publication->plan_recorded};
    if (wr_group_try(group, &point, 2, plans) < 0)
        return wr_ode_group_fault(s);
    wr_ode_find_timed(s);
    wr_group_keep_loops(group);
    return WRSIM_OK;
}

wrsim_status wr_ode_init(wr_subsystem *s, const double *external)
{
    WR_TRY(begin(s));
    /* The initial events set the modes that still differ from the signs of their indicators. */
    for (int iteration = 0, n_changed = 1; n_changed > 0 && iteration <= wr_ode_most_rounds(s);
         iteration++) {
        int has_changed;
        WR_TRY(find_modes(s, external, &n_changed));
        WR_TRY(init_from_inputs(s, external, &has_changed));
        n_changed += has_changed;
    }
    int n_time, n_state;
    WR_TRY(fire_initial(s, external, &n_time));
    WR_TRY(follow(s, external, &n_state));
    while (n_time + n_state > 0) {
        WR_TRY(fire_next(s, &n_time));
        WR_TRY(follow(s, external, &n_state));
    }
    return start(s);
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point(s);
    work->group->fault.status = WRSIM_OK;
    if (ret_slope && work->group->n_x > 0)
        WR_TRY(wr_ode_slope_here(s, wr_scratch(s, WR_DX_STEP)));
    return wr_ode_published_at(s, &point, wr_scratch(s, WR_DX_STEP), ret_value, ret_slope);
}

static int64_t n_rhs(const wr_subsystem *s)
{
    const wr_integ_stats *const stats = wr_ode_solver_stats(s);
    return stats ? stats->n_rhs + s->stats.n_effect_rhs : s->stats.n_integration;
}

static double point_cost(const wr_subsystem *s) { return wr_group_point_cost(wr_ode_of(s)->group); }

static int64_t count_values(wr_subsystem *s, int64_t by)
{
    return wr_group_count_values(wr_ode_of(s)->group, by);
}

static const wr_subsystem_ops operations = {.kind = "components",
                                            .begin = begin,
                                            .published = published,
                                            .advance = wr_ode_advance,
                                            .destroy = destroy,
                                            .save = wr_ode_save,
                                            .accept = wr_ode_accept,
                                            .restore = wr_ode_restore,
                                            .state = wr_ode_state,
                                            .keep = wr_ode_keep,
                                            .turn_ahead = wr_ode_turn_ahead,
                                            .find_modes = find_modes,
                                            .init_from_inputs = init_from_inputs,
                                            .fire_initial = fire_initial,
                                            .follow = follow,
                                            .fire_next = fire_next,
                                            .is_stale = is_stale,
                                            .start = start,
                                            .plan = make_plan,
                                            .plan_reads = plan_reads,
                                            .plan_gives = plan_gives,
                                            .outputs = outputs,
                                            .path_text = path_text,
                                            .set_amplification = wr_ode_set_amplification,
                                            .effect = wr_ode_effect,
                                            .tangent = wr_ode_tangent,
                                            .tangent_outputs = wr_ode_tangent_outputs,
                                            .pattern = wr_ode_pattern,
                                            .tangent_discrete = wr_ode_tangent_discrete,
                                            .place_watch = wr_ode_place_watch,
                                            .rhs_at = wr_ode_rhs_at,
                                            .outputs_at = wr_ode_outputs_at,
                                            .row_at = wr_ode_row_at,
                                            .event_shift = wr_ode_event_shift,
                                            .event_after = wr_ode_event_after,
                                            .passes_on = wr_ode_passes_on,
                                            .is_event_due = wr_ode_is_event_due,
                                            .count_values = count_values,
                                            .is_jump = wr_ode_is_jump,
                                            .follows_at_end = wr_ode_follows_at_end,
                                            .has_jump_at_end = wr_ode_has_jump_at_end,
                                            .order = wr_ode_order,
                                            .next_event = wr_ode_next_event,
                                            .place_causes = wr_ode_place_causes,
                                            .confirms = wr_ode_confirms,
                                            .checked_span = wr_ode_checked_span,
                                            .instant_at = wr_ode_instant_at,
                                            .is_event_near = wr_ode_is_event_near,
                                            .next_answer = wr_ode_next_answer,
                                            .close_in = wr_ode_close_in,
                                            .runs_away = wr_ode_runs_away,
                                            .fault_text = wr_ode_fault_text,
                                            .n_rhs = n_rhs,
                                            .point_cost = point_cost};

wr_subsystem *wr_ode_create(const wr_ode_config *config, wr_diag *diag)
{
    wr_arena *const arena = config->arena;
    const wr_where *const where = config->n_components > 0 ? &config->components[0]->where : NULL;
    wr_arena_line(arena);
    wr_subsystem *s = WR_NEW(arena, wr_subsystem);
    wrsim_status status = WRSIM_E_MEMORY;
    int is_reported = 0;
    if (!s)
        goto fail;
    s->ops = &operations;
    s->last_round = -1;
    s->held.t_s = (double)INFINITY;
    s->flags = config->is_once ? WR_SUBSYSTEM_CANNOT_RESTORE : 0U;
    wr_ode *const work = s->inside = parts_place(arena);
    if (!work)
        goto fail;
    wr_ode_freeze_inputs(s);
    work->group = wr_group_place(arena, config->components, config->n_components, config->edges,
                                 config->n_edges, config->n_external, diag);
    if (!work->group)
        return NULL;
    if (config->is_once)
        wr_group_advance_once(work->group);
    s->flags |= wr_group_defers_steps(work->group) || wr_group_may_hold_events(work->group)
                    ? WR_SUBSYSTEM_DEFERS
                    : 0U;
    if (check_caps(config, diag) < 0)
        return NULL;
    const char *const reason = check_config(config, work->group);
    if (reason) {
        wr_diag_add(diag, WRSIM_E_ARG, where,
                    "subsystem '%s' cannot be built: %s; report this error of wrsim", config->name,
                    reason);
        return NULL;
    }
    if ((config->event_blocks > 0 &&
         wr_group_place_blocks(arena, work->group, config->event_blocks) < 0) ||
        objects_place(s, arena, config) < 0)
        goto fail;
    const int n_error = diag->n_items;
    status = wr_ode_solver_place(s, arena, config, diag);
    is_reported = diag->n_items > n_error;
    if (status < 0)
        goto fail;
    const wr_integ_stats *const stats = wr_ode_solver_stats(s);
    wr_group_watch_points(work->group, &s->purpose, stats ? &stats->n_step : NULL,
                          stats ? &stats->n_rejected : NULL);
    wr_arena_line(arena);
    s->near_bytes = wr_arena_bytes_since(arena, s);
    if (config->has_log && wr_ode_log_place(s, arena, config->cap_row) < 0) {
        status = WRSIM_E_MEMORY;
        goto fail;
    }
    return s;
fail:
    if (!is_reported && status == WRSIM_E_MEMORY)
        wr_group_report_memory(config->components, config->n_components, diag);
    else if (!is_reported)
        wr_diag_add(diag, status, where, "subsystem '%s' cannot be built: %s", config->name,
                    wrsim_status_text(status));
    wr_subsystem_destroy(&s);
    return NULL;
}
