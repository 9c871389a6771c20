/* Builds the subsystems of an assembly. See build_subsystems.h. Thread: one owner. Real-time: no (setup). */
#include "runtime/sim/build_subsystems.h"

#include <math.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/names.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/network.h"
#include "runtime/sim/solver_choice.h"
#include "runtime/sim/subsystem_kinds.h"

/* ---- recorded variables ---- */

/* Returns whether the subsystem has values of a variable. A subsystem without a group has only its published signals. */
static int is_known(const wr_assembly *a, int i_component, wrsim_kind kind, int index)
{
    return a->setup[wr_assembly_subsystem(a, i_component)].kind->has_group ||
           (kind == WRSIM_OUTPUT &&
            a->signal_of[wr_lookup_number(a, i_component, kind, index)] >= 0);
}

/* Records a variable. Returns 0 if the variable's subsystem has no values of the variable. user: the assembly. */
static int record(void *user, int i_component, wrsim_kind kind, int index)
{
    wr_assembly *const a = user;
    wr_setup *const m = &a->setup[wr_assembly_subsystem(a, i_component)];
    if (!is_known(a, i_component, kind, index))
        return 0;
    unsigned char *const is_recorded =
        &a->is_recorded[wr_lookup_number(a, i_component, kind, index)];
    if (*is_recorded)
        return 1;
    *is_recorded = 1;
    const wr_component *const c = a->component[i_component];
    const wr_variable *const v = &c->variable[kind][index];
    m->recorded_kind[m->n_recorded] = (int)kind;
    m->recorded_index[m->n_recorded] = a->place[i_component].first[kind] + index;
    m->channel[m->n_recorded++] = (wr_channel){.name = wr_heap_pool_join(a->pool, c->name, v->name),
                                               .unit = v->unit,
                                               .description = v->description};
    return 1;
}

/* Passes the variable with the name `pattern`, or the outputs and states that match `pattern`, to found(). Returns the number of variables
 * that found() accepts. If found is NULL, returns the number of matching variables. */
static int find_matching(const wr_assembly *a, const char *pattern, wr_signal_fn *found, void *user)
{
    static const wrsim_kind kinds[] = {WRSIM_OUTPUT, WRSIM_STATE};
    int n = 0, i_component, index;
    wrsim_kind kind;
    /* The name of a variable may contain '*' and '?'. */
    if (wr_lookup_name(a, pattern, &i_component, &kind, &index) == 0)
        return found ? found(user, i_component, kind, index) : 1;
    if (!wr_names_is_glob(pattern))
        return 0;
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (size_t k = 0; c && k < WR_COUNT_OF(kinds); k++)
            for (int j = 0; j < c->n[kinds[k]]; j++) {
                const char *const name = c->variable[kinds[k]][j].name;
                /* An output with the state's name usually equals the state, so one column is enough. */
                if (kinds[k] == WRSIM_STATE && wr_component_find(c, WRSIM_OUTPUT, name) >= 0)
                    continue;
                const char *const full = wr_heap_pool_join(a->pool, c->name, name);
                if (!full || !wr_names_match(pattern, full))
                    continue;
                n += found ? found(user, i, kinds[k], j) : 1;
            }
    }
    return n;
}

/* Returns the first discrete state that matches a pattern; NULL: none. */
static const char *discrete_that_fits(const wr_assembly *a, const char *pattern)
{
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (int j = 0; c && j < c->n[WRSIM_DISCRETE]; j++) {
            const char *const name =
                wr_heap_pool_join(a->pool, c->name, c->variable[WRSIM_DISCRETE][j].name);
            if (name && wr_names_match(pattern, name))
                return name;
        }
    }
    return NULL;
}

static void report_unknown_signal(const wr_assembly *a, const char *pattern, wr_diag *diag)
{
    char hint[WR_NAMES_HINT_BYTES];
    const char *const discrete = discrete_that_fits(a, pattern);
    if (discrete) {
        WR_SETTINGS_REFUSE(
            a->settings, "output.signals", diag,
            "'output.signals': '%s' matches only discrete states, which patterns skip; give full "
            "names, such as '%s'",
            pattern, discrete);
        return;
    }
    wr_lookup_hint(a, pattern, hint);
    const int lists_components = !strchr(pattern, '.') && strncmp(hint, "choose", 6) == 0;
    WR_SETTINGS_REFUSE(
        a->settings, "output.signals", diag, "'output.signals': no variable matches '%s'; %s%s",
        pattern, lists_components ? "write COMPONENT.VARIABLE, and for COMPONENT " : "", hint);
}

