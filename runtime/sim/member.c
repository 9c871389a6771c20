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
        a->place[i].i_component = m->n_component;
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

/* Numbers all variables; returns how many there are, -1 when out of memory. */
static int number_variables(wr_assembly *a)
{
    int n = 0;
    for (int i = 0; i < a->n_component; i++) {
        a->place[i].number = n;
        for (int k = 0; k < WRSIM_KIND_COUNT; k++)
            n += a->component[i]->n[k];
    }
    for (int i = 0; i < a->n_member; i++) {
        const wr_member *const m = &a->member[i];
        for (int c = 1; c < m->n_component; c++)
            for (int k = 0; k < WRSIM_KIND_COUNT; k++)
                a->place[m->component[c]].first[k] = a->place[m->component[c - 1]].first[k] +
                                                     a->component[m->component[c - 1]]->n[k];
    }
    a->signal_of = WR_TAKE(a->bag, int, n);
    a->is_recorded = WR_TAKE(a->bag, unsigned char, n);
    for (int i = 0; a->signal_of && i < n; i++)
        a->signal_of[i] = -1;
    return a->signal_of && a->is_recorded ? n : -1;
}

/* ---- what crosses the cuts ---- */

/* What cutting looks up, so that it takes no longer in a large model than in many small ones. */
typedef struct cutter {
    int *first_edge;  /* [n_component + 1] those that drive a component */
    int *external_of; /* [all variables] of the member at hand: its external for an output, or -1 */
    int *source_of;   /* [n_member] of the member at hand: its source for a producer, or -1 */
} cutter;

static wrsim_status cutter_init(wr_assembly *a, cutter *work, int n_variable, wr_diag *diag)
{
    work->first_edge = WR_TAKE(a->bag, int, a->n_component + 1);
    work->external_of = WR_TAKE(a->bag, int, n_variable);
    work->source_of = WR_TAKE(a->bag, int, a->n_member);
    if (!work->first_edge || !work->external_of || !work->source_of)
        return out_of_memory(diag);
    for (int i = 0; i < a->graph->n_edge; i++) /* sorted by what they drive */
        work->first_edge[a->graph->edge[i].to + 1] = i + 1;
    for (int i = 0; i < a->n_component; i++)
        if (work->first_edge[i + 1] == 0)
            work->first_edge[i + 1] = work->first_edge[i];
    for (int i = 0; i < n_variable; i++)
        work->external_of[i] = -1;
    for (int i = 0; i < a->n_member; i++)
        work->source_of[i] = -1;
    return WRSIM_OK;
}

static int *external_of(const wr_assembly *a, const cutter *work, int i_component, int i_output)
{
    return &work->external_of[wr_assembly_number(a, i_component, WRSIM_OUTPUT, i_output)];
}

/* The external input of m for that output, made if it is new. */
static int external_for(const wr_assembly *a, const cutter *work, wr_member *m,
                        const wr_graph_edge *e)
{
    int *const external = external_of(a, work, e->from, e->i_output);
    if (*external < 0) {
        *external = m->n_external++;
        m->external_component[*external] = e->from;
        m->external_output[*external] = e->i_output;
    }
    return *external;
}

static wrsim_status list_edges(wr_assembly *a, const cutter *work, int i_member, wr_diag *diag)
{
    wr_member *const m = &a->member[i_member];
    int n = 0;
    for (int i = 0; i < m->n_component; i++)
        n += work->first_edge[m->component[i] + 1] - work->first_edge[m->component[i]];
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
    for (int i = 0; i < m->n_component; i++) {
        const int to = m->component[i];
        for (int k = work->first_edge[to]; k < work->first_edge[to + 1]; k++) {
            const wr_graph_edge *const e = &a->graph->edge[k];
            wr_group_edge *const g = &m->group_edge[m->n_group_edge++];
            *g = (wr_group_edge){.i_output = e->i_output,
                                 .to = i,
                                 .i_input = e->i_input,
                                 .from = -1,
                                 .i_external = -1};
            if (member_of(a, e->from) == i_member) {
                g->from = a->place[e->from].i_component;
            } else {
                g->i_external = external_for(a, work, m, e);
                m->input_start[g->i_external] =
                    a->component[to]->variable[WRSIM_INPUT][e->i_input].start;
            }
        }
    }
    for (int i = 0; i < m->n_external; i++)
        *external_of(a, work, m->external_component[i], m->external_output[i]) = -1;
    return WRSIM_OK;
}

