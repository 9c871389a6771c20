/* When a scenario begins and ends. See trigger.h.
 *
 * Thread: any. Real-time: yes.
 */
#include "runtime/sim/trigger.h"

#include <math.h>

#include "base/check.h"

static int phase_of(const double *d) { return (int)(d[WR_TRIGGER_PHASE] + 0.5); }

int wr_trigger_is_on(const double *d) { return phase_of(d) == WR_TRIGGER_ON; }

double wr_trigger_indicator(const wr_trigger *t, double signal)
{
    return t->is_below ? t->threshold - signal : signal - t->threshold;
}

static int is_timed(const wr_trigger *t) { return !wr_trigger_has_indicator(t); }

static double end_of(const wr_trigger *t, const double *d)
{
    return wr_min(t->until_s, d[WR_TRIGGER_BEGIN] + t->duration_s);
}

double wr_trigger_next_time(const wr_trigger *t, const double *d)
{
    if (phase_of(d) == WR_TRIGGER_WAITING && is_timed(t))
        return t->at_s;
    return wr_trigger_is_on(d) ? end_of(t, d) : (double)INFINITY;
}

static int asks_to_begin(const wr_trigger *t, const wr_trigger_seen *seen)
{
    if (is_timed(t))
        return wr_time_is_due(seen->t_s, t->at_s);
    return seen->fired > 0 || (seen->is_initial && seen->mode);
}

int wr_trigger_start(const wr_trigger *t, double t_s, double *d)
{
    return wr_trigger_event(t, &(wr_trigger_seen){.t_s = t_s}, d);
}

int wr_trigger_event(const wr_trigger *t, const wr_trigger_seen *seen, double *d)
{
    int has_begun = 0;
    if (t->is_api && seen->fired < 0)
        d[WR_TRIGGER_PHASE] = WR_TRIGGER_WAITING;
    if (phase_of(d) == WR_TRIGGER_WAITING && asks_to_begin(t, seen)) {
        d[WR_TRIGGER_PHASE] = WR_TRIGGER_ON;
        if (t->keeps_begin)
            d[WR_TRIGGER_BEGIN] = is_timed(t) ? t->at_s : seen->t_s;
        has_begun = 1;
    }
    if (wr_trigger_is_on(d) && wr_time_is_due(seen->t_s, end_of(t, d))) {
        d[WR_TRIGGER_PHASE] = WR_TRIGGER_OVER;
        has_begun = 0;
    }
    return has_begun;
}
