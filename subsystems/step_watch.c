/* Points that a solver has passed. See step_watch.h.
 *
 * Thread: as there. Real-time: yes after placing.
 */
#include "subsystems/step_watch.h"

#include "base/check.h"

int wr_step_watch_place(wr_step_watch *w, wr_arena *arena, int n_x, int n_d, int n_external,
                        int n_mode)
{
    w->n_x = n_x;
    w->n_d = n_d;
    w->n_external = n_external;
    w->n_mode = n_mode;
    wr_step_watch_clear(w);
    for (int i = 0; i < WR_STEP_WATCH_POINTS; i++) {
        wr_step_point *const p = &w->point[i];
        p->x = WR_NEW_ARRAY(arena, double, n_x);
        p->d = WR_NEW_ARRAY(arena, double, n_d);
        p->external = WR_NEW_ARRAY(arena, double, n_external);
        p->mode = WR_NEW_ARRAY(arena, unsigned char, n_mode);
        if (!p->x || !p->d || !p->external || !p->mode)
            return -1;
    }
    return 0;
}

void wr_step_watch_clear(wr_step_watch *w)
{
    w->n = 0;
    w->n_each = 1;
    w->n_made = 0;
}

/* Arrays change places: none is copied. */
static void swap(wr_step_point *a, wr_step_point *b)
{
    const wr_step_point kept = *a;
    *a = *b;
    *b = kept;
}

/* The later one of two is kept: stale inputs are the worse the later it is. */
static void halve(wr_step_watch *w)
{
    for (int i = 0; i < w->n / 2; i++) {
        w->point[2 * i + 1].span_s += w->point[2 * i].span_s;
        swap(&w->point[i], &w->point[2 * i + 1]);
    }
    w->n /= 2;
    w->n_each *= 2;
}

wr_step_point *wr_step_watch_next(wr_step_watch *w)
{
    if (w->n > 0 && w->n_made < w->n_each)
        return &w->point[w->n - 1];
    if (w->n == WR_STEP_WATCH_POINTS)
        halve(w);
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
