/* Window control: the code that all rules share. See window.h. Thread: serial section of the engine. Real-time: yes. */
#include "runtime/relax/window.h"

#include <math.h>

#include "base/check.h"

/* Order p of the prediction error, between the orders of quadratic (4) and cubic (5) predictions (docs/METHODS.md, Window length). */
static const double MISS_ORDER = 4.5;
/* Least ratio of the lengths after and before a rejection (docs/lab/2026-11-22-prediction-and-windows.md). */
static const double MAX_CUT = 0.25;
/* Length, in units of the least length, up to which a window is as short as allowed (assumed). The margin covers the rounding of times. */
static const double SHORTEST = 1.01;

void wr_window_init(wr_window *w, const wr_window_rule *rule, int n_subsystem, double initial_s,
                    double min_s, double max_s)
{
    *w = (wr_window){.rule = rule,
                     .min_s = min_s,
                     .max_s = max_s,
                     .error_order = MISS_ORDER,
                     .trial_price = 1.0,
                     .least_gap_s = (double)INFINITY,
                     .initial_s = wr_clamp(initial_s, min_s, max_s)};
    w->length_s = rule->first(w, n_subsystem);
}

double wr_window_longest_next(const wr_window *w)
{
    return wr_min(w->rule->longest_next(w), w->max_s);
}

double wr_window_least_gap(const wr_window *w) { return w->least_gap_s; }

void wr_window_accepted(wr_window *w, const wr_window_outcome *o)
{
    w->length_s = wr_clamp(w->rule->accepted(w, o), w->min_s, w->max_s);
}

void wr_window_limit(wr_window *w, double most_s)
{
    if (!w->rule->is_fixed)
        w->length_s = wr_max(w->min_s, wr_min(w->length_s, most_s));
}

void wr_window_forget(wr_window *w)
{
    for (int i = 0; i < WR_WINDOW_RUNGS; i++)
        w->n_seen[i] = 0.0;
    w->n_rung_back = 0;
}

void wr_window_state(wr_window *w, wr_state_io *io)
{
    WR_STATE(io, w->length_s);
    WR_STATE(io, w->least_gap_s);
    WR_STATE(io, w->cost);
    WR_STATE(io, w->n_seen);
    WR_STATE(io, w->n_window);
    WR_STATE(io, w->spare);
    WR_STATE(io, w->trial_price);
    WR_STATE(io, w->n_rung_back);
    WR_STATE(io, w->is_least);
    WR_STATE(io, w->patience);
}

int wr_window_is_shortest(const wr_window *w, double length_s)
{
    return length_s <= SHORTEST * w->min_s;
}

int wr_window_cut(wr_window *w, double t_s, double length_s)
{
    const double cut_s = MAX_CUT * length_s;
    if (wr_time_close(t_s, t_s + MAX_CUT * cut_s)) /* engine_window.c may halve this length */
        return -1;
    w->length_s = cut_s;
    return 0;
}

int wr_window_rejected(wr_window *w, const wr_window_outcome *o, double prefix_s)
{
    if (wr_window_is_shortest(w, o->length_s))
        return -1;
    if (w->rule->rejected)
        w->rule->rejected(w, o);
    const double cut_s = MAX_CUT * o->length_s;
    w->length_s = wr_clamp(wr_max(prefix_s, cut_s), w->min_s, wr_max(w->min_s, 0.9 * o->length_s));
    w->patience = 0.0;
    w->n_rung_back = 0;
    return 0;
}
