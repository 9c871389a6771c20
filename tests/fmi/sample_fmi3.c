/* The functions of FMI 3.0 of a sample FMU (sample.h). SAMPLE_NO_STATE: without FMU state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "subsystems/model_host/fmi/fmi3.h"

typedef struct instance {
    sample s;
    wr_fmi3_logger *logger;
    void *env;
} instance;

/* Declares the functions, so that a definition with other arguments does not compile. */
#define WR_X(name, result, arguments, need) wr_fmi3_##name fmi3##name;
WR_FMI3_LIST(WR_X)
#undef WR_X

static sample *of(void *c) { return &((instance *)c)->s; }

static wr_fmi3_status computed(void *c)
{
    sample_misbehave("compute");
    return (wr_fmi3_status)sample_compute(of(c));
}

const char *fmi3GetVersion(void) { return SAMPLE_VERSION; }

static void *instantiate(const char *token, const char *resources, void *env,
                         wr_fmi3_logger *logger)
{
    if (strcmp(token, SAMPLE_TOKEN) != 0) {
        logger(env, WR_FMI3_ERROR, "error", "wrong token %n");
        return NULL;
    }
    if (resources)
        return NULL; /* the samples have no resources */
    instance *const i = calloc(1, sizeof *i);
    i->logger = logger;
    i->env = env;
    sample_start(&i->s);
    return i;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                   bool is_visible, bool is_logging, void *env,
                                   wr_fmi3_logger *logger)
{
    return instantiate(token, resources, env, logger);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool is_visible, bool is_logging, bool has_event_mode,
                                  bool may_return_early, const wr_fmi3_number *intermediate,
                                  size_t n_intermediate, void *env, wr_fmi3_logger *logger,
                                  wr_fmi3_intermediate_update *update)
{
    return may_return_early ? instantiate(token, resources, env, logger) : NULL;
}

void fmi3FreeInstance(void *c) { free(c); }

wr_fmi3_status fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance,
                                           double start_s, bool has_stop, double stop_s)
{
    of(c)->t_s = start_s;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3ExitInitializationMode(void *c) { return computed(c); }
wr_fmi3_status fmi3Terminate(void *c) { return WR_FMI3_OK; }

wr_fmi3_status fmi3Reset(void *c)
{
    memset(of(c), 0, sizeof(sample));
    sample_start(of(c));
    return WR_FMI3_OK;
}

#define WR_X(name, ctype)                                                                          \
    wr_fmi3_status fmi3Get##name(void *c, const wr_fmi3_number *number, size_t n, ctype *value,    \
                                 size_t n_value)                                                   \
    {                                                                                              \
        const wr_fmi3_status status = computed(c);                                                 \
        const ctype *const end = value + n_value;                                                  \
        for (size_t k = 0; k < n; k++)                                                             \
            for (int j = 0; j < sample_elements(number[k]); j++)                                   \
                *value++ = (ctype)of(c)->value[number[k] + (unsigned)j];                           \
        return value == end ? status : WR_FMI3_ERROR;                                              \
    }                                                                                              \
    wr_fmi3_status fmi3Set##name(void *c, const wr_fmi3_number *number, size_t n,                  \
                                 const ctype *value, size_t n_value)                               \
    {                                                                                              \
        const ctype *const end = value + n_value;                                                  \
        for (size_t k = 0; k < n; k++)                                                             \
            for (int j = 0; j < sample_elements(number[k]); j++)                                   \
                of(c)->value[number[k] + (unsigned)j] = (double)*value++;                          \
        return value == end ? WR_FMI3_OK : WR_FMI3_ERROR;                                          \
    }
WR_FMI3_TYPES(WR_X)
#undef WR_X

