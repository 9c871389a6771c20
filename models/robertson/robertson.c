/* Robertson's chemical reaction, the classic of widely spread rates:
 *
 *     y1' = -k1 y1 + k3 y2 y3      y2' = k1 y1 - k3 y2 y3 - k2 y2^2      y3' = k2 y2^2
 *
 * Source: Robertson (1966); Test Set for IVP Solvers (Mazzia and Magherini), problem ROBER.
 * y1 + y2 + y3 is conserved.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include "models/describe.h"

extern const wrsim_model wr_model_robertson;

enum { K1, K2, K3, N_PARAM };

static const wrsim_variable params[N_PARAM] = {
    [K1] = {.name = "k1",
            .unit = "1/s",
            .description = "rate constant k1 of A -> B",
            .start = 0.04},
    [K2] = {.name = "k2",
            .unit = "1/s",
            .description = "rate constant k2 of B + B -> B + C",
            .start = 3e7},
    [K3] = {.name = "k3",
            .unit = "1/s",
            .description = "rate constant k3 of B + C -> A + C",
            .start = 1e4},
};
static const wrsim_variable states[] = {
    {.name = "y1",
     .unit = "1",
     .description = "concentration of A, relative",
     .start = 1.0,
     .nominal = 1.0},
    /* y2 never exceeds about 3.7e-5. */
    {.name = "y2",
     .unit = "1",
     .description = "concentration of B, relative",
     .start = 0.0,
     .nominal = 1e-5},
    {.name = "y3",
     .unit = "1",
     .description = "concentration of C, relative",
     .start = 0.0,
     .nominal = 1.0},
};
static const wrsim_variable outputs[] = {
    {.name = "y1",
     .unit = "1",
     .description = "concentration of A, relative",
     .nominal = 1.0,
     .flags = WRSIM_IS_STATE},
    {.name = "y2",
     .unit = "1",
     .description = "concentration of B, relative",
     .nominal = 1e-5,
     .flags = WRSIM_IS_STATE,
     .index = 1},
    {.name = "y3",
     .unit = "1",
     .description = "concentration of C, relative",
     .nominal = 1.0,
     .flags = WRSIM_IS_STATE,
     .index = 2},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    static const char *const x_x[] = {"xxx", "xxx", ".x."}, *const x_y[] = {"x..", ".x.", "..x"};
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) || WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs))
        return -1;
    return WR_DESCRIBE_PATTERN(to, WRSIM_X_X, x_x) || WR_DESCRIBE_PATTERN(to, WRSIM_X_Y, x_y) ? -1
                                                                                              : 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const k = self->param, *const y = at->x;
    ret_dx[0] = -k[K1] * y[0] + k[K3] * y[1] * y[2];
    ret_dx[2] = k[K2] * y[1] * y[1];
    ret_dx[1] = -ret_dx[0] - ret_dx[2];
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const double *const k = self->param, *const y = at->x;
    const double columns[9] = {
        -k[K1],
        k[K1],
        0.0, /* row y1 */
        k[K3] * y[2],
        -k[K3] * y[2] - 2.0 * k[K2] * y[1],
        2.0 * k[K2] * y[1], /* row y2 */
        k[K3] * y[1],
        -k[K3] * y[1],
        0.0, /* row y3 */
    };
    for (int i = 0; i < 9; i++)
        ret_jac[i] = columns[i];
    return 0;
}

const wrsim_model wr_model_robertson = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "robertson",
    .description = "Robertson's reaction, three species, very stiff",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .rhs = rhs,
    .jacobian = jacobian,
};
