/* Passes the jumps of inputs at an instant, round by round. Also finds jumps and immediate effects at the end of a window. Thread: one at
 * a time. Real-time: yes. */
#include <math.h>

#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_parts.h"

int wr_ode_open_jumps(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n = 0;
    work->inputs->n_jump = 0;
    if (work->inputs->is_frozen || !wr_time_is_due(s->t_s, work->inputs->jump_s))
        return 0;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        const wr_wave *const wave = s->source[i];
        reader->n_round = 0;
        if (!wr_time_is_due(s->t_s, reader->jump_s))
            continue;
        work->inputs->i_jumped = n++ == 0 ? i : -1;
        int k = reader->cursor.i_floor;
        while (wave->t_s[k] < reader->jump_s)
            k++;
        reader->i_left = k;
        while (k + 1 < wave->n_node && wave->t_s[k + 1] <= reader->jump_s)
            k++;
        reader->n_round = k - reader->i_left;
    }
    work->inputs->n_jump = n;
    return n;
}

/* Returns the change of a signal's left side from the jump to t_s if the subsystem passes the jump late, else 0. */
static double move_since(wr_source_reader *reader, const wr_wave *wave, double t_s, int i_signal)
{
    if (!(t_s > reader->jump_s))
        return 0.0;
    const wr_piece p = wr_wave_piece(wave, &reader->cursor, reader->jump_s);
    return p.t1_s > p.t0_s ? p.s1[i_signal] * (t_s - p.t1_s) : 0.0;
}

/* Sets the cubics of a source to the constant values of a node of its wave, in a round before the source's last round. If the subsystem
 * passes the jump late, adds the change of the left side since the jump. */
static void hold_node(wr_subsystem *s, int i_source, int i_node)
{
    wr_source_reader *const reader = &wr_ode_of(s)->inputs->reader[i_source];
    const wr_wave *const wave = s->source[i_source];
    const double *const value = wave->value + (size_t)i_node * (size_t)wave->n_signal;
    for (int j = 0; j < reader->n; j++) {
        double *const to = reader->cubic[j];
        const int k = reader->signal[j];
        to[WR_CUBIC_START] = wave->t_s[i_node];
        to[WR_CUBIC_0] = value[k] + move_since(reader, wave, s->t_s, k);
        to[WR_CUBIC_1] = to[WR_CUBIC_2] = to[WR_CUBIC_3] = 0.0;
    }
    wr_ode_take_offset(reader);
    reader->low_s = -(double)INFINITY;
    reader->high_s = (double)INFINITY;
}

int wr_ode_pass_jumps(wr_subsystem *s, int round, int *ret_n_moved)
{
    wr_ode *const work = wr_ode_of(s);
    int n_more = 0;
    *ret_n_moved = wr_ode_release(s);
    if (work->inputs->is_frozen || !wr_time_is_due(s->t_s, work->inputs->jump_s))
        return 0;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        if (reader->n_round < round)
            continue;
        ++*ret_n_moved;
        wr_ode_forget_source(s, i);
        wr_ode_take_causes(s, i, round);
        if (round < reader->n_round) {
            n_more++;
            hold_node(s, i, reader->i_left + round);
        } else
            wr_cursor_pass(&reader->cursor, s->source[i], wr_max(s->t_s, reader->jump_s));
    }
    if (n_more > 0)
        return n_more;
    work->inputs->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        if (reader->n_round > 0)
            wr_ode_find_jump(s, i);
        while (reader->n_round > 0 && wr_time_is_due(s->t_s, reader->jump_s)) {
            if (wr_time_close(reader->jump_s, wr_wave_end(s->source[i])))
                reader->jump_s = (double)INFINITY; /* the wave ends with this jump */
            else {                                 /* the times are equal up to rounding */
                wr_cursor_pass(&reader->cursor, s->source[i], reader->jump_s);
                wr_ode_find_jump(s, i);
            }
        }
        reader->n_round = 0;
        work->inputs->jump_s = wr_min(work->inputs->jump_s, reader->jump_s);
    }
    work->inputs->jump_s = wr_ode_end_of_instant(s, work->inputs->jump_s);
    return 0;
}

int wr_ode_follows_at_end(const wr_subsystem *s, int i_external, const wr_wave *wave)
{
    const wr_ode *const work = wr_ode_of(s);
    return wr_ode_may_share_end(s, wave) || work->group->is_direct[i_external] ||
           (wr_ode_n_round(s) > 1 && wr_ode_is_at_instant(s));
}

int wr_ode_has_jump_at_end(const wr_subsystem *s)
{
    return wr_ode_of(s)->inputs->n_jump > 0 && wr_ode_is_at_instant(s);
}
