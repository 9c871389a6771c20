/* What crosses the cuts between the subsystems of an assembly. See setup.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"

/* What cutting looks up, so that it takes no longer in a large model than in many small ones. */
typedef struct cutter {
    int *first_edge; /* [n_component + 1] those that drive a component */
    int *
        external_of; /* [all variables] of the subsystem at hand: its external for an output, or -1 */
    int *source_of; /* [n_subsystem] of the subsystem at hand: its source for a producer, or -1 */
} cutter;

static wrsim_status cutter_init(wr_assembly *a, cutter *work, int n_variable, wr_diag *diag)
{
    work->first_edge = WR_TAKE(a->bag, int, a->n_component + 1);
    work->external_of = WR_TAKE(a->bag, int, n_variable);
    work->source_of = WR_TAKE(a->bag, int, a->n_subsystem);
    if (!work->first_edge || !work->external_of || !work->source_of)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < a->graph->n_edge; i++) /* sorted by what they drive */
        work->first_edge[a->graph->edge[i].to + 1] = i + 1;
    for (int i = 0; i < a->n_component; i++)
        if (work->first_edge[i + 1] == 0)
            work->first_edge[i + 1] = work->first_edge[i];
    for (int i = 0; i < n_variable; i++)
        work->external_of[i] = -1;
    for (int i = 0; i < a->n_subsystem; i++)
        work->source_of[i] = -1;
    return WRSIM_OK;
}

static int *external_of(const wr_assembly *a, const cutter *work, int i_component, int i_output)
{
    return &work->external_of[wr_assembly_number(a, i_component, WRSIM_OUTPUT, i_output)];
}

/* The external input of m for that output, made if it is new. */
static int external_for(const wr_assembly *a, const cutter *work, wr_setup *m,
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

static wrsim_status list_edges(wr_assembly *a, const cutter *work, int i_subsystem, wr_diag *diag)
{
    wr_setup *const m = &a->setup[i_subsystem];
    int n = 0;
    for (int i = 0; i < m->n_component; i++)
        n += work->first_edge[m->component[i] + 1] - work->first_edge[m->component[i]];
    m->group_edge = WR_TAKE(a->bag, wr_group_edge, n);
    m->external_component = WR_TAKE(a->bag, int, n);
    m->external_output = WR_TAKE(a->bag, int, n);
    m->external_period_s = WR_TAKE(a->bag, double, n);
    m->external_source = WR_TAKE(a->bag, int, n);
    m->external_signal = WR_TAKE(a->bag, int, n);
    m->producer = WR_TAKE(a->bag, int, n);
    m->period_s = WR_TAKE(a->bag, double, n);
    m->input_start = WR_TAKE(a->bag, double, n);
    if (!m->group_edge || !m->external_component || !m->external_output || !m->external_period_s ||
        !m->external_source || !m->external_signal || !m->producer || !m->period_s ||
        !m->input_start)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < m->n_component && m->kind->has_inputs; i++) {
        const int to = m->component[i];
        for (int k = work->first_edge[to]; k < work->first_edge[to + 1]; k++) {
            const wr_graph_edge *const e = &a->graph->edge[k];
            wr_group_edge *const g = &m->group_edge[m->n_group_edge++];
            *g = (wr_group_edge){.i_output = e->i_output,
                                 .to = i,
                                 .i_input = e->i_input,
                                 .from = -1,
                                 .i_external = -1};
            if (wr_setup_of(a, e->from) == i_subsystem) {
                g->from = a->place[e->from].i_component;
            } else {
                g->i_external = external_for(a, work, m, e);
                m->external_period_s[g->i_external] =
                    wr_graph_shorter(m->external_period_s[g->i_external], e->period_s);
                m->input_start[g->i_external] =
                    a->component[to]->variable[WRSIM_INPUT][e->i_input].start;
            }
        }
    }
    for (int i = 0; i < m->n_external; i++)
        *external_of(a, work, m->external_component[i], m->external_output[i]) = -1;
    return WRSIM_OK;
}

int wr_setups_publish(const wr_assembly *a, wr_setup *producer, int i_component, int i_output)
{
    int *const signal = &a->signal_of[wr_assembly_number(a, i_component, WRSIM_OUTPUT, i_output)];
    if (*signal >= 0)
        return *signal;
    const wr_variable *const v = &a->component[i_component]->variable[WRSIM_OUTPUT][i_output];
    const int i = *signal = producer->n_published++;
    producer->published[i] = a->place[i_component].first[WRSIM_OUTPUT] + i_output;
    producer->signal_name[i] = wr_bag_join(a->bag, a->component[i_component]->name, v->name);
    return i;
}

static wrsim_status place_published(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        int n = 0;
        for (int k = 0; k < m->n_component; k++)
            n += a->component[m->component[k]]->n[WRSIM_OUTPUT];
        m->published = WR_TAKE(a->bag, int, n);
        m->signal_name = WR_TAKE(a->bag, const char *, n);
        if (!m->published || !m->signal_name)
            return wr_setups_out_of_memory(diag);
    }
    return WRSIM_OK;
}

static void list_sources(wr_assembly *a, const cutter *work, wr_setup *m)
{
    for (int e = 0; e < m->n_external; e++) {
        const int i_producer = wr_setup_of(a, m->external_component[e]);
        int *const source = &work->source_of[i_producer];
        if (*source < 0) {
            *source = m->n_source++;
            m->producer[*source] = i_producer;
        }
        m->external_source[e] = *source;
        m->period_s[*source] = wr_graph_shorter(m->period_s[*source], m->external_period_s[e]);
        m->external_signal[e] = wr_setups_publish(a, &a->setup[i_producer],
                                                  m->external_component[e], m->external_output[e]);
    }
    for (int s = 0; s < m->n_source; s++)
        work->source_of[m->producer[s]] = -1;
}

static int reads(const wr_setup *m, int i_producer)
{
    for (int s = 0; s < m->n_source; s++)
        if (m->producer[s] == i_producer)
            return 1;
    return 0;
}

/* Who reads a subsystem that reads nothing of it; of those that are played nothing can be wished. */
static wrsim_status list_listeners(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++) {
            wr_setup *const m = &a->setup[a->setup[i].producer[s]];
            m->n_listener += m->kind->has_inputs && !reads(m, i);
        }
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        if (!(m->listener = WR_TAKE(a->bag, int, m->n_listener)))
            return wr_setups_out_of_memory(diag);
        m->n_listener = 0;
    }
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++) {
            wr_setup *const m = &a->setup[a->setup[i].producer[s]];
            if (m->kind->has_inputs && !reads(m, i))
                m->listener[m->n_listener++] = i;
        }
    return WRSIM_OK;
}

wrsim_status wr_setups_cut(wr_assembly *a, int n_variable, wr_diag *diag)
{
    cutter work;
    WR_TRY(place_published(a, diag));
    WR_TRY(cutter_init(a, &work, n_variable, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        WR_TRY(list_edges(a, &work, i, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        list_sources(a, &work, &a->setup[i]);
    return wr_settings_is_shortening(a->settings) ? list_listeners(a, diag) : WRSIM_OK;
}