/* Reports a pattern that matches only unread variables of subsystems without a group, whose values are unknown. */
static void report_not_known(const wr_assembly *a, const char *pattern, wr_diag *diag)
{
    const char *name = "?";
    for (int i = 0; i < a->n_subsystem; i++)
        if (!a->setup[i].kind->has_group)
            name = a->setup[i].name;
    int i_component, index;
    wrsim_kind kind;
    if (wr_lookup_name(a, pattern, &i_component, &kind, &index) == 0)
        name = a->setup[wr_assembly_subsystem(a, i_component)].name;
    WR_SETTINGS_REFUSE(
        a->settings, "output.signals", diag,
        "'output.signals': the value of '%s' is unknown, because its subsystem '%s' "
        "is played or advances itself, and no other subsystem reads the signal; remove "
        "the signal",
        pattern, name);
}

typedef struct visit {
    const wr_assembly *a;
    wr_signal_fn *found;
    void *user;
} visit;

static int visit_known(void *user, int i_component, wrsim_kind kind, int index)
{
    const visit *const v = user;
    return is_known(v->a, i_component, kind, index) && v->found(v->user, i_component, kind, index);
}

void wr_build_subsystems_each_signal(const wr_assembly *a, wr_signal_fn *found, void *user)
{
    const wr_set_output *const set = &a->settings->output;
    visit v = {a, found, user};
    if (set->n_signals == 0)
        find_matching(a, "*", visit_known, &v);
    for (int i = 0; i < set->n_signals; i++)
        find_matching(a, set->signals[i], visit_known, &v);
}

static wrsim_status choose_recorded(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        int n = 0;
        for (int k = 0; k < m->n_component; k++)
            for (int kind = 0; kind < WRSIM_KIND_COUNT; kind++)
                n += a->component[m->component[k]]->n[kind];
        m->recorded_kind = WR_TAKE(a->pool, int, n);
        m->recorded_index = WR_TAKE(a->pool, int, n);
        m->channel = WR_TAKE(a->pool, wr_channel, n);
        if (!m->recorded_kind || !m->recorded_index || !m->channel)
            return wr_assembly_out_of_memory(diag);
    }
    const wr_set_output *const set = &a->settings->output;
    if (set->file[0] == '\0' && !set->has_memory_rows)
        return WRSIM_OK;
    if (set->n_signals == 0)
        find_matching(a, "*", record, a);
    for (int i = 0; i < set->n_signals; i++)
        if (find_matching(a, set->signals[i], record, a) == 0)
            report_not_known(a, set->signals[i], diag);
    return wr_diag_status(diag);
}

/* ---- building ---- */

enum { ARENA_BYTES = 1 << 29 }; /* most memory per subsystem, on average: 512 MiB (assumed) */
enum { ENGINE_SHARE = 2 }; /* memory of the engine, in units of a subsystem's memory (assumed) */
/* largest number of nodes of a waveform in a window without relaxation.max_nodes, with up to MANY subsystems (lookup.c; assumed) */
enum { NODES = 4096 };
/* largest number of nodes of a waveform in a period (assumed): fewer, because a slackened run stores many waveforms */
enum { PERIOD_NODES = 256 };

static wrsim_status list_components(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_component; i++)
        a->setup[wr_assembly_subsystem(a, i)].n_component++;
    for (int i = 0; i < a->n_subsystem; i++) {
        a->setup[i].component = WR_TAKE(a->pool, int, a->setup[i].n_component);
        if (!a->setup[i].component)
            return wr_assembly_out_of_memory(diag);
        a->setup[i].n_component = 0;
    }
    for (int i = 0; i < a->n_component; i++) {
        wr_setup *const m = &a->setup[wr_assembly_subsystem(a, i)];
        a->place[i].i_component = m->n_component;
        m->component[m->n_component++] = i;
    }
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        const wr_settings *const set = a->settings;
        m->kind = wr_subsystem_kinds_of(a, i);
        if (set->simulation.monolithic && m->kind->has_group)
            m->name = "monolith";
        else if (i < set->n_subsystems)
            m->name = set->subsystems[i].name;
        else
            m->name = a->component[m->component[0]]->name;
    }
    return WRSIM_OK;
}

