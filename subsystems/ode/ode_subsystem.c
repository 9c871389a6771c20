/* Life of a subsystem made of components: building, starting, saving and restoring. See ode_subsystem.h.
 *
 * One block of memory holds all state along the solution except the integrator's, so saving copies the block. Workspace, statistics and
 * the wave are not part of it.
 *
 * Thread: one at a time. Real-time: save and restore; creating is setup only.
 */
#include "subsystems/ode/ode_subsystem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_iteration.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/fault_time.h"
#include "subsystems/ode/input_effect.h"
#include "subsystems/ode/input_jumps.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_advance.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_fault.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_tangent.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_watch.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/ode/stall_diagnosis.h"
#include "subsystems/solvers/shifted.h"

static int *copy_ints(wr_arena *arena, const int *source, int n)
{
    int *const copy = WR_NEW_ARRAY(arena, int, n);
    if (copy && n > 0)
        memcpy(copy, source, (size_t)n * sizeof *copy);
    return copy;
}

/* The number of variables of a recorded kind, -1 for kinds that cannot be recorded. */
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

/* Errors here are internal, except for values from the config. */
static const char *check_config(const wr_ode_config *config, const wr_group *group)
{
    if (!(config->communication_step_s > 0) || !isfinite(config->communication_step_s) ||
        !isfinite(config->start_s))
        return "its start or communication step is not valid";
    if (!(config->event_tolerance_s >= 0) || config->max_event_iterations < 1 ||
        config->max_stuck_events < 1 || !(config->chatter_time_s >= 0))
        return "its limits for events are not valid";
    if (group->n_x > 0 && !config->integrator)
        return "it has states but no integrator";
    if (config->cap_node < 4 || config->cap_row < 1)
        return "its wave or its rows have no room";
    for (int i = 0; i < config->n_published; i++)
        if (config->published[i] < 0 || config->published[i] >= group->n_y)
            return "it publishes an output that does not exist";
    for (int i = 0; i < config->n_recorded; i++)
        if (config->recorded_index[i] < 0 ||
            config->recorded_index[i] >= n_of_kind(group, config->recorded_kind[i]))
            return "it records a variable that does not exist";
    for (int i = 0; i < config->n_external; i++)
        if (config->source[i] < 0 || config->source[i] >= config->n_source ||
            config->source_signal[i] < 0)
            return "one of its external inputs has no source";
    return NULL;
}

/* Rejects models with capabilities that the solvers do not support. */
static int check_caps(const wr_ode_config *config, wr_diag *diag)
{
    int n_error = 0;
    for (int c = 0; c < config->n_components; c++) {
        const wr_component *const component = config->components[c];
        const uint32_t caps = component->model->caps;
        const char *const reason =
            caps & WRSIM_CAP_CANNOT_RESTORE        ? "cannot go back to an earlier point"
            : caps & WRSIM_CAP_COMMUNICATION_STEPS ? "advances in communication steps only"
            : caps & WRSIM_CAP_OWN_THREAD          ? "needs a thread of its own"
                                                   : NULL;
        if (reason) {
            wr_diag_add(diag, WRSIM_E_MODEL, &component->where,
                        "component '%s': its model '%s' %s, which no solver supports; such a model "
                        "advances itself (wrsim_model.stepper)",
                        component->name, component->model->name, reason);
            n_error++;
        }
    }
    return -n_error;
}

/* The next array in a block of state. */
static void *take(unsigned char **at, int n, size_t size)
{
    void *const block = *at;
    *at += (size_t)n * size;
    return block;
}

