/* The null model: a given number of states, inputs and outputs, without equations. A run with this model measures the
 * overhead of wrsim, as the null engine does in the program fio.
 *
 * States keep their start values. Output y[i] is state x[i], or 0 without such a state.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { N_STATES, N_INPUTS, N_OUTPUTS, N_PARAM };

static const wrsim_variable params[N_PARAM] = {
    [N_STATES] = WR_INTEGER("n_states", "1", 1, 0, 1000, "number of states x[1], x[2], ..."),
    [N_INPUTS] = WR_INTEGER("n_inputs", "1", 1, 0, 1000, "number of inputs u[1], u[2], ..."),
    [N_OUTPUTS] = WR_INTEGER("n_outputs", "1", 1, 0, 1000, "number of outputs y[1], y[2], ..."),
};

static int add_row(wrsim_description *to, wrsim_kind kind, char letter, int n, int n_states)
{
    int bad = 0;
    for (int i = 0; i < n; i++) {
        wrsim_variable variable = WR_SIGNAL(NULL, "1", 1.0, "a constant value");
        if (kind == WRSIM_OUTPUT && i < n_states) {
            variable.flags = WRSIM_IS_STATE;
            variable.index = i;
        }
        bad |= wr_describe_named(to, kind, variable, "%c[%d]", letter, i + 1);
    }
    return bad;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n_states = (int)self->param[N_STATES], n_outputs = (int)self->param[N_OUTPUTS];
    int bad = add_row(to, WRSIM_STATE, 'x', n_states, n_states) |
              add_row(to, WRSIM_INPUT, 'u', (int)self->param[N_INPUTS], n_states) |
              add_row(to, WRSIM_OUTPUT, 'y', n_outputs, n_states) |
              WR_DESCRIBE_PATTERNS(
                  to, [WRSIM_X_X] = "", [WRSIM_U_X] = "", [WRSIM_X_Y] = "", [WRSIM_U_Y] = "");
    for (int i = 0; i < n_states && i < n_outputs; i++)
        bad |= to->depends(to, WRSIM_X_Y, i, i);
    return bad;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)at;
    for (int i = 0; i < (int)self->param[N_STATES]; i++)
        ret_dx[i] = 0.0;
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    for (int i = 0; i < (int)self->param[N_OUTPUTS]; i++)
        ret_y[i] = i < (int)self->param[N_STATES] ? at->x[i] : 0.0;
    return 0;
}

const wrsim_model wr_model_null = {
    WR_MODEL("null", "model without equations, to measure the overhead of wrsim", params, describe),
    .rhs = rhs,
    .output = output,
};
