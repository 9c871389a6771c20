/* The state of a subsystem of components, as bytes (base/state_io.h).
 *
 * The state consists of the block that wr_ode_save() copies, the states of group and integrator, the counters, and the results of the last
 * window. The engine reads these results before the next window. The state excludes instants of the last integration, which belong to a
 * completed window. The state also excludes cubics of inputs, which the subsystem rebuilds.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include <math.h>
#include <string.h>

#include "subsystems/event_log.h"
#include "subsystems/group/deferred_steps.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_step.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/ode/stall_diagnosis.h"

/* Places the saved arrays of all objects in room. Doubles come first, because their alignment is the strictest. */
static void take_all(wr_subsystem *s, wr_ode_room *room)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    int n_guess;
    wr_group_guess(work->group, &n_guess);
    work->clock = wr_ode_take(room, 1, sizeof *work->clock);
    work->search = wr_ode_take(room, 1, sizeof *work->search);
    work->crawl = wr_ode_take(room, 1, sizeof *work->crawl);
    s->stops = wr_ode_take(room, 1, sizeof *s->stops);
    s->x = wr_ode_take(room, group->n_x, sizeof *s->x);
    work->dx = wr_ode_take(room, group->n_x, sizeof *work->dx);
    s->d = wr_ode_take(room, group->n_d, sizeof *s->d);
    s->external = wr_ode_take(room, s->n_external, sizeof *s->external);
    work->block->guess = wr_ode_take(room, n_guess, sizeof *work->block->guess);
    wr_ode_instant_take(s, room);
    work->inputs->external_slope = wr_ode_take(room, s->n_external, sizeof(double));
    work->resolution->limit_s = wr_ode_take(room, 1, sizeof(double));
    work->pulse->time_event_s = wr_ode_take(room, 1, sizeof(double));
    work->publication->y_size = wr_ode_take(room, s->n_published, sizeof(double));
    wr_ode_indicators_take(s, room);
    work->mode = wr_ode_take(room, group->n_z, sizeof *work->mode);
}

int wr_ode_state_place(wr_subsystem *s, wr_arena *arena)
{
    wr_ode_block *const block = wr_ode_of(s)->block;
    wr_ode_room room = {.at = NULL};
    take_all(s, &room);
    block->state_bytes = room.bytes;
    block->now = wr_arena_push(arena, block->state_bytes, 1);
    block->saved = wr_arena_push(arena, block->state_bytes, 1);
    block->memory = wr_group_memory(wr_ode_of(s)->group, &block->memory_bytes);
    block->memory_saved = wr_arena_push(arena, block->memory_bytes, 1);
    block->memory_before = wr_arena_push(arena, block->memory_bytes, 1);
    block->memory_kept = wr_arena_push(arena, block->memory_bytes, 1);
    if (!block->now || !block->saved || !block->memory_saved || !block->memory_before ||
        !block->memory_kept)
        return -1;
    room = (wr_ode_room){.at = block->now};
    take_all(s, &room);
    wr_ode_clear_state(s);
    return 0;
}

void wr_ode_clear_state(wr_subsystem *s)
{
    memset(wr_ode_of(s)->block->now, 0, wr_ode_of(s)->block->state_bytes);
    wr_ode_place_z(s);
}

