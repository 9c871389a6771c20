/* The state of a subsystem made of components, as bytes (base/state_io.h).
 *
 * It consists of the block that save() copies, the state of the group, the integrator and the counters, and the results of the last
 * window, which may be read before the next window begins. Instants of the last integration belong to a completed window, and cubics
 * of inputs are rebuilt, so both are left out.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <string.h>

#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_window.h"

/* Reads or writes the results of the last window outside of the block. */
static void pass_over_last(wr_ode *work, wr_state_io *io)
{
    WR_STATE(io, work->publication->amplification);
    WR_STATE(io, work->inputs->is_frozen);
    WR_STATE(io, work->window->is_wave_open);
    WR_STATE(io, work->window->window_start_s);
    WR_STATE(io, work->window->window_end_s);
    WR_STATE(io, work->resolution->has_rough_inputs);
    WR_STATE(io, work->resolution->has_unseen_step);
    WR_STATE(io, work->reached_s);
    WR_STATE(io, work->publication->has_shown);
    WR_STATE(io, work->instant->has_stored);
    WR_STATE(io, work->inputs->n_jump);
    WR_STATE(io, work->instant->n_round);
    WR_STATE(io, work->publication->n_round_shown);
    WR_STATE(io, work->instant->n_flip_now);
    WR_STATE(io, work->instant->instant_s);
    WR_STATE_ARRAY(io, work->instant->streak_flips, work->group->n_z);
    WR_STATE_ARRAY(io, work->instant->has_ever_fired, work->group->n_z);
}

static void forget(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    s->fault = (wr_fault){0};
    work->window->is_node_pending = 0;
    work->publication->inside_s = 0.0;
    work->publication->known_s = work->inputs->eval_s = (double)NAN;
    work->inputs->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_ode_forget_source(s, i);
        work->inputs->reader[i].jump_s = (double)INFINITY;
        work->inputs->reader[i].n_round = 0;
    }
    wr_ode_forget_instants(s);
}

void wr_ode_state(wr_subsystem *s, wr_state_io *io)
{
    wr_ode *const work = wr_ode_of(s);
    const int n_x = work->group->n_x, z_turn = (int)wr_state_count(io, work->clock->z_turn, 3);
    if (!wr_state_reads(io))
        work->clock->t_s = s->t_s; /* its value is from the last save */
    WR_STATE(io, s->t_s);
    WR_STATE(io, s->stats);
    WR_STATE(io, s->has_unseen);
    WR_STATE(io, s->has_effect);
    WR_STATE_ARRAY(io, s->unseen, n_x);
    WR_STATE_ARRAY(io, s->effect, n_x);
    wr_state_bytes(io, work->block->now, work->block->state_bytes);
    pass_over_last(work, io);
    wr_group_state(work->group, io);
    if (work->integrator)
        work->solver->state(work->integrator, io);
    if (!wr_state_reads(io))
        return;
    s->n_row = 0;
    work->clock->z_turn = z_turn;
    wr_ode_place_z(s);
    forget(s);
}

void wr_ode_save(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n_guess;
    const double *const guess = wr_group_guess(work->group, &n_guess);
    if (n_guess > 0)
        memcpy(work->block->guess, guess, (size_t)n_guess * sizeof *work->block->guess);
    work->clock->t_s = s->t_s;
    memcpy(work->block->saved, work->block->now, work->block->state_bytes);
    if (work->block->memory_bytes > 0)
        memcpy(work->block->memory_saved, work->block->memory, work->block->memory_bytes);
    if (work->integrator)
        work->solver->save(work->integrator);
}

void wr_ode_restore(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n_guess;
    double *const guess = wr_group_guess(work->group, &n_guess);
    memcpy(work->block->now, work->block->saved, work->block->state_bytes);
    if (work->block->memory_bytes > 0)
        memcpy(work->block->memory, work->block->memory_saved, work->block->memory_bytes);
    wr_ode_place_z(s);
    s->t_s = work->clock->t_s;
    if (n_guess > 0)
        memcpy(guess, work->block->guess, (size_t)n_guess * sizeof *guess);
    if (work->integrator)
        work->solver->restore(work->integrator);
}
