/* Plots as SVG, and as scripts for gnuplot and matplotlib. See plot.h. Thread: one owner. Real-time: no. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/svg.h"
#include "offline/report/plot.h"

/* Size of a picture and of the margins of a panel, pixels. */
enum {
    WIDTH = 900,
    PANEL = 300,
    MARGIN_LEFT = 80,
    MARGIN_RIGHT = 20, /* without the legend */
    LEGEND_MARK = 36,
    LEGEND_LETTER = 7,
    LEGEND_MOST = 400,
    MARGIN_TOP = 34,
    MARGIN_BOTTOM = 46
};

static const char TIME_TEXT[] = "time [s]";

/* ---- SVG ---- */

/* Returns the width of the legend, pixels. The legend is on the right of the panels; very long names leave the picture. */
static double legend_width(const wr_plot *plot)
{
    size_t n = 0;
    for (int i = 0; i < plot->n; i++)
        for (int k = 0; k < plot->panel[i].n; k++) {
            const size_t n_byte = strlen(plot->panel[i].curve[k].label);
            n = n_byte > n ? n_byte : n;
        }
    return fmin(LEGEND_MARK + LEGEND_LETTER * (double)n, LEGEND_MOST);
}

wrsim_status wr_plot_write_svg(const wr_plot *plot, const char *path, wrsim_error *err)
{
    wr_svg svg;
    wr_svg_begin(&svg, WIDTH, PANEL * (plot->n > 0 ? plot->n : 1));
    for (int i = 0; i < plot->n; i++) {
        const wr_plot_panel *const p = &plot->panel[i];
        wr_svg_chart chart = {.left = MARGIN_LEFT,
                              .top = (double)PANEL * i + MARGIN_TOP,
                              .width = WIDTH - MARGIN_LEFT - MARGIN_RIGHT - legend_width(plot),
                              .height = PANEL - MARGIN_TOP - MARGIN_BOTTOM,
                              .x_low = plot->start_s,
                              .x_high = plot->end_s,
                              .y_low = p->low,
                              .y_high = p->high,
                              .title = i == 0 ? plot->title : NULL,
                              .x_text = i == plot->n - 1 ? TIME_TEXT : NULL,
                              .y_text = p->unit};
        wr_svg_axes(&svg, &chart);
        for (int k = 0; k < p->n; k++)
            wr_svg_curve(&svg, &chart, p->curve[k].t_s, p->curve[k].value, (int)p->curve[k].n,
                         wr_svg_colour(k), p->curve[k].label);
    }
    return wr_svg_write(&svg, path, err);
}

/* ---- gnuplot ---- */

/* Adds a string of gnuplot, in which two quotes stand for one. */
static void add_quoted(wr_text_buffer *to, const char *text)
{
    wr_text_buffer_add(to, "'");
    for (const char *c = text; *c; c++)
        wr_text_buffer_add(to, *c == '\'' ? "''" : "%c", *c);
    wr_text_buffer_add(to, "'");
}

/* Adds a number; gnuplot leaves gaps at NaN. */
static void add_number(wr_text_buffer *to, double value)
{
    char text[WR_NUMBER_CAP];
    wr_number_print(value, text);
    wr_text_buffer_add(to, "%s ", isnan(value) ? "NaN" : text);
}

static void add_data(const wr_plot *plot, wr_text_buffer *to)
{
    for (int i = 0; i < plot->n; i++)
        for (int k = 0; k < plot->panel[i].n; k++) {
            const wr_plot_curve *const c = &plot->panel[i].curve[k];
            wr_text_buffer_add(to, "$d%d_%d << END\n", i, k);
            for (size_t n = 0; n < c->n; n++) {
                add_number(to, c->t_s[n]);
                add_number(to, c->value[n]);
                wr_text_buffer_add(to, "\n");
            }
            /* gnuplot refuses a block without a row. */
            wr_text_buffer_add(to, "%sEND\n", c->n == 0 ? "NaN NaN\n" : "");
        }
}

