/* Judges periods of subsystems as steps of a run. See deadlines.h. Each subsystem writes its periods to its slots and counts the periods.
 * The judge reads all slots. A thread that notes a period becomes the judge if no thread is the judge. Otherwise the thread increments
 * n_judge, and the present judge reads the slots again.
 *
 * Thread: see deadlines.h. Real-time: yes. */
#include "runtime/realtime/deadlines.h"

#include <math.h>
#include <string.h>

/* Slots of a subsystem, written by the subsystem's thread. The thread reuses a slot only after the judge has judged the slot's step. */
typedef struct part {
    /* number of periods; release, partner: the judge's acquire */
    _Alignas(WR_CACHE_LINE) _Atomic int64_t n_done;
    int is_watched;
    int64_t n_miss;
    wr_histogram compute;
    /* step of each slot; a step without a slot counts as a miss */
    int64_t step[WR_DEADLINES_AHEAD];
    wr_period_time time[WR_DEADLINES_AHEAD];
} part;

struct wr_deadlines {
    int n;
    part *part; /* [n] slots of each subsystem */
    wr_deadline_policy policy;
    void (*judged)(void *context, const wr_judged_step *step);
    void *context;
    /* The thread that increments n_judge from 0 is the judge. acquire and release order successive judges. */
    _Alignas(WR_CACHE_LINE) atomic_int n_judge;
    /* number of judged steps; release, partner: the acquire in wr_deadlines_note() */
    _Atomic int64_t n_judged;
    /* relaxed: no other data depends on these flags */
    atomic_int is_degraded, is_stopping;
    /* While a thread may note periods, only the judge uses the following members: */
    _Alignas(WR_CACHE_LINE) wr_weakly_hard *monitor;
    wr_histogram compute, lateness, margin;
    wr_deadlines_stats stats;
    int64_t n_good; /* number of successive steps in time */
    int is_holding;
};

/* ---- judging ---- */

/* Inserts a step into the list of the worst steps, unless the list is full and its last step is as late or later. */
static void keep_worst(wr_deadlines_stats *s, const wr_worst_step *step)
{
    int i = s->n_worst;
    if (i == WR_DEADLINES_WORST && s->worst[--i].over_ns >= step->over_ns)
        return;
    for (; i > 0 && s->worst[i - 1].over_ns < step->over_ns; i--)
        s->worst[i] = s->worst[i - 1];
    s->worst[i] = *step;
    s->n_worst += s->n_worst < WR_DEADLINES_WORST;
}

static void apply_policy(wr_deadlines *d, int is_missed, int is_violated)
{
    d->n_good = is_missed ? 0 : d->n_good + 1;
    d->is_holding = d->policy == WR_DEADLINE_HOLD && is_missed && is_violated;
    d->stats.n_held += d->is_holding;
    if (d->policy == WR_DEADLINE_STOP && is_missed && is_violated)
        atomic_store_explicit(&d->is_stopping, 1, memory_order_relaxed);
    if (d->policy != WR_DEADLINE_DEGRADE)
        return;
    d->stats.n_degraded += atomic_load_explicit(&d->is_degraded, memory_order_relaxed);
    if (is_violated)
        atomic_store_explicit(&d->is_degraded, 1, memory_order_relaxed);
    else if (d->n_good >= d->monitor->k)
        atomic_store_explicit(&d->is_degraded, 0, memory_order_relaxed);
}

