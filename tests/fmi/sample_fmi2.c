/* The functions of FMI 2.0 of a sample FMU (sample.h).
 *
 * SAMPLE_NO_STATE: without FMU state. SAMPLE_START_INPUT: the states 0 and 1 start with the value 21. SAMPLE_ALLOCATES: computations
 * allocate memory by the callbacks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "subsystems/model_host/fmi/fmi2.h"

typedef struct instance {
    sample s;
    const wr_fmi2_callbacks *callbacks;
    int type;
} instance;

/* Declares the functions, so that a definition with other arguments does not compile. */
#define WR_X(name, result, arguments, need) wr_fmi2_##name fmi2##name;
WR_FMI2_LIST(WR_X)
#undef WR_X

static void say(void *c, wr_fmi2_status status, const char *text)
{
    const wr_fmi2_callbacks *const callbacks = ((instance *)c)->callbacks;
    callbacks->logger(callbacks->env, "", status, "", text);
}

static sample *of(void *c) { return &((instance *)c)->s; }

/* Logs a call that the present mode does not allow. */
static wr_fmi2_status forbidden(void *c, const char *function)
{
    of(c)->mode = SAMPLE_FAILED;
    say(c, WR_FMI2_ERROR, function);
    return WR_FMI2_ERROR;
}

#define ALLOW_IN(modes)                                                                            \
    if (!(of(c)->mode & (modes)))                                                                  \
    return forbidden(c, __func__)

/* Enters a mode from some modes. */
#define ENTER(new_mode, modes)                                                                     \
    ALLOW_IN(modes);                                                                               \
    of(c)->mode = new_mode;                                                                        \
    return WR_FMI2_OK

static wr_fmi2_status computed(void *c, int parts)
{
    sample_misbehave("compute");
#ifdef SAMPLE_START_INPUT
    if (!of(c)->is_started)
        of(c)->value[0] = of(c)->value[1] = of(c)->value[21];
#endif
#ifdef SAMPLE_ALLOCATES
    const wr_fmi2_callbacks *const callbacks = ((instance *)c)->callbacks;
    callbacks->release(callbacks->allocate(1, 8));
#endif
    return (wr_fmi2_status)sample_compute(of(c), parts);
}

const char *fmi2GetTypesPlatform(void) { return SAMPLE_TYPES; }
const char *fmi2GetVersion(void) { return SAMPLE_VERSION; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const wr_fmi2_callbacks *callbacks, wr_fmi2_bool is_visible,
                      wr_fmi2_bool is_logging)
{
    if (strcmp(guid, SAMPLE_TOKEN) != 0) {
        /* No specifier has an argument, and "%n" would write to memory. */
        callbacks->logger(callbacks->env, name, WR_FMI2_ERROR, "error", "wrong GUID %s %n of %s");
        return NULL;
    }
    if (strncmp(resources, "file:///", 8) != 0 || strchr(resources, ' '))
        return NULL;
    sample_misbehave("instantiate");
    instance *const i = callbacks->allocate(1, sizeof *i);
    i->callbacks = callbacks;
    i->type = type;
    i->s.mode = SAMPLE_INSTANTIATED;
    sample_start(&i->s);
    return i;
}

void fmi2FreeInstance(void *c) { ((instance *)c)->callbacks->release(c); }