/* Places the block of all state, and a second one for its saved copy. */
static int state_place(wr_subsystem *s, wr_arena *arena)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    int n_guess;
    wr_group_guess(work->group, &n_guess);
    const size_t n_double = 2 * (size_t)group->n_x + (size_t)group->n_d + 5 * (size_t)group->n_z +
                            (size_t)group->n_component + 2 * (size_t)s->n_external +
                            (size_t)n_guess + (size_t)work->settings->n_published;
    const int n_listed = group->n_z > 0 ? WR_BAND_LISTED : 0;
    work->block->state_bytes = sizeof(wr_ode_clock) + n_double * sizeof(double) +
                               (size_t)n_listed * sizeof(int) + (size_t)group->n_z;
    work->block->now = wr_arena_push(arena, work->block->state_bytes, 1);
    work->block->saved = wr_arena_push(arena, work->block->state_bytes, 1);
    work->block->memory = wr_group_memory(group, &work->block->memory_bytes);
    work->block->memory_saved = wr_arena_push(arena, work->block->memory_bytes, 1);
    work->block->memory_before = wr_arena_push(arena, work->block->memory_bytes, 1);
    work->block->memory_kept = wr_arena_push(arena, work->block->memory_bytes, 1);
    if (!work->block->now || !work->block->saved || !work->block->memory_saved ||
        !work->block->memory_before || !work->block->memory_kept)
        return -1;
    unsigned char *at = work->block->now;
    work->clock = take(&at, 1, sizeof *work->clock);
    s->x = take(&at, group->n_x, sizeof *s->x);
    work->dx = take(&at, group->n_x, sizeof *work->dx);
    s->d = take(&at, group->n_d, sizeof *s->d);
    work->indicators->z_turning = take(&at, 4 * group->n_z, sizeof *work->indicators->z_turning);
    work->indicators->band = take(&at, group->n_z, sizeof *work->indicators->band);
    work->instant->time_next = take(&at, group->n_component, sizeof *work->instant->time_next);
    s->external = take(&at, s->n_external, sizeof *s->external);
    work->inputs->external_slope = take(&at, s->n_external, sizeof *work->inputs->external_slope);
    work->block->guess = take(&at, n_guess, sizeof *work->block->guess);
    work->publication->y_size =
        take(&at, work->settings->n_published, sizeof *work->publication->y_size);
    work->indicators->band_index = take(&at, n_listed, sizeof *work->indicators->band_index);
    work->mode = take(&at, group->n_z, sizeof *work->mode);
    work->clock->z_turn = 0;
    wr_ode_place_z(s);
    return 0;
}

/* Pushes an array of doubles; counts failures instead of returning each. */
static double *push_doubles(wr_arena *arena, int n, int *n_failed)
{
    double *const array = WR_NEW_ARRAY(arena, double, n);
    *n_failed += array == NULL;
    return array;
}

