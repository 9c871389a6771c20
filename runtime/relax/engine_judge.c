/* Judges a sweep: collects the numbers of the verdict, and prepares the next sweep. See sweep_verdict.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_judge.h"

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_changes.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/window.h"

/* Is a shorter window forbidden, or would a shorter window contract no faster? */
static int is_short_enough(const wr_engine *e)
{
    return e->contraction->is_slow || wr_window_is_shortest(e->rule, e->window->length_s);
}

static wr_sweep_verdict_input input_of(const wr_engine *e, wr_sweep_verdict_kind kind)
{
    return (wr_sweep_verdict_input){.kind = kind,
                                    .is_open = 1,
                                    .i_sweep = e->sweep->i,
                                    .max_sweeps = e->options.max_sweeps,
                                    .convergence = e->options.convergence,
                                    .residual = e->contraction->end_residual[0],
                                    .ratio = wr_contraction_ratio(e->contraction, e->sweep->i),
                                    .has_cycle = e->net->has_cycle,
                                    .has_algebraic_cycle = e->net->has_algebraic_cycle,
                                    .is_accelerated = e->mix->method != NULL,
                                    .has_guesses = e->mix->has_guesses,
                                    .is_stuck = e->loops->is_stuck,
                                    .is_short_enough = is_short_enough(e),
                                    .has_active_set = e->options.has_active_set};
}

/* The verdict. Collects its other numbers only if is_open. */
static wr_verdict verdict_of(const wr_engine *e, wr_sweep_verdict_kind kind, int is_open)
{
    static const wr_sweep_verdict_input closed = {.is_open = 0};
    if (!is_open)
        return wr_sweep_verdict_of(&closed);
    const wr_sweep_verdict_input input = input_of(e, kind);
    return wr_sweep_verdict_of(&input);
}

/* Judges the iterate as a whole. */
static wr_verdict judge_accelerated(wr_engine *e)
{
    wr_mix_step(e);
    const int is_anything_open = wr_engine_is_anything_open(e);
    const int is_open = is_anything_open || !(e->mix->error <= e->contraction->accepted_error);
    const wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_ACCELERATED, is_open);
    if (verdict != WR_VERDICT_SWEEP)
        return verdict;
    wr_mix_publish(e);
    wr_engine_force_all(e);
    return verdict;
}

/* Only subsystems without rollback have integrated. That is no iteration, so it gives no contraction rate. */
static wr_verdict judge_once_turn(wr_engine *e)
{
    wr_activity_end_sweep(e->activity);
    const int is_open = e->mix->method || wr_engine_find_active(e) > 0;
    if (e->mix->method) {
        wr_mix_restart(e);
        wr_engine_force_all(e);
    }
    return verdict_of(e, WR_VERDICT_OF_ONCE, is_open);
}

static wr_verdict judge_plain(wr_engine *e)
{
    wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_SWEEP, wr_engine_find_active(e) > 0);
    if (verdict == WR_VERDICT_REJECT) { /* may each active subsystem be without effect? */
        wr_sweep_verdict_input input = input_of(e, WR_VERDICT_OF_SWEEP);
        input.may_not_matter = 1;
        for (int i = 0; i < e->n && input.may_not_matter; i++)
            input.may_not_matter = !(e->record[i].is_active && wr_engine_is_due(e, i));
        verdict = wr_sweep_verdict_of(&input);
    }
    if (verdict == WR_VERDICT_REJECT)
        wr_engine_take_back_checks(e);
    return verdict;
}

wr_verdict wr_engine_judge(wr_engine *e)
{
    if (e->sweep->n_integrated == 0) { /* either no input change matters, or all integrate next */
        const wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_CHECK, e->sweep->n_wanted > 0);
        if (verdict == WR_VERDICT_SWEEP)
            wr_engine_force_all(e);
        return verdict;
    }
    if (e->activity->is_once_turn)
        return judge_once_turn(e);
    /* Checks before and in the next sweep use this error, so it changes once per sweep. */
    if (e->sweep->i >= WR_VERDICT_MANY_SWEEPS)
        wr_contraction_accept(e->contraction,
                              wr_sweep_verdict_accepted_error(e->options.convergence, e->sweep->i,
                                                              is_short_enough(e)));
    if (!e->mix->method || !e->mix->has_guesses) {
        const double ratio =
            wr_contraction_measure(e->contraction, e->sweep->i, e->options.convergence);
        e->stats->contraction_mean += ratio < 0.0 ? 0.0 : ratio;
        e->stats->n_contraction += !(ratio < 0.0);
    }
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->sweep)
            o->sweep(o->context, e->window->t_s, e->window->length_s, e->sweep->i, e->sweep->delta);
    wr_activity_end_sweep(e->activity);
    return e->mix->method ? judge_accelerated(e) : judge_plain(e);
}
