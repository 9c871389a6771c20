/* Detects and locates state events. See events.h. Thread: one at a time. Real-time: yes after placing. */
#include "subsystems/events.h"

#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Largest number of probes until the bracket has its final width. A smooth zero needs two or three probes. Bisection of a step to the
 * last bit, with failed interpolations in between, needs fewer probes than this bound. */
enum { MAX_ITERATIONS = 250 };
/* If several candidates are the earliest in turn, interpolation may stagnate. If LOOK_BACK probes do not shrink the bracket to SLOW_RATIO
 * of its width (both assumed), the search bisects the bracket. LOOK_BACK bisections would shrink the bracket to 1/16. */
enum { LOOK_BACK = 4 };
static const double SLOW_RATIO = 0.25;
/* Distances of probes, in wanted bracket widths. A probe is BEYOND after the estimated zero. The time of this probe becomes the event's
 * time, and delays add up. With 0.5 instead of 0.05, the errors of a run with 2300 events are seven times larger
 * (docs/lab/2026-11-22-events.md). If the right end is near the zero, the next probe closes the bracket, at BACK before the right end. */
static const double BEYOND = 0.05, BACK = 0.95;
/* If a probe just behind the estimated zero is the right end, the new curve may confirm the zero. If the curve moves the zero by at most
 * this share of the wanted width (assumed), the search does not probe the left end. This saves one probe. */
static const double TRUSTED = 0.04;
/* Largest number of Newton steps and bisections to the zero of a curve (assumed). From the zero of the secant two to four are usual. */
enum { MAX_NEWTON = 12 };
/* Largest size of the last Newton step, as a share of the bracket (assumed). The remaining error is of the order of the step's square. */
static const double NEWTON_TOLERANCE = 1e-6;
/* Maximum number of search restarts if one zero crossing uncovers an earlier zero crossing (assumed). */
enum { MAX_REOPEN = 8 };

/* Largest error of a parabola's prediction, as a share of the summed absolute values of the parabola's three points and the actual
 * value (assumed). If the steps resolve the indicator, the error is much smaller. */
static const double FORESEEN = 0.02;
/* Share of an indicator's nominal value that counts as part of the indicator's size in comparisons with rtol (assumed). */
static const double NOMINAL_PART = 0.01;

/* Largest product of both end values, in squares of the reach (may_hide()). The end value nearer to zero is below the reach. The end value
 * farther from zero exceeds the nearer end value by at most 4 times the reach. */
static const double MOST_PRODUCT = 5.0;

/* Number of indicators per block of comparisons: 16 modes of one byte fill a vector register of SSE2. */
enum { BLOCK = 16 };

wr_events *wr_events_place(wr_arena *arena, int n_z, const unsigned char *direction)
{
    wr_events *const events = WR_NEW(arena, wr_events);
    if (!events)
        return NULL;
    *events = (wr_events){.n_z = n_z,
                          .direction = direction,
                          .candidate = WR_NEW_ARRAY(arena, int, n_z),
                          .left = WR_NEW_ARRAY(arena, double, n_z),
                          .right = WR_NEW_ARRAY(arena, double, n_z),
                          .third = WR_NEW_ARRAY(arena, double, n_z),
                          .probed = WR_NEW_ARRAY(arena, double, n_z),
                          .at_right = WR_NEW_ARRAY(arena, double, n_z),
                          .found = WR_NEW_ARRAY(arena, int, n_z),
                          .changed = WR_NEW_ARRAY(arena, unsigned, n_z / BLOCK + 1)};
    return events->candidate && events->left && events->right && events->third && events->probed &&
                   events->at_right && events->found && events->changed
               ? events
               : NULL;
}

/* Returns whether z is positive. NaN, the result of an overflow, counts as positive, as in changes_of(). */
static inline int is_positive(double z) { return !(z <= 0.0); }

/* Returns a bit for each of n indicators: 1 if the sign differs from the mode. */
static inline unsigned changes_one_by_one(const double *z, const unsigned char *mode, int n)
{
    unsigned changed = 0;
    for (int i = 0; i < n; i++)
        changed |= (unsigned)(is_positive(z[i]) != mode[i]) << i;
    return changed;
}