static int workspace_place(wr_subsystem *s, wr_arena *arena, int cap_node)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    int n_failed = 0;
    work->inputs->external_eval = push_doubles(arena, s->n_external, &n_failed);
    work->scratch->external_moved = push_doubles(arena, s->n_external, &n_failed);
    work->scratch->x_step = push_doubles(arena, group->n_x, &n_failed);
    work->scratch->dx_step = push_doubles(arena, group->n_x, &n_failed);
    work->scratch->x_moved = push_doubles(arena, group->n_x, &n_failed);
    work->resolution->unseen_step = push_doubles(arena, group->n_x, &n_failed);
    s->unseen = push_doubles(arena, group->n_x, &n_failed);
    s->effect = push_doubles(arena, group->n_x, &n_failed);
    work->scratch->z_probe[0] = push_doubles(arena, group->n_z, &n_failed);
    work->scratch->z_probe[1] = push_doubles(arena, group->n_z, &n_failed);
    work->indicators->z_moved = push_doubles(arena, group->n_z, &n_failed);
    work->scratch->z_watch = push_doubles(arena, group->n_z, &n_failed);
    wr_arena_cold(arena, 1); /* seldom read */
    work->scratch->z_look = push_doubles(arena, (WR_LOOK_LEVELS + 4) * group->n_z, &n_failed);
    work->resolution->resolve = push_doubles(arena, 5 * s->n_external, &n_failed);
    wr_arena_cold(arena, 0);
    if (work->settings->look_s < (double)INFINITY)
        work->scratch->look = push_doubles(arena, 4 * group->n_x, &n_failed);
    work->resolution->deviation = push_doubles(arena, s->n_external, &n_failed);
    work->instant->d_before = push_doubles(arena, group->n_d, &n_failed);
    work->scratch->d_probe = push_doubles(arena, group->n_d, &n_failed);
    work->window->dx_left = push_doubles(arena, group->n_x, &n_failed);
    work->scratch->time_watch = push_doubles(arena, group->n_component, &n_failed);
    /* Outputs that are states are not evaluated. Without indicators few events fire. */
    int n_state_output = 0;
    for (int i = 0; i < group->n_y; i++)
        n_state_output += group->state_of_output[i] >= 0;
    wr_arena_cold(arena, n_state_output == group->n_y);
    work->scratch->y_moved = push_doubles(arena, group->n_y, &n_failed);
    work->scratch->y_back = push_doubles(arena, group->n_y, &n_failed);
    wr_arena_cold(arena, group->n_z == 0);
    work->scratch->x_before = push_doubles(arena, group->n_x, &n_failed);
    work->publication->value = push_doubles(arena, work->settings->n_published, &n_failed);
    work->publication->slope = push_doubles(arena, work->settings->n_published, &n_failed);
    work->indicators->events = wr_events_place(arena, group->n_z, group->direction_z);
    wr_arena_cold(arena, 0);
    work->indicators->sense = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    const int n_failed_instants = wr_ode_place_instants(s, arena, cap_node);
    work->instant->fired_index = WR_NEW_ARRAY(arena, int, group->n_z);
    work->instant->fired = WR_NEW_ARRAY(arena, signed char, group->n_z);
    work->instant->has_fired_index = WR_NEW_ARRAY(arena, int, group->n_z);
    work->instant->mode_before = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->instant->has_fired = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->instant->has_ever_fired = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->scratch->event_index = WR_NEW_ARRAY(arena, int, group->n_z);
    work->instant->due = WR_NEW_ARRAY(arena, unsigned char, group->n_component);
    work->scratch->mode_watch = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->instant->streak_flips = WR_NEW_ARRAY(arena, int, group->n_z);
    work->instant->fault_flips = WR_NEW_ARRAY(arena, int, group->n_z);
    return n_failed == 0 && n_failed_instants == 0 && work->indicators->sense &&
                   work->instant->fired_index && work->instant->fired &&
                   work->instant->has_fired_index && work->instant->mode_before &&
                   work->instant->has_fired && work->instant->has_ever_fired &&
                   work->scratch->event_index && work->instant->due && work->scratch->mode_watch &&
                   work->instant->streak_flips && work->instant->fault_flips &&
                   work->indicators->events
               ? 0
               : -1;
}

/* Sorts the external inputs by source, so that one look-up serves all of a source. */
static int readers_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    wr_ode *const work = wr_ode_of(s);
    s->source = WR_NEW_ARRAY(arena, const wr_wave *, config->n_source);
    work->inputs->reader = WR_NEW_ARRAY(arena, wr_source_reader, config->n_source);
    wr_arena_cold(arena, 1); /* for jumps */
    double *const nominal = WR_NEW_ARRAY(arena, double, config->n_external);
    wr_arena_cold(arena, 0);
    if (!s->source || !work->inputs->reader || !nominal)
        return -1;
    const int n_block = (config->n_external + WR_CUBIC_LANES - 1) / WR_CUBIC_LANES;
    work->inputs->cubic = WR_NEW_ARRAY(arena, double, n_block *WR_CUBIC_SIZE);
    if (!work->inputs->cubic)
        return -1;
    for (int i = 0; i < config->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        int n = 0, n_failed = 0;
        for (int k = 0; k < config->n_external; k++)
            n += config->source[k] == i;
        int *const signal = WR_NEW_ARRAY(arena, int, n);
        reader->cubic = WR_NEW_ARRAY(arena, double *, n);
        wr_arena_cold(arena, 1); /* for jumps */
        int *const external = WR_NEW_ARRAY(arena, int, n);
        reader->limit = push_doubles(arena, n, &n_failed);
        wr_arena_cold(arena, 0);
        if (!external || !signal || !reader->cubic || n_failed > 0)
            return -1;
        for (int k = 0; k < config->n_external; k++)
            if (config->source[k] == i) {
                external[reader->n] = k;
                reader->cubic[reader->n] = wr_ode_cubic(work, k);
                signal[reader->n++] = config->source_signal[k];
            }
        reader->external = external;
        reader->signal = signal;
    }
    for (int i = config->n_edges - 1; i >= 0; i--) {
        const wr_group_edge *const e = &config->edges[i];
        if (e->from == -1)
            nominal[e->i_external] =
                config->components[e->to]->variable[WRSIM_INPUT][e->i_input].nominal;
    }
    work->settings->nominal_external = nominal;
    return 0;
}

