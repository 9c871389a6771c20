/* The state of a subsystem made of components, as bytes (base/state_io.h).
 *
 * The block that save() copies and what the group, the integrator and the counters hold; beside it what is left from the
 * last window, as all of it may be asked for before the next one begins. Instants of the last integration are of a window
 * that is over, cubics of inputs are read anew: they are forgotten.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include "subsystems/hybrid_work.h"

/* Of the last window, beside the block. */
static void pass_over_last(wr_hybrid *work, wr_state_io *io)
{
    WR_STATE(io, work->amplification);
    WR_STATE(io, work->is_frozen);
    WR_STATE(io, work->is_wave_open);
    WR_STATE(io, work->window_start_s);
    WR_STATE(io, work->window_end_s);
    WR_STATE(io, work->has_rough_inputs);
    WR_STATE(io, work->has_unseen_step);
    WR_STATE(io, work->reached_s);
    WR_STATE(io, work->has_shown);
    WR_STATE(io, work->has_stored);
    WR_STATE(io, work->n_jump);
    WR_STATE(io, work->n_round);
    WR_STATE(io, work->n_round_shown);
    WR_STATE(io, work->n_flip_now);
    WR_STATE(io, work->instant_s);
    WR_STATE_ARRAY(io, work->streak_flips, work->group->n_z);
    WR_STATE_ARRAY(io, work->has_ever_fired, work->group->n_z);
}

static void forget(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    s->fault = (wr_fault){0};
    work->is_node_pending = 0;
    work->inside_s = 0.0;
    work->known_s = work->eval_s = (double)NAN;
    work->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_hybrid_forget_source(s, i);
        work->reader[i].jump_s = (double)INFINITY;
        work->reader[i].n_round = 0;
    }
    work->instants.n = work->last.n = work->spare.n = 0;
    work->instants.start_s = work->last.start_s = work->spare.start_s = (double)NAN;
}

void wr_hybrid_state(wr_subsystem *s, wr_state_io *io)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const int n_x = work->group->n_x, z_turn = (int)wr_state_count(io, work->clock->z_turn, 3);
    if (!wr_state_reads(io))
        work->clock->t_s = s->t_s; /* the last save's says nothing */
    WR_STATE(io, s->t_s);
    WR_STATE(io, s->stats);
    WR_STATE(io, s->has_unseen);
    WR_STATE(io, s->has_effect);
    WR_STATE_ARRAY(io, s->unseen, n_x);
    WR_STATE_ARRAY(io, s->effect, n_x);
    wr_state_bytes(io, work->now, work->state_bytes);
    pass_over_last(work, io);
    wr_group_state(work->group, io);
    if (work->integrator)
        work->solver->state(work->integrator, io);
    if (!wr_state_reads(io))
        return;
    s->n_row = 0;
    work->clock->z_turn = z_turn;
    wr_hybrid_place_z(s);
    forget(s);
}
