/* See live_line.h. Thread: as live_line.h. Real-time: no. */
#include "cli/live_line.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "scheduler/rt_thread.h"

int wr_terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int wr_live_line_columns(void)
{
    const int n = wr_terminal_columns(STDERR_FILENO);
    return n > 0 ? n : WR_LIVE_LINE_BYTES;
}

void wr_live_line_draw(wr_live_line *line, const char *text)
{
    char whole[WR_LIVE_LINE_BYTES + 1];
    int most = wr_live_line_columns() - 1;
    most = most < WR_LIVE_LINE_BYTES ? most : WR_LIVE_LINE_BYTES;
    const int n_text = (int)strnlen(text, WR_LIVE_LINE_BYTES), n = n_text < most ? n_text : most;
    /* Blanks cover the end of a longer old line, unless the terminal has become too narrow for the old line. */
    const int n_all = line->n_drawn > n && line->n_drawn <= most ? line->n_drawn : n;
    memset(whole, ' ', sizeof whole);
    memcpy(whole, text, (size_t)n);
    line->n_drawn = n;
    dprintf(STDERR_FILENO, "\r%.*s", n_all, whole);
}

void wr_live_line_clear(wr_live_line *line)
{
    if (line->n_drawn == 0)
        return;
    wr_live_line_draw(line, "");
    dprintf(STDERR_FILENO, "\r");
}

struct wr_ticker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int is_over; /* protected by mutex */
    int64_t pause_ns;
    void (*tick)(void *context);
    void *context;
};

static void *tick_until_over(void *context)
{
    wr_ticker *const t = context;
    pthread_mutex_lock(&t->mutex);
    while (!t->is_over) {
        struct timespec until;
        /* CLOCK_MONOTONIC: a change of the wall clock does not disturb the ticker */
        clock_gettime(CLOCK_MONOTONIC, &until);
        const int64_t ns = until.tv_nsec + t->pause_ns;
        until.tv_sec += ns / 1000000000;
        until.tv_nsec = ns % 1000000000;
        pthread_cond_timedwait(&t->wake, &t->mutex, &until);
        if (!t->is_over)
            t->tick(t->context);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

wr_ticker *wr_ticker_start(int64_t pause_ns, void (*tick)(void *context), void *context)
{
    pthread_condattr_t clock;
    sigset_t before;
    wr_ticker *const t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (wr_ticker){.pause_ns = pause_ns, .tick = tick, .context = context};
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake, &clock);
    pthread_condattr_destroy(&clock);
    wr_rt_thread_block_signals(&before);
    const int failure = pthread_create(&t->thread, NULL, tick_until_over, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0)
        return t;
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    free(t);
    return NULL;
}

void wr_ticker_stop(wr_ticker **ticker)
{
    wr_ticker *const t = *ticker;
    if (!t)
        return;
    pthread_mutex_lock(&t->mutex);
    t->is_over = 1;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    free(t);
    *ticker = NULL;
}

/* Time between two drawings of a busy line, ns (assumed). */
static const int64_t BUSY_NS = 1000000000;

struct wr_busy_line {
    wr_ticker *ticker;
    wr_live_line line;
    const char *tool;
    int n_point;
    int64_t begin_ns;
    /* The main thread writes i_point and time_s. The ticker's thread reads i_point and time_s. The order is relaxed, because the two values
     * may belong to different points. */
    atomic_int i_point;
    _Atomic double time_s;
};

static void draw_busy(void *line)
{
    wr_busy_line *const l = line;
    char text[WR_LIVE_LINE_BYTES], point[96] = "";
    const int i_point = atomic_load_explicit(&l->i_point, memory_order_relaxed);
    if (i_point >= 0)
        snprintf(point, sizeof point, "point %d of %d, t = %.4g s, ", i_point + 1, l->n_point,
                 atomic_load_explicit(&l->time_s, memory_order_relaxed));
    snprintf(text, sizeof text, "wrsim %s: %s%.0f s", l->tool, point,
             (double)(wr_clock_monotonic_ns() - l->begin_ns) * 1e-9);
    wr_live_line_draw(&l->line, text);
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
    l->ticker = wr_ticker_start(BUSY_NS, draw_busy, l);
    if (l->ticker)
        return l;
    free(l);
    return NULL;
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
    wr_ticker_stop(&l->ticker);
    wr_live_line_clear(&l->line);
    free(l);
    *line = NULL;
}
