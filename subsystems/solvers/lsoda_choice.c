/* See lsoda_choice.h. Thread: one at a time. Real-time: yes. */
#include "subsystems/solvers/lsoda_choice.h"

#include <float.h>
#include <math.h>

/* Constants of LSODA. */
enum { CHANGE_WAIT = 20, NO_CHANGE_WAIT = 3 };
static const double LEAST_GROWTH = 1.1, LATE_RATIO = 0.2, PAYS = 5.0;
/* Margins of the three candidates for the order: the present order is preferred, then the lower order. */
static const double LOWER_MARGIN = 1.3, SAME_MARGIN = 1.2, HIGHER_MARGIN = 1.4;
/* Largest product of step and Lipschitz constant at which the Adams method of an order is stable. */
static const double STABLE[WR_NORDSIECK_COLUMNS] = {0.0,  0.5,  0.575, 0.55,  0.45, 0.35, 0.25,
                                                    0.20, 0.15, 0.10,  0.075, 0.05, 0.025};

/* STRETCH: largest factor by which a step may be longer than the error control chose, to reach a stop (as in step_control.c). MOST_EQUAL
 * (assumed): number of steps up to a stop above which no rest needs care. */
static const double STRETCH = 1.05, MOST_EQUAL = 1e6;

enum { LOWER, SAME, HIGHER, N_CHOICE };

void wr_lsoda_choice_init(wr_lsoda_choice *choice, wr_corrector *corrector, wr_integ_stats *stats,
                          int n_x, int max_order)
{
    static const int most[] = {[WR_ADAMS] = WR_ADAMS_ORDER, [WR_BDF] = WR_BDF_ORDER};
    *choice = (wr_lsoda_choice){.n_x = n_x, .corrector = corrector, .stats = stats};
    for (int k = 0; k < WR_NORDSIECK_METHODS; k++)
        choice->highest[k] = max_order > 0 && max_order < most[k] ? max_order : most[k];
    wr_nordsieck_fill(&choice->table);
}

wr_lsoda_plan wr_lsoda_plan_first(void)
{
    return (wr_lsoda_plan){.method = WR_ADAMS, .order = 1, .change_wait = CHANGE_WAIT};
}

double wr_lsoda_fit(const wr_lsoda_plan *plan, const wr_step_control *control, double t_s,
                    double t_stop_s, int *ret_lands)
{
    const double left_s = t_stop_s - t_s, max_s = control->max_step_s;
    double wanted_s = max_s > 0.0 ? wr_min(plan->wanted_s, max_s) : plan->wanted_s;
    if (!(t_s + 0.5 * wanted_s > t_s)) /* an equal step is longer than half of wanted_s */
        wanted_s = wr_step_control_least(control, t_s);
    const double n = left_s / wanted_s;
    const double allowed = max_s > 0.0 && left_s > max_s ? 1.0 + 1e-9 : STRETCH;
    *ret_lands = n <= allowed;
    return *ret_lands ? left_s : n > MOST_EQUAL ? wanted_s : left_s / ceil(n * (1.0 - 1e-9));
}

int wr_lsoda_outgrows(const wr_lsoda_plan *plan, const wr_step_control *control, double t_s,
                      double t_stop_s)
{
    int lands;
    return wr_lsoda_fit(plan, control, t_s, t_stop_s, &lands) >
           WR_LSODA_GROWTH * STRETCH * plan->length_s;
}

double wr_lsoda_ratio(double error, double power, double margin)
{
    return 1.0 / (margin * pow(error, 1.0 / power) + 1e-6 * margin);
}

/* Returns the norm of v in tolerances between the states of the history and of the corrector. */
static double norm(const wr_lsoda_choice *c, wr_lsoda_history history, const double *v)
{
    return wr_corrector_norm(c->corrector, history.z, v);
}

/* Returns the largest step of the Adams method of an order at which the method is stable, s. */
static double stable_length(const wr_lsoda_choice *c, const wr_lsoda_plan *plan, int order)
{
    return STABLE[order] / wr_max(c->corrector->now.lipschitz, 1e-6 / plan->length_s);
}

