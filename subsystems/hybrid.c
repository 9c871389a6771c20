/* Life of a subsystem made of components: building, starting, saving and restoring. See hybrid.h.
 *
 * All that changes along the solution lies in one block of memory, beside the integrator's own: to
 * save is to copy the block. Workspace, statistics and the wave are not part of it.
 *
 * Thread: one at a time. Real-time: save and restore; creating is setup only.
 */
#include "subsystems/hybrid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/hybrid_work.h"

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

/* Errors here are the assembler's, not the user's, except for the numbers. */
static const char *check_config(const wr_hybrid_config *config, const wr_group *group)
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

/* Models that the solvers of components cannot do with. */
static int check_caps(const wr_hybrid_config *config, wr_diag *diag)
{
    int n_error = 0;
    for (int c = 0; c < config->n_components; c++) {
        const wr_component *const component = config->components[c];
        const uint32_t caps = component->model->caps;
        const char *const reason =
            caps & WRSIM_CAP_CANNOT_RESTORE        ? "cannot go back to an earlier point"
            : caps & WRSIM_CAP_COMMUNICATION_STEPS ? "moves in communication steps only"
            : caps & WRSIM_CAP_OWN_THREAD          ? "wants a thread of its own"
                                                   : NULL;
        if (reason) {
            wr_diag_add(
                diag, WRSIM_E_MODEL, &component->where,
                "component '%s': its model '%s' %s, which no solver of components can do with",
                component->name, component->model->name, reason);
            n_error++;
        }
    }
    return -n_error;
}

/* Bump through a block of state. */
static void *take(unsigned char **at, int n, size_t size)
{
    void *const block = *at;
    *at += (size_t)n * size;
    return block;
}

/* One block that holds all state; saved is its twin. */
static int state_place(wr_subsystem *s, wr_arena *arena)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const wr_group *const group = work->group;
    int n_guess;
    wr_group_guess(work->group, &n_guess);
    const size_t n_double = 2 * (size_t)group->n_x + (size_t)group->n_d + 5 * (size_t)group->n_z +
                            (size_t)group->n_component + 2 * (size_t)s->n_external +
                            (size_t)n_guess + (size_t)work->n_published;
    const int n_listed = group->n_z > 0 ? WR_BAND_LISTED : 0;
    work->state_bytes = sizeof(wr_hybrid_clock) + n_double * sizeof(double) +
                        (size_t)n_listed * sizeof(int) + (size_t)group->n_z;
    work->now = wr_arena_push(arena, work->state_bytes, 1);
    work->saved = wr_arena_push(arena, work->state_bytes, 1);
    work->memory = wr_group_memory(group, &work->memory_bytes);
    work->memory_saved = wr_arena_push(arena, work->memory_bytes, 1);
    work->memory_before = wr_arena_push(arena, work->memory_bytes, 1);
    work->memory_kept = wr_arena_push(arena, work->memory_bytes, 1);
    if (!work->now || !work->saved || !work->memory_saved || !work->memory_before ||
        !work->memory_kept)
        return -1;
    unsigned char *at = work->now;
    work->clock = take(&at, 1, sizeof *work->clock);
    s->x = take(&at, group->n_x, sizeof *s->x);
    work->dx = take(&at, group->n_x, sizeof *work->dx);
    s->d = take(&at, group->n_d, sizeof *s->d);
    work->z_turning = take(&at, 4 * group->n_z, sizeof *work->z_turning);
    work->band = take(&at, group->n_z, sizeof *work->band);
    work->time_next = take(&at, group->n_component, sizeof *work->time_next);
    s->external = take(&at, s->n_external, sizeof *s->external);
    work->external_slope = take(&at, s->n_external, sizeof *work->external_slope);
    work->guess = take(&at, n_guess, sizeof *work->guess);
    work->y_size = take(&at, work->n_published, sizeof *work->y_size);
    work->band_index = take(&at, n_listed, sizeof *work->band_index);
    work->mode = take(&at, group->n_z, sizeof *work->mode);
    work->clock->z_turn = 0;
    wr_hybrid_place_z(s);
    return 0;
}