static inline void add_up(const wr_events_sum *sum, int start, int n, double *ret_z)
{
    for (int i = 0; i < n; i++)
        ret_z[i] = sum->weight[0] * sum->z[0][start + i] +
                   (sum->weight[1] * sum->z[1][start + i] + sum->weight[2] * sum->z[2][start + i]);
}

/* Returns whether indicator i may reach zero twice between z[0] and z[1] if its sag is the weighted sum. z[0] z[1] is then smaller than the
 * square of the sum (may_hide()). Both sides of the comparison have the factor weight[1], which the weights of weigh_course() already
 * contain. */
static inline int is_one_near(const wr_events_sum *sum, int i)
{
    const double z0 = sum->z[0][i], z1 = sum->weight[1] * sum->z[1][i];
    const double reach = sum->weight[0] * z0 + (z1 + sum->weight[2] * sum->z[2][i]);
    return !(z0 * z1 >= reach * reach);
}

/* changes_of() returns a bit for each of the indicators z[0] to z[BLOCK - 1]: 1 if the sign differs from the mode. */
#ifdef __SSE2__
/* Makes two comparisons at a time, and packs the results into bytes. Compilers do not generate these instructions. */
enum { PAIRS = BLOCK / 2 };

static inline unsigned changes_of(const __m128d *z, const unsigned char *mode)
{
    const __m128d zero = _mm_setzero_pd();
    __m128i eight[2];
    for (int k = 0; k < 2; k++) {
        __m128i four[2];
        for (int j = 0; j < 2; j++) {
            const __m128d *const pair = z + 4 * k + 2 * j;
            four[j] = _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(_mm_cmpnle_pd(pair[0], zero)),
                                                      _mm_castpd_ps(_mm_cmpnle_pd(pair[1], zero)),
                                                      _MM_SHUFFLE(2, 0, 2, 0)));
        }
        eight[k] = _mm_packs_epi32(four[0], four[1]);
    }
    /* A positive z gives -1. With the mode added, the sum is 0 if sign and mode agree. */
    const __m128i sum = _mm_add_epi8(_mm_packs_epi16(eight[0], eight[1]),
                                     _mm_loadu_si128((const __m128i *)(const void *)mode));
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(sum, _mm_setzero_si128())) ^ 0xffffu;
}

static inline unsigned changes_in_block(const double *z, const unsigned char *mode)
{
    __m128d pair[PAIRS];
    for (int k = 0; k < PAIRS; k++)
        pair[k] = _mm_loadu_pd(z + 2 * k);
    return changes_of(pair, mode);
}

/* The terms of a weighted sum for two indicators at a time, from indicator `start` of pairs_from() on. */
typedef struct pair_sum {
    __m128d weight[3];
    const double *z[3];
} pair_sum;

static inline pair_sum pairs_from(const wr_events_sum *sum, int start)
{
    return (pair_sum){.weight = {_mm_set1_pd(sum->weight[0]), _mm_set1_pd(sum->weight[1]),
                                 _mm_set1_pd(sum->weight[2])},
                      .z = {sum->z[0] + start, sum->z[1] + start, sum->z[2] + start}};
}

/* Returns term i of pair k. */
static inline __m128d term_of(const pair_sum *sum, int i, int k)
{
    return _mm_mul_pd(sum->weight[i], _mm_loadu_pd(sum->z[i] + 2 * k));
}

static inline __m128d sum_of(const pair_sum *sum, int k)
{
    return _mm_add_pd(term_of(sum, 0, k), _mm_add_pd(term_of(sum, 1, k), term_of(sum, 2, k)));
}

/* Returns whether is_one_near() returns 1 for any indicator of the block from start on. */
static inline int is_any_near(const wr_events_sum *sum, int start)
{
    const pair_sum pairs = pairs_from(sum, start);
    __m128d any = _mm_setzero_pd();
    for (int k = 0; k < PAIRS; k++) {
        const __m128d a = _mm_loadu_pd(pairs.z[0] + 2 * k), b = term_of(&pairs, 1, k);
        const __m128d reach = sum_of(&pairs, k);
        any = _mm_or_pd(any, _mm_cmpnge_pd(_mm_mul_pd(a, b), _mm_mul_pd(reach, reach)));
    }
    return _mm_movemask_pd(any) != 0;
}

