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

#include "runtime/wave/hermite.h"
#include "subsystems/subsystem_work.h"

int wr_subsystem_is_jump(const wr_subsystem *s, int i_external, double value)
{
    return fabs(value - s->external[i_external]) > wr_subsystem_jump_limit(s, i_external, 1.0);
}

void wr_subsystem_forget_source(wr_subsystem *s, int i_source)
{
    s->work->eval_s = s->work->low_s = s->work->reader[i_source].low_s = (double)NAN;
}

/* Takes the cubics of a source over; of a stretch of no length its right end. */
static void take_piece(const wr_source_reader *reader, const wr_piece *p)
{
    const int has_length = p->t1_s > p->t0_s;
    const double per_h = has_length ? 1.0 / (p->t1_s - p->t0_s) : 0.0;
    const double *const y0 = has_length ? p->y0 : p->y1, *const s0 = has_length ? p->s0 : p->s1;
    for (int j = 0; j < reader->n; j++) {
        const int k = reader->signal[j];
        double *const to = reader->cubic[j], high[2];
        wr_hermite_powers(per_h, y0[k], p->y1[k], s0[k], p->s1[k], high);
        to[WR_CUBIC_START] = p->t0_s;
        to[WR_CUBIC_0] = y0[k];
        to[WR_CUBIC_1] = has_length ? s0[k] : 0.0; /* y1 holds */
        to[WR_CUBIC_2] = high[0];
        to[WR_CUBIC_3] = high[1];
    }
}

/* Makes all cubics hold at t. */
static void move_to(wr_subsystem *s, double t_s)
{
    wr_subsystem_work *const work = s->work;
    double low_s = -(double)INFINITY, high_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        if (!(t_s > reader->low_s && t_s <= reader->high_s)) {
            const wr_piece p = wr_wave_piece(s->source[i], &reader->cursor, t_s);
            take_piece(reader, &p);
            reader->low_s = p.low_s;
            reader->high_s = p.high_s;
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
        __builtin_assume_aligned(s->work->cubic, WR_CUBIC_LANES * sizeof *at);
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
        ret_slope[i] = slope_at(wr_subsystem_cubic(s->work, i), t_s);
}

/* Inputs are often wanted again at the time at which they were read last: stages of a step at its
 * end, then indicators there, then the new point. */
void wr_subsystem_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope)
{
    wr_subsystem_work *const work = s->work;
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
