/* Finds the signals across cuts, the levels, and the history sources. See network.h. If the config gives every subsystem a level,
 * sweeps are Jacobi within a level and Gauss-Seidel between levels. Without levels in the config the levels follow the
 * connections (base/order.h), and two subsystems of one level are not connected.
 *
 * Thread: one owner. Real-time: no (setup). */
#include "runtime/sim/network.h"

#include <stdio.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/names.h"
#include "base/order.h"
#include "base/rows.h"
#include "runtime/config/keys.h"
#include "runtime/sim/lookup.h"

/* ---- signals that cross cuts ---- */

/* With these tables the search for the signals across cuts costs a time proportional to the number of connections. */
typedef struct cutter {
    int *first_edge;  /* [n_component + 1] index of the first edge that drives a component */
    int *external_of; /* [all variables] output's index among the subsystem's externals, or -1 */
    int *source_of;   /* [n_subsystem] producer's index among the subsystem's sources, or -1 */
} cutter;

static int *external_of(const wr_assembly *a, const cutter *work, int i_component, int i_output)
{
    return &work->external_of[wr_lookup_number(a, i_component, WRSIM_OUTPUT, i_output)];
}

static wrsim_status list_edges(wr_assembly *a, const cutter *work, int i_subsystem, wr_diag *diag)
{
    wr_setup *const m = &a->setup[i_subsystem];
    int n = 0;
    for (int i = 0; i < m->n_component; i++)
        n += work->first_edge[m->component[i] + 1] - work->first_edge[m->component[i]];
    m->group_edge = WR_TAKE(a->pool, wr_group_edge, n);
    m->external_component = WR_TAKE(a->pool, int, n);
    m->external_output = WR_TAKE(a->pool, int, n);
    m->external_period_s = WR_TAKE(a->pool, double, n);
    m->external_source = WR_TAKE(a->pool, int, n);
    m->external_signal = WR_TAKE(a->pool, int, n);
    m->link.producer = WR_TAKE(a->pool, int, n);
    m->link.period_s = WR_TAKE(a->pool, double, n);
    m->link.input_start = WR_TAKE(a->pool, double, n);
    if (wr_heap_pool_is_short(a->pool))
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < m->n_component && m->kind->has_inputs; i++) {
        const int to = m->component[i];
        for (int k = work->first_edge[to]; k < work->first_edge[to + 1]; k++) {
            const wr_graph_edge *const e = &a->graph->edge[k];
            wr_group_edge *const g = &m->group_edge[m->n_group_edge++];
            *g = (wr_group_edge){.i_output = e->i_output,
                                 .to = i,
                                 .i_input = e->i_input,
                                 .scale = e->scale,
                                 .from = -1,
                                 .i_external = -1};
            if (wr_assembly_subsystem(a, e->from) == i_subsystem) {
                g->from = a->place[e->from].i_component;
            } else {
                int *const external = external_of(a, work, e->from, e->i_output);
                if (*external < 0) {
                    *external = m->n_external++;
                    m->external_component[*external] = e->from;
                    m->external_output[*external] = e->i_output;
                }
                g->i_external = *external;
                m->external_period_s[*external] =
                    wr_graph_shorter(m->external_period_s[*external], e->period_s);
                m->link.input_start[*external] =
                    wr_unit_apply(wr_unit_inverse(e->scale),
                                  a->component[to]->variable[WRSIM_INPUT][e->i_input].start);
            }
        }
    }
    for (int i = 0; i < m->n_external; i++)
        *external_of(a, work, m->external_component[i], m->external_output[i]) = -1;
    return WRSIM_OK;
}

static int publish_output(const wr_assembly *a, wr_setup *producer, int i_component, int i_output)
{
    int *const signal = &a->signal_of[wr_lookup_number(a, i_component, WRSIM_OUTPUT, i_output)];
    if (*signal >= 0)
        return *signal;
    const wr_variable *const v = &a->component[i_component]->variable[WRSIM_OUTPUT][i_output];
    const int i = *signal = producer->n_published++;
    producer->published[i] = a->place[i_component].first[WRSIM_OUTPUT] + i_output;
    producer->link.signal_name[i] =
        wr_heap_pool_join(a->pool, a->component[i_component]->name, v->name);
    return i;
}

static void list_sources(wr_assembly *a, const cutter *work, wr_setup *m)
{
    for (int e = 0; e < m->n_external; e++) {
        const int i_producer = wr_assembly_subsystem(a, m->external_component[e]);
        int *const source = &work->source_of[i_producer];
        if (*source < 0) {
            *source = m->n_source++;
            m->link.producer[*source] = i_producer;
        }
        m->external_source[e] = *source;
        m->link.period_s[*source] =
            wr_graph_shorter(m->link.period_s[*source], m->external_period_s[e]);
        m->external_signal[e] = publish_output(a, &a->setup[i_producer], m->external_component[e],
                                               m->external_output[e]);
    }
    for (int s = 0; s < m->n_source; s++)
        work->source_of[m->link.producer[s]] = -1;
}

