/* Work by phase. See phase_cost.h. Thread: as in phase_cost.h. Real-time: yes after placing. */
#include "runtime/relax/phase_cost.h"

#include <math.h>

#include "base/check.h"

/* weight of the earlier mean in the next mean of work (assumed) */
static const double MEMORY = 0.5;
static const double TIME_MEMORY = 0.9; /* weight of the earlier measurements (assumed) */
/* Largest ratio of a measurement to the mean of earlier measurements, or of the mean to the measurement (assumed). A larger ratio counts as
 * this ratio. A task that loses its CPU has a larger ratio. */
static const double FAR_OFF = 2.0;
static const double FARTHEST =
    1e12; /* distance from the origin, in periods, beyond which rounding hides the parts (assumed) */

int wr_phase_cost_place(wr_phase_cost *time, wr_arena *arena, int has_period)
{
    time->recent = 0.0;
    time->ns_per_work = 0.0;
    time->density = has_period ? WR_NEW_ARRAY(arena, float, WR_PHASE_COST_PARTS) : NULL;
    return has_period && !time->density ? -1 : 0;
}

/* Returns the number of parts of the period that begin in span, from 1 to WR_PHASE_COST_PARTS; 0 without a period or a known span.
 * *ret_first: the part of the period in which span begins. */
static int find_parts(const wr_phase_cost *time, wr_phase_cost_span span, int *ret_first)
{
    if (!time->density || !(fabs(span.from) < FARTHEST) || !(fabs(span.to) < FARTHEST) ||
        !(span.to > span.from))
        return 0;
    *ret_first = (int)((span.from - floor(span.from)) * WR_PHASE_COST_PARTS) % WR_PHASE_COST_PARTS;
    const double n = floor(span.to * WR_PHASE_COST_PARTS) - floor(span.from * WR_PHASE_COST_PARTS);
    return (int)wr_clamp(n, 1.0, WR_PHASE_COST_PARTS);
}

void wr_phase_cost_learn(wr_phase_cost *time, wr_phase_cost_span span, double work, int64_t ns)
{
    const double known = time->ns_per_work;
    if (work > 0.0 && ns > 0 && known > 0.0) {
        const double now = wr_clamp((double)ns / work, known / FAR_OFF, known * FAR_OFF);
        time->ns_per_work = TIME_MEMORY * known + (1.0 - TIME_MEMORY) * now;
    } else if (work > 0.0 && ns > 0)
        time->ns_per_work = (double)ns / work;
    time->recent = time->recent > 0.0 ? MEMORY * time->recent + (1.0 - MEMORY) * work : work;
    int first = 0;
    const int n = find_parts(time, span, &first);
    for (int k = 0; k < n; k++)
        time->density[(first + k) % WR_PHASE_COST_PARTS] = (float)(work / (span.to - span.from));
}

double wr_phase_cost_of_work(const wr_phase_cost *time, double work)
{
    return time->ns_per_work > 0.0 ? work * time->ns_per_work : work;
}

double wr_phase_cost_expected(const wr_phase_cost *time, wr_phase_cost_span span)
{
    int first = 0;
    const int n = find_parts(time, span, &first);
    int is_known = n > 0;
    double density = 0.0;
    for (int k = 0; k < n; k++) {
        const double part = (double)time->density[(first + k) % WR_PHASE_COST_PARTS];
        is_known &= part > 0.0;
        density += part;
    }
    return wr_phase_cost_of_work(time,
                                 is_known ? density / n * (span.to - span.from) : time->recent);
}
