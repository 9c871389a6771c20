/* Bode diagrams. See bode.h.
 *
 * Thread: any. Real-time: no.
 */
#include "offline/reduction/bode.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/svg.h"

enum { WIDTH = 760, HEIGHT = 860, LEFT = 80, CHART_WIDTH = 480, CHART_HEIGHT = 210, STEP = 275 };

static const double DECADES_SHOWN = 1e-12; /* shown range below the largest magnitude */

/* State of a drawing: the positive frequencies of one column. */
typedef struct bode {
    const wr_linear_system *system;
    const wr_reduction *r;
    int i_column, first, n; /* frequencies first .. first + n - 1 of the responses */
    double *y[2];           /* [n] values of the full and the reduced system */
    wr_svg svg;
} bode;

static double complex at(const bode *b, const wr_response *response, int k, int i_output)
{
    return response
        ->value[((b->first + k) * response->n_column + b->i_column) * response->n_output +
                i_output];
}

static double magnitude(const bode *b, const wr_response *response, int k, int i)
{
    return cabs(at(b, response, k, i));
}

static double phase(const bode *b, const wr_response *response, int k, int i)
{
    return carg(at(b, response, k, i)) * 57.29577951308232;
}

/* Returns the error relative to the peak at all frequencies, as wr_response_compare(); 0 for the full system. */
static double error(const bode *b, const wr_response *response, int k, int i)
{
    const wr_response *const full = &b->r->full;
    double peak = 0.0;
    for (int j = -b->first; j < b->n; j++)
        peak = fmax(peak, magnitude(b, full, j, i));
    return response == full || !(peak > 0.0)
               ? 0.0
               : cabs(at(b, response, k, i) - at(b, full, k, i)) / peak;
}

typedef double (*quantity)(const bode *, const wr_response *, int k, int i_output);

/* Returns 0 for an output on which the input has no influence in both systems. */
static int is_moved(const bode *b, int i_output)
{
    for (int k = 0; k < b->n; k++)
        if (magnitude(b, &b->r->full, k, i_output) > 0.0 ||
            magnitude(b, &b->r->response, k, i_output) > 0.0)
            return 1;
    return 0;
}

static void draw_chart(bode *b, int i_chart, const char *title, const char *y_text, quantity value)
{
    wr_svg_chart chart = {.left = LEFT,
                          .top = 50 + i_chart * STEP,
                          .width = CHART_WIDTH,
                          .height = CHART_HEIGHT,
                          .x_low = b->r->low_Hz,
                          .x_high = b->r->high_Hz,
                          .y_low = -180.0,
                          .y_high = 180.0,
                          .is_log_x = 1,
                          .is_log_y = value != phase,
                          .title = title,
                          .x_text = "frequency [Hz]",
                          .y_text = y_text};
    if (value != phase) {
        double most = 0.0, least = (double)INFINITY;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < b->system->n_output; i++)
                for (int k = 0; k < b->n; k++) {
                    const double v = value(b, value == error ? &b->r->response : &b->r->full, k, i);
                    if (pass == 0)
                        most = fmax(most, v);
                    else if (v >= DECADES_SHOWN * most && v > 0.0)
                        least = fmin(least, v);
                }
        chart.y_high = most > 0.0 ? pow(10.0, ceil(log10(most))) : 1.0;
        chart.y_low = isfinite(least) ? pow(10.0, floor(log10(least))) : 0.1;
        if (!(chart.y_low < chart.y_high))
            chart.y_low = chart.y_high / 10.0;
    }
    wr_svg_axes(&b->svg, &chart);
    const double *const hz = b->r->full.hz + b->first;
    for (int i = 0; i < b->system->n_output; i++) {
        if (!is_moved(b, i))
            continue;
        for (int k = 0; k < b->n; k++) {
            b->y[0][k] = value(b, &b->r->full, k, i);
            b->y[1][k] = value(b, &b->r->response, k, i);
        }
        const char *const colour = wr_svg_colour(i);
        if (value == error)
            wr_svg_curve(&b->svg, &chart, hz, b->y[1], b->n, colour, NULL);
        else {
            wr_svg_curve(&b->svg, &chart, hz, b->y[0], b->n, colour,
                         value == magnitude ? b->system->output[i].name : NULL);
            wr_svg_points(&b->svg, &chart, hz, b->y[1], b->n, 2.0, colour, NULL);
        }
    }
}

wrsim_status wr_bode_write(const char *path, const char *title, const wr_linear_system *system,
                           const wr_reduction *r, int i_column, wrsim_error *err)
{
    bode b = {.system = system, .r = r, .i_column = i_column};
    b.first = r->full.n > 0 && !(r->full.hz[0] > 0.0);
    b.n = r->full.n - b.first;
    b.y[0] = malloc(2 * ((size_t)b.n + 1) * sizeof *b.y[0]);
    if (!b.y[0])
        return wr_error_memory(err);
    b.y[1] = b.y[0] + b.n;
    wr_svg_begin(&b.svg, WIDTH, HEIGHT);
    draw_chart(&b, 0, title, "magnitude", magnitude);
    draw_chart(&b, 1, "lines: full, points: reduced", "phase [degrees]", phase);
    draw_chart(&b, 2, "difference, in parts of the largest magnitude", "error", error);
    free(b.y[0]);
    return wr_svg_write(&b.svg, path, err);
}
