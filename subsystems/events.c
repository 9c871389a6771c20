/* State events. See events.h.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include "subsystems/events.h"

#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A smooth zero takes two or three probes; the bound is that of pure bisection from a step of any
 * length to the last bit, plus the detours. */
enum { MAX_ITERATIONS = 200 };
/* Where several candidates take turns in being the earliest, interpolation may make no way: a
 * bracket that has not shrunk by this in so many probes is bisected. */
enum { LOOK_BACK = 3 };
static const double slow_ratio = 0.25;
/* Where to probe, in bracket widths wanted. Beyond the estimated zero by little, because what is
 * found there is the event's time, and late events add up: at 0.4 the errors of a run with 2300
 * events were several times those at 0.05. Then as far back as closes the bracket. */
static const double beyond = 0.05, back = 0.95;
/* Zeros that the end of a step has not shown: how often one may hide another. */
enum { MAX_REOPEN = 8 };

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
                          .found = WR_NEW_ARRAY(arena, int, n_z)};
    return events->candidate && events->left && events->right && events->third && events->probed &&
                   events->at_right && events->found
               ? events
               : NULL;
}

static inline int is_positive(double z) { return z > 0.0; }

/* Is the sign of z an event against mode? direction 1 wants the new sign 1, 2 wants 0. */
static inline int is_event(unsigned char direction, unsigned char mode, double z)
{
    const int sign = is_positive(z);
    return sign != mode && (direction == 0 || (direction == 1) == sign);
}

/* Most steps see no sign change at all, and most others few: blocks are compared as a whole. */
enum { BLOCK = 16 };

