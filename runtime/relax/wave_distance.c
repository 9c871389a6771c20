/* Differences of waveforms in tolerance units. See wave_distance.h. Thread: the subsystem's worker. Real-time: yes. */
#include "runtime/relax/wave_distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"

wr_wave_distance *wr_wave_distance_place(wr_arena *arena, int n_signal, int n_beside)
{
    wr_wave_distance *const c = WR_NEW(arena, wr_wave_distance);
    double *const result = WR_NEW_ARRAY(arena, double, 3 * n_signal + WR_COURSE_PARTS + n_beside);
    double *const scratch = WR_NEW_ARRAY(arena, double, 4 * n_signal);
    if (!c || !result || !scratch)
        return NULL;
    c->n_signal = n_signal;
    c->delta = result;
    c->moved = result + n_signal;
    c->weight = result + 2 * (size_t)n_signal;
    c->course = result + 3 * (size_t)n_signal;
    c->part_s = (double)INFINITY;
    for (int k = 0; k < WR_COURSE_PARTS; k++)
        c->course[k] = (double)INFINITY;
    c->atol = scratch;
    c->per_weight = scratch + n_signal;
    c->y_now = scratch + 2 * (size_t)n_signal;
    c->y_before = scratch + 3 * (size_t)n_signal;
    return c;
}

/* The comparison does not match jumps that are further apart than this many units of jump_time_s (assumed). */
static const double MATCH_UNITS = 1e3;

/* The comparison also uses the middle of intervals longer than this share of the compared span (assumed). */
static const double SMALL_PART = 0.125;

/* Returns 1 if nodes i and i + 1 have equal times: a jump, or a slope jump only. */
static int is_double(const wr_wave *wave, int i)
{
    return i + 1 < wave->n_node && wave->t_s[i + 1] <= wave->t_s[i];
}

/* Returns the size of the jump of a signal from node i to node i + 1. */
static double jump_of(const wr_wave *wave, int i, int i_signal)
{
    const double *const left = wave->value + (size_t)i * (size_t)wave->n_signal + i_signal;
    return left[wave->n_signal] - left[0];
}

/* Returns the left node of the first jump above the tolerance unit of a signal, at or after node i and before end_s; n_node: no such jump.
 * The comparison of values finds smaller jumps and jumps of slopes. end_s limits the search, because a prediction extends beyond the
 * window. */
static int next_jump(const wr_wave_distance *c, const wr_wave *wave, int i, double end_s)
{
    if (wave->n_jump == 0)
        return wave->n_node;
    for (; i < wave->n_node; i++)
        for (int k = 0; k < c->n_signal && wave->t_s[i] < end_s && is_double(wave, i); k++)
            if (fabs(jump_of(wave, i, k)) > c->weight[k])
                return i;
    return i;
}

/* Returns 1 if two waves end with equal rounds of jumps, to within weights. Also returns 1 if `now` ends without a jump before the end of
 * `before`. */
static int has_same_end(const wr_wave_distance *c, const wr_wave *now, const wr_wave *before)
{
    if (now->n_jump == 0 && before->n_jump == 0)
        return 1;
    const int n = wr_wave_rounds_at_end(now);
    if (wr_wave_end(before) > wr_wave_end(now) && n == 0)
        return 1; /* a prediction extends beyond the window */
    if (n != wr_wave_rounds_at_end(before))
        return 0;
    for (int r = 0; r < n; r++) {
        const double *const a = now->value + (size_t)(now->n_node - 1 - r) * (size_t)c->n_signal;
        const double *const b =
            before->value + (size_t)(before->n_node - 1 - r) * (size_t)c->n_signal;
        for (int i = 0; i < c->n_signal; i++)
            if (!(fabs(a[i] - b[i]) <= c->weight[i]))
                return 0;
    }
    return 1;
}

/* Returns 1 if the interval that ends at node i begins with a jump. Only values inside the interval are on the right of the jump. */
static int is_after_jump(const wr_wave *wave, int i)
{
    return i >= 2 && i < wave->n_node && wave->t_s[i - 1] <= wave->t_s[i - 2];
}