/* Returns whether scale times z differs from the weighted sum by more than |z|, for any z of z[start] to z[start + BLOCK - 1]. */
static inline int is_any_off(const wr_events_sum *sum, const double *z, double scale, int start)
{
    const pair_sum pairs = pairs_from(sum, start);
    const __m128d w = _mm_set1_pd(scale), sign = _mm_set1_pd(-0.0);
    __m128d any = _mm_setzero_pd();
    for (int k = 0; k < PAIRS; k++) {
        const __m128d here = _mm_loadu_pd(z + start + 2 * k);
        const __m128d off = _mm_sub_pd(_mm_mul_pd(w, here), sum_of(&pairs, k));
        any = _mm_or_pd(any, _mm_cmpnle_pd(_mm_andnot_pd(sign, off), _mm_andnot_pd(sign, here)));
    }
    return _mm_movemask_pd(any) != 0;
}

/* Returns the bits of changes_of() for a weighted sum, for the block from indicator start on. */
static inline unsigned changes_in_sum(const wr_events_sum *sum, const unsigned char *mode,
                                      int start)
{
    const pair_sum pairs = pairs_from(sum, start);
    __m128d pair[PAIRS];
    for (int k = 0; k < PAIRS; k++)
        pair[k] = sum_of(&pairs, k);
    return changes_of(pair, mode + start);
}
#else
static inline unsigned changes_in_block(const double *z, const unsigned char *mode)
{
    return changes_one_by_one(z, mode, BLOCK);
}

static inline int is_any_near(const wr_events_sum *sum, int start)
{
    int any = 0;
    for (int i = start; i < start + BLOCK; i++)
        any |= is_one_near(sum, i);
    return any;
}

static inline int is_any_off(const wr_events_sum *sum, const double *z, double scale, int start)
{
    double others[BLOCK];
    add_up(sum, start, BLOCK, others);
    int any = 0;
    for (int i = 0; i < BLOCK; i++)
        any |= !(fabs(scale * z[start + i] - others[i]) <= fabs(z[start + i]));
    return any;
}

static inline unsigned changes_in_sum(const wr_events_sum *sum, const unsigned char *mode,
                                      int start)
{
    double z[BLOCK];
    add_up(sum, start, BLOCK, z);
    return changes_one_by_one(z, mode + start, BLOCK);
}
#endif

/* Sets a bit in changed for each indicator whose sign differs from its mode. Returns 1 if an indicator differs. */
static int find_changes(const wr_events *events, const double *z, const unsigned char *mode)
{
    const int n = events->n_z, last = n - BLOCK;
    if (last < 0) {
        events->changed[0] = changes_one_by_one(z, mode, n);
        return n > 0 && events->changed[0] != 0;
    }
    unsigned any = 0, *changed = events->changed;
    int start = 0;
    for (; start <= last; start += BLOCK)
        any |= *changed++ = changes_in_block(z + start, mode + start);
    if (start < n) /* the last block overlaps its predecessor */
        any |= *changed = changes_in_block(z + last, mode + last) >> (start - last);
    return any != 0;
}

static int find_changes_of_sum(const wr_events *events, const wr_events_sum *sum,
                               const unsigned char *mode)
{
    const int n = events->n_z, last = n - BLOCK;
    if (last < 0) {
        double z[BLOCK];
        add_up(sum, 0, n, z);
        return find_changes(events, z, mode);
    }
    unsigned any = 0, *changed = events->changed;
    int start = 0;
    for (; start <= last; start += BLOCK)
        any |= *changed++ = changes_in_sum(sum, mode, start);
    if (start < n)
        any |= *changed = changes_in_sum(sum, mode, last) >> (start - last);
    return any != 0;
}

/* Returns whether a change from the sign in mode is an event. Direction 1 requires the new sign 1, direction 2 the sign 0. */
static inline int is_wanted(unsigned char direction, unsigned char mode)
{
    return direction == 0 || (direction == 1) == !mode;
}

/* Lists the events of the changed indicators, and counts the changes that are no events. */
static int list_found(const wr_events *events, const unsigned char *mode, int *ret_index,
                      int *ret_n_silent)
{
    int n = 0, n_silent = 0;
    for (int block = 0; BLOCK * block < events->n_z; block++)
        for (unsigned bits = events->changed[block]; bits != 0; bits &= bits - 1) {
            const int i = BLOCK * block + __builtin_ctz(bits);
            if (is_wanted(events->direction[i], mode[i]))
                ret_index[n++] = i;
            else
                n_silent++;
        }
    *ret_n_silent = n_silent;
    return n;
}

