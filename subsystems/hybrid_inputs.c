/* Reading the inputs of a subsystem off the waves of their sources.
 *
 * The cubics that hold at present are kept by powers of the time since they began, those of all
 * sources side by side, because stages of steps come back to them: a read is then one loop over all
 * inputs. A source's are made anew when time leaves its stretch, and where it has jumped.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>
#include <string.h>

#include "subsystems/hybrid_work.h"
#include "subsystems/waves/hermite.h"

int wr_hybrid_is_jump(const wr_subsystem *s, int i_external, double value)
{
    return fabs(value - s->external[i_external]) > wr_hybrid_jump_limit(s, i_external, 1.0);
}

int wr_hybrid_follows_at_end(const wr_subsystem *s, int i_external)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    /* An own event beyond the end may belong to the instant of the jump (wr_hybrid_lets_event_first()). */
    const int may_share = work->causes && work->causes->i_member >= 0;
    return may_share || work->group->is_direct[i_external] ||
           (work->n_round > 1 && wr_time_close(work->instant_s, s->t_s));
}

int wr_hybrid_passes_on(const wr_subsystem *s, int i_external)
{
    return wr_hybrid_of(s)->reaches_y[i_external];
}

int wr_hybrid_has_jump_at_end(const wr_subsystem *s)
{
    return wr_hybrid_of(s)->n_jump > 0 && wr_time_close(wr_hybrid_of(s)->instant_s, s->t_s);
}

void wr_hybrid_forget_source(wr_subsystem *s, int i_source)
{
    wr_hybrid_of(s)->eval_s = wr_hybrid_of(s)->low_s = wr_hybrid_of(s)->reader[i_source].low_s =
        (double)NAN;
}

/* Subtracts deferred jumps from the cubics. */
static void take_offset(const wr_source_reader *reader)
{
    for (int j = 0; reader->offset && j < reader->n; j++)
        reader->cubic[j][WR_CUBIC_0] -= reader->offset[j];
}

/* Takes the cubics of a source over. A stretch of no length at the wave's start is a jump: its left end holds until the jump is
 * passed. Of another stretch of no length the right end holds. */
static void take_piece(const wr_source_reader *reader, const wr_piece *p)
{
    const int has_length = p->t1_s > p->t0_s;
    const int is_left = has_length || (reader->cursor.i_floor == 0 && p->t1_s >= reader->jump_s);
    const double per_h = has_length ? 1.0 / (p->t1_s - p->t0_s) : 0.0;
    const double *const y0 = is_left ? p->y0 : p->y1, *const s0 = is_left ? p->s0 : p->s1;
    for (int j = 0; j < reader->n; j++) {
        const int k = reader->signal[j];
        double *const to = reader->cubic[j], high[2];
        wr_hermite_powers(per_h, y0[k], p->y1[k], s0[k], p->s1[k], high);
        to[WR_CUBIC_START] = p->t0_s;
        to[WR_CUBIC_0] = y0[k];
        to[WR_CUBIC_1] = has_length ? s0[k] : 0.0; /* one value holds */
        to[WR_CUBIC_2] = high[0];
        to[WR_CUBIC_3] = high[1];
    }
    take_offset(reader);
}

/* Replaces the cubics of a source's piece by straight lines from its right end on. A cubic of a piece that is only a few roundings
 * long says nothing about values beyond it. */
static void take_lines(const wr_source_reader *reader, const wr_piece *p)
{
    for (int j = 0; j < reader->n; j++) {
        const int k = reader->signal[j];
        double *const to = reader->cubic[j];
        to[WR_CUBIC_START] = p->t1_s;
        to[WR_CUBIC_0] = p->y1[k];
        to[WR_CUBIC_1] = p->t1_s > p->t0_s ? p->s1[k] : 0.0; /* y1 holds */
        to[WR_CUBIC_2] = to[WR_CUBIC_3] = 0.0;
    }
    take_offset(reader);
}

