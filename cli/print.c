/* Messages and the progress line. See print.h. Thread: as print.h. Real-time: no. */
#include "cli/print.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/live_line.h"
#include "cli/options.h"
#include "cli/program_output.h"

void wr_print_in_line(const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", wr_err);
        else
            fputc(*text, wr_err);
}

void wr_print_error(void *user, const wrsim_error *error)
{
    (void)user;
    char place[sizeof error->file];
    fputs("wrsim: ", wr_err);
    wr_print_in_line(wr_arguments_place(error->file, place, sizeof place));
    fputs(error->file[0] ? ":" : "", wr_err);
    if (error->file[0] && error->line > 0)
        fprintf(wr_err, "%d:", error->line);
    if (error->file[0] && error->line > 0 && error->column > 0)
        fprintf(wr_err, "%d:", error->column);
    fputs(error->file[0] ? " " : "", wr_err);
    fputs("error: ", wr_err);
    if (error->subsystem[0]) {
        fputs("subsystem '", wr_err);
        wr_print_in_line(error->subsystem);
        fputs("': ", wr_err);
    }
    wr_print_in_line(error->text);
    fputc('\n', wr_err);
}

int wr_print_misuse(const char *command, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    fputs("wrsim: ", wr_err);
    if (vasprintf(&text, format, args) >= 0)
        wr_print_in_line(text);
    va_end(args);
    free(text);
    fprintf(wr_err, " (see wrsim %s%s--help)\n", command, *command ? " " : "");
    return wrsim_status_exit_code(WRSIM_E_ARG);
}

struct wr_progress {
    wr_ticker *ticker;
    wr_live_line line; /* used by the ticker's thread, and after its end by wr_progress_finish() */
    int64_t start_ns;
    /* The worker that ends a window writes the values. The ticker's thread reads the values. The order is relaxed, because the values may
     * belong to different windows. */
    _Atomic double start_s, time_s, stop_s;
    _Atomic int64_t n_window, n_sweep;
};

static void draw(void *progress)
{
    enum { BAR = 24 };
    wr_progress *const p = progress;
    const double start_s = atomic_load_explicit(&p->start_s, memory_order_relaxed);
    const double time_s = atomic_load_explicit(&p->time_s, memory_order_relaxed);
    const double stop_s = atomic_load_explicit(&p->stop_s, memory_order_relaxed);
    const int64_t n_window = atomic_load_explicit(&p->n_window, memory_order_relaxed);
    const int64_t n_sweep = atomic_load_explicit(&p->n_sweep, memory_order_relaxed);
    if (!(stop_s > start_s) || !(time_s > start_s))
        return;
    char sweeps[48] = ""; /* empty for a single solver */
    if (n_window > 0)
        snprintf(sweeps, sizeof sweeps, "  %.2f sweeps/window", (double)n_sweep / (double)n_window);
    const double wall_s = (double)(wr_clock_monotonic_ns() - p->start_ns) * 1e-9;
    const double done = (time_s - start_s) / (stop_s - start_s);
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < done * BAR ? '#' : '.';
    bar[BAR] = '\0';
    /* A terminal of less than 80 columns has no space for the bar. */
    char text[WR_LIVE_LINE_BYTES];
    const int is_narrow = wr_live_line_columns() < 80;
    snprintf(text, sizeof text, "%s%s%s%3.0f %%  t = %.4g s  %.3g x real time%s  %.0f s left ",
             is_narrow ? "" : "[", is_narrow ? "" : bar, is_narrow ? "" : "] ", 100.0 * done,
             time_s, (time_s - start_s) / wall_s, sweeps,
             done > 0.0 ? wall_s * (1.0 - done) / done : 0.0);
    wr_live_line_draw(&p->line, text);
}

wr_progress *wr_progress_start(void)
{
    static const int64_t pause_ns = 200000000;
    wr_progress *const p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->start_ns = wr_clock_monotonic_ns();
    p->ticker = wr_ticker_start(pause_ns, draw, p);
    if (p->ticker)
        return p;
    free(p);
    return NULL;
}

void wr_progress_update(void *progress, const wrsim_progress *now)
{
    wr_progress *const p = progress;
    atomic_store_explicit(&p->start_s, now->start_s, memory_order_relaxed);
    atomic_store_explicit(&p->time_s, now->time_s, memory_order_relaxed);
    atomic_store_explicit(&p->stop_s, now->stop_s, memory_order_relaxed);
    atomic_store_explicit(&p->n_window, now->n_window, memory_order_relaxed);
    atomic_store_explicit(&p->n_sweep, now->n_sweep, memory_order_relaxed);
}

void wr_progress_finish(wr_progress **progress)
{
    if (!progress || !*progress)
        return;
    wr_progress *const p = *progress;
    wr_ticker_stop(&p->ticker);
    draw(p);
    fputc('\n', wr_err);
    free(p);
    *progress = NULL;
}

wr_status_line wr_status_line_begin(void)
{
    return (wr_status_line){.is_shown = isatty(STDERR_FILENO) == 1};
}

void wr_status_line_draw(void *line, const char *text)
{
    static const int64_t pause_ns = 100000000;
    wr_status_line *const l = line;
    const int64_t now_ns = wr_clock_monotonic_ns();
    if (!l || !l->is_shown || (l->drawn_ns > 0 && now_ns - l->drawn_ns < pause_ns))
        return;
    wr_live_line_draw(&l->line, text);
    l->drawn_ns = now_ns;
}

void wr_status_line_end(wr_status_line *line)
{
    wr_live_line_clear(&line->line);
    *line = (wr_status_line){.is_shown = 0};
}
