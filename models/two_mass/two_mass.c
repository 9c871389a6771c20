/* One mass of the two-mass oscillator: its own spring to the wall and a coupling spring to a
 * neighbour whose position is the input.
 *
 *     x' = v        m v' = -k x - k12 (x - x_neighbour)
 *
 * Two coupled masses are the oscillator of the preCICE tutorials with m = 1, k = 4 pi^2, k12 = 16 pi^2. If x1 starts at
 * 1 and all other states at 0, the solution is x1,2 = (cos 2 pi t +- cos 6 pi t) / 2.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { M, K, K12, N_PARAM };

/* 4 pi^2 as a number, because an initialiser cannot call acos(). */
#define FOUR_PI_SQUARED 39.478417604357434475

static const wrsim_variable params[N_PARAM] = {
    [M] = WR_TUNABLE("m", "kg", 1.0, 1e-12, 1e12, "mass"),
    [K] = WR_TUNABLE("k", "N/m", FOUR_PI_SQUARED, 0, 0, "stiffness of the spring to the wall"),
    [K12] =
        WR_TUNABLE("k12", "N/m", 4.0 * FOUR_PI_SQUARED, 0, 0, "stiffness of the coupling spring"),
};
static const wr_row rows[] = {
    WR_SHOWN_STATE(0, "x", "m", 0.0, 1.0, "displacement"),
    WR_SHOWN_STATE(1, "v", "m/s", 0.0, 10.0, "velocity"),
    WR_INPUT("x_neighbour", "m", 1.0, "displacement of the neighbour (0: a wall)"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return WR_DESCRIBE(to, rows, [WRSIM_X_X] = ".x x.", [WRSIM_U_X] = ". x", [WRSIM_X_Y] = "x. .x",
                       [WRSIM_U_Y] = ". .");
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
    WR_MODEL("oscillator.mass", "mass with a spring to the wall and one to a neighbour", params,
             describe),
    .rhs = rhs,
    .jacobian = jacobian,
};