/* Limits a ratio of Adams steps by stability, unless the product h_l of step and Lipschitz constant is negligible. */
static double stable_ratio(double ratio, double h_l, int order)
{
    return h_l * ratio > 1e-5 ? wr_min(ratio, STABLE[order] / h_l) : ratio;
}

/* Chooses the order and the ratio of lengths by the error of the last step. has_failed: the step was rejected, so the order cannot rise.
 * Returns the ratio. */
static double choose_order(const wr_lsoda_choice *c, const wr_lsoda_plan *plan,
                           wr_lsoda_history history, double error, int has_failed, int *ret_order)
{
    wr_corrector *const corrector = c->corrector;
    const wr_nordsieck_order *const order = wr_lsoda_order(c, plan);
    const int q = plan->order, n = c->n_x;
    double ratio[N_CHOICE] = {0.0};
    ratio[SAME] = wr_lsoda_ratio(error, q + 1, SAME_MARGIN);
    if (q > 1)
        ratio[LOWER] = wr_lsoda_ratio(norm(c, history, &history.z[q * n]) / order->test[LOWER], q,
                                      LOWER_MARGIN);
    if (!has_failed && q < c->highest[plan->method]) {
        for (int i = 0; i < n; i++)
            corrector->work[i] = corrector->e[i] - history.e_before[i];
        ratio[HIGHER] = wr_lsoda_ratio(norm(c, history, corrector->work) / order->test[HIGHER],
                                       q + 2, HIGHER_MARGIN);
    }
    if (plan->method == WR_ADAMS) {
        for (int k = 0; k < N_CHOICE; k++)
            if (q - 1 + k >= 1 && q - 1 + k <= WR_ADAMS_ORDER)
                ratio[k] = wr_min(ratio[k], stable_length(c, plan, q - 1 + k) / plan->length_s);
        corrector->now.lipschitz_max = 0.0;
    }
    int best = ratio[SAME] >= ratio[LOWER] ? SAME : LOWER;
    if (ratio[HIGHER] > ratio[best])
        best = HIGHER;
    *ret_order = q - 1 + best;
    return ratio[best];
}

/* Limits a ratio of lengths, and makes it the ratio of the next step. */
static void take_ratio(const wr_lsoda_choice *c, wr_lsoda_plan *plan, double ratio)
{
    ratio = wr_min(ratio, plan->growth);
    if (plan->method == WR_ADAMS) {
        const double stable = stable_length(c, plan, plan->order) / plan->length_s;
        plan->is_bound = ratio * 1.00001 >= stable;
        ratio = wr_min(ratio, stable);
    }
    plan->wanted_s = plan->length_s * ratio;
    plan->wait = plan->order + 1;
}

/* Chooses order and length after an accepted step. A step that a stop has shortened does not shorten the next steps. */
static void choose_next(const wr_lsoda_choice *c, wr_lsoda_plan *plan, wr_lsoda_history history,
                        double error)
{
    const int n = c->n_x, q = plan->order;
    int order;
    const double ratio = wr_min(choose_order(c, plan, history, error, 0, &order), plan->growth);
    const int is_stable_limit = plan->method == WR_ADAMS &&
                                ratio * plan->length_s * 1.00001 >= stable_length(c, plan, order) &&
                                ratio < LEAST_GROWTH;
    if (ratio * plan->length_s < LEAST_GROWTH * plan->wanted_s && !is_stable_limit) {
        plan->wait = NO_CHANGE_WAIT;
        return;
    }
    if (order > q) {
        const double scale = wr_lsoda_order(c, plan)->l[q] / (q + 1);
        for (int i = 0; i < n; i++)
            history.z[order * n + i] = scale * c->corrector->e[i];
    }
    plan->order = order;
    take_ratio(c, plan, ratio);
    plan->growth = WR_LSODA_GROWTH;
}