/* Places the memory for nodes inside steps, if there may be such nodes. */
static int refine_place(wr_subsystem *s, wr_arena *arena, const wr_integrator_ops *ops)
{
    wr_ode *const work = wr_ode_of(s);
    work->settings->reaches_y = WR_NEW_ARRAY(arena, unsigned char, s->n_external);
    work->settings->reaches_z = WR_NEW_ARRAY(arena, unsigned char, s->n_external);
    if (!work->settings->reaches_y || !work->settings->reaches_z)
        return -1;
    wr_group_plan_reads(work->group, NULL, work->settings->reaches_z);
    if (work->settings->plan_published)
        wr_group_plan_reads(work->group, work->settings->plan_published, work->settings->reaches_y);
    for (int i = 0; i < s->n_external; i++)
        work->settings->follows_inputs |= work->settings->reaches_y[i];
    work->settings->is_held =
        work->settings->plan_published && !work->settings->follows_inputs &&
        !wr_group_plan_has_states(work->group, work->settings->plan_published);
    work->publication->known_s = (double)NAN;
    if (work->settings->n_published_computed == 0 &&
        (work->group->n_x == 0 || (ops->dense_order <= 3 && !ops->current)))
        return 0;
    int n_failed = 0;
    wr_arena_cold(arena, 1);
    work->publication->refine =
        push_doubles(arena, 2 * (WR_REFINE_LEVELS + 1) * work->settings->n_published, &n_failed);
    wr_arena_cold(arena, 0);
    return -n_failed;
}

/* Places the plans of the published outputs and of the recorded variables. */
static int plans_place(wr_subsystem *s, wr_arena *arena)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    wr_arena_cold(arena, 1); /* for the plans' making */
    int *const outputs = WR_NEW_ARRAY(arena, int, work->settings->n_published + s->n_recorded);
    int *const inputs = WR_NEW_ARRAY(arena, int, s->n_recorded);
    wr_arena_cold(arena, 0);
    if (!outputs || !inputs)
        return -1;
    for (int i = 0; i < work->settings->n_published; i++)
        if (group->state_of_output[work->settings->published[i]] < 0)
            outputs[work->settings->n_published_computed++] = work->settings->published[i];
    if (work->settings->n_published_computed > 0) {
        work->settings->plan_published = wr_group_plan_place(
            arena, group, outputs, work->settings->n_published_computed, NULL, 0);
        if (!work->settings->plan_published)
            return -1;
    }
    int n_output = 0, n_input = 0;
    for (int i = 0; i < s->n_recorded; i++) {
        if (work->settings->recorded_kind[i] == WRSIM_OUTPUT)
            outputs[n_output++] = work->settings->recorded_index[i];
        if (work->settings->recorded_kind[i] == WRSIM_INPUT)
            inputs[n_input++] = work->settings->recorded_index[i];
    }
    if (n_output + n_input > 0) {
        work->settings->plan_recorded =
            wr_group_plan_place(arena, group, outputs, n_output, inputs, n_input);
        if (!work->settings->plan_recorded)
            return -1;
    }
    return 0;
}

static int nominal_z_place(wr_subsystem *s, wr_arena *arena)
{
    const wr_group *const group = wr_ode_of(s)->group;
    double *const nominal = WR_NEW_ARRAY(arena, double, group->n_z);
    if (!nominal)
        return -1;
    for (int c = 0; c < group->n_component; c++)
        for (int i = 0; i < group->component[c]->n[WRSIM_INDICATOR]; i++)
            nominal[group->z_start[c] + i] =
                group->component[c]->variable[WRSIM_INDICATOR][i].nominal;
    wr_ode_of(s)->settings->nominal_z = nominal;
    return 0;
}

