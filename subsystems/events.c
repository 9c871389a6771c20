/* State events. See events.h.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include "subsystems/events.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Illinois converges in a handful of steps; the bound is that of pure bisection from a step of any
 * length to the last bit, plus the detours. */
enum { MAX_ITERATIONS = 200, BISECT_EVERY = 4 };

wr_events *wr_events_place(wr_arena *arena, int n_z, const unsigned char *direction)
{
    wr_events *const events = WR_NEW(arena, wr_events);
    if (!events)
        return NULL;
    *events = (wr_events){.n_z = n_z,
                          .direction = direction,
                          .left = WR_NEW_ARRAY(arena, double, n_z),
                          .right = WR_NEW_ARRAY(arena, double, n_z),
                          .middle = WR_NEW_ARRAY(arena, double, n_z)};
    return events->left && events->right && events->middle ? events : NULL;
}

static inline int is_positive(double z) { return z > 0.0; }

/* Is a change to this sign an event? direction 1 wants the new sign 1, 2 wants 0. */
static inline int is_event_to(unsigned char direction, int sign)
{
    return direction == 0 || (direction == 1) == sign;
}

/* Most steps see no sign change at all: one pass without branches finds that out. */
static int has_change(const wr_events *events, const double *z, const unsigned char *mode)
{
    int is_changed = 0;
    for (int i = 0; i < events->n_z; i++)
        is_changed |= is_positive(z[i]) ^ mode[i];
    return is_changed;
}

int wr_events_count(const wr_events *events, const double *z, const unsigned char *mode)
{
    if (!has_change(events, z, mode))
        return 0;
    int n = 0;
    for (int i = 0; i < events->n_z; i++)
        n += is_positive(z[i]) != mode[i] && is_event_to(events->direction[i], is_positive(z[i]));
    return n;
}

void wr_events_follow(const wr_events *events, const double *z, unsigned char *mode)
{
    if (!has_change(events, z, mode))
        return;
    for (int i = 0; i < events->n_z; i++)
        if (!is_event_to(events->direction[i], is_positive(z[i])))
            mode[i] = (unsigned char)is_positive(z[i]);
}

int wr_events_mark(const wr_events *events, const double *z, const unsigned char *mode,
                   signed char *ret_fired)
{
    int n = 0;
    for (int i = 0; i < events->n_z; i++) {
        const int sign = is_positive(z[i]);
        ret_fired[i] = 0;
        if (sign == mode[i] || !is_event_to(events->direction[i], sign))
            continue;
        ret_fired[i] = sign ? 1 : -1;
        n++;
    }
    return n;
}

/* Earliest of the secants' zeros of all indicators that have an event at the right end, as a share
 * of the bracket. Weights are Illinois' halvings of the end that stays. */
static double secant(const wr_events *events, const unsigned char *mode, double weight_left,
                     double weight_right)
{
    double earliest = 1.0;
    for (int i = 0; i < events->n_z; i++) {
        const int sign = is_positive(events->right[i]);
        if (sign == mode[i] || !is_event_to(events->direction[i], sign))
            continue;
        const double a = weight_left * fabs(events->left[i]);
        const double b = weight_right * fabs(events->right[i]);
        if (a + b > 0)
            earliest = wr_min(earliest, a / (a + b));
    }
    return earliest;
}

/* After an event an indicator may stand on the wrong side of zero by rounding; then its event is
 * due at once if it is still there a moment later. Moves the left end to that moment, or makes it
 * the right end. Returns 0 or what probe returned. */
static int leave_left(wr_events *events, const unsigned char *mode, double tolerance_s,
                      wr_events_probe probe, void *self, double *left_s, double *right_s)
{
    if (wr_events_count(events, events->left, mode) == 0 || *right_s - *left_s <= tolerance_s)
        return 0;
    const double t_s = *left_s + tolerance_s;
    const int rc = probe(self, t_s, events->middle);
    events->n_evaluation++;
    if (rc)
        return rc;
    const int is_right = wr_events_count(events, events->middle, mode) > 0;
    memcpy(is_right ? events->right : events->left, events->middle,
           (size_t)events->n_z * sizeof(double));
    *(is_right ? right_s : left_s) = t_s;
    return 0;
}

/* Closes the bracket. */
static int close_in(wr_events *events, const unsigned char *mode, double tolerance_s,
                    wr_events_probe probe, void *self, double *left_s, double *right_s)
{
    double weight_left = 1.0, weight_right = 1.0;
    int last_side = 0;
    for (int k = 1; k <= MAX_ITERATIONS && *right_s - *left_s > tolerance_s; k++) {
        const double width = *right_s - *left_s;
        const double share =
            k % BISECT_EVERY == 0 ? 0.5 : secant(events, mode, weight_left, weight_right);
        /* At least half a tolerance inside, so that a root next to an end closes the bracket. */
        const double t_s = wr_clamp(*left_s + share * width, *left_s + 0.5 * tolerance_s,
                                    *right_s - 0.5 * tolerance_s);
        const int rc = probe(self, t_s, events->middle);
        events->n_evaluation++;
        if (rc)
            return rc;
        double *const middle = events->middle;
        if (wr_events_count(events, middle, mode) > 0) {
            events->middle = events->right;
            events->right = middle;
            *right_s = t_s;
            weight_right = 1.0;
            weight_left = last_side > 0 ? 0.5 * weight_left : 1.0;
            last_side = 1;
        } else {
            events->middle = events->left;
            events->left = middle;
            *left_s = t_s;
            weight_left = 1.0;
            weight_right = last_side < 0 ? 0.5 * weight_right : 1.0;
            last_side = -1;
        }
    }
    return 0;
}

int wr_events_locate(wr_events *events, const unsigned char *mode, double left_s,
                     const double *z_left, double right_s, const double *z_right,
                     double tolerance_s, wr_events_probe probe, void *self, double *ret_t_s,
                     double *ret_z, double *ret_moved)
{
    const size_t bytes = (size_t)events->n_z * sizeof(double);
    /* Times cannot be told apart any finer. */
    const double finest = 4.0 * DBL_EPSILON * wr_max(fabs(left_s), fabs(right_s));
    const double tolerance = wr_max(tolerance_s, finest);
    memcpy(events->left, z_left, bytes);
    memcpy(events->right, z_right, bytes);
    int rc = leave_left(events, mode, tolerance, probe, self, &left_s, &right_s);
    if (rc == 0)
        rc = close_in(events, mode, tolerance, probe, self, &left_s, &right_s);
    if (rc)
        return rc;
    *ret_t_s = right_s;
    memcpy(ret_z, events->right, bytes);
    for (int i = 0; i < events->n_z; i++)
        ret_moved[i] = fabs(events->right[i] - events->left[i]);
    return 0;
}
