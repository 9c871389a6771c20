/* From result files to subsystems that play them. Kind "replay".
 *
 * Thread: one owner. Real-time: no.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/sim/bag.h"
#include "runtime/sim/setup_played.h"
#include "runtime/sim/setup_room.h"
#include "subsystems/playback/replay.h"

static double time_of(const void *context, int i)
{
    return ((const wr_results_waves *)context)->t_s[i];
}

static void node_of(const void *context, int i, double *ret_value, double *ret_slope)
{
    const wr_results_waves *const w = context;
    const size_t n = (size_t)w->n_signal, at = (size_t)i * n;
    memcpy(ret_value, w->value + at, n * sizeof *ret_value);
    memcpy(ret_slope, w->slope + at, n * sizeof *ret_slope);
}

/* Points instead of waves: what that costs, for the signal that it costs most. */
static void warn_of_points(wr_assembly *a, const wr_setup *m, const wr_set_subsystem *set)
{
    const wr_results_waves *const w = m->waves;
    int i_worst = 0;
    for (int i = 0; i < w->n_signal; i++)
        if (!(w->error[i] <= w->error[i_worst])) /* what is not known is worst */
            i_worst = i;
    if (w->n_point_signal == 0)
        return;
    char error[64] = "by what so few points cannot tell";
    if (!isnan(w->error[i_worst]))
        snprintf(error, sizeof error, "by about %.2g of its range", w->error[i_worst]);
    wr_diag_add(&a->warnings, WRSIM_OK, &set->where_file,
                "subsystem '%s': %d of %d signals are joined from the points in '%s', which has no "
                "waves of them: worst is '%s', off %s; record with output.waves = true",
                m->name, w->n_point_signal, w->n_signal, set->file, m->signal_name[i_worst], error);
}

/* Is all of the run recorded? */
static wrsim_status check_span(const wr_assembly *a, const wr_setup *m, const wr_set_subsystem *set,
                               wr_diag *diag)
{
    const wr_set_simulation *const run = &a->settings->simulation;
    const double first_s = m->waves->t_s[0], last_s = m->waves->t_s[m->waves->n_node - 1];
    if ((first_s <= run->start_s || wr_time_close(first_s, run->start_s)) &&
        (last_s >= run->stop_s || wr_time_close(last_s, run->stop_s)))
        return WRSIM_OK;
    return wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_file,
                       "'%s' is recorded from %.9g to %.9g s, but the run goes from %.9g to %.9g s",
                       set->file, first_s, last_s, run->start_s, run->stop_s);
}

/* ---- answers ---- */

/* A subsystem that is driven by what subsystem i publishes, and drives it; -1 = none. */
static int find_feedback(const wr_assembly *a, int i_subsystem)
{
    unsigned char *const is_reached = WR_TAKE(a->bag, unsigned char, a->n_subsystem);
    if (!is_reached)
        return -1;
    is_reached[i_subsystem] = 1;
    for (int n_new = 1; n_new > 0;) {
        n_new = 0;
        for (int j = 0; j < a->n_subsystem; j++)
            for (int s = 0; s < a->setup[j].n_source && !is_reached[j]; s++)
                n_new += is_reached[j] = is_reached[a->setup[j].producer[s]];
    }
    for (int k = 0; k < a->graph->n_edge; k++) {
        const wr_graph_edge *const e = &a->graph->edge[k];
        const int from = a->graph->node[e->from].i_subsystem;
        if (a->graph->node[e->to].i_subsystem == i_subsystem && from != i_subsystem &&
            is_reached[from])
            return from;
    }
    return -1;
}

/* Does a signal change and change back in an instant? */
static int is_pulse(const wr_assembly *a, double first, double between, double last, double nominal)
{
    const wr_set_simulation *const run = &a->settings->simulation;
    const double unit = run->rtol * (fabs(between) + run->atol_factor * nominal);
    return fabs(between - first) > unit && fabs(between - last) > unit;
}

/* What lasts for no time answers an event of a reader in the same instant. When it is played that event is located anew,
 * a rounding earlier or later, and the reader would miss the answer or see it too soon. */
static wrsim_status check_answers(wr_assembly *a, int i_subsystem, const double *nominal,
                                  wr_diag *diag)
{
    const wr_setup *const m = &a->setup[i_subsystem];
    const wr_results_waves *const w = m->waves;
    const size_t n = (size_t)w->n_signal;
    const int i_reader = find_feedback(a, i_subsystem);
    for (int first = 0, last; i_reader >= 0 && first < w->n_node; first = last + 1) {
        for (last = first; last + 1 < w->n_node && wr_time_close(w->t_s[last + 1], w->t_s[first]);)
            last++;
        const double *const left = w->value + (size_t)first * n, *const right =
                                                                     w->value + (size_t)last * n;
        for (int i = first + 1; i < last; i++)
            for (size_t j = 0; j < n; j++)
                if (is_pulse(a, left[j], w->value[(size_t)i * n + j], right[j], nominal[j]))
                    return wr_diag_add(
                        diag, WRSIM_E_CONFIG, &a->settings->subsystems[i_subsystem].where_file,
                        "'%s' cannot be played for subsystem '%s': at t = %.9g s '%s' changes and "
                        "changes back at once, in "
                        "answer to what '%s' does there; play '%s' as well, or integrate both",
                        a->settings->subsystems[i_subsystem].file, m->name, w->t_s[first],
                        m->signal_name[j], a->setup[i_reader].name, a->setup[i_reader].name);
    }
    return WRSIM_OK;
}

/* ---- the subsystem ---- */

static wrsim_status create(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_set_subsystem *const own = &a->settings->subsystems[i_subsystem];
    wr_setup *const m = &a->setup[i_subsystem];
    wrsim_error err = {0};
    if (m->n_published == 0)
        return wr_diag_add(
            diag, WRSIM_E_CONFIG, &own->where_file,
            "nobody reads anything of subsystem '%s', so there is nothing to play of "
            "'%s'; connect it, or remove kind = \"replay\"",
            m->name, own->file);
    m->waves = wr_results_waves_load(own->file, m->n_published, m->signal_name, &err);
    if (!m->waves)
        return wr_diag_add(diag, err.status, &own->where_file, "%s", err.text);
    WR_TRY(check_span(a, m, own, diag));
    warn_of_points(a, m, own);
    wr_replay_config config = {
        .recording = {
            .context = m->waves, .n_node = m->waves->n_node, .time_s = time_of, .node = node_of}};
    WR_TRY(wr_setups_played(a, m, &config.played, diag));
    WR_TRY(check_answers(a, i_subsystem, config.played.nominal, diag));
    m->subsystem = wr_replay_create(&config, diag);
    return m->subsystem ? WRSIM_OK : wr_diag_status(diag);
}

const wr_setup_kind wr_setup_replay = {
    .name = "replay", .solver = "replay", .needs_file = 1, .create = create};
