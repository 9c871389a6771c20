/* One mass of the two-mass oscillator: its own spring to the wall and a coupling spring to a
 * neighbour whose position is the input.
 *
 *     x' = v        m v' = -k x - k12 (x - x_neighbour)
 *
 * Two of them, each the other's neighbour, are the oscillator of the preCICE tutorials (parameters
 * m = 1, k = 4 pi^2, k12 = 16 pi^2); with start x1 = 1 and all else 0 the solution is
 * x1,2 = (cos 2 pi t +- cos 6 pi t) / 2.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include "models/describe.h"

extern const wrsim_model wr_model_oscillator_mass;

enum { M, K, K12, N_PARAM };

/* 4 pi^2, written out: an initialiser cannot compute it from acos(). */
#define FOUR_PI_SQUARED 39.478417604357434475

static const wrsim_variable params[N_PARAM] = {
    [M] = {.name = "m",
           .flags = WRSIM_TUNABLE,
           .unit = "kg",
           .description = "mass",
           .start = 1.0,
           .min = 1e-12,
           .max = 1e12},
    [K] = {.name = "k",
           .flags = WRSIM_TUNABLE,
           .unit = "N/m",
           .description = "stiffness of the own spring",
           .start = FOUR_PI_SQUARED},
    [K12] = {.name = "k12",
             .flags = WRSIM_TUNABLE,
             .unit = "N/m",
             .description = "stiffness of the coupling spring",
             .start = 4.0 * FOUR_PI_SQUARED},
};
static const wrsim_variable states[] = {
    {.name = "x", .unit = "m", .description = "displacement", .start = 0.0, .nominal = 1.0},
    {.name = "v", .unit = "m/s", .description = "velocity", .start = 0.0, .nominal = 10.0},
};
static const wrsim_variable inputs[] = {{.name = "x_neighbour",
                                         .unit = "m",
                                         .description = "displacement of the neighbour (0: a wall)",
                                         .nominal = 1.0}};
static const wrsim_variable outputs[] = {
    {.name = "x",
     .unit = "m",
     .description = "displacement",
     .nominal = 1.0,
     .flags = WRSIM_IS_STATE},
    {.name = "v",
     .unit = "m/s",
     .description = "velocity",
     .nominal = 10.0,
     .flags = WRSIM_IS_STATE,
     .index = 1},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    static const char *const x_x[] = {".x", "x."}, *const u_x[] = {".", "x"};
    static const char *const x_y[] = {"x.", ".x"}, *const u_y[] = {".", "."};
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) || WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs))
        return -1;
    return WR_DESCRIBE_PATTERN(to, WRSIM_X_X, x_x) || WR_DESCRIBE_PATTERN(to, WRSIM_U_X, u_x) ||
                   WR_DESCRIBE_PATTERN(to, WRSIM_X_Y, x_y) ||
                   WR_DESCRIBE_PATTERN(to, WRSIM_U_Y, u_y)
               ? -1
               : 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double x = at->x[0];
    ret_dx[0] = at->x[1];
    ret_dx[1] = (-p[K] * x - p[K12] * (x - at->u[0])) / p[M];
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)at;
    const double *const p = self->param;
    ret_jac[0] = 0.0;
    ret_jac[1] = -(p[K] + p[K12]) / p[M];
    ret_jac[2] = 1.0;
    ret_jac[3] = 0.0;
    return 0;
}

const wrsim_model wr_model_oscillator_mass = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "oscillator.mass",
    .description = "mass with a spring to the wall and one to a neighbour",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .rhs = rhs,
    .jacobian = jacobian,
};
