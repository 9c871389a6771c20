/* What is said of every subsystem that plays. See setup_played.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/setup_played.h"

#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"

/* Which of the published signals each recorded variable is. */
static int *find_recorded(const wr_assembly *a, const wr_setup *m)
{
    int *const signal = WR_TAKE(a->bag, int, m->n_recorded);
    for (int i = 0; signal && i < m->n_recorded; i++)
        for (int k = 0; k < m->n_published; k++)
            if (m->published[k] == m->recorded_index[i])
                signal[i] = k;
    return signal;
}

double *wr_setups_published_nominals(const wr_assembly *a, const wr_setup *m)
{
    double *const nominal = WR_TAKE(a->bag, double, m->n_published);
    for (int c = 0; nominal && c < m->n_component; c++)
        for (int i = 0; i < m->n_published; i++) {
            const wr_component *const component = a->component[m->component[c]];
            const int y = m->published[i] - a->place[m->component[c]].first[WRSIM_OUTPUT];
            if (y >= 0 && y < component->n[WRSIM_OUTPUT])
                nominal[i] = component->variable[WRSIM_OUTPUT][y].nominal;
        }
    return nominal;
}

wrsim_status wr_setups_played(const wr_assembly *a, const wr_setup *m,
                              wr_playback_config *ret_config, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const double *const nominal = wr_setups_published_nominals(a, m);
    const int *const recorded = find_recorded(a, m);
    if (!nominal || !recorded)
        return wr_setups_out_of_memory(diag);
    *ret_config = (wr_playback_config){.name = m->name,
                                       .arena = a->arena,
                                       .n_published = m->n_published,
                                       .nominal = nominal,
                                       .rtol = wr_setup_rtol(a),
                                       .atol_factor = set->simulation.atol_factor,
                                       .n_recorded = m->n_recorded,
                                       .recorded = recorded,
                                       .start_s = set->simulation.start_s,
                                       .communication_step_s = set->simulation.communication_step_s,
                                       .cap_node = a->cap_node,
                                       .cap_row = wr_setups_row_count(a, m),
                                       .record_events = set->output.events};
    return WRSIM_OK;
}
