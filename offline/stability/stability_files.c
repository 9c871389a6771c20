/* Drawings and JSON. See stability_files.h. Thread: one owner. Real-time: no. */
#include "offline/stability/stability_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/json.h"
#include "base/svg.h"
#include "offline/stability/region.h"

/* Number of points of a boundary, and size of a drawing, px (assumed). */
enum { LOCUS_POINTS = 1440, WIDTH = 780, HEIGHT = 560 };
/* Distance from the region, in boxes, beyond which a drawing counts modes without showing the modes (assumed). */
static const double shown_boxes = 3.0;

wrsim_status wr_method_examine(const wr_stepper *stepper, wr_method_facts *ret)
{
    const wr_amplification *const a = &stepper->amplification;
    *ret = (wr_method_facts){.is_formula = stepper->formula != NULL, .order = stepper->order};
    if (stepper->formula)
        WR_TRY(wr_lms_examine(stepper->formula, &ret->formula));
    ret->real = wr_amplification_reach(a, M_PI, (double)INFINITY);
    ret->imaginary = wr_amplification_reach(a, 0.5 * M_PI, (double)INFINITY);
    ret->angle = wr_amplification_angle(a);
    return WRSIM_OK;
}

/* ---- drawings ---- */

static wr_svg_chart chart_of(const wr_region *region, const char *title)
{
    return (wr_svg_chart){.left = 70,
                          .top = 40,
                          .width = WIDTH - 250,
                          .height = HEIGHT - 100,
                          .x_low = region->x_low,
                          .x_high = region->x_high,
                          .y_low = region->y_low,
                          .y_high = region->y_high,
                          .title = title,
                          .x_text = "Re h lambda",
                          .y_text = "Im h lambda"};
}

static wrsim_status draw_region(wr_svg *svg, wr_svg_chart *chart, const wr_amplification *a,
                                wr_region *region, wrsim_error *err)
{
    const double x[2] = {region->x_low, region->x_high}, y[2] = {region->y_low, region->y_high};
    const double none[2] = {0.0, 0.0};
    if (wr_region_find(a, region) < 0)
        return wr_error_memory(err);
    wr_svg_begin(svg, WIDTH, HEIGHT);
    wr_svg_axes(svg, chart);
    wr_svg_region(svg, chart, region->x, region->y, region->n, region->n_polygon, wr_svg_colour(1),
                  "stable");
    wr_svg_curve(svg, chart, x, none, 2, "#888", NULL);
    wr_svg_curve(svg, chart, none, y, 2, "#888", NULL);
    double locus_x[LOCUS_POINTS * WR_AMPLIFICATION_Q], locus_y[LOCUS_POINTS * WR_AMPLIFICATION_Q];
    int n_point = 0; /* points at which a root has magnitude 1 */
    for (int k = 0; k < LOCUS_POINTS; k++) {
        double complex q[WR_AMPLIFICATION_Q + 1];
        const int n = wr_amplification_locus(a, 2.0 * M_PI * (k + 0.5) / LOCUS_POINTS, q);
        for (int i = 0; i < n; i++, n_point++) {
            locus_x[n_point] = creal(q[i]);
            locus_y[n_point] = cimag(q[i]);
        }
    }
    if (a->degree_q == 1) /* one root for each point of the circle gives a curve */
        wr_svg_curve(svg, chart, locus_x, locus_y, n_point, wr_svg_colour(5), "|z| = 1");
    else
        wr_svg_points(svg, chart, locus_x, locus_y, n_point, 0.8, wr_svg_colour(5), "|z| = 1");
    wr_region_done(region);
    return WRSIM_OK;
}

wrsim_status wr_method_draw(const wr_stepper *stepper, wr_folder *folder, wrsim_error *err)
{
    wr_svg svg;
    wr_region region;
    char title[128];
    const char *const path = wr_folder_file(folder, err, "%s.svg", stepper->name);
    if (!path)
        return WRSIM_E_IO;
    snprintf(title, sizeof title, "%s: absolute stability", stepper->help);
    wr_region_box(&stepper->amplification, &region);
    wr_svg_chart chart = chart_of(&region, title);
    WR_TRY(draw_region(&svg, &chart, &stepper->amplification, &region, err));
    return wr_svg_write(&svg, path, err);
}

/* Extends the box to modes at most shown_boxes boxes away from the region, or on the right side at most one box. Writes the number of other
 * modes to *ret_n_beyond. */
static void widen(const wr_stability_group *group, wr_region *region, int *ret_n_beyond)
{
    const double width = region->x_high - region->x_low, height = region->y_high - region->y_low;
    const double x_low = region->x_low - shown_boxes * width, x_high = region->x_high + width;
    const double y_most = region->y_high + shown_boxes * height;
    *ret_n_beyond = 0;
    for (int i = 0; i < group->n_mode; i++) {
        const double complex q = group->step_s * group->mode[i].lambda;
        if (creal(q) < x_low || creal(q) > x_high || fabs(cimag(q)) > y_most) {
            ++*ret_n_beyond;
            continue;
        }
        region->x_low = wr_min(region->x_low, creal(q) - 0.05 * width);
        region->x_high = wr_max(region->x_high, creal(q) + 0.05 * width);
        region->y_high = wr_max(region->y_high, fabs(cimag(q)) + 0.05 * height);
    }
    region->y_low = -region->y_high;
}