void wr_hybrid_place_z(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    double **const place[4] = {&work->z, &work->z_before, &work->z_earlier, &work->z_step};
    for (int i = 0; i < 4; i++)
        *place[i] = work->z_turning + (work->clock->z_turn + i) % 4 * work->group->n_z;
}

/* Pushes an array of doubles; counts failures instead of returning each. */
static double *push_doubles(wr_arena *arena, int n, int *n_failed)
{
    double *const array = WR_NEW_ARRAY(arena, double, n);
    *n_failed += array == NULL;
    return array;
}

/* Only who reads others needs them: a share of the nodes that it may have. */
static int instants_place(wr_subsystem *s, wr_arena *arena, int cap_node)
{
    enum { LEAST = 16, NODES_PER_INSTANT = 4 };
    wr_hybrid *const work = wr_hybrid_of(s);
    const int room = cap_node / NODES_PER_INSTANT;
    const int cap = s->n_external == 0 ? 0 : room < LEAST ? LEAST : room;
    wr_arena_cold(arena, 1);
    work->instants = (wr_instants){.cap = cap, .at = WR_NEW_ARRAY(arena, wr_instant, cap)};
    work->last = (wr_instants){.cap = cap, .at = WR_NEW_ARRAY(arena, wr_instant, cap)};
    work->spare = (wr_instants){.cap = cap, .at = WR_NEW_ARRAY(arena, wr_instant, cap)};
    wr_arena_cold(arena, 0);
    return work->instants.at && work->last.at && work->spare.at ? 0 : -1;
}

static int workspace_place(wr_subsystem *s, wr_arena *arena, int cap_node)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const wr_group *const group = work->group;
    int n_failed = 0;
    work->external_eval = push_doubles(arena, s->n_external, &n_failed);
    work->external_moved = push_doubles(arena, s->n_external, &n_failed);
    work->x_step = push_doubles(arena, group->n_x, &n_failed);
    work->dx_step = push_doubles(arena, group->n_x, &n_failed);
    work->x_moved = push_doubles(arena, group->n_x, &n_failed);
    work->unseen_step = push_doubles(arena, group->n_x, &n_failed);
    s->unseen = push_doubles(arena, group->n_x, &n_failed);
    s->effect = push_doubles(arena, group->n_x, &n_failed);
    work->z_probe[0] = push_doubles(arena, group->n_z, &n_failed);
    work->z_probe[1] = push_doubles(arena, group->n_z, &n_failed);
    work->z_moved = push_doubles(arena, group->n_z, &n_failed);
    work->z_watch = push_doubles(arena, group->n_z, &n_failed);
    wr_arena_cold(arena, 1); /* for what steps do not show at once */
    work->z_look = push_doubles(arena, (WR_LOOK_LEVELS + 4) * group->n_z, &n_failed);
    work->resolve = push_doubles(arena, 5 * s->n_external, &n_failed);
    wr_arena_cold(arena, 0);
    if (work->look_s < (double)INFINITY)
        work->look = push_doubles(arena, 4 * group->n_x, &n_failed);
    work->deviation = push_doubles(arena, s->n_external, &n_failed);
    work->d_before = push_doubles(arena, group->n_d, &n_failed);
    work->d_probe = push_doubles(arena, group->n_d, &n_failed);
    work->dx_left = push_doubles(arena, group->n_x, &n_failed);
    work->time_watch = push_doubles(arena, group->n_component, &n_failed);
    /* Of outputs that are states nobody asks for y; without indicators hardly anything fires. */
    int n_state_output = 0;
    for (int i = 0; i < group->n_y; i++)
        n_state_output += group->state_of_output[i] >= 0;
    wr_arena_cold(arena, n_state_output == group->n_y);
    work->y_moved = push_doubles(arena, group->n_y, &n_failed);
    work->y_back = push_doubles(arena, group->n_y, &n_failed);
    wr_arena_cold(arena, group->n_z == 0);
    work->x_before = push_doubles(arena, group->n_x, &n_failed);
    work->value = push_doubles(arena, work->n_published, &n_failed);
    work->slope = push_doubles(arena, work->n_published, &n_failed);
    work->events = wr_events_place(arena, group->n_z, group->direction_z);
    wr_arena_cold(arena, 0);
    work->sense = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    const int n_failed_instants = instants_place(s, arena, cap_node);
    work->fired_index = WR_NEW_ARRAY(arena, int, group->n_z);
    work->fired = WR_NEW_ARRAY(arena, signed char, group->n_z);
    work->has_fired_index = WR_NEW_ARRAY(arena, int, group->n_z);
    work->mode_before = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->has_fired = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->has_ever_fired = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->event_index = WR_NEW_ARRAY(arena, int, group->n_z);
    work->due = WR_NEW_ARRAY(arena, unsigned char, group->n_component);
    work->mode_watch = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    work->streak_flips = WR_NEW_ARRAY(arena, int, group->n_z);
    work->fault_flips = WR_NEW_ARRAY(arena, int, group->n_z);
    return n_failed == 0 && n_failed_instants == 0 && work->sense && work->fired_index &&
                   work->fired && work->has_fired_index && work->mode_before && work->has_fired &&
                   work->has_ever_fired && work->event_index && work->due && work->mode_watch &&
                   work->streak_flips && work->fault_flips && work->events
               ? 0
               : -1;
}

