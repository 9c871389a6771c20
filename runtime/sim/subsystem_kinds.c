/* Kinds of subsystems: components, steppers, replay and port. See subsystem_kinds.h. Thread: one owner. Real-time: no (setup). */
#include "runtime/sim/subsystem_kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/heap_pool.h"
#include "base/names.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/scenarios.h"
#include "runtime/sim/solver_choice.h"
#include "subsystems/group/group_duplicates.h"
#include "subsystems/model_host/descriptor.h"
#include "subsystems/playback/port_player.h"
#include "subsystems/playback/replay.h"
#include "subsystems/stepper/external_stepper.h"

/* ---- played subsystems ---- */

static wrsim_status configure_played(const wr_assembly *a, const wr_setup *m,
                                     wr_playback_config *ret_config, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    double *const nominal = WR_TAKE(a->pool, double, m->n_published);
    for (int c = 0; nominal && c < m->n_component; c++)
        for (int i = 0; i < m->n_published; i++) {
            const wr_component *const component = a->component[m->component[c]];
            const int y = m->published[i] - a->place[m->component[c]].first[WRSIM_OUTPUT];
            if (y >= 0 && y < component->n[WRSIM_OUTPUT])
                nominal[i] = component->variable[WRSIM_OUTPUT][y].nominal;
        }
    int *const signal = WR_TAKE(a->pool, int, m->n_recorded);
    for (int i = 0; signal && i < m->n_recorded; i++)
        for (int k = 0; k < m->n_published; k++)
            if (m->published[k] == m->recorded_index[i])
                signal[i] = k;
    const int *const recorded = signal;
    if (!nominal || !recorded)
        return wr_assembly_out_of_memory(diag);
    *ret_config = (wr_playback_config){.name = m->name,
                                       .arena = a->arena,
                                       .n_published = m->n_published,
                                       .nominal = nominal,
                                       .rtol = wr_solver_choice_rtol(a),
                                       .atol_factor = set->simulation.atol_factor,
                                       .n_recorded = m->n_recorded,
                                       .recorded = recorded,
                                       .start_s = set->simulation.start_s,
                                       .communication_step_s = set->simulation.communication_step_s,
                                       .cap_node = a->cap_node,
                                       .cap_row = wr_lookup_rows(a, m),
                                       .record_events = set->output.events};
    return WRSIM_OK;
}

/* ---- components ---- */

/* Refuses slack.watch for a stepper and for a mass matrix. A stepper has no right-hand side. With a mass matrix, differences of the
 * right-hand side are no slopes. */
static wrsim_status check_watch(const wr_assembly *a, const wr_setup *m, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const wr_group *const group = wr_setup_group(m);
    if (set->slack.watch == 0 || set->relaxation.scheme != WR_SCHEME_SLACK ||
        (group && !group->mass))
        return WRSIM_OK;
    return WR_SETTINGS_REFUSE(
        set, "slack.watch", diag,
        "'slack.watch' cannot estimate the error of stale inputs in subsystem '%s', "
        "which %s; set slack.watch = 0",
        m->name, group ? "has a mass matrix" : "advances itself");
}

/* Returns whether the subsystem has no rollback, and the run repeats no window: a run with one subsystem
 * (wr_assembly_n_relaxed()), or without relaxation. */
static int is_once(const wr_assembly *a, const wr_setup *m)
{
    int has_rollback = 1;
    for (int i = 0; i < m->n_component; i++)
        has_rollback &= !(a->component[m->component[i]]->model->caps & WRSIM_CAP_CANNOT_RESTORE);
    return !has_rollback && (wr_assembly_n_relaxed(a) == 1 || !wr_settings_relaxes(a->settings));
}

