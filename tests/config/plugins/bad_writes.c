/* A plug-in with the model bad.writes, an oscillator x'' = -x with one fault in its writes. The parameter `fault` names the array that a
 * callback does not write completely (skips), or beyond which a callback writes (beyond; beyond_late: memory after 4.5 s).
 *
 * Thread: one at a time per instance. Real-time: no.
 */
#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum fault {
    NO_FAULT,
    SKIPS_DX,
    SKIPS_Y,
    SKIPS_Z,
    SKIPS_W,
    SKIPS_JACOBIAN,
    BEYOND_DX,
    BEYOND_Y,
    BEYOND_Z,
    BEYOND_W,
    BEYOND_JACOBIAN,
    BEYOND_X,
    BEYOND_D,
    BEYOND_START,
    BEYOND_DATA,
    BEYOND_MEMORY,
    BEYOND_LATE
};

static const char *const faults[] = {"none",          "skips_dx",        "skips_y",
                                     "skips_z",       "skips_w",         "skips_jacobian",
                                     "beyond_dx",     "beyond_y",        "beyond_z",
                                     "beyond_w",      "beyond_jacobian", "beyond_x",
                                     "beyond_d",      "beyond_start",    "beyond_data",
                                     "beyond_memory", "beyond_late",     NULL};
static const wrsim_variable params[] = {{.name = "fault", .choices = faults}};

static int has(const wrsim_instance *self, enum fault fault)
{
    return (int)self->param[0] == (int)fault;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->data_bytes = to->memory_bytes = sizeof(int);
    return wr_declare(to, "state: x=1 v discrete: count output: x:0 y indicator: low high work=1");
}

INIT(init)
{
    if (has(self, BEYOND_START))
        x[2] = 0.0;
    ((int *)self->data)[has(self, BEYOND_DATA)] = 1;
}

ALGEBRA(algebra)
{
    if (!has(self, SKIPS_W))
        ret_w[0] = ret_w[has(self, BEYOND_W)] = -at->x[0];
}

RHS(rhs)
{
    ret_dx[0] = at->x[1];
    if (!has(self, SKIPS_DX))
        ret_dx[1 + has(self, BEYOND_DX)] = at->w[0];
    if (has(self, BEYOND_LATE) && at->t_s > 4.5)
        ((int *)self->memory)[1] = 1;
}

OUTPUTS(output)
{
    if (!has(self, SKIPS_Y))
        ret_y[1 + has(self, BEYOND_Y)] = at->x[1];
}

INDICATORS(indicator)
{
    ret_z[0] = at->x[0] + 0.5;
    if (!has(self, SKIPS_Z))
        ret_z[1 + has(self, BEYOND_Z)] = at->x[0] - 0.5;
}

EVENT(event)
{
    if (what->is_initial)
        return;
    d[has(self, BEYOND_D)] += 1.0;
    if (has(self, BEYOND_X))
        x[2] *= 0.5;
    ++((int *)self->memory)[has(self, BEYOND_MEMORY)];
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    ret_jac[0] = 0.0;
    ret_jac[1] = -1.0;
    ret_jac[2] = 1.0;
    if (!has(self, SKIPS_JACOBIAN))
        ret_jac[3] = ret_jac[3 + has(self, BEYOND_JACOBIAN)] = 0.0;
    return 0;
}

static const wrsim_model writes = {.abi = WRSIM_MODEL_ABI,
                                   .struct_size = sizeof(wrsim_model),
                                   .name = "bad.writes",
                                   .n_param = 1,
                                   .params = params,
                                   .describe = describe,
                                   .init = init,
                                   .rhs = rhs,
                                   .output = output,
                                   .algebra = algebra,
                                   .indicator = indicator,
                                   .event = event,
                                   .jacobian = jacobian};

PLUGIN(&writes)
