/* Rule "work": least predicted work per simulated second. See window.h. Thread: serial section of the engine. Real-time: yes. */
#include <math.h>

#include "base/check.h"
#include "runtime/relax/window.h"

/* Ratio of successive lengths on the ladder, sqrt(2) (docs/lab/2026-11-22-prediction-and-windows.md). */
static const double RUNG_RATIO = 1.4142135623730951;
/* Fixed cost b of an integration, right-hand sides: in general (docs/lab/2026-11-22-prediction-and-windows.md), and if the solver begins
 * each window at order 1 (assumed). */
static const double FIXED_COST = 8.0, RESTART_COST = 40.0;
/* Largest share of b in the work of an integration of more than b right-hand sides, and of at most b (both assumed). */
static const double FIXED_MOST = 0.75, FIXED_LEAST = 0.95;
/* weight of a rung's earlier cost, with an effect over 6 windows (docs/lab/2026-11-22-prediction-and-windows.md) */
static const double MEMORY = 0.84;
static const double SEEN_MEMORY =
    0.95; /* factor per window on n_seen, because the solution changes (assumed) */
static const double GUESS = 0.2; /* weight of a predicted cost beside an earlier guess (assumed) */
/* Largest ratio of another rung's cost to the present cost at which the length changes (docs/lab/2026-11-22-prediction-and-windows.md). */
static const double GAIN_TO_MOVE = 0.97;
/* least number of windows between two changes of the length with a small gain (assumed) */
static const double PATIENCE = 4.0;
static const double GAIN_TO_HURRY =
    0.9; /* cost, per present cost, below which the length changes at once (assumed) */
/* Length of the first window, per requested length (docs/lab/2026-11-22-prediction-and-windows.md). */
static const double FIRST = 1.0 / 16;
/* A trial uses a rung whose predicted cost is at most TRIAL_COST (assumed) times the present cost. The trial begins once the share
 * TRIAL_PART of all work pays for the window. Each trial multiplies the price of the next trial by TRIAL_RISE, up to TRIAL_DEAREST
 * (docs/lab/2026-11-22-prediction-and-windows.md). */
static const double TRIAL_PART = 0.05, TRIAL_COST = 1.3, TRIAL_RISE = 1.2, TRIAL_DEAREST = 16.0;
/* largest saved work, in units of a window's work (assumed) */
static const double TRIAL_SAVED = 4.0;
/* Natural logarithms of the least and largest predicted contraction, 2e-9 and 0.9 (assumed). */
static const double LOG_RHO_LEAST = -20.0, LOG_RHO_MOST = -0.1;
/* Trials use only rungs with n_seen below this limit (assumed). */
static const double FORGOTTEN = 0.5;

/* Largest fall of the length, and largest rise in the first YOUNG windows or with is_least, in rungs. Otherwise the length rises by at most
 * one rung, or returns to the rung before a trial. Predictions must cover the window (docs/lab/2026-11-22-prediction-and-windows.md). */
enum { REACH_DOWN = 8, REACH_UP = 6, REACH = REACH_DOWN + 1 + REACH_UP, YOUNG = 16 };

static double rung_length(const wr_window *w, int rung) { return w->min_s * pow(RUNG_RATIO, rung); }

static int rung_of(const wr_window *w, double length_s)
{
    const double rung = floor(log(length_s / w->min_s) / log(RUNG_RATIO) + 0.5);
    return (int)wr_clamp(rung, 0.0, WR_WINDOW_RUNGS - 1);
}

/* Returns the fixed cost of an integration, in right-hand sides: at least the cost of one step with a Jacobian (step_rhs). */
static double fixed_rhs(const wr_window_outcome *o, int i)
{
    const double fixed = o->restarts && o->restarts[i] ? RESTART_COST : FIXED_COST;
    return o->step_rhs ? wr_max(fixed, o->step_rhs[i]) : fixed;
}

/* Returns 1 if no integration costs more than its fixed cost. Then shorter windows cost more per second, even with fewer sweeps. */
static int is_least(const wr_window_outcome *o)
{
    for (int i = 0; i < o->n_subsystem; i++)
        if (o->n_rhs[i] > fixed_rhs(o, i))
            return 0;
    return 1;
}

