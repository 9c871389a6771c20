/* Verdicts on sweeps. See sweep_verdict.h and docs/METHODS.md, Acceptance. Thread: any, pure functions. Real-time: yes. */
#include "runtime/relax/sweep_verdict.h"

#include <math.h>

#include "base/check.h"

/* MOST_SWEEPS: most sweeps of a window without rings, or if a shorter window does not help. MOST_ACCELERATED: if a shorter window does not
 * help, factor on relaxation.max_sweeps for accelerated sweeps (both assumed). */
enum { MOST_SWEEPS = 5000, MOST_ACCELERATED = 10 };
/* Least accepted error after WR_VERDICT_MANY_SWEEPS, tolerances (docs/lab/2026-11-23-acceptance.md). */
static const double LEAST_ERROR = 1.0;
/* If a shorter window does not help, a window with a ratio of residuals below this limit may take WR_VERDICT_MANY_SWEEPS sweeps
 * (assumed). */
static const double DIVERGING = 1.5;
/* If a shorter window does not help, a window with a ratio of residuals below this limit may take up to MOST_SWEEPS sweeps (assumed). */
static const double ENDLESS_RATIO = 0.9995;
/* If a shorter window may help, the verdict rejects a window of plain sweeps of a ring with a ratio of residuals above this limit
 * (docs/METHODS.md, Acceptance). */
static const double RATIO_LIMIT = 0.8;
/* First sweep whose ratio the verdict judges (docs/METHODS.md, Acceptance). An algebraic loop needs one sweep more, because one of two
 * successive ratios may be 1. */
enum { SOONEST = 3, SOONEST_STATIC = 4 };

double wr_sweep_verdict_accepted_error(double convergence, int i_sweep, int is_short_enough)
{
    const int is_noise = i_sweep >= WR_VERDICT_MANY_SWEEPS && is_short_enough;
    return is_noise ? wr_max(convergence, LEAST_ERROR) : convergence;
}

/* Returns 1 if more sweeps may lead to acceptance of a window for which a shorter window does not help. */
static int is_worth_more_sweeps(const wr_sweep_verdict_input *v)
{
    if (!v->is_short_enough || v->i_sweep >= MOST_SWEEPS)
        return 0;
    if (v->i_sweep < WR_VERDICT_MANY_SWEEPS && (v->ratio < DIVERGING || v->residual <= LEAST_ERROR))
        return 1;
    const int is_uneven =
        v->is_accelerated && v->has_guesses; /* residuals need not fall in each sweep */
    return v->ratio < ENDLESS_RATIO ||
           v->i_sweep < (is_uneven ? MOST_ACCELERATED : 1) * v->relaxation->max_sweeps;
}

/* Returns 1 if the residual at the present ratio is still above relaxation.convergence in sweep max_sweeps, and a shorter window may help.
 * A wrong forecast costs sweeps, but no accuracy: a shorter window follows, and the shortest window has no forecast. */
static int is_too_slow(const wr_sweep_verdict_input *v)
{
    return v->ratio > 0.0 && !v->has_algebraic_cycle && !v->is_short_enough && v->may_retry &&
           v->residual * pow(v->ratio, v->relaxation->max_sweeps - v->i_sweep) >
               v->relaxation->convergence;
}

static int is_hopeless(const wr_sweep_verdict_input *v)
{
    const int is_judged = v->i_sweep >= (v->has_algebraic_cycle ? SOONEST_STATIC : SOONEST);
    const int is_diverging = is_judged && !v->is_accelerated && v->has_cycle &&
                             v->residual > v->relaxation->convergence &&
                             (v->ratio > RATIO_LIMIT || is_too_slow(v));
    const int is_last = v->i_sweep >= (v->has_cycle ? v->relaxation->max_sweeps : MOST_SWEEPS);
    const int is_stuck = v->kind == WR_VERDICT_OF_ACCELERATED && v->is_stuck && !v->is_short_enough;
    return is_stuck || ((is_last || is_diverging) && !is_worth_more_sweeps(v));
}

wr_verdict wr_sweep_verdict_of(const wr_sweep_verdict_input *v)
{
    if (!v->is_open)
        return WR_VERDICT_ACCEPT;
    if (v->kind == WR_VERDICT_OF_ONCE)
        return WR_VERDICT_SWEEP;
    const int is_plain = v->kind == WR_VERDICT_OF_SWEEP;
    if (!is_hopeless(v))
        return is_plain && !v->relaxation->active_set ? WR_VERDICT_CHECK : WR_VERDICT_SWEEP;
    return is_plain && v->may_not_matter ? WR_VERDICT_CHECK : WR_VERDICT_REJECT;
}