/* Places tolerances and nominal values of the coupled signals, and flags the signals that are states. */
static int coupling_place(wr_subsystem *s, wr_arena *arena)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    const double part = work->settings->coupling_rtol * work->settings->atol_factor;
    double *const atol_x = WR_NEW_ARRAY(arena, double, group->n_x);
    wr_arena_cold(arena, 1);
    double *const atol_y = WR_NEW_ARRAY(arena, double, work->settings->n_published);
    double *const atol_u = WR_NEW_ARRAY(arena, double, s->n_external);
    double *const nominal = WR_NEW_ARRAY(arena, double, work->settings->n_published);
    int *const state = WR_NEW_ARRAY(arena, int, work->settings->n_published);
    wr_arena_cold(arena, 0);
    if (!atol_x || !atol_y || !atol_u || !nominal || !state)
        return -1;
    for (int i = 0; i < group->n_x; i++)
        atol_x[i] = part * group->nominal_x[i];
    for (int i = 0; i < work->settings->n_published; i++) {
        nominal[i] = group->nominal_y[work->settings->published[i]];
        atol_y[i] = part * nominal[i];
        state[i] = group->state_of_output[work->settings->published[i]];
    }
    for (int i = 0; i < s->n_external; i++)
        atol_u[i] = part * work->settings->nominal_external[i];
    s->rtol = work->settings->coupling_rtol;
    s->atol_x = atol_x;
    s->atol_published = atol_y;
    s->atol_external = atol_u;
    s->nominal_published = nominal;
    s->signal_state = state;
    return 0;
}

static int settings_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    wr_ode *const work = wr_ode_of(s);
    work->settings->start_s = config->start_s;
    work->settings->communication_step_s = config->communication_step_s;
    wr_ode_find_time_scale(s);
    work->settings->event_tolerance_s = config->event_tolerance_s;
    work->settings->chatter_time_s = config->chatter_time_s;
    work->settings->run_s = config->run_s;
    work->settings->jump_limit = config->jump_limit;
    work->settings->max_event_iterations = config->max_event_iterations;
    work->settings->max_stuck_events = config->max_stuck_events;
    work->settings->record_events = config->record_events;
    const int is_fixed =
        config->integrator && (config->integrator->flags & WR_INTEG_FIXED_STEP) != 0;
    *work->bound = (wr_bound){.n_spare = config->n_spare,
                              .budget = is_fixed ? 0 : config->budget,
                              .fails = config->over_budget_fails,
                              .step_s = config->options.step_s};
    work->bound->is_on = is_fixed ? config->bounds_steps && config->options.step_s > 0.0
                                  : work->group->n_x > 0 && config->budget > 0;
    work->settings->rtol = config->options.rtol;
    work->settings->looks_always = config->looks_always;
    work->settings->coupling_rtol =
        config->coupling_rtol > 0.0 ? config->coupling_rtol : config->options.rtol;
    work->settings->event_share = work->settings->event_tolerance_s > 0.0
                                      ? 0.0
                                      : wr_ode_event_share(work->settings->coupling_rtol);
    work->settings->atol_factor = config->options.atol_factor;
    work->settings->n_published = config->n_published;
    work->settings->published = copy_ints(arena, config->published, config->n_published);
    s->n_recorded = config->n_recorded;
    s->n_external = config->n_external;
    s->n_source = config->n_source;
    s->n_published = config->n_published;
    s->n_x = work->group->n_x;
    s->n_d = work->group->n_d;
    s->has_state_events = work->group->n_z > 0;
    /* Estimated work: a fixed part, one per state, and a quarter per indicator, as not all evaluations of f come with one of
     * the indicators. */
    s->work_per_rhs = 10.0 + work->group->n_x + 0.25 * work->group->n_z;
    s->flags |= WR_SUBSYSTEM_PAUSES;
    s->cap_row = config->cap_row;
    s->wave = wr_wave_place(arena, config->n_published, config->cap_node);
    work->settings->recorded_kind = copy_ints(arena, config->recorded_kind, config->n_recorded);
    work->settings->recorded_index = copy_ints(arena, config->recorded_index, config->n_recorded);
    wr_arena_cold(arena, 1);
    s->external_source = copy_ints(arena, config->source, config->n_external);
    s->external_signal = copy_ints(arena, config->source_signal, config->n_external);
    s->row_time_s = WR_NEW_ARRAY(arena, double, config->cap_row);
    s->row_kind = WR_NEW_ARRAY(arena, unsigned char, config->cap_row);
    s->row_value =
        wr_arena_push(arena, (size_t)config->cap_row * (size_t)config->n_recorded, sizeof(double));
    char *const name = WR_NEW_ARRAY(arena, char, strlen(config->name) + 1);
    wr_arena_cold(arena, 0);
    if (name)
        memcpy(name, config->name, strlen(config->name) + 1);
    s->name = name;
    return work->settings->published && work->settings->recorded_kind &&
                   work->settings->recorded_index && s->external_source && s->external_signal &&
                   s->row_time_s && s->row_kind && s->row_value && s->wave && name
               ? 0
               : -1;
}

