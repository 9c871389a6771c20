/* The subsystems of an assembly. See member.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/member.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/names.h"
#include "runtime/sim/bag.h"

enum { ARENA_BYTES = 1 << 29 }; /* most memory per subsystem, on average */
enum { ENGINE_SHARE = 2 };      /* and for the engine as for that many subsystems */
/* Room of a subsystem per window, in models of up to MANY subsystems; more of them have less room
 * each, but at least a LEAST_SHARE of it. Where it does not do, windows get shorter. */
enum { NODES = 4096 };      /* of its waveform */
enum { EVENT_ROWS = 1024 }; /* rows at events, beside communication points */
enum { MANY = 256, LEAST_SHARE = 16 };
static const double MAX_ROWS = 1e5; /* of communication points a window may have */

static wrsim_status out_of_memory(wr_diag *diag)
{
    return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while subsystems are built");
}

static int scaled(const wr_assembly *a, int room)
{
    const int64_t share = (int64_t)room * MANY / a->n_member;
    return (int)wr_clamp((double)share, (double)(room / LEAST_SHARE), (double)room);
}

/* Nobody reads rows without columns. */
static int row_count(const wr_assembly *a, const wr_member *m)
{
    const wr_settings *const set = a->settings;
    if (m->n_recorded == 0)
        return 1;
    const double n_communication =
        wr_min(ceil(set->relaxation.window_max_s / set->simulation.communication_step_s), MAX_ROWS);
    return (int)n_communication + 4 + (set->output.events ? scaled(a, EVENT_ROWS) : 0);
}

static int member_of(const wr_assembly *a, int i_component)
{
    return a->graph->node[i_component].i_subsystem;
}

/* Number of a component's first variable of a kind within its subsystem. */
static int first_in_group(const wr_assembly *a, int i_component, wrsim_kind kind)
{
    const wr_member *const m = &a->member[member_of(a, i_component)];
    int first = 0;
    for (int i = 0; i < m->n_component && m->component[i] != i_component; i++)
        first += a->component[m->component[i]]->n[kind];
    return first;
}

static int place_in_member(const wr_member *m, int i_component)
{
    for (int i = 0; i < m->n_component; i++)
        if (m->component[i] == i_component)
            return i;
    return -1;
}

static wrsim_status list_components(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_component; i++)
        a->member[member_of(a, i)].n_component++;
    for (int i = 0; i < a->n_member; i++) {
        a->member[i].component = WR_TAKE(a->bag, int, a->member[i].n_component);
        if (!a->member[i].component)
            return out_of_memory(diag);
        a->member[i].n_component = 0;
    }
    for (int i = 0; i < a->n_component; i++) {
        wr_member *const m = &a->member[member_of(a, i)];
        m->component[m->n_component++] = i;
    }
    for (int i = 0; i < a->n_member; i++) {
        wr_member *const m = &a->member[i];
        const wr_settings *const set = a->settings;
        if (set->simulation.monolithic)
            m->name = "monolith";
        else if (i < set->n_subsystems)
            m->name = set->subsystems[i].name;
        else
            m->name = a->component[m->component[0]]->name;
    }
    return WRSIM_OK;
}

/* ---- what crosses the cuts ---- */

/* The external input of m for that output, made if it is new. */
static int external_for(wr_member *m, int i_component, int i_output)
{
    for (int i = 0; i < m->n_external; i++)
        if (m->external_component[i] == i_component && m->external_output[i] == i_output)
            return i;
    m->external_component[m->n_external] = i_component;
    m->external_output[m->n_external] = i_output;
    return m->n_external++;
}

static wrsim_status list_edges(wr_assembly *a, int i_member, wr_diag *diag)
{
    wr_member *const m = &a->member[i_member];
    int n = 0;
    for (int i = 0; i < a->graph->n_edge; i++)
        n += member_of(a, a->graph->edge[i].to) == i_member;
    m->group_edge = WR_TAKE(a->bag, wr_group_edge, n);
    m->external_component = WR_TAKE(a->bag, int, n);
    m->external_output = WR_TAKE(a->bag, int, n);
    m->external_source = WR_TAKE(a->bag, int, n);
    m->external_signal = WR_TAKE(a->bag, int, n);
    m->producer = WR_TAKE(a->bag, int, n);
    m->input_start = WR_TAKE(a->bag, double, n);
    if (!m->group_edge || !m->external_component || !m->external_output || !m->external_source ||
        !m->external_signal || !m->producer || !m->input_start)
        return out_of_memory(diag);
    for (int i = 0; i < a->graph->n_edge; i++) {
        const wr_graph_edge *const e = &a->graph->edge[i];
        if (member_of(a, e->to) != i_member)
            continue;
        wr_group_edge *const g = &m->group_edge[m->n_group_edge++];
        *g = (wr_group_edge){.i_output = e->i_output,
                             .to = place_in_member(m, e->to),
                             .i_input = e->i_input,
                             .i_external = -1};
        if (member_of(a, e->from) == i_member) {
            g->from = place_in_member(m, e->from);
        } else {
            g->from = -1;
            g->i_external = external_for(m, e->from, e->i_output);
            m->input_start[g->i_external] =
                a->component[e->to]->variable[WRSIM_INPUT][e->i_input].start;
        }
    }
    return WRSIM_OK;
}

