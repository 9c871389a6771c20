/* The functions of FMI 3.0 of a sample FMU (sample.h).
 *
 * SAMPLE_NO_STATE: without FMU state. SAMPLE_START_INPUT: the states 0 and 1 start with the value 21. SAMPLE_OVERSHOOT: longest
 * time, s, from a time event to the end of a step of co-simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "subsystems/model_host/fmi/fmi3.h"

#ifndef SAMPLE_OVERSHOOT
#define SAMPLE_OVERSHOOT 1e-12
#endif

typedef struct instance {
    sample s;
    wr_fmi3_logger *logger;
    void *env;
    bool is_logging, is_cs, has_event_mode;
} instance;

/* Declares the functions, so that a definition with other arguments does not compile. */
#define WR_X(name, result, arguments, need) wr_fmi3_##name fmi3##name;
WR_FMI3_LIST(WR_X)
#undef WR_X

static void say(void *c, wr_fmi3_status status, const char *text)
{
    const instance *const i = c;
    if (i->is_logging)
        i->logger(i->env, status, "", text);
}

static sample *of(void *c) { return &((instance *)c)->s; }

/* Logs a call that the present mode does not allow. */
static wr_fmi3_status forbidden(void *c, const char *function)
{
    of(c)->mode = SAMPLE_FAILED;
    say(c, WR_FMI3_ERROR, function);
    return WR_FMI3_ERROR;
}

#define ALLOW_IN(modes)                                                                            \
    if (!(of(c)->mode & (modes)))                                                                  \
    return forbidden(c, __func__)

/* Enters a mode from some modes. */
#define ENTER(new_mode, modes)                                                                     \
    ALLOW_IN(modes);                                                                               \
    of(c)->mode = new_mode;                                                                        \
    return WR_FMI3_OK

static wr_fmi3_status computed(void *c, int parts)
{
    sample_misbehave("compute");
#ifdef SAMPLE_START_INPUT
    if (!of(c)->is_started)
        of(c)->value[0] = of(c)->value[1] = of(c)->value[21];
#endif
    of(c)->value[SAMPLE_VALUES - 1] = of(c)->t_s; /* the independent variable */
    return (wr_fmi3_status)sample_compute(of(c), parts);
}

const char *fmi3GetVersion(void) { return SAMPLE_VERSION; }

static void *instantiate(const char *token, const char *resources, bool is_logging, void *env,
                         wr_fmi3_logger *logger)
{
    if (strcmp(token, SAMPLE_TOKEN) != 0) {
        if (is_logging)
            logger(env, WR_FMI3_ERROR, "error", "wrong token %n");
        return NULL;
    }
    if (resources)
        return NULL; /* the samples have no resources */
    sample_misbehave("instantiate");
    instance *const i = calloc(1, sizeof *i);
    i->logger = logger;
    i->is_logging = is_logging;
    i->s.mode = SAMPLE_INSTANTIATED;
    i->env = env;
    sample_start(&i->s);
    return i;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                   bool is_visible, bool is_logging, void *env,
                                   wr_fmi3_logger *logger)
{
    return instantiate(token, resources, is_logging, env, logger);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool is_visible, bool is_logging, bool has_event_mode,
                                  bool may_return_early, const wr_fmi3_number *intermediate,
                                  size_t n_intermediate, void *env, wr_fmi3_logger *logger,
                                  wr_fmi3_intermediate_update *update)
{
    instance *const i =
        may_return_early ? instantiate(token, resources, is_logging, env, logger) : NULL;
    if (i) {
        i->is_cs = true;
        i->has_event_mode = has_event_mode;
    }
    return i;
}

void fmi3FreeInstance(void *c) { free(c); }

wr_fmi3_status fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance,
                                           double start_s, bool has_stop, double stop_s)
{
    of(c)->t_s = start_s;
    ENTER(SAMPLE_INITIALISATION, SAMPLE_INSTANTIATED);
}

wr_fmi3_status fmi3ExitInitializationMode(void *c)
{
    const instance *const i = c;
    ALLOW_IN(SAMPLE_INITIALISATION);
    of(c)->mode = i->is_cs && !i->has_event_mode ? SAMPLE_STEP : SAMPLE_EVENT;
    of(c)->is_settled = 0;
    const wr_fmi3_status status = computed(c, SAMPLE_ALL);
    of(c)->is_started = 1;
    return status;
}

wr_fmi3_status fmi3Terminate(void *c) { ENTER(SAMPLE_TERMINATED, SAMPLE_INITIALISED); }