static int reads(const wr_setup *m, int i_producer)
{
    for (int s = 0; s < m->n_source; s++)
        if (m->link.producer[s] == i_producer)
            return 1;
    return 0;
}

/* Lists for each subsystem its consumers that are not its producers. A subsystem without inputs never shortens its period, so the subsystem
 * has no list. */
static wrsim_status list_listeners(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++) {
            wr_setup *const m = &a->setup[a->setup[i].link.producer[s]];
            m->link.n_listener += m->kind->has_inputs && !reads(m, i);
        }
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        if (!(m->link.listener = WR_TAKE(a->pool, int, m->link.n_listener)))
            return wr_assembly_out_of_memory(diag);
        m->link.n_listener = 0;
    }
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++) {
            wr_setup *const m = &a->setup[a->setup[i].link.producer[s]];
            if (m->kind->has_inputs && !reads(m, i))
                m->link.listener[m->link.n_listener++] = i;
        }
    return WRSIM_OK;
}

wrsim_status wr_network_cut(wr_assembly *a, int n_variable, wr_diag *diag)
{
    cutter work;
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        int n = 0;
        for (int k = 0; k < m->n_component; k++)
            n += a->component[m->component[k]]->n[WRSIM_OUTPUT];
        m->published = WR_TAKE(a->pool, int, n);
        m->link.signal_name = WR_TAKE(a->pool, const char *, n);
        if (!m->published || !m->link.signal_name)
            return wr_assembly_out_of_memory(diag);
    }
    work.first_edge = WR_TAKE(a->pool, int, a->n_component + 1);
    work.external_of = WR_TAKE(a->pool, int, n_variable);
    work.source_of = WR_TAKE(a->pool, int, a->n_subsystem);
    if (!work.first_edge || !work.external_of || !work.source_of)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < a->graph->n_edge; i++) /* edges are sorted by the driven component */
        work.first_edge[a->graph->edge[i].to + 1] = i + 1;
    for (int i = 0; i < a->n_component; i++)
        if (work.first_edge[i + 1] == 0)
            work.first_edge[i + 1] = work.first_edge[i];
    for (int i = 0; i < n_variable; i++)
        work.external_of[i] = -1;
    for (int i = 0; i < a->n_subsystem; i++)
        work.source_of[i] = -1;
    for (int i = 0; i < a->n_subsystem; i++)
        WR_TRY(list_edges(a, &work, i, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        list_sources(a, &work, &a->setup[i]);
    for (int i = 0; i < a->n_component; i++) {
        wr_setup *const m = &a->setup[wr_assembly_subsystem(a, i)];
        for (int k = 0; m->kind->publishes_all && k < a->component[i]->n[WRSIM_OUTPUT]; k++)
            (void)publish_output(a, m, i, k);
    }
    return wr_settings_is_shortening(a->settings) ? list_listeners(a, diag) : WRSIM_OK;
}

/* ---- Gauss-Seidel levels ---- */

/* Sets the levels in the order of the connections (base/order.h). */
static wrsim_status set_by_graph(wr_assembly *a, wr_diag *diag)
{
    int n_arc = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        n_arc += a->setup[i].n_source;
    const wr_rows arcs = {WR_TAKE(a->pool, int, a->n_subsystem + 2), WR_TAKE(a->pool, int, n_arc)};
    int *const level = WR_TAKE(a->pool, int, a->n_subsystem);
    if (!arcs.start || !arcs.item || !level)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++)
            wr_rows_count(&arcs, a->setup[i].link.producer[s]);
    wr_rows_begin(&arcs, a->n_subsystem);
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++)
            wr_rows_put(&arcs, a->setup[i].link.producer[s], i);
    if (wr_order_levels(a->n_subsystem, arcs.start, arcs.item, level) < 0)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].link.level = level[i];
    return WRSIM_OK;
}

static int is_given(const wr_set_subsystem *s)
{
    return s->where_level.file != NULL || s->where_level.line > 0;
}

/* Returns the first subsystem with a level; -1: none. */
static int find_given(const wr_settings *set)
{
    for (int i = 0; i < set->n_subsystems; i++)
        if (is_given(&set->subsystems[i]))
            return i;
    return -1;
}

wrsim_status wr_network_set_levels(wr_assembly *a, wr_diag *diag)
{
    if (a->settings->simulation.monolithic || find_given(a->settings) < 0)
        return set_by_graph(a, diag);
    const wr_settings *const set = a->settings;
    int *const rank = WR_TAKE(a->pool, int, WR_KEY_MOST_LEVEL + 1);
    if (!rank)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < set->n_subsystems; i++)
        rank[set->subsystems[i].level] = 1;
    int n = a->i_port >= 0;
    for (int k = 0; k <= WR_KEY_MOST_LEVEL; k++) {
        const int is_used = rank[k];
        rank[k] = n;
        n += is_used;
    }
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].link.level = i < set->n_subsystems ? rank[set->subsystems[i].level] : 0;
    return WRSIM_OK;
}

