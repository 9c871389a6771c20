/* Work-precision curves as SVG: error to the right in falling decades, upwards CPU time and, in a second
 * panel, right-hand sides, all logarithmic. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench.h"
#include "runtime/record/own_file.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 210, TOP = 40, BOTTOM = 50 };

/* Colours that most people with colour-blindness can tell apart (Okabe and Ito, 2008). */
static const char *const colours[] = {"#000000", "#e69f00", "#56b4e9", "#009e73",
                                      "#0072b2", "#d55e00", "#cc79a7", "#999999"};

/* What a panel shows upwards. Of a split a right-hand side counts by its subsystem's share of the
 * states. */
typedef enum measure { TIME, WORK, MEASURES } measure;
static const char *const measure_names[MEASURES] = {[TIME] = "CPU ms", [WORK] = "f, whole model"};

static double value_of(const wr_bench_point *p, measure shown)
{
    return shown == TIME ? p->cost_s * 1e3 : p->work.n_rhs_whole;
}

/* Limits in decades; x: -log10(error), y: log10 of the measure. */
typedef struct frame {
    measure shown;
    double x_low, x_high, y_low, y_high, top;
} frame;

static double x_of(const frame *f, double error)
{
    const double x = -log10(error);
    return LEFT + (x - f->x_low) / (f->x_high - f->x_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const frame *f, double value)
{
    const double y = log10(value);
    return f->top + HEIGHT - BOTTOM -
           (y - f->y_low) / (f->y_high - f->y_low) * (HEIGHT - TOP - BOTTOM);
}

static int is_drawn(const wr_bench_point *p, measure shown)
{
    const double value = value_of(p, shown);
    return p->error > 0.0 && isfinite(p->error) && value > 0.0 && isfinite(value);
}

static frame frame_of(const wr_bench *bench, int first, int last, measure shown, double top)
{
    frame f = {shown, (double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY,
               top};
    for (int i = first; i < last; i++)
        for (int k = 0; k < bench->curve[i].n; k++) {
            const wr_bench_point *const p = &bench->curve[i].point[k];
            if (!is_drawn(p, shown))
                continue;
            const double y = log10(value_of(p, shown));
            f.x_low = wr_min(f.x_low, floor(-log10(p->error)));
            f.x_high = wr_max(f.x_high, ceil(-log10(p->error)));
            f.y_low = wr_min(f.y_low, floor(y));
            f.y_high = wr_max(f.y_high, ceil(y));
        }
    if (!(f.x_high > f.x_low)) {
        f.x_low = isfinite(f.x_low) ? f.x_low : 0.0;
        f.x_high = f.x_low + 1.0;
    }
    if (!(f.y_high > f.y_low)) {
        f.y_low = isfinite(f.y_low) ? f.y_low : 0.0;
        f.y_high = f.y_low + 1.0;
    }
    return f;
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (; *text; text++)
        if (strchr("<>&", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    fputs("</text>\n", out);
}

static void draw_axes(FILE *out, const frame *f, const char *title)
{
    char label[32];
    const double bottom = f->top + HEIGHT - BOTTOM, right = WIDTH - RIGHT;
    put_text(out, LEFT, f->top + 22.0, "start", title);
    for (double x = f->x_low; x <= f->x_high + 0.5; x += 1.0) {
        const double at = x_of(f, pow(10.0, -x));
        snprintf(label, sizeof label, "1e%+.0f", -x);
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
                at, f->top + TOP, at, bottom);
        put_text(out, at, bottom + 16.0, "middle", label);
    }
    for (double y = f->y_low; y <= f->y_high + 0.5; y += 1.0) {
        const double at = y_of(f, pow(10.0, y));
        snprintf(label, sizeof label, "%g", pow(10.0, y));
        fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
                LEFT, at, right, at);
        put_text(out, LEFT - 6.0, at + 4.0, "end", label);
    }
    put_text(out, 0.5 * (LEFT + right), bottom + 36.0, "middle",
             "error: max|y - ref| / max|ref|, worst signal");
    put_text(out, 6.0, f->top + TOP - 6.0, "start", measure_names[f->shown]);
}

static void draw_curve(FILE *out, const frame *f, const wr_bench_curve *curve, int i)
{
    const char *const colour = colours[(size_t)i % WR_COUNT_OF(colours)];
    const char *const dash = (size_t)i < WR_COUNT_OF(colours) ? "none" : "6 3";
    fprintf(out,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"%s\" "
            "points=\"",
            colour, dash);
    for (int k = 0; k < curve->n; k++)
        if (is_drawn(&curve->point[k], f->shown))
            fprintf(out, "%.1f,%.1f ", x_of(f, curve->point[k].error),
                    y_of(f, value_of(&curve->point[k], f->shown)));
    fputs("\"/>\n", out);
    for (int k = 0; k < curve->n; k++)
        if (is_drawn(&curve->point[k], f->shown))
            fprintf(out,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>rtol %.3g: error "
                    "%.3g, %.4g %s</title></circle>\n",
                    x_of(f, curve->point[k].error), y_of(f, value_of(&curve->point[k], f->shown)),
                    colour, curve->point[k].rtol, curve->point[k].error,
                    value_of(&curve->point[k], f->shown), measure_names[f->shown]);
    const double y = f->top + TOP + 8.0 + 18.0 * i;
    fprintf(out,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
            "stroke-dasharray=\"%s\"/>\n",
            WIDTH - RIGHT + 14, y, WIDTH - RIGHT + 40, y, colour, dash);
    put_text(out, WIDTH - RIGHT + 46.0, y + 4.0, "start", curve->name);
}

/* What a solver takes where auto chose it is what it takes. */
static int is_shown(const wr_bench_curve *curve)
{
    return strncmp(curve->name, WR_BENCH_AUTO " ", strlen(WR_BENCH_AUTO " ")) != 0;
}

static int count_panels(const wr_bench *bench)
{
    int n = 0;
    for (int i = 0; i < bench->n_curve; i++)
        if (i == 0 || strcmp(bench->curve_case[i], bench->curve_case[i - 1]) != 0)
            n += MEASURES;
    return n;
}

wrsim_status wr_bench_write_svg(const wr_bench *bench, const char *file)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    const int n_panel = count_panels(bench);
    if (out)
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
                "height=\"100%%\" fill=\"#fff\"/>\n" WR_OWN_DRAWING_MARK "\n",
                WIDTH, HEIGHT * (n_panel > 0 ? n_panel : 1));
    int panel = 0;
    for (int first = 0, last; out && first < bench->n_curve; first = last) {
        last = first + 1;
        while (last < bench->n_curve &&
               strcmp(bench->curve_case[last], bench->curve_case[first]) == 0)
            last++;
        for (int shown = 0; shown < MEASURES; shown++, panel++) {
            const frame f = frame_of(bench, first, last, (measure)shown, (double)HEIGHT * panel);
            draw_axes(out, &f, bench->curve_case[first]);
            for (int i = first, n = 0; i < last; i++)
                if (is_shown(&bench->curve[i]))
                    draw_curve(out, &f, &bench->curve[i], n++);
        }
    }
    if (out)
        fputs("</svg>\n", out);
    const int is_made = out && fclose(out) == 0;
    const wrsim_status code = wr_bench_write(bench, file, is_made ? text : NULL);
    free(text);
    return code;
}
