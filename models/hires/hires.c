/* HIRES: high irradiance response of photomorphogenesis, eight species, divided into two components.
 *
 * Source: Test Set for IVP Solvers (Mazzia and Magherini, 2008), problem HIRES:
 *
 *     a:  y1' = -1.71 y1 + 0.43 y2 + 8.32 y3 + 0.0007
 *         y2' =  1.71 y1 - 8.75 y2
 *         y3' = -10.03 y3 + 0.43 y4 + 0.035 y5
 *         y4' =  8.32 y2 + 1.71 y3 - 1.12 y4
 *     b:  y5' = -1.745 y5 + 0.43 y6 + 0.43 y7
 *         y6' = -280 y6 y8 + 0.69 y4 + 1.71 y5 - 0.43 y6 + 0.69 y7
 *         y7' =  280 y6 y8 - 1.81 y7
 *         y8' = -280 y6 y8 + 1.81 y7
 *
 * The division between y4 and y5 has the weakest coupling. One signal leads each way, y5 into y3 with 0.035 and y4 into y6 with 0.69. A
 * division between y5 and y6 needs four signals, with the weights 0.43, 0.43, 0.69 and 1.71.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

static const wr_row rows_a[] = {
    /* Nominal values have the size of the states near the end of the published interval, for comparisons of end
     * values at atol_factor = 1. */
    WR_STATE("y1", "1", 1.0, 1e-3, "concentration of P_r"),
    WR_STATE("y2", "1", 0.0, 1e-4, "concentration of P_fr"),
    WR_STATE("y3", "1", 0.0, 1e-4, "concentration of P_r X"),
    WR_STATE("y4", "1", 0.0, 1e-3, "concentration of P_fr X"),
    WR_NEEDED("y5", "1", 1e-3, "concentration of P_r X', a state of part b"),
    WR_COPY("y4", "1", 1e-3, 3, "concentration of P_fr X, an input of part b"),
};

static const wr_row rows_b[] = {
    WR_STATE("y5", "1", 0.0, 1e-3, "concentration of P_r X'"),
    WR_STATE("y6", "1", 0.0, 1e-3, "concentration of P_fr X'"),
    WR_STATE("y7", "1", 0.0, 1e-3, "concentration of P_fr X' E"),
    WR_STATE("y8", "1", 0.0057, 1e-3, "concentration of E"),
    WR_NEEDED("y4", "1", 1e-3, "concentration of P_fr X, a state of part a"),
    WR_COPY("y5", "1", 1e-3, 0, "concentration of P_r X', an input of part a"),
};

static int describe_a(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return WR_DESCRIBE(to, rows_a, [WRSIM_X_X] = "xxx. xx.. ..xx .xxx", [WRSIM_U_X] = ". . x .",
                       [WRSIM_X_Y] = "...x", [WRSIM_U_Y] = ".");
}

static int rhs_a(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)self;
    const double y1 = at->x[0], y2 = at->x[1], y3 = at->x[2], y4 = at->x[3], y5 = at->u[0];
    ret_dx[0] = -1.71 * y1 + 0.43 * y2 + 8.32 * y3 + 0.0007;
    ret_dx[1] = 1.71 * y1 - 8.75 * y2;
    ret_dx[2] = -10.03 * y3 + 0.43 * y4 + 0.035 * y5;
    ret_dx[3] = 8.32 * y2 + 1.71 * y3 - 1.12 * y4;
    return 0;
}

static int jacobian_a(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)self;
    (void)at;
    static const double columns[16] = {-1.71, 1.71,  0.0,    0.0,  /* column y1 */
                                       0.43,  -8.75, 0.0,    8.32, /* column y2 */
                                       8.32,  0.0,   -10.03, 1.71, /* column y3 */
                                       0.0,   0.0,   0.43,   -1.12 /* column y4 */};
    for (int i = 0; i < 16; i++)
        ret_jac[i] = columns[i];
    return 0;
}

const wrsim_model wr_model_hires_a = {
    WR_MODEL_BASE("hires.a", "HIRES, species 1 to 4 (linear part)", describe_a),
    .rhs = rhs_a,
    .jacobian = jacobian_a,
};

static int describe_b(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return WR_DESCRIBE(to, rows_b, [WRSIM_X_X] = "xxx. xxxx .xxx .xxx", [WRSIM_U_X] = ". x . .",
                       [WRSIM_X_Y] = "x...", [WRSIM_U_Y] = ".");
}

static int rhs_b(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)self;
    const double y4 = at->u[0], y5 = at->x[0], y6 = at->x[1], y7 = at->x[2], y8 = at->x[3];
    const double binding = 280.0 * y6 * y8;
    ret_dx[0] = -1.745 * y5 + 0.43 * y6 + 0.43 * y7;
    ret_dx[1] = -binding + 0.69 * y4 + 1.71 * y5 - 0.43 * y6 + 0.69 * y7;
    ret_dx[2] = binding - 1.81 * y7;
    ret_dx[3] = -ret_dx[2];
    return 0;
}

static int jacobian_b(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)self;
    const double by_y6 = 280.0 * at->x[3], by_y8 = 280.0 * at->x[1];
    const double columns[16] = {-1.745, 1.71,          0.0,   0.0,    /* column y5 */
                                0.43,   -by_y6 - 0.43, by_y6, -by_y6, /* column y6 */
                                0.43,   0.69,          -1.81, 1.81,   /* column y7 */
                                0.0,    -by_y8,        by_y8, -by_y8 /* column y8 */};
    for (int i = 0; i < 16; i++)
        ret_jac[i] = columns[i];
    return 0;
}

const wrsim_model wr_model_hires_b = {
    WR_MODEL_BASE("hires.b", "HIRES, species 5 to 8 (nonlinear part)", describe_b),
    .rhs = rhs_b,
    .jacobian = jacobian_b,
};
