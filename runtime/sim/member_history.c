/* Whose waveform a subsystem repeats, and by which phase. See member.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include <string.h>

#include "runtime/base/names.h"
#include "runtime/sim/bag.h"
#include "runtime/sim/member_work.h"

wrsim_status wr_members_find_phase(wr_assembly *a, wr_diag *diag)
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
    a->phase_member = wr_member_of(a, i_component);
    a->phase_signal = wr_members_publish(a, &a->member[a->phase_member], i_component, index);
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

wrsim_status wr_members_find_siblings(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_named *const names = WR_TAKE(a->bag, wr_named, a->n_member);
    if (!names)
        return wr_members_out_of_memory(diag);
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
