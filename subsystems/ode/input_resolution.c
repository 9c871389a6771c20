/* Tests that a step resolves the course of its inputs.
 *
 * The stages of a step read the inputs only at a few times, so the error estimate misses a pulse between two stages. A method of order 3
 * to 5 resolves an input that is near the cubic through values and slopes at the step's ends. If the wave deviates from this cubic by
 * more than INPUT_LIMIT tolerances at a node inside the step, the step may miss a change. The effect of the deviation on the
 * right-hand side decides: with a closed valve the effect is zero.
 *
 * Thread: one at a time. Real-time: yes after placing, with rt-safe models.
 */
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/waves/hermite.h"

/* INPUT_LIMIT: deviation of an input, in its coupling tolerance, above which the subsystem estimates the effect. EFFECT_LIMIT:
 * effect on a state, in its solver tolerance, above which the subsystem shortens the step (both assumed). */
static const double INPUT_LIMIT = 0.3, EFFECT_LIMIT = 0.5;
/* Largest deviation between two nodes by a difference of slopes at one node, over slope difference times distance: max s (1 - s)^2. */
static const double ODD_ERROR = 4.0 / 27.0;
/* Length of a shortened step, as a share of the step (assumed), if the missed change begins before this share. The step is still shorter if
 * all stored nodes with a missed change lie before this share. */
static const double CUT_SHARE = 0.2;
/* Largest growth from step to step after a shortened step (assumed). */
static const double GROWTH = 3.0;
/* Range of the test before a step that the integrator cannot repeat, in lengths of a step (assumed). */
static const double AHEAD_STEPS = 4.0;
enum { MISSED_NODES = 4 };

/* The deviations at the nodes inside a step. */
typedef struct wr_missed {
    double worst, worst_s; /* the largest deviation, in units of the limit, and its time */
    int reaches_z;         /* an input of indicators deviates by more than the limit */
    int n_node;            /* number of nodes with a deviation above the limit */
    double node_s
        [MISSED_NODES]; /* times of the first nodes with a deviation above the limit, ascending */
} wr_missed;

int wr_ode_resolution_place(wr_subsystem *s, wr_arena *arena)
{
    wr_ode_resolution *const r = wr_ode_of(s)->resolution;
    r->unseen_step = WR_NEW_ARRAY(arena, double, s->n_x);
    r->deviation = WR_NEW_ARRAY(arena, double, s->n_external);
    wr_arena_cold(arena, 1);
    r->resolve = WR_NEW_ARRAY(arena, double, 5 * s->n_external);
    wr_arena_cold(arena, 0);
    return r->unseen_step && r->deviation && r->resolve ? 0 : -1;
}

static void note_node(wr_missed *missed, double t_s)
{
    int i = missed->n_node < MISSED_NODES ? missed->n_node : MISSED_NODES;
    missed->n_node++;
    if (i == MISSED_NODES) {
        if (t_s >= missed->node_s[MISSED_NODES - 1])
            return;
        i--;
    }
    for (; i > 0 && missed->node_s[i - 1] > t_s; i--)
        missed->node_s[i] = missed->node_s[i - 1];
    missed->node_s[i] = t_s;
}

/* Evaluates values and slopes of the reader's signals at t_s, between nodes i and i + 1 of the wave, into ret_value[n] and ret_slope[n]. */
static void read_between(const wr_wave *wave, int i, double t_s, const wr_source_reader *reader,
                         double *ret_value, double *ret_slope)
{
    const wr_hermite w = wr_hermite_at(wave->t_s[i], wave->t_s[i + 1], t_s);
    const double *const y0 = wave->value + (size_t)i * (size_t)wave->n_signal;
    const double *const s0 = wave->slope + (size_t)i * (size_t)wave->n_signal;
    const double *const y1 = y0 + wave->n_signal, *const s1 = s0 + wave->n_signal;
    for (int j = 0; j < reader->n; j++) {
        const int k = reader->signal[j];
        ret_value[j] = wr_hermite_value(&w, y0[k], y1[k], s0[k], s1[k]);
        ret_slope[j] = wr_hermite_slope(&w, y0[k], y1[k], s0[k], s1[k]);
    }
}

/* Finds the first node after t_s and the last node before end_s. Returns 0 if no node lies between, or if the wave has no
 * node up to t_s or none from end_s on. */
static int nodes_between(const wr_wave *wave, const wr_cursor *cursor, double t_s, double end_s,
                         int *ret_first, int *ret_last)
{
    const int n = wave->n_node;
    int i = wr_wave_node_after(wave, cursor, t_s);
    *ret_first = i;
    while (i < n && wave->t_s[i] < end_s && !wr_time_close(wave->t_s[i], end_s))
        i++;
    *ret_last = i - 1;
    return *ret_last >= *ret_first && *ret_first > 0 && i < n;
}

