/* A plug-in with the model bad.writes, an oscillator x'' = -x with one fault in its writes: the parameter `fault` names the array that
 * a callback does not write completely.
 *
 * Thread: one at a time per instance. Real-time: no.
 */
#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum fault { NO_FAULT, SKIPS_DX, SKIPS_Y, SKIPS_Z, SKIPS_W, SKIPS_JACOBIAN };

static const char *const faults[] = {"none",    "skips_dx",       "skips_y", "skips_z",
                                     "skips_w", "skips_jacobian", NULL};
static const wrsim_variable params[] = {{.name = "fault", .choices = faults}};

static int has(const wrsim_instance *self, enum fault fault)
{
    return (int)self->param[0] == (int)fault;
}

DECLARE(describe, "state: x=1 v discrete: count output: x:0 y indicator: low high work=1")

ALGEBRA(algebra)
{
    if (!has(self, SKIPS_W))
        ret_w[0] = -at->x[0];
}

RHS(rhs)
{
    ret_dx[0] = at->x[1];
    if (!has(self, SKIPS_DX))
        ret_dx[1] = at->w[0];
}

OUTPUTS(output)
{
    if (!has(self, SKIPS_Y))
        ret_y[1] = at->x[1];
}

INDICATORS(indicator)
{
    ret_z[0] = at->x[0] + 0.5;
    if (!has(self, SKIPS_Z))
        ret_z[1] = at->x[0] - 0.5;
}

EVENT(event) { d[0] += what->is_initial ? 0.0 : 1.0; }

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    ret_jac[0] = 0.0;
    ret_jac[1] = -1.0;
    ret_jac[2] = 1.0;
    if (!has(self, SKIPS_JACOBIAN))
        ret_jac[3] = 0.0;
    return 0;
}

static const wrsim_model writes = {.abi = WRSIM_MODEL_ABI,
                                   .struct_size = sizeof(wrsim_model),
                                   .name = "bad.writes",
                                   .n_param = 1,
                                   .params = params,
                                   .describe = describe,
                                   .rhs = rhs,
                                   .output = output,
                                   .algebra = algebra,
                                   .indicator = indicator,
                                   .event = event,
                                   .jacobian = jacobian};

PLUGIN(&writes)