/* Which signal of the producer's wave an output is; added if it is new. */
static int publish(const wr_assembly *a, wr_member *producer, int i_component, int i_output)
{
    int *const signal = &a->signal_of[wr_assembly_number(a, i_component, WRSIM_OUTPUT, i_output)];
    if (*signal >= 0)
        return *signal;
    const wr_variable *const v = &a->component[i_component]->variable[WRSIM_OUTPUT][i_output];
    const int i = *signal = producer->n_published++;
    producer->published[i] = a->place[i_component].first[WRSIM_OUTPUT] + i_output;
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

static void list_sources(wr_assembly *a, const cutter *work, wr_member *m)
{
    for (int e = 0; e < m->n_external; e++) {
        const int i_producer = member_of(a, m->external_component[e]);
        int *const source = &work->source_of[i_producer];
        if (*source < 0) {
            *source = m->n_source++;
            m->producer[*source] = i_producer;
        }
        m->external_source[e] = *source;
        m->external_signal[e] =
            publish(a, &a->member[i_producer], m->external_component[e], m->external_output[e]);
    }
    for (int s = 0; s < m->n_source; s++)
        work->source_of[m->producer[s]] = -1;
}

static wrsim_status cut(wr_assembly *a, int n_variable, wr_diag *diag)
{
    cutter work;
    WR_TRY(place_published(a, diag));
    WR_TRY(cutter_init(a, &work, n_variable, diag));
    for (int i = 0; i < a->n_member; i++)
        WR_TRY(list_edges(a, &work, i, diag));
    for (int i = 0; i < a->n_member; i++)
        list_sources(a, &work, &a->member[i]);
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
    const char *const name = m->signal_name[i_signal]; /* NULL when memory was short */
    return name ? strchr(name, '.') : "";
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

static wrsim_status find_siblings(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_named *const names = WR_TAKE(a->bag, wr_named, a->n_member);
    if (!names)
        return out_of_memory(diag);
    for (int i = 0; i < a->n_member; i++) {
        a->member[i].sibling = -1;
        names[i] = (wr_named){a->member[i].name, i};
    }
    wr_names_sort(names, a->n_member);
    for (int i = 0; i < set->n_subsystems && !set->simulation.monolithic; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        if (!s->follows)
            continue;
        const int sibling = wr_names_find(names, a->n_member, s->follows, strlen(s->follows));
        if (sibling < 0) {
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
    return WRSIM_OK;
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
    unsigned char *const is_recorded =
        &a->is_recorded[wr_assembly_number(a, i_component, kind, index)];
    if (*is_recorded)
        return;
    *is_recorded = 1;
    const wr_component *const c = a->component[i_component];
    const wr_variable *const v = &c->variable[kind][index];
    m->recorded_kind[m->n_recorded] = (int)kind;
    m->recorded_index[m->n_recorded] = a->place[i_component].first[kind] + index;
    m->channel[m->n_recorded++] = (wr_channel){.name = wr_bag_join(a->bag, c->name, v->name),
                                               .unit = v->unit,
                                               .description = v->description};
}

/* The same for the name of any variable. */
static int find_named(wr_assembly *a, const char *name,
                      void (*found)(wr_assembly *a, int i_component, wrsim_kind kind, int index))
{
    int i_component, index;
    wrsim_kind kind;
    if (wr_assembly_find(a, name, &i_component, &kind, &index) != 0)
        return 0;
    if (found)
        found(a, i_component, kind, index);
    return 1;
}

/* Hands outputs and states that fit a pattern to found (NULL: to nobody); returns how many there
 * are. */
static int find_matching(wr_assembly *a, const char *pattern,
                         void (*found)(wr_assembly *a, int i_component, wrsim_kind kind, int index))
{
    if (!wr_names_is_glob(pattern))
        return find_named(a, pattern, found);
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
    for (int i = 0; i < set->n_signals; i++)
        find_matching(a, set->signals[i], record);
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
    for (int i = 0; i < set->n_signals; i++)
        if (find_matching(a, set->signals[i], NULL) == 0 && !may_fit_missing(a, set->signals[i]))
            report_unknown_signal(a, set->signals[i], diag);
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
    a->place = WR_TAKE(a->bag, wr_place, a->n_component);
    if (!a->place)
        return out_of_memory(diag);
    const int max_nodes = a->settings->relaxation.max_nodes;
    a->cap_node = max_nodes > 0 ? max_nodes : scaled(a, NODES);
    WR_TRY(list_components(a, diag));
    const int n_variable = number_variables(a);
    if (n_variable < 0)
        return out_of_memory(diag);
    WR_TRY(cut(a, n_variable, diag));
    WR_TRY(find_siblings(a, diag)); /* before the phase is published, too */
    WR_TRY(find_phase(a, diag));
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