/* Compares one source's signals with their cubics from t_s to end_s. Writes the largest deviation of each signal, with its sign, to
 * work->resolution->deviation. */
static void look_at_source(wr_subsystem *s, int i_source, double t_s, double end_s,
                           wr_missed *missed)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_source_reader *const reader = &work->inputs->reader[i_source];
    const wr_wave *const wave = s->source[i_source];
    int first, last;
    if (reader->offset || !nodes_between(wave, &reader->cursor, t_s, end_s, &first, &last))
        return;
    const int n = s->n_external;
    double *const y0 = work->resolution->resolve, *const s0 = y0 + n, *const y1 = s0 + n,
                  *const s1 = y1 + n;
    double *const per_limit = s1 + n;
    const unsigned char *const reaches_z = work->inputs->reaches_z;
    read_between(wave, first - 1, t_s, reader, y0, s0);
    read_between(wave, last, end_s, reader, y1, s1);
    for (int j = 0; j < reader->n; j++) {
        const double size = wr_max(fabs(y0[j]), fabs(y1[j]));
        per_limit[j] = 1.0 / (INPUT_LIMIT * wr_ode_input_tolerance(s, reader->external[j], size));
    }
    double seen[2] = {0.0, 0.0};
    for (int i = first; i <= last; i++) {
        const wr_hermite w = wr_hermite_at(t_s, end_s, wave->t_s[i]);
        const double *const value = wave->value + (size_t)i * (size_t)wave->n_signal;
        const double *const slope = wave->slope + (size_t)i * (size_t)wave->n_signal;
        const double reach_s = ODD_ERROR * (wave->t_s[i + 1] - wave->t_s[i]);
        double worst = 0.0;
        for (int j = 0; j < reader->n; j++) {
            const int k = reader->signal[j];
            const double off = value[k] - wr_hermite_value(&w, y0[j], y1[j], s0[j], s1[j]);
            const double turned = slope[k] - wr_hermite_slope(&w, y0[j], y1[j], s0[j], s1[j]);
            const double both = fabs(off) + reach_s * fabs(turned);
            double *const deviation = &work->resolution->deviation[reader->external[j]];
            if (both > fabs(*deviation))
                *deviation = copysign(both, off);
            worst = wr_max(worst, both * per_limit[j]);
            missed->reaches_z |= both * per_limit[j] > 1.0 && reaches_z[reader->external[j]];
        }
        if (worst > 1.0)
            note_node(missed, wave->t_s[i]);
        if (worst > seen[0]) {
            seen[0] = worst;
            seen[1] = wave->t_s[i];
        }
    }
    if (seen[0] > missed->worst) {
        missed->worst = seen[0];
        missed->worst_s = seen[1];
    }
}

/* Two signals in one SIMD register, and their values and slopes at the ends of an interval. */
typedef double pair __attribute__((vector_size(16)));
typedef struct pair_ends {
    pair y0, s0, y1, s1;
} pair_ends;

static inline pair pair_value(const wr_hermite *w, const pair_ends *at)
{
    return at->y0 + w->v1 * (at->y1 - at->y0) + (w->s0 * at->s0 + w->s1 * at->s1);
}

static inline pair pair_slope(const wr_hermite *w, const pair_ends *at)
{
    return w->dv1 * (at->y1 - at->y0) + (w->ds0 * at->s0 + w->ds1 * at->s1);
}

