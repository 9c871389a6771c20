/* Models that come to rest where the derivative of their right-hand side is infinite. */
#include <math.h>

#include "split_models.h"

/* ---- split.tank: area h' = inflow - k sign(h - other) sqrt(|h - other|) */

enum { TANK_K, TANK_AREA, TANK_INFLOW };
static const wrsim_variable tank_params[] = {PARAM(TANK_K, "k", 1.0), PARAM(TANK_AREA, "area", 1.0),
                                             PARAM(TANK_INFLOW, "inflow", 0.0)};
DECLARE(tank_describe, "state: h=1 input: other output: h:0 U_Y: -")

RHS(tank_rhs)
{
    const double *const p = self->param;
    const double head = at->x[0] - at->u[0];
    ret_dx[0] = (p[TANK_INFLOW] - p[TANK_K] * copysign(sqrt(fabs(head)), head)) / p[TANK_AREA];
}

OUTPUTS(tank_output) { ret_y[0] = at->x[0]; }

MODEL(tank, "tank", "tank that drains into another through an orifice", tank_params,
      .describe = tank_describe, .rhs = tank_rhs, .output = tank_output);

const wrsim_model *const wr_split_level_models[] = {&tank, NULL};
