/* Whose waveform a subsystem repeats, and by which phase. See setup.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"

wrsim_status wr_setups_find_phase(wr_assembly *a, wr_diag *diag)
{
    const wr_set_relaxation *const set = &a->settings->relaxation;
    a->phase_subsystem = -1;
    if (set->history_phase[0] == '\0')
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
    if (a->n_subsystem == 1 || !(set->history_period > 0.0)) /* nothing is predicted from it */
        return WRSIM_OK;
    a->phase_subsystem = wr_setup_of(a, i_component);
    a->phase_signal = wr_setups_publish(a, &a->setup[a->phase_subsystem], i_component, index);
    return WRSIM_OK;
}

/* Names of a published signal without its component. */
static const char *variable_of(const wr_setup *m, int i_signal)
{
    const char *const name = m->signal_name[i_signal]; /* NULL when memory was short */
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

/* "p, T, m_air", cut where the text is full. */
static void list_published(const wr_setup *m, char *text, size_t text_bytes)
{
    size_t used = 0;
    snprintf(text, text_bytes, m->n_published > 0 ? "" : "none");
    for (int i = 0; i < m->n_published && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i > 0 ? ", " : "",
                                 variable_of(m, i));
}

static void refuse_different(const wr_set_subsystem *s, const wr_setup *m, const wr_setup *source,
                             wr_diag *diag)
{
    char own[160], other[160];
    list_published(m, own, sizeof own);
    list_published(source, other, sizeof other);
    wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_history_source,
                "subsystem '%s' cannot have the history source '%s': they do not publish the same "
                "outputs; '%s' "
                "publishes %s; '%s' publishes %s",
                s->name, s->history_source, s->name, own, s->history_source, other);
}

/* Is there a subsystem of this name when all are one? Components in no [[subsystem]] have their own. */
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

wrsim_status wr_setups_find_history_sources(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const double period = set->relaxation.history_period;
    wr_named *const names = WR_TAKE(a->bag, wr_named, a->n_subsystem);
    if (!names)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < a->n_subsystem; i++) {
        a->setup[i].history_source = -1;
        names[i] = (wr_named){a->setup[i].name, i};
    }
    wr_names_sort(names, a->n_subsystem);
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        if (!s->history_source)
            continue;
        if (period > 0.0 && !(s->lag < period))
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_lag,
                        "'lag' of [[subsystem]] is %g, but must be smaller than "
                        "'relaxation.history.period', which is %g",
                        s->lag, period);
        const int is_whole = set->simulation.monolithic;
        const int source =
            wr_names_find(names, a->n_subsystem, s->history_source, strlen(s->history_source));
        if (is_whole ? !is_name_of_part(a, s->history_source) : source < 0) {
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &s->where_history_source,
                "subsystem '%s' has the history source '%s', but there is no such subsystem",
                s->name, s->history_source);
        } else if (!is_whole && !publish_the_same(&a->setup[i], &a->setup[source])) {
            refuse_different(s, &a->setup[i], &a->setup[source], diag);
        } else if (!is_whole) {
            a->setup[i].history_source = source;
            a->setup[i].lag = s->lag;
        }
    }
    return WRSIM_OK;
}