/* Makes all cubics hold at t. */
static void move_to(wr_subsystem *s, double t_s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    double low_s = -(double)INFINITY, high_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        if (!(t_s > reader->low_s && t_s <= reader->high_s)) {
            /* Behind a jump that waits to be passed its left side goes on. */
            const int is_waiting = t_s > reader->jump_s;
            const wr_piece p =
                wr_wave_piece(s->source[i], &reader->cursor, is_waiting ? reader->jump_s : t_s);
            if (is_waiting)
                take_lines(reader, &p);
            else
                take_piece(reader, &p);
            reader->low_s = is_waiting ? reader->jump_s : p.low_s;
            reader->high_s = is_waiting ? (double)INFINITY : p.high_s;
        }
        low_s = wr_max(low_s, reader->low_s);
        high_s = wr_min(high_s, reader->high_s);
    }
    work->low_s = low_s;
    work->high_s = high_s;
}

static inline double value_at(const double *at, double t_s)
{
    const double tau = t_s - at[WR_CUBIC_START];
    return at[WR_CUBIC_0] + tau * (at[WR_CUBIC_1] + tau * (at[WR_CUBIC_2] + tau * at[WR_CUBIC_3]));
}

static inline double slope_at(const double *at, double t_s)
{
    const double tau = t_s - at[WR_CUBIC_START];
    return at[WR_CUBIC_1] + tau * (2.0 * at[WR_CUBIC_2] + tau * (3.0 * at[WR_CUBIC_3]));
}

static void read_values(const wr_subsystem *s, double t_s, double *restrict ret_value)
{
    const double *restrict at =
        __builtin_assume_aligned(wr_hybrid_of(s)->cubic, WR_CUBIC_LANES * sizeof *at);
    int left = s->n_external;
    for (; left >= WR_CUBIC_LANES; left -= WR_CUBIC_LANES) {
        for (int lane = 0; lane < WR_CUBIC_LANES; lane++)
            ret_value[lane] = value_at(at + lane, t_s);
        ret_value += WR_CUBIC_LANES;
        at += WR_CUBIC_SIZE;
    }
    if (left > 0)
        *ret_value = value_at(at, t_s);
}

static void read_slopes(const wr_subsystem *s, double t_s, double *restrict ret_slope)
{
    for (int i = 0; i < s->n_external; i++)
        ret_slope[i] = slope_at(wr_hybrid_cubic(wr_hybrid_of(s), i), t_s);
}

/* Inputs are often wanted again at the time at which they were read last: stages of a step at its
 * end, then indicators there, then the new point. */
void wr_hybrid_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const int is_read = !with_slope && t_s <= work->eval_s && t_s >= work->eval_s;
    if (work->is_frozen || is_read) {
        const double *const from = work->is_frozen ? s->external : work->external_eval;
        if (ret_external != from && s->n_external > 0)
            memcpy(ret_external, from, (size_t)s->n_external * sizeof *from);
        return;
    }
    if (!(t_s > work->low_s && t_s <= work->high_s))
        move_to(s, t_s);
    read_values(s, t_s, ret_external);
    if (with_slope)
        read_slopes(s, t_s, work->external_slope);
    if (ret_external == work->external_eval)
        work->eval_s = t_s;
}

void wr_hybrid_set_limits(const wr_subsystem *s, int i_source)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    wr_source_reader *const reader = &work->reader[i_source];
    for (int k = 0; k < reader->n; k++) {
        const int j = reader->external[k];
        const int is_followed = work->reaches_z[j] || work->reaches_y[j];
        const double least = WR_LEAST_JUMP * (fabs(s->external[j]) + work->nominal_external[j]);
        const double limit = wr_hybrid_jump_limit(s, j, work->loosened);
        reader->limit[k] = is_followed ? wr_min(least, limit) : limit;
    }
}

void wr_hybrid_find_jump(wr_subsystem *s, int i_source)
{
    wr_source_reader *const reader = &wr_hybrid_of(s)->reader[i_source];
    reader->jump_s = wr_wave_next_jump(s->source[i_source], &reader->cursor, s->t_s, reader->n,
                                       reader->signal, reader->limit);
}