/* Which signal of the producer's wave an output is; added if it is new. */
static int publish(const wr_assembly *a, wr_member *producer, int i_component, int i_output)
{
    const int output = first_in_group(a, i_component, WRSIM_OUTPUT) + i_output;
    for (int i = 0; i < producer->n_published; i++)
        if (producer->published[i] == output)
            return i;
    const wr_variable *const v = &a->component[i_component]->variable[WRSIM_OUTPUT][i_output];
    const int i = producer->n_published++;
    producer->published[i] = output;
    producer->signal_name[i] = wr_bag_join(a->bag, a->component[i_component]->name, v->name);
    producer->atol[i] =
        a->settings->simulation.rtol * a->settings->simulation.atol_factor * v->nominal;
    return i;
}

static wrsim_status place_published(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_member; i++) {
        wr_member *const m = &a->member[i];
        int n = 0;
        for (int k = 0; k < m->n_component; k++)
            n += a->component[m->component[k]]->n[WRSIM_OUTPUT];
        m->published = WR_TAKE(a->bag, int, n);
        m->signal_name = WR_TAKE(a->bag, const char *, n);
        m->atol = WR_TAKE(a->bag, double, n);
        if (!m->published || !m->signal_name || !m->atol)
            return out_of_memory(diag);
    }
    return WRSIM_OK;
}

static wrsim_status cut(wr_assembly *a, wr_diag *diag)
{
    WR_TRY(place_published(a, diag));
    for (int i = 0; i < a->n_member; i++)
        WR_TRY(list_edges(a, i, diag));
    for (int i = 0; i < a->n_member; i++) {
        wr_member *const m = &a->member[i];
        for (int e = 0; e < m->n_external; e++) {
            const int i_producer = member_of(a, m->external_component[e]);
            int source = 0;
            while (source < m->n_source && m->producer[source] != i_producer)
                source++;
            if (source == m->n_source)
                m->producer[m->n_source++] = i_producer;
            m->external_source[e] = source;
            m->external_signal[e] =
                publish(a, &a->member[i_producer], m->external_component[e], m->external_output[e]);
        }
    }
    return WRSIM_OK;
}

/* ---- history ---- */

/* The phase is published even if nobody across a cut reads it. */
static wrsim_status find_phase(wr_assembly *a, wr_diag *diag)
{
    const wr_set_relaxation *const set = &a->settings->relaxation;
    a->phase_member = -1;
    if (!(set->history_period > 0.0) || set->history_phase[0] == '\0' || a->n_member == 1)
        return WRSIM_OK;
    const wr_where where = wr_settings_place(a->settings, "relaxation.history.phase");
    int i_component, index;
    wrsim_kind kind;
    if (wr_assembly_find(a, set->history_phase, &i_component, &kind, &index) != 0 ||
        kind != WRSIM_OUTPUT)
        return wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                           "'relaxation.history.phase': there is no output '%s'; outputs are named "
                           "component.variable",
                           set->history_phase);
    a->phase_member = member_of(a, i_component);
    a->phase_signal = publish(a, &a->member[a->phase_member], i_component, index);
    return WRSIM_OK;
}

/* Names of a published signal without its component. */
static const char *variable_of(const wr_member *m, int i_signal)
{
    return strchr(m->signal_name[i_signal], '.');
}

static int publish_the_same(const wr_member *a, const wr_member *b)
{
    if (a->n_published != b->n_published)
        return 0;
    for (int i = 0; i < a->n_published; i++)
        if (strcmp(variable_of(a, i), variable_of(b, i)) != 0)
            return 0;
    return 1;
}