/* Returns the largest difference of the signals' last values, in tolerance units. Returns 0 if `before` ends after `now`, because a
 * prediction has no node at the window's end. */
static double end_change(const wr_wave_distance *c, const wr_wave *now, const wr_wave *before)
{
    const double *const a = now->value + (size_t)(now->n_node - 1) * (size_t)c->n_signal;
    const double *const b = before->value + (size_t)(before->n_node - 1) * (size_t)c->n_signal;
    double largest = 0.0;
    for (int i = 0; i < c->n_signal && wr_wave_end(before) <= wr_wave_end(now); i++)
        largest = wr_max(largest, fabs(a[i] - b[i]) * c->per_weight[i]);
    return largest;
}

static int count_jumps(const wr_wave_distance *c, const wr_wave *wave, double end_s)
{
    int n = 0;
    for (int i = next_jump(c, wave, 0, end_s); i < wave->n_node;
         i = next_jump(c, wave, i + 1, end_s))
        n++;
    return n;
}

static void add(wr_wave_distance *c, int i_signal, double units, double t_s)
{
    if (!(units <= c->delta[i_signal])) /* also true for NaN */
        c->delta[i_signal] = isfinite(units) ? units : (double)INFINITY;
    if (!(units <= c->threshold) && t_s < c->t_bad_s)
        c->t_bad_s = t_s;
}

/* One of the two waves, and the present position of the comparison in the wave. */
typedef struct side {
    const wr_wave *wave;
    wr_cursor cursor;
    wr_piece piece;     /* the present piece */
    int node;           /* the next node, or the node at the present time */
    double *room;       /* [n_signal] */
    const double *last; /* [n_signal] the last values */
} side;

/* Begins at the wave's start. values_at_start() sets `piece` and `node`. */
static void begin_side(side *s, const wr_wave *wave, double *room)
{
    s->wave = wave;
    s->cursor = wr_cursor_start();
    s->room = room;
}

/* Advances to the first node after t_s. Returns the node's time, or INFINITY. */
static double next_node(side *s, double t_s)
{
    while (s->node < s->wave->n_node && s->wave->t_s[s->node] <= t_s)
        s->node++;
    return s->node < s->wave->n_node ? s->wave->t_s[s->node] : (double)INFINITY;
}

/* Returns the values of all signals at a time, on the left of a jump; at a node the values of the node. */
static inline const double *values_at(side *s, double t_s, int is_node)
{
    s->last = s->room;
    if (is_node)
        s->last = s->wave->value + (size_t)s->node * (size_t)s->wave->n_signal;
    else {
        if (!wr_piece_holds(&s->piece, t_s))
            s->piece = wr_wave_piece(s->wave, &s->cursor, t_s);
        wr_piece_values(&s->piece, t_s, s->wave->n_signal, s->room);
    }
    return s->last;
}

/* Returns the values at the start of a span, on the right of a jump that the cursor has passed. */
static const double *values_at_start(side *s, double t_s)
{
    const double *const node_s = s->wave->t_s;
    s->node = s->cursor.i_floor;
    s->piece.low_s = s->piece.high_s = -(double)INFINITY; /* the piece contains no time */
    const int is_node = node_s[s->node] == t_s && node_s[s->node + 1] > t_s;
    return values_at(s, t_s, is_node);
}

/* Sets the course of all further parts that end at or before t_s. */
static void end_parts(wr_wave_distance *c, double t_s)
{
    double largest = 0.0;
    for (int i = 0; i < c->n_signal; i++)
        largest = wr_max(largest, c->delta[i]);
    while (c->i_part < WR_COURSE_PARTS && t_s >= c->start_s + (c->i_part + 1) * c->part_s)
        c->course[c->i_part++] = largest;
}

/* Compares all signals at one time. If a difference up to this time exceeds the threshold (t_bad_s), the function tests single signals
 * only for values that are not finite. */