static int list_changes(const wr_events *events, const double *z, const unsigned char *mode,
                        int *ret_index, int *ret_n_silent)
{
    *ret_n_silent = 0;
    return find_changes(events, z, mode) ? list_found(events, mode, ret_index, ret_n_silent) : 0;
}

int wr_events_list(const wr_events *events, const double *z, const unsigned char *mode,
                   int *ret_index)
{
    int n_silent;
    return list_changes(events, z, mode, ret_index, &n_silent);
}

int wr_events_list_changed(const wr_events *events, const double *z, const unsigned char *mode,
                           int *ret_index)
{
    int n = 0;
    if (!find_changes(events, z, mode))
        return 0;
    for (int block = 0; BLOCK * block < events->n_z; block++)
        for (unsigned bits = events->changed[block]; bits != 0; bits &= bits - 1)
            ret_index[n++] = BLOCK * block + __builtin_ctz(bits);
    return n;
}

int wr_events_list_sum(const wr_events *events, const wr_events_sum *sum, const unsigned char *mode,
                       int *ret_index)
{
    int n_silent;
    return find_changes_of_sum(events, sum, mode) ? list_found(events, mode, ret_index, &n_silent)
                                                  : 0;
}

int wr_events_take(const wr_events *events, const double *z, unsigned char *mode, int *ret_index,
                   int *ret_n_silent)
{
    const int n = list_changes(events, z, mode, ret_index, ret_n_silent);
    for (int block = 0; *ret_n_silent > 0 && BLOCK * block < events->n_z; block++)
        for (unsigned bits = events->changed[block]; bits != 0; bits &= bits - 1) {
            const int i = BLOCK * block + __builtin_ctz(bits);
            if (!is_wanted(events->direction[i], mode[i]))
                mode[i] = !mode[i];
        }
    return n;
}

/* Computes the weights of a divided difference over n + 1 times: sum_i z_i / prod_j (t_i - t_j), j != i. */
static void difference_weights(const double *t_s, int n, double *ret_weight)
{
    for (int i = 0; i <= n; i++) {
        double product = 1.0;
        for (int j = 0; j <= n; j++)
            if (j != i)
                product *= t_s[i] - t_s[j];
        ret_weight[i] = 1.0 / product;
    }
}

/* Returns whether the parabola of indicator i may reach zero twice inside the step. chord: change over the step; bend: sag; off: bound of
 * the sag's error. A parabola that does not turn inside has its extremes at the ends, so the parabola hides no event. */
static int may_hide(const wr_events_course *c, int i, double chord, double bend, double off)
{
    const double left = c->z_left[i], right = c->z_right[i];
    const double near = wr_min(fabs(left), fabs(right)), far = wr_max(fabs(left), fabs(right));
    const double reach = fabs(bend) + off;
    return (left > 0.0) == (right > 0.0) && !(near >= reach) &&
           fabs(chord) <= 4.0 * fabs(bend) + 2.0 * off &&
           reach > c->rtol * (wr_max(far, fabs(c->z_known[0][i])) + NOMINAL_PART * c->nominal[i]);
}

/* Weights for the bend of a course over its last interval of length h. The sag of the parabola is its second difference times h^2 / 4.
 * The third difference gives the distance of the right value from its extrapolation. The error of the parabola inside the interval is at
 * most a quarter of the distance. With one known value, the weights in `last` give the second difference instead of the third. */
typedef struct course_weights {
    double second[3], last[4];
    int has_last;        /* the weights in last are set; few steps need these weights */
    wr_events_sum sharp; /* sag times a factor of weigh_course(), for is_one_near() */
} course_weights;

