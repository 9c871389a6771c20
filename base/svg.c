/* Drawings as SVG. See svg.h. Thread: one owner. Real-time: no. */
#include "base/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const anchors[] = {"start", "middle", "end"};
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999999"};
enum { LEGEND_STEP = 18, TICKS = 5 };
static const char dashes[] = " stroke-dasharray=\"6 3\"";

const char *wr_svg_colour(int i) { return colours[(size_t)i % WR_COUNT_OF(colours)]; }

void wr_svg_begin(wr_svg *svg, double width, double height)
{
    *svg = (wr_svg){.width = width, .height = height};
    wr_text_buffer_add(&svg->text,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                       "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\">\n" WR_SVG_MARK
                       "\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                       width, height, width, height);
}

const char *wr_svg_end(wr_svg *svg)
{
    wr_text_buffer_add(&svg->text, "</svg>\n");
    return wr_text_buffer_get(&svg->text);
}

wrsim_status wr_svg_write(wr_svg *svg, const char *path, wrsim_error *err)
{
    wr_svg_end(svg);
    return wr_text_buffer_write(&svg->text, path, err);
}

void wr_svg_done(wr_svg *svg) { wr_text_buffer_done(&svg->text); }

static void escape(wr_svg *svg, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"", *text))
            wr_text_buffer_add(&svg->text, "&#%d;", *text);
        else
            wr_text_buffer_add(&svg->text, "%c", *text);
}

static void put_line(wr_svg *svg, double x1, double y1, double x2, double y2, const char *stroke,
                     double stroke_width, const char *dash)
{
    wr_text_buffer_add(&svg->text,
                       "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" "
                       "stroke-width=\"%.2f\"%s/>\n",
                       x1, y1, x2, y2, stroke, stroke_width, dash);
}

void wr_svg_line(wr_svg *svg, double x1, double y1, double x2, double y2, const char *stroke,
                 double stroke_width)
{
    put_line(svg, x1, y1, x2, y2, stroke, stroke_width, "");
}

void wr_svg_box(wr_svg *svg, double x, double y, double width, double height, const char *fill,
                const char *stroke, const char *tip)
{
    wr_text_buffer_add(
        &svg->text,
        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"%s\"", x,
        y, width, height, fill ? fill : "none", stroke ? stroke : "none");
    if (!tip) {
        wr_text_buffer_add(&svg->text, "/>\n");
        return;
    }
    wr_text_buffer_add(&svg->text, "><title>");
    escape(svg, tip);
    wr_text_buffer_add(&svg->text, "</title></rect>\n");
}

