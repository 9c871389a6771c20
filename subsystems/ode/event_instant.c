/* Places and saves the present instant, and marks the indicators and time events that fire. See event_instant.h. Thread: one at a time.
 * Real-time: yes after placing. */
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

int wr_ode_instant_place(const wr_subsystem *s, wr_arena *arena, const wr_ode_config *config)
{
    wr_ode_instant *const at = wr_ode_of(s)->instant;
    const wr_group *const group = wr_ode_of(s)->group;
    at->chatter_time_s = config->chatter_time_s;
    at->run_s = config->run_s;
    at->max_event_iterations = config->max_event_iterations;
    at->max_stuck_events = config->max_stuck_events;
    at->d_before = WR_NEW_ARRAY(arena, double, group->n_d);
    at->fired_index = WR_NEW_ARRAY(arena, int, group->n_z);
    at->fired = WR_NEW_ARRAY(arena, signed char, group->n_z);
    at->has_fired_index = WR_NEW_ARRAY(arena, int, group->n_z);
    at->mode_before = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    at->has_fired = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    at->has_ever_fired = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    at->due = WR_NEW_ARRAY(arena, unsigned char, group->n_component);
    at->asks = WR_NEW_ARRAY(arena, unsigned char, group->n_component);
    at->streak_flips = WR_NEW_ARRAY(arena, int, group->n_z);
    at->fault_flips = WR_NEW_ARRAY(arena, int, group->n_z);
    return at->d_before && at->fired_index && at->fired && at->has_fired_index && at->mode_before &&
                   at->has_fired && at->has_ever_fired && at->due && at->asks && at->streak_flips &&
                   at->fault_flips
               ? 0
               : -1;
}

void wr_ode_instant_state(const wr_subsystem *s, wr_state_io *io)
{
    wr_ode_instant *const at = wr_ode_of(s)->instant;
    WR_STATE(io, at->has_stored);
    WR_STATE(io, at->n_round);
    WR_STATE(io, at->n_flip_now);
    WR_STATE(io, at->instant_s);
    WR_STATE_ARRAY(io, at->streak_flips, wr_ode_of(s)->group->n_z);
    WR_STATE_ARRAY(io, at->has_ever_fired, wr_ode_of(s)->group->n_z);
}

void wr_ode_set_fired(wr_subsystem *s, const int *index, int n, const double *z)
{
    wr_ode_instant *const at = wr_ode_of(s)->instant;
    for (int k = 0; k < at->n_fired; k++)
        at->fired[at->fired_index[k]] = 0;
    for (int k = 0; k < n; k++) {
        at->fired[index[k]] = z[index[k]] > 0.0 ? 1 : -1;
        at->fired_index[k] = index[k];
    }
    at->n_fired = n;
}

int wr_ode_mark_times(wr_subsystem *s)
{
    wr_ode_instant *const at = wr_ode_of(s)->instant;
    int n = 0;
    for (int c = 0; c < wr_ode_of(s)->group->n_component; c++) {
        const int is_now = wr_time_is_due(s->t_s, at->time_next[c]) || at->asks[c];
        at->due[c] = is_now ? WR_DUE_TIME | (at->asks[c] ? WR_DUE_ASKED : 0) : 0;
        at->asks[c] = 0;
        n += is_now;
    }
    return n;
}