static void weigh_course(const wr_events_course *c, course_weights *w)
{
    const double h_s = c->right_s - c->left_s;
    const double t_s[3] = {c->right_s, c->left_s, c->known_s[0]};
    difference_weights(t_s, 2, w->second);
    for (int k = 0; k < 3; k++)
        w->second[k] *= 0.25 * h_s * h_s;
    w->has_last = 0;
    w->sharp = (wr_events_sum){.z = {c->z_right, c->z_left, c->z_known[0]}};
    const double both = sqrt(MOST_PRODUCT) * (1.0 + 4.0 * fabs(c->right_s - c->known_s[0]) / h_s);
    const double scale = both * both * w->second[1]; /* is_one_near() expects this scale */
    for (int k = 0; k < 3; k++)
        w->sharp.weight[k] = scale * w->second[k];
}

static void weigh_last(const wr_events_course *c, course_weights *w)
{
    const double t_s[4] = {c->right_s, c->left_s, c->known_s[0], c->known_s[1]};
    w->last[3] = 0.0;
    difference_weights(t_s, c->n_known > 1 ? 3 : 2, w->last);
    double reach_s = (c->right_s - c->left_s) * (c->right_s - c->known_s[0]);
    if (c->n_known > 1)
        reach_s *= c->right_s - c->known_s[1];
    for (int k = 0; k < 4; k++)
        w->last[k] *= reach_s;
    w->has_last = 1;
}

/* Returns whether one of the indicators start to start + n - 1 may hide an event. */
static int may_any_hide(const wr_events_course *c, course_weights *w, int start, int n)
{
    if (!w->has_last)
        weigh_last(c, w);
    for (int i = start; i < start + n; i++) {
        if (!is_one_near(&w->sharp, i))
            continue;
        const double z0 = c->z_right[i], z1 = c->z_left[i], z2 = c->z_known[0][i];
        const double z3 = c->n_known > 1 ? c->z_known[1][i] : z2;
        const double bend = w->second[0] * z0 + (w->second[1] * z1 + w->second[2] * z2);
        const double off =
            (w->last[0] * z0 + w->last[1] * z1) + (w->last[2] * z2 + w->last[3] * z3);
        if (may_hide(c, i, z0 - z1, bend, fabs(off)))
            return 1;
    }
    return 0;
}

int wr_events_may_hide(const wr_events *events, const wr_events_course *c)
{
    const int n = events->n_z, last = n - BLOCK;
    if (c->n_known == 0 || n == 0)
        return n > 0;
    course_weights w;
    weigh_course(c, &w);
    if (last < 0)
        return may_any_hide(c, &w, 0, n);
    for (int start = 0; start < n; start += BLOCK) {
        const int from = start <= last ? start : last; /* the last block overlaps its predecessor */
        if (is_any_near(&w.sharp, from) && may_any_hide(c, &w, from, BLOCK))
            return 1;
    }
    return 0;
}

/* Returns whether one of the indicators start to start + n - 1 differs from the parabola's prediction by more than FORESEEN allows. */
static int is_any_unforeseen(const wr_events_course *c, const wr_events_sum *sum, const double *z,
                             int start, int n)
{
    for (int i = start; i < start + n; i++) {
        const double z0 = sum->z[0][i], z1 = sum->z[1][i], z2 = sum->z[2][i];
        const double off =
            fabs(z[i] - (sum->weight[0] * z0 + sum->weight[1] * z1 + sum->weight[2] * z2));
        const double size = fabs(z0) + fabs(z1) + fabs(z2) + fabs(z[i]);
        if (off - FORESEEN * size - c->rtol * NOMINAL_PART * c->nominal[i] > 0.0)
            return 1;
    }
    return 0;
}

int wr_events_foresaw(const wr_events *events, const wr_events_course *c, double t_s,
                      const double *z)
{
    const int n = events->n_z, last = n - BLOCK;
    if (c->n_known == 0)
        return 1;
    const double at_s[3] = {c->right_s, c->left_s, c->known_s[0]};
    wr_events_sum sum = {.z = {c->z_right, c->z_left, c->z_known[0]}}, sharp;
    difference_weights(at_s, 2, sum.weight); /* the loop makes Lagrange's weights */
    for (int k = 0; k < 3; k++)
        sum.weight[k] *= (t_s - at_s[(k + 1) % 3]) * (t_s - at_s[(k + 2) % 3]);
    if (last < 0)
        return !is_any_unforeseen(c, &sum, z, 0, n);
    /* If each indicator z differs from its prediction by at most FORESEEN |z|, the full test cannot fail. */
    sharp = sum;
    for (int k = 0; k < 3; k++)
        sharp.weight[k] *= 1.0 / FORESEEN;
    for (int start = 0; start < n; start += BLOCK) {
        const int from = start <= last ? start : last; /* the last block overlaps its predecessor */
        if (is_any_off(&sharp, z, 1.0 / FORESEEN, from) &&
            is_any_unforeseen(c, &sum, z, from, BLOCK))
            return 0;
    }
    return 1;
}