static wrsim_status draw_modes(wr_svg *svg, wr_svg_chart *chart, const wr_stability_group *group,
                               wrsim_error *err)
{
    static const char *const names[] = {[WR_MODE_STABLE] = "stable modes",
                                        [WR_MODE_UNSTABLE] = "unstable modes",
                                        [WR_MODE_GROWING] = "growing in the model",
                                        [WR_MODE_AT_REST] = "at rest"};
    static const int colours[] = {2, 6, 4, 7};
    WR_AUTO_FREE double *const x = malloc(2 * ((size_t)group->n_mode + 1) * sizeof *x);
    if (!x)
        return wr_error_memory(err);
    double *const y = x + group->n_mode;
    for (int kind = WR_MODE_AT_REST; kind >= WR_MODE_STABLE; kind--) {
        int n = 0;
        for (int i = 0; i < group->n_mode; i++) {
            if ((int)group->mode[i].kind != kind)
                continue;
            x[n] = group->step_s * creal(group->mode[i].lambda);
            y[n++] = group->step_s * cimag(group->mode[i].lambda);
        }
        if (n > 0)
            wr_svg_points(svg, chart, x, y, n, kind == WR_MODE_UNSTABLE ? 3.0 : 1.8,
                          wr_svg_colour(colours[kind]), names[kind]);
    }
    return WRSIM_OK;
}

static wrsim_status draw_group(const wr_stability_group *group, wr_folder *folder, wrsim_error *err)
{
    wr_svg svg;
    wr_region region;
    char title[256];
    int n_beyond;
    const char *const path = wr_folder_file(folder, err, "%s.svg", group->name);
    if (!path)
        return WRSIM_E_IO;
    wr_region_box(&group->stepper.amplification, &region);
    widen(group, &region, &n_beyond);
    int n = snprintf(title, sizeof title, "%.60s: %s, step %.6g s", group->name, group->method,
                     group->step_s);
    if (n_beyond > 0 && n > 0 && n < (int)sizeof title)
        snprintf(title + n, sizeof title - (size_t)n, " (%d mode%s outside)", n_beyond,
                 n_beyond == 1 ? " lies" : "s lie");
    wr_svg_chart chart = chart_of(&region, title);
    WR_TRY(draw_region(&svg, &chart, &group->stepper.amplification, &region, err));
    const wrsim_status status = draw_modes(&svg, &chart, group, err);
    if (status == WRSIM_OK)
        return wr_svg_write(&svg, path, err);
    wr_svg_done(&svg);
    return status;
}

wrsim_status wr_stability_draw(const wr_stability *stability, wr_folder *folder, wrsim_error *err)
{
    for (int i = 0; i < stability->n_group; i++)
        if (stability->group[i].is_fixed && !wr_stability_is_mapped(&stability->group[i]))
            WR_TRY(draw_group(&stability->group[i], folder, err));
    return WRSIM_OK;
}

/* ---- JSON ---- */

/* Writes a number; infinity as the word "unbounded". */
static void put_limit(wr_json *json, const char *key, double limit)
{
    if (isinf(limit))
        wr_json_string(json, key, "unbounded");
    else
        wr_json_number(json, key, limit);
}

static void put_complex(wr_json *json, const char *key, double complex value)
{
    wr_json_array(json, key);
    wr_json_number(json, NULL, creal(value));
    wr_json_number(json, NULL, cimag(value));
    wr_json_end(json);
}

static void put_formula(wr_json *json, const wr_lms *formula, const wr_lms_facts *facts)
{
    static const char *const places[] = {[WR_LMS_INSIDE] = "inside",
                                         [WR_LMS_ON_CIRCLE] = "on the circle",
                                         [WR_LMS_MULTIPLE] = "on the circle, multiple",
                                         [WR_LMS_OUTSIDE] = "outside"};
    const double *const coefficients[] = {formula->alpha, formula->beta};
    for (int k = 0; k < 2; k++) {
        wr_json_array(json, k == 0 ? "alpha" : "beta");
        for (int j = 0; j <= formula->n_step; j++)
            wr_json_number(json, NULL, coefficients[k][j]);
        wr_json_end(json);
    }
    wr_json_bool(json, "explicit", facts->is_explicit);
    wr_json_bool(json, "consistent", facts->order > 0);
    wr_json_number(json, "residual_constant", facts->residual_constant);
    wr_json_number(json, "error_constant", facts->error_constant);
    wr_json_bool(json, "zero_stable", facts->is_zero_stable);
    wr_json_bool(json, "strongly_stable", facts->is_strongly_stable);
    wr_json_array(json, "roots");
    for (int i = 0; i < facts->n_root; i++) {
        wr_json_object(json, NULL);
        put_complex(json, "z", facts->root[i]);
        wr_json_string(json, "place", places[facts->place[i]]);
        wr_json_end(json);
    }
    wr_json_end(json);
}

