/* Results of a benchmark: the cheapest contestant at each error, all results as JSON, and the curves as SVG. See bench_report.h.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "base/svg.h"
#include "offline/point_cost.h"
#include "runtime/record/own_file.h"
#include "scheduler/machine.h"

const double wr_bench_errors[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0.0};

double wr_bench_cost_at(const wr_bench_curve *c, double error)
{
    double best = (double)NAN;
    for (int i = 0; i < c->n; i++) {
        const wr_bench_point *const b = &c->point[i], *const a = i > 0 ? b - 1 : b;
        if (!(b->error <= error))
            continue;
        double cost_s = b->cost_s;
        if (a->error > error && b->error > 0.0)
            cost_s = a->cost_s *
                     pow(b->cost_s / a->cost_s, log(a->error / error) / log(a->error / b->error));
        best = !(wr_min(cost_s, b->cost_s) >= best) ? wr_min(cost_s, b->cost_s) : best;
    }
    return best;
}

wr_bench_winner wr_bench_winner_at(const wr_bench *bench, int first, int last, double error)
{
    wr_bench_winner w = {"", (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    for (int i = first; i < last; i++) {
        const wr_bench_curve *const c = &bench->curve[i];
        const double cost_s = wr_bench_cost_at(c, error);
        if (isnan(cost_s))
            continue;
        if (!(cost_s >= w.cost_s)) {
            w.name = c->name;
            w.cost_s = cost_s;
        }
        if (strncmp(c->name, "monolithic", strlen("monolithic")) == 0 &&
            !(cost_s >= w.monolithic_s))
            w.monolithic_s = cost_s;
        if (strcmp(c->name, "relaxed") == 0)
            w.relaxed_s = cost_s;
        if ((strncmp(c->name, WR_BENCH_AUTO, strlen(WR_BENCH_AUTO)) == 0) && !(cost_s >= w.auto_s))
            w.auto_s = cost_s;
    }
    return w;
}

int wr_bench_end_of_case(const wr_bench *bench, int first)
{
    int last = first + 1;
    while (last < bench->n_curve && strcmp(bench->curve_case[last], bench->curve_case[first]) == 0)
        last++;
    return last;
}

static void json_work(wr_json *j, const char *key, const wr_trial_sample *s)
{
    wr_json_object(j, key);
    wr_json_number(j, "n_step", s->n_step);
    wr_json_number(j, "n_rhs", s->n_rhs);
    wr_json_number(j, "n_rhs_whole", s->n_rhs_whole);
    wr_json_number(j, "n_indicator_evaluation", s->n_indicator);
    wr_json_number(j, "n_event", s->n_event);
    wr_json_number(j, "n_window", s->n_window);
    wr_json_number(j, "n_sweep", s->n_sweep);
    wr_json_number(j, "n_integration", s->n_integration);
    if (s->point_s > 0.0)
        wr_report_points_json(j, s->points);
    wr_json_end(j);
}

static void json_row(wr_json *j, const wr_bench_row *r)
{
    wr_json_object(j, NULL);
    wr_json_string(j, "case", r->name);
    wr_json_string(j, "baseline", r->baseline);
    wr_json_integer(j, "cores", r->cores);
    wr_json_string(j, "kind", r->kind);
    wr_json_integer(j, "n_round", r->n_round);
    wr_json_number(j, "ratio", r->ratio);
    wr_json_number(j, "ratio_low", r->ratio_low);
    wr_json_number(j, "ratio_high", r->ratio_high);
    wr_json_number(j, "error", r->error);
    wr_json_number(j, "error_baseline", r->error_baseline);
    wr_json_number(j, "error_reference", r->error_reference);
    wr_json_number(j, "wall_s", r->wall_s);
    wr_json_number(j, "wall_baseline_s", r->wall_baseline_s);
    if (r->unit_ns > 0.0)
        wr_json_number(j, "unit_ns", r->unit_ns);
    if (r->n_subsystem > 0) {
        wr_json_integer(j, "n_subsystem", r->n_subsystem);
        wr_json_number(j, "start_s", r->start_s);
        wr_json_number(j, "unit_bytes", r->unit_bytes);
    }
    wr_json_bool(j, "is_cost", r->is_cost);
    wr_json_number(j, "cost_share", r->cost_share);
    wr_json_string(j, "note", r->note ? r->note : "");
    wr_json_string(j, "setting", r->setting);
    wr_json_string(j, "setting_baseline", r->setting_baseline);
    if (r->of) {
        const wr_texts *const lists[] = {&r->of->run.override, &r->run->override};
        char text[WR_BENCH_TEXT];
        wr_json_string(j, "config", r->of->run.config);
        wr_json_array(j, "overrides");
        for (size_t k = 0; k < WR_COUNT_OF(lists); k++)
            for (int i = 0; i < lists[k]->n; i++)
                wr_json_string(j, NULL, lists[k]->item[i]);
        snprintf(text, sizeof text, "simulation.rtol=%.17g", r->run->rtol);
        if (r->run->rtol > 0.0)
            wr_json_string(j, NULL, text);
        wr_json_end(j);
    }
    json_work(j, "work", &r->work);
    json_work(j, "work_baseline", &r->work_baseline);
    wr_json_end(j);
}

wrsim_status wr_bench_write_json(const wr_bench *bench, const char *file)
{
    wr_json j = {0};
    wr_json_object(&j, NULL);
    wr_json_integer(&j, "schema", WR_BENCH_SCHEMA);
    wr_json_string(&j, "program", "wrsim bench");
    wr_json_string(&j, "version", wrsim_version());
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    wr_machine_json(&j, topology);
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
    wr_json_integer(&j, "n_run", bench->options.n_run);
    wr_json_bool(&j, "is_complete", !wr_is_over(&bench->trial.listener));
    wr_json_array(&j, "rows");
    for (int i = 0; i < bench->n_row; i++)
        json_row(&j, &bench->row[i]);
    wr_json_end(&j);
    wr_json_array(&j, "curves");
    for (int i = 0; i < bench->n_curve; i++) {
        wr_json_object(&j, NULL);
        wr_json_string(&j, "case", bench->curve_case[i]);
        wr_json_string(&j, "name", bench->curve[i].name);
        wr_json_number(&j, "floor", bench->curve[i].floor);
        wr_json_array(&j, "points");
        for (int k = 0; k < bench->curve[i].n; k++) {
            wr_json_object(&j, NULL);
            wr_json_number(&j, "rtol", bench->curve[i].point[k].rtol);
            wr_json_number(&j, "error", bench->curve[i].point[k].error);
            wr_json_number(&j, "cost_s", bench->curve[i].point[k].cost_s);
            json_work(&j, "work", &bench->curve[i].point[k].work);
            wr_json_end(&j);
        }
        wr_json_end(&j);
        wr_json_end(&j);
    }
    wr_json_end(&j);
    wr_json_array(&j, "winners");
    for (int first = 0, last; first < bench->n_curve; first = last) {
        last = wr_bench_end_of_case(bench, first);
        for (size_t k = 0; wr_bench_errors[k] > 0.0; k++) {
            const wr_bench_winner w = wr_bench_winner_at(bench, first, last, wr_bench_errors[k]);
            if (isnan(w.cost_s))
                continue;
            wr_json_object(&j, NULL);
            wr_json_string(&j, "case", bench->curve_case[first]);
            wr_json_number(&j, "error", wr_bench_errors[k]);
            wr_json_string(&j, "name", w.name);
            wr_json_number(&j, "cost_s", w.cost_s);
            wr_json_number(&j, "relaxed_over_monolithic", w.relaxed_s / w.monolithic_s);
            wr_json_number(&j, "auto_over_monolithic", w.auto_s / w.monolithic_s);
            wr_json_end(&j);
        }
    }
    wr_json_end(&j);
    wr_json_end(&j);
    const wrsim_status code = wr_bench_write(bench, file, wr_json_text(&j));
    wr_json_done(&j);
    return code;
}

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 210, TOP = 40, BOTTOM = 50 };

/* Quantity on the vertical axis. In a split run, a right-hand side of a subsystem counts by the subsystem's share of the states. */
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
                          .y_text = shown == TIME && bench->curve[first].is_counted
                                        ? "cost of points, ms"
                                        : measure_names[shown]};
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

