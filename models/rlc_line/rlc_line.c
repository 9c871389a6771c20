/* RLC line of n sections, or a piece of a longer line:
 *
 *     u --R-L--> v[1] --R-L--> v[2] -- ... --> v[n] --> i_right        C and G from every node to ground
 *
 *     L i_k' = v_{k-1} - v_k - R i_k,   v_0 = u;     C v_k' = i_k - i_{k+1} - G v_k,   i_{n+1} = i_right
 *
 * Pieces exchange states only. `u` of a piece is v_last of its left neighbour, and i_right of the left neighbour is i_first of the
 * piece. So a division between any two sections has no direct feedthrough.
 *
 * Source: the telegrapher's equations, lumped; a test case of model order reduction (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { N, R, L, C, G, N_PARAM };
enum { U_LEFT, I_RIGHT };

static const wrsim_variable params[N_PARAM] = {
    [N] = WR_INTEGER("n", "1", 10.0, 1.0, 50000.0, "sections"),
    [R] = WR_TUNABLE("R", "ohm", 0.1, 0.0, 1e12, "resistance of one section"),
    [L] = WR_TUNABLE("L", "H", 1.0, 1e-18, 1e12, "inductance of one section"),
    [C] = WR_TUNABLE("C", "F", 1.0, 1e-18, 1e12, "capacitance of one node"),
    [G] = WR_TUNABLE("G", "S", 0.0, 0.0, 1e12, "conductance of one node to ground"),
};

static int n_sections(const wrsim_instance *self) { return (int)self->param[N]; }

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n = n_sections(self), last = 2 * n - 1;
    const wr_row rows[] = {WR_INPUT("u", "V", 1.0, "voltage at the left end"),
                           WR_INPUT("i_right", "A", 1.0, "current taken from the last node"),
                           WR_COPY("i_first", "A", 1.0, 0, "current of the first section"),
                           WR_COPY("v_last", "V", 1.0, last, "voltage of the last node")};
    int bad = 0;
    for (int k = 1; k <= n; k++) { /* the order i[1], v[1], i[2], ... keeps the Jacobian banded */
        bad |= wr_describe_named(to, WRSIM_STATE,
                                 (wrsim_variable)WR_SIGNAL(NULL, "A", 1.0, "current of a section"),
                                 "i[%d]", k);
        bad |= wr_describe_named(to, WRSIM_STATE,
                                 (wrsim_variable)WR_SIGNAL(NULL, "V", 1.0, "voltage of a node"),
                                 "v[%d]", k);
    }
    bad |= WR_DESCRIBE_ROWS(to, rows) | wr_describe_chain(to, 2 * n);
    return bad | to->depends(to, WRSIM_U_X, 0, U_LEFT) | to->depends(to, WRSIM_U_X, last, I_RIGHT) |
           to->depends(to, WRSIM_X_Y, 0, 0) | to->depends(to, WRSIM_X_Y, 1, last) |
           to->depends(to, WRSIM_U_Y, -1, -1);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param, *const x = at->x;
    const int n = n_sections(self);
    for (int k = 0; k < n; k++) {
        const double i = x[2 * k], v = x[2 * k + 1];
        const double v_left = k > 0 ? x[2 * k - 1] : at->u[U_LEFT];
        const double i_next = k < n - 1 ? x[2 * k + 2] : at->u[I_RIGHT];
        ret_dx[2 * k] = (v_left - v - p[R] * i) / p[L];
        ret_dx[2 * k + 1] = (i - i_next - p[G] * v) / p[C];
    }
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_value)
{
    (void)at;
    const double *const p = self->param;
    const int n = n_sections(self);
    for (int k = 0; k < n; k++) {
        if (k > 0)
            *ret_value++ = -1.0 / p[C];
        *ret_value++ = -p[R] / p[L];
        *ret_value++ = 1.0 / p[C];
        *ret_value++ = -1.0 / p[L];
        *ret_value++ = -p[G] / p[C];
        if (k < n - 1)
            *ret_value++ = 1.0 / p[L];
    }
    return 0;
}

static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    (void)at;
    const wrsim_point changes = {.x = x_change, .u = u_change}; /* rhs() is linear in x and u */
    return rhs(self, &changes, ret_dx);
}

const wrsim_model wr_model_rlc_line = {
    WR_MODEL("rlc_line", "RLC line, or a piece of one to be joined with others", params, describe),
    .rhs = rhs,
    .jacobian_sparse = jacobian,
    .tangent = tangent,
};