/* Reports components with state events whose model has no rollback, in a run that repeats windows and cannot end them at events. */
static void check_rollback(const wr_assembly *a, const wr_setup *m, wr_diag *diag)
{
    const wr_component *stepper = NULL;
    for (int i = 0; i < a->n_component && !stepper; i++)
        if (a->component[i]->model->caps & WRSIM_CAP_COMMUNICATION_STEPS)
            stepper = a->component[i];
    for (int i = 0; i < m->n_component && stepper && !m->ode.is_once; i++) {
        const wr_component *const c = a->component[m->component[i]];
        if ((c->model->caps & WRSIM_CAP_CANNOT_RESTORE) && c->n[WRSIM_INDICATOR] > 0)
            wr_diag_add(diag, WRSIM_E_CONFIG, &c->where,
                        "component '%s': its model '%s' has state events but no rollback, so "
                        "windows must end at its events, but '%s' advances by whole communication "
                        "steps; set relaxation.scheme = \"slack\" and slack.sweeps = 1",
                        c->name, c->model->name, stepper->name);
    }
}

static wrsim_status create_components(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_set_simulation *const set = &a->settings->simulation;
    wr_setup *const m = &a->setup[i_subsystem];
    wr_component **const components = WR_TAKE(a->pool, wr_component *, m->n_component);
    if (!components)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < m->n_component; i++)
        components[i] = a->component[m->component[i]];
    wr_ode_config *const c = &m->ode;
    c->name = m->name;
    c->arena = a->arena;
    c->components = components;
    c->n_components = m->n_component;
    c->edges = m->group_edge;
    c->n_edges = m->n_group_edge;
    c->n_external = m->n_external;
    c->source = m->external_source;
    c->source_signal = m->external_signal;
    c->n_source = m->n_source;
    c->published = m->published;
    c->n_published = m->n_published;
    c->recorded_kind = m->recorded_kind;
    c->recorded_index = m->recorded_index;
    c->n_recorded = m->n_recorded;
    if (set->points != WR_POINTS_MEASURE && /* each component needs samples of its own */
        wr_group_share_duplicates(components, m->n_component, m->group_edge, m->n_group_edge) < 0)
        return wr_assembly_out_of_memory(diag);
    c->is_once = is_once(a, m);
    check_rollback(a, m, diag);
    c->start_s = set->start_s;
    c->communication_step_s = set->communication_step_s;
    c->event_tolerance_s = set->event_tolerance_s;
    c->max_event_iterations = set->max_event_iterations;
    c->max_stuck_events = set->max_stuck_events;
    c->chatter_time_s = set->chatter_time_s;
    c->run_s = set->stop_s - set->start_s;
    c->event_blocks = set->event_blocks;
    c->cap_node = a->cap_node;
    c->cap_row = wr_lookup_rows(a, m);
    c->jump_limit = 1.0;
    c->coupling_rtol = wr_solver_choice_rtol(a);
    c->looks_always = c->coupling_rtol < set->rtol;
    c->record_events = a->settings->output.events;
    c->has_log = wr_settings_has_log(a->settings);
    m->subsystem = wr_ode_create(c, diag);
    return m->subsystem ? check_watch(a, m, diag) : wr_diag_status(diag);
}

static const wr_setup_kind kind_components = {
    .name = "components", .has_inputs = 1, .has_group = 1, .create = create_components};

/* ---- steppers ---- */

/* Returns the component with a stepper in a subsystem; -1: none. */
static int find_stepper(const wr_assembly *a, int i_subsystem)
{
    for (int i = 0; i < a->n_component && a->n_stepper > 0; i++)
        if (a->component[i] && a->component[i]->model->stepper &&
            a->graph->node[i].i_subsystem == i_subsystem)
            return i;
    return -1;
}