/* Sorts the external inputs by source, so that one look-up serves all of a source. */
static int readers_place(wr_subsystem *s, wr_arena *arena, const wr_hybrid_config *config)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    s->source = WR_NEW_ARRAY(arena, const wr_wave *, config->n_source);
    work->reader = WR_NEW_ARRAY(arena, wr_source_reader, config->n_source);
    wr_arena_cold(arena, 1); /* for jumps */
    double *const nominal = WR_NEW_ARRAY(arena, double, config->n_external);
    wr_arena_cold(arena, 0);
    if (!s->source || !work->reader || !nominal)
        return -1;
    const int n_block = (config->n_external + WR_CUBIC_LANES - 1) / WR_CUBIC_LANES;
    work->cubic = WR_NEW_ARRAY(arena, double, n_block *WR_CUBIC_SIZE);
    if (!work->cubic)
        return -1;
    for (int i = 0; i < config->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
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
                reader->cubic[reader->n] = wr_hybrid_cubic(work, k);
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
    work->nominal_external = nominal;
    return 0;
}

/* Room for nodes inside of steps, where there may be any. */
static int refine_place(wr_subsystem *s, wr_arena *arena, const wr_integrator_ops *ops)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    work->reaches_y = WR_NEW_ARRAY(arena, unsigned char, s->n_external);
    work->reaches_z = WR_NEW_ARRAY(arena, unsigned char, s->n_external);
    if (!work->reaches_y || !work->reaches_z)
        return -1;
    wr_group_plan_reads(work->group, NULL, work->reaches_z);
    if (work->plan_published)
        wr_group_plan_reads(work->group, work->plan_published, work->reaches_y);
    for (int i = 0; i < s->n_external; i++)
        work->follows_inputs |= work->reaches_y[i];
    work->is_held = work->plan_published && !work->follows_inputs &&
                    !wr_group_plan_has_states(work->group, work->plan_published);
    work->known_s = (double)NAN;
    if (work->n_published_computed == 0 &&
        (work->group->n_x == 0 || (ops->dense_order <= 3 && !ops->current)))
        return 0;
    int n_failed = 0;
    wr_arena_cold(arena, 1);
    work->refine = push_doubles(arena, 2 * (WR_REFINE_LEVELS + 1) * work->n_published, &n_failed);
    wr_arena_cold(arena, 0);
    return -n_failed;
}

