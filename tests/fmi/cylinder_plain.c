/* A plug-in with the engine's cylinder (models/engine/cylinder.c) under fewer declarations. "plain.fmi2" and "plain.fmi3" have only
 * declarations that FMI has. So both lack input blocks and a time scale, allow event() only for events of the run, and declare an own
 * state. FMI 2.0 has no patterns of event indicators. "plain.probed" omits only the input blocks and the patterns of event indicators. */
#include "models/engine/cylinder_variables.h"
#include "models/models.h"

static const wrsim_model *const model = &engine_cylinder_model;

enum { WITH_PATTERNS = 1 << 0, WITH_TIME_SCALE = 1 << 1 };
static const int with_nothing = 0, with_patterns = WITH_PATTERNS, with_scale = WITH_TIME_SCALE;

/* A description, and the description that gets its variables. */
typedef struct filter {
    wrsim_description *to;
    int with;
} filter;

static wrsim_description *of(const wrsim_description *to) { return ((const filter *)to->host)->to; }

static int add(wrsim_description *to, wrsim_kind kind, const wrsim_variable *v)
{
    return of(to)->add(of(to), kind, v);
}

static int depends(wrsim_description *to, wrsim_pattern pattern, int row, int column)
{
    const int is_of_indicator = pattern == WRSIM_X_Z || pattern == WRSIM_U_Z;
    const int with = ((const filter *)to->host)->with;
    return is_of_indicator && !(with & WITH_PATTERNS)
               ? 0
               : of(to)->depends(of(to), pattern, row, column);
}

static int port(wrsim_description *to, int first, int n)
{
    (void)to, (void)first, (void)n;
    return 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    filter f = {to, *(const int *)self->user};
    wrsim_description plain = *to;
    plain.add = add;
    plain.depends = depends;
    plain.port = port;
    plain.host = &f;
    const int rc = model->describe(self, &plain);
    to->n_w = plain.n_w;
    to->data_bytes = plain.data_bytes;
    if (f.with & WITH_TIME_SCALE)
        to->time_scale_s = plain.time_scale_s;
    return rc;
}

/* The point `at` with the input blocks of engine.cylinder. */
#define WITH_PORTS                                                                                 \
    const double *const port_of[CYL_PORT_GAS] = {[CYL_PORT_CRANK] = at->u + CYL_U_THETA,           \
                                                 [CYL_PORT_INTAKE] = at->u + CYL_U_INTAKE,         \
                                                 [CYL_PORT_EXHAUST] = at->u + CYL_U_EXHAUST,       \
                                                 [CYL_PORT_FUEL] = at->u + CYL_U_FUEL};            \
    wrsim_point point = *at;                                                                       \
    point.port = port_of

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    return model->init(self, t_s, x, d);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    WITH_PORTS;
    return model->rhs(self, &point, ret_dx);
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    WITH_PORTS;
    return model->output(self, &point, ret_y);
}

static int algebra(wrsim_instance *self, const wrsim_point *at, double *ret_w)
{
    WITH_PORTS;
    return model->algebra(self, &point, ret_w);
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    WITH_PORTS;
    return model->indicator(self, &point, ret_z);
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    WITH_PORTS;
    return model->event(self, &point, what, x, d);
}

/* All state is in x and d, which wrsim copies, so the copies of the own state are empty. */
static int copy_nothing(wrsim_instance *self, int slot)
{
    (void)self, (void)slot;
    return 0;
}

static void forget_nothing(wrsim_instance *self, int slot) { (void)self, (void)slot; }

static const wrsim_own_state own_state = {.struct_size = sizeof own_state,
                                          .keep = copy_nothing,
                                          .go_back = copy_nothing,
                                          .forget = forget_nothing};

#define PLAIN                                                                                      \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model),                                    \
    .description = "cylinder with fewer declarations", .n_param = CYL_PARAM_COUNT,                 \
    .params = cyl_params, .describe = describe, .init = init, .rhs = rhs, .output = output,        \
    .algebra = algebra, .indicator = indicator, .event = event

#define FMI PLAIN, .caps = WRSIM_CAP_NO_PROBE, .own_state = &own_state

const wrsim_model *const *wrsim_plugin_models(uint32_t abi);
const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model fmi2 = {FMI, .name = "plain.fmi2", .user = &with_nothing};
    static const wrsim_model fmi3 = {FMI, .name = "plain.fmi3", .user = &with_patterns};
    static const wrsim_model probed = {PLAIN, .name = "plain.probed", .user = &with_scale};
    static const wrsim_model *const models[] = {&fmi2, &fmi3, &probed, NULL};
    return abi == WRSIM_MODEL_ABI ? models : NULL;
}
