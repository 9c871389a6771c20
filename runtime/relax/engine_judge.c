/* Judges a sweep: collects the numbers of the verdict, and prepares the next sweep. See sweep_verdict.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_judge.h"

#include <math.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_changes.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/window.h"

/* ---- acceleration ---- */

/* Changes of a ring's inputs that are this many times smaller than the accepted change do not matter, even if the ring amplifies
 * them (as UNSEEN in accelerate.c). */
static const double MOST_AMPLIFIED = 1e4;

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
        wr_record *const p = &e->record[i];
        const int is_in_loop = e->loops->start && e->loops->has[i];
        const int is_plain = p->is_mixed && !is_in_loop && p->jump_shift > SAME_TIME;
        is_new |= is_plain != p->is_plain;
        p->is_plain = (unsigned char)is_plain;
        if (is_plain)
            e->mix->before[i] = e->mix->now[i];
    }
    return is_new;
}

/* After a sweep: computes guesses from the last iterates, by Newton's step for algebraic loops or by Anderson's step, and
 * estimates the error of the waves that are published. */
static void accelerate_sweep(wr_engine *e)
{
    /* The ring's inputs have not settled. The ring amplifies their error by more than its residual shows, so this is a plain
     * sweep without learning. */
    if (MOST_AMPLIFIED * e->sweep->late_change > e->options.convergence) {
        e->mix->error = (double)INFINITY;
        e->mix->has_guesses = e->loops->n_step = 0;
        wr_accelerate_reset(e->mix->method);
        return;
    }
    /* Without a step the error is the residual plus the changes of all further sweeps. */
    const double r = e->contraction->now;
    e->mix->error = r > 0.0 && r < 1.0
                        ? e->sweep->delta * wr_max(e->contraction->amplification, 1.0 / (1.0 - r))
                        : (double)INFINITY;
    for (int i = 0; i < e->n; i++) {
        wr_wave *const *const guess = e->mix->guess[i];
        e->mix->now[i] = wr_waves_shown(&e->waves[i]);
        e->mix->scale[i] = wr_record_weight(&e->record[i], e->value[i]);
        e->mix->next[i] = guess[e->mix->before[i] == guess[0]];
    }
    if (wr_engine_step_loops(e)) {
        e->mix->has_guesses = 1;
        return;
    }
    if (leave_out_moved_jumps(e)) { /* a plain sweep */
        e->mix->has_guesses = 0;
        wr_accelerate_reset(e->mix->method);
        return;
    }
    e->mix->has_guesses = wr_accelerate_step(e->mix->method, e->mix->before, e->mix->now,
                                             e->mix->scale, e->mix->next, e->sweep->mixed_change,
                                             e->contraction->amplification, &e->mix->error) >= 0;
}

void wr_engine_publish_guesses(wr_engine *e)
{
    for (int i = 0; i < e->n && e->mix->has_guesses; i++)
        if (e->record[i].is_mixed && !e->record[i].is_plain)
            wr_batch_show(e, i, e->mix->next[i]);
}

/* ---- verdicts ---- */

/* May no shorter window be tried, or would it contract no faster? */
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

/* Collects the other numbers only if a sweep is open. */
static wr_verdict verdict_of(const wr_engine *e, wr_sweep_verdict_kind kind, int is_open)
{
    static const wr_sweep_verdict_input closed = {.is_open = 0};
    if (!is_open)
        return wr_sweep_verdict_of(&closed);
    const wr_sweep_verdict_input input = input_of(e, kind);
    return wr_sweep_verdict_of(&input);
}

/* No subsystem has integrated: either no input change matters, or all subsystems integrate in the next sweep. */
static wr_verdict judge_check(wr_engine *e)
{
    e->sweep->i--;
    const wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_CHECK, e->sweep->n_wanted > 0);
    if (verdict == WR_VERDICT_SWEEP)
        wr_engine_force_all(e);
    return verdict;
}

/* Judges the iterate as a whole. */
static wr_verdict judge_accelerated(wr_engine *e)
{
    accelerate_sweep(e);
    const int is_anything_open = wr_engine_is_anything_open(e);
    const int is_open = is_anything_open || !(e->mix->error <= e->contraction->accepted_error);
    const wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_ACCELERATED, is_open);
    if (verdict != WR_VERDICT_SWEEP)
        return verdict;
    wr_engine_publish_guesses(e);
    wr_engine_force_all(e);
    return verdict;
}

/* Subsystems without rollback have integrated. That is no iteration, so no rate is learned from it. */
static wr_verdict judge_once_turn(wr_engine *e)
{
    e->sweep->is_once_turn = 0;
    const int is_open = e->mix->method || wr_engine_find_active(e) > 0;
    if (e->mix->method) {
        wr_accelerate_reset(e->mix->method);
        e->mix->has_guesses = e->loops->n_step = 0;
        wr_engine_force_all(e);
    }
    return verdict_of(e, WR_VERDICT_OF_ONCE, is_open);
}

/* May each active subsystem still estimate that its input change does not matter? */
static int may_not_matter(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->record[i].is_active && wr_engine_is_due(e, i))
            return 0;
    return 1;
}

static wr_verdict judge_plain(wr_engine *e)
{
    wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_SWEEP, wr_engine_find_active(e) > 0);
    if (verdict == WR_VERDICT_REJECT) { /* only here may_not_matter counts */
        wr_sweep_verdict_input input = input_of(e, WR_VERDICT_OF_SWEEP);
        input.may_not_matter = may_not_matter(e);
        verdict = wr_sweep_verdict_of(&input);
    }
    if (verdict == WR_VERDICT_REJECT)
        wr_engine_take_back_checks(e);
    return verdict;
}

static void measure_contraction(wr_engine *e)
{
    const double ratio =
        wr_contraction_measure(e->contraction, e->sweep->i, e->options.convergence);
    if (ratio < 0.0)
        return;
    e->stats->contraction_mean += ratio;
    e->stats->n_contraction++;
}

wr_verdict wr_engine_judge(wr_engine *e)
{
    if (e->sweep->n_integrated == 0)
        return judge_check(e);
    if (e->sweep->is_once_turn)
        return judge_once_turn(e);
    /* Once in a sweep, so that checks before and in the next sweep use the same number. */
    if (e->sweep->i >= WR_VERDICT_MANY_SWEEPS)
        wr_contraction_accept(e->contraction,
                              wr_sweep_verdict_accepted_error(e->options.convergence, e->sweep->i,
                                                              is_short_enough(e)));
    if (!e->mix->method || !e->mix->has_guesses)
        measure_contraction(e);
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->sweep)
            o->sweep(o->context, e->window->t_s, e->window->length_s, e->sweep->i, e->sweep->delta);
    e->sweep->is_forced = 0;
    return e->mix->method ? judge_accelerated(e) : judge_plain(e);
}