/* Plans that give just what is published, and just what is recorded. */
static int plans_place(wr_subsystem *s, wr_arena *arena)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const wr_group *const group = work->group;
    wr_arena_cold(arena, 1); /* for the plans' making */
    int *const outputs = WR_NEW_ARRAY(arena, int, work->n_published + s->n_recorded);
    int *const inputs = WR_NEW_ARRAY(arena, int, s->n_recorded);
    wr_arena_cold(arena, 0);
    if (!outputs || !inputs)
        return -1;
    for (int i = 0; i < work->n_published; i++)
        if (group->state_of_output[work->published[i]] < 0)
            outputs[work->n_published_computed++] = work->published[i];
    if (work->n_published_computed > 0) {
        work->plan_published =
            wr_group_plan_place(arena, group, outputs, work->n_published_computed, NULL, 0);
        if (!work->plan_published)
            return -1;
    }
    int n_output = 0, n_input = 0;
    for (int i = 0; i < s->n_recorded; i++) {
        if (work->recorded_kind[i] == WRSIM_OUTPUT)
            outputs[n_output++] = work->recorded_index[i];
        if (work->recorded_kind[i] == WRSIM_INPUT)
            inputs[n_input++] = work->recorded_index[i];
    }
    if (n_output + n_input > 0) {
        work->plan_recorded = wr_group_plan_place(arena, group, outputs, n_output, inputs, n_input);
        if (!work->plan_recorded)
            return -1;
    }
    return 0;
}

static int nominal_z_place(wr_subsystem *s, wr_arena *arena)
{
    const wr_group *const group = wr_hybrid_of(s)->group;
    double *const nominal = WR_NEW_ARRAY(arena, double, group->n_z);
    if (!nominal)
        return -1;
    for (int c = 0; c < group->n_component; c++)
        for (int i = 0; i < group->component[c]->n[WRSIM_INDICATOR]; i++)
            nominal[group->z_start[c] + i] =
                group->component[c]->variable[WRSIM_INDICATOR][i].nominal;
    wr_hybrid_of(s)->nominal_z = nominal;
    return 0;
}

/* Tolerances and nominal values of what the coupling sees, and which signals are states. */
static int coupling_place(wr_subsystem *s, wr_arena *arena)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    const wr_group *const group = work->group;
    const double part = work->coupling_rtol * work->atol_factor;
    double *const atol_x = WR_NEW_ARRAY(arena, double, group->n_x);
    wr_arena_cold(arena, 1);
    double *const atol_y = WR_NEW_ARRAY(arena, double, work->n_published);
    double *const atol_u = WR_NEW_ARRAY(arena, double, s->n_external);
    double *const nominal = WR_NEW_ARRAY(arena, double, work->n_published);
    int *const state = WR_NEW_ARRAY(arena, int, work->n_published);
    wr_arena_cold(arena, 0);
    if (!atol_x || !atol_y || !atol_u || !nominal || !state)
        return -1;
    for (int i = 0; i < group->n_x; i++)
        atol_x[i] = part * group->nominal_x[i];
    for (int i = 0; i < work->n_published; i++) {
        nominal[i] = group->nominal_y[work->published[i]];
        atol_y[i] = part * nominal[i];
        state[i] = group->state_of_output[work->published[i]];
    }
    for (int i = 0; i < s->n_external; i++)
        atol_u[i] = part * work->nominal_external[i];
    s->rtol = work->coupling_rtol;
    s->atol_x = atol_x;
    s->atol_published = atol_y;
    s->atol_external = atol_u;
    s->nominal_published = nominal;
    s->signal_state = state;
    return 0;
}