/* Visits the state. has_counters 0: except counters of work, which no rollback changes. */
static void visit(wr_subsystem *s, wr_state_io *io, int has_counters)
{
    wr_ode *const work = wr_ode_of(s);
    const int n_x = work->group->n_x, z_turn = (int)wr_state_count(io, wr_ode_z_turn(s), 3);
    if (!wr_state_reads(io))
        work->clock->t_s = s->t_s; /* the value of clock->t_s is from the last save */
    WR_STATE(io, s->t_s);
    if (has_counters)
        WR_STATE(io, s->stats);
    WR_STATE(io, s->has_unseen);
    WR_STATE(io, s->has_effect);
    WR_STATE_ARRAY(io, s->unseen, n_x);
    WR_STATE_ARRAY(io, s->effect, n_x);
    wr_state_bytes(io, work->block->now, work->block->state_bytes);
    wr_ode_output_state(s, io);
    wr_ode_inputs_state(s, io);
    wr_ode_resolution_state(s, io);
    wr_ode_instant_state(s, io);
    WR_STATE(io, work->window->is_wave_open);
    WR_STATE(io, work->window->start_s);
    WR_STATE(io, work->window->end_s);
    if (has_counters)
        wr_group_state(work->group, io);
    else
        wr_group_keep(work->group, io);
    if (work->integrator) {
        wr_integ_stats *const counters = wr_integrator_stats(work->integrator);
        const wr_integ_stats now = *counters;
        work->solver->state(work->integrator, io);
        if (!has_counters)
            *counters = now;
    }
    if (!wr_state_reads(io))
        return;
    s->n_row = 0;
    wr_ode_turn_z(s, z_turn);
    s->fault = (wr_fault){0};
    s->end = (wr_run_end){.t_s = (double)INFINITY};
    work->window->is_node_pending = 0;
    wr_ode_begin_output(s);
    wr_ode_forget_inputs(s);
    wr_ode_forget_instants(s);
}

void wr_ode_state(wr_subsystem *s, wr_state_io *io)
{
    visit(s, io, 1);
    if (s->log && wr_state_reads(io))
        wr_event_log_clear(s->log);
}

void wr_ode_keep(wr_subsystem *s, wr_state_io *io, wr_own_slot slot)
{
    int n_row = s->n_row;
    visit(s, io, 0);
    if (io->mode == WR_STATE_WRITE)
        wr_group_own_keep(wr_ode_of(s)->group, slot, s->t_s);
    if (io->mode == WR_STATE_READ)
        wr_group_own_go_back(wr_ode_of(s)->group, slot, s->t_s);
    wr_ode_keep_instants(s, io);
    WR_STATE(io, n_row);
    WR_STATE(io, s->end);
    WR_STATE(io, s->step_rhs);
    WR_STATE(io, s->has_deferred);
    WR_STATE(io, s->has_shared);
    WR_STATE(io, s->parts_instant);
    if (wr_state_reads(io))
        s->n_row = n_row;
}

void wr_ode_turn_ahead(wr_subsystem *s, wr_ahead_turn turn)
{
    if (wr_group_counts_points(wr_ode_of(s)->group))
        wr_group_turn_ahead_points(wr_ode_of(s)->group, turn);
}

void wr_ode_save(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n_guess;
    const double *const guess = wr_group_guess(work->group, &n_guess);
    wr_ode_copy(work->block->guess, guess, n_guess);
    work->clock->t_s = s->t_s;
    memcpy(work->block->saved, work->block->now, work->block->state_bytes);
    wr_ode_copy_bytes(work->block->memory_saved, work->block->memory, work->block->memory_bytes);
    wr_group_own_keep(work->group, WR_OWN_START, s->t_s);
    if (work->integrator)
        work->solver->save(work->integrator);
    if (wr_group_counts_points(work->group))
        wr_group_mark_points(work->group);
}

void wr_ode_restore(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n_guess;
    double *const guess = wr_group_guess(work->group, &n_guess);
    memcpy(work->block->now, work->block->saved, work->block->state_bytes);
    wr_ode_copy_bytes(work->block->memory, work->block->memory_saved, work->block->memory_bytes);
    wr_ode_place_z(s);
    s->t_s = work->clock->t_s;
    wr_group_own_go_back(work->group, WR_OWN_START, s->t_s);
    wr_deferred_steps_drop(work->group);
    wr_ode_copy(guess, work->block->guess, n_guess);
    if (work->integrator)
        work->solver->restore(work->integrator);
    if (wr_group_counts_points(work->group))
        wr_group_repeat_points(work->group);
}
