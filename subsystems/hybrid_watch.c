/* The points of an advance, and f there with other inputs. See step_watch.h.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <string.h>

#include "subsystems/hybrid_work.h"

static void copy(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

void wr_hybrid_watch(wr_subsystem *s)
{
    wr_step_point *const point = wr_step_watch_next(s->watch);
    point->t_s = s->t_s;
    copy(point->x, s->x, s->watch->n_x);
    copy(point->d, s->d, s->watch->n_d);
    copy(point->external, s->external, s->watch->n_external);
    if (s->watch->n_mode > 0)
        memcpy(point->mode, wr_hybrid_of(s)->mode, (size_t)s->watch->n_mode);
}

int wr_hybrid_place_watch(const wr_subsystem *s, wr_arena *arena, wr_step_watch *watch)
{
    return wr_step_watch_place(watch, arena, s->n_x, s->n_d, s->n_external,
                               wr_hybrid_of(s)->group->n_z);
}

int wr_hybrid_rhs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                     double *ret_dx)
{
    wr_group *const group = wr_hybrid_of(s)->group;
    const wr_fault fault = group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    const int rc = wr_group_rhs(group, &point, ret_dx) != 0;
    wr_group_forget(group);
    group->fault = fault;
    return rc;
}