/* Returns whether indicator i, which is z at t_s, may still return to its mode, under the conditions at wr_events_open() in events.h. */
static int may_return(const wr_events_span *span, int i, double t_s, double z)
{
    const double left = span->z_left[i];
    return span->band && t_s <= span->until_s && is_positive(left) != span->mode[i] &&
           fabs(left) <= -span->band[i] && fabs(z) <= fabs(left);
}

/* Returns whether candidate k, which is z at t_s, has an event up to t_s. */
static int is_due_at(const wr_events *events, int k, double t_s, double z)
{
    const int i = events->candidate[k];
    const unsigned char mode = events->span.mode[i];
    return is_positive(z) != mode && is_wanted(events->direction[i], mode) &&
           !may_return(&events->span, i, t_s, z);
}

/* Lists the indicators that have an event between the signs in span->mode and the values z at t_s. */
static int list_events(wr_events *events, const wr_events_span *span, double t_s, const double *z,
                       int *ret_index)
{
    const int n = list_changes(events, z, span->mode, ret_index, &events->n_silent);
    int n_kept = 0;
    for (int k = 0; k < n; k++)
        if (!may_return(span, ret_index[k], t_s, z[ret_index[k]]))
            ret_index[n_kept++] = ret_index[k];
    return n_kept;
}

int wr_events_open(wr_events *events, const wr_events_span *span)
{
    events->n_candidate =
        list_events(events, span, span->right_s, span->z_right, events->candidate);
    if (events->n_candidate == 0)
        return 0;
    events->span = *span;
    events->n_before_span = events->n_evaluation;
    /* The rounding of times limits the tolerance. */
    const double share_s = span->tolerance_share * (span->right_s - span->left_s);
    events->span.tolerance_s =
        wr_max(wr_max(span->tolerance_s, share_s),
               DBL_EPSILON * wr_max(fabs(span->left_s), fabs(span->right_s)));
    events->left_s = span->left_s;
    events->right_s = span->right_s;
    events->side = 0;
    events->is_right_moved = 0;
    for (int k = 0; k < events->n_candidate; k++) {
        events->left[k] = span->z_left[events->candidate[k]];
        events->right[k] = span->z_right[events->candidate[k]];
    }
    return events->n_candidate;
}

/* Probes a time inside the bracket. The signs at this time decide whether the time becomes the new left or right end. Removes candidates
 * without an event at a new right end, because their events are later. Returns 0, or the status of probe. */
static int move_end(wr_events *events, double t_s)
{
    const wr_events_span *const span = &events->span;
    const int n = events->n_candidate;
    const int rc = span->probe(span->self, t_s, events->candidate, n, events->probed);
    events->n_evaluation++;
    if (rc)
        return rc;
    const double *const z = events->probed;
    int n_due = 0;
    for (int k = 0; k < n; k++)
        n_due += is_due_at(events, k, t_s, z[events->candidate[k]]);
    if (n_due == 0) {
        for (int k = 0; k < n; k++) {
            events->third[k] = events->left[k];
            events->left[k] = z[events->candidate[k]];
        }
        events->third_s = events->left_s;
        events->left_s = t_s;
        events->side = -1;
        return 0;
    }
    int k_kept = 0;
    for (int k = 0; k < n; k++) {
        const int i = events->candidate[k];
        if (!is_due_at(events, k, t_s, z[i]))
            continue;
        events->candidate[k_kept] = i;
        events->left[k_kept] = events->left[k];
        events->third[k_kept] = events->right[k];
        events->right[k_kept++] = z[i];
    }
    events->n_candidate = k_kept;
    events->third_s = events->right_s;
    events->right_s = t_s;
    events->side = 1;
    events->is_right_moved = 1;
    if (span->probes_all)
        memcpy(events->at_right, z, (size_t)events->n_z * sizeof *z);
    return 0;
}