/* Refuses an end of the run between communication points for a model that advances from one point to the next only. */
static void check_stop(const wr_assembly *a, const wr_component *c, wr_diag *diag)
{
    const wr_set_simulation *const set = &a->settings->simulation;
    const double n = (set->stop_s - set->start_s) / set->communication_step_s;
    const double grid_s = wr_time_at(set->start_s, floor(n + 0.5), set->communication_step_s);
    if (!(c->model->caps & WRSIM_CAP_COMMUNICATION_STEPS) || wr_time_close(grid_s, set->stop_s))
        return;
    WR_SETTINGS_REFUSE(a->settings, "simulation.stop", diag,
                       "simulation.stop = %.9g s is not a communication point, and component '%s' "
                       "can stop only at such points; choose simulation.start plus a multiple of "
                       "simulation.communication_step, which is %.9g s",
                       set->stop_s, c->name, set->communication_step_s);
}

static wrsim_status create_stepper(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    wr_setup *const m = &a->setup[i_subsystem];
    const wr_component *const c = a->component[m->component[0]];
    int *const input = WR_TAKE(a->pool, int, c->n[WRSIM_INPUT]);
    wr_unit_scale *const scale = WR_TAKE(a->pool, wr_unit_scale, c->n[WRSIM_INPUT]);
    double *const nominal = WR_TAKE(a->pool, double, m->n_external);
    wr_external_stepper_config config = {.component = c,
                                         .output = m->published,
                                         .n_external = m->n_external,
                                         .n_source = m->n_source,
                                         .source = m->external_source,
                                         .signal = m->external_signal,
                                         .nominal = nominal,
                                         .input_external = input,
                                         .input_scale = scale};
    if (!input || !scale || !nominal)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < c->n[WRSIM_INPUT]; i++)
        input[i] = -1;
    for (int i = 0; i < m->n_group_edge; i++) {
        input[m->group_edge[i].i_input] = m->group_edge[i].i_external;
        scale[m->group_edge[i].i_input] = m->group_edge[i].scale;
    }
    for (int e = 0; e < m->n_external; e++)
        nominal[e] = a->component[m->external_component[e]]
                         ->variable[WRSIM_OUTPUT][m->external_output[e]]
                         .nominal;
    WR_TRY(configure_played(a, m, &config.played, diag));
    m->subsystem = wr_external_stepper_create(&config, diag);
    check_stop(a, c, diag);
    return m->subsystem ? check_watch(a, m, diag) : wr_diag_status(diag);
}

static const wr_setup_kind kind_stepper = {.name = "stepper",
                                           .solver = "stepper",
                                           .has_inputs = 1,
                                           .publishes_all = 1,
                                           .create = create_stepper};

/* Checks that a component with a stepper is alone in its subsystem, and does not drive its own inputs. */
static void check_steppers(const wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_component && a->n_stepper > 0 && a->graph; i++) {
        const wr_component *const c = a->component[i];
        if (!c || !c->model->stepper)
            continue;
        for (int e = 0; e < a->graph->n_edge; e++)
            if (a->graph->edge[e].from == i && a->graph->edge[e].to == i)
                wr_diag_add(diag, WRSIM_E_CONFIG, &c->where,
                            "component '%s': its model '%s' advances itself, so its outputs cannot "
                            "drive its own inputs; connect them inside of the model",
                            c->name, c->model->name);
        int n_other = 0;
        for (int k = 0; k < a->n_component; k++)
            n_other += k != i && k != a->i_port &&
                       a->graph->node[k].i_subsystem == a->graph->node[i].i_subsystem;
        if (n_other > 0)
            wr_diag_add(diag, WRSIM_E_CONFIG, &c->where,
                        "component '%s': its model '%s' advances itself, so it needs a subsystem "
                        "of its own; %s",
                        c->name, c->model->name,
                        a->settings->simulation.monolithic
                            ? "omit --monolithic, or set simulation.monolithic = false"
                            : "list it alone in a [[subsystem]]");
    }
}

/* ---- input ports ---- */

