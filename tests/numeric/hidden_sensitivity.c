/* A plug-in for test_sensitivity.c with models of hidden sensitivity to inputs: a gate that is open only in the middle of every window, and
 * a difference of two inputs with equal values at the end of every window. */
#include <math.h>

#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

static const double WINDOW_S = 0.2, PI = 3.14159265358979323846;

static const wrsim_variable state = {.name = "x", .unit = "1", .description = "state"};
static const wrsim_variable same = {
    .name = "x", .unit = "1", .description = "state", .flags = WRSIM_IS_STATE};

static wrsim_variable input(const char *name)
{
    return (wrsim_variable){
        .name = name, .unit = "1", .description = "input", .flags = WRSIM_REQUIRED};
}

static int describe_state(wrsim_description *to, int n_input)
{
    const wrsim_variable u1 = input("u1"), u2 = input("u2");
    int code = to->add(to, WRSIM_STATE, &state) | to->add(to, WRSIM_INPUT, &u1);
    if (n_input == 2)
        code |= to->add(to, WRSIM_INPUT, &u2);
    return code | to->add(to, WRSIM_OUTPUT, &same) | to->depends(to, WRSIM_U_Y, -1, -1);
}

OUTPUTS(state_output) { ret_y[0] = at->x[0]; }

static int gate_describe(wrsim_instance *self, wrsim_description *to)
{
    return describe_state(to, 1);
}

RHS(gate_rhs)
{
    const double g = pow(sin(PI * at->t_s / WINDOW_S), 8.0);
    ret_dx[0] = 5.0 * g * (at->u[0] - at->x[0]);
}

static int diff_describe(wrsim_instance *self, wrsim_description *to)
{
    return describe_state(to, 2);
}

RHS(diff_rhs) { ret_dx[0] = 5.0 * (at->u[0] - at->u[1]) - at->x[0]; }

static int stairs_describe(wrsim_instance *self, wrsim_description *to)
{
    const wrsim_variable y1 = {.name = "y1", .unit = "1", .description = "straight"};
    const wrsim_variable y2 = {.name = "y2", .unit = "1", .description = "in smooth stairs"};
    return to->add(to, WRSIM_OUTPUT, &y1) | to->add(to, WRSIM_OUTPUT, &y2);
}

OUTPUTS(stairs_output)
{
    const double n = floor(at->t_s / WINDOW_S + 1e-9), r = at->t_s / WINDOW_S - n;
    ret_y[0] = n + r;
    ret_y[1] = n + r * r * r * (10.0 - 15.0 * r + 6.0 * r * r);
}

static const wrsim_model gate = {.abi = WRSIM_MODEL_ABI,
                                 .struct_size = sizeof(wrsim_model),
                                 .name = "test.gate",
                                 .description = "open in the middle of windows",
                                 .describe = gate_describe,
                                 .rhs = gate_rhs,
                                 .output = state_output};
static const wrsim_model difference = {.abi = WRSIM_MODEL_ABI,
                                       .struct_size = sizeof(wrsim_model),
                                       .name = "test.difference",
                                       .description = "of two inputs",
                                       .describe = diff_describe,
                                       .rhs = diff_rhs,
                                       .output = state_output};
static const wrsim_model stairs = {.abi = WRSIM_MODEL_ABI,
                                   .struct_size = sizeof(wrsim_model),
                                   .name = "test.stairs",
                                   .description = "two signals that meet at the ends of windows",
                                   .describe = stairs_describe,
                                   .output = stairs_output};

PLUGIN(&gate, &difference, &stairs)