static inline void compare_values(wr_wave_distance *c, const double *restrict now,
                                  const double *restrict before, double t_s)
{
    const double limit = c->t_bad_s <= t_s ? DBL_MAX : c->threshold;
    const double *restrict const per_weight = c->per_weight;
    double *restrict const delta = c->delta;
    int is_bad = 0;
    for (int i = 0; i < c->n_signal; i++) {
        const double units = fabs(now[i] - before[i]) * per_weight[i];
        delta[i] = units > delta[i] ? units : delta[i];
        is_bad |= !(units <= limit);
    }
    for (int i = 0; is_bad && i < c->n_signal; i++)
        add(c, i, fabs(now[i] - before[i]) * per_weight[i], t_s);
    if (t_s >= c->start_s + (c->i_part + 1) * c->part_s)
        end_parts(c, t_s);
}

/* Compares on [low, high] at both ends and at all nodes between, in time order. Also compares in the middle of intervals after a jump, and
 * of long intervals, because both ends of a long step may agree by chance. */
static void compare_piece(wr_wave_distance *c, side *now, side *before, double low_s, double high_s)
{
    const double small_s = SMALL_PART * (high_s - low_s);
    compare_values(c, values_at_start(now, low_s), values_at_start(before, low_s), low_s);
    while (low_s < high_s) {
        const double now_s = next_node(now, low_s), before_s = next_node(before, low_s);
        const double t_s = wr_min(high_s, wr_min(now_s, before_s));
        if (t_s - low_s > small_s || is_after_jump(now->wave, now->node) ||
            is_after_jump(before->wave, before->node)) {
            const double middle_s = low_s + 0.5 * (t_s - low_s);
            compare_values(c, values_at(now, middle_s, 0), values_at(before, middle_s, 0),
                           middle_s);
        }
        compare_values(c, values_at(now, t_s, now_s == t_s),
                       values_at(before, t_s, before_s == t_s), t_s);
        low_s = t_s;
    }
}

/* Adds the shift of a matched jump for the signals that jump in both waves. The comparison of values covers the other signals.
 * Returns 1 if a signal jumps in both waves. */
static int compare_jump(wr_wave_distance *c, const wr_wave *now, int i, const wr_wave *before,
                        int j, double shift_s)
{
    int any = 0;
    for (int k = 0; k < c->n_signal; k++)
        if (fabs(jump_of(now, i, k)) > c->weight[k] && fabs(jump_of(before, j, k)) > c->weight[k]) {
            add(c, k, shift_s / c->jump_time_s, now->t_s[i] - shift_s);
            any = 1;
        }
    return any;
}

static void begin_course(wr_wave_distance *c, const wr_wave *now)
{
    c->i_part = 0;
    c->start_s = wr_wave_start(now);
    c->part_s = (wr_wave_end(now) - c->start_s) / WR_COURSE_PARTS;
    memset(c->course, 0, WR_COURSE_PARTS * sizeof *c->course);
}

void wr_wave_distance_begin(wr_wave_distance *c, const wr_wave *now)
{
    const int n = c->n_signal;
    WR_ASSERT(n == 0 || now->n_node > 0);
    double *restrict const weight = c->weight;
    c->t_bad_s = (double)INFINITY;
    c->delta_max = 0.0;
    c->is_end_new = wr_wave_rounds_at_end(now) > 0;
    c->end_change = c->jump_shift = 0.0;
    if (c->has_course && n > 0)
        begin_course(c, now);
    const double *restrict value = now->value;
    for (int i = 0; i < n; i++)
        weight[i] = fabs(value[i]);
    for (int node = 1; node < now->n_node; node++) {
        value += n;
        for (int i = 0; i < n; i++)
            weight[i] = wr_max(weight[i], fabs(value[i]));
    }
    const double *restrict const atol = c->atol;
    double *restrict const per_weight = c->per_weight, *restrict const delta = c->delta;
    double *restrict const moved = c->moved;
    for (int i = 0; i < n; i++) {
        weight[i] = c->rtol * weight[i] + atol[i];
        per_weight[i] = 1.0 / weight[i];
        delta[i] = moved[i] = 0.0;
    }
}

/* Compares values that exist within one instant only, if jumps are not matched. */
static void compare_rounds(wr_wave_distance *c, const wr_wave *wave, const wr_wave *other,
                           double end_s, double *room)
{
    side in_other = {.node = 0};
    begin_side(&in_other, other, room);
    for (int i = next_jump(c, wave, 0, end_s); i < wave->n_node;
         i = next_jump(c, wave, i + 1, end_s))
        if (is_double(wave, i + 1)) {
            const double t_s = wave->t_s[i];
            in_other.piece.low_s = in_other.piece.high_s = -(double)INFINITY;
            compare_values(c, wave->value + (size_t)(i + 1) * (size_t)c->n_signal,
                           values_at(&in_other, t_s, 0), t_s);
        }
}