static wrsim_status create_port(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_setup *const m = &a->setup[i_subsystem];
    double *const start = WR_TAKE(a->pool, double, m->n_published);
    unsigned char *const is_ramp = WR_TAKE(a->pool, unsigned char, m->n_published);
    wr_port_player_config config = {.start = start, .is_ramp = is_ramp};
    if (!start || !is_ramp)
        return wr_assembly_out_of_memory(diag);
    WR_TRY(configure_played(a, m, &config.played, diag));
    int n_input = 0;
    for (int i = 0; i < set->n_ports; i++) {
        if (set->ports[i].n_to == 0)
            continue;
        const int k = n_input++;
        const int signal = a->signal_of[wr_lookup_number(a, a->i_port, WRSIM_OUTPUT, k)];
        start[signal] = wr_ports_start(a, &set->ports[i]);
        is_ramp[signal] = set->ports[i].mode == WR_PORT_RAMP;
    }
    for (int i = 0; i < set->n_scenarios; i++) {
        const int i_api = a->scenarios->scenario[i].i_api;
        const int level = i_api >= 0 ? wr_ports_api_output(set, i_api) + 1 : 0;
        if (i_api >= 0) /* the scenario is off at the start, so only its value is set */
            start[a->signal_of[wr_lookup_number(a, a->i_port, WRSIM_OUTPUT, level)]] =
                set->scenarios[i].value;
    }
    m->subsystem = wr_port_player_create(&config, diag);
    return m->subsystem ? WRSIM_OK : wr_diag_status(diag);
}

static const wr_setup_kind kind_port = {.name = "port", .solver = "port", .create = create_port};

/* ---- recordings ---- */

static double time_of(const void *context, int i)
{
    return ((const wr_results_waves *)context)->t_s[i];
}

static void node_of(const void *context, int i, double *ret_value, double *ret_slope)
{
    const wr_results_waves *const w = context;
    const size_t n = (size_t)w->n_signal, at = (size_t)i * n;
    memcpy(ret_value, w->value + at, n * sizeof *ret_value);
    memcpy(ret_slope, w->slope + at, n * sizeof *ret_slope);
}

/* Warns of the largest interpolation error of signals without recorded waves. */
static void warn_of_points(wr_assembly *a, const wr_setup *m, const wr_set_subsystem *set)
{
    const wr_results_waves *const w = m->waves;
    int i_worst = 0;
    for (int i = 0; i < w->n_signal; i++)
        if (!(w->error[i] <= w->error[i_worst])) /* NaN, an unknown error, counts as largest */
            i_worst = i;
    if (w->n_point_signal == 0)
        return;
    char error[64] = "unknown, because there are few points";
    if (!isnan(w->error[i_worst]))
        snprintf(error, sizeof error, "about %.2g of its range", w->error[i_worst]);
    wr_diag_add(&a->warnings, WRSIM_OK, &set->where_file,
                "subsystem '%s': %d of %d signals have no waves in '%s' and are interpolated from "
                "points ('%s' has the largest error, %s). Record with output.waves = true",
                m->name, w->n_point_signal, w->n_signal, set->file, m->link.signal_name[i_worst],
                error);
}

/* ---- answers to events ---- */

/* Returns a subsystem that reads subsystem i_subsystem, directly or through other subsystems, and also drives i_subsystem. Returns -1 if
 * no subsystem does, or memory is exhausted. */
static int find_feedback(const wr_assembly *a, int i_subsystem)
{
    unsigned char *const is_reached = WR_TAKE(a->pool, unsigned char, a->n_subsystem);
    if (!is_reached)
        return -1;
    is_reached[i_subsystem] = 1;
    for (int n_new = 1; n_new > 0;) {
        n_new = 0;
        for (int j = 0; j < a->n_subsystem; j++)
            for (int s = 0; s < a->setup[j].n_source && !is_reached[j]; s++)
                n_new += is_reached[j] = is_reached[a->setup[j].link.producer[s]];
    }
    for (int k = 0; k < a->graph->n_edge; k++) {
        const wr_graph_edge *const e = &a->graph->edge[k];
        const int from = a->graph->node[e->from].i_subsystem;
        if (a->graph->node[e->to].i_subsystem == i_subsystem && from != i_subsystem &&
            is_reached[from])
            return from;
    }
    return -1;
}