/* Compilers do not generate the SSE2 instructions of these functions from plain code. */
#ifdef __SSE2__
static inline pair pair_max(pair a, pair b) { return _mm_max_pd(a, b); }
static inline pair pair_abs(pair a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
static inline int pair_exceeds(pair a, pair b) { return _mm_movemask_pd(_mm_cmpnle_pd(a, b)); }
#else
static inline pair pair_max(pair a, pair b)
{
    return (pair){wr_max(a[0], b[0]), wr_max(a[1], b[1])};
}
static inline pair pair_abs(pair a) { return (pair){fabs(a[0]), fabs(a[1])}; }
static inline int pair_exceeds(pair a, pair b) { return !(a[0] <= b[0]) || !(a[1] <= b[1]); }
#endif

/* Returns the ends of the signals i and k of a wave between node n and the next node. */
static inline pair_ends ends_between(const wr_wave *wave, int n, int i, int k)
{
    const size_t at = (size_t)n * (size_t)wave->n_signal;
    const double *const y0 = wave->value + at, *const s0 = wave->slope + at;
    const double *const y1 = y0 + wave->n_signal, *const s1 = s0 + wave->n_signal;
    return (pair_ends){{y0[i], y0[k]}, {s0[i], s0[k]}, {y1[i], y1[k]}, {s1[i], s1[k]}};
}

/* Largest number of a source's nodes in a step that the test compares (assumed). With more nodes the source counts as deviating. wr_times
 * contains the weights of Hermite interpolation at these nodes and at the step's ends. */
enum { MANY_NODES = 8 };
typedef struct wr_times {
    int first, last; /* first and last node inside the step */
    wr_hermite start, end, at[MANY_NODES];
    double reach_s[MANY_NODES];
} wr_times;

/* Returns whether signal j or k of a source deviates from its cubic by more than the limit at a node. The test is the test of
 * look_at_source(). */
static inline int is_pair_off(const wr_subsystem *s, const wr_source_reader *reader,
                              const wr_wave *wave, const wr_times *times, int j, int k)
{
    const int a = reader->signal[j], b = reader->signal[k];
    const pair_ends left = ends_between(wave, times->first - 1, a, b);
    const pair_ends right = ends_between(wave, times->last, a, b);
    const pair_ends step = {pair_value(&times->start, &left), pair_slope(&times->start, &left),
                            pair_value(&times->end, &right), pair_slope(&times->end, &right)};
    const pair nominal = {wr_ode_nominal_u(s)[reader->external[j]],
                          wr_ode_nominal_u(s)[reader->external[k]]};
    const pair limit =
        (INPUT_LIMIT * wr_ode_coupling_rtol(s)) *
        (pair_max(pair_abs(step.y0), pair_abs(step.y1)) + wr_ode_atol_factor(s) * nominal);
    pair worst = {0.0, 0.0};
    for (int i = times->first; i <= times->last; i++) {
        const wr_hermite *const w = &times->at[i - times->first];
        const pair_ends here = ends_between(wave, i, a, b);
        const pair off = pair_abs(here.y0 - pair_value(w, &step));
        const pair turned = pair_abs(here.s0 - pair_slope(w, &step));
        worst = pair_max(worst, off + times->reach_s[i - times->first] * turned);
    }
    return pair_exceeds(worst, limit);
}

/* A step over a single node of a wave. The wave's second and third derivatives jump by 2 J and 6 K at the node. Two weights give the
 * deviation of the wave's value from the step's cubic, and two weights give the deviation of the slope. */
typedef struct wr_over {
    int node;
    double before_s,
        after_s; /* time from the step's start to the node, and from the node to the step's end */
    double per_left_s,
        per_right_s; /* 1 over the lengths of the segments before and after the node */
    double off_j, off_k, odd_j,
        odd_k; /* off: weights of J and K in the value's deviation; odd: in the slope's deviation, times ODD_ERROR and length */
} wr_over;

/* Returns the weights for a step over a node. u: node's position as a share of the step of length h; v = 1 - u. After the node, the wave is
 * the cubic before the node plus J (t - t_n)^2 + K (t - t_n)^3. At the node the value of the step's cubic deviates by
 * h^2 u^2 v^2 (J (v - u) - 2 h K u v). The slope deviates by h u v (2 J (1 - 3 u v) + 6 h K u v (u - 1/2)). */
static wr_over step_over(const wr_wave *wave, int node, double t_s, double end_s)
{
    const double *const node_s = wave->t_s + node;
    const double h = end_s - t_s, u = (node_s[0] - t_s) / h, v = (end_s - node_s[0]) / h;
    const double right_s = node_s[1] - node_s[0], both = h * u * v;
    const double reach = ODD_ERROR * right_s * both;
    return (wr_over){.node = node,
                     .before_s = node_s[0] - t_s,
                     .after_s = end_s - node_s[0],
                     .per_left_s = 1.0 / (node_s[0] - node_s[-1]),
                     .per_right_s = 1.0 / right_s,
                     .off_j = both * both * (v - u),
                     .off_k = -2.0 * both * both * both,
                     .odd_j = 2.0 * reach * (1.0 - 3.0 * u * v),
                     .odd_k = 6.0 * reach * both * (u - 0.5)};
}

/* Returns the result of is_pair_off() for a step over a single node, without a cubic of the step. */
static inline int is_pair_off_at(const wr_subsystem *s, const wr_source_reader *reader,
                                 const wr_wave *wave, const wr_over *over, int j, int k)
{
    const int a = reader->signal[j], b = reader->signal[k];
    const pair_ends left = ends_between(wave, over->node - 1, a, b);
    const pair_ends right = ends_between(wave, over->node, a, b);
    const pair rise = over->per_left_s * (left.y1 - left.y0);
    const pair next_rise = over->per_right_s * (right.y1 - right.y0);
    const pair twist = left.s0 + left.s1 - (rise + rise);
    const pair next_twist = right.s0 + right.s1 - (next_rise + next_rise);
    /* Coefficients of powers of the time since the node, left and right of the node. */
    const pair j_left = over->per_left_s * (twist + left.s1 - rise);
    const pair k_left = (over->per_left_s * over->per_left_s) * twist;
    const pair j_right = over->per_right_s * (next_rise - right.s0 - next_twist);
    const pair k_right = (over->per_right_s * over->per_right_s) * next_twist;
    const pair bend = j_right - j_left, jerk = k_right - k_left;
    const pair worst = pair_abs(over->off_j * bend + over->off_k * jerk) +
                       pair_abs(over->odd_j * bend + over->odd_k * jerk);
    const double from_s = -over->before_s, to_s = over->after_s;
    const pair start = right.y0 + from_s * (left.s1 + from_s * (j_left + from_s * k_left));
    const pair end = right.y0 + to_s * (right.s0 + to_s * (j_right + to_s * k_right));
    const pair nominal = {wr_ode_nominal_u(s)[reader->external[j]],
                          wr_ode_nominal_u(s)[reader->external[k]]};
    const pair limit = (INPUT_LIMIT * wr_ode_coupling_rtol(s)) *
                       (pair_max(pair_abs(start), pair_abs(end)) + wr_ode_atol_factor(s) * nominal);
    return pair_exceeds(worst, limit);
}

/* Returns whether a source deviates by more than the limit inside the step from t_s to end_s. */
static int is_source_off(const wr_subsystem *s, int i_source, double t_s, double end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_source_reader *const reader = &work->inputs->reader[i_source];
    const wr_wave *const wave = s->source[i_source];
    wr_times times;
    if (wave->n_node <= 2 || reader->offset ||
        !nodes_between(wave, &reader->cursor, t_s, end_s, &times.first, &times.last))
        return 0;
    if (times.last - times.first >= MANY_NODES)
        return 1;
    int any = 0;
    if (times.first == times.last) {
        const wr_over over = step_over(wave, times.first, t_s, end_s);
        for (int j = 0; j < reader->n && !any; j += 2)
            any = is_pair_off_at(s, reader, wave, &over, j, j + 1 < reader->n ? j + 1 : j);
        return any;
    }
    const int first = times.first, last = times.last;
    const double *const node_s = wave->t_s;
    times.start = wr_hermite_at(node_s[first - 1], node_s[first], t_s);
    times.end = wr_hermite_at(node_s[last], node_s[last + 1], end_s);
    for (int i = first; i <= last; i++) {
        times.at[i - first] = wr_hermite_at(t_s, end_s, node_s[i]);
        times.reach_s[i - first] = ODD_ERROR * (node_s[i + 1] - node_s[i]);
    }
    for (int j = 0; j < reader->n && !any; j += 2)
        any = is_pair_off(s, reader, wave, &times, j, j + 1 < reader->n ? j + 1 : j);
    return any;
}

/* Returns whether any source deviates by more than the limit inside the step. */
static inline int is_any_source_off(const wr_subsystem *s, double t_s, double end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const int is_one_piece = work->inputs->low_s <= t_s && work->inputs->high_s >= end_s;
    if (s->n_external == 0 || work->inputs->is_frozen || is_one_piece || !(end_s > t_s))
        return 0;
    for (int i = 0; i < s->n_source; i++)
        if (is_source_off(s, i, t_s, end_s))
            return 1;
    return 0;
}

/* Finds the nodes inside the step at which inputs deviate from the step's cubics. Returns whether such nodes exist. */
static int look_at_inputs(wr_subsystem *s, double t_s, double end_s, wr_missed *missed)
{
    wr_ode *const work = wr_ode_of(s);
    if (!is_any_source_off(s, t_s, end_s))
        return 0;
    *missed = (wr_missed){.worst = 0.0};
    memset(work->resolution->deviation, 0,
           (size_t)s->n_external * sizeof *work->resolution->deviation);
    for (int i = 0; i < s->n_source; i++)
        if (s->source[i]->n_node > 2)
            look_at_source(s, i, t_s, end_s, missed);
    return missed->n_node > 0;
}

/* Returns the largest change of a state by the deviations over the step, in tolerances of the solver; INFINITY if the model fails. dx:
 * right-hand side at the point; NULL: unknown. */
static double effect_of(wr_subsystem *s, const wr_group_point *point, const double *dx,
                        double length_s)
{
    WR_POINTS_FOR(s, RESOLUTION);
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    s->stats.n_effect_rhs += dx ? 1 : 2;
    if (!dx) {
        if (wr_group_rhs(work->group, point, wr_scratch(s, WR_DX_STEP)) != 0)
            return (double)INFINITY;
        dx = wr_scratch(s, WR_DX_STEP);
    }
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] = point->external[i] - work->resolution->deviation[i];
    wr_group_point moved = *point;
    moved.external = wr_scratch(s, WR_EXTERNAL_MOVED);
    if (wr_group_rhs(work->group, &moved, wr_scratch(s, WR_X_MOVED)) != 0)
        return (double)INFINITY;
    if (wr_ode_algebraic_effect(s, dx, length_s, wr_scratch(s, WR_X_MOVED)) != 0)
        return (double)INFINITY;
    double largest = 0.0;
    for (int i = 0; i < group->n_x; i++) {
        const double tolerance = wr_ode_state_tolerance(s, i, point->x[i]);
        const double off = length_s * fabs(wr_scratch(s, WR_X_MOVED)[i] - dx[i]) / tolerance;
        if (!(off <= largest))
            largest = isfinite(off) ? off : (double)INFINITY;
    }
    wr_group_forget(work->group);
    return largest;
}