char *wr_method_json(const wr_stepper *stepper, const wr_method_facts *facts)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "method", stepper->name);
    wr_json_string(&json, "help", stepper->help);
    wr_json_integer(&json, "order", facts->order);
    if (facts->is_formula)
        put_formula(&json, stepper->formula, &facts->formula);
    put_limit(&json, "real_interval", facts->real);
    put_limit(&json, "imaginary_interval", facts->imaginary);
    wr_json_number(&json, "angle_degrees", facts->angle);
    wr_json_end(&json);
    return wr_json_take(&json);
}

static void put_mode(wr_json *json, const wr_stability_group *group)
{
    const wr_mode *const mode = &group->worst;
    wr_json_object(json, "worst");
    wr_json_number(json, "time", mode->t_s);
    if (wr_stability_is_mapped(group))
        put_complex(json, "factor", cexp(group->step_s * mode->lambda));
    else {
        put_complex(json, "eigenvalue", mode->lambda);
        put_complex(json, "h_lambda", group->step_s * mode->lambda);
    }
    wr_json_number(json, "growth_per_step", mode->radius);
    wr_json_bool(json, "stable", mode->kind == WR_MODE_STABLE);
    wr_json_number(json, "condition", mode->condition);
    wr_json_array(json, "states");
    for (int i = 0; i < mode->n_part; i++) {
        wr_json_object(json, NULL);
        wr_json_string(json, "name", group->state[mode->part[i].i_state]);
        wr_json_number(json, "share", mode->part[i].share);
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_end(json);
}

static void put_group(wr_json *json, const wr_stability_group *group)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "subsystem", group->name);
    wr_json_string(json, "solver", group->method);
    wr_json_number(json, "step", group->step_s);
    wr_json_integer(json, "states", group->n_state);
    wr_json_bool(json, "stable", group->n_unstable == 0);
    wr_json_integer(json, "unstable_modes", group->n_unstable);
    wr_json_integer(json, "unstable_times", group->n_time_unstable);
    wr_json_integer(json, "growing_modes", group->n_growing);
    wr_json_integer(json, "lost_modes", group->n_lost);
    if (group->n_lost > 0)
        wr_json_number(json, "step_that_follows", group->follow_s);
    if (group->kept && isinf(group->largest_step_s)) /* the largest examined step */
        wr_json_number(json, "largest_step_above", WR_LINEAR_STEP_MOST * group->step_s);
    else
        put_limit(json, "largest_step", group->largest_step_s);
    if (group->has_worst)
        put_mode(json, group);
    wr_json_end(json);
}

static void put_exchange(wr_json *json, const wr_stability_exchange *exchange)
{
    static const char *const verdicts[] = {[WR_EXCHANGE_NONE] = NULL,
                                           [WR_EXCHANGE_NOT_JUDGED] = "not judged",
                                           [WR_EXCHANGE_STABLE] = "stable",
                                           [WR_EXCHANGE_UNDECIDED] = "undecided",
                                           [WR_EXCHANGE_UNSTABLE] = "unstable"};
    if (exchange->verdict == WR_EXCHANGE_NONE)
        return;
    wr_json_object(json, "exchange");
    wr_json_string(json, "verdict", verdicts[exchange->verdict]);
    if (exchange->why)
        wr_json_string(json, "why", exchange->why);
    wr_json_number(json, "period", exchange->period_s);
    wr_json_string(json, "prediction", exchange->prediction);
    for (int order = 0; order < 2 && !exchange->why; order++) {
        wr_json_object(json, order == WR_PERIOD_HOLD ? "hold" : "linear");
        const wr_period_start worse = wr_stability_exchange_worse(exchange, order);
        wr_json_number(json, "spectral_radius", exchange->radius[order][worse]);
        wr_json_number(json, "time", exchange->time_s[order][worse]);
        if (wr_stability_exchange_starts(exchange, WR_PERIOD_ANEW))
            wr_json_number(json, "begun_anew", exchange->radius[order][WR_PERIOD_ANEW]);
        if (wr_stability_exchange_starts(exchange, WR_PERIOD_GO_ON))
            wr_json_number(json, "going_on", exchange->radius[order][WR_PERIOD_GO_ON]);
        wr_json_end(json);
    }
    wr_json_end(json);
}

char *wr_stability_json(const wr_stability *stability, const char *config)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "config", config);
    wr_json_integer(&json, "times", stability->n_time);
    if (stability->verdict == WRSIM_UNDECIDED)
        wr_json_null(&json, "stable");
    else
        wr_json_bool(&json, "stable", stability->verdict == WRSIM_OK);
    wr_json_array(&json, "subsystems");
    for (int i = 0; i < stability->n_group; i++)
        if (stability->group[i].is_fixed)
            put_group(&json, &stability->group[i]);
    wr_json_end(&json);
    put_exchange(&json, &stability->exchange);
    wr_json_end(&json);
    return wr_json_take(&json);
}
