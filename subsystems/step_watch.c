/* Stores points and events of an advance. See step_watch.h.
 *
 * Thread: the worker of the subsystem; between advances its owner. Real-time: yes after placing.
 */
#include "subsystems/step_watch.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

static int place_events(wr_step_watch *w, wr_arena *arena)
{
    w->event = WR_NEW_ARRAY(arena, wr_event_point, w->cap_event);
    for (int i = 0; i < w->cap_event; i++) {
        if (!w->event)
            return -1;
        wr_event_point *const e = &w->event[i];
        if (WR_NEW_DOUBLES(arena, w->n_x, &e->x, &e->x_after, &e->left, &e->right) < 0 ||
            WR_NEW_DOUBLES(arena, w->n_external, &e->external, &e->external_slope) < 0 ||
            WR_NEW_DOUBLES(arena, w->n_d, &e->d, &e->d_after) < 0)
            return -1;
        e->mode = WR_NEW_ARRAY(arena, unsigned char, w->n_mode);
        e->fired = WR_NEW_ARRAY(arena, signed char, w->n_mode);
        e->due = WR_NEW_ARRAY(arena, unsigned char, w->n_component);
        if (!e->mode || !e->fired || !e->due)
            return -1;
    }
    return 0;
}

int wr_step_watch_place(wr_step_watch *w, wr_arena *arena)
{
    wr_step_watch_clear(w);
    for (int i = 0; i <= WR_STEP_WATCH_POINTS && w->has_points; i++) {
        wr_step_point *const p = i < WR_STEP_WATCH_POINTS ? &w->point[i] : &w->end;
        p->x = WR_NEW_ARRAY(arena, double, w->n_x);
        p->d = WR_NEW_ARRAY(arena, double, w->n_d);
        p->external = WR_NEW_ARRAY(arena, double, w->n_external);
        p->inside = WR_NEW_ARRAY(arena, double, w->n_external);
        p->mode = WR_NEW_ARRAY(arena, unsigned char, w->n_mode);
        if (!p->inside || !p->x || !p->d || !p->external || !p->mode)
            return -1;
    }
    w->mode_start = WR_NEW_ARRAY(arena, unsigned char, w->n_mode);
    w->mode_before = WR_NEW_ARRAY(arena, unsigned char, w->n_mode);
    w->mode_taken = WR_NEW_ARRAY(arena, unsigned char, w->n_mode);
    return w->mode_start && w->mode_before && w->mode_taken ? place_events(w, arena) : -1;
}

void wr_step_watch_accept(wr_step_watch *w)
{
    w->is_accepted = 1;
    if (w->n_mode > 0)
        memcpy(w->mode_before, w->mode_start, (size_t)w->n_mode);
}

void wr_step_watch_follow(wr_step_watch *next, const wr_step_watch *w)
{
    next->has_course = w->has_course;
    next->is_accepted = 1;
    if (w->n_mode > 0)
        memcpy(next->mode_before, w->mode_start, (size_t)w->n_mode);
}

void wr_step_watch_clear(wr_step_watch *w)
{
    w->n = w->n_event = w->n_open = w->n_lost = 0;
    w->lost_depth = (double)INFINITY;
    w->n_each = 1;
    w->n_made = 0;
}

int wr_step_watch_make_room(wr_step_watch *w, double depth)
{
    const int last = w->n_event + w->n_open - 1;
    if (last + 1 < w->cap_event)
        return 1;
    int deepest = -1;
    for (int i = 0; i < w->n_event; i++)
        if (w->event[i].is_turn &&
            w->event[i].depth > (deepest < 0 ? depth : w->event[deepest].depth))
            deepest = i;
    if (deepest < 0)
        return 0;
    const wr_event_point dropped = w->event[deepest];
    w->lost_depth = fmin(w->lost_depth, dropped.depth);
    memmove(&w->event[deepest], &w->event[deepest + 1],
            (size_t)(last - deepest) * sizeof *w->event);
    w->event[last] = dropped; /* the arrays of the dropped turn are free */
    w->n_event--;
    return 1;
}

wr_step_point *wr_step_watch_next(wr_step_watch *w)
{
    if (w->n > 0 && w->n_made < w->n_each)
        return &w->point[w->n - 1];
    if (w->n == WR_STEP_WATCH_POINTS) {
        /* Of two points the later point stays, because later inputs are older. The points swap their arrays. */
        w->n /= 2;
        for (int i = 0; i < w->n; i++) {
            wr_step_point *const kept = &w->point[2 * i + 1], dropped = w->point[i];
            kept->span_s += w->point[2 * i].span_s;
            w->point[i] = *kept;
            *kept = dropped;
        }
        w->n_each *= 2;
    }
    w->n_made = 0;
    w->point[w->n].span_s = 0.0;
    return &w->point[w->n++];
}

void wr_step_watch_made(wr_step_watch *w, double step_s)
{
    WR_ASSERT(w->n > 0);
    w->n_made++;
    w->point[w->n - 1].step_s = step_s;
    w->point[w->n - 1].span_s += step_s;
}
