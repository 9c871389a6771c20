/* Sweeps: batches of tasks in order, and their results. See engine_sweep.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_sweep.h"

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_changes.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/phase.h"
#include "scheduler/placement.h"
#include "scheduler/team.h"

/* ---- tasks of a level ---- */

static void start_batch(wr_engine *e)
{
    wr_team_tasks tasks = {.n_task = e->batch->n, .n_range = e->load->n_active_worker};
    if (e->load->n_active_worker > 1) {
        for (int k = 0; k < e->batch->n; k++) {
            e->batch->expected[k] = (double)e->record[e->batch->run[k]].expected_ns;
            e->batch->preferred[k] = e->record[e->batch->run[k]].i_worker;
        }
        wr_placement placement = {.n_task = e->batch->n,
                                  .n_worker = e->load->n_active_worker,
                                  .expected = e->batch->expected,
                                  .order = e->batch->order,
                                  .worker = e->batch->preferred,
                                  .busy = e->batch->busy};
        wr_placement_make(&placement);
        tasks.order = e->batch->order;
        tasks.n_first = placement.n_first;
        tasks.preferred = placement.has_preferred ? e->batch->preferred : NULL;
    }
    wr_team_batch(e->team, &tasks);
}

/* Fills the batch of the present level; 0 if it has no active subsystem. */
static int prepare_level(wr_engine *e)
{
    const int first = e->net->level_start[e->sweep->i_level],
              end = e->net->level_start[e->sweep->i_level + 1];
    /* Later levels read the changes of earlier levels in the same sweep. */
    const int has_moved_on = e->options.is_gauss_seidel && !e->sweep->is_forced && !e->mix->method;
    e->batch->run = e->net->by_level + first;
    e->batch->n = end - first;
    if (!e->sweep->is_all_active || (has_moved_on && e->sweep->i > 1)) {
        e->batch->run = e->batch->some;
        e->batch->n = 0;
        for (int k = first; k < end; k++) {
            wr_record *const p = &e->record[e->net->by_level[k]];
            if (has_moved_on)
                p->is_active = (unsigned char)wr_engine_needs_integration(e, e->net->by_level[k]);
            if (p->is_active)
                e->batch->some[e->batch->n++] = e->net->by_level[k];
        }
    }
    if (e->batch->n == 0)
        return 0;
    e->batch->number++;
    e->batch->checks_early = e->net->due && e->load->n_active_worker == 1 && e->batch->n == e->n &&
                             !e->sweep->is_check_only && !e->sweep->is_event_check &&
                             e->options.has_active_set && wr_mix_has_estimates(e);
    start_batch(e);
    return 1;
}

int wr_engine_prepare_from(wr_engine *e, int level)
{
    for (e->sweep->i_level = level; e->sweep->i_level < e->net->n_level; e->sweep->i_level++)
        if (prepare_level(e))
            return 1;
    return 0;
}

/* ---- sweeps ---- */

wr_phase_point wr_engine_phase_at_end(const wr_engine *e)
{
    wr_phase_point point = {.t_s = e->window->t_end_s, .phase = e->window->t_end_s, .rate = 1.0};
    if (e->options.phase_part < 0)
        return point;
    wr_cursor cursor = wr_cursor_start();
    wr_wave_eval_many(wr_waves_shown(&e->waves[e->options.phase_part]), &cursor, e->window->t_end_s,
                      1, &e->options.phase_signal, &point.phase, &point.rate);
    return point;
}

/* Is the phase at the window's end known? */
static int is_phase_known(const wr_engine *e)
{
    if (!e->phase || e->options.phase_part < 0)
        return e->phase != NULL;
    const wr_record *const p = &e->record[e->options.phase_part];
    return p->is_predicted || p->n_integrated > 0;
}

void wr_engine_begin_sweep(wr_engine *e, int is_check_only)
{
    e->sweep->is_check_only = is_check_only;
    if (is_phase_known(e))
        e->window->phase = wr_engine_phase_at_end(e);
    e->sweep->i++;
    e->sweep->n_integrated = 0;
    e->sweep->n_wanted = 0;
    if (e->sweep->is_check_only) /* no wave changes in this sweep */
        return;
    e->sweep->delta = e->sweep->mixed_change = e->sweep->late_change = 0.0;
}

/* ---- after a batch ---- */

void wr_engine_publish_level(wr_engine *e)
{
    for (int k = 0; k < e->batch->n; k++) {
        wr_record *const p = &e->record[e->batch->run[k]];
        if (p->is_unchanged) {
            e->sweep->n_wanted += !p->is_settled;
            continue;
        }
        if (e->mix->method)
            e->mix->before[e->batch->run[k]] = wr_batch_read_of(e, e->batch->run[k]);
        if (e->sweep->n_integrated++ == 0) /* sweeps without integrations depend on the workers */
            wr_contraction_begin_sweep(e->contraction);
        e->window->n_integrated++;
        e->load->unnoted_work += p->work;
        e->window->work += p->work;
        e->sweep->delta = wr_max(e->sweep->delta, p->change);
        if (p->is_mixed)
            e->sweep->mixed_change = wr_max(e->sweep->mixed_change, p->change);
        else if (p->is_read_late)
            e->sweep->late_change = wr_max(e->sweep->late_change, p->change);
        if (p->is_in_ring)
            wr_contraction_add(e->contraction, p->change, p->end_change);
    }
    wr_engine_notify_consumers(e);
    if (e->options.is_gauss_seidel && is_phase_known(e)) /* later levels are predicted by it */
        e->window->phase = wr_engine_phase_at_end(e);
}
