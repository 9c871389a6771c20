/* Rates at which sweeps contract. See contraction.h. Thread: as in contraction.h. Real-time: yes. */
#include "runtime/relax/contraction.h"

#include <math.h>

static const double MOST_RATE = 0.999999; /* a rate above this limit counts as 1 (assumed) */
/* Residuals below this multiple of relaxation.convergence may be noise of the solvers (assumed). */
static const double SURE_RESIDUAL = 10.0;
static const double MEMORY = 0.1; /* weight of a lower rate in the expected rate (assumed) */
/* Rate (assumed) of a window whose residuals may be noise, if their ratio is at least this rate. */
static const double UNSURE_RATE = 0.5;
/* If the expected rate exceeds this limit (assumed), and no ratio of the window is reliable, noisy residuals give no lower rate. */
static const double SLOW_RATE = 0.9;
/* A rate depends on the window's length if a window of at most SHORTER times the length has less than SAME times the rate (assumed). */
static const double SAME = 0.95, SHORTER = 0.5;
/* Least number of windows rejected for their rate, and their least share of all windows, at which the method of the sweeps may change
 * (docs/lab/2026-11-23-algebraic-loops.md). */
enum { MOST_SLOW = 4 };
static const double SLOW_SHARE = 0.25;

void wr_contraction_init(wr_contraction *c, int has_cycle, int has_algebraic_cycle)
{
    *c = (wr_contraction){.has_cycle = has_cycle,
                          .has_algebraic_cycle = has_algebraic_cycle,
                          .expected = has_cycle ? -1.0 : 0.0,
                          .rejected_s = (double)NAN};
}

/* Computes the accepted effect. The rate is the window's own rate after two sweeps, else the rate of earlier windows (negative: not known).
 * In a window longer than length_s the earlier rate is larger in proportion. In a shorter window the earlier rate is the same. */
static void update(wr_contraction *c)
{
    double rate = c->has_cycle ? c->now : 0.0;
    if (c->has_cycle && !(c->now > 0.0))
        rate = c->expected < 0.0 ? -1.0 : c->expected * wr_max(1.0, c->window_s / c->length_s);
    const double share = wr_min(1.0 - rate, 1.0 / wr_max(c->amplification, 1.0));
    c->accepted_effect = rate < 0.0 || rate > MOST_RATE ? 0.0 : c->accepted_error * share;
}

void wr_contraction_begin_window(wr_contraction *c, double length_s, double convergence)
{
    c->window_s = length_s;
    c->accepted_error = convergence;
    c->now = c->sure = 0.0;
    for (int k = 0; k < 3; k++)
        c->residual[k] = c->end_residual[k] = 0.0;
    update(c);
}

void wr_contraction_accept(wr_contraction *c, double accepted_error)
{
    c->accepted_error = accepted_error;
    update(c);
}

void wr_contraction_amplify(wr_contraction *c, double amplification)
{
    c->amplification = amplification;
    update(c);
}

double wr_contraction_ratio(const wr_contraction *c, int i_sweep)
{
    const double *const residual = c->end_residual;
    if (i_sweep < 2 || !(residual[1] > 0.0))
        return 0.0;
    if (i_sweep < 4 || !(residual[2] > 0.0)) /* the first residual comes from the prediction */
        return residual[0] / residual[1];
    return sqrt(residual[0] / residual[2]);
}

/* Returns the rate for a ratio of small residuals, which noise of solvers distorts. The rate is at least the last reliable ratio of the
 * window. Without a reliable ratio below 1, the rate is at least the expected rate, if this rate exceeds SLOW_RATE. Otherwise a ratio of at
 * least UNSURE_RATE becomes UNSURE_RATE or a larger expected rate. */
static double correct_for_noise(const wr_contraction *c, double ratio)
{
    const double expected = c->expected < 1.0 ? c->expected : 0.0;
    if (c->sure > 0.0 && c->sure < 1.0)
        return wr_max(ratio < 1.0 ? ratio : 0.0, c->sure);
    if (expected > SLOW_RATE)
        return wr_max(ratio < 1.0 ? ratio : 0.0, expected);
    /* A ratio below 1 of an algebraic loop remains, because in the loop no solver adds noise. */
    if (!(ratio < UNSURE_RATE) && !(c->has_algebraic_cycle && ratio < 1.0))
        return wr_max(UNSURE_RATE, expected);
    return ratio;
}

double wr_contraction_measure(wr_contraction *c, int i_sweep, double convergence)
{
    const double *const residual = c->residual;
    if (i_sweep < 2 || !(residual[1] > 0.0))
        return -1.0;
    const int is_mean = i_sweep > 2 && residual[2] > 0.0; /* the ratio is a mean over two sweeps */
    double ratio = is_mean ? sqrt(residual[0] / residual[2]) : residual[0] / residual[1];
    if (residual[is_mean ? 2 : 1] > SURE_RESIDUAL * convergence)
        c->sure = ratio;
    else
        ratio = correct_for_noise(c, ratio);
    c->now = wr_max(ratio, 1e-12);
    update(c);
    return ratio;
}

/* The expected rate uses the last reliable ratio of a window, else the last rate. Early ratios belong to components of the error that fall
 * fast, or first grow. */
void wr_contraction_learn(wr_contraction *c)
{
    const double rate = c->sure > 0.0 ? c->sure : c->now;
    if (!(rate > 0.0))
        return;
    if (c->expected < 0.0 || rate > c->expected)
        c->expected = rate;
    else
        c->expected += MEMORY * (rate - c->expected);
    c->length_s = c->window_s;
}

int wr_contraction_is_retry(const wr_contraction *c, double t_s)
{
    return c->rejected_s <= t_s && c->rejected_s >= t_s;
}

void wr_contraction_reject(wr_contraction *c, double ratio, double t_s)
{
    const int is_retry = wr_contraction_is_retry(c, t_s);
    wr_contraction_learn(c);
    if (!(ratio > 0.0))
        return;
    c->n_slow++;
    if (c->is_slow) { /* more sweeps have not led to acceptance */
        c->is_slow = 0;
        c->rejected_s = (double)NAN;
        return;
    }
    if (is_retry && c->window_s <= SHORTER * c->rejected_length_s && ratio >= SAME * c->rejected)
        c->is_slow = 1;
    c->rejected_s = t_s;
    c->rejected = ratio;
    c->rejected_length_s = c->window_s;
}

int wr_contraction_is_often_slow(const wr_contraction *c, int64_t n_window)
{
    return c->n_slow >= MOST_SLOW && (double)c->n_slow >= SLOW_SHARE * (double)n_window;
}

void wr_contraction_forget(wr_contraction *c)
{
    c->is_slow = 0;
    c->rejected_s = (double)NAN;
    c->expected = -1.0;
}

void wr_contraction_state(wr_contraction *c, wr_state_io *io)
{
    WR_STATE(io, c->now);
    WR_STATE(io, c->sure);
    WR_STATE(io, c->expected);
    WR_STATE(io, c->length_s);
    WR_STATE(io, c->rejected);
    WR_STATE(io, c->rejected_length_s);
    WR_STATE(io, c->rejected_s);
    WR_STATE(io, c->n_slow);
    WR_STATE(io, c->is_slow);
}
