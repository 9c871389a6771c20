/* Finds models and variables of an assembly. See lookup.h. Thread: one owner. Real-time: no (setup). */
#include "runtime/sim/lookup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/heap_pool.h"
#include "models/models.h"

const wrsim_model *const *wr_lookup_models(const wr_assembly *a, int i)
{
    if (i == 0)
        return wr_models;
    if (a->host_models && i-- == 1)
        return a->host_models;
    return i <= a->n_named_plugin ? wr_model_files_models(a->plugin[i - 1]) : NULL;
}

const wrsim_model *wr_lookup_model(const wr_assembly *a, const char *name)
{
    const wrsim_model *const *list;
    for (int i = 0; (list = wr_lookup_models(a, i)); i++)
        for (int k = 0; list[k]; k++)
            if (strcmp(list[k]->name, name) == 0)
                return list[k];
    return NULL;
}

int wr_lookup_name(const wr_assembly *a, const char *name, int *ret_component, wrsim_kind *ret_kind,
                   int *ret_index)
{
    static const wrsim_kind kinds[] = {WRSIM_OUTPUT, WRSIM_STATE, WRSIM_DISCRETE, WRSIM_INPUT};
    const size_t length = strcspn(name, ".");
    const int i = wr_names_find(a->named, a->n_named, name, length);
    for (size_t k = 0; i >= 0 && name[length] == '.' && k < WR_COUNT_OF(kinds); k++) {
        const int index = wr_component_find(a->component[i], kinds[k], name + length + 1);
        if (index < 0)
            continue;
        *ret_component = i;
        *ret_kind = kinds[k];
        *ret_index = index;
        return 0;
    }
    return -1;
}

int wr_lookup_may_lack(const wr_assembly *a, const char *name)
{
    const size_t n_name = strcspn(name, ".");
    for (int i = 0; i < a->settings->n_components; i++) {
        const char *const known = a->settings->components[i].name;
        if (!known)
            return 1;
        const int is_its = strlen(known) == n_name && strncmp(known, name, n_name) == 0;
        if (!a->component[i] && (is_its || wr_names_is_glob(name)))
            return 1;
    }
    for (int i = 0; !a->is_spliced && i < a->settings->n_scenarios; i++) {
        const char *const known = a->settings->scenarios[i].name;
        if (!known || (strlen(known) == n_name && strncmp(known, name, n_name) == 0))
            return 1;
    }
    return a->settings->is_partial[WR_LIST_COMPONENT] || (!a->is_spliced && wr_names_is_glob(name));
}

const char *wr_lookup_hint(const wr_assembly *a, const char *name,
                           char ret_hint[WR_NAMES_HINT_BYTES])
{
    static const wrsim_kind kinds[] = {WRSIM_OUTPUT, WRSIM_STATE, WRSIM_DISCRETE, WRSIM_INPUT};
    const size_t length = strcspn(name, ".");
    const int i_own = wr_names_find(a->named, a->n_named, name, length);
    int n = 0;
    for (int i = 0; i < a->n_component; i++)
        for (size_t k = 0; a->component[i] && k < WR_COUNT_OF(kinds); k++)
            n += a->component[i]->n[kinds[k]];
    wr_heap_pool *pool = wr_heap_pool_create(NULL);
    const char **const names = pool ? WR_TAKE(pool, const char *, n + a->n_listed) : NULL;
    n = 0;
    for (int i = 0; names && i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (size_t k = 0; c && (i_own < 0 || i == i_own) && k < WR_COUNT_OF(kinds); k++)
            for (int j = 0; j < c->n[kinds[k]]; j++)
                names[n++] = wr_heap_pool_join(pool, c->name, c->variable[kinds[k]][j].name);
    }
    if (names && i_own < 0 && !wr_names_nearest(name, names, n)) {
        n = 0; /* no variable is similar, so the hint lists components only */
        for (int i = 0; i < a->n_listed; i++)
            names[n++] = a->component[i] ? a->component[i]->name : NULL;
    }
    wr_names_hint(name, names, names ? n : 0, ret_hint);
    wr_heap_pool_destroy(&pool);
    return ret_hint;
}

int wr_lookup_number(const wr_assembly *a, int i_component, wrsim_kind kind, int index)
{
    int number = a->place[i_component].number + index;
    for (int k = 0; k < (int)kind; k++)
        number += a->component[i_component]->n[k];
    return number;
}