static int settings_place(wr_subsystem *s, wr_arena *arena, const wr_hybrid_config *config)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    work->start_s = config->start_s;
    work->communication_step_s = config->communication_step_s;
    wr_hybrid_find_time_scale(s);
    work->event_tolerance_s = config->event_tolerance_s;
    work->chatter_time_s = config->chatter_time_s;
    work->run_s = config->run_s;
    work->jump_limit = config->jump_limit;
    work->max_event_iterations = config->max_event_iterations;
    work->max_stuck_events = config->max_stuck_events;
    work->record_events = config->record_events;
    const int is_fixed =
        config->integrator && (config->integrator->flags & WR_INTEG_FIXED_STEP) != 0;
    work->bound = (wr_bound){.n_spare = config->n_spare,
                             .budget = is_fixed ? 0 : config->budget,
                             .fails = config->over_budget_fails,
                             .step_s = config->options.step_s};
    work->bound.is_on = is_fixed ? config->bounds_steps && config->options.step_s > 0.0
                                 : work->group->n_x > 0 && config->budget > 0;
    work->rtol = config->options.rtol;
    work->looks_always = config->looks_always;
    work->coupling_rtol =
        config->coupling_rtol > 0.0 ? config->coupling_rtol : config->options.rtol;
    work->event_share =
        work->event_tolerance_s > 0.0 ? 0.0 : wr_hybrid_event_share(work->coupling_rtol);
    work->atol_factor = config->options.atol_factor;
    work->n_published = config->n_published;
    work->published = copy_ints(arena, config->published, config->n_published);
    s->n_recorded = config->n_recorded;
    s->n_external = config->n_external;
    s->n_source = config->n_source;
    s->n_published = config->n_published;
    s->n_x = work->group->n_x;
    s->n_d = work->group->n_d;
    s->has_state_events = work->group->n_z > 0;
    /* A right-hand side's fixed part, and its states and, by the share of steps that look at them, its
     * indicators. */
    s->work_per_rhs = 10.0 + work->group->n_x + 0.25 * work->group->n_z;
    s->flags |= WR_SUBSYSTEM_PAUSES;
    s->cap_row = config->cap_row;
    s->wave = wr_wave_place(arena, config->n_published, config->cap_node);
    work->recorded_kind = copy_ints(arena, config->recorded_kind, config->n_recorded);
    work->recorded_index = copy_ints(arena, config->recorded_index, config->n_recorded);
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
    return work->published && work->recorded_kind && work->recorded_index && s->external_source &&
                   s->external_signal && s->row_time_s && s->row_kind && s->row_value && s->wave &&
                   name
               ? 0
               : -1;
}

static void destroy(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    if (work)
        wr_hybrid_solver_destroy(work);
    if (work && work->group)
        wr_group_done(work->group);
}

wr_subsystem *wr_hybrid_create(const wr_hybrid_config *config, wr_diag *diag)
{
    wr_arena *const arena = config->arena;
    const wr_where *const where = config->n_components > 0 ? &config->components[0]->where : NULL;
    wr_arena_line(arena);
    wr_subsystem *s = WR_NEW(arena, wr_subsystem);
    wrsim_status status = WRSIM_E_MEMORY;
    int is_told = 0;
    if (!s)
        goto fail;
    s->ops = &wr_hybrid_ops;
    wr_hybrid *const work = s->inside = WR_NEW(arena, wr_hybrid);
    if (!work)
        goto fail;
    work->is_frozen = 1;
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
    status = wr_hybrid_solver_place(s, arena, config, diag);
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

wr_group *wr_hybrid_group(const wr_subsystem *s) { return wr_hybrid_of(s)->group; }

const unsigned char *wr_hybrid_mode(const wr_subsystem *s) { return wr_hybrid_of(s)->mode; }

const wr_integ_stats *wr_hybrid_solver_stats(const wr_subsystem *s)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    return work->integrator ? wr_integrator_stats(work->integrator) : NULL;
}

