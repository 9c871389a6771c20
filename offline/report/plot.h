/* Plots of curves: as text for a terminal, as SVG, and as scripts for gnuplot and matplotlib. Curves of one unit share a panel.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_PLOT_H
#define WR_PLOT_H

#include "base/text_buffer.h"
#include "offline/report/curves.h"

/* A curve for a plot: at most WR_PLOT_POINTS points. */
typedef struct wr_plot_curve {
    char *label; /* the name, without control characters and invalid UTF-8 */
    size_t n;
    double *t_s, *value; /* [n] infinite values are NaN */
} wr_plot_curve;

typedef struct wr_plot_panel {
    char *unit; /* "": no unit */
    int n;
    wr_plot_curve *curve; /* [n] */
    double low, high;     /* range of the values with a margin; low < high */
} wr_plot_panel;

typedef struct wr_plot {
    char *title; /* name of the result file */
    int n;
    wr_plot_panel *panel;  /* [n] */
    double start_s, end_s; /* start_s < end_s */
} wr_plot;

/* Points of a curve (assumed: more than the columns of a picture). */
enum { WR_PLOT_POINTS = 8000 };

/* Formats of pictures that other programs draw. WINDOW: the program opens a window. */
typedef enum wr_plot_format { WR_PLOT_PNG, WR_PLOT_PDF, WR_PLOT_WINDOW } wr_plot_format;

/* Makes the panels of curves. Returns 0 when out of memory; *ret is then empty. */
int wr_plot_make(const wr_curves *curves, const char *title, wr_plot *ret);
void wr_plot_done(wr_plot *plot);

/* Appends the plot as text of `columns` columns, at least 40. */
void wr_plot_text(const wr_plot *plot, int columns, wr_text_buffer *to);

/* Writes the plot as SVG. */
wrsim_status wr_plot_write_svg(const wr_plot *plot, const char *path, wrsim_error *err);

/* Appends a script for gnuplot, which writes the picture to path (WINDOW: unused). If gnuplot has no window, the script ends with exit code
 * WR_PLOT_NO_WINDOW. */
void wr_plot_gnuplot(const wr_plot *plot, wr_plot_format format, const char *path,
                     wr_text_buffer *to);

/* Script for Python with the arguments FORMAT ("png", "pdf", "window") and PATH. The script reads the text of wr_plot_json() from standard
 * input, and draws by matplotlib. Without matplotlib or a window the script ends with exit code WR_PLOT_NO_WINDOW. */
extern const char wr_plot_python[];
enum { WR_PLOT_NO_WINDOW = 3 };
/* Returns the plot as JSON, from malloc; NULL when out of memory. */
char *wr_plot_json(const wr_plot *plot);

#endif
