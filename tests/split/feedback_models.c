/* Models of loops of events: a comparator and a parity counter, whose outputs return to their own inputs at the same instant, and a dead
 * zone. */
#include <math.h>

#include "split_models.h"

/* ---- split.comparator: y = high while u + back is above the threshold, else low. Counts rises and falls. */

enum { COMP_THRESHOLD, COMP_LOW, COMP_HIGH };
static const wrsim_variable comparator_params[] = {PARAM(COMP_THRESHOLD, "threshold", 0.0),
                                                   PARAM(COMP_LOW, "low", -1.0),
                                                   PARAM(COMP_HIGH, "high", 1.0)};
enum { COMP_ON, COMP_RISES, COMP_FALLS };
DECLARE(comparator_describe, "discrete: on n_rise n_fall input: u back output: y rises falls "
                             "indicator: above U_Y: -")

OUTPUTS(comparator_output)
{
    ret_y[0] = self->param[at->d[COMP_ON] > 0.5 ? COMP_HIGH : COMP_LOW];
    ret_y[1] = at->d[COMP_RISES];
    ret_y[2] = at->d[COMP_FALLS];
}

INDICATORS(comparator_indicator) { ret_z[0] = at->u[0] + at->u[1] - self->param[COMP_THRESHOLD]; }

EVENT(comparator_event)
{
    if (what->fired[0] > 0) {
        d[COMP_ON] = 1.0;
        d[COMP_RISES] = at->d[COMP_RISES] + 1.0;
    } else if (what->fired[0] < 0) {
        d[COMP_ON] = 0.0;
        d[COMP_FALLS] = at->d[COMP_FALLS] + 1.0;
    }
}

MODEL(comparator, "comparator", "on while the sum of its inputs is above a threshold",
      comparator_params, .describe = comparator_describe, .output = comparator_output,
      .indicator = comparator_indicator, .event = comparator_event);

/* ---- split.parity: counts how often u + back rises above the threshold; y = high while the count is odd, else low. */

enum { PARITY_RISES };
DECLARE(parity_describe, "discrete: n_rise input: u back output: y rises indicator: above< U_Y: -")

OUTPUTS(parity_output)
{
    ret_y[0] = self->param[fmod(at->d[PARITY_RISES], 2.0) > 0.5 ? COMP_HIGH : COMP_LOW];
    ret_y[1] = at->d[PARITY_RISES];
}

EVENT(parity_event)
{
    if (what->fired[0] > 0)
        d[PARITY_RISES] = at->d[PARITY_RISES] + 1.0;
}

MODEL(parity, "parity", "shows whether it has risen an odd number of times", comparator_params,
      .describe = parity_describe, .output = parity_output, .indicator = comparator_indicator,
      .event = parity_event);

/* ---- split.dead_zone: y = u less the limit beyond the limits, 0 between them; the branches are modes. */

enum { ZONE_LOW, ZONE_HIGH };
static const wrsim_variable zone_params[] = {PARAM(ZONE_LOW, "low", -0.5),
                                             PARAM(ZONE_HIGH, "high", 0.5)};
DECLARE(zone_describe, "input: u output: y indicator: above_low above_high U_Y: 0,0")

OUTPUTS(zone_output)
{
    const double *const p = self->param;
    ret_y[0] = !at->mode[0] ? at->u[0] - p[ZONE_LOW] : at->mode[1] ? at->u[0] - p[ZONE_HIGH] : 0.0;
}

INDICATORS(zone_indicator)
{
    ret_z[0] = at->u[0] - self->param[ZONE_LOW];
    ret_z[1] = at->u[0] - self->param[ZONE_HIGH];
}

MODEL(dead_zone, "dead_zone", "what its input is beyond two limits", zone_params,
      .describe = zone_describe, .output = zone_output, .indicator = zone_indicator);

const wrsim_model *const wr_split_feedback_models[] = {&comparator, &parity, &dead_zone, NULL};