void wr_build_subsystems_check(wr_assembly *a, wr_diag *diag)
{
    wr_subsystem_kinds_check(a, diag);
    wr_solver_choice_check(a, diag);
    const wr_set_output *const set = &a->settings->output;
    for (int i = 0; i < set->n_signals; i++)
        if (find_matching(a, set->signals[i], NULL, NULL) == 0 &&
            !wr_lookup_may_lack(a, set->signals[i]))
            report_unknown_signal(a, set->signals[i], diag);
    wr_network_check_levels(a, diag);
}

/* Returns the most memory that all subsystems and the engine may take together, bytes. */
static size_t memory_limit(const wr_assembly *a)
{
    const size_t most = (size_t)ARENA_BYTES * ((size_t)a->n_subsystem + ENGINE_SHARE);
    const size_t left = wr_memory_available();
    return most < left ? most : left;
}

/* Adds the size of the waveforms to an error of memory, if the config sets relaxation.max_nodes. */
static void blame_nodes(const wr_assembly *a, wr_diag *diag)
{
    const int max_nodes = a->settings->relaxation.max_nodes;
    if (max_nodes == 0)
        return;
    double n_double = 0.0;
    for (int i = 0; i < a->n_subsystem; i++)
        n_double += (double)max_nodes * (1.0 + 2.0 * a->setup[i].n_published);
    const wr_where where = wr_settings_place(a->settings, "relaxation.max_nodes");
    wr_diag_add(
        diag, WRSIM_E_MEMORY, &where,
        "'relaxation.max_nodes' = %d needs %.3g GB for the waveforms of %d subsystems, but "
        "%.3g GB are free; lower relaxation.max_nodes, and relaxation.window.max if windows "
        "then have too many nodes",
        max_nodes, 1e-9 * n_double * sizeof(double), a->n_subsystem,
        1e-9 * (double)memory_limit(a));
}

wrsim_status wr_build_subsystems_create(wr_assembly *a, wr_diag *diag)
{
    a->n_subsystem = a->graph->n_subsystem;
    a->setup = WR_TAKE(a->pool, wr_setup, a->n_subsystem);
    a->arena = wr_arena_create_from(a->memory, memory_limit(a));
    if (!a->setup || !a->arena)
        return wr_assembly_out_of_memory(diag);
    a->place = WR_TAKE(a->pool, wr_place, a->n_component);
    if (!a->place)
        return wr_assembly_out_of_memory(diag);
    const int max_nodes = a->settings->relaxation.max_nodes;
    const int is_slack = a->settings->relaxation.scheme == WR_SCHEME_SLACK;
    a->cap_node = max_nodes > 0 && !wr_lookup_is_lone(a)
                      ? max_nodes
                      : wr_lookup_scaled(a, is_slack ? PERIOD_NODES : NODES);
    WR_TRY(list_components(a, diag));
    /* All variables get numbers, which continue from one component to the next. */
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
    a->signal_of = WR_TAKE(a->pool, int, n);
    a->is_recorded = WR_TAKE(a->pool, unsigned char, n);
    for (int i = 0; a->signal_of && i < n; i++)
        a->signal_of[i] = -1;
    const int n_variable = a->signal_of && a->is_recorded ? n : -1;
    if (n_variable < 0)
        return wr_assembly_out_of_memory(diag);
    WR_TRY(wr_network_cut(a, n_variable, diag));
    WR_TRY(wr_network_find_history_sources(a, diag)); /* the phase adds a signal later */
    WR_TRY(wr_network_find_phase(a, diag));
    WR_TRY(wr_network_set_levels(a, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        wr_solver_choice_make(a, i);
    WR_TRY(choose_recorded(a, diag));
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].kind->create(a, i, diag);
    const wrsim_status status = wr_diag_status(diag);
    if (status == WRSIM_E_MEMORY)
        blame_nodes(a, diag);
    return status;
}

void wr_build_subsystems_destroy(wr_assembly *a)
{
    for (int i = 0; a->setup && i < a->n_subsystem; i++) {
        wr_subsystem_destroy(&a->setup[i].subsystem);
        wr_results_waves_destroy(&a->setup[i].waves);
    }
    wr_arena_destroy(&a->arena);
}
