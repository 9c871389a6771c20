/* Work by phase. See cost.h.
 *
 * Thread: as said there. Real-time: yes after placing.
 */
#include "runtime/relax/cost.h"

#include <math.h>

#include "base/check.h"

static const double MEMORY = 0.5; /* of recent work */
/* Of a measured time per unit, and by how much one measurement may differ from those before: a task may
 * have lost its CPU for a while. */
static const double TIME_MEMORY = 0.9, FAR_OFF = 2.0;
static const double FARTHEST = 1e12; /* periods, up to which parts can be told apart */

int wr_cost_place(wr_cost *c, wr_arena *arena, int has_period)
{
    c->recent = 0.0;
    c->ns_per_work = 0.0;
    c->density = has_period ? WR_NEW_ARRAY(arena, float, WR_COST_PARTS) : NULL;
    return has_period && !c->density ? -1 : 0;
}

/* Parts of the period that begin in span, and at least the one it begins in; 0 if there is no telling. */
static int find_parts(const wr_cost *c, wr_cost_span span, int *ret_first)
{
    if (!c->density || !(fabs(span.from) < FARTHEST) || !(fabs(span.to) < FARTHEST) ||
        !(span.to > span.from))
        return 0;
    *ret_first = (int)((span.from - floor(span.from)) * WR_COST_PARTS) % WR_COST_PARTS;
    const double n = floor(span.to * WR_COST_PARTS) - floor(span.from * WR_COST_PARTS);
    return (int)wr_clamp(n, 1.0, WR_COST_PARTS);
}

static void learn_time(wr_cost *c, double ns_per_work)
{
    const double known = c->ns_per_work;
    const double now =
        known > 0.0 ? wr_clamp(ns_per_work, known / FAR_OFF, known * FAR_OFF) : ns_per_work;
    c->ns_per_work = known > 0.0 ? TIME_MEMORY * known + (1.0 - TIME_MEMORY) * now : now;
}

void wr_cost_learn(wr_cost *c, wr_cost_span span, double work, int64_t ns)
{
    if (work > 0.0 && ns > 0)
        learn_time(c, (double)ns / work);
    c->recent = c->recent > 0.0 ? MEMORY * c->recent + (1.0 - MEMORY) * work : work;
    int first = 0;
    const int n = find_parts(c, span, &first);
    for (int k = 0; k < n; k++)
        c->density[(first + k) % WR_COST_PARTS] = (float)(work / (span.to - span.from));
}

double wr_cost_of_work(const wr_cost *c, double work)
{
    return c->ns_per_work > 0.0 ? work * c->ns_per_work : work;
}

/* Work of an integration over span. */
static double expected_work(const wr_cost *c, wr_cost_span span)
{
    int first = 0;
    const int n = find_parts(c, span, &first);
    double density = 0.0;
    for (int k = 0; k < n; k++) {
        const double part = (double)c->density[(first + k) % WR_COST_PARTS];
        if (!(part > 0.0))
            return c->recent;
        density += part;
    }
    return n > 0 ? density / n * (span.to - span.from) : c->recent;
}

double wr_cost_expected(const wr_cost *c, wr_cost_span span)
{
    return wr_cost_of_work(c, expected_work(c, span));
}
