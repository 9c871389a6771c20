/* Dahlquist's test equation with an input, x' = a x + b u.
 *
 * One instance is the scalar test problem (Dahlquist, A special stability problem for linear multistep methods, BIT 3,
 * 1963). Two instances, each with the other's state as input, form a linear pair whose contraction under waveform
 * relaxation is known in closed form.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { A, B, N_PARAM };

static const wrsim_variable params[N_PARAM] = {
    [A] = WR_TUNABLE("a", "1/s", -1.0, 0, 0, "eigenvalue of the component"),
    [B] = WR_PARAM("b", "1/s", 0.0, 0, 0, "weight of the input"),
};
static const wr_row rows[] = {
    WR_STATE("x", "1", 1.0, 1.0, "state"),
    WR_INPUT("u", "1", 1.0, "input"),
    WR_COPY("x", "1", 1.0, 0, "state of the equation"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int has_input = self->param[B] < 0.0 || self->param[B] > 0.0;
    return WR_DESCRIBE(to, rows, [WRSIM_X_X] = "x", [WRSIM_X_Y] = "x", [WRSIM_U_Y] = ".",
                       [WRSIM_U_X] = has_input ? "x" : ".");
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = self->param[A] * at->x[0] + self->param[B] * at->u[0];
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)at;
    ret_jac[0] = self->param[A];
    return 0;
}

const wrsim_model wr_model_dahlquist = {
    WR_MODEL("dahlquist", "scalar linear test equation with an input: x' = a x + b u", params,
             describe),
    .rhs = rhs,
    .jacobian = jacobian,
};