void wr_wave_distance_compare(wr_wave_distance *c, const wr_wave *now, const wr_wave *before)
{
    wr_wave_distance_begin(c, now);
    if (c->n_signal == 0)
        return;
    side in_now, in_before;
    begin_side(&in_now, now, c->y_now);
    begin_side(&in_before, before, c->y_before);
    const double end_s = wr_wave_end(now);
    double low_s = wr_wave_start(now);
    const int n_now = count_jumps(c, now, end_s), n_before = count_jumps(c, before, end_s);
    int is_matched = n_now == n_before;
    if (is_matched) {
        int i = next_jump(c, now, 0, end_s), j = next_jump(c, before, 0, end_s);
        while (i < now->n_node) {
            const double a = now->t_s[i], b = before->t_s[j];
            const double first = wr_min(a, b), second = wr_max(a, b);
            is_matched = second - first <= MATCH_UNITS * c->jump_time_s &&
                         compare_jump(c, now, i, before, j, second - first);
            if (!is_matched)
                break; /* the jumps differ, so the function compares values at equal times */
            c->jump_shift = wr_max(c->jump_shift, (second - first) / c->jump_time_s);
            if (first > low_s)
                compare_piece(c, &in_now, &in_before, low_s, first);
            /* a round between two other rounds */
            if (is_double(now, i + 1) && is_double(before, j + 1))
                compare_values(c, now->value + (size_t)(i + 1) * (size_t)c->n_signal,
                               before->value + (size_t)(j + 1) * (size_t)c->n_signal, first);
            wr_cursor_pass(&in_now.cursor, now, a);
            wr_cursor_pass(&in_before.cursor, before, b);
            low_s = second;
            i = next_jump(c, now, i + 1, end_s);
            j = next_jump(c, before, j + 1, end_s);
        }
    }
    compare_piece(c, &in_now, &in_before, low_s, wr_max(low_s, end_s));
    c->is_end_new = !has_same_end(c, now, before);
    c->end_change = end_change(c, now, before);
    for (int i = 0; i < c->n_signal; i++)
        c->moved[i] = in_now.last[i] - in_before.last[i];
    if (!is_matched)
        c->jump_shift = (double)INFINITY;
    if (!is_matched && n_now + n_before > 1) {
        compare_rounds(c, now, before, end_s, c->y_before);
        compare_rounds(c, before, now, end_s, c->y_before);
    }
    for (int i = 0; i < c->n_signal; i++) {
        c->delta_max = wr_max(c->delta_max, c->delta[i]);
        c->moved[i] = copysign(c->delta[i] * c->weight[i], c->moved[i]);
    }
    for (int k = is_matched ? c->i_part : 0; k < WR_COURSE_PARTS && c->has_course; k++)
        c->course[k] = c->delta_max;
}

double wr_wave_distance_state(int n, const double *a, const double *b, double rtol,
                              const double *atol)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double weight = rtol * wr_max(fabs(a[i]), fabs(b[i])) + atol[i];
        const double units = fabs(a[i] - b[i]) / weight;
        if (!(units <= largest))
            largest = isfinite(units) ? units : (double)INFINITY;
    }
    return largest;
}

void wr_wave_distance_state_io(wr_wave_distance *c, wr_state_io *io)
{
    WR_STATE(io, c->jump_time_s);
    WR_STATE(io, c->delta_max);
    WR_STATE(io, c->t_bad_s);
    WR_STATE(io, c->is_end_new);
    WR_STATE(io, c->end_change);
    WR_STATE_ARRAY(io, c->delta, c->n_signal);
    WR_STATE_ARRAY(io, c->moved, c->n_signal);
    WR_STATE_ARRAY(io, c->weight, c->n_signal);
    WR_STATE_ARRAY(io, c->per_weight, c->n_signal);
}