/* Judges a step. A subsystem whose slots do not contain the step misses the step. */
static void judge_step(wr_deadlines *d, int64_t i_step)
{
    wr_worst_step worst = {.i_step = i_step, .over_ns = INT64_MIN, .i_part = -1};
    int64_t compute_ns = 0, late_ns = INT64_MAX, begun_ns = INT64_MAX, done_ns = INT64_MIN;
    int n_missing = 0;
    double t_s = (double)NAN;
    for (int i = 0; i < d->n; i++) {
        const part *const p = &d->part[i];
        const int slot = (int)(i_step % WR_DEADLINES_AHEAD);
        if (!p->is_watched)
            continue;
        /* acquire: partner is the release in wr_deadlines_note. */
        if (atomic_load_explicit(&p->n_done, memory_order_acquire) <= i_step ||
            p->step[slot] != i_step) {
            if (n_missing++ == 0)
                worst.i_part = i;
            continue;
        }
        const wr_period_time *const time = &p->time[slot];
        t_s = time->t_s;
        compute_ns += time->compute_ns;
        late_ns = time->late_ns < late_ns ? time->late_ns : late_ns;
        begun_ns = time->begun_ns < begun_ns ? time->begun_ns : begun_ns;
        done_ns = time->done_ns > done_ns ? time->done_ns : done_ns;
        if (time->over_ns > worst.over_ns) {
            worst.over_ns = time->over_ns;
            worst.time = *time;
            if (n_missing == 0)
                worst.i_part = i;
        }
    }
    if (n_missing > 0) {
        worst.time = (wr_period_time){.t_s = worst.time.t_s};
        worst.over_ns = INT64_MAX;
    }
    const int is_missed = worst.over_ns > 0;
    wr_histogram_add(&d->compute, compute_ns);
    late_ns = late_ns < INT64_MAX ? late_ns : 0;
    wr_histogram_add(&d->lateness, late_ns);
    wr_histogram_add(&d->margin, is_missed ? 0 : -worst.over_ns);
    d->stats.n_abandoned += n_missing > 0;
    d->stats.last_span_ns = done_ns > begun_ns ? done_ns - begun_ns : 0;
    /* 1: all earlier steps are abandoned, so most_over_ns has no value */
    const int is_first = i_step == d->stats.n_abandoned;
    if (n_missing == 0 && (is_first || worst.over_ns > d->stats.most_over_ns))
        d->stats.most_over_ns = worst.over_ns;
    keep_worst(&d->stats, &worst);
    apply_policy(d, is_missed, wr_weakly_hard_add(d->monitor, is_missed));
    if (d->judged)
        d->judged(d->context, &(wr_judged_step){.t_s = t_s,
                                                .compute_ns = compute_ns,
                                                .late_ns = late_ns,
                                                .over_ns = worst.over_ns});
}

static void judge(wr_deadlines *d)
{
    /* acquire, release: partners are the accesses to n_judge in this function, in other threads */
    if (atomic_fetch_add_explicit(&d->n_judge, 1, memory_order_acq_rel) > 0)
        return;
    for (int n_seen = 1;;) {
        /* relaxed: only the judge writes n_judged */
        int64_t n = atomic_load_explicit(&d->n_judged, memory_order_relaxed);
        /* number of periods of the slowest and of the fastest subsystem */
        int64_t least = INT64_MAX, most = 0;
        for (int i = 0; i < d->n; i++) {
            if (!d->part[i].is_watched)
                continue;
            const int64_t n_done = atomic_load_explicit(&d->part[i].n_done, memory_order_acquire);
            least = n_done < least ? n_done : least;
            most = n_done > most ? n_done : most;
        }
        /* the fastest subsystem needs the slots of the steps before `forced` */
        const int64_t forced = most - (WR_DEADLINES_AHEAD - 1);
        for (; n < least || n < forced; n++)
            judge_step(d, n);
        atomic_store_explicit(&d->n_judged, n, memory_order_release);
        if (atomic_compare_exchange_strong_explicit(&d->n_judge, &n_seen, 0, memory_order_acq_rel,
                                                    memory_order_acquire))
            return;
    }
}

