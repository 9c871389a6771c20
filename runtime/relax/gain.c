/* Learning what changes of inputs come to. See gain.h.
 *
 * Thread: as said there. Real-time: yes.
 */
#include "runtime/relax/gain.h"

#include <math.h>

#include "base/check.h"

static const double START = 1.0;
static const double NOISE = 1.0 / 6; /* of the change that is accepted: solvers' noise and more */
static const double DRIFT = 1.01;    /* per window without a measurement, from below to START */

/* Where a factor may lie. More than the most of trust is not what the estimate is about: it counts
 * the whole change over the whole window. The least of hidden is for what acts in some windows only,
 * however often it did not in others. */
typedef struct bounds {
    double least, most;
} bounds;
static const bounds TRUST = {0.1, 2.0};
static const bounds HIDDEN[WR_GAIN_KINDS] = {{0.03, WR_GAIN_MOST}, {1.0, WR_GAIN_MOST}};

void wr_gain_init(wr_gain *g, double convergence)
{
    g->noise = NOISE * convergence;
    g->kind = WR_GAIN_QUIET;
    g->trust = (wr_gain_factor){START, 0};
    for (int k = 0; k < WR_GAIN_KINDS; k++)
        g->hidden[k] = (wr_gain_factor){START, 0};
}

double wr_gain_hidden(const wr_gain *g, double inputs) { return g->hidden[g->kind].value * inputs; }

double wr_gain_effect(const wr_gain *g, double inputs, double estimate)
{
    return wr_gain_hidden(g, inputs) + g->trust.value * estimate;
}

/* The change is what was seen to within noise. Raised at once, lowered by halves. */
static void learn(wr_gain_factor *factor, double from, double change, double noise, bounds within)
{
    factor->n_unmeasured = 0;
    const double low = (change - noise) / from, high = (change + noise) / from;
    if (factor->value < low)
        factor->value = low;
    else if (factor->value > high)
        factor->value = 0.5 * (factor->value + high);
    factor->value = wr_clamp(factor->value, within.least, within.most);
}

void wr_gain_learn(wr_gain *g, double inputs, double estimate, double change)
{
    if (!(inputs > 0.0) || !isfinite(inputs) || !isfinite(change))
        return;
    double explained = 0.0;
    if (estimate > 0.0 && isfinite(estimate)) {
        learn(&g->trust, estimate, change, g->noise, TRUST);
        explained = g->trust.value * estimate;
    }
    learn(&g->hidden[g->kind], inputs, wr_max(change - explained, 0.0), g->noise, HIDDEN[g->kind]);
}

static void drift(wr_gain_factor *factor)
{
    if (factor->n_unmeasured++ > 0)
        factor->value = wr_min(factor->value * DRIFT, wr_max(factor->value, START));
}

void wr_gain_accepted(wr_gain *g)
{
    drift(&g->trust);
    for (int k = 0; k < WR_GAIN_KINDS; k++)
        drift(&g->hidden[k]);
    g->kind = WR_GAIN_QUIET;
}