static void find_siblings(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    for (int i = 0; i < a->n_member; i++)
        a->member[i].sibling = -1;
    for (int i = 0; i < set->n_subsystems && !set->simulation.monolithic; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        int sibling = 0;
        while (s->follows && sibling < a->n_member &&
               strcmp(a->member[sibling].name, s->follows) != 0)
            sibling++;
        if (!s->follows)
            continue;
        if (sibling == a->n_member) {
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_follows,
                        "subsystem '%s' follows '%s', but there is no such subsystem", s->name,
                        s->follows);
        } else if (!publish_the_same(&a->member[i], &a->member[sibling])) {
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_follows,
                        "subsystem '%s' cannot follow '%s': they do not publish the same outputs",
                        s->name, s->follows);
        } else {
            a->member[i].sibling = sibling;
            a->member[i].lag = s->lag;
        }
    }
}

/* Gauss-Seidel levels of the graph of subsystems. */
static wrsim_status set_levels(wr_assembly *a, wr_diag *diag)
{
    int n_arc = 0;
    for (int i = 0; i < a->n_member; i++)
        n_arc += a->member[i].n_source;
    int *const start = WR_TAKE(a->bag, int, a->n_member + 2);
    int *const arc = WR_TAKE(a->bag, int, n_arc);
    int *const level = WR_TAKE(a->bag, int, a->n_member);
    if (!start || !arc || !level)
        return out_of_memory(diag);
    /* Arcs go from producer to consumer: count, sum up, fill. */
    for (int i = 0; i < a->n_member; i++)
        for (int s = 0; s < a->member[i].n_source; s++)
            start[a->member[i].producer[s] + 2]++;
    for (int i = 0; i < a->n_member; i++)
        start[i + 1] += start[i];
    for (int i = 0; i < a->n_member; i++)
        for (int s = 0; s < a->member[i].n_source; s++)
            arc[start[a->member[i].producer[s] + 1]++] = i;
    if (wr_order_levels(a->n_member, start, arc, level) < 0)
        return out_of_memory(diag);
    for (int i = 0; i < a->n_member; i++)
        a->member[i].level = level[i];
    return WRSIM_OK;
}

/* ---- what is recorded ---- */

static void record(wr_assembly *a, int i_component, wrsim_kind kind, int index)
{
    wr_member *const m = &a->member[member_of(a, i_component)];
    const int in_group = first_in_group(a, i_component, kind) + index;
    for (int i = 0; i < m->n_recorded; i++)
        if (m->recorded_kind[i] == (int)kind && m->recorded_index[i] == in_group)
            return;
    const wr_component *const c = a->component[i_component];
    const wr_variable *const v = &c->variable[kind][index];
    m->recorded_kind[m->n_recorded] = (int)kind;
    m->recorded_index[m->n_recorded] = in_group;
    m->channel[m->n_recorded++] = (wr_channel){.name = wr_bag_join(a->bag, c->name, v->name),
                                               .unit = v->unit,
                                               .description = v->description};
}

/* Hands outputs and states that fit a pattern to found (NULL: to nobody); returns how many there
 * are. */
static int find_matching(wr_assembly *a, const char *pattern,
                         void (*found)(wr_assembly *a, int i_component, wrsim_kind kind, int index))
{
    static const wrsim_kind kinds[] = {WRSIM_OUTPUT, WRSIM_STATE};
    int n = 0;
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (size_t k = 0; c && k < WR_COUNT_OF(kinds); k++)
            for (int j = 0; j < c->n[kinds[k]]; j++) {
                const char *const name = c->variable[kinds[k]][j].name;
                /* An output that is a state has its name in most models: one column is enough. */
                if (kinds[k] == WRSIM_STATE && wr_component_find(c, WRSIM_OUTPUT, name) >= 0)
                    continue;
                const char *const full = wr_bag_join(a->bag, c->name, name);
                if (!full || !wr_names_match(pattern, full))
                    continue;
                if (found)
                    found(a, i, kinds[k], j);
                n++;
            }
    }
    return n;
}

static void report_unknown_signal(const wr_assembly *a, const char *pattern, wr_diag *diag)
{
    static const wrsim_kind kinds[] = {WRSIM_STATE, WRSIM_OUTPUT};
    int n = 0;
    for (int i = 0; i < a->n_component; i++)
        for (size_t k = 0; a->component[i] && k < WR_COUNT_OF(kinds); k++)
            n += a->component[i]->n[kinds[k]];
    const char **const names = WR_TAKE(a->bag, const char *, n);
    n = 0;
    for (int i = 0; names && i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (size_t k = 0; c && k < WR_COUNT_OF(kinds); k++)
            for (int j = 0; j < c->n[kinds[k]]; j++)
                names[n++] = wr_bag_join(a->bag, c->name, c->variable[kinds[k]][j].name);
    }
    const char *const nearest = names ? wr_names_nearest(pattern, names, n) : NULL;
    const wr_where where = wr_settings_place(a->settings, "output.signals");
    wr_diag_add(diag, WRSIM_E_CONFIG, &where, "'output.signals': nothing fits '%s'; %s%s%s",
                pattern, nearest ? "did you mean '" : "",
                nearest ? nearest : "names are component.variable, [] records all",
                nearest ? "'?" : "");
}

