/* The functions of FMI 2.0 of a sample FMU (sample.h). SAMPLE_NO_STATE: without FMU state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "subsystems/model_host/fmi/fmi2.h"

typedef struct instance {
    sample s;
    const wr_fmi2_callbacks *callbacks;
} instance;

/* Declares the functions, so that a definition with other arguments does not compile. */
#define WR_X(name, result, arguments, need) wr_fmi2_##name fmi2##name;
WR_FMI2_LIST(WR_X)
#undef WR_X

static sample *of(void *c) { return &((instance *)c)->s; }

static wr_fmi2_status computed(void *c)
{
    sample_misbehave("compute");
    return (wr_fmi2_status)sample_compute(of(c));
}

const char *fmi2GetTypesPlatform(void) { return SAMPLE_TYPES; }
const char *fmi2GetVersion(void) { return SAMPLE_VERSION; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const wr_fmi2_callbacks *callbacks, wr_fmi2_bool is_visible,
                      wr_fmi2_bool is_logging)
{
    if (strcmp(guid, SAMPLE_TOKEN) != 0) {
        /* Without its argument, and with a specifier that would write. */
        callbacks->logger(callbacks->env, name, WR_FMI2_ERROR, "error", "wrong GUID %s %n of %s");
        return NULL;
    }
    if (strncmp(resources, "file:///", 8) != 0 || strchr(resources, ' '))
        return NULL;
    instance *const i = callbacks->allocate(1, sizeof *i);
    i->callbacks = callbacks;
    sample_start(&i->s);
    return i;
}

void fmi2FreeInstance(void *c) { ((instance *)c)->callbacks->release(c); }

wr_fmi2_status fmi2SetupExperiment(void *c, wr_fmi2_bool has_tolerance, double tolerance,
                                   double start_s, wr_fmi2_bool has_stop, double stop_s)
{
    of(c)->t_s = start_s;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterInitializationMode(void *c) { return WR_FMI2_OK; }
wr_fmi2_status fmi2ExitInitializationMode(void *c) { return computed(c); }
wr_fmi2_status fmi2Terminate(void *c) { return WR_FMI2_OK; }

wr_fmi2_status fmi2Reset(void *c)
{
    memset(of(c), 0, sizeof(sample));
    sample_start(of(c));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetReal(void *c, const wr_fmi2_number *number, size_t n, double *value)
{
    const wr_fmi2_status status = computed(c);
    for (size_t k = 0; k < n; k++)
        value[k] = of(c)->value[number[k]];
    return status;
}

wr_fmi2_status fmi2SetReal(void *c, const wr_fmi2_number *number, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++)
        of(c)->value[number[k]] = value[k];
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetInteger(void *c, const wr_fmi2_number *number, size_t n, int *value)
{
    const wr_fmi2_status status = computed(c);
    for (size_t k = 0; k < n; k++)
        value[k] = (int)of(c)->value[number[k]];
    return status;
}

wr_fmi2_status fmi2SetInteger(void *c, const wr_fmi2_number *number, size_t n, const int *value)
{
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
    if (!*state)
        *state = malloc(sizeof(sample));
    memcpy(*state, of(c), sizeof(sample));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetFMUstate(void *c, void *state)
{
    memcpy(of(c), state, sizeof(sample));
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2FreeFMUstate(void *c, void **state)
{
    free(*state);
    *state = NULL;
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
    *state = malloc(sizeof(sample));
    memcpy(*state, from, sizeof(sample));
    return WR_FMI2_OK;
}
#endif

/* The models are linear in their states and inputs, so a difference is a derivative. */
wr_fmi2_status fmi2GetDirectionalDerivative(void *c, const wr_fmi2_number *unknown,
                                            size_t n_unknown, const wr_fmi2_number *known,
                                            size_t n_known, const double *seed, double *sensitivity)
{
    sample with = *of(c), without = *of(c);
    for (size_t k = 0; k < n_known; k++)
        with.value[known[k]] += seed[k];
    sample_compute(&with);
    sample_compute(&without);
    for (size_t k = 0; k < n_unknown; k++)
        sensitivity[k] = with.value[unknown[k]] - without.value[unknown[k]];
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterEventMode(void *c) { return WR_FMI2_OK; }

wr_fmi2_status fmi2NewDiscreteStates(void *c, wr_fmi2_event_info *info)
{
    sample *const s = of(c);
    s->next_s = (double)INFINITY;
    s->has_new_states = s->has_new_nominals = s->is_terminated = 0;
    info->is_iteration_needed = sample_event(s);
    info->is_terminated = s->is_terminated;
    info->has_new_nominals = s->has_new_nominals;
    info->has_new_states = s->has_new_states;
    info->has_next_time = isfinite(s->next_s);
    info->next_time_s = isfinite(s->next_s) ? s->next_s : 0;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2EnterContinuousTimeMode(void *c) { return WR_FMI2_OK; }

wr_fmi2_status fmi2CompletedIntegratorStep(void *c, wr_fmi2_bool may_forget, wr_fmi2_bool *is_event,
                                           wr_fmi2_bool *is_terminated)
{
    *is_event = of(c)->value[0] < -100;
    *is_terminated = of(c)->value[0] < -200;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetTime(void *c, double t_s)
{
    of(c)->t_s = t_s;
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    if (!(fabs(x[0]) <= 1e6)) {
        const instance *const i = c;
        i->callbacks->logger(i->callbacks->env, "", WR_FMI2_WARNING, "", "a state is %g", x[0]);
        const int is_fatal = isnan(x[0]), is_discarded = x[0] > 0;
        if (is_fatal)
            i->callbacks->release(c); /* no call may follow */
        return is_fatal ? WR_FMI2_FATAL : is_discarded ? WR_FMI2_DISCARD : WR_FMI2_ERROR;
    }
    memcpy(of(c)->value, x, n * sizeof *x);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetDerivatives(void *c, double *dx, size_t n)
{
    const wr_fmi2_status status = computed(c);
    memcpy(dx, of(c)->value + SAMPLE_DERIVATIVE, n * sizeof *dx);
    return status;
}

wr_fmi2_status fmi2GetEventIndicators(void *c, double *z, size_t n)
{
    sample_indicators(of(c), z);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    memcpy(x, of(c)->value, n * sizeof *x);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    for (size_t k = 0; k < n; k++)
        nominal[k] = sample_nominal(of(c), (int)k);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2SetRealInputDerivatives(void *c, const wr_fmi2_number *number, size_t n,
                                           const int *order, const double *value)
{
    for (size_t k = 0; k < n; k++) {
        if (order[k] != 1)
            return WR_FMI2_ERROR;
        of(c)->slope[number[k]] = value[k];
    }
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2DoStep(void *c, double t_s, double h_s, wr_fmi2_bool is_final)
{
    sample *const s = of(c);
    computed(c);
    const int is_early = s->early_s > t_s && s->early_s < t_s + h_s;
    const int status = sample_step(s, is_early ? s->early_s - t_s : h_s);
    memset(s->slope, 0, sizeof s->slope);
    return is_early ? WR_FMI2_DISCARD : (wr_fmi2_status)status;
}

wr_fmi2_status fmi2GetRealStatus(void *c, int kind, double *value)
{
    *value = of(c)->t_s;
    return kind == WR_FMI2_LAST_TIME ? WR_FMI2_OK : WR_FMI2_DISCARD;
}

wr_fmi2_status fmi2GetBooleanStatus(void *c, int kind, wr_fmi2_bool *value)
{
    *value = of(c)->is_terminated;
    return kind == WR_FMI2_TERMINATED ? WR_FMI2_OK : WR_FMI2_DISCARD;
}
