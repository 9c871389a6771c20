/* Sweeps: batches of tasks in order, what they come to, and who is told of it. See engine.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include <math.h>
#include <string.h>

#include "runtime/relax/engine_work.h"
#include "scheduler/placement.h"

/* Changes of what drives a ring that are this far below what is accepted do not matter, whatever it makes of them
 * (as UNSEEN in accelerate.c). */
static const double MOST_AMPLIFIED = 1e4;

/* ---- tasks of a level ---- */

static void start_batch(wr_engine *e)
{
    wr_team_tasks tasks = {.n_task = e->batch.n, .n_range = e->n_active_worker};
    if (e->n_active_worker > 1) {
        for (int k = 0; k < e->batch.n; k++) {
            e->batch.expected[k] = (double)e->run[e->batch.run[k]].expected_ns;
            e->batch.preferred[k] = e->run[e->batch.run[k]].i_worker;
        }
        wr_placement placement = {.n_task = e->batch.n,
                                  .n_worker = e->n_active_worker,
                                  .expected = e->batch.expected,
                                  .order = e->batch.order,
                                  .worker = e->batch.preferred,
                                  .busy = e->batch.busy};
        wr_placement_make(&placement);
        tasks.order = e->batch.order;
        tasks.n_first = placement.n_first;
        tasks.preferred = placement.has_preferred ? e->batch.preferred : NULL;
    }
    wr_team_batch(e->team, &tasks);
}

/* Fills the batch of the present level; 0 if it has no active subsystem. */
static int prepare_level(wr_engine *e)
{
    const int first = e->net.level_start[e->sweep.i_level],
              end = e->net.level_start[e->sweep.i_level + 1];
    /* Later levels know what earlier ones have changed in this very sweep. */
    const int has_moved_on = e->options.is_gauss_seidel && !e->sweep.is_forced && !e->mix.method;
    e->batch.run = e->net.by_level + first;
    e->batch.n = end - first;
    if (!e->sweep.is_all_active || (has_moved_on && e->sweep.i > 1)) {
        e->batch.run = e->batch.some;
        e->batch.n = 0;
        for (int k = first; k < end; k++) {
            wr_run *const p = &e->run[e->net.by_level[k]];
            if (has_moved_on)
                p->is_active = (unsigned char)wr_engine_needs_integration(e, p);
            if (p->is_active)
                e->batch.some[e->batch.n++] = e->net.by_level[k];
        }
    }
    if (e->batch.n == 0)
        return 0;
    e->batch.number++;
    e->batch.checks_early = e->net.due && e->n_active_worker == 1 && e->batch.n == e->n &&
                            !e->sweep.is_check_only && !e->sweep.is_event_check &&
                            e->options.has_active_set && wr_engine_has_estimates(e);
    start_batch(e);
    return 1;
}

int wr_engine_prepare_from(wr_engine *e, int level)
{
    for (e->sweep.i_level = level; e->sweep.i_level < e->net.n_level; e->sweep.i_level++)
        if (prepare_level(e))
            return 1;
    return 0;
}

/* ---- sweeps ---- */

wr_phase_point wr_engine_phase_at_end(const wr_engine *e)
{
    wr_phase_point point = {.t_s = e->window.t_end_s, .phase = e->window.t_end_s, .rate = 1.0};
    if (e->options.phase_part < 0)
        return point;
    wr_cursor cursor = wr_cursor_start();
    wr_wave_eval_many(wr_engine_shown(&e->run[e->options.phase_part]), &cursor, e->window.t_end_s,
                      1, &e->options.phase_signal, &point.phase, &point.rate);
    return point;
}

/* Has somebody said by now what the phase at the window's end is? */
static int is_phase_known(const wr_engine *e)
{
    if (!e->phase || e->options.phase_part < 0)
        return e->phase != NULL;
    const wr_run *const p = &e->run[e->options.phase_part];
    return p->is_predicted || p->n_integrated > 0;
}

void wr_engine_begin_sweep(wr_engine *e, int is_check_only)
{
    e->sweep.is_check_only = is_check_only;
    if (is_phase_known(e))
        e->window.phase = wr_engine_phase_at_end(e);
    e->sweep.i++;
    e->sweep.n_integrated = 0;
    e->sweep.n_wanted = 0;
    if (e->sweep.is_check_only) /* nothing will change */
        return;
    e->sweep.delta = e->sweep.mixed_change = e->sweep.late_change = 0.0;
}

