/* Drawings as SVG: lines, shapes and texts, and charts with axes, curves and filled regions.
 *
 * Lengths are in pixels, y downwards. Texts are escaped. A drawing is written whole or not at all (text_buffer.h); lack of
 * memory shows then.
 *
 *     wr_svg svg;
 *     wr_svg_begin(&svg, 600, 400);
 *     wr_svg_chart chart = {.left = 60, .top = 30, .width = 500, .height = 320, .x_low = 0, .x_high = 1,
 *                           .y_low = -1, .y_high = 1, .title = "response", .x_text = "t [s]", .y_text = "v [V]"};
 *     wr_svg_axes(&svg, &chart);
 *     wr_svg_curve(&svg, &chart, t, v, n, wr_svg_colour(0), "v");
 *     status = wr_svg_write(&svg, path, &err);
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SVG_H
#define WR_SVG_H

#include "base/text_buffer.h"

typedef struct wr_svg {
    wr_text_buffer text;
    double width, height;
} wr_svg;

typedef enum wr_svg_anchor { WR_SVG_START, WR_SVG_MIDDLE, WR_SVG_END } wr_svg_anchor;

/* The second line of every drawing, so that it is known again. */
#define WR_SVG_MARK "<!-- wrsim -->"

/* Opens a white drawing. */
void wr_svg_begin(wr_svg *svg, double width, double height);
/* Ends, writes and frees it. Returns WRSIM_OK, WRSIM_E_IO or WRSIM_E_MEMORY. */
wrsim_status wr_svg_write(wr_svg *svg, const char *path, wrsim_error *err);
/* Ends it without writing it: its text, the drawing's until wr_svg_done(); NULL when out of memory. */
const char *wr_svg_end(wr_svg *svg);
/* Frees it unwritten. */
void wr_svg_done(wr_svg *svg);

/* One of eight colours that most people with colour-blindness can tell apart (Okabe and Ito, 2008), again and again. */
const char *wr_svg_colour(int i);

void wr_svg_line(wr_svg *svg, double x1, double y1, double x2, double y2, const char *stroke,
                 double stroke_width);
/* tip NULL: none; else what is shown where the mouse rests. */
void wr_svg_box(wr_svg *svg, double x, double y, double width, double height, const char *fill,
                const char *stroke, const char *tip);
void wr_svg_text(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                 const char *text);
/* The same, turned so that it reads upwards. */
void wr_svg_text_up(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                    const char *text);

/* A panel: where it stands, and which part of the plane it shows; low > high: the axis falls. Logarithmic axes show values > 0. */
typedef struct wr_svg_chart {
    double left, top, width, height;
    double x_low, x_high, y_low, y_high;
    int is_log_x, is_log_y;
    const char *title, *x_text, *y_text; /* NULL: none */
    int n_key;                           /* legends so far; 0 at first */
} wr_svg_chart;

/* Where a value of the chart is in the drawing. */
double wr_svg_chart_x(const wr_svg_chart *chart, double x);
double wr_svg_chart_y(const wr_svg_chart *chart, double y);

/* Frame, grid, numbers and texts. Round numbers, about five on an axis; decades on a logarithmic one. */
void wr_svg_axes(wr_svg *svg, const wr_svg_chart *chart);
/* A curve through n points, interrupted where one is not finite or not to be shown, cut at the frame; name in the legend, NULL: in
 * none. Where the legend has so many that colours come again, it is dashed. */
void wr_svg_curve(wr_svg *svg, wr_svg_chart *chart, const double *x, const double *y, int n,
                  const char *colour, const char *name);
/* Discs of that radius at n points; likewise. */
void wr_svg_points(wr_svg *svg, wr_svg_chart *chart, const double *x, const double *y, int n,
                   double radius, const char *colour, const char *name);
/* One of them; tip: what is shown where the mouse rests. */
void wr_svg_point(wr_svg *svg, const wr_svg_chart *chart, double x, double y, double radius,
                  const char *colour, const char *tip);
/* The inside of closed curves one after the other, each n[i] points long, filled half transparent; what an even number of
 * them surrounds stays free. */
void wr_svg_region(wr_svg *svg, wr_svg_chart *chart, const double *x, const double *y, const int *n,
                   int n_curve, const char *colour, const char *name);

#endif