static void destroy(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (work)
        wr_ode_solver_destroy(work);
    if (work && work->group)
        wr_group_done(work->group);
}

/* Places the objects beside one another. */
static wr_ode *parts_place(wr_arena *arena)
{
    struct whole {
        wr_ode parts;
        wr_ode_settings settings;
        wr_ode_inputs inputs;
        wr_ode_scratch scratch;
        wr_ode_publication publication;
        wr_ode_indicators indicators;
        wr_ode_instant instant;
        wr_ode_window window;
        wr_ode_resolution resolution;
        wr_ode_block block;
        wr_bound bound;
        wr_ode_event_order order;
        wr_ode_algebraic algebraic;
        wr_ode_method method;
    } *const whole = WR_NEW(arena, struct whole);
    if (!whole)
        return NULL;
    wr_ode *const work = &whole->parts;
    work->settings = &whole->settings;
    work->inputs = &whole->inputs;
    work->scratch = &whole->scratch;
    work->publication = &whole->publication;
    work->indicators = &whole->indicators;
    work->instant = &whole->instant;
    work->window = &whole->window;
    work->resolution = &whole->resolution;
    work->block = &whole->block;
    work->bound = &whole->bound;
    work->order = &whole->order;
    work->algebraic = &whole->algebraic;
    work->method = &whole->method;
    return work;
}

wr_group *wr_ode_group(const wr_subsystem *s) { return wr_ode_of(s)->group; }

const wr_sparsity *wr_ode_matrix_pattern(const wr_subsystem *s, wr_arena *arena)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_mass *const mass = work->group->mass;
    const wr_sparsity *const jacobian =
        work->method->kept ? work->method->kept : work->group->pattern_xx;
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
    memset(work->block->now, 0, work->block->state_bytes);
    *work->clock = (wr_ode_clock){.t_s = work->settings->start_s,
                                  .streak_s = work->settings->start_s,
                                  .clear_s = work->settings->start_s,
                                  .last_step_s = work->settings->communication_step_s,
                                  .time_event_s = -(double)INFINITY,
                                  .next_time_s = (double)INFINITY};
    wr_ode_place_z(s);
    s->t_s = work->settings->start_s;
    s->fault.status = WRSIM_OK;
    group->fault.status = WRSIM_OK;
    work->inputs->is_frozen = 1;
    work->window->is_wave_open = 0;
    work->inputs->jump_s = (double)INFINITY;
    return wr_group_init(group, s->t_s, s->x, s->d) < 0 ? wr_ode_group_fault(s) : WRSIM_OK;
}

