/* Subsystems that exchange once in a period. See stability_exchange.h. Thread: one owner. Real-time: no. */
#include "offline/stability/stability_exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* rounding: growth per period that rounding of differenced Jacobians can cause. own_growth: allowed factor on the growth of
 * the whole system itself. Both are assumed. */
static const double rounding = 1e-7, own_growth = 1.1;

static const char *why_not(const wr_settings *set)
{
    const wr_set_slack *const slack = &set->slack;
    if (set->relaxation.prediction > WR_PREDICT_LINEAR)
        return "relaxation.prediction is neither hold nor linear; set hold or linear to judge the "
               "exchange";
    if (slack->sweeps > 1)
        return "slack.sweeps is above 1; set slack.sweeps = 1 to judge the exchange";
    if (slack->delays != WR_DELAYS_LIVE && slack->delay > 0)
        return "slack.delays delays the inputs; set slack.delays = \"live\" to judge the exchange";
    return NULL;
}

void wr_stability_exchange_describe(wr_stability *to, const wr_settings *set)
{
    static const char *const names[] = {[WR_PREDICT_AUTO] = "auto",
                                        [WR_PREDICT_HOLD] = "hold",
                                        [WR_PREDICT_LINEAR] = "linear",
                                        [WR_PREDICT_QUADRATIC] = "quadratic",
                                        [WR_PREDICT_CUBIC] = "cubic"};
    wr_stability_exchange *const exchange = &to->exchange;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    const int is_single =
        set->relaxation.scheme == WR_SCHEME_JACOBI && set->relaxation.max_sweeps == 1;
    if (to->n_group < 2 || (!is_slack && !is_single))
        return;
    exchange->is_slack = is_slack;
    exchange->prediction = names[set->relaxation.prediction];
    exchange->period_s = is_slack ? wr_settings_slack_period(set) : set->relaxation.window_max_s;
    exchange->why =
        to->has_mass
            ? "a subsystem has a mass matrix; judge the exchange by runs with several periods"
            : why_not(set);
    exchange->verdict = exchange->why ? WR_EXCHANGE_NOT_JUDGED : WR_EXCHANGE_STABLE;
    for (int order = 0; order < 2; order++)
        for (int start = 0; start < 2; start++)
            exchange->excess[order][start] = -(double)INFINITY;
}

/* Finds an output by name. Returns the output's group, or -1. */
static int find_output(const wr_stability *to, const char *name, int *ret_i_output)
{
    for (int i = 0; name && i < to->n_group; i++)
        for (int k = 0; k < to->group[i].n_output; k++)
            if (strcmp(to->group[i].output[k], name) == 0) {
                *ret_i_output = k;
                return i;
            }
    return -1;
}

/* Finds the drivers of all inputs. These drivers are the used outputs. Returns WRSIM_OK, or a negative status with err. */
static wrsim_status connect(wr_stability *to, wrsim_error *err)
{
    for (int i = 0; i < to->n_group; i++) {
        wr_stability_group *const g = &to->group[i];
        g->used = wr_heap_pool_take(to->memory, (size_t)g->n_output + 1, sizeof(int));
        g->source_part = wr_heap_pool_take(to->memory, (size_t)g->n_input + 1, sizeof(int));
        g->source_output = wr_heap_pool_take(to->memory, (size_t)g->n_input + 1, sizeof(int));
        if (!g->used || !g->source_part || !g->source_output)
            return wr_error_memory(err);
        for (int k = 0; k < g->n_output; k++)
            g->used[k] = -1;
    }
    for (int i = 0; i < to->n_group; i++) {
        wr_stability_group *const g = &to->group[i];
        for (int k = 0; k < g->n_input; k++) {
            int output = 0;
            const int from = g->source_part[k] = find_output(to, g->driver[k], &output);
            if (from < 0)
                continue;
            wr_stability_group *const source = &to->group[from];
            if (source->used[output] < 0)
                source->used[output] = source->n_used++;
            g->source_output[k] = source->used[output];
        }
    }
    return WRSIM_OK;
}

wrsim_status wr_stability_exchange_take(wr_stability *to, wr_stability_group *group,
                                        const wr_linear *at, wrsim_error *err)
{
    const size_t n_x = (size_t)group->n_state, n_u = (size_t)group->n_input,
                 n_y = (size_t)group->n_output;
    if (!group->a) {
        group->a = wr_heap_pool_take(to->memory, n_x * n_x + 1, sizeof(double));
        group->b = wr_heap_pool_take(to->memory, n_x * n_u + 1, sizeof(double));
        group->c = wr_heap_pool_take(to->memory, n_y * n_x + 1, sizeof(double));
        group->d = wr_heap_pool_take(to->memory, n_y * n_u + 1, sizeof(double));
    }
    if (!group->a || !group->b || !group->c || !group->d)
        return wr_error_memory(err);
    wr_matrix_to_dense(at->a, group->a);
    wr_matrix_to_dense(at->b, group->b);
    wr_matrix_to_dense(at->c, group->c);
    wr_matrix_to_dense(at->d, group->d);
    for (size_t k = 0; k < n_u; k++) { /* outputs of other groups may have other units */
        const double factor = wr_unit_apply_change(at->view->driver[k].scale, 1.0);
        for (size_t i = 0; i < n_x; i++)
            group->b[k * n_x + i] *= factor;
        for (size_t i = 0; i < n_y; i++)
            group->d[k * n_y + i] *= factor;
    }
    return WRSIM_OK;
}