/* If rounding after an event leaves a candidate on the wrong side of zero at the left end, probes the time max(tolerance_s, least_s) later.
 * If the candidate is still on that side at the later time, its event is due. */
static int leave_left(wr_events *events)
{
    const double tolerance_s = wr_max(events->span.tolerance_s, events->span.least_s);
    int n = 0;
    for (int k = 0; k < events->n_candidate; k++)
        n += is_due_at(events, k, events->left_s, events->left[k]);
    if (n == 0 || events->right_s - events->left_s <= tolerance_s)
        return 0;
    return move_end(events, events->left_s + tolerance_s);
}

/* A known value z outside of the bracket, at u bracket widths from the bracket's left end. */
typedef struct beside {
    double u, z;
} beside;

/* Returns the zero of the curve through both ends of the bracket and n values outside, as a share u of the bracket. With n = 1 the curve
 * is a parabola, with n = 2 a cubic, z(u) = left + u (rise + (u - 1) (bend + (u - u_1) twist)). Returns NaN if Newton's method,
 * safeguarded by bisection, does not converge. */
static double zero_of_curve(double left, double right, const beside *value, int n)
{
    const double rise = right - left, u_1 = value[0].u;
    const double bend = ((value[0].z - left) / u_1 - rise) / (u_1 - 1.0);
    double twist = 0.0;
    if (n > 1) {
        const double u_2 = value[1].u;
        twist = (((value[1].z - left) / u_2 - rise) / (u_2 - 1.0) - bend) / (u_2 - u_1);
    }
    double u = -left / rise, low = 0.0, high = 1.0;
    for (int i = 0; i < MAX_NEWTON; i++) {
        const double curve = bend + (u - u_1) * twist;
        const double z = left + u * (rise + (u - 1.0) * curve);
        const double slope = rise + (2.0 * u - 1.0) * curve + u * (u - 1.0) * twist;
        if ((z > 0.0) == (right > 0.0))
            high = u;
        else
            low = u;
        const double next = u - z / slope;
        if (fabs(next - u) <= NEWTON_TOLERANCE)
            return wr_clamp(next, 0.0, 1.0);
        u = next > low && next < high ? next : 0.5 * (low + high);
    }
    return (double)NAN;
}

/* Estimates the zero of candidate k, as a share of the bracket from the left end. The curve of zero_of_curve() goes through up to two
 * values outside of the bracket: the replaced end, and known values outside the span. */
static double estimate(const wr_events *events, int k)
{
    const double left = events->left[k], right = events->right[k];
    const double sum = fabs(left) + fabs(right);
    if (!(sum > 0))
        return 0.0;
    if (left * right > 0.0) /* the indicator turns back before zero: bisection */
        return 0.5;
    const wr_events_span *const span = &events->span;
    const double left_s = events->left_s, per_s = 1.0 / (events->right_s - left_s);
    beside value[2];
    int n = 0;
    if (events->side != 0)
        value[n++] = (beside){(events->third_s - left_s) * per_s, events->third[k]};
    for (int i = 0; i < span->n_known && n < 2; i++)
        value[n++] =
            (beside){(span->known_s[i] - left_s) * per_s, span->z_known[i][events->candidate[k]]};
    const double secant = fabs(left) / sum;
    if (n == 0)
        return secant;
    const double share = zero_of_curve(left, right, value, n);
    if (share >= 0.0)
        return share;
    return events->side == 0 ? secant : 0.5;
}

double wr_events_guess(const wr_events *events)
{
    double share = 1.0;
    for (int k = 0; k < events->n_candidate; k++)
        share = wr_min(share, estimate(events, k));
    return events->left_s + share * (events->right_s - events->left_s);
}

/* Returns the next time to probe for the earliest zero of the candidates. zero_s: expected time of this zero. */
static double next_probe(const wr_events *events, double zero_s, double width_s)
{
    const double left_s = events->left_s, right_s = events->right_s;
    const double t_s = right_s - zero_s <= 2.0 * BEYOND * width_s ? right_s - BACK * width_s
                                                                  : zero_s + BEYOND * width_s;
    /* The probe is inside by at least a rounding, so that a zero next to an end closes the bracket. */
    const double inside_s =
        wr_max(BEYOND * width_s, DBL_EPSILON * wr_max(fabs(left_s), fabs(right_s)));
    return wr_clamp(t_s, left_s + inside_s, right_s - inside_s);
}