wrsim_status wr_bench_write_svg(const wr_bench *bench, const char *file)
{
    wr_svg svg;
    int n_panel = 0;
    for (int first = 0; first < bench->n_curve; first = wr_bench_end_of_case(bench, first))
        n_panel += MEASURES;
    wr_svg_begin(&svg, WIDTH, HEIGHT * (n_panel > 0 ? n_panel : 1));
    wr_text_buffer_add(&svg.text, WR_OWN_DRAWING_MARK "\n");
    for (int first = 0, panel = 0; first < bench->n_curve;
         first = wr_bench_end_of_case(bench, first)) {
        const int last = wr_bench_end_of_case(bench, first);
        for (int shown = 0; shown < MEASURES; shown++, panel++) {
            wr_svg_chart chart =
                chart_of(bench, first, last, (measure)shown, (double)HEIGHT * panel);
            wr_svg_axes(&svg, &chart);
            /* The plot omits a curve of auto with another solver, because the curve equals the curve of that solver. */
            for (int i = first, n = 0; i < last; i++)
                if (strncmp(bench->curve[i].name, WR_BENCH_AUTO " ", strlen(WR_BENCH_AUTO " ")) !=
                    0)
                    draw_curve(&svg, &chart, &bench->curve[i], n++, (measure)shown);
        }
    }
    const wrsim_status code = wr_bench_write(bench, file, wr_svg_end(&svg));
    wr_svg_done(&svg);
    return code;
}
