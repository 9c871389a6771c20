/* What the subsystems of an assembly record. See setup.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include <string.h>

#include "base/names.h"
#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"

/* Returns whether it can be recorded. */
static int record(wr_assembly *a, int i_component, wrsim_kind kind, int index)
{
    wr_setup *const m = &a->setup[wr_setup_of(a, i_component)];
    if (!m->kind->has_group &&
        (kind != WRSIM_OUTPUT || a->signal_of[wr_assembly_number(a, i_component, kind, index)] < 0))
        return 0; /* only what others read of it is known */
    unsigned char *const is_recorded =
        &a->is_recorded[wr_assembly_number(a, i_component, kind, index)];
    if (*is_recorded)
        return 1;
    *is_recorded = 1;
    const wr_component *const c = a->component[i_component];
    const wr_variable *const v = &c->variable[kind][index];
    m->recorded_kind[m->n_recorded] = (int)kind;
    m->recorded_index[m->n_recorded] = a->place[i_component].first[kind] + index;
    m->channel[m->n_recorded++] = (wr_channel){.name = wr_bag_join(a->bag, c->name, v->name),
                                               .unit = v->unit,
                                               .description = v->description};
    return 1;
}

/* The same for the name of any variable. */
static int find_named(wr_assembly *a, const char *name,
                      int (*found)(wr_assembly *a, int i_component, wrsim_kind kind, int index))
{
    int i_component, index;
    wrsim_kind kind;
    if (wr_assembly_find(a, name, &i_component, &kind, &index) != 0)
        return 0;
    return found ? found(a, i_component, kind, index) : 1;
}

/* Hands outputs and states that fit a pattern to found (NULL: to nobody); returns how many it took. */
static int find_matching(wr_assembly *a, const char *pattern,
                         int (*found)(wr_assembly *a, int i_component, wrsim_kind kind, int index))
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
                n += found ? found(a, i, kinds[k], j) : 1;
            }
    }
    return n;
}

/* A pattern takes outputs and states only. */
static const char *discrete_that_fits(const wr_assembly *a, const char *pattern)
{
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (int j = 0; c && j < c->n[WRSIM_DISCRETE]; j++) {
            const char *const name =
                wr_bag_join(a->bag, c->name, c->variable[WRSIM_DISCRETE][j].name);
            if (name && wr_names_match(pattern, name))
                return name;
        }
    }
    return NULL;
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
    const char *const discrete = discrete_that_fits(a, pattern);
    if (discrete) {
        wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                    "'output.signals': '%s' fits discrete states alone, which patterns leave out; "
                    "name them in full, such as '%s'",
                    pattern, discrete);
        return;
    }
    wr_diag_add(diag, WRSIM_E_CONFIG, &where, "'output.signals': nothing fits '%s'; %s%s%s",
                pattern, nearest ? "did you mean '" : "",
                nearest ? nearest : "names are component.variable, [] records all",
                nearest ? "'?" : "");
}

/* All that fits is of subsystems that are not made of components here. */
static void report_not_known(const wr_assembly *a, const char *pattern, wr_diag *diag)
{
    const wr_where where = wr_settings_place(a->settings, "output.signals");
    const char *name = "?";
    for (int i = 0; i < a->n_subsystem; i++)
        if (!a->setup[i].kind->has_group)
            name = a->setup[i].name;
    int i_component, index;
    wrsim_kind kind;
    if (wr_assembly_find(a, pattern, &i_component, &kind, &index) == 0)
        name = a->setup[wr_setup_of(a, i_component)].name;
    wr_diag_add(
        diag, WRSIM_E_CONFIG, &where,
        "'output.signals': '%s' is of subsystem '%s', which is not integrated here: only what "
        "others read of it can be recorded",
        pattern, name);
}

wrsim_status wr_setups_choose_recorded(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->n_subsystem; i++) {
        wr_setup *const m = &a->setup[i];
        int n = 0;
        for (int k = 0; k < m->n_component; k++)
            for (int kind = 0; kind < WRSIM_KIND_COUNT; kind++)
                n += a->component[m->component[k]]->n[kind];
        m->recorded_kind = WR_TAKE(a->bag, int, n);
        m->recorded_index = WR_TAKE(a->bag, int, n);
        m->channel = WR_TAKE(a->bag, wr_channel, n);
        if (!m->recorded_kind || !m->recorded_index || !m->channel)
            return wr_setups_out_of_memory(diag);
    }
    const wr_set_output *const set = &a->settings->output;
    if (set->file[0] == '\0') /* nobody would read the rows */
        return WRSIM_OK;
    if (set->n_signals == 0)
        find_matching(a, "*", record);
    for (int i = 0; i < set->n_signals; i++)
        if (find_matching(a, set->signals[i], record) == 0)
            report_not_known(a, set->signals[i], diag);
    return wr_diag_status(diag);
}

void wr_setups_check_signals(wr_assembly *a, wr_diag *diag)
{
    const wr_set_output *const set = &a->settings->output;
    for (int i = 0; i < set->n_signals; i++)
        if (find_matching(a, set->signals[i], NULL) == 0 &&
            !wr_assembly_may_lack(a, set->signals[i]))
            report_unknown_signal(a, set->signals[i], diag);
}