int wr_lookup_variable(const wr_assembly *a, int variable, wr_find *ret_find)
{
    if (variable < 0)
        return -1;
    /* The loop finds the last component whose first number is not above the variable's number. */
    int low = 0, high = a->n_component;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (a->place[middle].number <= variable)
            low = middle;
        else
            high = middle;
    }
    int index = variable - a->place[low].number;
    for (int k = WRSIM_STATE; k <= WRSIM_OUTPUT; k++) {
        if (index < a->component[low]->n[k]) {
            *ret_find = (wr_find){low, index, (wrsim_kind)k};
            return 0;
        }
        index -= a->component[low]->n[k];
    }
    return -1;
}

int wr_lookup_state(const wr_assembly *a, int variable, int *ret_subsystem, int *ret_state)
{
    wr_find v;
    if (wr_lookup_variable(a, variable, &v) != 0)
        return -1;
    *ret_subsystem = a->graph->node[v.i_component].i_subsystem;
    const wr_group *const g = wr_setup_group(&a->setup[*ret_subsystem]);
    const int i_own = a->place[v.i_component].i_component;
    *ret_state = !g                       ? -1
                 : v.kind == WRSIM_STATE  ? g->x_start[i_own] + v.index
                 : v.kind == WRSIM_OUTPUT ? g->state_of_output[g->y_start[i_own] + v.index]
                                          : -1;
    return *ret_state >= 0 ? 0 : -1;
}

void wr_lookup_connection(const wr_assembly *a, int i_reader, const char *from, char *ret,
                          size_t bytes)
{
    for (int i = 0; i < a->graph->n_edge; i++) {
        const wr_graph_edge *const edge = &a->graph->edge[i];
        const wr_component *const source = a->component[edge->from];
        const wr_component *const to = a->component[edge->to];
        if (a->graph->node[edge->to].i_subsystem != i_reader)
            continue;
        const size_t n = strlen(source->name);
        if (strncmp(from, source->name, n) != 0 || from[n] != '.' ||
            strcmp(from + n + 1, source->variable[WRSIM_OUTPUT][edge->i_output].name) != 0)
            continue;
        snprintf(ret, bytes, "%s -> %s.%s", from, to->name,
                 to->variable[WRSIM_INPUT][edge->i_input].name);
        return;
    }
    snprintf(ret, bytes, "%s", from);
}

/* ---- capacity ---- */

/* Up to MANY subsystems have the full capacity (`room`) each. More subsystems share MANY times this capacity, with at least LEAST each
 * (both assumed). If a capacity does not suffice for a window, the engine shortens the window. */
enum { MANY = 64, LEAST = 64 };
enum { EVENT_ROWS = 1024 }; /* rows at events of a window, beside communication points (assumed) */
/* largest number of communication points for which a window has rows (assumed) */
static const double MAX_ROWS = 1e5;
/* Rows of a run of one subsystem: rows of LONE_BYTES together, but LONE_LEAST to LONE_ROWS rows (all assumed). The run pauses when half of
 * the rows are filled. */
static const double LONE_ROWS = 2048.0, LONE_LEAST = 64.0, LONE_BYTES = 33554432.0;

int wr_lookup_scaled(const wr_assembly *a, int room)
{
    const int64_t share = (int64_t)room * MANY / a->n_subsystem;
    return (int)wr_clamp((double)share, LEAST, (double)room);
}

int wr_lookup_is_lone(const wr_assembly *a)
{
    return a->n_subsystem == 1 && wr_settings_relaxes(a->settings);
}

int wr_lookup_rows(const wr_assembly *a, const wr_setup *m)
{
    const wr_settings *const set = a->settings;
    if (m->n_recorded == 0)
        return 1;
    if (wr_lookup_is_lone(a))
        return (int)wr_clamp(LONE_BYTES / (sizeof(double) * (double)m->n_recorded), LONE_LEAST,
                             LONE_ROWS);
    const double window_s = set->relaxation.scheme == WR_SCHEME_SLACK
                                ? wr_settings_slack_period(set)
                                : set->relaxation.window_max_s;
    const double n_communication =
        wr_min(ceil(window_s / set->simulation.communication_step_s), MAX_ROWS);
    return (int)n_communication + 4 + (set->output.events ? wr_lookup_scaled(a, EVENT_ROWS) : 0);
}
