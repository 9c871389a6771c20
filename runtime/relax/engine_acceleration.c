/* Acceleration of sweeps. See engine_acceleration.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_acceleration.h"

#include <math.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_progress.h"

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

void wr_engine_accelerate_sweep(wr_engine *e)
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
