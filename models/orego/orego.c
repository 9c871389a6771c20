/* Oregonator: Field, Koros and Noyes' model of the Belousov-Zhabotinskii reaction, a limit cycle
 * with steep changes over five decades:
 *
 *     y1' = s (y2 + y1 (1 - q y1 - y2))   y2' = (y3 - (1 + y1) y2) / s   y3' = w (y1 - y3)
 *
 * with s = 77.27, q = 8.375e-6, w = 0.161. Source: Test Set for IVP Solvers (Mazzia and Magherini, 2008),
 * problem OREGO; Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { S, Q, W, N_PARAM };

static const wrsim_variable params[N_PARAM] = {
    [S] = WR_PARAM("s", "1", 77.27, 1e-6, 1e6, "ratio of rates"),
    [Q] = WR_PARAM("q", "1", 8.375e-6, 0, 0, "saturation of HBrO2"),
    [W] = WR_PARAM("w", "1/s", 0.161, 0, 0, "rate of the catalyst"),
};
static const wr_row rows[] = {
    /* Values range from about 1 to 1e5. The nominal values are typical of the low range, in which the states are
     * most of the time. */
    WR_SHOWN_STATE(0, "y1", "1", 1.0, 1.0, "HBrO2, scaled"),
    WR_SHOWN_STATE(1, "y2", "1", 2.0, 1.0, "bromide, scaled"),
    WR_SHOWN_STATE(2, "y3", "1", 3.0, 1.0, "cerium(IV), scaled"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return WR_DESCRIBE(to, rows, [WRSIM_X_X] = "xx. xxx x.x", [WRSIM_X_Y] = "x.. .x. ..x");
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param, *const y = at->x;
    ret_dx[0] = p[S] * (y[1] + y[0] * (1.0 - p[Q] * y[0] - y[1]));
    ret_dx[1] = (y[2] - (1.0 + y[0]) * y[1]) / p[S];
    ret_dx[2] = p[W] * (y[0] - y[2]);
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const double *const p = self->param, *const y = at->x;
    ret_jac[0] = p[S] * (1.0 - 2.0 * p[Q] * y[0] - y[1]);
    ret_jac[1] = -y[1] / p[S];
    ret_jac[2] = p[W];
    ret_jac[3] = p[S] * (1.0 - y[0]);
    ret_jac[4] = -(1.0 + y[0]) / p[S];
    ret_jac[5] = 0.0;
    ret_jac[6] = 0.0;
    ret_jac[7] = 1.0 / p[S];
    ret_jac[8] = -p[W];
    return 0;
}

const wrsim_model wr_model_orego = {
    WR_MODEL("orego", "Oregonator, three species, stiff limit cycle", params, describe),
    .rhs = rhs,
    .jacobian = jacobian,
};