void wr_network_check_levels(const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const int i_given = find_given(set);
    if (i_given < 0)
        return;
    const char *const given = set->subsystems[i_given].name;
    for (int i = 0; i < set->n_subsystems; i++)
        if (!is_given(&set->subsystems[i]) && set->subsystems[i].name && given)
            wr_diag_add(diag, WRSIM_E_CONFIG, &set->subsystems[i].where,
                        "subsystem '%s' has no 'level', but '%s' has one; give all subsystems a "
                        "level, or none",
                        set->subsystems[i].name, given);
    for (int i = 0; a->graph && !set->simulation.monolithic && i < a->n_listed; i++)
        if (a->graph->node[i].i_subsystem >= set->n_subsystems && a->graph->node[i].name && given)
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &a->graph->node[i].where,
                "component '%s' is in no [[subsystem]], so it has no 'level', but '%s' has one; "
                "list the component in a [[subsystem]] with a level",
                a->graph->node[i].name, given);
}

/* ---- history sources and phase ---- */

wrsim_status wr_network_find_phase(wr_assembly *a, wr_diag *diag)
{
    const wr_set_relaxation *const set = &a->settings->relaxation;
    a->phase_subsystem = -1;
    if (set->history_phase[0] == '\0')
        return WRSIM_OK;
    int i_component, index;
    wrsim_kind kind;
    if (wr_lookup_name(a, set->history_phase, &i_component, &kind, &index) != 0 ||
        kind != WRSIM_OUTPUT)
        return WR_SETTINGS_REFUSE(
            a->settings, "relaxation.history.phase", diag,
            "'relaxation.history.phase': unknown output '%s'; name an output as component.variable",
            set->history_phase);
    if (a->n_subsystem == 1 || !(set->history_period > 0.0)) /* no prediction uses the phase */
        return WRSIM_OK;
    a->phase_subsystem = wr_assembly_subsystem(a, i_component);
    a->phase_signal = publish_output(a, &a->setup[a->phase_subsystem], i_component, index);
    return WRSIM_OK;
}

/* Returns the name of a published signal without its component. */
static const char *variable_of(const wr_setup *m, int i_signal)
{
    const char *const name = m->link.signal_name[i_signal]; /* NULL when out of memory */
    const char *const dot = name ? strchr(name, '.') : NULL;
    return dot ? dot + 1 : "";
}

static int publish_the_same(const wr_setup *a, const wr_setup *b)
{
    if (a->n_published != b->n_published)
        return 0;
    for (int i = 0; i < a->n_published; i++)
        if (strcmp(variable_of(a, i), variable_of(b, i)) != 0)
            return 0;
    return 1;
}

/* Writes the list of published variables, "p, T, m_air", cut at text_bytes. */
static void list_published(const wr_setup *m, char *text, size_t text_bytes)
{
    size_t used = 0;
    snprintf(text, text_bytes, m->n_published > 0 ? "" : "none");
    for (int i = 0; i < m->n_published && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i > 0 ? ", " : "",
                                 variable_of(m, i));
}

/* Returns 1 if a subsystem of the split run may have this name: the name of a [[subsystem]] or of a component. The subsystem of an unlisted
 * component has the component's name. */
static int is_name_of_part(const wr_assembly *a, const char *name)
{
    for (int i = 0; i < a->settings->n_subsystems; i++)
        if (strcmp(a->settings->subsystems[i].name, name) == 0)
            return 1;
    for (int i = 0; i < a->n_component; i++)
        if (strcmp(a->component[i]->name, name) == 0)
            return 1;
    return 0;
}

wrsim_status wr_network_find_history_sources(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const double period = set->relaxation.history_period;
    wr_named *const names = WR_TAKE(a->pool, wr_named, a->n_subsystem);
    if (!names)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < a->n_subsystem; i++) {
        a->setup[i].link.history_source = -1;
        names[i] = (wr_named){a->setup[i].name, i};
    }
    wr_names_sort(names, a->n_subsystem);
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        if (!s->history_source)
            continue;
        if (period > 0.0 && !(s->lag < period))
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_lag,
                        "'lag' of [[subsystem]] is %g, but must be less than "
                        "'relaxation.history.period' = %g",
                        s->lag, period);
        const int is_whole = set->simulation.monolithic;
        const int source =
            wr_names_find(names, a->n_subsystem, s->history_source, strlen(s->history_source));
        if (is_whole ? !is_name_of_part(a, s->history_source) : source < 0) {
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_history_source,
                        "subsystem '%s' has the unknown history source '%s'; name a subsystem",
                        s->name, s->history_source);
        } else if (!is_whole && !publish_the_same(&a->setup[i], &a->setup[source])) {
            char own[160], other[160];
            list_published(&a->setup[i], own, sizeof own);
            list_published(&a->setup[source], other, sizeof other);
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_history_source,
                        "subsystem '%s' cannot have the history source '%s', because their outputs "
                        "differ: '%s' publishes %s; '%s' publishes %s; choose another source",
                        s->name, s->history_source, s->name, own, s->history_source, other);
        } else if (!is_whole) {
            a->setup[i].link.history_source = source;
            a->setup[i].link.lag = s->lag;
        }
    }
    return WRSIM_OK;
}