/* Removes the rows of unused outputs. */
static void keep_used(const wr_stability_group *g, double *matrix, int n_column)
{
    WR_AUTO_FREE double *const row = malloc(((size_t)g->n_used + 1) * sizeof *row);
    for (int j = 0; row && j < n_column; j++) {
        for (int k = 0; k < g->n_output; k++)
            if (g->used[k] >= 0)
                row[g->used[k]] = matrix[(size_t)j * (size_t)g->n_output + (size_t)k];
        memcpy(matrix + (size_t)j * (size_t)g->n_used, row, (size_t)g->n_used * sizeof *matrix);
    }
}

/* Computes the radius of the map at a time, and stores the radius with the largest excess. Returns WRSIM_OK, or an error of the map. */
static wrsim_status judge_map(wr_stability *to, const wr_period_part *part, wr_period_order order,
                              wr_period_start start, double t_s, wrsim_error *err)
{
    wr_stability_exchange *const exchange = &to->exchange;
    double radius;
    const wrsim_status status =
        wr_period_map_radius(part, to->n_group, exchange->period_s, order, start, &radius);
    if (status < 0)
        return wr_error_set(err, status,
                            "the map of the period at t = %.9g s cannot be computed: %s; examine "
                            "other times by --times",
                            t_s, wrsim_status_text(status));
    const double excess = log(radius) - own_growth * to->own_growth * exchange->period_s;
    if (!(excess > exchange->excess[order][start]))
        return WRSIM_OK;
    exchange->excess[order][start] = excess;
    exchange->radius[order][start] = radius;
    exchange->time_s[order][start] = t_s;
    return WRSIM_OK;
}

wrsim_status wr_stability_exchange_judge(wr_stability *to, double t_s, wrsim_error *err)
{
    wr_stability_exchange *const exchange = &to->exchange;
    wr_period_part *const part =
        wr_heap_pool_take(to->memory, (size_t)to->n_group + 1, sizeof *part);
    if (!part)
        return wr_error_memory(err);
    if (!to->group[0].used)
        WR_TRY(connect(to, err));
    for (int i = 0; i < to->n_group; i++) {
        wr_stability_group *const g = &to->group[i];
        keep_used(g, g->c, g->n_state);
        keep_used(g, g->d, g->n_input);
        part[i] = (wr_period_part){
            g->n_state, g->n_input,     g->n_used,        g->a,          g->b,       g->c,
            g->d,       g->source_part, g->source_output, g->integrator, g->options, g->kept};
    }
    exchange->minds_start = wr_period_map_minds_start(part, to->n_group, exchange->period_s);
    for (int order = WR_PERIOD_HOLD; order <= WR_PERIOD_LINEAR; order++)
        for (int start = WR_PERIOD_GO_ON; start <= WR_PERIOD_ANEW; start++)
            if (wr_stability_exchange_starts(exchange, (wr_period_start)start))
                WR_TRY(
                    judge_map(to, part, (wr_period_order)order, (wr_period_start)start, t_s, err));
    return WRSIM_OK;
}

wr_period_start wr_stability_exchange_worse(const wr_stability_exchange *exchange, int order)
{
    const double *const excess = exchange->excess[order];
    return excess[WR_PERIOD_GO_ON] > excess[WR_PERIOD_ANEW] ? WR_PERIOD_GO_ON : WR_PERIOD_ANEW;
}

void wr_stability_exchange_finish(wr_stability *to)
{
    wr_stability_exchange *const exchange = &to->exchange;
    if (exchange->verdict != WR_EXCHANGE_STABLE)
        return;
    int is_bad[2];
    for (int order = 0; order < 2; order++)
        is_bad[order] =
            exchange->excess[order][wr_stability_exchange_worse(exchange, order)] > rounding;
    const int is_auto = strcmp(exchange->prediction, "auto") == 0;
    const int asked =
        strcmp(exchange->prediction, "linear") == 0 ? WR_PERIOD_LINEAR : WR_PERIOD_HOLD;
    if (is_auto ? is_bad[0] && is_bad[1] : is_bad[asked])
        exchange->verdict = WR_EXCHANGE_UNSTABLE;
    else if (is_auto && (is_bad[0] || is_bad[1]))
        exchange->verdict = WR_EXCHANGE_UNDECIDED;
}
