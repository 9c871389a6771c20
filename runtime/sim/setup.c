/* The subsystems of an assembly. See setup.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/setup.h"

#include <math.h>

#include "runtime/sim/bag.h"
#include "runtime/sim/setup_kinds.h"
#include "runtime/sim/setup_room.h"
#include "runtime/sim/setup_work.h"

enum { ARENA_BYTES = 1 << 29 }; /* most memory per subsystem, on average */
enum { ENGINE_SHARE = 2 };      /* and for the engine as for that many subsystems */
enum { NODES = 4096 };          /* of a waveform in a window, where subsystems are few */
enum {
    PERIOD_NODES = 256
}; /* the same in a period of slackened synchronisation, of which many are kept */

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
        m->kind = wr_setups_kind(a, i);
        if (set->simulation.monolithic && m->kind->has_group)
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

void wr_setups_check(wr_assembly *a, wr_diag *diag)
{
    wr_setups_check_kinds(a, diag);
    wr_setups_check_solvers(a, diag);
    wr_setups_check_signals(a, diag);
    wr_setups_check_levels(a, diag);
}

/* Bytes that all subsystems may take together, and the engine. */
static size_t memory_limit(const wr_assembly *a)
{
    const size_t most = (size_t)ARENA_BYTES * ((size_t)a->n_subsystem + ENGINE_SHARE);
    const size_t left = wr_memory_available();
    return most < left ? most : left;
}

/* Memory was not enough: names relaxation.max_nodes if the config sets it. */
static void blame_nodes(const wr_assembly *a, wr_diag *diag)
{
    const int max_nodes = a->settings->relaxation.max_nodes;
    if (max_nodes == 0)
        return;
    double n_double = 0.0;
    for (int i = 0; i < a->n_subsystem; i++)
        n_double += (double)max_nodes * (1.0 + 2.0 * a->setup[i].n_published);
    const wr_where where = wr_settings_place(a->settings, "relaxation.max_nodes");
    wr_diag_add(diag, WRSIM_E_MEMORY, &where,
                "'relaxation.max_nodes' = %d takes %.3g GB for the waveforms of %d subsystems, and "
                "%.3g GB are left for all; lower it, or relaxation.window.max with it",
                max_nodes, 1e-9 * n_double * sizeof(double), a->n_subsystem,
                1e-9 * (double)memory_limit(a));
}

wrsim_status wr_setups_create(wr_assembly *a, wr_diag *diag)
{
    a->n_subsystem = a->graph->n_subsystem;
    a->setup = WR_TAKE(a->bag, wr_setup, a->n_subsystem);
    a->arena = wr_arena_create_from(a->memory, memory_limit(a));
    if (!a->setup || !a->arena)
        return wr_setups_out_of_memory(diag);
    a->place = WR_TAKE(a->bag, wr_place, a->n_component);
    if (!a->place)
        return wr_setups_out_of_memory(diag);
    const int max_nodes = a->settings->relaxation.max_nodes;
    const int is_slack = a->settings->relaxation.scheme == WR_SCHEME_SLACK;
    a->cap_node = max_nodes > 0 && !wr_setups_is_lone(a)
                      ? max_nodes
                      : wr_setups_scaled(a, is_slack ? PERIOD_NODES : NODES);
    WR_TRY(list_components(a, diag));
    const int n_variable = number_variables(a);
    if (n_variable < 0)
        return wr_setups_out_of_memory(diag);
    WR_TRY(wr_setups_cut(a, n_variable, diag));
    WR_TRY(wr_setups_find_history_sources(a, diag)); /* before the phase is published, too */
    WR_TRY(wr_setups_find_phase(a, diag));
    WR_TRY(wr_setups_set_levels(a, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        wr_setups_choose_solver(a, i);
    WR_TRY(wr_setups_choose_recorded(a, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].kind->create(a, i, diag);
    const wrsim_status status = wr_diag_status(diag);
    if (status == WRSIM_E_MEMORY)
        blame_nodes(a, diag);
    return status;
}

void wr_setups_destroy(wr_assembly *a)
{
    for (int i = 0; a->setup && i < a->n_subsystem; i++) {
        wr_subsystem_destroy(&a->setup[i].subsystem);
        wr_results_waves_destroy(&a->setup[i].waves);
    }
    wr_arena_destroy(&a->arena);
}