static wrsim_status find_modes(wr_subsystem *s, const double *external, int *ret_n_changed)
{
    wr_ode *const work = wr_ode_of(s);
    int n_changed = 0;
    take_inputs(s, external);
    /* The equations may have no solution while the modes are unknown. */
    if (wr_ode_has_mass(s) && wr_ode_settle(s) < 0)
        s->fault.status = work->group->fault.status = WRSIM_OK;
    if (work->group->n_z > 0) {
        const wr_group_point point = wr_ode_point(s);
        s->stats.n_indicator_evaluation++;
        if (wr_group_indicators(work->group, &point, work->indicators->z) != 0)
            return wr_ode_group_fault(s);
    }
    for (int i = 0; i < work->group->n_z; i++) {
        const unsigned char sign = work->indicators->z[i] > 0.0;
        n_changed += sign != work->mode[i];
        work->mode[i] = sign;
    }
    *ret_n_changed = n_changed;
    return WRSIM_OK;
}

static void set_amplification(wr_subsystem *s, double amplification)
{
    wr_ode_of(s)->publication->amplification = amplification;
}

/* Plans of a group are the plans here. */
static const wr_plan *plan_of(const wr_output_plan *plan) { return (const wr_plan *)plan; }

static const wr_output_plan *make_plan(wr_subsystem *s, wr_arena *arena, int i_signal, int is_whole)
{
    const wr_ode *const work = wr_ode_of(s);
    const int *const y = &work->settings->published[i_signal];
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
    const wr_ode *const work = wr_ode_of(s);
    int n_output;
    const int *const output = wr_group_plan_gives(plan_of(plan), &n_output);
    for (int i = 0; i < work->settings->n_published; i++) {
        ret_is_given[i] = 0;
        for (int k = 0; k < n_output && !ret_is_given[i]; k++)
            ret_is_given[i] = output[k] == work->settings->published[i];
    }
}

static wrsim_status outputs(wr_subsystem *s, const wr_output_plan *plan, const double *external,
                            double *ret_value)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = {
        .t_s = s->t_s, .x = s->x, .d = s->d, .external = external, .mode = work->mode};
    wr_group_forget(work->group);
    work->group->fault.status = WRSIM_OK;
    if (wr_group_evaluate(work->group, plan_of(plan), &point, work->scratch->y_moved) != 0)
        return wr_ode_group_fault(s);
    for (int i = 0; i < work->settings->n_published; i++)
        ret_value[i] = work->scratch->y_moved[work->settings->published[i]];
    return WRSIM_OK;
}

static void path_text(const wr_subsystem *s, int i_external, int i_signal, char *text,
                      size_t text_bytes)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group_path_text(work->group, i_external, work->settings->published[i_signal], text,
                       text_bytes);
}

static wrsim_status fire_initial(wr_subsystem *s, const double *external, int *ret_n_due)
{
    take_inputs(s, external);
    if (wr_ode_of(s)->group->n_z > 0)
        wr_ode_set_fired(s, NULL, 0, NULL);
    memset(wr_ode_of(s)->instant->due, 0, (size_t)wr_ode_of(s)->group->n_component);
    wr_ode_begin_instant(s);
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
    return *ret_n_due < 0 ? (wrsim_status)*ret_n_due : WRSIM_OK;
}

static wrsim_status start(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    group->fault.status = WRSIM_OK; /* a failed trial of outputs may have set it */
    wr_ode_end_instant(s, NULL);
    wr_ode_note_time_event(s);
    if (group->n_x > 0) {
        s->stats.n_restart_rhs++;
        WR_TRY(wr_ode_settle(s));
        WR_TRY(wr_ode_slope_here(s, work->dx));
        const int rc = work->solver->start(work->integrator, s->t_s, s->x, work->dx);
        if (rc != 0)
            return group->fault.status < 0
                       ? wr_ode_group_fault(s)
                       : wr_ode_fault(s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
                                      "its integrator cannot start");
    }
    wr_ode_find_timed(s);
    wr_group_keep_loops(group);
    return WRSIM_OK;
}

wrsim_status wr_ode_init(wr_subsystem *s, const double *external)
{
    WR_TRY(begin(s));
    /* If the modes never agree with their indicators, the initial events settle them. */
    for (int iteration = 0, n_changed = 1;
         n_changed > 0 && iteration <= wr_ode_of(s)->settings->max_event_iterations; iteration++)
        WR_TRY(find_modes(s, external, &n_changed));
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
        WR_TRY(wr_ode_slope_here(s, work->scratch->dx_step));
    return wr_ode_published_at(s, &point, work->scratch->dx_step, ret_value, ret_slope);
}

