/* A plug-in of models with one fault each. Some describe themselves wrongly in describe(). The others break a rule of
 * wrsim/model.h at run time in a way that the built-in model test.faulty cannot.
 *
 * Thread: one at a time per instance. Real-time: no.
 */
#include <math.h>

#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

static const wrsim_variable state_x = {.name = "x", .unit = "1", .start = 1.0};
static const wrsim_variable output_y = {.name = "y", .unit = "1"};
static const wrsim_variable indicator_z = {.name = "z", .unit = "1"};

/* x' = -x for all models that the program evaluates. */
RHS(rhs) { ret_dx[0] = -at->x[0]; }

OUTPUTS(output) { ret_y[0] = at->x[0]; }

/* ---- faults of describe() ---- */

static int describe_state(wrsim_instance *self, wrsim_description *to)
{
    return to->add(to, WRSIM_STATE, &state_x);
}

static int describe_state_output(wrsim_instance *self, wrsim_description *to)
{
    return to->add(to, WRSIM_STATE, &state_x) || to->add(to, WRSIM_OUTPUT, &output_y) ? -1 : 0;
}

static int describe_indicator(wrsim_instance *self, wrsim_description *to)
{
    return to->add(to, WRSIM_STATE, &state_x) || to->add(to, WRSIM_INDICATOR, &indicator_z) ? -1
                                                                                            : 0;
}

static int describe_refuses(wrsim_instance *self, wrsim_description *to)
{
    self->message = "n must be a power of two";
    return -1;
}

/* ---- faults at run time ---- */

NEXT_TIME(next_time_stands) { return at->t_s >= 0.5 ? at->t_s : 0.5; }

NEXT_TIME(next_time_nan) { return (double)NAN; }

INDICATORS(indicator_nan) { ret_z[0] = at->t_s >= 0.5 ? (double)NAN : 1.0; }

/* Falls through zero at x = exp(-0.5). */
INDICATORS(indicator_once) { ret_z[0] = at->x[0] - 0.60653065971263342; }

EVENT(event_nan)
{
    if (!what->is_initial)
        x[0] = (double)NAN;
}

static int event_fails(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    if (what->is_initial)
        return 0;
    self->message = "the valve cannot be opened";
    return -1;
}

INIT(init_nan) { x[0] = (double)NAN; }

/* bad.typed is a valid model, for configs with wrong values of typed parameters. */
static const char *const speeds[] = {"slow", "fast", NULL};
static const wrsim_variable typed_params[] = {
    {.name = "gain", .description = "a number", .start = 1.0},
    {.name = "is_on", .description = "a switch", .start = 1.0, .flags = WRSIM_BOOLEAN},
    {.name = "map", .description = "a file", .flags = WRSIM_TEXT, .text = "map.txt"},
    {.name = "speed", .description = "one of", .choices = speeds},
};

#define MODEL(NAME) .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = NAME

static const wrsim_model all[] = {
    {MODEL("bad.no_rhs"), .describe = describe_state},
    {MODEL("bad.refuses"), .describe = describe_refuses, .rhs = rhs},
    {MODEL("bad.time_stands"), .describe = describe_state_output, .rhs = rhs, .output = output,
     .next_time = next_time_stands},
    {MODEL("bad.time_nan"), .describe = describe_state_output, .rhs = rhs, .output = output,
     .next_time = next_time_nan},
    {MODEL("bad.indicator_nan"), .describe = describe_indicator, .rhs = rhs,
     .indicator = indicator_nan},
    {MODEL("bad.event_nan"), .describe = describe_indicator, .rhs = rhs,
     .indicator = indicator_once, .event = event_nan},
    {MODEL("bad.event_fails"), .describe = describe_indicator, .rhs = rhs,
     .indicator = indicator_once, .event = event_fails},
    {MODEL("bad.typed"), .describe = describe_state, .rhs = rhs, .n_param = 4,
     .params = typed_params},
    {MODEL("bad.init_nan"), .describe = describe_state, .init = init_nan, .rhs = rhs},
};

enum { N_MODEL = sizeof all / sizeof *all };

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model *list[N_MODEL + 1];
    for (int i = 0; i < N_MODEL; i++)
        list[i] = &all[i];
    return abi == WRSIM_MODEL_ABI ? list : NULL;
}
