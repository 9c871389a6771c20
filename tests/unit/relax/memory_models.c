/* A plug-in with one model for the test of memory. x1 decays alone, x2 follows an input and is the output. The memory counts steps and
 * events and filters x1 over the steps. Events copy the memory to discrete states. Thread: one at a time per instance. Real-time: yes. */
#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum { D_STEPS, D_EVENTS, D_FILTERED };

typedef struct memory {
    double n_step, n_event, filtered;
} memory;

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->memory_bytes = sizeof(memory);
    int rc = 0;
    rc |= to->add(to, WRSIM_STATE, &(wrsim_variable){.name = "x1", .start = 1.0});
    rc |= to->add(to, WRSIM_STATE, &(wrsim_variable){.name = "x2", .start = 1.0});
    rc |= to->add(to, WRSIM_DISCRETE, &(wrsim_variable){.name = "steps"});
    rc |= to->add(to, WRSIM_DISCRETE, &(wrsim_variable){.name = "events"});
    rc |= to->add(to, WRSIM_DISCRETE, &(wrsim_variable){.name = "filtered"});
    rc |= to->add(to, WRSIM_INPUT, &(wrsim_variable){.name = "u"});
    rc |= to->add(to, WRSIM_OUTPUT,
                  &(wrsim_variable){.name = "y", .flags = WRSIM_IS_STATE, .index = 1});
    rc |= to->depends(to, WRSIM_U_Y, -1, -1);
    return rc ? -1 : 0;
}

RHS(rhs)
{
    ret_dx[0] = -at->x[0];
    ret_dx[1] = 4.0 * (at->u[0] - 2.0 * at->x[1]);
}

NEXT_TIME(next_time)
{
    return 0.09375 * (((const memory *)self->memory)->n_event +
                      1.0); /* event times: ends of steps, seldom ends of windows */
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    memory *const now = self->memory;
    if (!what->is_time_event)
        return 0;
    d[D_STEPS] = now->n_step;
    d[D_EVENTS] = now->n_event += 1.0;
    d[D_FILTERED] = now->filtered;
    return 0;
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    memory *const now = self->memory;
    now->n_step += 1.0;
    now->filtered += 0.125 * (at->x[0] - now->filtered);
    return 0;
}

static const wrsim_model model = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "test.memory",
    .caps = WRSIM_CAP_RT_SAFE,
    .describe = describe,
    .rhs = rhs,
    .event = event,
    .next_time = next_time,
    .step_completed = step_completed,
};

PLUGIN(&model)