static void take_inputs(wr_subsystem *s, const double *external)
{
    if (s->n_external > 0 && external != s->external)
        memcpy(s->external, external, (size_t)s->n_external * sizeof *s->external);
}

wrsim_status wr_hybrid_begin(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    wr_group *const group = work->group;
    memset(work->now, 0, work->state_bytes);
    *work->clock = (wr_hybrid_clock){.t_s = work->start_s,
                                     .streak_s = work->start_s,
                                     .clear_s = work->start_s,
                                     .last_step_s = work->communication_step_s,
                                     .time_event_s = -(double)INFINITY,
                                     .next_time_s = (double)INFINITY};
    wr_hybrid_place_z(s);
    s->t_s = work->start_s;
    s->fault.status = WRSIM_OK;
    group->fault.status = WRSIM_OK;
    work->is_frozen = 1;
    work->is_wave_open = 0;
    work->jump_s = (double)INFINITY;
    return wr_group_init(group, s->t_s, s->x, s->d) < 0 ? wr_hybrid_group_fault(s) : WRSIM_OK;
}

wrsim_status wr_hybrid_find_modes(wr_subsystem *s, const double *external, int *ret_n_changed)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    int n_changed = 0;
    take_inputs(s, external);
    /* With modes that are not known yet the equations need not have a solution. */
    if (work->consistent && wr_hybrid_settle(s) < 0)
        s->fault.status = work->group->fault.status = WRSIM_OK;
    if (work->group->n_z > 0) {
        const wr_group_point point = wr_hybrid_point(s);
        s->stats.n_indicator_evaluation++;
        if (wr_group_indicators(work->group, &point, work->z) != 0)
            return wr_hybrid_group_fault(s);
    }
    for (int i = 0; i < work->group->n_z; i++) {
        const unsigned char sign = work->z[i] > 0.0;
        n_changed += sign != work->mode[i];
        work->mode[i] = sign;
    }
    *ret_n_changed = n_changed;
    return WRSIM_OK;
}

void wr_hybrid_set_amplification(wr_subsystem *s, double amplification)
{
    wr_hybrid_of(s)->amplification = amplification;
}

/* Plans of a group are the plans here. */
static const wr_plan *plan_of(const wr_output_plan *plan) { return (const wr_plan *)plan; }

static const wr_output_plan *make_plan(wr_subsystem *s, wr_arena *arena, int i_signal, int is_whole)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    const int *const y = &work->published[i_signal];
    return (const wr_output_plan *)(is_whole
                                        ? wr_group_whole_plan_place(arena, work->group, y, 1)
                                        : wr_group_plan_place(arena, work->group, y, 1, NULL, 0));
}

static void plan_reads(const wr_subsystem *s, const wr_output_plan *plan,
                       unsigned char *ret_is_read)
{
    const wr_group *const group = wr_hybrid_of(s)->group;
    if (plan || group->n_z > 0)
        wr_group_plan_reads(group, plan_of(plan), ret_is_read);
    else
        memset(ret_is_read, 0, (size_t)s->n_external);
}

static void plan_gives(const wr_subsystem *s, const wr_output_plan *plan,
                       unsigned char *ret_is_given)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    int n_output;
    const int *const output = wr_group_plan_gives(plan_of(plan), &n_output);
    for (int i = 0; i < work->n_published; i++) {
        ret_is_given[i] = 0;
        for (int k = 0; k < n_output && !ret_is_given[i]; k++)
            ret_is_given[i] = output[k] == work->published[i];
    }
}

static wrsim_status outputs(wr_subsystem *s, const wr_output_plan *plan, const double *external,
                            double *ret_value)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const wr_group_point point = {
        .t_s = s->t_s, .x = s->x, .d = s->d, .external = external, .mode = work->mode};
    wr_group_forget(work->group);
    work->group->fault.status = WRSIM_OK;
    if (wr_group_evaluate(work->group, plan_of(plan), &point, work->y_moved) != 0)
        return wr_hybrid_group_fault(s);
    for (int i = 0; i < work->n_published; i++)
        ret_value[i] = work->y_moved[work->published[i]];
    return WRSIM_OK;
}

