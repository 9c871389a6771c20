/* The models of adversary_models.c as FMUs of model exchange (FMI 2.0). The GUID names the model, and fmus.py writes the description.
 *
 * Value references of number i: state i, derivative 10 + i, input 20 + i, output 30 + i, parameter 100 + i. Modes and
 * discrete states stay in the FMU and change in event mode only. A call in a mode in which FMI 2.0 (2014), section 3.2.3, forbids the call
 * is an error.
 *
 * Thread: one at a time per instance. Real-time: yes, apart from states.
 */
#include <stdlib.h>

#include "adversary_shell.h"
#include "subsystems/model_host/fmi/fmi2.h"

enum { MAX_PARAM = 40, DERIVATIVE = 10, INPUT = 20, OUTPUT_Y = 30, PARAMETER = 100 };

typedef enum phase { CREATED = 1, INITIAL = 2, EVENT_MODE = 4, CONTINUOUS = 8 } phase;

/* The state of an instance, which fmi2GetFMUstate() copies. */
typedef struct state {
    phase now;
    int is_first; /* 1: before the first event iteration */
    double t_s, next_s, x[MAX_X], d[MAX_D], u[MAX_U];
    unsigned char mode[MAX_Z];
} state;

typedef struct instance {
    const wrsim_model *model;
    const kernel *kernel;
    const wr_fmi2_callbacks *callbacks;
    wrsim_instance self;
    double param[MAX_PARAM];
    state s;
} instance;

const wrsim_model *const *wrsim_plugin_models(uint32_t abi);
const kernel *adversary_kernel(const char *name);
const wrsim_variable *adversary_parameter(const char *name, int i);

/* Declares the functions, so that a definition with other arguments does not compile. */
#define WR_X(name, result, arguments, need) wr_fmi2_##name fmi2##name;
WR_FMI2_LIST(WR_X)
#undef WR_X

static const wrsim_model *find(const char *name)
{
    const wrsim_model *const *model = wrsim_plugin_models(WRSIM_MODEL_ABI);
    while (*model && strcmp((*model)->name, name) != 0)
        model++;
    return *model;
}

static void set_defaults(const wrsim_model *model, double *param)
{
    for (int i = 0; i < model->n_param; i++)
        param[i] = model->params[i].start;
}

/* Returns the kernel of a model, for fmus.py; NULL: no such model. */
const kernel *adversary_kernel(const char *name)
{
    const wrsim_model *const model = find(name);
    const kernel *found = NULL;
    double param[MAX_PARAM], x[MAX_X], d[MAX_D];
    if (!model || model->n_param > MAX_PARAM)
        return NULL;
    set_defaults(model, param);
    wrsim_instance self = {.param = param, .data = &found};
    return model->init(&self, 0.0, x, d) == 0 ? found : NULL;
}

/* Returns parameter i of a model, for fmus.py; NULL: no such parameter. */
const wrsim_variable *adversary_parameter(const char *name, int i)
{
    const wrsim_model *const model = find(name);
    return model && i < model->n_param ? &model->params[i] : NULL;
}

/* Returns whether the instance is in one of the phases; else logs an error. */
static int is_in(instance *i, int phases, const char *call)
{
    if (i->s.now & (unsigned)phases)
        return 1;
    i->callbacks->logger(i->callbacks->env, "", WR_FMI2_ERROR, "", call);
    return 0;
}
#define ALLOW(phases, call)                                                                        \
    if (!is_in(c, phases, "forbidden here: " call))                                                \
    return WR_FMI2_ERROR

static wrsim_point here(const instance *i)
{
    return (wrsim_point){.t_s = i->s.t_s, .x = i->s.x, .d = i->s.d, .u = i->s.u, .mode = i->s.mode};
}

/* The modes follow the signs before the first event. */
static void find_first_modes(instance *i)
{
    double z[MAX_Z];
    const wrsim_point at = here(i);
    if (i->s.now != INITIAL || i->kernel->n_z == 0)
        return;
    i->model->indicator(&i->self, &at, z);
    for (int k = 0; k < i->kernel->n_z; k++)
        i->s.mode[k] = z[k] > 0.0;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const wr_fmi2_callbacks *callbacks, wr_fmi2_bool is_visible,
                      wr_fmi2_bool is_logging)
{
    const wrsim_model *const model = find(guid);
    instance *const i = model ? calloc(1, sizeof *i) : NULL;
    if (!i)
        return NULL;
    i->model = model;
    i->callbacks = callbacks;
    set_defaults(model, i->param);
    i->self = (wrsim_instance){.param = i->param, .data = &i->kernel};
    i->kernel = adversary_kernel(guid);
    i->s.now = CREATED;
    return i;
}

