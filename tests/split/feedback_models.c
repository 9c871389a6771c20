/* Models of loops of events: a comparator whose output returns to its own input at the same instant. */
#include <math.h>

#include "split_models.h"

/* ---- split.comparator: y = high while u + back is above the threshold, else low. Counts both switches. */

enum { COMP_THRESHOLD, COMP_LOW, COMP_HIGH };
static const wrsim_variable comparator_params[] = {PARAM(COMP_THRESHOLD, "threshold", 0.0),
                                                   PARAM(COMP_LOW, "low", -1.0),
                                                   PARAM(COMP_HIGH, "high", 1.0)};
enum { COMP_ON, COMP_RISES, COMP_FALLS };
static const wrsim_variable comparator_discretes[] = {[COMP_ON] = STATE_VALUE("on", 0.0),
                                                      [COMP_RISES] = STATE_VALUE("n_rise", 0.0),
                                                      [COMP_FALLS] = STATE_VALUE("n_fall", 0.0)};
static const wrsim_variable comparator_inputs[] = {INPUT("u"), INPUT("back")};
static const wrsim_variable comparator_outputs[] = {OUTPUT("y"), OUTPUT("rises"), OUTPUT("falls")};
static const wrsim_variable comparator_indicators[] = {INDICATOR("above")};

static int comparator_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, comparator_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, comparator_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, comparator_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, comparator_indicators)
               ? -1
               : no_feedthrough(to);
}

static int comparator_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = self->param[at->d[COMP_ON] > 0.5 ? COMP_HIGH : COMP_LOW];
    ret_y[1] = at->d[COMP_RISES];
    ret_y[2] = at->d[COMP_FALLS];
    return 0;
}

static int comparator_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->u[0] + at->u[1] - self->param[COMP_THRESHOLD];
    return 0;
}

static int comparator_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                            double *x, double *d)
{
    (void)self;
    (void)x;
    if (what->fired[0] > 0) {
        d[COMP_ON] = 1.0;
        d[COMP_RISES] = at->d[COMP_RISES] + 1.0;
    } else if (what->fired[0] < 0) {
        d[COMP_ON] = 0.0;
        d[COMP_FALLS] = at->d[COMP_FALLS] + 1.0;
    }
    return 0;
}

MODEL(comparator, "comparator", "on while the sum of its inputs is above a threshold",
      comparator_params, .describe = comparator_describe, .output = comparator_output,
      .indicator = comparator_indicator, .event = comparator_event);

/* ---- split.parity: counts how often u + back rises above the threshold; y = high while the count is odd, else low. */

enum { PARITY_RISES };
static const wrsim_variable parity_discretes[] = {[PARITY_RISES] = STATE_VALUE("n_rise", 0.0)};
static const wrsim_variable parity_outputs[] = {OUTPUT("y"), OUTPUT("rises")};
static const wrsim_variable parity_indicators[] = {RISING("above")};

static int parity_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, parity_discretes) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, comparator_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, parity_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, parity_indicators)
               ? -1
               : no_feedthrough(to);
}

static int parity_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = self->param[fmod(at->d[PARITY_RISES], 2.0) > 0.5 ? COMP_HIGH : COMP_LOW];
    ret_y[1] = at->d[PARITY_RISES];
    return 0;
}

static int parity_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                        double *x, double *d)
{
    (void)self;
    (void)x;
    if (what->fired[0] > 0)
        d[PARITY_RISES] = at->d[PARITY_RISES] + 1.0;
    return 0;
}

MODEL(parity, "parity", "shows whether it has risen an odd number of times", comparator_params,
      .describe = parity_describe, .output = parity_output, .indicator = comparator_indicator,
      .event = parity_event);

/* ---- split.dead_zone: y = u beyond the limits, 0 between them; the branches are modes. */

enum { ZONE_LOW, ZONE_HIGH };
static const wrsim_variable zone_params[] = {PARAM(ZONE_LOW, "low", -0.5),
                                             PARAM(ZONE_HIGH, "high", 0.5)};
static const wrsim_variable zone_inputs[] = {INPUT("u")};
static const wrsim_variable zone_outputs[] = {OUTPUT("y")};
static const wrsim_variable zone_indicators[] = {INDICATOR("above_low"), INDICATOR("above_high")};

static int zone_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, zone_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, zone_outputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, zone_indicators)
               ? -1
               : to->depends(to, WRSIM_U_Y, 0, 0);
}

static int zone_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const p = self->param;
    ret_y[0] = !at->mode[0] ? at->u[0] - p[ZONE_LOW] : at->mode[1] ? at->u[0] - p[ZONE_HIGH] : 0.0;
    return 0;
}

static int zone_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->u[0] - self->param[ZONE_LOW];
    ret_z[1] = at->u[0] - self->param[ZONE_HIGH];
    return 0;
}

MODEL(dead_zone, "dead_zone", "what its input is beyond two limits", zone_params,
      .describe = zone_describe, .output = zone_output, .indicator = zone_indicator);

const wrsim_model *const wr_split_feedback_models[] = {&comparator, &parity, &dead_zone, NULL};