void wr_ode_count_unseen(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    for (int i = 0; i < work->group->n_x; i++)
        s->unseen[i] += work->resolution->unseen_step[i];
    s->has_unseen = 1;
    work->resolution->has_unseen_step = 0;
}

/* Returns the end of the shorter step that replaces a step with a missed change, s. */
static double cut(const wr_missed *missed, double t_s, double end_s)
{
    const double share_s = t_s + CUT_SHARE * (end_s - t_s);
    if (missed->node_s[0] >= share_s)
        return missed->node_s[0];
    const int last = missed->n_node < MISSED_NODES ? missed->n_node - 1 : MISSED_NODES - 1;
    return wr_min(missed->node_s[last], share_s);
}

double wr_ode_unseen(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_missed missed;
    work->resolution->has_rough_inputs = work->resolution->has_unseen_step = 0;
    const double seen_s =
        wr_min(end_s, wr_ode_next_jump(s)); /* the subsystem reads waves up to a jump */
    if (!look_at_inputs(s, s->t_s, seen_s, &missed))
        return end_s;
    work->resolution->has_rough_inputs = missed.reaches_z;
    if (work->group->n_x == 0)
        return end_s;
    /* The dense output of methods that end with f has the slope f at the end. */
    const int has_f =
        (wr_integrator_current(work->solver, work->integrator)->flags & WR_INTEG_ENDS_WITH_F) != 0;
    const wr_group_point point = wr_ode_point_at(s, end_s, has_f);
    const double effect =
        effect_of(s, &point, has_f ? wr_scratch(s, WR_DX_STEP) : NULL, end_s - s->t_s);
    if (!(effect <= EFFECT_LIMIT))
        return cut(&missed, s->t_s, seen_s);
    /* effect_of() leaves the slopes without the deviations in WR_X_MOVED, and the slopes with deviations in WR_DX_STEP. */
    for (int i = 0; i < work->group->n_x; i++)
        work->resolution->unseen_step[i] =
            (end_s - s->t_s) * (wr_scratch(s, WR_X_MOVED)[i] - wr_scratch(s, WR_DX_STEP)[i]);
    work->resolution->has_unseen_step = 1;
    return end_s;
}

double wr_ode_ahead(wr_subsystem *s, double stop_s)
{
    const double step_s = wr_max(wr_ode_last_step(s), wr_ode_reach(s));
    double end_s = wr_min(stop_s, s->t_s + AHEAD_STEPS * step_s);
    wr_missed missed;
    while (look_at_inputs(s, s->t_s, wr_min(end_s, wr_ode_next_jump(s)), &missed)) {
        const wr_group_point point =
            wr_ode_point_of(s, missed.worst_s, s->x, wr_ode_inputs_at(s, missed.worst_s, 0));
        if (effect_of(s, &point, NULL, end_s - s->t_s) <= EFFECT_LIMIT)
            break;
        end_s = cut(&missed, s->t_s, end_s);
    }
    return end_s;
}

void wr_ode_grow_limit(wr_subsystem *s, double step_s)
{
    double *const limit_s = wr_ode_of(s)->resolution->limit_s;
    if (*limit_s > 0.0)
        *limit_s = step_s < 0.5 * *limit_s ? 0.0 : GROWTH * *limit_s;
}