static int is_out_of_probes(const wr_events *events)
{
    return events->span.max_probe > 0 &&
           events->n_evaluation - events->n_before_span >= events->span.max_probe;
}

/* Narrows the bracket until its width, or the distance of its right end from the event, is at most wanted_s. With is_rough the expected
 * distance suffices. The search also ends at least_s and after max_probe probes. */
static int close_in(wr_events *events, double wanted_s, int is_rough)
{
    int rc = events->side == 0 ? leave_left(events) : 0;
    const double first_s = events->span.left_s + events->span.least_s;
    double before_s = events->right_s - events->left_s, probed_zero_s = (double)NAN;
    for (int i = 1; i <= MAX_ITERATIONS && rc == 0; i++) {
        const double left_s = events->left_s, right_s = events->right_s;
        const double now_s = right_s - left_s;
        if (now_s <= wanted_s || right_s <= first_s || is_out_of_probes(events))
            break;
        const double zero_s = wr_events_guess(events);
        if (events->side > 0 && (is_rough ? right_s - zero_s <= wanted_s
                                          : fabs(zero_s - probed_zero_s) <= TRUSTED * wanted_s))
            break;
        const int is_look = i % LOOK_BACK == 0;
        const int is_slow = is_look && now_s > SLOW_RATIO * before_s;
        if (is_look)
            before_s = now_s;
        const double probe_s = left_s < first_s && zero_s <= first_s ? first_s
                               : is_slow ? left_s + 0.5 * (right_s - left_s)
                                         : next_probe(events, zero_s, wanted_s);
        const int is_just_past = probe_s <= zero_s + BEYOND * wanted_s && probe_s > zero_s;
        probed_zero_s = is_just_past ? zero_s : (double)NAN;
        rc = move_end(events, probe_s);
    }
    return rc;
}

int wr_events_approach(wr_events *events, double distance_s)
{
    return close_in(events, wr_max(distance_s, events->span.tolerance_s), 1);
}

/* Writes the indicators at the right end. */
static int evaluate_right(wr_events *events, double *ret_z)
{
    const wr_events_span *const span = &events->span;
    if (!events->is_right_moved || span->probes_all) {
        const double *const z = events->is_right_moved ? events->at_right : span->z_right;
        if (ret_z != z)
            memcpy(ret_z, z, (size_t)events->n_z * sizeof *ret_z);
        return 0;
    }
    events->n_evaluation++;
    return span->probe(span->self, events->right_s, NULL, 0, ret_z);
}

int wr_events_land(wr_events *events, double *ret_t_s, double *ret_z, double *ret_moved)
{
    wr_events_span span = events->span;
    for (int i = 0;; i++) {
        int rc = close_in(events, events->span.tolerance_s, 0);
        if (rc == 0)
            rc = evaluate_right(events, ret_z);
        if (rc)
            return rc;
        /* The list has all candidates, because the values of all indicators come from one point. */
        events->n_found = list_events(events, &span, events->right_s, ret_z, events->found);
        if (events->n_found ==
            0) /* each changed indicator may still return to its mode: the changes count as events */
            events->n_found =
                list_changes(events, ret_z, span.mode, events->found, &events->n_silent);
        if (events->n_found == events->n_candidate || i == MAX_REOPEN || is_out_of_probes(events))
            break;
        span.right_s = events->right_s;
        span.z_right = ret_z;
        const int64_t n_before_span = events->n_before_span;
        wr_events_open(events, &span);
        events->n_before_span = n_before_span;
    }
    *ret_t_s = events->right_s;
    const double width_s = events->right_s - events->left_s;
    const double moved_s = wr_min(width_s, events->span.tolerance_s);
    const double share = moved_s / (events->right_s - span.left_s);
    for (int k = 0; k < events->n_found; k++) {
        const int i = events->found[k];
        ret_moved[i] = share * fabs(ret_z[i] - span.z_left[i]);
    }
    for (int k = 0; k < events->n_candidate; k++) {
        const double all = fabs(events->right[k] - events->left[k]);
        ret_moved[events->candidate[k]] =
            wr_min(all, wr_max(fabs(events->right[k]), moved_s / width_s * all));
    }
    return 0;
}
