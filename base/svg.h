/* Drawings as SVG: lines, shapes and texts, and charts with axes, curves and filled regions.
 *
 * Lengths are in pixels, y points downwards. The functions escape texts. wr_svg_write() writes a complete file or no file (text_file.h).
 * Only wr_svg_write() and wr_svg_end() report a lack of memory.
 *
 *     wr_svg svg;
 *     wr_svg_begin(&svg, 600, 400);
 *     wr_svg_chart chart = {.left = 60, .top = 30, .width = 500, .height = 320, .x_low = 0, .x_high = 1,
 *                           .y_low = -1, .y_high = 1, .title = "response", .x_text = "t [s]", .y_text = "v [V]"};
 *     wr_svg_axes(&svg, &chart);
 *     wr_svg_curve(&svg, &chart, t, v, n, wr_svg_colour(0), "v");
 *     status = wr_svg_write(&svg, path, &err);
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SVG_H
#define WR_SVG_H

#include "base/text_buffer.h"

typedef struct wr_svg {
    wr_text_buffer text;
    double width, height;
} wr_svg;

typedef enum wr_svg_anchor { WR_SVG_START, WR_SVG_MIDDLE, WR_SVG_END } wr_svg_anchor;

/* Second line of every drawing; marks files that wrsim may overwrite. */
#define WR_SVG_MARK "<!-- wrsim -->"

/* Begins a drawing with a white background. */
void wr_svg_begin(wr_svg *svg, double width, double height);
/* Ends, writes and frees the drawing. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_svg_write(wr_svg *svg, const char *path, wrsim_error *err);
/* Ends the drawing and returns its text, valid until wr_svg_done(), or NULL when memory is exhausted. */
const char *wr_svg_end(wr_svg *svg);
/* Frees the drawing; writes no file. */
void wr_svg_done(wr_svg *svg);

/* Returns one of eight colours, cyclic in i: the colours for colour-blind readers of M. Okabe and K. Ito ("Color universal design", 2008),
 * with grey instead of yellow. */
const char *wr_svg_colour(int i);

void wr_svg_line(wr_svg *svg, double x1, double y1, double x2, double y2, const char *stroke,
                 double stroke_width);
/* Draws a box. tip: text shown under the mouse; NULL: none. */
void wr_svg_box(wr_svg *svg, double x, double y, double width, double height, const char *fill,
                const char *stroke, const char *tip);
void wr_svg_text(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                 const char *text);
/* Draws a text like wr_svg_text, rotated by 90 degrees: the text reads upwards. */
void wr_svg_text_up(wr_svg *svg, double x, double y, wr_svg_anchor anchor, double size,
                    const char *text);

/* A panel: position in the drawing and shown range of values. low > high: the axis is reversed. Logarithmic axes show values > 0 only. */
typedef struct wr_svg_chart {
    double left, top, width, height;
    double x_low, x_high, y_low, y_high;
    int is_log_x, is_log_y;
    const char *title, *x_text, *y_text; /* texts of the panel and its axes; NULL: none */
    int n_key;                           /* number of legend entries so far; initially 0 */
} wr_svg_chart;

/* Return the position, in pixels, that a value of the x or y axis has in the drawing. */
double wr_svg_chart_x(const wr_svg_chart *chart, double x);
double wr_svg_chart_y(const wr_svg_chart *chart, double y);

/* Draws frame, grid, numbers and texts. An axis has about five round numbers, or decades if logarithmic. */
void wr_svg_axes(wr_svg *svg, const wr_svg_chart *chart);
/* Draws a curve through n points, cut at the frame. The curve has gaps at points that are not finite or that the axes cannot show. name:
 * legend entry; NULL: none. From the ninth legend entry on, named curves are dashed, because colours repeat. */
void wr_svg_curve(wr_svg *svg, wr_svg_chart *chart, const double *x, const double *y, int n,
                  const char *colour, const char *name);
/* Draws discs of radius `radius`, pixels, at n points. name: as for wr_svg_curve. */
void wr_svg_points(wr_svg *svg, wr_svg_chart *chart, const double *x, const double *y, int n,
                   double radius, const char *colour, const char *name);
/* Draws one disc; tip: text shown under the mouse. */
void wr_svg_point(wr_svg *svg, const wr_svg_chart *chart, double x, double y, double radius,
                  const char *colour, const char *tip);
/* Fills the inside of n_curve closed curves, n[i] points each, with opacity 0.35. The fill excludes points inside an even number of
 * curves. */
void wr_svg_region(wr_svg *svg, wr_svg_chart *chart, const double *x, const double *y, const int *n,
                   int n_curve, const char *colour, const char *name);

#endif
