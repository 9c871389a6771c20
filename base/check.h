/* Invariants, small macros, limits of numbers, and comparisons of times. Thread: any. Real-time: yes. */
#ifndef WR_CHECK_H
#define WR_CHECK_H

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "wrsim/status.h"

/* Asserts an invariant. The condition must have no side effects, because a release build does not evaluate the condition. */
#define WR_ASSERT(condition) assert(condition)

/* If the call fails, returns the status of the call from the calling function. */
#define WR_TRY(call)                                                                               \
    do {                                                                                           \
        const wrsim_status wr_try_status = (call);                                                 \
        if (wr_try_status < 0)                                                                     \
            return wr_try_status;                                                                  \
    } while (0)

/* If status is WRSIM_OK, makes the call and sets status to the result. Serves sequences of calls before a cleanup. */
#define WR_THEN(status, call)                                                                      \
    do {                                                                                           \
        if ((status) == WRSIM_OK)                                                                  \
            (status) = (call);                                                                     \
    } while (0)

#define WR_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define WR_CACHE_LINE 64

#define WR_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))

static inline double wr_max(double a, double b) { return a > b ? a : b; }
static inline double wr_min(double a, double b) { return a < b ? a : b; }
static inline double wr_clamp(double x, double low, double high)
{
    return wr_min(wr_max(x, low), high);
}

/* Returns 1 if two simulated times differ by at most 8 DBL_EPSILON (assumed) times the larger magnitude. INFINITY ("never") is close to
 * no time. Code compares computed times with this function instead of ==. */
static inline int wr_time_close(double a_s, double b_s)
{
    const double difference = fabs(a_s - b_s);
    const double magnitude = wr_max(fabs(a_s), fabs(b_s));
    const double largest = 1.7976931348623157e308;
    return difference <= 8.0 * 2.220446049250313e-16 * magnitude && difference <= largest;
}

/* Returns start_s + n * step_s, the time of a communication point or of another point of a grid. A time within rounding of 0 is 0, because
 * relative differences of such times mean nothing. */
static inline double wr_time_at(double start_s, double n, double step_s)
{
    const double t_s = start_s + n * step_s, before_s = -8.0 * 2.220446049250313e-16 * start_s;
    return t_s < before_s && -t_s < before_s ? 0.0 : t_s;
}

/* Returns 1 if t_s is at or after due_s, up to rounding. due_s is mostly INFINITY, so a cheap comparison precedes wr_time_close(). */
static inline int wr_time_is_due(double t_s, double due_s)
{
    return due_s <= t_s || (due_s < (double)INFINITY && wr_time_close(t_s, due_s));
}

#endif