void wr_plot_gnuplot(const wr_plot *plot, wr_plot_format format, const char *path,
                     wr_text_buffer *to)
{
    const int height = PANEL * (plot->n > 0 ? plot->n : 1);
    wr_text_buffer_add(to, "set encoding utf8\n");
    if (format == WR_PLOT_PNG)
        wr_text_buffer_add(to, "set terminal pngcairo noenhanced size %d,%d\n", WIDTH, height);
    else if (format == WR_PLOT_PDF)
        wr_text_buffer_add(to, "set terminal pdfcairo noenhanced size %.2fin,%.2fin\n",
                           WIDTH / 100.0, height / 100.0);
    else
        wr_text_buffer_add(to,
                           "if (GPVAL_TERM eq 'unknown' || GPVAL_TERM eq 'dumb') exit status %d\n",
                           WR_PLOT_NO_WINDOW);
    if (format != WR_PLOT_WINDOW) {
        wr_text_buffer_add(to, "set output ");
        add_quoted(to, path);
        wr_text_buffer_add(to, "\n");
    }
    add_data(plot, to);
    wr_text_buffer_add(to, "set grid\nset datafile missing 'NaN'\nset multiplot layout %d,1 title ",
                       plot->n);
    add_quoted(to, plot->title);
    wr_text_buffer_add(to, " noenhanced\nset xrange [");
    add_number(to, plot->start_s);
    wr_text_buffer_add(to, ":");
    add_number(to, plot->end_s);
    wr_text_buffer_add(to, "]\n");
    for (int i = 0; i < plot->n; i++) {
        const wr_plot_panel *const p = &plot->panel[i];
        wr_text_buffer_add(to, "set xlabel '%s'\nset ylabel ", i == plot->n - 1 ? TIME_TEXT : "");
        add_quoted(to, p->unit);
        wr_text_buffer_add(to, " noenhanced\nset yrange [");
        add_number(to, p->low);
        wr_text_buffer_add(to, ":");
        add_number(to, p->high);
        wr_text_buffer_add(to, "]\nplot ");
        for (int k = 0; k < p->n; k++) {
            wr_text_buffer_add(to, "%s$d%d_%d using 1:2 with lines linecolor rgb '%s' title ",
                               k > 0 ? ", " : "", i, k, wr_svg_colour(k));
            add_quoted(to, p->curve[k].label);
            wr_text_buffer_add(to, " noenhanced");
        }
        wr_text_buffer_add(to, "\n");
    }
    wr_text_buffer_add(to, "unset multiplot\nunset output\n");
}

/* ---- matplotlib ---- */

static void numbers_json(wr_json *json, const char *key, const double *value, size_t n)
{
    wr_json_array(json, key);
    for (size_t i = 0; i < n; i++)
        wr_json_number(json, NULL, value[i]);
    wr_json_end(json);
}

char *wr_plot_json(const wr_plot *plot)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "title", plot->title);
    wr_json_number(&json, "start", plot->start_s);
    wr_json_number(&json, "end", plot->end_s);
    wr_json_array(&json, "panels");
    for (int i = 0; i < plot->n; i++) {
        const wr_plot_panel *const p = &plot->panel[i];
        wr_json_object(&json, NULL);
        wr_json_string(&json, "unit", p->unit);
        wr_json_number(&json, "low", p->low);
        wr_json_number(&json, "high", p->high);
        wr_json_array(&json, "curves");
        for (int k = 0; k < p->n; k++) {
            wr_json_object(&json, NULL);
            wr_json_string(&json, "label", p->curve[k].label);
            wr_json_string(&json, "colour", wr_svg_colour(k));
            numbers_json(&json, "t", p->curve[k].t_s, p->curve[k].n);
            numbers_json(&json, "value", p->curve[k].value, p->curve[k].n);
            wr_json_end(&json);
        }
        wr_json_end(&json);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    wr_json_end(&json);
    return wr_json_take(&json);
}

/* matplotlib reads '$' as the start of a formula, and omits labels that begin with '_'. */
const char wr_plot_python[] =
    "import json, sys\n"
    "data = json.load(sys.stdin)\n"
    "try:\n"
    "    import matplotlib\n"
    "    if sys.argv[1] != 'window':\n"
    "        matplotlib.use('Agg')\n"
    "    from matplotlib import pyplot\n"
    "    if sys.argv[1] == 'window' and matplotlib.get_backend().lower() == 'agg':\n"
    "        sys.exit(3)\n"
    "except ImportError:\n"
    "    sys.exit(3)\n"
    "def text(name):\n"
    "    return ('\\u200b' if name.startswith('_') else '') + name.replace('$', '\\\\$')\n"
    "panels = data['panels']\n"
    "figure, axes = pyplot.subplots(max(1, len(panels)), squeeze=False, sharex=True,\n"
    "                               figsize=(9, 3 * max(1, len(panels))), layout='constrained')\n"
    "for panel, (axis,) in zip(panels, axes):\n"
    "    for c in panel['curves']:\n"
    "        values = [float('nan') if v is None else v for v in c['value']]\n"
    "        axis.plot(c['t'], values, color=c['colour'], label=text(c['label']), linewidth=1)\n"
    "    axis.set(ylabel=text(panel['unit']), ylim=(panel['low'], panel['high']))\n"
    "    axis.grid(True)\n"
    "    axis.legend()\n"
    "axes[-1][0].set(xlabel='time [s]', xlim=(data['start'], data['end']))\n"
    "figure.suptitle(text(data['title']))\n"
    "if sys.argv[1] == 'window':\n"
    "    pyplot.show()\n"
    "else:\n"
    "    pyplot.savefig(sys.argv[2], format=sys.argv[1])\n";