static wrsim_status choose_recorded(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_member; i++) {
        wr_member *const m = &a->member[i];
        int n = 0;
        for (int k = 0; k < m->n_component; k++)
            for (int kind = 0; kind < WRSIM_KIND_COUNT; kind++)
                n += a->component[m->component[k]]->n[kind];
        m->recorded_kind = WR_TAKE(a->bag, int, n);
        m->recorded_index = WR_TAKE(a->bag, int, n);
        m->channel = WR_TAKE(a->bag, wr_channel, n);
        if (!m->recorded_kind || !m->recorded_index || !m->channel)
            return out_of_memory(diag);
    }
    const wr_set_output *const set = &a->settings->output;
    if (set->file[0] == '\0') /* nobody would read the rows */
        return WRSIM_OK;
    if (set->n_signals == 0)
        find_matching(a, "*", record);
    for (int i = 0; i < set->n_signals; i++) {
        int i_component, index;
        wrsim_kind kind;
        if (find_matching(a, set->signals[i], record) == 0 &&
            wr_assembly_find(a, set->signals[i], &i_component, &kind, &index) == 0)
            record(a, i_component, kind, index);
    }
    return WRSIM_OK;
}

/* 1 if the pattern may fit a variable of a component that could not be made, or not be named. */
static int may_fit_missing(const wr_assembly *a, const char *pattern)
{
    const size_t n_name = strcspn(pattern, ".");
    for (int i = 0; i < a->settings->n_components; i++) {
        const char *const name = a->settings->components[i].name;
        if (!name)
            return 1;
        const int is_its = strlen(name) == n_name && strncmp(name, pattern, n_name) == 0;
        if (!a->component[i] && (is_its || wr_names_is_glob(pattern)))
            return 1;
    }
    return a->settings->is_partial[WR_LIST_COMPONENT];
}

static void check_signals(wr_assembly *a, wr_diag *diag)
{
    const wr_set_output *const set = &a->settings->output;
    for (int i = 0; i < set->n_signals; i++) {
        int i_component, index;
        wrsim_kind kind;
        if (find_matching(a, set->signals[i], NULL) == 0 &&
            wr_assembly_find(a, set->signals[i], &i_component, &kind, &index) != 0 &&
            !may_fit_missing(a, set->signals[i]))
            report_unknown_signal(a, set->signals[i], diag);
    }
}

/* ---- solvers ---- */

static void report_unknown_solver(const wr_set_solver *set, const wr_where *where, wr_diag *diag)
{
    const char *names[64];
    int n = 0;
    for (; wr_integrators[n] && n < 64; n++)
        names[n] = wr_integrators[n]->name;
    const char *const nearest = wr_names_nearest(set->kind, names, n);
    wr_diag_add(diag, WRSIM_E_CONFIG, where, "there is no solver '%s'; %s%s%s", set->kind,
                nearest ? "did you mean '" : "",
                nearest ? nearest : "`wrsim keys solver.kind` lists them", nearest ? "'?" : "");
}

/* who: the subsystem in words, "" for [solver]. An empty kind and a step that is not a number have
 * been refused when they were read. */
static void check_solver(const wr_set_solver *set, const char *who, const wr_where *where,
                         wr_diag *diag)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(set->kind);
    if (!integrator && set->kind[0])
        report_unknown_solver(set, where, diag);
    if (integrator && (integrator->flags & WR_INTEG_FIXED_STEP) && set->step_s <= 0.0)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver '%s' has a fixed step; give solver.step in seconds", who, set->kind);
}

/* Whether any subsystem is solved as [solver] says, as far as is known. */
static int is_common_solver_used(const wr_assembly *a)
{
    const wr_settings *const set = a->settings;
    return set->simulation.monolithic || set->n_subsystems == 0 ||
           (a->graph && a->graph->n_subsystem > set->n_subsystems);
}

/* Also of subsystems that are not used when all is monolithic: a wrong one must not come to light
 * only without that option. */
static void check_solvers(const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const wr_where common = wr_settings_place(set, "solver.kind");
    wr_set_solver solver = set->solver;
    if (!is_common_solver_used(a))
        solver.step_s = (double)NAN; /* nobody needs it */
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        char who[96];
        snprintf(who, sizeof who, "subsystem '%s': ", s->name ? s->name : "?");
        if (s->solver.kind != set->solver.kind) /* the very same text is inherited */
            check_solver(&s->solver, who, &s->where_solver, diag);
        else if (s->solver.step_s <= 0.0)
            solver.step_s = s->solver.step_s;
    }
    check_solver(&solver, "", &common, diag);
}

