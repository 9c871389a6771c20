/* The subsystems of an assembly. See setup.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/setup.h"

#include <math.h>

#include "runtime/sim/bag.h"
#include "runtime/sim/setup_replay.h"
#include "runtime/sim/setup_work.h"
#include "subsystems/order/order.h"

enum { ARENA_BYTES = 1 << 29 }; /* most memory per subsystem, on average */
enum { ENGINE_SHARE = 2 };      /* and for the engine as for that many subsystems */
/* Room of a subsystem per window, in models of up to MANY subsystems; more of them have less room
 * each, so that all together take no more, but not less than LEAST. Where it does not do, windows get
 * shorter. */
enum { NODES = 4096 };      /* of its waveform */
enum { EVENT_ROWS = 1024 }; /* rows at events, beside communication points */
enum { MANY = 64, LEAST = 64 };
static const double MAX_ROWS = 1e5; /* of communication points a window may have */

static int scaled(const wr_assembly *a, int room)
{
    const int64_t share = (int64_t)room * MANY / a->n_subsystem;
    return (int)wr_clamp((double)share, LEAST, (double)room);
}

/* Nobody reads rows without columns. */
static int row_count(const wr_assembly *a, const wr_setup *m)
{
    const wr_settings *const set = a->settings;
    if (m->n_recorded == 0)
        return 1;
    const double n_communication =
        wr_min(ceil(set->relaxation.window_max_s / set->simulation.communication_step_s), MAX_ROWS);
    return (int)n_communication + 4 + (set->output.events ? scaled(a, EVENT_ROWS) : 0);
}

static wrsim_status list_components(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_component; i++)
        a->setup[wr_setup_of(a, i)].n_component++;
    for (int i = 0; i < a->n_subsystem; i++) {
        a->setup[i].component = WR_TAKE(a->bag, int, a->setup[i].n_component);
        if (!a->setup[i].component)
            return wr_setups_out_of_memory(diag);
        a->setup[i].n_component = 0;
    }
    for (int i = 0; i < a->n_component; i++) {
        wr_setup *const m = &a->setup[wr_setup_of(a, i)];
        a->place[i].i_component = m->n_component;
        m->component[m->n_component++] = i;
    }
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        const wr_settings *const set = a->settings;
        m->is_replay = wr_setups_is_replay(a, i);
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
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
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

/* Gauss-Seidel levels of the graph of subsystems. */
static wrsim_status set_levels(wr_assembly *a, wr_diag *diag)
{
    int n_arc = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        n_arc += a->setup[i].n_source;
    int *const start = WR_TAKE(a->bag, int, a->n_subsystem + 2);
    int *const arc = WR_TAKE(a->bag, int, n_arc);
    int *const level = WR_TAKE(a->bag, int, a->n_subsystem);
    if (!start || !arc || !level)
        return wr_setups_out_of_memory(diag);
    /* Arcs go from producer to consumer: count, sum up, fill. */
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++)
            start[a->setup[i].producer[s] + 2]++;
    for (int i = 0; i < a->n_subsystem; i++)
        start[i + 1] += start[i];
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++)
            arc[start[a->setup[i].producer[s] + 1]++] = i;
    if (wr_order_levels(a->n_subsystem, start, arc, level) < 0)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].level = level[i];
    return WRSIM_OK;
}

static wrsim_status create_subsystem(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_setup *const m = &a->setup[i_subsystem];
    if (m->is_replay)
        return wr_setups_create_replay(a, i_subsystem, row_count(a, m), diag);
    wr_component **const components = WR_TAKE(a->bag, wr_component *, m->n_component);
    if (!components)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < m->n_component; i++)
        components[i] = a->component[m->component[i]];
    const wr_hybrid_config config = {.name = m->name,
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
                                     .coupling_rtol = set->simulation.rtol,
                                     .record_events = set->output.events};
    m->subsystem = wr_hybrid_create(&config, diag);
    return m->subsystem ? WRSIM_OK : wr_diag_status(diag);
}

void wr_setups_check(wr_assembly *a, wr_diag *diag)
{
    wr_setups_check_solvers(a, diag);
    wr_setups_check_signals(a, diag);
}

wrsim_status wr_setups_create(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->settings->n_subsystems && a->settings->simulation.monolithic; i++)
        if (a->settings->subsystems[i].file)
            return wr_diag_add(
                diag, WRSIM_E_CONFIG, &a->settings->subsystems[i].where_file,
                "subsystem '%s' is played from '%s', so one solver cannot take all; run it "
                "split",
                a->settings->subsystems[i].name, a->settings->subsystems[i].file);
    a->n_subsystem = a->graph->n_subsystem;
    a->setup = WR_TAKE(a->bag, wr_setup, a->n_subsystem);
    a->arena = wr_arena_create((size_t)ARENA_BYTES * ((size_t)a->n_subsystem + ENGINE_SHARE));
    if (!a->setup || !a->arena)
        return wr_setups_out_of_memory(diag);
    a->place = WR_TAKE(a->bag, wr_place, a->n_component);
    if (!a->place)
        return wr_setups_out_of_memory(diag);
    const int max_nodes = a->settings->relaxation.max_nodes;
    a->cap_node = max_nodes > 0 ? max_nodes : scaled(a, NODES);
    WR_TRY(list_components(a, diag));
    const int n_variable = number_variables(a);
    if (n_variable < 0)
        return wr_setups_out_of_memory(diag);
    WR_TRY(wr_setups_cut(a, n_variable, diag));
    WR_TRY(wr_setups_find_history_sources(a, diag)); /* before the phase is published, too */
    WR_TRY(wr_setups_find_phase(a, diag));
    WR_TRY(set_levels(a, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        wr_setups_choose_solver(a, i);
    WR_TRY(wr_setups_choose_recorded(a, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        create_subsystem(a, i, diag);
    return wr_diag_status(diag);
}

void wr_setups_destroy(wr_assembly *a)
{
    for (int i = 0; a->setup && i < a->n_subsystem; i++) {
        wr_subsystem_destroy(&a->setup[i].subsystem);
        wr_results_waves_destroy(&a->setup[i].waves);
    }
    wr_arena_destroy(&a->arena);
}
