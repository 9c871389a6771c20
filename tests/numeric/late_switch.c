/* A plug-in for test_delay_error.c: a state that is constant until the input reaches 1. From then on the slope of the state is 2 + the
 * time (s) since the input reached 1. A discrete state stores the time of this event. */
#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const wrsim_variable x = {.name = "x", .unit = "1", .description = "state"};
    const wrsim_variable u = {
        .name = "u", .unit = "1", .description = "input", .flags = WRSIM_REQUIRED};
    const wrsim_variable is_on = {.name = "is_on", .unit = "1", .description = "it moves"};
    const wrsim_variable since = {.name = "since", .unit = "s", .description = "time of that"};
    const wrsim_variable z = {.name = "reaches", .unit = "1", .description = "input - 1"};
    return to->add(to, WRSIM_STATE, &x) | to->add(to, WRSIM_INPUT, &u) |
           to->add(to, WRSIM_DISCRETE, &is_on) | to->add(to, WRSIM_DISCRETE, &since) |
           to->add(to, WRSIM_INDICATOR, &z);
}

RHS(rhs) { ret_dx[0] = at->d[0] > 0.5 ? 2.0 + (at->t_s - at->d[1]) : 0.0; }

INDICATORS(indicator) { ret_z[0] = at->u[0] - 1.0; }

EVENT(event)
{
    if (what->fired[0] > 0) {
        d[0] = 1.0;
        d[1] = at->t_s;
    }
}

static const wrsim_model late_switch = {.abi = WRSIM_MODEL_ABI,
                                        .struct_size = sizeof(wrsim_model),
                                        .name = "test.late_switch",
                                        .description = "moves once its input reaches 1",
                                        .describe = describe,
                                        .rhs = rhs,
                                        .indicator = indicator,
                                        .event = event};

PLUGIN(&late_switch)