void fmi2FreeInstance(void *c) { free(c); }

wr_fmi2_status fmi2SetupExperiment(void *c, wr_fmi2_bool has_tolerance, double tolerance,
                                   double start_s, wr_fmi2_bool has_stop, double stop_s)
{
    ALLOW(CREATED, "SetupExperiment");
    ((instance *)c)->s.t_s = start_s;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterInitializationMode(void *c)
{
    ALLOW(CREATED, "EnterInitializationMode");
    instance *const i = c;
    i->s.now = INITIAL;
    i->s.is_first = 1;
    i->s.next_s = (double)INFINITY;
    return i->model->init(&i->self, i->s.t_s, i->s.x, i->s.d) ? WR_FMI2_ERROR : WR_FMI2_OK;
}

wr_fmi2_status fmi2ExitInitializationMode(void *c)
{
    ALLOW(INITIAL, "ExitInitializationMode");
    find_first_modes(c);
    ((instance *)c)->s.now = EVENT_MODE;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2Terminate(void *c)
{
    ALLOW(EVENT_MODE | CONTINUOUS, "Terminate");
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2Reset(void *c)
{
    ((instance *)c)->s.now = CREATED;
    return WR_FMI2_OK;
}

static wr_fmi2_status status_of(const instance *i, int rc)
{
    if (rc == 0)
        return WR_FMI2_OK;
    i->callbacks->logger(i->callbacks->env, "", WR_FMI2_WARNING, "",
                         i->self.message ? i->self.message : "no value");
    return rc > 0 ? WR_FMI2_DISCARD : WR_FMI2_ERROR;
}

wr_fmi2_status fmi2GetReal(void *c, const wr_fmi2_number *number, size_t n, double *value)
{
    ALLOW(INITIAL | EVENT_MODE | CONTINUOUS, "GetReal");
    instance *const i = c;
    double y[MAX_Y] = {0}, dx[MAX_X] = {0};
    int rc = 0;
    find_first_modes(i);
    const wrsim_point at = here(i);
    for (size_t k = 0; k < n; k++)
        if (number[k] >= OUTPUT_Y && number[k] < PARAMETER && rc == 0)
            rc = i->model->output(&i->self, &at, y);
    if (i->kernel->rhs)
        i->model->rhs(&i->self, &at, dx);
    for (size_t k = 0; k < n; k++)
        value[k] = number[k] >= PARAMETER    ? i->param[number[k] - PARAMETER]
                   : number[k] >= OUTPUT_Y   ? y[number[k] - OUTPUT_Y]
                   : number[k] >= INPUT      ? i->s.u[number[k] - INPUT]
                   : number[k] >= DERIVATIVE ? dx[number[k] - DERIVATIVE]
                                             : i->s.x[number[k]];
    return status_of(i, rc);
}

wr_fmi2_status fmi2SetReal(void *c, const wr_fmi2_number *number, size_t n, const double *value)
{
    instance *const i = c;
    for (size_t k = 0; k < n; k++) {
        if (number[k] >= PARAMETER) {
            ALLOW(CREATED | INITIAL, "SetReal of a parameter");
            i->param[number[k] - PARAMETER] = value[k];
        } else {
            ALLOW(CREATED | INITIAL | EVENT_MODE | CONTINUOUS, "SetReal of an input");
            i->s.u[number[k] - INPUT] = value[k];
        }
    }
    return WR_FMI2_OK;
}

#define NO_VALUES(name, type)                                                                      \
    wr_fmi2_status fmi2Get##name(void *c, const wr_fmi2_number *number, size_t n, type *value)     \
    {                                                                                              \
        return WR_FMI2_ERROR;                                                                      \
    }                                                                                              \
    wr_fmi2_status fmi2Set##name(void *c, const wr_fmi2_number *number, size_t n,                  \
                                 const type *value)                                                \
    {                                                                                              \
        return WR_FMI2_ERROR;                                                                      \
    }
NO_VALUES(Integer, int)
NO_VALUES(Boolean, wr_fmi2_bool)

wr_fmi2_status fmi2GetFMUstate(void *c, void **to)
{
    if (!*to)
        *to = malloc(sizeof(state));
    memcpy(*to, &((instance *)c)->s, sizeof(state));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetFMUstate(void *c, void *from)
{
    memcpy(&((instance *)c)->s, from, sizeof(state));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2FreeFMUstate(void *c, void **which)
{
    free(*which);
    *which = NULL;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SerializedFMUstateSize(void *c, void *which, size_t *bytes)
{
    *bytes = sizeof(state);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SerializeFMUstate(void *c, void *which, char *to, size_t bytes)
{
    memcpy(to, which, sizeof(state));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2DeSerializeFMUstate(void *c, const char *from, size_t bytes, void **which)
{
    *which = malloc(sizeof(state));
    memcpy(*which, from, sizeof(state));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterEventMode(void *c)
{
    ALLOW(CONTINUOUS, "EnterEventMode");
    ((instance *)c)->s.now = EVENT_MODE;
    return WR_FMI2_OK;
}

/* One round of events. Returns 1 if something has happened, so that another round may follow. */
static int fire(instance *i, wr_fmi2_bool *ret_has_new_states)
{
    state *const s = &i->s;
    const double x_before[MAX_X] = {s->x[0], s->x[1]};
    double z[MAX_Z] = {0}, x[MAX_X], d_before[MAX_D];
    signed char fired[MAX_Z] = {0};
    int has_flipped = 0;
    const int is_first = s->is_first;
    const int is_due = s->next_s <= s->t_s;
    wrsim_point at = here(i);
    if (i->kernel->n_z > 0)
        i->model->indicator(&i->self, &at, z);
    for (int k = 0; k < i->kernel->n_z; k++) {
        const int sign = z[k] > 0.0;
        if (sign == s->mode[k])
            continue;
        has_flipped = 1;
        s->mode[k] = (unsigned char)sign;
        if (i->kernel->z_way[k] != (sign ? 'f' : 'r'))
            fired[k] = sign ? 1 : -1;
    }
    if (!is_first && !is_due && !has_flipped)
        return 0;
    memcpy(x, s->x, sizeof x);
    memcpy(d_before, s->d, sizeof d_before);
    at.x = x_before;
    at.d = d_before;
    const wrsim_event what = {.fired = fired, .is_time_event = is_due, .is_initial = is_first};
    i->model->event(&i->self, &at, &what, x, s->d);
    *ret_has_new_states |= memcmp(x, s->x, sizeof x) != 0;
    memcpy(s->x, x, sizeof x);
    s->is_first = 0;
    at = here(i);
    s->next_s = i->model->next_time(&i->self, &at);
    return 1;
}

wr_fmi2_status fmi2NewDiscreteStates(void *c, wr_fmi2_event_info *info)
{
    ALLOW(EVENT_MODE, "NewDiscreteStates");
    instance *const i = c;
    *info = (wr_fmi2_event_info){0};
    info->is_iteration_needed = fire(i, &info->has_new_states);
    info->has_next_time = isfinite(i->s.next_s);
    info->next_time_s = info->has_next_time ? i->s.next_s : 0.0;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterContinuousTimeMode(void *c)
{
    ALLOW(EVENT_MODE, "EnterContinuousTimeMode");
    ((instance *)c)->s.now = CONTINUOUS;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2CompletedIntegratorStep(void *c, wr_fmi2_bool may_forget, wr_fmi2_bool *is_event,
                                           wr_fmi2_bool *is_terminated)
{
    ALLOW(CONTINUOUS, "CompletedIntegratorStep");
    *is_event = *is_terminated = 0;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetTime(void *c, double t_s)
{
    ALLOW(EVENT_MODE | CONTINUOUS, "SetTime");
    ((instance *)c)->s.t_s = t_s;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    ALLOW(CONTINUOUS, "SetContinuousStates");
    memcpy(((instance *)c)->s.x, x, n * sizeof *x);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetDerivatives(void *c, double *dx, size_t n)
{
    ALLOW(INITIAL | EVENT_MODE | CONTINUOUS, "GetDerivatives");
    instance *const i = c;
    find_first_modes(i);
    const wrsim_point at = here(i);
    return n > 0 ? status_of(i, i->model->rhs(&i->self, &at, dx)) : WR_FMI2_OK;
}

wr_fmi2_status fmi2GetEventIndicators(void *c, double *z, size_t n)
{
    ALLOW(INITIAL | EVENT_MODE | CONTINUOUS, "GetEventIndicators");
    instance *const i = c;
    const wrsim_point at = here(i);
    return n > 0 ? status_of(i, i->model->indicator(&i->self, &at, z)) : WR_FMI2_OK;
}

wr_fmi2_status fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    ALLOW(INITIAL | EVENT_MODE | CONTINUOUS, "GetContinuousStates");
    memcpy(x, ((instance *)c)->s.x, n * sizeof *x);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    for (size_t k = 0; k < n; k++)
        nominal[k] = 1.0;
    return WR_FMI2_OK;
}
