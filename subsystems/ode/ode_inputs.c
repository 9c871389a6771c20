/* Reads the inputs of a subsystem from the waves of their sources.
 *
 * One array stores the present cubics of all sources, in powers of the time since their start. The stages of a step read the cubics
 * repeatedly, each time in one loop over all inputs. move_to() rebuilds a source's cubics when the time leaves the segment of the cubics,
 * and after a jump.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include <math.h>
#include <string.h>

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/waves/hermite.h"

int wr_ode_is_jump(const wr_subsystem *s, int i_external, double value)
{
    return fabs(value - s->external[i_external]) > wr_ode_jump_limit(s, i_external, 1.0);
}

static double *cubic_of(const wr_subsystem *s, int i_external)
{
    return wr_ode_of(s)->inputs->cubic + i_external / WR_CUBIC_LANES * WR_CUBIC_SIZE +
           i_external % WR_CUBIC_LANES;
}

/* Sorts the external inputs by source, so that one search in a wave serves all its inputs. */
int wr_ode_inputs_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config,
                        const wr_plan *plan)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    const int n_block = (config->n_external + WR_CUBIC_LANES - 1) / WR_CUBIC_LANES;
    s->source = WR_NEW_ARRAY(arena, const wr_wave *, config->n_source);
    inputs->reader = WR_NEW_ARRAY(arena, wr_source_reader, config->n_source);
    inputs->cubic = WR_NEW_ARRAY(arena, double, n_block *WR_CUBIC_SIZE);
    inputs->external_eval = WR_NEW_ARRAY(arena, double, s->n_external);
    inputs->reaches_y = WR_NEW_ARRAY(arena, unsigned char, s->n_external);
    inputs->reaches_z = WR_NEW_ARRAY(arena, unsigned char, s->n_external);
    if (!s->source || !inputs->reader || !inputs->cubic || !inputs->external_eval ||
        !inputs->reaches_y || !inputs->reaches_z)
        return -1;
    for (int i = 0; i < config->n_source; i++) {
        wr_source_reader *const reader = &inputs->reader[i];
        int n = 0;
        for (int k = 0; k < config->n_external; k++)
            n += config->source[k] == i;
        int *const signal = WR_NEW_ARRAY(arena, int, n);
        reader->cubic = WR_NEW_ARRAY(arena, double *, n);
        wr_arena_cold(arena, 1); /* evaluations of the right-hand side do not read these arrays */
        int *const external = WR_NEW_ARRAY(arena, int, n);
        reader->limit = WR_NEW_ARRAY(arena, double, n);
        wr_arena_cold(arena, 0);
        if (!external || !signal || !reader->cubic || !reader->limit)
            return -1;
        for (int k = 0; k < config->n_external; k++)
            if (config->source[k] == i) {
                external[reader->n] = k;
                reader->cubic[reader->n] = cubic_of(s, k);
                signal[reader->n++] = config->source_signal[k];
            }
        reader->external = external;
        reader->signal = signal;
    }
    wr_group_plan_reads(wr_ode_of(s)->group, NULL, inputs->reaches_z);
    inputs->needs_slopes = plan != NULL;
    if (plan)
        wr_group_plan_reads(wr_ode_of(s)->group, plan, inputs->reaches_y);
    return 0;
}

void wr_ode_inputs_state(wr_subsystem *s, wr_state_io *io)
{
    WR_STATE(io, wr_ode_of(s)->inputs->is_frozen);
    WR_STATE(io, wr_ode_of(s)->inputs->n_jump);
}

void wr_ode_forget_inputs(wr_subsystem *s)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    inputs->eval_s = (double)NAN;
    inputs->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_ode_forget_source(s, i);
        inputs->reader[i].jump_s = (double)INFINITY;
        inputs->reader[i].n_round = 0;
    }
}

void wr_ode_freeze_inputs(wr_subsystem *s)
{
    wr_ode_of(s)->inputs->is_frozen = 1;
    wr_ode_of(s)->inputs->jump_s = (double)INFINITY;
}

int wr_ode_open_inputs(wr_subsystem *s)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    inputs->is_frozen = 0;
    inputs->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &inputs->reader[i];
        reader->cursor = wr_cursor_start();
        reader->jump_s = (double)INFINITY;
        wr_ode_forget_source(s, i);
        if (s->source[i]->n_jump == 0)
            continue;
        wr_ode_set_limits(s, i);
        wr_ode_find_jump(s, i);
        inputs->jump_s = wr_min(inputs->jump_s, reader->jump_s);
    }
    inputs->jump_s = wr_ode_end_of_instant(s, inputs->jump_s);
    const size_t bytes = (size_t)s->n_external * sizeof *s->external;
    memcpy(inputs->external_eval, s->external, bytes);
    wr_ode_read_inputs(s, s->t_s, s->external, inputs->needs_slopes);
    return memcmp(inputs->external_eval, s->external, bytes) == 0;
}

