/* Panels of a plot. See plot.h. Thread: one owner. Real-time: no. */
#include "offline/report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "offline/report/thin.h"

/* Returns a copy of a text, with '?' instead of control characters and of bytes that are not UTF-8. */
static char *printable(const char *text)
{
    char *const copy = malloc(strlen(text) + 1);
    char *to = copy;
    for (const char *c = text; copy && *c;) {
        const size_t n = wr_utf8_length(c);
        if (n == 0 || wr_utf8_is_control(c))
            *to++ = '?';
        else
            to = (char *)memcpy(to, c, n) + n;
        c += n > 0 ? n : 1;
    }
    if (copy)
        *to = '\0';
    return copy;
}

static int add_curve(const wr_curve *c, wr_plot_panel *panel)
{
    size_t *const index = malloc((c->n + 1) * sizeof *index);
    wr_plot_curve *const curve = &panel->curve[panel->n++];
    *curve = (wr_plot_curve){.label = printable(c->name),
                             .t_s = malloc((c->n + 1) * sizeof *curve->t_s),
                             .value = malloc((c->n + 1) * sizeof *curve->value)};
    const int is_done = index && curve->label && curve->t_s && curve->value;
    if (is_done)
        curve->n = wr_thin(c->n, c->t_s, c->value, NULL, WR_PLOT_POINTS, index);
    for (size_t i = 0; is_done && i < curve->n; i++) {
        const double value = c->value[index[i]];
        curve->t_s[i] = c->t_s[index[i]];
        curve->value[i] = isfinite(value) ? value : (double)NAN;
    }
    free(index);
    return is_done;
}

/* Sets a range around all values of a panel. Half the width avoids an overflow. */
static void set_range(wr_plot_panel *p)
{
    const double largest = 1e307; /* pictures need a margin below the largest double */
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int k = 0; k < p->n; k++)
        for (size_t i = 0; i < p->curve[k].n; i++) {
            const double value = p->curve[k].value[i];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    if (!(low <= high)) {
        low = 0.0;
        high = 1.0;
    }
    const double size = fmax(fabs(low), fabs(high));
    double margin = fmax(0.1 * (0.5 * high - 0.5 * low), 1e-9 * size);
    margin = margin > 0.0 ? margin : 1.0;
    p->low = fmax(low - margin, -largest);
    p->high = fmin(high + margin, largest);
}

static int unit_is(const wr_plot_panel *panel, const char *unit)
{
    return strcmp(panel->unit, unit) == 0;
}

/* Adds a curve to the panel of its unit. */
static int place(const wr_curves *curves, int i_curve, wr_plot *plot)
{
    const char *unit = curves->curve[i_curve].unit;
    char *const text = printable(unit && strcmp(unit, "1") != 0 ? unit : "");
    int i = 0;
    while (text && i < plot->n && !unit_is(&plot->panel[i], text))
        i++;
    if (text && i == plot->n) {
        plot->panel[plot->n++] = (wr_plot_panel){
            .unit = text, .curve = calloc((size_t)curves->n, sizeof(wr_plot_curve))};
    } else {
        free(text);
    }
    return text && plot->panel[i].curve && add_curve(&curves->curve[i_curve], &plot->panel[i]);
}

int wr_plot_make(const wr_curves *curves, const char *title, wr_plot *ret)
{
    const wr_results *const r = curves->results;
    *ret = (wr_plot){.title = printable(title),
                     .panel = calloc((size_t)curves->n + 1, sizeof *ret->panel),
                     .start_s = r->n_row > 0 ? r->time_s[0] : 0.0,
                     .end_s = r->n_row > 0 ? r->time_s[r->n_row - 1] : 1.0};
    int is_done = ret->title && ret->panel;
    for (int i = 0; i < curves->n && is_done; i++)
        is_done = place(curves, i, ret);
    for (int i = 0; i < ret->n && is_done; i++)
        set_range(&ret->panel[i]);
    if (!(ret->start_s < ret->end_s)) {
        ret->start_s -= 1.0;
        ret->end_s += 1.0;
    }
    if (!is_done)
        wr_plot_done(ret);
    return is_done;
}

void wr_plot_done(wr_plot *plot)
{
    for (int i = 0; plot->panel && i < plot->n; i++) {
        for (int k = 0; k < plot->panel[i].n; k++) {
            free(plot->panel[i].curve[k].label);
            free(plot->panel[i].curve[k].t_s);
            free(plot->panel[i].curve[k].value);
        }
        free(plot->panel[i].curve);
        free(plot->panel[i].unit);
    }
    free(plot->panel);
    free(plot->title);
    *plot = (wr_plot){0};
}
