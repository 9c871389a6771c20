/* Learns the effect of input changes. See sensitivity.h. Thread: as in sensitivity.h. Real-time: yes. */
#include "runtime/relax/sensitivity.h"

#include <math.h>

#include "base/check.h"

static const double START = 1.0; /* factors before any measurement (assumed) */
/* Largest noise of solvers, per relaxation.convergence (assumed). */
static const double NOISE = 1.0 / 6;
static const double DRIFT =
    1.01; /* growth of a factor below START per window without measurement (assumed) */

/* Assumed limits of the modelled factor (TRUST) and of the unmodelled factors (HIDDEN). The estimate assumes that the change acts over the
 * whole window, so TRUST has a low upper limit. Some inputs act in few windows only, so HIDDEN has positive lower limits. */
typedef struct bounds {
    double least, most;
} bounds;
static const bounds TRUST = {0.1, 2.0};
static const bounds HIDDEN[WR_SENSITIVITY_KINDS] = {{0.03, WR_SENSITIVITY_MOST},
                                                    {1.0, WR_SENSITIVITY_MOST}};

void wr_sensitivity_init(wr_sensitivity *g, double convergence)
{
    g->noise = NOISE * convergence;
    wr_sensitivity_forget_events(g);
    g->early = 0.0;
    g->modelled = (wr_sensitivity_factor){START, 0};
    for (int k = 0; k < WR_SENSITIVITY_KINDS; k++)
        g->unmodelled[k] = (wr_sensitivity_factor){START, 0};
}

double wr_sensitivity_unmodelled(const wr_sensitivity *g, double inputs)
{
    const double quiet = g->unmodelled[WR_SENSITIVITY_QUIET].value;
    const double eventful = g->unmodelled[WR_SENSITIVITY_EVENTFUL].value;
    if (g->kind == WR_SENSITIVITY_QUIET)
        return quiet * inputs;
    return wr_min(eventful * inputs, quiet * inputs + eventful * g->early);
}

double wr_sensitivity_effect(const wr_sensitivity *g, double inputs, double estimate)
{
    return wr_sensitivity_unmodelled(g, inputs) + g->modelled.value * estimate;
}

double wr_sensitivity_largest(const wr_sensitivity *g, double inputs, double estimate)
{
    return g->unmodelled[g->kind].value * inputs + g->modelled.value * estimate;
}

/* Adapts a factor to the observed change to within noise: the factor rises at once, and falls by half of its error. */
static void learn(wr_sensitivity_factor *factor, double from, double change, double noise,
                  bounds within)
{
    factor->n_unmeasured = 0;
    const double low = (change - noise) / from, high = (change + noise) / from;
    if (factor->value < low)
        factor->value = low;
    else if (factor->value > high)
        factor->value = 0.5 * (factor->value + high);
    factor->value = wr_clamp(factor->value, within.least, within.most);
}

/* Raises a factor, so that `change` follows from `from`, to within noise. */
static void raise_factor(wr_sensitivity_factor *factor, double from, double change, double noise)
{
    factor->n_unmeasured = 0;
    factor->value = wr_min(wr_max(factor->value, (change - noise) / from), WR_SENSITIVITY_MOST);
}

/* Learns the unmodelled effect `rest` in a window with events. If the effect is too large, either factor may be too low, so both rise. The
 * factor of events falls only by changes up to the last event. */
static void learn_eventful(wr_sensitivity *g, double inputs, double rest)
{
    wr_sensitivity_factor *const eventful = &g->unmodelled[WR_SENSITIVITY_EVENTFUL];
    const double early = g->early;
    if (early < inputs && rest - g->noise > wr_sensitivity_unmodelled(g, inputs)) {
        /* if the early change is too small for this effect, all inputs count */
        const double from = rest <= WR_SENSITIVITY_MOST * early ? early : inputs;
        raise_factor(eventful, from, rest, g->noise);
        raise_factor(&g->unmodelled[WR_SENSITIVITY_QUIET], inputs, rest, g->noise);
    } else if (early > 0.0)
        learn(eventful, early, rest, g->noise, HIDDEN[WR_SENSITIVITY_EVENTFUL]);
}

void wr_sensitivity_learn(wr_sensitivity *g, double inputs, double estimate, double change)
{
    if (!(inputs > 0.0) || !isfinite(inputs) || !isfinite(change))
        return;
    double explained = 0.0;
    if (estimate > 0.0 && isfinite(estimate)) {
        learn(&g->modelled, estimate, change, g->noise, TRUST);
        explained = g->modelled.value * estimate;
    }
    const double rest = wr_max(change - explained, 0.0);
    if (g->kind == WR_SENSITIVITY_EVENTFUL)
        learn_eventful(g, inputs, rest);
    else
        learn(&g->unmodelled[WR_SENSITIVITY_QUIET], inputs, rest, g->noise,
              HIDDEN[WR_SENSITIVITY_QUIET]);
}

static void drift(wr_sensitivity_factor *factor)
{
    if (factor->n_unmeasured++ > 0)
        factor->value = wr_min(factor->value * DRIFT, wr_max(factor->value, START));
}

void wr_sensitivity_accepted(wr_sensitivity *g)
{
    drift(&g->modelled);
    for (int k = 0; k < WR_SENSITIVITY_KINDS; k++)
        drift(&g->unmodelled[k]);
    wr_sensitivity_forget_events(g);
}

static void factor_state(wr_sensitivity_factor *factor, wr_state_io *io)
{
    WR_STATE(io, factor->value);
    WR_STATE(io, factor->n_unmeasured);
}

void wr_sensitivity_state(wr_sensitivity *g, wr_state_io *io)
{
    const int kind = (int)wr_state_count(io, g->kind, WR_SENSITIVITY_KINDS - 1);
    if (wr_state_reads(io))
        g->kind = (wr_sensitivity_kind)kind;
    WR_STATE(io, g->i_part);
    WR_STATE(io, g->early);
    factor_state(&g->modelled, io);
    for (int k = 0; k < WR_SENSITIVITY_KINDS; k++)
        factor_state(&g->unmodelled[k], io);
}