/* Returns the largest rise of the length, in rungs. After a trial the length may also return to the rung before the trial. */
static int reach_up(const wr_window *w)
{
    const int reach = w->n_window < YOUNG || w->is_least ? REACH_UP : 1;
    return w->n_rung_back > reach ? w->n_rung_back : reach;
}

static double first(const wr_window *w, int n_subsystem)
{
    return n_subsystem > 1 ? wr_max(FIRST * w->initial_s, w->min_s) : w->initial_s;
}

/* Returns the longest possible length of the next window. Half a rung more covers rounding to the ladder. */
static double longest_next(const wr_window *w)
{
    return w->length_s * pow(RUNG_RATIO, reach_up(w) + 0.5);
}

/* Returns the part of an integration's work that does not grow with the window's length. */
static double fixed_work(const wr_window_outcome *o, int i)
{
    const double fixed = fixed_rhs(o, i), most = o->n_rhs[i] > fixed ? FIXED_MOST : FIXED_LEAST;
    return o->work[i] * wr_min(fixed / o->n_rhs[i], most);
}

/* Predicts the cost per second of windows on the neighbouring rungs, in an arbitrary unit, with whole numbers of sweeps. */
static void predict_costs(const wr_window *w, const wr_window_outcome *o, int here,
                          double ret_cost[REACH])
{
    double worst = 1.0;
    for (int i = 0; i < o->n_subsystem; i++)
        worst = wr_max(worst, o->prediction_error[i]);
    /* Contraction of the error by one sweep. If no ratio is known, the rule assumes that a sweep contracts the largest error to 0.1. */
    const double log_rho = log(o->contraction > 0.0 ? o->contraction : 0.1 / worst);
    const double log_ratio = log(RUNG_RATIO);
    const double log_here = log(rung_length(w, here) / o->length_s);
    double grown[REACH], shorter[REACH], per_sweep[REACH];
    for (int k = 0; k < REACH; k++) {
        const double log_factor = log_here + (k - REACH_DOWN) * log_ratio;
        const double log_rho_there = log_rho + (w->is_static ? 0.0 : log_factor);
        grown[k] = w->error_order * log_factor;
        per_sweep[k] = -1.0 / wr_clamp(log_rho_there, LOG_RHO_LEAST, LOG_RHO_MOST);
        shorter[k] = exp(-log_factor);
        ret_cost[k] = 0.0;
    }
    for (int i = 0; i < o->n_subsystem; i++) {
        const double log_miss =
            log(o->prediction_error[i]); /* -INFINITY: one integration is enough */
        const double fixed = fixed_work(o, i);
        const double growing = o->work[i] - fixed;
        for (int k = 0; k < REACH; k++) {
            const double missed = log_miss + grown[k];
            const double n = missed > 0.0 ? 1.0 + ceil(missed * per_sweep[k]) : 1.0;
            ret_cost[k] += n * (growing + fixed * shorter[k]);
        }
    }
}

/* Updates the cost of rung `here` by the measured cost. On a new rung the cost replaces the guess. On a rung with many windows the
 * difference also changes the level of all other rungs. Returns the cost per second. */
static double learn_here(wr_window *w, const wr_window_outcome *o, int here)
{
    const double cost = o->spent / o->length_s;
    const int was_guess = !(w->n_seen[here] > 0.0);
    const double n = w->n_seen[here] + 1.0, rate = wr_max(1.0 - MEMORY, 1.0 / n);
    const double level = 1.0 + (was_guess ? 0.0 : (rate - 1.0 / n) * (cost / w->cost[here] - 1.0));
    for (int rung = 0; rung < WR_WINDOW_RUNGS; rung++) {
        w->n_seen[rung] *= SEEN_MEMORY;
        if (rung != here)
            w->cost[rung] *= level;
    }
    w->cost[here] = was_guess ? cost : w->cost[here] + rate * (cost - w->cost[here]);
    w->n_seen[here] = n;
    return cost;
}