#ifndef SAMPLE_NO_STATE
wr_fmi3_status fmi3GetFMUState(void *c, void **state)
{
    if (!*state)
        *state = malloc(sizeof(sample));
    memcpy(*state, of(c), sizeof(sample));
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SetFMUState(void *c, void *state)
{
    memcpy(of(c), state, sizeof(sample));
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3FreeFMUState(void *c, void **state)
{
    free(*state);
    *state = NULL;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SerializedFMUStateSize(void *c, void *state, size_t *bytes)
{
    *bytes = sizeof(sample);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SerializeFMUState(void *c, void *state, uint8_t *to, size_t bytes)
{
    memcpy(to, state, sizeof(sample));
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3DeserializeFMUState(void *c, const uint8_t *from, size_t bytes, void **state)
{
    *state = malloc(sizeof(sample));
    memcpy(*state, from, sizeof(sample));
    return WR_FMI3_OK;
}
#endif

/* The models are linear in their states and inputs, so a difference is a derivative. */
wr_fmi3_status fmi3GetDirectionalDerivative(void *c, const wr_fmi3_number *unknown,
                                            size_t n_unknown, const wr_fmi3_number *known,
                                            size_t n_known, const double *seed, size_t n_seed,
                                            double *sensitivity, size_t n_sensitivity)
{
    sample with = *of(c), without = *of(c);
    for (size_t k = 0; k < n_known; k++)
        with.value[known[k]] += seed[k];
    sample_compute(&with);
    sample_compute(&without);
    for (size_t k = 0; k < n_unknown; k++)
        sensitivity[k] = with.value[unknown[k]] - without.value[unknown[k]];
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3EnterEventMode(void *c) { return WR_FMI3_OK; }

wr_fmi3_status fmi3EnterStepMode(void *c) { return WR_FMI3_OK; }

wr_fmi3_status fmi3UpdateDiscreteStates(void *c, bool *is_iteration_needed, bool *is_terminated,
                                        bool *has_new_nominals, bool *has_new_states,
                                        bool *has_next_time, double *next_time_s)
{
    sample *const s = of(c);
    s->next_s = (double)INFINITY;
    s->has_new_states = s->has_new_nominals = s->is_terminated = 0;
    *is_iteration_needed = sample_event(s);
    *is_terminated = s->is_terminated;
    *has_new_nominals = s->has_new_nominals;
    *has_new_states = s->has_new_states;
    *has_next_time = isfinite(s->next_s);
    *next_time_s = isfinite(s->next_s) ? s->next_s : 0;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3EnterContinuousTimeMode(void *c) { return WR_FMI3_OK; }

wr_fmi3_status fmi3CompletedIntegratorStep(void *c, bool may_forget, bool *is_event,
                                           bool *is_terminated)
{
    *is_event = of(c)->value[0] < -100;
    *is_terminated = of(c)->value[0] < -200;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SetTime(void *c, double t_s)
{
    of(c)->t_s = t_s;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SetContinuousStates(void *c, const double *x, size_t n)
{
    if (!(fabs(x[0]) <= 1e6)) {
        const instance *const i = c;
        i->logger(i->env, WR_FMI3_WARNING, "", "a state is %g");
        const int is_fatal = isnan(x[0]), is_discarded = x[0] > 0;
        if (is_fatal)
            free(c); /* no call may follow */
        return is_fatal ? WR_FMI3_FATAL : is_discarded ? WR_FMI3_DISCARD : WR_FMI3_ERROR;
    }
    memcpy(of(c)->value, x, n * sizeof *x);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3GetContinuousStateDerivatives(void *c, double *dx, size_t n)
{
    const wr_fmi3_status status = computed(c);
    memcpy(dx, of(c)->value + SAMPLE_DERIVATIVE, n * sizeof *dx);
    return status;
}

wr_fmi3_status fmi3GetEventIndicators(void *c, double *z, size_t n)
{
    sample_indicators(of(c), z);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3GetContinuousStates(void *c, double *x, size_t n)
{
    memcpy(x, of(c)->value, n * sizeof *x);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    for (size_t k = 0; k < n; k++)
        nominal[k] = sample_nominal(of(c), (int)k);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3DoStep(void *c, double t_s, double h_s, bool is_final, bool *is_event,
                          bool *is_terminated, bool *is_early, double *last_time_s)
{
    sample *const s = of(c);
    computed(c);
    *is_early = s->early_s > t_s && s->early_s < t_s + h_s;
    const int status = sample_step(s, *is_early ? s->early_s - t_s : h_s);
    *is_event = *is_early;
    *is_terminated = s->is_terminated != 0;
    *last_time_s = s->t_s;
    return (wr_fmi3_status)status;
}