static void choose_solver(wr_assembly *a, int i_member)
{
    const wr_settings *const set = a->settings;
    wr_member *const m = &a->member[i_member];
    const int is_named = !set->simulation.monolithic && i_member < set->n_subsystems;
    const wr_set_solver *const solver = is_named ? &set->subsystems[i_member].solver : &set->solver;
    m->integrator = wr_integrator_find(solver->kind);
    const double share = a->n_member > 1 ? set->relaxation.solver_tolerance_factor : 1.0;
    m->options =
        (wr_integ_options){.rtol = solver->rtol > 0.0 ? solver->rtol : set->simulation.rtol * share,
                           .atol_factor = set->simulation.atol_factor,
                           .step_s = solver->step_s,
                           .min_step_s = solver->min_step_s,
                           .linear_solver = (wr_linear_solver)solver->linear_solver,
                           .max_order = solver->max_order};
}

/* ---- all of it ---- */

static wrsim_status create_subsystem(wr_assembly *a, int i_member, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_member *const m = &a->member[i_member];
    wr_component **const components = WR_TAKE(a->bag, wr_component *, m->n_component);
    if (!components)
        return out_of_memory(diag);
    for (int i = 0; i < m->n_component; i++)
        components[i] = a->component[m->component[i]];
    const wr_subsystem_config config = {
        .name = m->name,
        .arena = a->arena,
        .components = components,
        .n_components = m->n_component,
        .edges = m->group_edge,
        .n_edges = m->n_group_edge,
        .n_external = m->n_external,
        .source = m->external_source,
        .source_signal = m->external_signal,
        .n_source = m->n_source,
        .published = m->published,
        .n_published = m->n_published,
        .recorded_kind = m->recorded_kind,
        .recorded_index = m->recorded_index,
        .n_recorded = m->n_recorded,
        .integrator = m->integrator,
        .options = m->options,
        .start_s = set->simulation.start_s,
        .communication_step_s = set->simulation.communication_step_s,
        .event_tolerance_s = set->simulation.event_tolerance_s,
        .max_event_iterations = set->simulation.max_event_iterations,
        .max_stuck_events = set->simulation.max_stuck_events,
        .chatter_time_s = set->simulation.chatter_time_s,
        .cap_node = a->cap_node,
        .cap_row = row_count(a, m),
        .jump_limit = 1.0,
        .record_events = set->output.events};
    m->subsystem = wr_subsystem_create(&config, diag);
    if (!m->subsystem)
        return wr_diag_status(diag);
    const wr_group *const g = m->subsystem->group;
    m->atol_state = WR_TAKE(a->bag, double, g->n_x);
    if (!m->atol_state)
        return out_of_memory(diag);
    for (int i = 0; i < g->n_x; i++)
        m->atol_state[i] = set->simulation.rtol * set->simulation.atol_factor * g->nominal_x[i];
    return WRSIM_OK;
}

void wr_members_check(wr_assembly *a, wr_diag *diag)
{
    check_solvers(a, diag);
    check_signals(a, diag);
}

wrsim_status wr_members_create(wr_assembly *a, wr_diag *diag)
{
    a->n_member = a->graph->n_subsystem;
    a->member = WR_TAKE(a->bag, wr_member, a->n_member);
    a->arena = wr_arena_create((size_t)ARENA_BYTES * ((size_t)a->n_member + ENGINE_SHARE));
    if (!a->member || !a->arena)
        return out_of_memory(diag);
    const int max_nodes = a->settings->relaxation.max_nodes;
    a->cap_node = max_nodes > 0 ? max_nodes : scaled(a, NODES);
    WR_TRY(list_components(a, diag));
    WR_TRY(cut(a, diag));
    WR_TRY(find_phase(a, diag));
    find_siblings(a, diag);
    WR_TRY(set_levels(a, diag));
    for (int i = 0; i < a->n_member; i++)
        choose_solver(a, i);
    WR_TRY(choose_recorded(a, diag));
    for (int i = 0; i < a->n_member; i++)
        create_subsystem(a, i, diag);
    return wr_diag_status(diag);
}

void wr_members_destroy(wr_assembly *a)
{
    for (int i = 0; a->member && i < a->n_member; i++)
        wr_subsystem_destroy(&a->member[i].subsystem);
    wr_arena_destroy(&a->arena);
}
