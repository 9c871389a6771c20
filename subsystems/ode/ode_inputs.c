/* Reads the inputs of a subsystem from the waves of their sources.
 *
 * The present cubics of all sources are stored together, in powers of the time since their start: the stages of a step read them
 * repeatedly, and a read is one loop over all inputs. A source's cubics are rebuilt when the time leaves their segment, and after a
 * jump.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>
#include <string.h>

#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/waves/hermite.h"

int wr_ode_is_jump(const wr_subsystem *s, int i_external, double value)
{
    return fabs(value - s->external[i_external]) > wr_ode_jump_limit(s, i_external, 1.0);
}

int wr_ode_passes_on(const wr_subsystem *s, int i_external)
{
    return wr_ode_of(s)->settings->reaches_y[i_external];
}

/* Copies the cubics of a source's piece. For a piece of zero length the value is constant: at the wave's start, a jump, the left one
 * until the jump is passed, else the right one. */
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
        to[WR_CUBIC_1] = has_length ? s0[k] : 0.0; /* constant */
        to[WR_CUBIC_2] = high[0];
        to[WR_CUBIC_3] = high[1];
    }
    wr_ode_take_offset(reader);
}

/* Replaces the cubics of a source's piece by straight lines from its right end on, because the cubic of a piece a few roundings long
 * does not extrapolate. */
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
    wr_ode_take_offset(reader);
}

/* Makes all cubics hold at t. */
static void move_to(wr_subsystem *s, double t_s)
{
    wr_ode *const work = wr_ode_of(s);
    double low_s = -(double)INFINITY, high_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        if (!(t_s > reader->low_s && t_s <= reader->high_s)) {
            /* After a jump that has not been passed, its left side is extrapolated. */
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

static inline double slope_at(const double *at, double t_s)
{
    const double tau = t_s - at[WR_CUBIC_START];
    return at[WR_CUBIC_1] + tau * (2.0 * at[WR_CUBIC_2] + tau * (3.0 * at[WR_CUBIC_3]));
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

static void read_slopes(const wr_subsystem *s, double t_s, double *restrict ret_slope)
{
    for (int i = 0; i < s->n_external; i++)
        ret_slope[i] = slope_at(wr_ode_cubic(wr_ode_of(s), i), t_s);
}

/* Inputs are often read again at the last time: by the last stage of a step, then by indicators, then by the new point. */
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
    if (with_slope)
        read_slopes(s, t_s, inputs->external_slope);
    if (ret_external == inputs->external_eval)
        inputs->eval_s = t_s;
}

void wr_ode_set_limits(const wr_subsystem *s, int i_source)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_source_reader *const reader = &work->inputs->reader[i_source];
    for (int k = 0; k < reader->n; k++) {
        const int j = reader->external[k];
        const int is_followed = work->settings->reaches_z[j] || work->settings->reaches_y[j];
        const double least =
            WR_LEAST_JUMP * (fabs(s->external[j]) + work->settings->nominal_external[j]);
        const double limit = wr_ode_jump_limit(s, j, work->window->loosened);
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