/* Copies the cubics of a source's piece. A piece of zero length has a constant value. The value is the left value for a waiting jump at the
 * wave's start, else the right value. */
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
        to[WR_CUBIC_1] = has_length ? s0[k] : 0.0; /* zero length: constant value */
        to[WR_CUBIC_2] = high[0];
        to[WR_CUBIC_3] = high[1];
    }
    wr_ode_take_offset(reader);
}

/* Replaces the cubics of a source's piece by straight lines from the right end of the piece on. The cubic over a very short piece consists
 * of rounding errors, and does not extrapolate. */
static void take_lines(const wr_source_reader *reader, const wr_piece *p)
{
    for (int j = 0; j < reader->n; j++) {
        const int k = reader->signal[j];
        double *const to = reader->cubic[j];
        to[WR_CUBIC_START] = p->t1_s;
        to[WR_CUBIC_0] = p->y1[k];
        to[WR_CUBIC_1] = p->t1_s > p->t0_s ? p->s1[k] : 0.0; /* zero length: constant y1 */
        to[WR_CUBIC_2] = to[WR_CUBIC_3] = 0.0;
    }
    wr_ode_take_offset(reader);
}

/* Makes all cubics valid at t_s. */
static void move_to(wr_subsystem *s, double t_s)
{
    wr_ode *const work = wr_ode_of(s);
    double low_s = -(double)INFINITY, high_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        if (!(t_s > reader->low_s && t_s <= reader->high_s)) {
            /* For a waiting jump the reader extrapolates the left side. */
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
    work->inputs->low_s = low_s;
    work->inputs->high_s = high_s;
}

static inline double value_at(const double *at, double t_s)
{
    const double tau = t_s - at[WR_CUBIC_START];
    return at[WR_CUBIC_0] + tau * (at[WR_CUBIC_1] + tau * (at[WR_CUBIC_2] + tau * at[WR_CUBIC_3]));
}

static void read_values(const wr_subsystem *s, double t_s, double *restrict ret_value)
{
    const double *restrict at =
        __builtin_assume_aligned(wr_ode_of(s)->inputs->cubic, WR_CUBIC_LANES * sizeof *at);
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

/* Reads the external inputs at t_s, and with_slope their slopes. Without slopes, reuses the values of the last read at the same time.
 * Before the first window (is_frozen), copies s->external. */
void wr_ode_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    const int is_read = !with_slope && t_s <= inputs->eval_s && t_s >= inputs->eval_s;
    if (inputs->is_frozen || is_read) {
        const double *const from = inputs->is_frozen ? s->external : inputs->external_eval;
        if (ret_external != from && s->n_external > 0)
            memcpy(ret_external, from, (size_t)s->n_external * sizeof *from);
        return;
    }
    if (!(t_s > inputs->low_s && t_s <= inputs->high_s))
        move_to(s, t_s);
    read_values(s, t_s, ret_external);
    if (with_slope) {
        for (int i = 0; i < s->n_external; i++) {
            const double *at = cubic_of(s, i);
            const double tau = t_s - at[WR_CUBIC_START];
            inputs->external_slope[i] =
                at[WR_CUBIC_1] + tau * (2.0 * at[WR_CUBIC_2] + tau * (3.0 * at[WR_CUBIC_3]));
        }
    }
    if (ret_external == inputs->external_eval)
        inputs->eval_s = t_s;
}

void wr_ode_set_limits(const wr_subsystem *s, int i_source)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_source_reader *const reader = &work->inputs->reader[i_source];
    for (int k = 0; k < reader->n; k++) {
        const int j = reader->external[k];
        const int is_followed = work->inputs->reaches_z[j] || work->inputs->reaches_y[j];
        const double least = WR_LEAST_JUMP * (fabs(s->external[j]) + wr_ode_nominal_u(s)[j]);
        const double limit = wr_ode_jump_limit(s, j, wr_ode_loosened(s));
        reader->limit[k] = is_followed ? wr_min(least, limit) : limit;
    }
}

void wr_ode_find_jump(wr_subsystem *s, int i_source)
{
    wr_source_reader *const reader = &wr_ode_of(s)->inputs->reader[i_source];
    reader->jump_s = wr_wave_next_jump(s->source[i_source], &reader->cursor, s->t_s, reader->n,
                                       reader->signal, reader->limit);
}

double wr_ode_next_input_node(const wr_subsystem *s, double t_s)
{
    double next_s = (double)INFINITY;
    for (int k = 0; k < s->n_source && !wr_ode_of(s)->inputs->is_frozen; k++) {
        const wr_wave *const wave = s->source[k];
        const int i = wr_wave_node_after(wave, &wr_ode_of(s)->inputs->reader[k].cursor, t_s);
        if (i < wave->n_node)
            next_s = wr_min(next_s, wave->t_s[i]);
    }
    return next_s;
}