/* Returns 1 if a value between two changes in one instant differs from the values before and after by more than a tolerance. */
static int is_pulse(const wr_assembly *a, double first, double between, double last, double nominal)
{
    const wr_set_simulation *const run = &a->settings->simulation;
    const double unit = run->rtol * (fabs(between) + run->atol_factor * nominal);
    return fabs(between - first) > unit && fabs(between - last) > unit;
}

/* If a reader also drives the subsystem, refuses recorded values of zero duration, which may answer an event of that reader. In a run with
 * the replay this event is a rounding error earlier or later, so the reader would miss the answer. */
static wrsim_status check_answers(wr_assembly *a, int i_subsystem, const double *nominal,
                                  wr_diag *diag)
{
    const wr_setup *const m = &a->setup[i_subsystem];
    const wr_results_waves *const w = m->waves;
    const size_t n = (size_t)w->n_signal;
    const int i_reader = find_feedback(a, i_subsystem);
    for (int first = 0, last; i_reader >= 0 && first < w->n_node; first = last + 1) {
        for (last = first; last + 1 < w->n_node && wr_time_close(w->t_s[last + 1], w->t_s[first]);)
            last++;
        const double *const left = w->value + (size_t)first * n, *const right =
                                                                     w->value + (size_t)last * n;
        for (int i = first + 1; i < last; i++)
            for (size_t j = 0; j < n; j++)
                if (is_pulse(a, left[j], w->value[(size_t)i * n + j], right[j], nominal[j]))
                    return wr_diag_add(
                        diag, WRSIM_E_CONFIG, &a->settings->subsystems[i_subsystem].where_file,
                        "'%s' cannot be played for subsystem '%s': at t = %.9g s '%s' has a pulse "
                        "that depends on an event of '%s'. Also play '%s', or integrate both "
                        "subsystems",
                        a->settings->subsystems[i_subsystem].file, m->name, w->t_s[first],
                        m->link.signal_name[j], a->setup[i_reader].name, a->setup[i_reader].name);
    }
    return WRSIM_OK;
}

/* Converts the recorded signals to the units of the outputs that they replace. */
static wrsim_status convert_units(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_setup *const m = &a->setup[i_subsystem];
    wr_results_waves *const w = m->waves;
    const size_t n = (size_t)w->n_signal;
    for (size_t j = 0; j < n; j++) {
        const char *const name = m->link.signal_name[j];
        int i_component, index;
        wrsim_kind kind;
        wr_unit_scale scale;
        if (wr_lookup_name(a, name, &i_component, &kind, &index) != 0)
            continue;
        const char *const unit = a->component[i_component]->variable[kind][index].unit;
        if (wr_unit_convert(w->unit[j], unit, &scale) != WR_UNIT_FITS)
            return wr_diag_add(
                diag, WRSIM_E_CONFIG, &a->settings->subsystems[i_subsystem].where_file,
                "'%s' has '%.160s' in unit %.32s, but this output has unit %.32s; record the "
                "signal again, or correct the unit in the file",
                a->settings->subsystems[i_subsystem].file, name, w->unit[j], unit);
        if (!wr_unit_is_scaled(scale))
            continue;
        for (size_t i = 0; i < (size_t)w->n_node; i++) {
            w->value[i * n + j] = wr_unit_apply(scale, w->value[i * n + j]);
            w->slope[i * n + j] = wr_unit_apply_change(scale, w->slope[i * n + j]);
        }
    }
    return WRSIM_OK;
}

/* ---- the subsystem ---- */