/* Returns the ratio of errors of the two methods at an order, Adams over BDF. */
static double error_ratio(const wr_lsoda_choice *c, int q)
{
    const wr_nordsieck_order *const adams = &c->table.of[WR_ADAMS][q];
    const wr_nordsieck_order *const bdf = &c->table.of[WR_BDF][q];
    return adams->test[SAME] * adams->l[q] / (bdf->test[SAME] * bdf->l[q]);
}

static void change_method(const wr_lsoda_choice *c, wr_lsoda_plan *plan, int method, int order,
                          double ratio)
{
    plan->method = method;
    plan->order = order;
    plan->change_wait = CHANGE_WAIT;
    c->corrector->now.lipschitz = 0.0;
    c->corrector->now.is_due = 1;
    c->stats->n_method_change++;
    take_ratio(c, plan, ratio);
    plan->growth = WR_LSODA_GROWTH;
}

/* Changes from Adams to BDF if steps of BDF would be PAYS times as long. Returns whether the method has changed. */
static int leave_adams(const wr_lsoda_choice *c, wr_lsoda_plan *plan, wr_lsoda_history history,
                       double error)
{
    const int q = plan->order, most = c->highest[WR_BDF], order = q < most ? q : most;
    double own = 0.0, other = 2.0;
    if (error > 100.0 * DBL_EPSILON && c->corrector->now.lipschitz_max > 0.0) {
        own = stable_ratio(wr_lsoda_ratio(error, q + 1, SAME_MARGIN),
                           c->corrector->now.lipschitz * plan->length_s, q);
        const wr_nordsieck_order *const bdf = &c->table.of[WR_BDF][order];
        const double error_bdf = q > most ? norm(c, history, &history.z[(most + 1) * c->n_x]) /
                                                (bdf->test[SAME] * bdf->l[most])
                                          : error * error_ratio(c, q);
        other = wr_lsoda_ratio(error_bdf, order + 1, SAME_MARGIN);
    } else if (!plan->is_bound)
        return 0; /* the error is rounding, and stability does not limit the step */
    if (other < PAYS * own)
        return 0;
    change_method(c, plan, WR_BDF, order, other);
    return 1;
}

/* Changes from BDF to Adams if steps of Adams would be at least as long. Returns whether the method has changed. */
static int leave_bdf(const wr_lsoda_choice *c, wr_lsoda_plan *plan, wr_lsoda_history history,
                     double error)
{
    const int q = plan->order;
    const double error_adams = error / error_ratio(c, q);
    const double own = wr_lsoda_ratio(error, q + 1, SAME_MARGIN);
    const double other = stable_ratio(wr_lsoda_ratio(error_adams, q + 1, SAME_MARGIN),
                                      c->corrector->now.jacobian_norm * plan->length_s, q);
    if (other < own)
        return 0;
    const double least = pow(wr_max(0.001, other), 1.0 / (q + 1)) * error_adams;
    if (least <= 1000.0 * DBL_EPSILON * norm(c, history, history.z))
        return 0;
    change_method(c, plan, WR_ADAMS, q, other);
    return 1;
}

int wr_lsoda_choose(const wr_lsoda_choice *c, wr_lsoda_plan *plan, wr_lsoda_history history,
                    double error)
{
    plan->change_wait -= plan->change_wait >= 0;
    plan->wait--;
    if (plan->change_wait < 0 &&
        (plan->method == WR_ADAMS ? leave_adams : leave_bdf)(c, plan, history, error))
        return 0;
    if (plan->wait <= 0)
        choose_next(c, plan, history, error);
    else
        return plan->wait == 1;
    return 0;
}

void wr_lsoda_retreat(const wr_lsoda_choice *c, wr_lsoda_plan *plan, wr_lsoda_history history,
                      double error, int n_failed)
{
    int order;
    double ratio = wr_min(1.0, choose_order(c, plan, history, error, 1, &order));
    ratio = n_failed == 2 ? wr_min(ratio, LATE_RATIO) : ratio;
    plan->order = order;
    take_ratio(c, plan, ratio);
}
