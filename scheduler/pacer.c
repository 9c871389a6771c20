/* Waiting for the wall clock. See pacer.h.
 *
 * Between two readings a correct clock does not go back. The clock advances by at most jump_ns plus the span of a step or the requested
 * wait. A wait begins at most one span before its moment, because the last wait has ended at its own moment. If more than the span plus
 * jump_ns is left, the clock has jumped backwards several times.
 *
 * Thread: one owner. Real-time: yes. */
#include "scheduler/pacer.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "scheduler/barrier.h"

enum { NS_PER_S = 1000000000, SLICE_NS = 50000000 };
/* number of rests without a later reading after which a clock counts as stopped (assumed): half a second at 30 ns per pause. Even coarse
 * clocks advance every 10 ms. */
enum { MOST_STILL = 1 << 24 };

static int64_t read_monotonic(void *context)
{
    (void)context;
    return wr_clock_monotonic_ns();
}

static void sleep_monotonic(void *context, int64_t due_ns)
{
    (void)context;
    const struct timespec due = {.tv_sec = due_ns / NS_PER_S, .tv_nsec = due_ns % NS_PER_S};
    /* EINTR is the only possible failure. The waiting loop then tests the stop flag. */
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

/* Returns a time rounded to int64_t, or the nearest extreme of int64_t if the time is out of range. */
static int64_t to_ns(double ns)
{
    if (ns >= 0x1p63)
        return INT64_MAX;
    if (!(ns > -0x1p63)) /* the condition is also true for NaN, which callers exclude */
        return INT64_MIN;
    return llround(ns);
}

static int64_t add_ns(int64_t a_ns, int64_t b_ns)
{
    int64_t sum;
    if (__builtin_add_overflow(a_ns, b_ns, &sum))
        return b_ns > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static int64_t subtract_ns(int64_t a_ns, int64_t b_ns)
{
    int64_t difference;
    if (__builtin_sub_overflow(a_ns, b_ns, &difference))
        return b_ns < 0 ? INT64_MAX : INT64_MIN;
    return difference;
}

wrsim_status wr_pacer_init(wr_pacer *pacer, const wr_pacer_options *options)
{
    const wr_pacer_clock *const clock = &options->clock;
    if (!(options->rate > 0.0) || isinf(options->rate) || !(options->most_late_s > 0.0) ||
        !(options->jump_s > 0.0) || options->spin_ns < WR_PACER_SPIN_ONLY ||
        !clock->now != !clock->sleep_until)
        return WRSIM_E_ARG;
    *pacer = (wr_pacer){.clock = *clock,
                        .rate = options->rate,
                        .spin_ns = options->spin_ns,
                        .most_late_ns = to_ns(options->most_late_s * NS_PER_S),
                        .jump_ns = to_ns(options->jump_s * NS_PER_S),
                        .stop = options->stop};
    if (!clock->now)
        pacer->clock = (wr_pacer_clock){.now = read_monotonic, .sleep_until = sleep_monotonic};
    wr_pacer_begin(pacer, 0.0);
    return WRSIM_OK;
}

static void anchor(wr_pacer *pacer, double t_s, int64_t now_ns)
{
    WR_ASSERT(isfinite(t_s));
    pacer->anchor_s = t_s;
    pacer->anchor_ns = now_ns;
}

void wr_pacer_begin(wr_pacer *pacer, double t_s)
{
    pacer->seen_ns = pacer->clock.now(pacer->clock.context);
    pacer->last_s = t_s;
    anchor(pacer, t_s, pacer->seen_ns);
}

int64_t wr_pacer_due_ns(const wr_pacer *pacer, double t_s)
{
    WR_ASSERT(!isnan(t_s));
    const int64_t ahead_ns = to_ns((t_s - pacer->anchor_s) / pacer->rate * NS_PER_S);
    const int is_far = ahead_ns == INT64_MIN || ahead_ns == INT64_MAX;
    return is_far ? ahead_ns : add_ns(pacer->anchor_ns, ahead_ns);
}

/* Reads the clock. Returns 1 if the clock has jumped: back by more than jump_ns, or forward by more than most_ns plus jump_ns. */
static int has_jumped(wr_pacer *pacer, int64_t most_ns)
{
    const int64_t before_ns = pacer->seen_ns;
    pacer->seen_ns = pacer->clock.now(pacer->clock.context);
    const int64_t passed_ns = subtract_ns(pacer->seen_ns, before_ns);
    return passed_ns < -pacer->jump_ns || passed_ns > add_ns(most_ns, pacer->jump_ns);
}

static int is_stopped(const wr_pacer *pacer)
{
    /* relaxed: no other data depend on the flag (partner: the store that sets the flag, in any order). */
    return pacer->stop && atomic_load_explicit(pacer->stop, memory_order_relaxed) != 0;
}

typedef enum outcome { REACHED, STOPPED, JUMPED } outcome;

/* Sleeps or pauses once. Returns the time by which the clock may advance during the call, ns. */
static int64_t rest(wr_pacer *pacer, int64_t due_ns)
{
    const int64_t left_ns = subtract_ns(due_ns, pacer->seen_ns);
    pacer->n_rest++;
    if (pacer->spin_ns == WR_PACER_SPIN_ONLY || left_ns <= pacer->spin_ns) {
        wr_pause_cpu();
        return left_ns;
    }
    int64_t sleep_ns = left_ns - pacer->spin_ns;
    if (pacer->stop && sleep_ns > SLICE_NS)
        sleep_ns = SLICE_NS;
    pacer->clock.sleep_until(pacer->clock.context, add_ns(pacer->seen_ns, sleep_ns));
    return left_ns;
}

/* Waits until due_ns. span_ns: nominal span of the step, for the test of jumps. Returns how the wait ended. */
static outcome wait_until(wr_pacer *pacer, int64_t due_ns, int64_t span_ns)
{
    const int64_t most_left_ns = add_ns(span_ns, pacer->jump_ns);
    if (has_jumped(pacer, span_ns))
        return JUMPED;
    int64_t latest_ns = pacer->seen_ns;
    for (int n_still = 0; pacer->seen_ns < due_ns; n_still++) {
        if (is_stopped(pacer))
            return STOPPED;
        if (subtract_ns(due_ns, pacer->seen_ns) > most_left_ns || n_still == MOST_STILL)
            return JUMPED;
        if (has_jumped(pacer, rest(pacer, due_ns)))
            return JUMPED;
        if (pacer->seen_ns > latest_ns) {
            latest_ns = pacer->seen_ns;
            n_still = 0;
        }
    }
    return REACHED;
}

int64_t wr_pacer_wait(wr_pacer *pacer, double t_s)
{
    if (is_stopped(pacer))
        return WR_PACER_STOPPED;
    const int64_t due_ns = wr_pacer_due_ns(pacer, t_s);
    const int64_t ahead_ns = subtract_ns(due_ns, wr_pacer_due_ns(pacer, pacer->last_s));
    const int64_t n_rest = pacer->n_rest;
    const outcome end = wait_until(pacer, due_ns, ahead_ns > 0 ? ahead_ns : 0);
    if (end == STOPPED)
        return WR_PACER_STOPPED;
    const int64_t over_ns = subtract_ns(pacer->seen_ns, due_ns);
    const int64_t late_ns = over_ns > 0 ? over_ns : 0;
    const int is_too_late = end == REACHED && late_ns > pacer->most_late_ns;
    pacer->n_wait += end == REACHED;
    pacer->n_overrun += end == REACHED && late_ns > 0 && pacer->n_rest == n_rest;
    pacer->n_reanchor += is_too_late;
    pacer->n_jump += end == JUMPED;
    pacer->last_s = t_s;
    if (end == JUMPED || is_too_late)
        anchor(pacer, t_s, pacer->seen_ns);
    return late_ns;
}
