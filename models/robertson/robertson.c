/* Robertson's chemical reaction, whose rates differ by many orders of magnitude:
 *
 *     y1' = -k1 y1 + k3 y2 y3      y2' = k1 y1 - k3 y2 y3 - k2 y2^2      y3' = k2 y2^2
 *
 * Source: Test Set for IVP Solvers (Mazzia and Magherini, 2008), problem ROBER. y1 + y2 + y3 is conserved.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { K1, K2, K3, N_PARAM };

static const wrsim_variable params[N_PARAM] = {
    [K1] = WR_PARAM("k1", "1/s", 0.04, 0, 0, "rate constant k1 of A -> B"),
    [K2] = WR_PARAM("k2", "1/s", 3e7, 0, 0, "rate constant k2 of B + B -> B + C"),
    [K3] = WR_PARAM("k3", "1/s", 1e4, 0, 0, "rate constant k3 of B + C -> A + C"),
};
static const wr_row rows[] = {
    WR_SHOWN_STATE(0, "y1", "1", 1.0, 1.0, "concentration of A, relative"),
    /* y2 never exceeds about 3.7e-5. */
    WR_SHOWN_STATE(1, "y2", "1", 0.0, 1e-5, "concentration of B, relative"),
    WR_SHOWN_STATE(2, "y3", "1", 0.0, 1.0, "concentration of C, relative"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return WR_DESCRIBE(to, rows, [WRSIM_X_X] = "xxx xxx .x.", [WRSIM_X_Y] = "x.. .x. ..x");
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
    ret_jac[0] = -k[K1];
    ret_jac[1] = k[K1];
    ret_jac[2] = 0.0;
    ret_jac[3] = k[K3] * y[2];
    ret_jac[4] = -k[K3] * y[2] - 2.0 * k[K2] * y[1];
    ret_jac[5] = 2.0 * k[K2] * y[1];
    ret_jac[6] = k[K3] * y[1];
    ret_jac[7] = -k[K3] * y[1];
    ret_jac[8] = 0.0;
    return 0;
}

const wrsim_model wr_model_robertson = {
    WR_MODEL("robertson", "Robertson's reaction, three species, very stiff", params, describe),
    .rhs = rhs,
    .jacobian = jacobian,
};
