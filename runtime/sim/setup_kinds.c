/* The table of kinds of subsystems. See setup_kinds.h.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/sim/setup_kinds.h"

#include <string.h>

#include "base/check.h"
#include "base/names.h"

extern const wr_setup_kind wr_setup_components, wr_setup_replay, wr_setup_port;

static const wr_setup_kind *const kinds[] = {&wr_setup_components, &wr_setup_replay};

static const wr_setup_kind *find(const char *name)
{
    for (size_t i = 0; i < WR_COUNT_OF(kinds); i++)
        if (name && strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

const wr_setup_kind *wr_setups_kind(const wr_assembly *a, int i_subsystem)
{
    if (a->i_port >= 0 && a->graph->node[a->i_port].i_subsystem == i_subsystem)
        return &wr_setup_port; /* no config names it */
    const int is_named =
        !a->settings->simulation.monolithic && i_subsystem < a->settings->n_subsystems;
    return is_named ? find(a->settings->subsystems[i_subsystem].kind) : kinds[0];
}

static void report_unknown(const wr_set_subsystem *s, wr_diag *diag)
{
    const char *names[WR_COUNT_OF(kinds)];
    for (size_t i = 0; i < WR_COUNT_OF(kinds); i++)
        names[i] = kinds[i]->name;
    char hint[WR_NAMES_HINT_BYTES];
    wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_kind, "unknown kind of subsystem '%s'; %s", s->kind,
                wr_names_hint(s->kind, names, (int)WR_COUNT_OF(kinds), hint));
}

void wr_setups_check_kinds(const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        const wr_setup_kind *const kind = find(s->kind);
        if (!kind && s->kind)
            report_unknown(s, diag);
        else if (kind && kind->needs_file && !s->file && s->where_file.line == 0)
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_kind,
                        "kind = \"%s\" needs the key 'file': what it reads", s->kind);
        else if (kind && !kind->needs_file && s->file)
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &s->where_file,
                "'file' of [[subsystem]] goes with kinds that read one, such as \"replay\"; add "
                "the kind, or leave it out");
        else if (kind && !kind->has_group && set->simulation.monolithic)
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &s->where_kind,
                "subsystem '%s' is of kind \"%s\", so one solver cannot take all; run it split",
                s->name, s->kind);
    }
}