void wr_deadlines_note(wr_deadlines *d, int i_part, const wr_period_time *time)
{
    part *const p = &d->part[i_part];
    WR_ASSERT(p->is_watched);
    /* relaxed: only this thread writes n_done */
    const int64_t n = atomic_load_explicit(&p->n_done, memory_order_relaxed);
    const int slot = (int)(n % WR_DEADLINES_AHEAD);
    p->n_miss += time->over_ns > 0;
    wr_histogram_add(&p->compute, time->compute_ns);
    /* acquire: partner is the judge's release. If no slot is free, or the step is judged already, the call drops the period. */
    const int64_t n_judged = atomic_load_explicit(&d->n_judged, memory_order_acquire);
    if (n >= n_judged && n - n_judged < WR_DEADLINES_AHEAD) {
        p->step[slot] = n;
        p->time[slot] = *time;
    }
    atomic_store_explicit(&p->n_done, n + 1, memory_order_release);
    judge(d);
}

/* ---- placing ---- */

wr_deadlines *wr_deadlines_place(wr_arena *arena, const wr_deadlines_options *options)
{
    wr_arena_line(arena);
    wr_deadlines *const d = WR_NEW(arena, wr_deadlines);
    wr_arena_line(arena);
    part *const parts = WR_NEW_ARRAY(arena, part, options->n_part);
    if (!d || !parts)
        return NULL;
    d->n = options->n_part;
    d->part = parts;
    d->policy = options->policy;
    d->judged = options->judged;
    d->context = options->context;
    for (int i = 0; i < d->n; i++)
        parts[i].is_watched = options->is_watched[i];
    d->monitor = wr_weakly_hard_place(arena, options->m, options->k);
    if (!d->monitor)
        return NULL;
    wr_deadlines_reset(d);
    return d;
}

void wr_deadlines_reset(wr_deadlines *d)
{
    for (int i = 0; i < d->n; i++) {
        part *const p = &d->part[i];
        /* relaxed: no thread calls wr_deadlines_note() now */
        atomic_store_explicit(&p->n_done, 0, memory_order_relaxed);
        p->n_miss = 0;
        wr_histogram_init(&p->compute);
        for (int k = 0; k < WR_DEADLINES_AHEAD; k++)
            p->step[k] = -1;
    }
    atomic_store_explicit(&d->n_judged, 0, memory_order_relaxed);
    atomic_store_explicit(&d->is_degraded, 0, memory_order_relaxed);
    atomic_store_explicit(&d->is_stopping, 0, memory_order_relaxed);
    wr_weakly_hard_reset(d->monitor);
    wr_histogram_init(&d->compute);
    wr_histogram_init(&d->lateness);
    wr_histogram_init(&d->margin);
    memset(&d->stats, 0, sizeof d->stats);
    d->n_good = d->is_holding = 0;
}

/* ---- flags ---- */

int wr_deadlines_is_degraded(const wr_deadlines *d)
{
    return atomic_load_explicit(&d->is_degraded, memory_order_relaxed);
}

int wr_deadlines_is_stopping(const wr_deadlines *d)
{
    return atomic_load_explicit(&d->is_stopping, memory_order_relaxed);
}

int wr_deadlines_take_stop(wr_deadlines *d)
{
    return atomic_exchange_explicit(&d->is_stopping, 0, memory_order_relaxed);
}

int wr_deadlines_is_holding(const wr_deadlines *d) { return d->is_holding; }

void wr_deadlines_stats_get(const wr_deadlines *d, wr_deadlines_stats *ret_stats)
{
    *ret_stats = d->stats;
    ret_stats->n_step = d->monitor->n_step;
    ret_stats->n_miss = d->monitor->n_miss;
    ret_stats->n_violation = d->monitor->n_violation;
    ret_stats->first_violation = d->monitor->first_violation;
    ret_stats->longest_run = d->monitor->longest_run;
}

const wr_histogram *wr_deadlines_compute(const wr_deadlines *d) { return &d->compute; }
const wr_histogram *wr_deadlines_lateness(const wr_deadlines *d) { return &d->lateness; }
const wr_histogram *wr_deadlines_margin(const wr_deadlines *d) { return &d->margin; }

const wr_histogram *wr_deadlines_part_compute(const wr_deadlines *d, int i_part)
{
    return &d->part[i_part].compute;
}

int64_t wr_deadlines_part_misses(const wr_deadlines *d, int i_part)
{
    return d->part[i_part].n_miss;
}