static void update_costs(wr_window *w, const wr_window_outcome *o)
{
    if (w->n_rung_back > 0) { /* the last window is a trial */
        w->spare -= w->trial_price * o->spent;
        w->trial_price = wr_min(TRIAL_RISE * w->trial_price, TRIAL_DEAREST);
    } else
        w->spare = wr_min(w->spare + TRIAL_PART * o->spent, TRIAL_SAVED * o->spent);
    double fixed = 0.0, work = 0.0;
    for (int i = 0; i < o->n_subsystem; i++) {
        fixed += fixed_work(o, i);
        work += o->work[i];
    }
    /* The simulated time whose integration costs as much as the start of a window. */
    w->least_gap_s = work > fixed ? o->length_s * fixed / (work - fixed) : (double)INFINITY;
    const int here = rung_of(w, o->length_s);
    const double cost_here = learn_here(w, o, here);
    double predicted[REACH];
    predict_costs(w, o, here, predicted);
    for (int k = 0; k < REACH; k++) {
        const int rung = here - REACH_DOWN + k;
        if (rung < 0 || rung >= WR_WINDOW_RUNGS || rung == here)
            continue;
        const double cost = cost_here * predicted[k] / predicted[REACH_DOWN];
        const double weight = w->cost[rung] > 0.0 ? GUESS / (1.0 + w->n_seen[rung]) : 1.0;
        w->cost[rung] += weight * (cost - w->cost[rung]);
    }
}

/* Returns the length of the rung in reach with the lowest guessed cost. The conditions of FORGOTTEN and TRIAL_COST must allow the rung, and
 * the saved work must pay its trial. Without such a rung returns the present length. */
static double try_another(wr_window *w, int here)
{
    int best = here;
    double cost = TRIAL_COST * w->cost[here];
    for (int rung = here - REACH_DOWN; rung <= here + reach_up(w); rung++)
        if (rung >= 0 && rung < WR_WINDOW_RUNGS && rung != here && w->n_seen[rung] < FORGOTTEN &&
            w->cost[rung] > 0.0 && w->cost[rung] < cost &&
            w->trial_price * w->cost[rung] * rung_length(w, rung) <= w->spare) {
            best = rung;
            cost = w->cost[rung];
        }
    if (best == here)
        return w->length_s;
    w->patience = 0.0;
    w->n_rung_back = here > best ? here - best : 1;
    return rung_length(w, best);
}

/* Returns the length of the cheapest rung within REACH_DOWN and reach_up(); after two windows with is_least no shorter length. The length
 * changes at once after a trial, or if the gain is large. If the length has not changed for PATIENCE windows, the function may return a
 * trial. A window that ended early, after ended_s, is no measure of longer windows. So the largest rise counts from ended_s, except after
 * a trial. */
static double best_within_reach(wr_window *w, const wr_window_outcome *o)
{
    const double length_s = w->length_s, ended_s = o->length_s;
    const int here = rung_of(w, length_s);
    const int bottom = w->is_least && is_least(o) ? here : here - REACH_DOWN;
    const int top = (w->n_rung_back > 0 ? here : rung_of(w, ended_s)) + reach_up(w);
    int best = here;
    for (int rung = bottom; rung <= top; rung++)
        if (rung >= 0 && rung < WR_WINDOW_RUNGS && w->cost[rung] > 0.0 &&
            w->cost[rung] < GAIN_TO_MOVE * w->cost[best])
            best = rung;
    const int is_urgent = w->n_rung_back > 0 || w->cost[best] < GAIN_TO_HURRY * w->cost[here];
    w->n_rung_back = 0;
    if (best == here || (w->patience < PATIENCE && !is_urgent)) {
        w->patience += 1.0;
        return w->patience < PATIENCE || w->n_window < YOUNG ? length_s : try_another(w, here);
    }
    w->patience = 0.0;
    return rung_length(w, best);
}

static double accepted(wr_window *w, const wr_window_outcome *o)
{
    w->n_window++;
    update_costs(w, o);
    const double length_s = best_within_reach(w, o);
    w->is_least = is_least(o);
    return length_s;
}

static void rejected(wr_window *w, const wr_window_outcome *o)
{
    const int here = rung_of(w, o->length_s);
    for (int rung = here; rung < WR_WINDOW_RUNGS; rung++)
        if (rung == here || w->cost[rung] > 0.0)
            w->cost[rung] += o->spent / o->length_s;
    w->n_seen[here] += 1.0;
}

const wr_window_rule wr_window_rule_work = {.name = "work",
                                            .reads_each = 1,
                                            .first = first,
                                            .longest_next = longest_next,
                                            .accepted = accepted,
                                            .rejected = rejected};
