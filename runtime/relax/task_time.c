/* Work by phase. See task_time.h.
 *
 * Thread: as said there. Real-time: yes after placing.
 */
#include "runtime/relax/task_time.h"

#include <math.h>

#include "base/check.h"

static const double MEMORY = 0.5; /* of recent work */
/* Weight of the earlier measurements, and the largest ratio of a measurement to them: a task may lose its CPU for a
 * while. */
static const double TIME_MEMORY = 0.9, FAR_OFF = 2.0;
static const double FARTHEST =
    1e12; /* periods from the origin: beyond it rounding hides the parts */

int wr_task_time_place(wr_task_time *time, wr_arena *arena, int has_period)
{
    time->recent = 0.0;
    time->ns_per_work = 0.0;
    time->density = has_period ? WR_NEW_ARRAY(arena, float, WR_TASK_TIME_PARTS) : NULL;
    return has_period && !time->density ? -1 : 0;
}

/* Number of parts of the period that begin in span, at least the part of its start; 0 if the span is not known. */
static int find_parts(const wr_task_time *time, wr_task_time_span span, int *ret_first)
{
    if (!time->density || !(fabs(span.from) < FARTHEST) || !(fabs(span.to) < FARTHEST) ||
        !(span.to > span.from))
        return 0;
    *ret_first = (int)((span.from - floor(span.from)) * WR_TASK_TIME_PARTS) % WR_TASK_TIME_PARTS;
    const double n = floor(span.to * WR_TASK_TIME_PARTS) - floor(span.from * WR_TASK_TIME_PARTS);
    return (int)wr_clamp(n, 1.0, WR_TASK_TIME_PARTS);
}

static void learn_time(wr_task_time *time, double ns_per_work)
{
    const double known = time->ns_per_work;
    const double now =
        known > 0.0 ? wr_clamp(ns_per_work, known / FAR_OFF, known * FAR_OFF) : ns_per_work;
    time->ns_per_work = known > 0.0 ? TIME_MEMORY * known + (1.0 - TIME_MEMORY) * now : now;
}

void wr_task_time_learn(wr_task_time *time, wr_task_time_span span, double work, int64_t ns)
{
    if (work > 0.0 && ns > 0)
        learn_time(time, (double)ns / work);
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

/* Work of an integration over span. */
static double expected_work(const wr_task_time *time, wr_task_time_span span)
{
    int first = 0;
    const int n = find_parts(time, span, &first);
    double density = 0.0;
    for (int k = 0; k < n; k++) {
        const double part = (double)time->density[(first + k) % WR_TASK_TIME_PARTS];
        if (!(part > 0.0))
            return time->recent;
        density += part;
    }
    return n > 0 ? density / n * (span.to - span.from) : time->recent;
}

double wr_task_time_expected(const wr_task_time *time, wr_task_time_span span)
{
    return wr_task_time_of_work(time, expected_work(time, span));
}
