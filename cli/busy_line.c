/* See busy_line.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "cli/busy_line.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/live_line.h"

enum { PAUSE_S = 1 };

struct wr_busy_line {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int is_over; /* under mutex */
    wr_live_line line;
    const char *tool;
    int n_point;
    int64_t begin_ns;
    /* Written by who looks, read by the drawing thread; they need not be of the same point (relaxed). */
    atomic_int i_point;
    _Atomic double time_s;
};

static void draw(wr_busy_line *l)
{
    char text[WR_LIVE_LINE_BYTES], point[96] = "";
    const int i_point = atomic_load_explicit(&l->i_point, memory_order_relaxed);
    if (i_point >= 0)
        snprintf(point, sizeof point, "point %d of %d, t = %.4g s, ", i_point + 1, l->n_point,
                 atomic_load_explicit(&l->time_s, memory_order_relaxed));
    snprintf(text, sizeof text, "wrsim %s: %s%.0f s", l->tool, point,
             (double)(wr_clock_monotonic_ns() - l->begin_ns) * 1e-9);
    wr_live_line_draw(&l->line, text);
}

static void *draw_until_over(void *context)
{
    wr_busy_line *const l = context;
    pthread_mutex_lock(&l->mutex);
    while (!l->is_over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += PAUSE_S;
        pthread_cond_timedwait(&l->wake, &l->mutex, &until);
        if (!l->is_over)
            draw(l);
    }
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

wr_busy_line *wr_busy_line_begin(const char *tool, int n_point)
{
    wr_busy_line *const l = isatty(STDERR_FILENO) == 1 ? calloc(1, sizeof *l) : NULL;
    if (!l)
        return NULL;
    l->tool = tool;
    l->n_point = n_point;
    l->begin_ns = wr_clock_monotonic_ns();
    atomic_init(&l->i_point, -1);
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->wake, NULL);
    if (pthread_create(&l->thread, NULL, draw_until_over, l) != 0) {
        free(l);
        return NULL;
    }
    return l;
}

void wr_busy_line_point(void *line, int i_point, double time_s)
{
    wr_busy_line *const l = line;
    if (!l)
        return;
    atomic_store_explicit(&l->time_s, time_s, memory_order_relaxed);
    atomic_store_explicit(&l->i_point, i_point, memory_order_relaxed);
}

void wr_busy_line_end(wr_busy_line **line)
{
    wr_busy_line *const l = *line;
    if (!l)
        return;
    pthread_mutex_lock(&l->mutex);
    l->is_over = 1;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->mutex);
    pthread_join(l->thread, NULL);
    wr_live_line_clear(&l->line);
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->mutex);
    free(l);
    *line = NULL;
}
