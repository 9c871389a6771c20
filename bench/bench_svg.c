/* Work-precision curves as SVG. The error falls to the right; upwards are CPU time and, in a second panel, right-hand
 * sides. All axes are logarithmic. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/svg.h"
#include "bench/bench.h"
#include "runtime/record/own_file.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 210, TOP = 40, BOTTOM = 50 };

/* Quantity on the vertical axis. For a split, a right-hand side counts by its subsystem's share of the states. */
typedef enum measure { TIME, WORK, MEASURES } measure;
static const char *const measure_names[MEASURES] = {[TIME] = "CPU ms", [WORK] = "f, whole model"};

static double value_of(const wr_bench_point *p, measure shown)
{
    return shown == TIME ? p->cost_s * 1e3 : p->work.n_rhs_whole;
}

static int is_drawn(const wr_bench_point *p, measure shown)
{
    const double value = value_of(p, shown);
    return p->error > 0.0 && isfinite(p->error) && value > 0.0 && isfinite(value);
}

typedef struct range {
    double low, high;
} range;

static void include(range *r, double value)
{
    r->low = wr_min(r->low, value);
    r->high = wr_max(r->high, value);
}

/* Extends the range to whole decades, at least one. */
static void widen(range *r)
{
    const double low = r->low <= r->high ? floor(log10(r->low)) : 0.0;
    const double high = r->low <= r->high ? ceil(log10(r->high)) : 0.0;
    r->low = pow(10.0, low);
    r->high = pow(10.0, wr_max(high, low + 1.0));
}

static wr_svg_chart chart_of(const wr_bench *bench, int first, int last, measure shown, double top)
{
    range error = {(double)INFINITY, -(double)INFINITY}, value = error;
    for (int i = first; i < last; i++)
        for (int k = 0; k < bench->curve[i].n; k++) {
            const wr_bench_point *const p = &bench->curve[i].point[k];
            if (!is_drawn(p, shown))
                continue;
            include(&error, p->error);
            include(&value, value_of(p, shown));
        }
    widen(&error);
    widen(&value);
    return (wr_svg_chart){.left = LEFT,
                          .top = top + TOP,
                          .width = WIDTH - LEFT - RIGHT,
                          .height = HEIGHT - TOP - BOTTOM,
                          .x_low = error.high,
                          .x_high = error.low,
                          .y_low = value.low,
                          .y_high = value.high,
                          .is_log_x = 1,
                          .is_log_y = 1,
                          .title = bench->curve_case[first],
                          .x_text = "error: max|y - ref| / max|ref|, worst signal",
                          .y_text = measure_names[shown]};
}

static void draw_curve(wr_svg *svg, wr_svg_chart *chart, const wr_bench_curve *curve, int i,
                       measure shown)
{
    double x[WR_BENCH_POINTS], y[WR_BENCH_POINTS];
    char tip[120];
    int n = 0;
    for (int k = 0; k < curve->n; k++) {
        const wr_bench_point *const p = &curve->point[k];
        if (!is_drawn(p, shown))
            continue;
        x[n] = p->error;
        y[n] = value_of(p, shown);
        snprintf(tip, sizeof tip, "rtol %.3g: error %.3g, %.4g %s", p->rtol, x[n], y[n],
                 measure_names[shown]);
        wr_svg_point(svg, chart, x[n], y[n], 3.0, wr_svg_colour(i), tip);
        n++;
    }
    wr_svg_curve(svg, chart, x, y, n, wr_svg_colour(i), curve->name);
}

/* A curve of auto with another solver equals the curve of that solver and is not drawn. */
static int is_shown(const wr_bench_curve *curve)
{
    return strncmp(curve->name, WR_BENCH_AUTO " ", strlen(WR_BENCH_AUTO " ")) != 0;
}

/* Returns the index after the last curve of a case. */
static int end_of_case(const wr_bench *bench, int first)
{
    int last = first + 1;
    while (last < bench->n_curve && strcmp(bench->curve_case[last], bench->curve_case[first]) == 0)
        last++;
    return last;
}

static int count_panels(const wr_bench *bench)
{
    int n = 0;
    for (int first = 0; first < bench->n_curve; first = end_of_case(bench, first))
        n += MEASURES;
    return n;
}

wrsim_status wr_bench_write_svg(const wr_bench *bench, const char *file)
{
    wr_svg svg;
    const int n_panel = count_panels(bench);
    wr_svg_begin(&svg, WIDTH, HEIGHT * (n_panel > 0 ? n_panel : 1));
    wr_text_buffer_add(&svg.text, WR_OWN_DRAWING_MARK "\n");
    for (int first = 0, panel = 0; first < bench->n_curve; first = end_of_case(bench, first)) {
        const int last = end_of_case(bench, first);
        for (int shown = 0; shown < MEASURES; shown++, panel++) {
            wr_svg_chart chart =
                chart_of(bench, first, last, (measure)shown, (double)HEIGHT * panel);
            wr_svg_axes(&svg, &chart);
            for (int i = first, n = 0; i < last; i++)
                if (is_shown(&bench->curve[i]))
                    draw_curve(&svg, &chart, &bench->curve[i], n++, (measure)shown);
        }
    }
    const wrsim_status code = wr_bench_write(bench, file, wr_svg_end(&svg));
    wr_svg_done(&svg);
    return code;
}
