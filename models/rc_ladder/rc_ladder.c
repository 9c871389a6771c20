/* RC ladder of n sections, or a piece of a longer ladder:
 *
 *     u --R-- v[1] --R-- v[2] -- ... -- v[n] (--R-- v_right)        C from every node to ground
 *
 *     R C v_i' = v_{i-1} - 2 v_i + v_{i+1},  v_0 = u;  the last node of an open end: v_{n-1} - v_n
 *
 * Node voltages join pieces in both directions, and all node voltages are states: `u` of a piece is v_last of its left neighbour,
 * v_right is v_first of its right neighbour. So a division between any two sections has no direct feedthrough, and the divided ladder has
 * exactly the equations of the whole ladder.
 *
 * Source: lumped RC line, a test case of model order reduction (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { N, R, C, OPEN_END, N_PARAM };
enum { U_LEFT, U_RIGHT };

static const wrsim_variable params[N_PARAM] = {
    [N] = WR_INTEGER("n", "1", 10.0, 1.0, 100000.0, "sections"),
    [R] = WR_TUNABLE("R", "ohm", 1.0, 1e-12, 1e12, "resistance of one section"),
    [C] = WR_TUNABLE("C", "F", 1.0, 1e-18, 1e12, "capacitance of one node"),
    [OPEN_END] = WR_INTEGER(
        "open_end", "1", 1.0, 0.0, 1.0,
        "1: the last node has no right neighbour; 0: a resistor R connects it to v_right"),
};

static int n_nodes(const wrsim_instance *self) { return (int)self->param[N]; }
static int is_open(const wrsim_instance *self) { return self->param[OPEN_END] > 0.5; }

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n = n_nodes(self), last = n - 1;
    const wr_row rows[] = {
        WR_INPUT("u", "V", 1.0, "voltage at the left end"),
        WR_INPUT("v_right", "V", 1.0, "voltage of the node to the right (unless open_end)"),
        WR_COPY("v_first", "V", 1.0, 0, "voltage of the first node"),
        WR_COPY("v_last", "V", 1.0, last, "voltage of the last node")};
    int bad = 0;
    for (int i = 1; i <= n; i++)
        bad |= wr_describe_named(to, WRSIM_STATE,
                                 (wrsim_variable)WR_SIGNAL(NULL, "V", 1.0, "voltage of a node"),
                                 "v[%d]", i);
    bad |= WR_DESCRIBE_ROWS(to, rows) | wr_describe_chain(to, n);
    bad |= to->depends(to, WRSIM_U_X, 0, U_LEFT);
    if (!is_open(self))
        bad |= to->depends(to, WRSIM_U_X, last, U_RIGHT);
    return bad | to->depends(to, WRSIM_X_Y, 0, 0) | to->depends(to, WRSIM_X_Y, 1, last) |
           to->depends(to, WRSIM_U_Y, -1, -1);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const int last = n_nodes(self) - 1;
    const double rate = 1.0 / (self->param[R] * self->param[C]);
    const double *const v = at->x;
    for (int i = 0; i <= last; i++) {
        const double left = i > 0 ? v[i - 1] : at->u[U_LEFT];
        const double right = i < last ? v[i + 1] : is_open(self) ? v[i] : at->u[U_RIGHT];
        ret_dx[i] = rate * (left - v[i] + (right - v[i]));
    }
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_value)
{
    (void)at;
    const int last = n_nodes(self) - 1;
    const double rate = 1.0 / (self->param[R] * self->param[C]);
    for (int column = 0; column <= last; column++) {
        if (column > 0)
            *ret_value++ = rate;
        *ret_value++ = column == last && is_open(self) ? -rate : -2.0 * rate;
        if (column < last)
            *ret_value++ = rate;
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

const wrsim_model wr_model_rc_ladder = {
    WR_MODEL("rc_ladder", "RC ladder, or a piece of one to be joined with others", params,
             describe),
    .rhs = rhs,
    .jacobian_sparse = jacobian,
    .tangent = tangent,
};
