/* Models that come to rest where the derivative of their right-hand side is infinite. */
#include <math.h>

#include "split_models.h"

/* ---- split.tank: area h' = inflow - k sign(h - other) sqrt(|h - other|) */

enum { TANK_K, TANK_AREA, TANK_INFLOW };
static const wrsim_variable tank_params[] = {PARAM(TANK_K, "k", 1.0), PARAM(TANK_AREA, "area", 1.0),
                                             PARAM(TANK_INFLOW, "inflow", 0.0)};
static const wrsim_variable tank_states[] = {STATE_VALUE("h", 1.0)};
static const wrsim_variable tank_inputs[] = {INPUT("other")};
static const wrsim_variable tank_outputs[] = {OUTPUT_STATE("h", 0)};

static int tank_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    return WR_DESCRIBE_ADD(to, WRSIM_STATE, tank_states) ||
                   WR_DESCRIBE_ADD(to, WRSIM_INPUT, tank_inputs) ||
                   WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, tank_outputs)
               ? -1
               : no_feedthrough(to);
}

static int tank_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double head = at->x[0] - at->u[0];
    ret_dx[0] = (p[TANK_INFLOW] - p[TANK_K] * copysign(sqrt(fabs(head)), head)) / p[TANK_AREA];
    return 0;
}

static int tank_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    return 0;
}

MODEL(tank, "tank", "tank that drains into another through an orifice", tank_params,
      .describe = tank_describe, .rhs = tank_rhs, .output = tank_output);

const wrsim_model *const wr_split_level_models[] = {&tank, NULL};