/* ---- after a batch ---- */

void wr_engine_publish_level(wr_engine *e)
{
    for (int k = 0; k < e->batch.n; k++) {
        wr_run *const p = &e->run[e->batch.run[k]];
        if (p->is_unchanged) {
            e->sweep.n_wanted += !p->is_settled;
            continue;
        }
        if (e->mix.method)
            e->mix.before[e->batch.run[k]] = wr_engine_read_of(e, e->batch.run[k]);
        if (e->sweep.n_integrated++ == 0) /* sweeps without integrations depend on the workers */
            wr_contraction_begin_sweep(&e->contraction);
        e->window.n_integrated++;
        e->unnoted_work += p->work;
        e->window.work += p->work;
        e->sweep.delta = wr_max(e->sweep.delta, p->change);
        if (p->is_mixed)
            e->sweep.mixed_change = wr_max(e->sweep.mixed_change, p->change);
        else if (p->is_read_late)
            e->sweep.late_change = wr_max(e->sweep.late_change, p->change);
        if (p->is_in_ring)
            wr_contraction_add(&e->contraction, p->change, p->converge->end_change);
    }
    wr_engine_notify_consumers(e);
    if (e->options.is_gauss_seidel && is_phase_known(e)) /* later levels are predicted by it */
        e->window.phase = wr_engine_phase_at_end(e);
}

/* ---- acceleration ---- */

/* Shift of a jump, in units of its time tolerance, up to which two iterates jump at the same time. */
static const double SAME_TIME = 1.0;

/* Anderson's step combines iterates at each time. Between two times of one jump such a combination is on neither side of
 * the jump, so it is no iterate of any model. A wave whose jumps have moved is therefore published as integrated, and its
 * residual for the least squares is 0. Outside algebraic loops plain sweeps of a short window contract (Lelarasmee et al.,
 * 1982), so its jumps settle. In an algebraic loop no window contracts: the jumps settle only if the values do, which
 * takes the step. Returns whether other waves than before are left out: differences to earlier sweeps are then void. */
static int leave_out_moved_jumps(wr_engine *e)
{
    int is_new = 0;
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        const int is_in_loop = e->loops.start && e->loops.has[i];
        const int is_plain = p->is_mixed && !is_in_loop && p->converge->jump_shift > SAME_TIME;
        is_new |= is_plain != p->is_plain;
        p->is_plain = (unsigned char)is_plain;
        if (is_plain)
            e->mix.before[i] = e->mix.now[i];
    }
    return is_new;
}

void wr_engine_accelerate_sweep(wr_engine *e)
{
    /* What drives the ring settles by itself; until then a ring integrates with what is off by that, and makes more of
     * it than its residual shows: a plain sweep, of which nothing is learned. */
    if (MOST_AMPLIFIED * e->sweep.late_change > e->options.convergence) {
        e->mix.error = (double)INFINITY;
        e->mix.has_guesses = e->loops.n_step = 0;
        wr_accelerate_reset(e->mix.method);
        return;
    }
    /* Without a step: everybody has integrated with what is off by the difference and all that further
     * sweeps would make of it. */
    const double r = e->contraction.now;
    e->mix.error = r > 0.0 && r < 1.0
                       ? e->sweep.delta * wr_max(e->contraction.amplification, 1.0 / (1.0 - r))
                       : (double)INFINITY;
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        e->mix.now[i] = wr_engine_shown(p);
        e->mix.scale[i] = p->converge->weight;
        e->mix.next[i] = p->accelerated[e->mix.before[i] == p->accelerated[0]];
    }
    if (wr_engine_step_loops(e)) {
        e->mix.has_guesses = 1;
        return;
    }
    if (leave_out_moved_jumps(e)) { /* a plain sweep */
        e->mix.has_guesses = 0;
        wr_accelerate_reset(e->mix.method);
        return;
    }
    e->mix.has_guesses =
        wr_accelerate_step(e->mix.method, e->mix.before, e->mix.now, e->mix.scale, e->mix.next,
                           e->sweep.mixed_change, e->contraction.amplification, &e->mix.error) >= 0;
}

void wr_engine_publish_guesses(wr_engine *e)
{
    for (int i = 0; i < e->n && e->mix.has_guesses; i++)
        if (e->run[i].is_mixed && !e->run[i].is_plain)
            wr_engine_show(e, &e->run[i], e->mix.next[i]);
}