static int64_t n_rhs(const wr_subsystem *s)
{
    const wr_integ_stats *const stats = wr_ode_solver_stats(s);
    return stats ? stats->n_rhs + s->stats.n_effect_rhs : s->stats.n_integration;
}

static const wr_subsystem_ops operations = {.kind = "components",
                                            .begin = begin,
                                            .published = published,
                                            .advance = wr_ode_advance,
                                            .destroy = destroy,
                                            .save = wr_ode_save,
                                            .restore = wr_ode_restore,
                                            .state = wr_ode_state,
                                            .find_modes = find_modes,
                                            .fire_initial = fire_initial,
                                            .follow = follow,
                                            .fire_next = fire_next,
                                            .start = start,
                                            .plan = make_plan,
                                            .plan_reads = plan_reads,
                                            .plan_gives = plan_gives,
                                            .outputs = outputs,
                                            .path_text = path_text,
                                            .set_amplification = set_amplification,
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
                                            .is_jump = wr_ode_is_jump,
                                            .follows_at_end = wr_ode_follows_at_end,
                                            .has_jump_at_end = wr_ode_has_jump_at_end,
                                            .order = wr_ode_order,
                                            .next_event = wr_ode_next_event,
                                            .place_causes = wr_ode_place_causes,
                                            .confirms = wr_ode_confirms,
                                            .checked_span = wr_ode_checked_span,
                                            .instant_at = wr_ode_instant_at,
                                            .next_answer = wr_ode_next_answer,
                                            .close_in = wr_ode_close_in,
                                            .runs_away = wr_ode_runs_away,
                                            .fault_text = wr_ode_fault_text,
                                            .n_rhs = n_rhs};

wr_subsystem *wr_ode_create(const wr_ode_config *config, wr_diag *diag)
{
    wr_arena *const arena = config->arena;
    const wr_where *const where = config->n_components > 0 ? &config->components[0]->where : NULL;
    wr_arena_line(arena);
    wr_subsystem *s = WR_NEW(arena, wr_subsystem);
    wrsim_status status = WRSIM_E_MEMORY;
    int is_told = 0;
    if (!s)
        goto fail;
    s->ops = &operations;
    wr_ode *const work = s->inside = parts_place(arena);
    if (!work)
        goto fail;
    work->inputs->is_frozen = 1;
    work->group = wr_group_place(arena, config->components, config->n_components, config->edges,
                                 config->n_edges, config->n_external, diag);
    if (!work->group)
        return NULL;
    if (check_caps(config, diag) < 0)
        return NULL;
    const char *const reason = check_config(config, work->group);
    if (reason) {
        wr_diag_add(diag, WRSIM_E_ARG, where, "subsystem '%s' cannot be built: %s", config->name,
                    reason);
        return NULL;
    }
    if ((config->event_blocks > 0 &&
         wr_group_place_blocks(arena, work->group, config->event_blocks) < 0) ||
        settings_place(s, arena, config) < 0 || state_place(s, arena) < 0 ||
        workspace_place(s, arena, config->cap_node) < 0 || readers_place(s, arena, config) < 0 ||
        plans_place(s, arena) < 0 || refine_place(s, arena, config->integrator) < 0 ||
        nominal_z_place(s, arena) < 0 || coupling_place(s, arena) < 0)
        goto fail;
    const int n_error = diag->n_items;
    status = wr_ode_solver_place(s, arena, config, diag);
    is_told = diag->n_items > n_error;
    if (status < 0)
        goto fail;
    wr_arena_line(arena);
    s->near_bytes = wr_arena_bytes_since(arena, s);
    return s;
fail:
    if (!is_told && status == WRSIM_E_MEMORY)
        wr_group_report_memory(config->components, config->n_components, diag);
    else if (!is_told)
        wr_diag_add(diag, status, where, "subsystem '%s' cannot be built: %s", config->name,
                    wrsim_status_text(status));
    wr_subsystem_destroy(&s);
    return NULL;
}