wr_fmi3_status fmi3Reset(void *c)
{
    memset(of(c), 0, sizeof(sample));
    of(c)->mode = SAMPLE_INSTANTIATED;
    sample_start(of(c));
    return WR_FMI3_OK;
}

#define WR_X(name, ctype)                                                                          \
    wr_fmi3_status fmi3Get##name(void *c, const wr_fmi3_number *number, size_t n, ctype *value,    \
                                 size_t n_value)                                                   \
    {                                                                                              \
        ALLOW_IN(SAMPLE_READABLE | SAMPLE_INSTANTIATED);                                           \
        if (of(c)->is_stale)                                                                       \
            return forbidden(c, __func__);                                                         \
        const wr_fmi3_status status = computed(c, sample_parts(number, n));                        \
        const ctype *const end = value + n_value;                                                  \
        for (size_t k = 0; k < n; k++)                                                             \
            for (int j = 0; j < sample_elements(number[k]); j++)                                   \
                *value++ = (ctype)of(c)->value[number[k] + (unsigned)j];                           \
        return value == end ? status : WR_FMI3_ERROR;                                              \
    }                                                                                              \
    wr_fmi3_status fmi3Set##name(void *c, const wr_fmi3_number *number, size_t n,                  \
                                 const ctype *value, size_t n_value)                               \
    {                                                                                              \
        const int held = SAMPLE_CONTINUOUS | (((instance *)c)->has_event_mode ? SAMPLE_STEP : 0);  \
        ALLOW_IN(SAMPLE_WRITABLE & ~((ctype)0.5 > 0 && sizeof(ctype) > 1 ? 0 : held));             \
        of(c)->is_stale = of(c)->mode == SAMPLE_STEP;                                              \
        of(c)->is_fresh = 0;                                                                       \
        const ctype *const end = value + n_value;                                                  \
        for (size_t k = 0; k < n; k++)                                                             \
            for (int j = 0; j < sample_elements(number[k]); j++)                                   \
                of(c)->value[number[k] + (unsigned)j] = (double)*value++;                          \
        return value == end ? WR_FMI3_OK : WR_FMI3_ERROR;                                          \
    }
WR_X(Float64, double)
WR_FMI3_CONVERTED(WR_X)
#undef WR_X

