/* Search for an earlier time with the same phase. See phase.h. Thread: as in phase.h. Real-time: yes. */
#include "runtime/relax/phase.h"

#include <math.h>

#include "subsystems/waves/hermite.h"

/* Largest number of points per period (assumed). The phase is smooth, so cubics between two points are exact enough. A full record covers
 * about two periods or more. */
enum { POINTS = 1024, CAP = 2 * POINTS };
/* Number of Newton iterations (assumed), enough from the chord of a nearly straight line to rounding. */
static const int NEWTON = 4;

struct wr_phase {
    double period;
    int is_time;
    int64_t n, n_fall;
    wr_phase_point *point; /* [CAP], point i at i % CAP */
};

wr_phase *wr_phase_place(wr_arena *arena, double period, int is_time)
{
    wr_phase *const p = WR_NEW(arena, wr_phase);
    wr_phase_point *const point = WR_NEW_ARRAY(arena, wr_phase_point, CAP);
    if (p && point)
        *p = (wr_phase){.period = period, .is_time = is_time, .point = point};
    return point ? p : NULL;
}

static const wr_phase_point *at(const wr_phase *p, int64_t i) { return &p->point[i % CAP]; }

void wr_phase_append(wr_phase *p, wr_phase_point point)
{
    if (p->is_time)
        return;
    if (p->n > 0 && point.phase < at(p, p->n - 1)->phase) {
        p->n = 0; /* the phase has decreased, so the record begins again */
        p->n_fall++;
    }
    /* If the last two points are closer than period / POINTS, the new point replaces the last point. */
    if (p->n > 1 && at(p, p->n - 1)->phase - at(p, p->n - 2)->phase < p->period / POINTS)
        p->n--;
    p->point[p->n++ % CAP] = point;
}

int64_t wr_phase_falls(const wr_phase *p) { return p->n_fall; }

void wr_phase_state(wr_phase *p, wr_state_io *io)
{
    const int64_t n = wr_state_count(io, p->n, INT64_MAX - 1);
    if (wr_state_reads(io))
        p->n = n;
    WR_STATE(io, p->n_fall);
    WR_STATE_ARRAY(io, p->point, n < CAP ? n : CAP);
}

int wr_phase_back(const wr_phase *p, wr_phase_point now, double lag, int64_t *place,
                  double *ret_t_s, double *ret_rate)
{
    if (p->is_time) {
        *ret_t_s = now.t_s - lag;
        *ret_rate = 1.0;
        return 1;
    }
    const double wanted = now.phase - lag;
    const int64_t oldest = p->n > CAP ? p->n - CAP : 0, newest = p->n - 1;
    if (p->n < 2 || !(at(p, oldest)->phase <= wanted) || !(wanted < at(p, newest)->phase) ||
        !(now.rate > 0.0))
        return 0;
    int64_t low = *place, high = newest;
    if (low < oldest || low >= newest || at(p, low)->phase > wanted)
        for (low = oldest; high - low > 1;) { /* phase(low) <= wanted < phase(high) */
            const int64_t middle = low + (high - low) / 2;
            if (at(p, middle)->phase <= wanted)
                low = middle;
            else
                high = middle;
        }
    while (at(p, low + 1)->phase <= wanted)
        low++;
    *place = low;
    const wr_phase_point *const a = at(p, low), *const b = at(p, low + 1);
    double t_s = a->t_s + (b->t_s - a->t_s) * (wanted - a->phase) / (b->phase - a->phase);
    double rate = 0.0;
    for (int i = 0; i < NEWTON; i++) {
        const wr_hermite w = wr_hermite_at(a->t_s, b->t_s, t_s);
        const double phase = wr_hermite_value(&w, a->phase, b->phase, a->rate, b->rate);
        rate = wr_hermite_slope(&w, a->phase, b->phase, a->rate, b->rate);
        if (!(rate > 0.0))
            return 0;
        const double before_s = t_s;
        t_s = wr_clamp(t_s + (wanted - phase) / rate, a->t_s, b->t_s);
        if (t_s <= before_s && t_s >= before_s)
            break;
    }
    *ret_t_s = t_s;
    *ret_rate = now.rate / rate;
    return 1;
}
