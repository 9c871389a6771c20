/* A plug-in with a model for tests of start values: feed-through of inputs, a mode that changes outputs, initial events that store their
 * inputs, and a refusal of unset inputs. Thread: one at a time per instance. Real-time: no. */
#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum { K_1, K_2, K_3, OFFSET, THRESHOLD, IS_STRICT, KICK, N_PARAM };
enum { Y_HELD, Y_ONE, Y_BOTH, Y_STATE };
enum { D_HELD, D_SEEN, D_COUNT };

static const wrsim_variable params[N_PARAM] = {
    [K_1] = {.name = "k1", .unit = ""},    [K_2] = {.name = "k2", .unit = ""},
    [K_3] = {.name = "k3", .unit = ""},    [OFFSET] = {.name = "offset", .unit = ""},
    [THRESHOLD] = {.name = "threshold"},   [IS_STRICT] = {.name = "is_strict"},
    [KICK] = {.name = "kick", .unit = ""},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    static const char *const u[] = {"u0", "u1"}, *const d[] = {"held", "seen", "count"};
    int rc = 0;
    for (int i = 0; i < 2; i++)
        rc |= to->add(to, WRSIM_INPUT, &(wrsim_variable){.name = u[i]});
    for (int i = 0; i < 3; i++)
        rc |= to->add(to, WRSIM_DISCRETE, &(wrsim_variable){.name = d[i]});
    rc |= to->add(to, WRSIM_STATE, &(wrsim_variable){.name = "x", .start = 1.5});
    rc |= to->add(to, WRSIM_OUTPUT, &(wrsim_variable){.name = "y_held"});
    rc |= to->add(to, WRSIM_OUTPUT, &(wrsim_variable){.name = "y_one"});
    rc |= to->add(to, WRSIM_OUTPUT, &(wrsim_variable){.name = "y_both"});
    rc |= to->add(to, WRSIM_OUTPUT,
                  &(wrsim_variable){.name = "y_state", .flags = WRSIM_IS_STATE, .index = 0});
    rc |= to->add(to, WRSIM_INDICATOR, &(wrsim_variable){.name = "z"});
    rc |= to->depends(to, WRSIM_U_Y, Y_ONE, 0);
    rc |= to->depends(to, WRSIM_U_Y, Y_BOTH, 0) || to->depends(to, WRSIM_U_Y, Y_BOTH, 1);
    rc |= to->depends(to, WRSIM_U_Z, 0, 1);
    return rc ? -1 : 0;
}

RHS(rhs) { ret_dx[0] = -at->x[0]; }

/* Returns 1 for 0 and NaN: an unset input is 0, and no set input is 0. */
static int is_unset(double u) { return !(u < 0.0) && !(u > 0.0); }

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const p = self->param;
    if (p[IS_STRICT] > 1.0 || (p[IS_STRICT] > 0.0 && (is_unset(at->u[0]) || is_unset(at->u[1])))) {
        self->message = p[IS_STRICT] > 1.0 ? "it never can" : "an input is made up";
        return -1;
    }
    ret_y[Y_HELD] = at->d[D_HELD];
    ret_y[Y_ONE] = p[OFFSET] + (at->mode[0] ? p[K_1] : -p[K_1]) * at->u[0];
    ret_y[Y_BOTH] = p[OFFSET] + p[K_2] * at->u[0] + p[K_3] * at->u[1];
    return 0;
}

INDICATORS(indicator) { ret_z[0] = at->u[1] - self->param[THRESHOLD]; }

INIT(init) { d[D_HELD] = self->param[OFFSET]; }

EVENT(event)
{
    if (what->is_initial) {
        d[D_SEEN] = at->u[0];
        d[D_HELD] += self->param[KICK];
    }
    if (what->fired && what->fired[0])
        d[D_COUNT] += 1.0;
}

static const wrsim_model mix = {.abi = WRSIM_MODEL_ABI,
                                .struct_size = sizeof(wrsim_model),
                                .name = "start.mix",
                                .n_param = N_PARAM,
                                .params = params,
                                .describe = describe,
                                .init = init,
                                .rhs = rhs,
                                .output = output,
                                .indicator = indicator,
                                .event = event};

static const wrsim_model *const models[] = {&mix, NULL};

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    return abi == WRSIM_MODEL_ABI ? models : NULL;
}
