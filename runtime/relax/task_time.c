/* Work by phase. See task_time.h.
 *
 * Thread: as in task_time.h. Real-time: yes after placing.
 */
#include "runtime/relax/task_time.h"

#include <math.h>

#include "base/check.h"

static const double MEMORY = 0.5;      /* weight of the recent work in the next value */
static const double TIME_MEMORY = 0.9; /* weight of the earlier measurements */
static const double FAR_OFF = 2.0; /* largest ratio of two measurements: a task may lose its CPU */
static const double FARTHEST =
    1e12; /* periods from the origin, beyond which rounding hides the parts */

int wr_task_time_place(wr_task_time *time, wr_arena *arena, int has_period)
{
    time->recent = 0.0;
    time->ns_per_work = 0.0;
    time->density = has_period ? WR_NEW_ARRAY(arena, float, WR_TASK_TIME_PARTS) : NULL;
    return has_period && !time->density ? -1 : 0;
}

/* Number of parts of the period that begin in span, at least 1; 0 if the span is not known. *ret_first: the part of its start. */
static int find_parts(const wr_task_time *time, wr_task_time_span span, int *ret_first)
{
    if (!time->density || !(fabs(span.from) < FARTHEST) || !(fabs(span.to) < FARTHEST) ||
        !(span.to > span.from))
        return 0;
    *ret_first = (int)((span.from - floor(span.from)) * WR_TASK_TIME_PARTS) % WR_TASK_TIME_PARTS;
    const double n = floor(span.to * WR_TASK_TIME_PARTS) - floor(span.from * WR_TASK_TIME_PARTS);
    return (int)wr_clamp(n, 1.0, WR_TASK_TIME_PARTS);
}

void wr_task_time_learn(wr_task_time *time, wr_task_time_span span, double work, int64_t ns)
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
        time->density[(first + k) % WR_TASK_TIME_PARTS] = (float)(work / (span.to - span.from));
}

double wr_task_time_of_work(const wr_task_time *time, double work)
{
    return time->ns_per_work > 0.0 ? work * time->ns_per_work : work;
}

double wr_task_time_expected(const wr_task_time *time, wr_task_time_span span)
{
    int first = 0;
    const int n = find_parts(time, span, &first);
    int is_known = n > 0;
    double density = 0.0;
    for (int k = 0; k < n; k++) {
        const double part = (double)time->density[(first + k) % WR_TASK_TIME_PARTS];
        is_known &= part > 0.0;
        density += part;
    }
    return wr_task_time_of_work(time,
                                is_known ? density / n * (span.to - span.from) : time->recent);
}
