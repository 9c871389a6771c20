/* Acceleration of sweeps. See engine_acceleration.h. Thread: as in engine_acceleration.h. Real-time: yes after placing. */
#include "runtime/relax/engine_acceleration.h"

#include <math.h>
#include <string.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_stats.h"

/* Assumed amplification of a ring's inputs (UNSEEN in accelerate.c). A change that is this many times smaller than relaxation.convergence
 * does not matter. */
static const double MOST_AMPLIFIED = 1e4;

/* Largest shift of a jump between two iterates that counts as no shift, in time tolerances of the jump: one by definition. */
static const double SAME_TIME = 1.0;

/* Returns 1 if the run may need a fallback method. The contraction of an algebraic loop does not depend on the window's length. */
static int needs_fallback(const wr_engine *e)
{
    return e->net->has_algebraic_cycle &&
           e->options.relaxation.acceleration != WR_ACCELERATE_ANDERSON;
}

int wr_mix_place_guesses(wr_engine *e, wr_arena *arena)
{
    if (e->options.relaxation.acceleration == WR_ACCELERATE_NONE && !needs_fallback(e))
        return 0;
    e->mix->guess = WR_NEW_ARRAY(arena, wr_mix_guess, e->n);
    return e->mix->guess ? 0 : -1;
}

int wr_mix_place(wr_engine *e, wr_arena *arena)
{
    wr_mix *const mix = e->mix;
    if (!mix->guess)
        return 0;
    mix->is_plain = WR_NEW_ARRAY(arena, unsigned char, e->n);
    int *const n_signal = WR_NEW_ARRAY(arena, int, e->n);
    mix->before = WR_NEW_ARRAY(arena, const wr_wave *, e->n);
    mix->now = WR_NEW_ARRAY(arena, const wr_wave *, e->n);
    mix->next = WR_NEW_ARRAY(arena, wr_wave *, e->n);
    mix->scale = WR_NEW_ARRAY(arena, const double *, e->n);
    if (!n_signal || !mix->is_plain || !mix->before || !mix->now || !mix->next || !mix->scale)
        return -1;
    for (int i = 0; i < e->n; i++)
        n_signal[i] = e->net->node[i].is_mixed ? e->record[i].n_signal : 0;
    if (e->options.relaxation.acceleration == WR_ACCELERATE_ANDERSON &&
        !(mix->asked = wr_accelerate_place(arena, e->n, n_signal)))
        return -1;
    if (needs_fallback(e) && !(mix->last = wr_accelerate_place(arena, e->n, n_signal)))
        return -1;
    mix->method = mix->asked;
    mix->fallback = mix->last;
    return 0;
}

void wr_mix_begin_window(wr_engine *e)
{
    if (e->mix->guess)
        memset(e->mix->is_plain, 0, (size_t)e->n);
    wr_mix_restart(e);
    wr_loops_begin_window(e->loops);
}

void wr_mix_restart(wr_engine *e)
{
    e->mix->has_guesses = 0;
    wr_loops_restart(e->loops);
    if (e->mix->method)
        wr_accelerate_reset(e->mix->method);
}

void wr_mix_note_read(wr_engine *e, int i)
{
    e->mix->before[i] = wr_publication_before(&e->waves[i].publication, wr_batch_number(e));
}

/* Marks accelerated waves outside algebraic loops whose jumps have shifted between iterates. Anderson's step combines iterates at each
 * time. Between two times of one jump such a combination is on neither side of the jump, so the combination is no iterate of any model.
 * The engine publishes a marked wave as integrated, and its residual for the least squares is 0. Outside algebraic loops plain sweeps of
 * a short window contract, so jumps settle (Lelarasmee, Ruehli, Sangiovanni-Vincentelli, 1982, "The waveform relaxation method for
 * time-domain analysis of large scale integrated circuits"). In an algebraic loop a shorter window contracts no better: the jumps settle
 * with the values, by the step. Returns 1 if the set of marked waves has changed, so that differences to earlier sweeps are invalid. */
static int leave_out_moved_jumps(wr_engine *e)
{
    wr_mix *const mix = e->mix;
    int is_new = 0;
    for (int i = 0; i < e->n; i++) {
        const int is_plain = e->net->node[i].is_mixed && !wr_loops_have(e->loops, i) &&
                             e->record[i].jump_shift > SAME_TIME;
        is_new |= is_plain != mix->is_plain[i];
        mix->is_plain[i] = (unsigned char)is_plain;
        if (is_plain)
            mix->before[i] = mix->now[i];
    }
    return is_new;
}

void wr_mix_step(wr_engine *e)
{
    wr_mix *const mix = e->mix;
    const double r = e->contraction->now, amplification = e->contraction->amplification;
    mix->error = (double)INFINITY;
    /* While the inputs of a ring change, the error of the ring exceeds its residual. So the next sweep is plain, and the acceleration
     * restarts. */
    if (MOST_AMPLIFIED * e->sweep->late_change > e->options.relaxation.convergence) {
        wr_mix_restart(e);
        return;
    }
    /* Without a step the error is the residual plus the changes of all further sweeps. */
    if (r > 0.0 && r < 1.0)
        mix->error = e->sweep->delta * wr_max(amplification, 1.0 / (1.0 - r));
    for (int i = 0; i < e->n; i++) {
        wr_wave *const *const guess = mix->guess[i];
        mix->now[i] = wr_waves_shown(&e->waves[i]);
        mix->scale[i] = wr_record_weight(&e->record[i], e->value[i]);
        mix->next[i] = guess[mix->before[i] == guess[0]];
    }
    const wr_loop_waves waves = {mix->before, mix->now, mix->next};
    const int has_stepped = wr_engine_step_loops(e, &waves, &mix->error);
    if (has_stepped < 0)
        wr_accelerate_reset(mix->method);
    mix->has_guesses = has_stepped > 0;
    if (mix->has_guesses)
        return;
    if (leave_out_moved_jumps(e)) /* the next sweep is plain */
        wr_accelerate_reset(mix->method);
    else
        mix->has_guesses =
            wr_accelerate_step(mix->method, mix->before, mix->now, mix->scale, mix->next,
                               e->sweep->mixed_change, amplification, &mix->error) >= 0;
}

void wr_mix_publish(wr_engine *e)
{
    for (int i = 0; i < e->n && e->mix->has_guesses; i++)
        if (e->net->node[i].is_mixed && !e->mix->is_plain[i])
            wr_batch_show(e, i, e->mix->next[i]);
}

void wr_mix_fall_back(wr_engine *e)
{
    e->mix->method = e->mix->fallback;
    e->mix->fallback = NULL;
    wr_loops_solve(e->loops);
    wr_contraction_forget(e->contraction);
    e->stats->fallback_s = e->window->t_s;
}

void wr_mix_state(wr_mix *mix, wr_state_io *io)
{
    const int is_fallen = mix->last && mix->method == mix->last;
    const int is_last = (int)wr_state_count(io, is_fallen, mix->last != NULL);
    if (wr_state_reads(io)) {
        mix->method = is_last ? mix->last : mix->asked;
        mix->fallback = is_last ? NULL : mix->last;
    }
    if (mix->asked)
        wr_accelerate_state(mix->asked, io);
    if (mix->last)
        wr_accelerate_state(mix->last, io);
}