void wr_ode_keep_last_end(wr_subsystem *s)
{
    wr_ode_copy(wr_scratch(s, WR_EXTERNAL_LEFT), wr_ode_of(s)->inputs->external_eval,
                s->n_external);
    if (wr_ode_of(s)->group->mass)
        wr_ode_copy(wr_scratch(s, WR_X_LEFT), s->x, s->n_x);
}

int wr_ode_has_jumped(const wr_subsystem *s)
{
    const double *const before = wr_ode_of(s)->inputs->external_eval;
    for (int i = 0; i < s->n_external; i++)
        if (fabs(s->external[i] - before[i]) > wr_ode_jump_limit(s, i, 1.0))
            return 1;
    return 0;
}

/* Returns the time of the next jump of a source after t_s at which a step ends; INFINITY: none. */
static double jump_after(const wr_subsystem *s, int i_source, double t_s)
{
    const wr_source_reader *const reader = &wr_ode_of(s)->inputs->reader[i_source];
    return wr_wave_next_jump(s->source[i_source], &reader->cursor, nextafter(t_s, (double)INFINITY),
                             reader->n, reader->signal, reader->limit);
}

double wr_ode_second_jump(const wr_subsystem *s)
{
    double second_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++)
        second_s = wr_min(second_s, jump_after(s, i, wr_ode_next_jump(s)));
    return second_s;
}

double wr_ode_end_of_instant(const wr_subsystem *s, double jump_s)
{
    if (wr_ode_is_in_ring(s) || !(jump_s < wr_ode_window_end(s)))
        return jump_s;
    const double span_s =
        wr_max(wr_ode_event_tolerance(s), wr_ode_coupling_rtol(s) * wr_ode_window_length(s));
    double end_s = jump_s, next_s = wr_ode_window_end(s);
    for (int i = 0; i < s->n_source; i++) {
        const double here_s = wr_ode_of(s)->inputs->reader[i].jump_s;
        if (!(here_s <= jump_s + span_s))
            continue;
        if (!(s->source[i]->causes &&
              wr_causes_is_located(s->source[i]->causes, s->source[i]->t_s, here_s)))
            return jump_s;
        end_s = wr_max(end_s, here_s);
        next_s = wr_min(next_s, jump_after(s, i, here_s));
    }
    return end_s < next_s ? end_s : jump_s;
}

int wr_ode_is_jump_located(const wr_subsystem *s)
{
    int any = 0;
    for (int i = 0; i < s->n_source && !any; i++) {
        const double jump_s = wr_ode_of(s)->inputs->reader[i].jump_s;
        any = wr_time_is_due(s->t_s, jump_s) &&
              wr_causes_is_located(s->source[i]->causes, s->source[i]->t_s, jump_s);
    }
    return any;
}

void wr_ode_hold_jumping(const wr_subsystem *s, double *external)
{
    for (int i = 0; i < s->n_source; i++) {
        const wr_source_reader *const reader = &wr_ode_of(s)->inputs->reader[i];
        for (int k = 0; k < reader->n && wr_time_is_due(s->t_s, reader->jump_s); k++)
            external[reader->external[k]] = s->external[reader->external[k]];
    }
}

double wr_ode_located_cause(const wr_subsystem *s)
{
    double found_s = -(double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        const double jump_s = wr_ode_of(s)->inputs->reader[i].jump_s;
        if (wr_time_is_due(wr_ode_next_jump(s), jump_s))
            found_s =
                wr_max(found_s, wr_causes_found(s->source[i]->causes, s->source[i]->t_s, jump_s));
    }
    return found_s;
}

int wr_ode_is_followed(const wr_subsystem *s, int i_source)
{
    const wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    const wr_source_reader *const reader = &inputs->reader[i_source];
    for (int k = 0; k < reader->n; k++)
        if (inputs->reaches_z[reader->external[k]] || inputs->reaches_y[reader->external[k]])
            return 1;
    return 0;
}

int wr_ode_is_jump_direct(const wr_subsystem *s, int i_source, const wr_wave *wave, int i_node)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_source_reader *const reader = &work->inputs->reader[i_source];
    int any = 0;
    for (int k = 0; k < reader->n && !any; k++)
        any = work->group->is_direct[reader->external[k]] &&
              wr_wave_is_jump(wave, i_node, 1, &reader->signal[k], &reader->limit[k]);
    return any;
}

int wr_ode_is_jump_node(const wr_subsystem *s, int i_source, const wr_wave *wave, int i_node)
{
    const wr_source_reader *const reader = &wr_ode_of(s)->inputs->reader[i_source];
    return wr_wave_is_jump(wave, i_node, reader->n, reader->signal, reader->limit);
}