#ifndef SAMPLE_NO_STATE
wr_fmi3_status fmi3GetFMUState(void *c, void **state)
{
    sample_keep(of(c), state);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SetFMUState(void *c, void *state)
{
    sample_go_back(of(c), state);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3FreeFMUState(void *c, void **state)
{
    sample_forget(state);
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
    sample copy;
    memcpy(&copy, from, sizeof copy);
    *state = NULL;
    sample_keep(&copy, state);
    return WR_FMI3_OK;
}
#endif

/* The models are linear in their states and inputs, so a difference is a derivative. */
wr_fmi3_status fmi3GetDirectionalDerivative(void *c, const wr_fmi3_number *unknown,
                                            size_t n_unknown, const wr_fmi3_number *known,
                                            size_t n_known, const double *seed, size_t n_seed,
                                            double *sensitivity, size_t n_sensitivity)
{
    ALLOW_IN(SAMPLE_READABLE);
    sample with = *of(c), without = *of(c);
    for (size_t k = 0; k < n_known; k++)
        with.value[known[k]] += seed[k];
    sample_compute(&with, SAMPLE_ALL);
    sample_compute(&without, SAMPLE_ALL);
    for (size_t k = 0; k < n_unknown; k++)
        sensitivity[k] = with.value[unknown[k]] - without.value[unknown[k]];
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3EnterEventMode(void *c)
{
    of(c)->is_settled = of(c)->is_stale = of(c)->is_due = 0;
    ENTER(SAMPLE_EVENT, SAMPLE_CONTINUOUS | (((instance *)c)->has_event_mode ? SAMPLE_STEP : 0));
}

wr_fmi3_status fmi3EnterStepMode(void *c)
{
    ENTER(SAMPLE_STEP, ((instance *)c)->is_cs && of(c)->is_settled ? SAMPLE_EVENT : 0);
}

wr_fmi3_status fmi3UpdateDiscreteStates(void *c, bool *is_iteration_needed, bool *is_terminated,
                                        bool *has_new_nominals, bool *has_new_states,
                                        bool *has_next_time, double *next_time_s)
{
    sample *const s = of(c);
    ALLOW_IN(SAMPLE_EVENT);
    s->next_s = (double)INFINITY;
    s->has_new_states = s->has_new_nominals = s->is_terminated = 0;
    const int more = sample_event(s);
    if (more < 0)
        return WR_FMI3_ERROR;
    *is_iteration_needed = more;
    s->is_settled = !more;
    *is_terminated = s->is_terminated;
    *has_new_nominals = s->has_new_nominals;
    *has_new_states = s->has_new_states;
    *has_next_time = !isinf(s->next_s);
    *next_time_s = isinf(s->next_s) ? 0 : s->next_s;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3EnterContinuousTimeMode(void *c)
{
    ENTER(SAMPLE_CONTINUOUS, !((instance *)c)->is_cs && of(c)->is_settled ? SAMPLE_EVENT : 0);
}

wr_fmi3_status fmi3CompletedIntegratorStep(void *c, bool may_forget, bool *is_event,
                                           bool *is_terminated)
{
    ALLOW_IN(SAMPLE_CONTINUOUS);
    sample_complete(of(c));
    *is_event = of(c)->value[0] < -100;
    *is_terminated = of(c)->value[0] < -200;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SetTime(void *c, double t_s)
{
    ALLOW_IN(SAMPLE_CONTINUOUS);
    of(c)->t_s = t_s;
    of(c)->is_fresh = 0;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3SetContinuousStates(void *c, const double *x, size_t n)
{
    ALLOW_IN(SAMPLE_CONTINUOUS);
    if (!(fabs(x[0]) <= 1e6)) {
        static char text[WR_SAMPLE_LONG];
        if (x[0] > 1e8)
            say(c, WR_FMI3_WARNING, sample_long_text(text));
        else if (x[0] > -1e8 || isnan(x[0]))
            say(c, WR_FMI3_WARNING, "a state is %g");
        if (x[0] < 0 && x[0] > -1e8)
            say(c, WR_FMI3_ERROR, "no end of the run");
        if (isnan(x[0])) {
            free(c); /* no call may follow */
            return WR_FMI3_FATAL;
        }
        of(c)->mode = x[0] > 0 ? of(c)->mode : SAMPLE_FAILED;
        return x[0] > 0 ? WR_FMI3_DISCARD : WR_FMI3_ERROR;
    }
    memcpy(of(c)->value, x, n * sizeof *x);
    of(c)->is_fresh = 0;
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3GetContinuousStateDerivatives(void *c, double *dx, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE);
    const wr_fmi3_status status = computed(c, SAMPLE_RATES);
    memcpy(dx, of(c)->value + SAMPLE_DERIVATIVE, n * sizeof *dx);
    return status;
}

wr_fmi3_status fmi3GetEventIndicators(void *c, double *z, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE);
    sample_indicators(of(c), z);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3GetContinuousStates(void *c, double *x, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE);
    memcpy(x, of(c)->value, n * sizeof *x);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    ALLOW_IN(SAMPLE_READABLE);
    for (size_t k = 0; k < n; k++)
        nominal[k] = sample_nominal(of(c), (int)k);
    return WR_FMI3_OK;
}

wr_fmi3_status fmi3DoStep(void *c, double t_s, double h_s, bool is_final, bool *is_event,
                          bool *is_terminated, bool *is_early, double *last_time_s)
{
    ALLOW_IN(SAMPLE_STEP);
    sample *const s = of(c);
    s->is_stale = 0;
    computed(c, SAMPLE_ALL);
    if (s->early_s < 0 && h_s > -s->early_s) /* early_s < 0: minus the longest step */
        return WR_FMI3_DISCARD;
    const bool has_events = ((instance *)c)->has_event_mode,
               is_cut = s->early_s > t_s && s->early_s < t_s + h_s;
    if (has_events && (s->is_due || t_s >= s->next_s || t_s + h_s > s->next_s + SAMPLE_OVERSHOOT ||
                       fabs(t_s - s->t_s) > 1e-9))
        return forbidden(c, __func__);
    int is_zero = 0;
    sample_begin_step(s, is_final);
    const double length_s = is_cut ? s->early_s - t_s : h_s;
    const int status =
        has_events ? sample_step_to_event(s, length_s, &is_zero) : sample_step(s, length_s);
    if (has_events && !is_zero)
        s->t_s = t_s + length_s;
    sample_complete(s);
    *is_early = is_cut || (is_zero && s->t_s < t_s + h_s);
    *is_event = is_zero || (is_cut && (has_events || s->value[26] != 0));
    s->is_due = has_events && *is_event;
    *is_terminated = s->is_terminated != 0 || s->value[0] < -200;
    *last_time_s = s->t_s + s->value[27];
    return (wr_fmi3_status)status;
}