static void path_text(const wr_subsystem *s, int i_external, int i_signal, char *text,
                      size_t text_bytes)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    wr_group_path_text(work->group, i_external, work->published[i_signal], text, text_bytes);
}

wrsim_status wr_hybrid_fire_initial(wr_subsystem *s, const double *external, int *ret_n_due)
{
    take_inputs(s, external);
    if (wr_hybrid_of(s)->group->n_z > 0)
        wr_hybrid_set_fired(s, NULL, 0, NULL);
    memset(wr_hybrid_of(s)->due, 0, (size_t)wr_hybrid_of(s)->group->n_component);
    wr_hybrid_begin_instant(s);
    *ret_n_due = wr_hybrid_fire_round(s, 1);
    return *ret_n_due < 0 ? (wrsim_status)*ret_n_due : WRSIM_OK;
}

wrsim_status wr_hybrid_follow(wr_subsystem *s, const double *external, int *ret_n_flip)
{
    take_inputs(s, external);
    wr_group_forget(wr_hybrid_of(s)->group);
    const int n_due = wr_hybrid_look_again(s, NULL, ret_n_flip);
    return n_due < 0 ? (wrsim_status)n_due : WRSIM_OK;
}

wrsim_status wr_hybrid_fire_next(wr_subsystem *s, int *ret_n_due)
{
    WR_TRY(wr_hybrid_check_rounds(s));
    *ret_n_due = wr_hybrid_fire_round(s, 0);
    return *ret_n_due < 0 ? (wrsim_status)*ret_n_due : WRSIM_OK;
}

wrsim_status wr_hybrid_start(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    wr_group *const group = work->group;
    group->fault.status = WRSIM_OK; /* outputs may have been tried in vain */
    wr_hybrid_end_instant(s, NULL);
    wr_hybrid_note_time_event(s);
    if (group->n_x > 0) {
        s->stats.n_restart_rhs++;
        WR_TRY(wr_hybrid_settle(s));
        WR_TRY(wr_hybrid_slope_here(s, work->dx));
        const int rc = work->solver->start(work->integrator, s->t_s, s->x, work->dx);
        if (rc != 0)
            return group->fault.status < 0
                       ? wr_hybrid_group_fault(s)
                       : wr_hybrid_fault(s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
                                         "its integrator cannot start");
    }
    wr_hybrid_find_timed(s);
    wr_group_keep_loops(group);
    return WRSIM_OK;
}

wrsim_status wr_hybrid_init(wr_subsystem *s, const double *external)
{
    WR_TRY(wr_hybrid_begin(s));
    /* Modes that never agree with their indicators are settled by the initial events. */
    for (int iteration = 0, n_changed = 1;
         n_changed > 0 && iteration <= wr_hybrid_of(s)->max_event_iterations; iteration++)
        WR_TRY(wr_hybrid_find_modes(s, external, &n_changed));
    int n_time, n_state;
    WR_TRY(wr_hybrid_fire_initial(s, external, &n_time));
    WR_TRY(wr_hybrid_follow(s, external, &n_state));
    while (n_time + n_state > 0) {
        WR_TRY(wr_hybrid_fire_next(s, &n_time));
        WR_TRY(wr_hybrid_follow(s, external, &n_state));
    }
    return wr_hybrid_start(s);
}

wrsim_status wr_hybrid_published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const wr_group_point point = wr_hybrid_point(s);
    work->group->fault.status = WRSIM_OK;
    if (ret_slope && work->group->n_x > 0)
        WR_TRY(wr_hybrid_slope_here(s, work->dx_step));
    return wr_hybrid_published_at(s, &point, work->dx_step, ret_value, ret_slope);
}

