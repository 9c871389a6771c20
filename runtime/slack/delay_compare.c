/* Comparison of two courses. See delay_compare.h. Thread: as in delay_compare.h. Real-time: yes after placing. */
#include "runtime/slack/delay_compare.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Shares of the range (assumed). A change of the shadow between two points by more than JUMP is a jump. A change of the course by more than
 * SAME_JUMP is also a jump. */
static const double JUMP = 0.2, SAME_JUMP = 0.1;
/* If the range is at most this share (assumed) of the variable's size, the range may be rounding, so the size replaces the range. */
static const double NOISE = 1e-12;

int wr_delay_compare_place(wr_delay_compare *c, wr_arena *arena, int n)
{
    *c = (wr_delay_compare){.n = n};
    if (WR_NEW_DOUBLES(arena, n, &c->least, &c->low, &c->high, &c->most, &c->last, &c->held,
                       &c->held_jump) != 0 ||
        WR_NEW_DOUBLES(arena, WR_COMPARE_POINTS * n, &c->course, &c->shadow) != 0)
        return -1;
    for (int i = 0; i < n; i++) {
        c->low[i] = (double)INFINITY;
        c->high[i] = -(double)INFINITY;
    }
    return 0;
}

static double *point_of(const wr_delay_compare *c, double *ring, int i_point)
{
    return ring + (size_t)(i_point % WR_COMPARE_POINTS) * (size_t)c->n;
}

double *wr_delay_compare_course(wr_delay_compare *c) { return point_of(c, c->course, c->n_point); }

double *wr_delay_compare_shadow(wr_delay_compare *c) { return point_of(c, c->shadow, c->n_point); }

void wr_delay_compare_restart(wr_delay_compare *c) { c->n_point = 0; }

void wr_delay_compare_note(wr_delay_compare *c, int i, double value)
{
    c->low[i] = wr_min(c->low[i], value);
    c->high[i] = wr_max(c->high[i], value);
}

void wr_delay_compare_error(wr_delay_compare *c, int i, double error)
{
    c->most[i] = wr_max(c->most[i], error);
    c->last[i] = wr_max(c->last[i], error);
}

double wr_delay_compare_range(const wr_delay_compare *c, int i)
{
    const double range = c->high[i] - c->low[i];
    const double size = wr_max(fabs(c->low[i]), fabs(c->high[i]));
    return !(range >= 0.0) ? 0.0 : wr_max(range > NOISE * size ? range : size, c->least[i]);
}

/* Returns the absolute change of variable i from point a to a + 1. */
static double change(const wr_delay_compare *c, double *ring, int i, int a)
{
    return fabs(point_of(c, ring, a + 1)[i] - point_of(c, ring, a)[i]);
}

/* Returns the jump of the shadow beside point `at`, or 0 if the shadow has no jump beside `at`. Returns 0 also if the course does not jump
 * between the points first and last. */
static double late_jump(const wr_delay_compare *c, int i, int at, int first, int last)
{
    const double range = wr_delay_compare_range(c, i);
    double jump = 0.0, same = 0.0;
    for (int a = first; a < last; a++) {
        same = wr_max(same, change(c, c->course, i, a));
        if ((a == at - 1 || a == at) && c->has_instant[(a + 1) % WR_COMPARE_POINTS])
            jump = wr_max(jump, change(c, c->shadow, i, a));
    }
    return jump > JUMP * range && same > SAME_JUMP * range ? jump : 0.0;
}

/* Returns 1 if the range has grown so much that the change beside the omitted error held[i] is no jump. */
static int is_held_no_jump(const wr_delay_compare *c, int i)
{
    return c->held[i] > 0.0 && c->held_jump[i] <= JUMP * wr_delay_compare_range(c, i);
}

void wr_delay_compare_add(wr_delay_compare *c, int has_instant)
{
    const double *const shadow = wr_delay_compare_shadow(c);
    c->has_instant[c->n_point % WR_COMPARE_POINTS] = (unsigned char)has_instant;
    for (int i = 0; i < c->n; i++)
        wr_delay_compare_note(c, i, shadow[i]);
    const int last = c->n_point++, at = last - WR_COMPARE_REACH;
    if (at < 0)
        return;
    const int first = at < WR_COMPARE_REACH ? 0 : at - WR_COMPARE_REACH;
    const double *const was = point_of(c, c->course, at), *const right = point_of(c, c->shadow, at);
    for (int i = 0; i < c->n; i++) {
        const double error = fabs(was[i] - right[i]);
        c->last[i] = 0.0;
        if (!(error > 0.0))
            continue;
        const double jump = late_jump(c, i, at, first, last);
        if (!(jump > 0.0)) {
            wr_delay_compare_error(c, i, error);
            continue;
        }
        if (is_held_no_jump(c, i)) {
            c->most[i] = wr_max(c->most[i], c->held[i]);
            c->held[i] = 0.0;
        }
        if (error > c->held[i]) {
            c->held[i] = error;
            c->held_jump[i] = jump;
        }
    }
    /* n_point - WR_COMPARE_POINTS has the same place in the cyclic buffers. */
    if (c->n_point == 2 * WR_COMPARE_POINTS)
        c->n_point = WR_COMPARE_POINTS;
}

double wr_delay_compare_largest(const wr_delay_compare *c, int i)
{
    return is_held_no_jump(c, i) ? wr_max(c->most[i], c->held[i]) : c->most[i];
}

double wr_delay_compare_most(const wr_delay_compare *c)
{
    double largest = 0.0;
    for (int i = 0; i < c->n; i++) {
        const double range = wr_delay_compare_range(c, i);
        if (range > 0.0)
            largest = wr_max(largest, wr_min(wr_delay_compare_largest(c, i) / range, 1.0));
    }
    return largest;
}

void wr_delay_compare_state(wr_delay_compare *c, wr_state_io *io)
{
    double *const values[] = {c->low, c->high, c->most, c->last, c->held, c->held_jump};
    const size_t n = (size_t)c->n;
    const int n_point = (int)wr_state_count(io, c->n_point, 2 * WR_COMPARE_POINTS - 1);
    if (wr_state_reads(io))
        c->n_point = n_point;
    for (size_t i = 0; i < WR_COUNT_OF(values); i++)
        WR_STATE_ARRAY(io, values[i], n);
    WR_STATE(io, c->has_instant);
    WR_STATE_ARRAY(io, c->course, WR_COMPARE_POINTS * n);
    WR_STATE_ARRAY(io, c->shadow, WR_COMPARE_POINTS * n);
}