static void put_text(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                     const char *text, int is_up)
{
    wr_text_buffer_add(&svg->text,
                       "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%.1f\"", x, y,
                       anchors[anchor], size);
    if (is_up)
        wr_text_buffer_add(&svg->text, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
    wr_text_buffer_add(&svg->text, ">");
    escape(svg, text);
    wr_text_buffer_add(&svg->text, "</text>\n");
}

void wr_svg_text(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                 const char *text)
{
    put_text(svg, x, y, anchor, size, text, 0);
}

void wr_svg_text_up(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                    const char *text)
{
    put_text(svg, x, y, anchor, size, text, 1);
}

/* ---- charts ---- */

/* Maps low to 0 and high to 1. */
static double along(double value, double low, double high, int is_log)
{
    return is_log ? (log10(value) - log10(low)) / (log10(high) - log10(low))
                  : (value - low) / (high - low);
}

double wr_svg_chart_x(const wr_svg_chart *c, double x)
{
    return c->left + c->width * along(x, c->x_low, c->x_high, c->is_log_x);
}

double wr_svg_chart_y(const wr_svg_chart *c, double y)
{
    return c->top + c->height * (1.0 - along(y, c->y_low, c->y_high, c->is_log_y));
}

/* Returns the i-th number on an axis, counted from its lower end, or NaN beyond its upper end. */
static double tick(double one, double other, int is_log, int i)
{
    const double low = wr_min(one, other), high = wr_max(one, other);
    const double first = is_log ? ceil(log10(low) - 1e-9) : 0.0;
    /* Logarithmic axes have intervals of whole decades. Other axes have intervals of 1, 2 or 5 times a power of ten, so that the range
     * has about TICKS intervals. */
    const double rough = (high - low) / TICKS, decade = pow(10.0, floor(log10(rough)));
    const double digit = rough / decade;
    const double round = digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0;
    const double by = is_log ? ceil((log10(high) - log10(low)) / 12.0) : decade * round;
    const double value = is_log ? pow(10.0, first + by * i) : (ceil(low / by - 1e-9) + i) * by;
    const double reach = is_log ? high * 1.000001 : high + 1e-9 * (high - low);
    if (!(value <= reach))
        return (double)NAN;
    return !is_log && fabs(value) < 1e-9 * by ? 0.0 : value;
}

void wr_svg_axes(wr_svg *svg, const wr_svg_chart *c)
{
    char label[32];
    const double bottom = c->top + c->height, right = c->left + c->width;
    double value;
    for (int i = 0; isfinite(value = tick(c->x_low, c->x_high, c->is_log_x, i)); i++) {
        const double x = wr_svg_chart_x(c, value);
        snprintf(label, sizeof label, "%g", value);
        wr_svg_line(svg, x, c->top, x, bottom, "#ddd", 1.0);
        wr_svg_text(svg, x, bottom + 15.0, WR_SVG_MIDDLE, 11.0, label);
    }
    for (int i = 0; isfinite(value = tick(c->y_low, c->y_high, c->is_log_y, i)); i++) {
        const double y = wr_svg_chart_y(c, value);
        snprintf(label, sizeof label, "%g", value);
        wr_svg_line(svg, c->left, y, right, y, "#ddd", 1.0);
        wr_svg_text(svg, c->left - 5.0, y + 4.0, WR_SVG_END, 11.0, label);
    }
    wr_svg_box(svg, c->left, c->top, c->width, c->height, NULL, "#333", NULL);
    if (c->title)
        wr_svg_text(svg, c->left, c->top - 8.0, WR_SVG_START, 13.0, c->title);
    if (c->x_text)
        wr_svg_text(svg, 0.5 * (c->left + right), bottom + 32.0, WR_SVG_MIDDLE, 12.0, c->x_text);
    if (c->y_text)
        wr_svg_text_up(svg, c->left - 50.0, 0.5 * (c->top + bottom), WR_SVG_MIDDLE, 12.0,
                       c->y_text);
}

/* Begins an inner <svg>, which hides everything outside the frame. */
static void enter_frame(wr_svg *svg, const wr_svg_chart *c)
{
    wr_text_buffer_add(&svg->text,
                       "<svg x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                       "viewBox=\"%.2f %.2f %.2f %.2f\">\n",
                       c->left, c->top, c->width, c->height, c->left, c->top, c->width, c->height);
}

static void leave_frame(wr_svg *svg) { wr_text_buffer_add(&svg->text, "</svg>\n"); }

/* Limits positions far outside the frame, because SVG viewers cannot represent very large numbers. */
static double near_frame(double at, double low, double size)
{
    return wr_clamp(at, low - 20.0 * size, low + 21.0 * size);
}

/* Finds the position of a point. Returns 0 if the axes cannot show the point, else 1. */
static int place(const wr_svg_chart *c, double x, double y, double *ret_x, double *ret_y)
{
    if (!isfinite(x) || !isfinite(y) || (c->is_log_x && !(x > 0.0)) || (c->is_log_y && !(y > 0.0)))
        return 0;
    *ret_x = near_frame(wr_svg_chart_x(c, x), c->left, c->width);
    *ret_y = near_frame(wr_svg_chart_y(c, y), c->top, c->height);
    return 1;
}

static void add_key(wr_svg *svg, wr_svg_chart *c, const char *colour, const char *dash,
                    const char *name)
{
    if (!name)
        return;
    const double x = c->left + c->width + 12.0, y = c->top + 8.0 + LEGEND_STEP * c->n_key++;
    put_line(svg, x, y, x + 20.0, y, colour, 3.0, dash);
    wr_svg_text(svg, x + 26.0, y + 4.0, WR_SVG_START, 12.0, name);
}

void wr_svg_curve(wr_svg *svg, wr_svg_chart *c, const double *x, const double *y, int n,
                  const char *colour, const char *name)
{
    double at_x, at_y;
    int is_down = 0;
    const char *const dash = name && c->n_key >= (int)WR_COUNT_OF(colours) ? dashes : "";
    enter_frame(svg, c);
    wr_text_buffer_add(&svg->text, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s d=\"",
                       colour, dash);
    for (int i = 0; i < n; i++) {
        const int is_there = place(c, x[i], y[i], &at_x, &at_y);
        if (is_there)
            wr_text_buffer_add(&svg->text, "%c%.2f %.2f", is_down ? 'L' : 'M', at_x, at_y);
        is_down = is_there;
    }
    wr_text_buffer_add(&svg->text, "\"/>\n");
    leave_frame(svg);
    add_key(svg, c, colour, dash, name);
}

static void put_disc(wr_svg *svg, const wr_svg_chart *c, double x, double y, double radius,
                     const char *colour, const char *tip)
{
    double at_x, at_y;
    if (!place(c, x, y, &at_x, &at_y))
        return;
    wr_text_buffer_add(&svg->text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\"><title>",
                       at_x, at_y, radius, colour);
    escape(svg, tip);
    wr_text_buffer_add(&svg->text, "</title></circle>\n");
}

void wr_svg_point(wr_svg *svg, const wr_svg_chart *c, double x, double y, double radius,
                  const char *colour, const char *tip)
{
    enter_frame(svg, c);
    put_disc(svg, c, x, y, radius, colour, tip);
    leave_frame(svg);
}

void wr_svg_points(wr_svg *svg, wr_svg_chart *c, const double *x, const double *y, int n,
                   double radius, const char *colour, const char *name)
{
    char tip[64];
    enter_frame(svg, c);
    for (int i = 0; i < n; i++) {
        snprintf(tip, sizeof tip, "%.6g, %.6g", x[i], y[i]);
        put_disc(svg, c, x[i], y[i], radius, colour, tip);
    }
    leave_frame(svg);
    add_key(svg, c, colour, "", name);
}

void wr_svg_region(wr_svg *svg, wr_svg_chart *c, const double *x, const double *y, const int *n,
                   int n_curve, const char *colour, const char *name)
{
    double at_x, at_y;
    enter_frame(svg, c);
    wr_text_buffer_add(&svg->text,
                       "<path fill=\"%s\" fill-opacity=\"0.35\" fill-rule=\"evenodd\" "
                       "stroke=\"%s\" d=\"",
                       colour, colour);
    for (int i = 0, first = 0; i < n_curve; first += n[i], i++) {
        for (int k = first; k < first + n[i]; k++)
            if (place(c, x[k], y[k], &at_x, &at_y))
                wr_text_buffer_add(&svg->text, "%c%.2f %.2f", k > first ? 'L' : 'M', at_x, at_y);
        wr_text_buffer_add(&svg->text, "Z");
    }
    wr_text_buffer_add(&svg->text, "\"/>\n");
    leave_frame(svg);
    add_key(svg, c, colour, "", name);
}