void wr_hybrid_save(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    int n_guess;
    const double *const guess = wr_group_guess(work->group, &n_guess);
    if (n_guess > 0)
        memcpy(work->guess, guess, (size_t)n_guess * sizeof *work->guess);
    work->clock->t_s = s->t_s;
    memcpy(work->saved, work->now, work->state_bytes);
    if (work->memory_bytes > 0)
        memcpy(work->memory_saved, work->memory, work->memory_bytes);
    if (work->integrator)
        work->solver->save(work->integrator);
}

void wr_hybrid_restore(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    int n_guess;
    double *const guess = wr_group_guess(work->group, &n_guess);
    memcpy(work->now, work->saved, work->state_bytes);
    if (work->memory_bytes > 0)
        memcpy(work->memory, work->memory_saved, work->memory_bytes);
    wr_hybrid_place_z(s);
    s->t_s = work->clock->t_s;
    if (n_guess > 0)
        memcpy(guess, work->guess, (size_t)n_guess * sizeof *guess);
    if (work->integrator)
        work->solver->restore(work->integrator);
}

static int64_t n_rhs(const wr_subsystem *s)
{
    const wr_integ_stats *const stats = wr_hybrid_solver_stats(s);
    return stats ? stats->n_rhs + s->stats.n_effect_rhs : s->stats.n_integration;
}

const wr_subsystem_ops wr_hybrid_ops = {.kind = "components",
                                        .begin = wr_hybrid_begin,
                                        .published = wr_hybrid_published,
                                        .advance = wr_hybrid_advance,
                                        .destroy = destroy,
                                        .save = wr_hybrid_save,
                                        .restore = wr_hybrid_restore,
                                        .state = wr_hybrid_state,
                                        .find_modes = wr_hybrid_find_modes,
                                        .fire_initial = wr_hybrid_fire_initial,
                                        .follow = wr_hybrid_follow,
                                        .fire_next = wr_hybrid_fire_next,
                                        .start = wr_hybrid_start,
                                        .plan = make_plan,
                                        .plan_reads = plan_reads,
                                        .plan_gives = plan_gives,
                                        .outputs = outputs,
                                        .path_text = path_text,
                                        .set_amplification = wr_hybrid_set_amplification,
                                        .effect = wr_hybrid_effect,
                                        .tangent = wr_hybrid_tangent,
                                        .tangent_outputs = wr_hybrid_tangent_outputs,
                                        .pattern = wr_hybrid_pattern,
                                        .tangent_discrete = wr_hybrid_tangent_discrete,
                                        .place_watch = wr_hybrid_place_watch,
                                        .rhs_at = wr_hybrid_rhs_at,
                                        .outputs_at = wr_hybrid_outputs_at,
                                        .row_at = wr_hybrid_row_at,
                                        .event_shift = wr_hybrid_event_shift,
                                        .event_after = wr_hybrid_event_after,
                                        .passes_on = wr_hybrid_passes_on,
                                        .is_event_due = wr_hybrid_is_event_due,
                                        .is_jump = wr_hybrid_is_jump,
                                        .follows_at_end = wr_hybrid_follows_at_end,
                                        .has_jump_at_end = wr_hybrid_has_jump_at_end,
                                        .order = wr_hybrid_order,
                                        .next_event = wr_hybrid_next_event,
                                        .place_causes = wr_hybrid_place_causes,
                                        .confirms = wr_hybrid_confirms,
                                        .checked_span = wr_hybrid_checked_span,
                                        .instant_at = wr_hybrid_instant_at,
                                        .next_answer = wr_hybrid_next_answer,
                                        .close_in = wr_hybrid_close_in,
                                        .runs_away = wr_hybrid_runs_away,
                                        .fault_text = wr_hybrid_fault_text,
                                        .n_rhs = n_rhs};
