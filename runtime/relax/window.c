/* Window control. See window.h.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/window.h"

#include <math.h>
#include <string.h>

#include "runtime/base/check.h"

static const double RUNG_RATIO = 1.4142135623730951; /* lengths on the ladder */
static const double MISS_ORDER = 3.5; /* p: (q + 1) + m, between linear and quadratic prediction */
static const double FIXED_COST = 8.0; /* b: right-hand sides lost per integration and subsystem */
static const double MEMORY = 0.94;    /* of a rung's cost, per window: about 16 windows */
static const double GAIN_TO_MOVE = 0.97;              /* a neighbour must be this much cheaper */
static const double PATIENCE = 4.0;                   /* windows between two moves */
static const double MAX_GROWTH = 2.0, MAX_CUT = 0.25; /* bounds of one change */
static const double RATIO_TARGET = 0.1; /* [001 sec. 6] contraction the ratio rule aims at */

/* Rungs that a length may be cut by at once: what far shorter windows would have cost is a rough guess,
 * which counts as long as nothing better is known there, but windows far too long are the dear ones. */
enum { REACH_DOWN = 8, NEAR = 2 };

static double rung_length(const wr_window *w, int rung) { return w->min_s * pow(RUNG_RATIO, rung); }

static int rung_of(const wr_window *w, double length_s)
{
    const double rung = floor(log(length_s / w->min_s) / log(RUNG_RATIO) + 0.5);
    return (int)wr_clamp(rung, 0.0, WR_WINDOW_RUNGS - 1);
}

void wr_window_init(wr_window *w, wr_window_rule rule, double initial_s, double min_s, double max_s)
{
    memset(w, 0, sizeof *w);
    w->rule = rule;
    w->min_s = min_s;
    w->max_s = max_s;
    w->length_s = w->initial_s = wr_clamp(initial_s, min_s, max_s);
}

double wr_window_longest_next(const wr_window *w)
{
    switch (w->rule) {
    case WR_WINDOW_RULE_WORK: /* one rung up, and half a one from rounding to the ladder */
        return wr_min(w->length_s * RUNG_RATIO * sqrt(RUNG_RATIO), w->max_s);
    case WR_WINDOW_RULE_RATIO:
        return wr_min(w->length_s * MAX_GROWTH, w->max_s);
    case WR_WINDOW_RULE_FIXED:
        break;
    }
    return w->initial_s;
}

/* Integrations per subsystem that a window longer by `factor` would have needed. */
static double predicted_integrations(const wr_window_outcome *o, double factor)
{
    const double rho = wr_clamp((o->contraction > 0.0 ? o->contraction : 0.1) * factor, 1e-3, 0.9);
    double sum = 0.0;
    for (int i = 0; i < o->n_subsystem; i++) {
        const double miss = o->miss[i] * pow(factor, MISS_ORDER);
        sum += 1.0;
        if (miss > 1.0)
            sum += 1.0 + log(miss) / log(1.0 / rho);
    }
    return o->n_subsystem > 0 ? sum / o->n_subsystem : 1.0;
}

static void update_costs(wr_window *w, const wr_window_outcome *o)
{
    const double fixed = FIXED_COST * o->n_subsystem;
    const double per_second = wr_max(o->work - fixed, 0.25 * o->work) / o->length_s;
    const int here = rung_of(w, o->length_s);
    for (int rung = here - REACH_DOWN; rung <= here + NEAR; rung++) {
        if (rung < 0 || rung >= WR_WINDOW_RUNGS || (rung < here - NEAR && w->cost[rung] > 0.0))
            continue;
        const double length_s = rung_length(w, rung);
        const double integrations = predicted_integrations(o, length_s / o->length_s);
        const double cost = integrations * (per_second * length_s + fixed) / length_s;

        w->cost[rung] = w->cost[rung] > 0.0 ? MEMORY * w->cost[rung] + (1.0 - MEMORY) * cost : cost;
    }
}

/* The cheapest rung within reach; what is far below is worth no wait. */
static double best_within_reach(wr_window *w, double length_s)
{
    const int here = rung_of(w, length_s);
    int best = here;
    for (int rung = here - REACH_DOWN; rung <= here + 1; rung++)
        if (rung >= 0 && rung < WR_WINDOW_RUNGS && w->cost[rung] > 0.0 &&
            w->cost[rung] < GAIN_TO_MOVE * w->cost[best])
            best = rung;
    if (best == here || (w->patience < PATIENCE && best >= here - NEAR)) {
        w->patience += 1.0;
        return length_s;
    }
    w->patience = 0.0;
    return rung_length(w, best);
}

void wr_window_accepted(wr_window *w, const wr_window_outcome *o)
{
    double length_s = w->length_s;
    switch (w->rule) {
    case WR_WINDOW_RULE_WORK:
        update_costs(w, o);
        length_s = best_within_reach(w, length_s);
        break;
    case WR_WINDOW_RULE_RATIO: {
        const double ratio =
            o->contraction > 0.0 ? 0.9 * RATIO_TARGET / o->contraction : MAX_GROWTH;
        length_s = o->length_s * wr_clamp(o->n_sweep > 1 ? ratio : MAX_GROWTH, 0.3, MAX_GROWTH);
        break;
    }
    case WR_WINDOW_RULE_FIXED:
        length_s = wr_min(MAX_GROWTH * length_s, w->initial_s);
        break;
    }
    w->length_s = wr_clamp(length_s, w->min_s, w->max_s);
}

int wr_window_rejected(wr_window *w, const wr_window_outcome *o, double prefix_s)
{
    const double shortest_s = w->min_s * (1.0 + 1e-9);
    if (o->length_s <= shortest_s)
        return -1;
    if (w->rule == WR_WINDOW_RULE_WORK) {
        const int here = rung_of(w, o->length_s);
        for (int rung = here; rung < WR_WINDOW_RUNGS; rung++)
            if (rung == here || w->cost[rung] > 0.0)
                w->cost[rung] += o->work_wasted / o->length_s;
    }
    const double cut_s = MAX_CUT * o->length_s;
    w->length_s = wr_clamp(wr_max(prefix_s, cut_s), w->min_s, wr_max(w->min_s, 0.9 * o->length_s));
    w->patience = 0.0;
    return 0;
}
