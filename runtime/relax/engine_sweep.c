/* Sweeps: batches of tasks in order, and their results. See engine_sweep.h. Thread: serial section. Real-time: yes. */
#include "runtime/relax/engine_sweep.h"

#include <string.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/relax/engine_task.h"

/* ---- tasks of a level ---- */

/* Fills the batch of the present level. Returns 0 if the level has no active subsystem. */
static int prepare_level(wr_engine *e)
{
    wr_batch *const b = e->batch;
    const wr_net_levels *const levels = &e->net->levels;
    const int first = levels->start[e->sweep->i_level], end = levels->start[e->sweep->i_level + 1];
    /* Later levels read the changes of earlier levels in the same sweep. */
    const int has_moved_on =
        wr_engine_is_gauss_seidel(e) && !e->activity->is_forced && !e->mix->method;
    b->run = levels->item + first;
    b->n = end - first;
    if (!e->activity->is_all || (has_moved_on && e->sweep->i > 1)) {
        b->run = b->some;
        b->n = 0;
        for (int k = first; k < end; k++) {
            const int i = levels->item[k];
            if (has_moved_on ? wr_engine_activate(e, i) : e->record[i].is_active)
                b->some[b->n++] = i;
        }
    }
    if (b->n == 0)
        return 0;
    b->number++;
    b->checks_early = e->net->due && levels->n == 1 && e->load->n_active_worker == 1 &&
                      b->n == e->n && !e->sweep->is_check_only && !e->event_check->is_on &&
                      e->options.relaxation.active_set && wr_mix_has_estimates(e);
    wr_ahead_join(e);
    wr_batch_start(e);
    return 1;
}

int wr_engine_prepare_from(wr_engine *e, int level)
{
    for (e->sweep->i_level = level; e->sweep->i_level < e->net->levels.n; e->sweep->i_level++)
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

/* Updates the phase at the window's end if the phase is known. */
static void find_phase(wr_engine *e)
{
    const int i = e->options.phase_part;
    if (e->phase && (i < 0 || e->net->node[i].is_predicted || e->record[i].n_integrated > 0))
        e->sweep->phase = wr_engine_phase_at_end(e);
}

void wr_engine_begin_first_sweep(wr_engine *e)
{
    e->sweep->i = e->sweep->n_in_window = 0;
    memset(e->sweep->n_by_subsystem, 0, (size_t)e->n * sizeof *e->sweep->n_by_subsystem);
    e->sweep->work = 0.0;
    wr_engine_begin_sweep(e, 0);
}

void wr_engine_begin_sweep(wr_engine *e, int is_check_only)
{
    wr_sweep *const sweep = e->sweep;
    sweep->is_check_only = is_check_only;
    find_phase(e);
    sweep->i++;
    sweep->n_integrated = sweep->n_wanted = 0;
    if (!is_check_only) /* a check changes no wave */
        sweep->delta = sweep->mixed_change = sweep->late_change = 0.0;
}

void wr_engine_integrate_sweep(wr_engine *e) { e->sweep->is_check_only = 0; }

void wr_engine_uncount_sweep(wr_engine *e)
{
    e->sweep->i--;
    e->sweep->n_in_window -= e->sweep->n_integrated;
}

void wr_engine_count_failed_batch(wr_engine *e)
{
    for (int k = 0; k < e->batch->n; k++)
        e->sweep->n_by_subsystem[e->batch->run[k]]++;
}

/* ---- the end of an accepted window ---- */

int wr_engine_begin_completion(wr_engine *e)
{
    wr_batch *const b = e->batch;
    if (e->net->n_deferring == 0)
        return 0;
    b->run = b->some;
    b->n = b->n_ahead = b->checks_early = 0;
    for (int i = 0; i < e->n; i++) {
        if (!(e->net->node[i].flags & WR_SUBSYSTEM_DEFERS))
            continue;
        if (wr_request_is_held(e, i)) /* changes its wave, which another such subsystem may read */
            wr_engine_complete(e, i);
        else
            b->some[b->n++] = i;
    }
    if (b->n == 0)
        return 0;
    e->sweep->is_completing = 1;
    wr_batch_start(e);
    return 1;
}

int wr_engine_end_completion(wr_engine *e)
{
    int i_failed = -1;
    e->sweep->is_completing = 0;
    for (int i = 0; i < e->n && e->net->n_deferring > 0; i++)
        if ((e->net->node[i].flags & WR_SUBSYSTEM_DEFERS) && e->record[i].status < 0 &&
            (i_failed < 0 || e->record[i].fault_s < e->record[i_failed].fault_s))
            i_failed = i;
    return i_failed;
}

/* ---- after a batch ---- */

void wr_engine_publish_level(wr_engine *e)
{
    wr_sweep *const sweep = e->sweep;
    for (int k = 0; k < e->batch->n; k++) {
        const int i = e->batch->run[k];
        const wr_record *const p = &e->record[i];
        const wr_net_node *const node = &e->net->node[i];
        if (p->is_unchanged) {
            sweep->n_wanted += !p->is_settled;
            continue;
        }
        if (sweep->i_level == 0) /* a begun window starts at the end of this integration */
            wr_ahead_repeat(e);
        if (e->mix->method)
            wr_mix_note_read(e, i);
        /* The number of sweeps without integrations depends on the workers, so the contraction ignores them. */
        if (sweep->n_integrated++ == 0)
            wr_contraction_begin_sweep(e->contraction);
        sweep->n_in_window++;
        sweep->n_by_subsystem[i] += !e->event_check->is_on; /* as wr_engine_uncount_sweep() */
        sweep->work += p->work;
        sweep->delta = wr_max(sweep->delta, p->change);
        if (node->is_mixed)
            sweep->mixed_change = wr_max(sweep->mixed_change, p->change);
        else if (node->is_read_late)
            sweep->late_change = wr_max(sweep->late_change, p->change);
        if (node->is_in_ring)
            wr_contraction_add(e->contraction, p->change, p->end_change);
    }
    if (sweep->n_integrated > 0)
        sweep->last_delta = sweep->delta;
    if (sweep->i == 1)
        sweep->first_delta = sweep->delta;
    wr_engine_scheme_batch(e);
    wr_engine_notify_consumers(e);
    if (wr_engine_is_gauss_seidel(e)) /* predictions of later levels use the phase */
        find_phase(e);
}

void wr_engine_adopt_level(wr_engine *e)
{
    wr_batch *const b = e->batch;
    e->sweep->i_level = 0;
    b->run = e->net->levels.item;
    b->n = e->net->levels.start[1];
    b->n_ahead = 0;
    b->number++;
    wr_ahead_adopt(e);
    wr_engine_publish_level(e);
}