#ifdef __SSE2__
/* Two comparisons at a time, whose results are packed into bytes. Compilers do not find that. */
static int has_change(const double *z, const unsigned char *mode)
{
    const __m128d zero = _mm_setzero_pd();
    __m128i eight[2];
    for (int k = 0; k < 2; k++) {
        __m128i two[4];
        for (int j = 0; j < 4; j++)
            two[j] = _mm_castpd_si128(_mm_cmplt_pd(zero, _mm_loadu_pd(z + 8 * k + 2 * j)));
        eight[k] =
            _mm_packs_epi16(_mm_packs_epi32(two[0], two[1]), _mm_packs_epi32(two[2], two[3]));
    }
    /* Every result stands twice. */
    const __m128i once = _mm_set1_epi16(1);
    const __m128i sign =
        _mm_packus_epi16(_mm_and_si128(eight[0], once), _mm_and_si128(eight[1], once));
    const __m128i equal =
        _mm_cmpeq_epi8(sign, _mm_loadu_si128((const __m128i *)(const void *)mode));
    return _mm_movemask_epi8(equal) != 0xffff;
}
#else
static int has_change(const double *z, const unsigned char *mode)
{
    unsigned char sign[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        sign[i] = z[i] > 0.0;
    return memcmp(sign, mode, sizeof sign) != 0;
}
#endif

/* First indicator from start on whose sign is not its mode; n_z if there is none. */
static int find_change(const wr_events *events, const double *z, const unsigned char *mode,
                       int start)
{
    int i = start;
    while (i < events->n_z) {
        if (i + BLOCK <= events->n_z && !has_change(z + i, mode + i)) {
            i += BLOCK;
            continue;
        }
        const int end = i + BLOCK < events->n_z ? i + BLOCK : events->n_z;
        for (; i < end; i++)
            if (is_positive(z[i]) != mode[i])
                return i;
    }
    return i;
}

/* Lists the events, counts the silent changes. */
static int list_changes(const wr_events *events, const double *z, const unsigned char *mode,
                        int *ret_index, int *ret_n_silent)
{
    int n = 0, n_silent = 0;
    for (int i = find_change(events, z, mode, 0); i < events->n_z;
         i = find_change(events, z, mode, i + 1))
        if (is_event(events->direction[i], mode[i], z[i]))
            ret_index[n++] = i;
        else
            n_silent++;
    *ret_n_silent = n_silent;
    return n;
}

int wr_events_list(const wr_events *events, const double *z, const unsigned char *mode,
                   int *ret_index)
{
    int n_silent;
    return list_changes(events, z, mode, ret_index, &n_silent);
}

int wr_events_take(const wr_events *events, const double *z, unsigned char *mode, int *ret_index,
                   int *ret_n_silent)
{
    int n = 0, n_silent = 0;
    for (int i = find_change(events, z, mode, 0); i < events->n_z;
         i = find_change(events, z, mode, i + 1)) {
        if (is_event(events->direction[i], mode[i], z[i]))
            ret_index[n++] = i;
        else {
            mode[i] = (unsigned char)is_positive(z[i]);
            n_silent++;
        }
    }
    *ret_n_silent = n_silent;
    return n;
}

static int is_due_at(const wr_events *events, int k, double z)
{
    const int i = events->candidate[k];
    return is_event(events->direction[i], events->span.mode[i], z);
}

int wr_events_open(wr_events *events, const wr_events_span *span)
{
    events->n_candidate =
        list_changes(events, span->z_right, span->mode, events->candidate, &events->n_silent);
    if (events->n_candidate == 0)
        return 0;
    events->span = *span;
    /* Times cannot be told apart any finer. */
    events->span.tolerance_s = wr_max(
        span->tolerance_s, 4.0 * DBL_EPSILON * wr_max(fabs(span->left_s), fabs(span->right_s)));
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

/* Makes a time inside the bracket its new end, by the signs there. Candidates without an event at a
 * new right end are none any more: theirs come later. Returns 0 or what probe returned. */
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
        n_due += is_due_at(events, k, z[events->candidate[k]]);
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
        if (!is_due_at(events, k, z[i]))
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

/* After an event an indicator may stand on the wrong side of zero by rounding; then its event is
 * due at once if it is still there a moment later. Moves one of the ends to that moment. */
static int leave_left(wr_events *events)
{
    const double tolerance_s = events->span.tolerance_s;
    int n = 0;
    for (int k = 0; k < events->n_candidate; k++)
        n += is_due_at(events, k, events->left[k]);
    if (n == 0 || events->right_s - events->left_s <= tolerance_s)
        return 0;
    return move_end(events, events->left_s + tolerance_s);
}

/* Zero of candidate k before anything has been probed, as a share of the bracket from its left end:
 * of the parabola through both ends whose course before is known, else of the secant. In the share
 * u: z(u) = left + u (rise + bend (u - 1)). */
static double first_estimate(const wr_events *events, int k)
{
    const wr_events_span *const span = &events->span;
    const double left = events->left[k], right = events->right[k], rise = right - left;
    const double secant = fabs(left) / (fabs(left) + fabs(right));
    if (!span->z_before)
        return secant;
    const double width_s = events->right_s - events->left_s;
    const double rise_before =
        width_s / (events->left_s - span->before_s) * (left - span->z_before[events->candidate[k]]);
    const double bend = width_s / (events->right_s - span->before_s) * (rise - rise_before);
    const double b = rise - bend, discriminant = b * b - 4.0 * bend * left;
    if (!(discriminant >= 0.0))
        return secant;
    /* Without cancellation; of the two zeros one lies inside. */
    const double q = b + copysign(sqrt(discriminant), b);
    const double near = -2.0 * left / q, far = -0.5 * q / bend;
    if (near >= 0.0 && near <= 1.0)
        return near;
    return far >= 0.0 && far <= 1.0 ? far : secant;
}

/* Estimated zero of candidate k, Chandrupatla's once something has been probed. */
static double estimate(const wr_events *events, int k)
{
    if (!(fabs(events->left[k]) + fabs(events->right[k]) > 0))
        return 0.0;
    if (events->side == 0)
        return first_estimate(events, k);
    /* 1: the end that moved last, 2: the other one, 3: the one given up for 1. */
    const int is_left = events->side < 0;
    const double t1 = is_left ? events->left_s : events->right_s;
    const double t2 = is_left ? events->right_s : events->left_s;
    const double f1 = is_left ? events->left[k] : events->right[k];
    const double f2 = is_left ? events->right[k] : events->left[k];
    const double f3 = events->third[k];
    const double xi = (t1 - t2) / (events->third_s - t2);
    const double phi = (f1 - f2) / (f3 - f2);
    if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi))
        return 0.5;
    const double share = f1 / (f2 - f1) * (f3 / (f2 - f3)) +
                         (events->third_s - t1) / (t2 - t1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
    return is_left ? share : 1.0 - share;
}

double wr_events_guess(const wr_events *events)
{
    double share = 1.0;
    for (int k = 0; k < events->n_candidate; k++)
        share = wr_min(share, estimate(events, k));
    return events->left_s + share * (events->right_s - events->left_s);
}

/* Where to look next for the earliest of the candidates' zeros. */
static double next_probe(const wr_events *events, double width_s)
{
    const double left_s = events->left_s, right_s = events->right_s;
    const double zero_s = wr_events_guess(events);
    const double t_s = right_s - zero_s <= 2.0 * beyond * width_s ? right_s - back * width_s
                                                                  : zero_s + beyond * width_s;
    /* A little inside, so that a zero next to an end closes the bracket. */
    return wr_clamp(t_s, left_s + beyond * width_s, right_s - beyond * width_s);
}

int wr_events_narrow(wr_events *events, double width_s)
{
    const double wanted_s = wr_max(width_s, events->span.tolerance_s);
    int rc = events->side == 0 ? leave_left(events) : 0;
    double before_s = events->right_s - events->left_s;
    for (int i = 1; i <= MAX_ITERATIONS && rc == 0; i++) {
        const double left_s = events->left_s, right_s = events->right_s;
        const double now_s = right_s - left_s;
        if (now_s <= wanted_s)
            break;
        const int is_look = i % LOOK_BACK == 0;
        const int is_slow = is_look && now_s > slow_ratio * before_s;
        if (is_look)
            before_s = now_s;
        rc = move_end(events,
                      is_slow ? left_s + 0.5 * (right_s - left_s) : next_probe(events, wanted_s));
    }
    return rc;
}

/* Indicators at the right end. */
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

static void moved_on_average(int n, double share, const double *restrict left,
                             const double *restrict right, double *restrict ret_moved)
{
    for (int i = 0; i < n; i++)
        ret_moved[i] = share * fabs(right[i] - left[i]);
}

int wr_events_land(wr_events *events, double *ret_t_s, double *ret_z, double *ret_moved)
{
    wr_events_span span = events->span;
    for (int i = 0;; i++) {
        int rc = wr_events_narrow(events, span.tolerance_s);
        if (rc == 0)
            rc = evaluate_right(events, ret_z);
        if (rc)
            return rc;
        /* The candidates are among those found: their values come from the same point. */
        events->n_found = list_changes(events, ret_z, span.mode, events->found, &events->n_silent);
        if (events->n_found == events->n_candidate || i == MAX_REOPEN)
            break;
        span.right_s = events->right_s;
        span.z_right = ret_z;
        wr_events_open(events, &span);
    }
    *ret_t_s = events->right_s;
    const double bracket_s = events->right_s - events->left_s;
    const double share = bracket_s / (events->right_s - span.left_s);
    moved_on_average(events->n_z, share, span.z_left, ret_z, ret_moved);
    for (int k = 0; k < events->n_candidate; k++)
        ret_moved[events->candidate[k]] = fabs(events->right[k] - events->left[k]);
    return 0;
}
