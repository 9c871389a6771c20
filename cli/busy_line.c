/* See busy_line.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "cli/busy_line.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/live_line.h"
#include "cli/ticker.h"

static const int64_t PAUSE_NS = 1000000000;

struct wr_busy_line {
    wr_ticker *ticker;
    wr_live_line line;
    const char *tool;
    int n_point;
    int64_t begin_ns;
    /* The main thread writes both values, the ticker's thread reads them. Relaxed order: the values may belong to
     * different points. */
    atomic_int i_point;
    _Atomic double time_s;
};

static void draw(void *line)
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
    l->ticker = wr_ticker_start(PAUSE_NS, draw, l);
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
