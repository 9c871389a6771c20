/* The null model: a given number of states, inputs and outputs, without equations. A run with it measures the overhead
 * of wrsim (the idea of the null engine of the program fio).
 *
 * States keep their start values. Output y[i] is state x[i], or 0 if there is no such state.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <stdio.h>

#include "models/describe.h"

extern const wrsim_model wr_model_null;

enum { N_STATES, N_INPUTS, N_OUTPUTS, N_PARAM };

#define SIZE(NAME, TEXT)                                                                           \
    {                                                                                              \
        .name = NAME, .unit = "1", .description = TEXT, .start = 1.0, .min = 0.0, .max = 1000.0,   \
        .flags = WRSIM_INTEGER                                                                     \
    }
static const wrsim_variable params[N_PARAM] = {
    [N_STATES] = SIZE("n_states", "number of states x[1], x[2], ..."),
    [N_INPUTS] = SIZE("n_inputs", "number of inputs u[1], u[2], ..."),
    [N_OUTPUTS] = SIZE("n_outputs", "number of outputs y[1], y[2], ..."),
};
#undef SIZE

static int add_row(wrsim_description *to, wrsim_kind kind, char letter, int n, int n_states)
{
    for (int i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%c[%d]", letter, i + 1);
        const int is_copy = kind == WRSIM_OUTPUT && i < n_states;
        const wrsim_variable variable =
            WR_SIGNAL(name, "1", 1.0, "a constant value", .flags = is_copy ? WRSIM_IS_STATE : 0u,
                      .index = is_copy ? i : 0);
        if (to->add(to, kind, &variable))
            return -1;
    }
    return 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n_states = (int)self->param[N_STATES], n_inputs = (int)self->param[N_INPUTS],
              n_outputs = (int)self->param[N_OUTPUTS];
    if (add_row(to, WRSIM_STATE, 'x', n_states, n_states) ||
        add_row(to, WRSIM_INPUT, 'u', n_inputs, n_states) ||
        add_row(to, WRSIM_OUTPUT, 'y', n_outputs, n_states))
        return -1;
    if (to->depends(to, WRSIM_X_X, -1, -1) || to->depends(to, WRSIM_U_X, -1, -1) ||
        to->depends(to, WRSIM_X_Y, -1, -1) || to->depends(to, WRSIM_U_Y, -1, -1))
        return -1;
    for (int i = 0; i < n_states && i < n_outputs; i++)
        if (to->depends(to, WRSIM_X_Y, i, i))
            return -1;
    return 0;
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
    WR_MODEL("null", "has no equations; measures the overhead of wrsim"),
    WR_MODEL_PARAMS(params),
    .describe = describe,
    .rhs = rhs,
    .output = output,
};