static wrsim_status create_replay(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_set_subsystem *const own = &a->settings->subsystems[i_subsystem];
    wr_setup *const m = &a->setup[i_subsystem];
    wrsim_error err = {0};
    if (m->n_published == 0)
        return wr_diag_add(
            diag, WRSIM_E_CONFIG, &own->where_file,
            "subsystem '%s' has no readers, so its file '%s' has no effect; connect an output, or "
            "remove 'kind' and 'file'",
            m->name, own->file);
    m->waves = wr_results_waves_load(own->file, m->n_published, m->link.signal_name, &err);
    if (!m->waves)
        return wr_diag_add(diag, err.status, &own->where_file, "%s", err.text);
    WR_TRY(convert_units(a, i_subsystem, diag));
    /* The recording must span the run. */
    const wr_set_simulation *const run = &a->settings->simulation;
    const double first_s = m->waves->t_s[0], last_s = m->waves->t_s[m->waves->n_node - 1];
    WR_TRY(
        (first_s <= run->start_s || wr_time_close(first_s, run->start_s)) &&
                (last_s >= run->stop_s || wr_time_close(last_s, run->stop_s))
            ? WRSIM_OK
            : wr_diag_add(diag, WRSIM_E_CONFIG, &own->where_file,
                          "'%s' has records from %.9g to %.9g s, but the run needs %.9g to %.9g s. "
                          "Record a longer run, or change simulation.start or simulation.stop",
                          own->file, first_s, last_s, run->start_s, run->stop_s));
    warn_of_points(a, m, own);
    wr_replay_config config = {
        .recording = {
            .context = m->waves, .n_node = m->waves->n_node, .time_s = time_of, .node = node_of}};
    WR_TRY(configure_played(a, m, &config.played, diag));
    WR_TRY(check_answers(a, i_subsystem, config.played.nominal, diag));
    m->subsystem = wr_replay_create(&config, diag);
    return m->subsystem ? WRSIM_OK : wr_diag_status(diag);
}

static const wr_setup_kind kind_replay = {
    .name = "replay", .solver = "replay", .needs_file = 1, .create = create_replay};

/* ---- the table ---- */

static const wr_setup_kind *const kinds[] = {&kind_components, &kind_replay};

static const wr_setup_kind *find(const char *name)
{
    for (size_t i = 0; i < WR_COUNT_OF(kinds); i++)
        if (name && strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

const wr_setup_kind *wr_subsystem_kinds_of(const wr_assembly *a, int i_subsystem)
{
    if (a->i_port >= 0 && a->graph->node[a->i_port].i_subsystem == i_subsystem)
        return &kind_port; /* the key kind has no value for input ports */
    const int is_named =
        !a->settings->simulation.monolithic && i_subsystem < a->settings->n_subsystems;
    const wr_setup_kind *const kind =
        is_named ? find(a->settings->subsystems[i_subsystem].kind) : kinds[0];
    return kind == &kind_components && find_stepper(a, i_subsystem) >= 0 ? &kind_stepper : kind;
}

void wr_subsystem_kinds_check(const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    check_steppers(a, diag);
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        const wr_setup_kind *const kind = find(s->kind);
        if (!kind && s->kind) {
            const char *names[WR_COUNT_OF(kinds)];
            for (size_t k = 0; k < WR_COUNT_OF(kinds); k++)
                names[k] = kinds[k]->name;
            char hint[WR_NAMES_HINT_BYTES];
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_kind, "unknown kind of subsystem '%s'; %s",
                        s->kind, wr_names_hint(s->kind, names, (int)WR_COUNT_OF(kinds), hint));
        } else if (kind && kind->needs_file && !s->file && s->where_file.line == 0)
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_kind,
                        "kind = \"%s\" needs the file that it plays; add the key 'file'", s->kind);
        else if (kind && !kind->needs_file && s->file)
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_file,
                        "'file' of [[subsystem]] needs kind = \"replay\"; add the kind, or remove "
                        "the file");
        else if (kind && !kind->has_group && set->simulation.monolithic)
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_kind,
                        "subsystem '%s' has kind \"%s\", which a monolithic run cannot integrate; "
                        "set simulation.monolithic = false",
                        s->name, s->kind);
    }
}