wr_fmi2_status fmi2SetupExperiment(void *c, wr_fmi2_bool has_tolerance, double tolerance,
                                   double start_s, wr_fmi2_bool has_stop, double stop_s)
{
    ALLOW_IN(SAMPLE_INSTANTIATED);
    of(c)->t_s = start_s;
    of(c)->is_set_up = 1;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterInitializationMode(void *c)
{
    ENTER(SAMPLE_INITIALISATION, of(c)->is_set_up ? SAMPLE_INSTANTIATED : 0);
}

wr_fmi2_status fmi2ExitInitializationMode(void *c)
{
    ALLOW_IN(SAMPLE_INITIALISATION);
    of(c)->mode = ((instance *)c)->type == WR_FMI2_CS ? SAMPLE_STEP : SAMPLE_EVENT;
    of(c)->is_settled = 0;
    const wr_fmi2_status status = computed(c, SAMPLE_ALL);
    of(c)->is_started = 1;
    return status;
}

wr_fmi2_status fmi2Terminate(void *c) { ENTER(SAMPLE_TERMINATED, SAMPLE_INITIALISED); }

wr_fmi2_status fmi2Reset(void *c)
{
    memset(of(c), 0, sizeof(sample));
    of(c)->mode = SAMPLE_INSTANTIATED;
    sample_start(of(c));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetReal(void *c, const wr_fmi2_number *number, size_t n, double *value)
{
    ALLOW_IN(SAMPLE_READABLE);
    if (of(c)->is_stale)
        return forbidden(c, __func__);
    const wr_fmi2_status status = computed(c, sample_parts(number, n));
    for (size_t k = 0; k < n; k++)
        value[k] = of(c)->value[number[k]];
    return status;
}

wr_fmi2_status fmi2SetReal(void *c, const wr_fmi2_number *number, size_t n, const double *value)
{
    ALLOW_IN(SAMPLE_WRITABLE);
    of(c)->is_stale = of(c)->mode == SAMPLE_STEP;
    of(c)->is_fresh = 0;
    for (size_t k = 0; k < n; k++)
        of(c)->value[number[k]] = value[k];
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetInteger(void *c, const wr_fmi2_number *number, size_t n, int *value)
{
    ALLOW_IN(SAMPLE_READABLE);
    if (of(c)->is_stale)
        return forbidden(c, __func__);
    const wr_fmi2_status status = computed(c, SAMPLE_ALL);
    for (size_t k = 0; k < n; k++)
        value[k] = (int)of(c)->value[number[k]];
    return status;
}

wr_fmi2_status fmi2SetInteger(void *c, const wr_fmi2_number *number, size_t n, const int *value)
{
    ALLOW_IN(SAMPLE_WRITABLE & ~SAMPLE_CONTINUOUS);
    of(c)->is_stale = of(c)->mode == SAMPLE_STEP;
    of(c)->is_fresh = 0;
    for (size_t k = 0; k < n; k++)
        of(c)->value[number[k]] = value[k];
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetBoolean(void *c, const wr_fmi2_number *number, size_t n, wr_fmi2_bool *value)
{
    return fmi2GetInteger(c, number, n, value);
}

wr_fmi2_status fmi2SetBoolean(void *c, const wr_fmi2_number *number, size_t n,
                              const wr_fmi2_bool *value)
{
    return fmi2SetInteger(c, number, n, value);
}

#ifndef SAMPLE_NO_STATE
wr_fmi2_status fmi2GetFMUstate(void *c, void **state)
{
    sample_keep(of(c), state);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetFMUstate(void *c, void *state)
{
    sample_go_back(of(c), state);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2FreeFMUstate(void *c, void **state)
{
    sample_forget(state);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SerializedFMUstateSize(void *c, void *state, size_t *bytes)
{
    *bytes = sizeof(sample);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SerializeFMUstate(void *c, void *state, char *to, size_t bytes)
{
    memcpy(to, state, sizeof(sample));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2DeSerializeFMUstate(void *c, const char *from, size_t bytes, void **state)
{
    sample copy;
    memcpy(&copy, from, sizeof copy);
    *state = NULL;
    sample_keep(&copy, state);
    return WR_FMI2_OK;
}
#endif

/* The models are linear in their states and inputs, so a difference is a derivative. */
wr_fmi2_status fmi2GetDirectionalDerivative(void *c, const wr_fmi2_number *unknown,
                                            size_t n_unknown, const wr_fmi2_number *known,
                                            size_t n_known, const double *seed, double *sensitivity)
{
    ALLOW_IN(SAMPLE_READABLE);
    sample with = *of(c), without = *of(c);
    for (size_t k = 0; k < n_known; k++)
        with.value[known[k]] += seed[k];
    sample_compute(&with, SAMPLE_ALL);
    sample_compute(&without, SAMPLE_ALL);
    for (size_t k = 0; k < n_unknown; k++)
        sensitivity[k] = with.value[unknown[k]] - without.value[unknown[k]];
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterEventMode(void *c)
{
    of(c)->is_settled = 0;
    ENTER(SAMPLE_EVENT, SAMPLE_EVENT | SAMPLE_CONTINUOUS);
}

wr_fmi2_status fmi2NewDiscreteStates(void *c, wr_fmi2_event_info *info)
{
    sample *const s = of(c);
    ALLOW_IN(SAMPLE_EVENT);
    s->next_s = (double)INFINITY;
    s->has_new_states = s->has_new_nominals = s->is_terminated = 0;
    const int more = sample_event(s);
    if (more < 0)
        return WR_FMI2_ERROR;
    info->is_iteration_needed = more;
    s->is_settled = !more;
    info->is_terminated = s->is_terminated;
    info->has_new_nominals = s->has_new_nominals;
    info->has_new_states = s->has_new_states;
    info->has_next_time = !isinf(s->next_s);
    info->next_time_s = isinf(s->next_s) ? 0 : s->next_s;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterContinuousTimeMode(void *c)
{
    ENTER(SAMPLE_CONTINUOUS, of(c)->is_settled ? SAMPLE_EVENT : 0);
}

wr_fmi2_status fmi2CompletedIntegratorStep(void *c, wr_fmi2_bool may_forget, wr_fmi2_bool *is_event,
                                           wr_fmi2_bool *is_terminated)
{
    ALLOW_IN(SAMPLE_CONTINUOUS);
    sample_complete(of(c));
    *is_event = of(c)->value[0] < -100;
    *is_terminated = of(c)->value[0] < -200;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetTime(void *c, double t_s)
{
    ALLOW_IN(SAMPLE_CONTINUOUS);
    of(c)->t_s = t_s;
    of(c)->is_fresh = 0;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    ALLOW_IN(SAMPLE_CONTINUOUS);
    if (!(fabs(x[0]) <= 1e6)) {
        static char text[WR_SAMPLE_LONG];
        const wr_fmi2_callbacks *const callbacks = ((instance *)c)->callbacks;
        if (x[0] > 1e8)
            say(c, WR_FMI2_WARNING, sample_long_text(text));
        else if (x[0] > -1e8 || isnan(x[0]))
            callbacks->logger(callbacks->env, "", WR_FMI2_WARNING, "", "a %s is %g", "state", x[0]);
        if (x[0] < 0 && x[0] > -1e8)
            say(c, WR_FMI2_ERROR, "no end of the run");
        if (isnan(x[0])) {
            ((instance *)c)->callbacks->release(c); /* no call may follow */
            return WR_FMI2_FATAL;
        }
        of(c)->mode = x[0] > 0 ? of(c)->mode : SAMPLE_FAILED;
        return x[0] > 0 ? WR_FMI2_DISCARD : WR_FMI2_ERROR;
    }
    memcpy(of(c)->value, x, n * sizeof *x);
    of(c)->is_fresh = 0;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetDerivatives(void *c, double *dx, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE);
    const wr_fmi2_status status = computed(c, SAMPLE_RATES);
    memcpy(dx, of(c)->value + SAMPLE_DERIVATIVE, n * sizeof *dx);
    return status;
}

wr_fmi2_status fmi2GetEventIndicators(void *c, double *z, size_t n)
{
#ifdef SAMPLE_LATE
    if (of(c)->mode == SAMPLE_INITIALISATION) { /* FMUs of Dymola also fail here */
        of(c)->mode = SAMPLE_FAILED;
        return WR_FMI2_ERROR;
    }
#endif
    ALLOW_IN(SAMPLE_READABLE);
    sample_indicators(of(c), z);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE);
    memcpy(x, of(c)->value, n * sizeof *x);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE | SAMPLE_INSTANTIATED);
    for (size_t k = 0; k < n; k++)
        nominal[k] = sample_nominal(of(c), (int)k);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetRealInputDerivatives(void *c, const wr_fmi2_number *number, size_t n,
                                           const int *order, const double *value)
{
    ALLOW_IN(SAMPLE_WRITABLE);
    for (size_t k = 0; k < n; k++) {
        if (order[k] != 1)
            return WR_FMI2_ERROR;
        of(c)->slope[number[k]] = value[k];
    }
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2DoStep(void *c, double t_s, double h_s, wr_fmi2_bool is_final)
{
    ALLOW_IN(SAMPLE_STEP);
    sample *const s = of(c);
    s->is_stale = 0;
    computed(c, SAMPLE_ALL);
    if (s->early_s < 0 && h_s > -s->early_s) /* early_s < 0: minus the longest step */
        return WR_FMI2_DISCARD;
    const int is_early = s->early_s > t_s && s->early_s < t_s + h_s;
    sample_begin_step(s, is_final);
    const int status = sample_step(s, is_early ? s->early_s - t_s : h_s);
    memset(s->slope, 0, sizeof s->slope);
    s->is_terminated = s->value[0] < -200;
    return s->value[28] != 0              ? WR_FMI2_PENDING
           : is_early || s->is_terminated ? WR_FMI2_DISCARD
                                          : (wr_fmi2_status)status;
}

wr_fmi2_status fmi2GetRealStatus(void *c, int kind, double *value)
{
    *value = of(c)->t_s + of(c)->value[27];
    return kind == WR_FMI2_LAST_TIME ? WR_FMI2_OK : WR_FMI2_DISCARD;
}

wr_fmi2_status fmi2GetBooleanStatus(void *c, int kind, wr_fmi2_bool *value)
{
    *value = of(c)->is_terminated;
    return kind == WR_FMI2_TERMINATED ? WR_FMI2_OK : WR_FMI2_DISCARD;
}