int wr_hybrid_open_jumps(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    if (work->is_frozen || !wr_time_is_due(s->t_s, work->jump_s))
        return 0;
    int n = 0;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        const wr_wave *const wave = s->source[i];
        reader->n_round = 0;
        if (!wr_time_is_due(s->t_s, reader->jump_s))
            continue;
        work->i_jumped = n++ == 0 ? i : -1;
        int k = reader->cursor.i_floor;
        while (wave->t_s[k] < reader->jump_s)
            k++;
        reader->i_left = k;
        while (k + 1 < wave->n_node && wave->t_s[k + 1] <= reader->jump_s)
            k++;
        reader->n_round = k - reader->i_left;
    }
    return n;
}

/* Change since the jump of the wave on its left, if the jump is passed late; else 0. */
static double move_since(wr_source_reader *reader, const wr_wave *wave, double t_s, int i_signal)
{
    if (!(t_s > reader->jump_s))
        return 0.0;
    const wr_piece p = wr_wave_piece(wave, &reader->cursor, reader->jump_s);
    return p.t1_s > p.t0_s ? p.s1[i_signal] * (t_s - p.t1_s) : 0.0;
}

/* Holds a source at the value of a node of its wave, a round between two others. If the jump is
 * passed late, the change of the left side since then is added. */
static void hold_node(wr_subsystem *s, int i_source, int i_node)
{
    wr_source_reader *const reader = &wr_hybrid_of(s)->reader[i_source];
    const wr_wave *const wave = s->source[i_source];
    const double *const value = wave->value + (size_t)i_node * (size_t)wave->n_signal;
    for (int j = 0; j < reader->n; j++) {
        double *const to = reader->cubic[j];
        const int k = reader->signal[j];
        to[WR_CUBIC_START] = wave->t_s[i_node];
        to[WR_CUBIC_0] = value[k] + move_since(reader, wave, s->t_s, k);
        to[WR_CUBIC_1] = to[WR_CUBIC_2] = to[WR_CUBIC_3] = 0.0;
    }
    take_offset(reader);
    reader->low_s = -(double)INFINITY;
    reader->high_s = (double)INFINITY;
}

int wr_hybrid_pass_jumps(wr_subsystem *s, int round, int *ret_n_moved)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    int n_more = 0;
    *ret_n_moved = wr_hybrid_release(s);
    if (work->is_frozen || !wr_time_is_due(s->t_s, work->jump_s))
        return 0;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        if (reader->n_round < round)
            continue;
        ++*ret_n_moved;
        wr_hybrid_forget_source(s, i);
        wr_hybrid_take_causes(s, i, round);
        if (round < reader->n_round) {
            n_more++;
            hold_node(s, i, reader->i_left + round);
        } else
            wr_cursor_pass(&reader->cursor, s->source[i], wr_max(s->t_s, reader->jump_s));
    }
    if (n_more > 0)
        return n_more;
    work->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        if (reader->n_round > 0)
            wr_hybrid_find_jump(s, i);
        while (reader->n_round > 0 && wr_time_is_due(s->t_s, reader->jump_s)) {
            if (wr_time_close(reader->jump_s, wr_wave_end(s->source[i])))
                reader->jump_s = (double)INFINITY; /* the wave ends with this jump */
            else {                                 /* times that cannot be told apart */
                wr_cursor_pass(&reader->cursor, s->source[i], reader->jump_s);
                wr_hybrid_find_jump(s, i);
            }
        }
        reader->n_round = 0;
        work->jump_s = wr_min(work->jump_s, reader->jump_s);
    }
    work->jump_s = wr_hybrid_end_of_instant(s, work->jump_s);
    return 0;
}

double wr_hybrid_next_input_node(const wr_subsystem *s, double t_s)
{
    double next_s = (double)INFINITY;
    for (int k = 0; k < s->n_source && !wr_hybrid_of(s)->is_frozen; k++) {
        const wr_wave *const wave = s->source[k];
        const int i = wr_wave_node_after(wave, &wr_hybrid_of(s)->reader[k].cursor, t_s);
        if (i < wave->n_node)
            next_s = wr_min(next_s, wave->t_s[i]);
    }
    return next_s;
}
