/* Calls of FMI 2.0. See binary_parts.h. Thread: as binary.h. Real-time: as binary.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/model_host/fmi/binary_call.h"
#include "subsystems/model_host/fmi/binary_log_text.h"
#include "subsystems/model_host/fmi/fmi2.h"

typedef struct functions {
#define WR_X(name, result, arguments, need) wr_fmi2_##name *fmi2##name;
    WR_FMI2_LIST(WR_X)
#undef WR_X
} functions;

static const wr_binary_symbol symbols[] = {
#define WR_X(name, result, arguments, need) {"fmi2" #name, offsetof(functions, fmi2##name), need},
    WR_FMI2_LIST(WR_X)
#undef WR_X
};

static const functions *of(const wr_binary_instance *instance)
{
    return instance->binary->functions;
}

#define CALL(function, ...) WR_BINARY_CALL(of(i), i, function, __VA_ARGS__)

static const char *version_of(wr_binary *binary)
{
    return ((const functions *)binary->functions)->fmi2GetVersion();
}

static const char *other_types(wr_binary *binary)
{
    const char *const types = ((const functions *)binary->functions)->fmi2GetTypesPlatform();
    return !types ? "" : strcmp(types, "default") == 0 ? NULL : types;
}

static void store(void *env, const char *instance, wr_fmi2_status status, const char *category,
                  const char *message, ...)
{
    (void)instance;
    (void)category;
    if (!env || status == WR_FMI2_OK || status == WR_FMI2_PENDING)
        return;
    char text[2 * WR_BINARY_LOG_BYTES]; /* the log cuts the text between characters */
    va_list arguments;
    va_start(arguments, message);
    wr_binary_log_text(text, sizeof text, message, arguments);
    va_end(arguments);
    wr_binary_store_log(env, text);
}

static void instantiate(wr_binary_instance *i)
{
    wr_fmi2_callbacks *const callbacks = i->callbacks = calloc(1, sizeof *callbacks);
    if (!callbacks) {
        wr_binary_store_log(i, "out of memory");
        return;
    }
    *callbacks = (wr_fmi2_callbacks){store, calloc, free, NULL, i};
    wr_binary_begin(i, "fmi2Instantiate");
    i->fmu =
        of(i)->fmi2Instantiate(i->name, i->binary->uses & WR_FMI_NEED_CS ? WR_FMI2_CS : WR_FMI2_ME,
                               i->binary->token, i->binary->resources, callbacks, 0, 0);
    wr_binary_end(i);
}

static void free_instance(wr_binary_instance *i)
{
    wr_binary_begin(i, "fmi2FreeInstance");
    of(i)->fmi2FreeInstance(i->fmu);
    wr_binary_end(i);
}

static wr_binary_status enter_initialisation(wr_binary_instance *i,
                                             const wr_binary_experiment *experiment)
{
    const int has_tolerance = !isnan(experiment->tolerance), has_stop = !isnan(experiment->stop_s);
    const wr_binary_status status =
        CALL(fmi2SetupExperiment, i->fmu, has_tolerance, has_tolerance ? experiment->tolerance : 0,
             experiment->start_s, has_stop, has_stop ? experiment->stop_s : 0);
    return status != WR_BINARY_OK ? status : CALL(fmi2EnterInitializationMode, i->fmu);
}

static wr_binary_status exit_initialisation(wr_binary_instance *i)
{
    return CALL(fmi2ExitInitializationMode, i->fmu);
}

static wr_binary_status enter_events(wr_binary_instance *i)
{
    return CALL(fmi2EnterEventMode, i->fmu);
}

static wr_binary_status update_discrete(wr_binary_instance *i, wr_binary_update *ret)
{
    wr_fmi2_event_info info = {0};
    const wr_binary_status status = CALL(fmi2NewDiscreteStates, i->fmu, &info);
    if (status == WR_BINARY_OK)
        *ret = (wr_binary_update){info.is_iteration_needed != 0, info.is_terminated != 0,
                                  info.has_new_nominals != 0, info.has_new_states != 0,
                                  info.has_next_time ? info.next_time_s : (double)INFINITY};
    return status;
}

static wr_binary_status leave_events(wr_binary_instance *i)
{
    return CALL(fmi2EnterContinuousTimeMode, i->fmu);
}

static wr_binary_status terminate(wr_binary_instance *i) { return CALL(fmi2Terminate, i->fmu); }
static wr_binary_status reset(wr_binary_instance *i) { return CALL(fmi2Reset, i->fmu); }

static wr_binary_status get(wr_binary_instance *i, wr_fmi_type type, const uint32_t *number, int n,
                            double *value, int n_value)
{
    if (n != n_value)
        return wr_binary_refuse(i, "FMI 2.0 has no arrays: each variable has one value");
    if (type == WR_FMI_FLOAT64)
        return CALL(fmi2GetReal, i->fmu, number, (size_t)n, value);
    int *const scratch = wr_binary_scratch(i, (size_t)n * sizeof(int));
    if (!scratch)
        return WR_BINARY_ERROR;
    const wr_binary_status status = type == WR_FMI_BOOLEAN
                                        ? CALL(fmi2GetBoolean, i->fmu, number, (size_t)n, scratch)
                                        : CALL(fmi2GetInteger, i->fmu, number, (size_t)n, scratch);
    for (int k = 0; k < n && status == WR_BINARY_OK; k++)
        value[k] = type == WR_FMI_BOOLEAN ? scratch[k] != 0 : scratch[k];
    return status;
}

static wr_binary_status set(wr_binary_instance *i, wr_fmi_type type, const uint32_t *number, int n,
                            const double *value, int n_value)
{
    if (n != n_value)
        return wr_binary_refuse(i, "FMI 2.0 has no arrays: each variable has one value");
    if (type == WR_FMI_FLOAT64)
        return CALL(fmi2SetReal, i->fmu, number, (size_t)n, value);
    int *const scratch = wr_binary_scratch(i, (size_t)n * sizeof(int));
    if (!scratch)
        return WR_BINARY_ERROR;
    const double low = type == WR_FMI_BOOLEAN ? 0 : INT32_MIN;
    const double high = type == WR_FMI_BOOLEAN ? 1 : INT32_MAX;
    for (int k = 0; k < n; k++) {
        if (!(value[k] >= low && value[k] <= high) || value[k] != trunc(value[k]))
            return wr_binary_refuse(i, type == WR_FMI_BOOLEAN ? "a value of a Boolean is not 0 or 1"
                                                              : "a value is no 32-bit integer");
        scratch[k] = (int)value[k];
    }
    return type == WR_FMI_BOOLEAN ? CALL(fmi2SetBoolean, i->fmu, number, (size_t)n, scratch)
                                  : CALL(fmi2SetInteger, i->fmu, number, (size_t)n, scratch);
}

/* One record for three calls saves instructions, because each evaluation of the FMU begins with these calls. Every FMU of model exchange
 * has the three functions. */
static wr_binary_status set_point(wr_binary_instance *i, const wr_binary_point *p,
                                  const char **ret_failed)
{
    const functions *const f = of(i);
    const int is_dead = wr_binary_library_is_dead(i->binary->library);
    if (is_dead || !f->fmi2SetTime) {
        *ret_failed = "SetTime";
        return is_dead ? WR_BINARY_FATAL : wr_binary_lacks(i, "fmi2SetTime");
    }
    int status = 0;
    wr_binary_begin(i, "fmi2SetTime");
    if (p->has_time)
        status = (int)f->fmi2SetTime(i->fmu, p->t_s);
    if ((unsigned)status <= 1 && p->n_x > 0) {
        wr_binary_next("fmi2SetContinuousStates");
        status = (int)f->fmi2SetContinuousStates(i->fmu, p->x, (size_t)p->n_x);
    }
    if ((unsigned)status <= 1 && p->n_number > 0) {
        wr_binary_next("fmi2SetReal");
        status = (int)f->fmi2SetReal(i->fmu, p->number, (size_t)p->n_number, p->u);
    }
    return wr_binary_last_status(i, status, ret_failed);
}

static wr_binary_status get_states(wr_binary_instance *i, double *x, int n)
{
    return CALL(fmi2GetContinuousStates, i->fmu, x, (size_t)n);
}

static wr_binary_status get_nominals(wr_binary_instance *i, double *nominal, int n)
{
    return CALL(fmi2GetNominalsOfContinuousStates, i->fmu, nominal, (size_t)n);
}

static wr_binary_status get_derivatives(wr_binary_instance *i, double *dx, int n)
{
    return CALL(fmi2GetDerivatives, i->fmu, dx, (size_t)n);
}

static wr_binary_status get_indicators(wr_binary_instance *i, double *z, int n)
{
    return CALL(fmi2GetEventIndicators, i->fmu, z, (size_t)n);
}

static wr_binary_status step_completed(wr_binary_instance *i, int may_forget, wr_binary_step *ret)
{
    int is_event = 0, is_terminated = 0;
    const wr_binary_status status =
        CALL(fmi2CompletedIntegratorStep, i->fmu, may_forget != 0, &is_event, &is_terminated);
    if (status == WR_BINARY_OK)
        *ret = (wr_binary_step){is_event != 0, is_terminated != 0, (double)NAN};
    return status;
}

/* Returns whether the FMU asks to end the run. If the FMU discards or fails this call, it does not ask. */
static int is_terminated(wr_binary_instance *i)
{
    int is = 0;
    wr_binary_begin(i, "fmi2GetBooleanStatus");
    const wr_fmi2_status status = of(i)->fmi2GetBooleanStatus(i->fmu, WR_FMI2_TERMINATED, &is);
    wr_binary_end(i);
    return is && (status == WR_FMI2_OK || status == WR_FMI2_WARNING);
}

/* A step that the FMU discards has ended early, at the last successful time (FMI 2.0, section 4.2.2). The log keeps the reason of the
 * step. */
static wr_binary_status do_step(wr_binary_instance *i, double t_s, double h_s, int may_forget,
                                wr_binary_step *ret)
{
    wr_binary_status status = CALL(fmi2DoStep, i->fmu, t_s, h_s, may_forget != 0);
    wr_binary_step step = {0, 0, t_s + h_s};
    if (status == WR_BINARY_DISCARD) {
        step.reached_s = (double)NAN;
        const unsigned n_text = atomic_load_explicit(&i->n_text, memory_order_relaxed);
        wr_binary_begin(i, "fmi2GetRealStatus");
        const wr_fmi2_status last =
            of(i)->fmi2GetRealStatus(i->fmu, WR_FMI2_LAST_TIME, &step.reached_s);
        wr_binary_end(i);
        if (last != WR_FMI2_OK && last != WR_FMI2_WARNING)
            return WR_BINARY_DISCARD; /* the FMU does not report the end of the step */
        step.is_terminated = is_terminated(i);
        atomic_store_explicit(&i->n_text, n_text, memory_order_relaxed); /* of the step */
        status = wr_binary_check_reached(i, t_s, h_s, &step);
    }
    if (status == WR_BINARY_OK)
        *ret = step;
    return status;
}

static wr_binary_status set_input_derivatives(wr_binary_instance *i, const uint32_t *number, int n,
                                              const double *value)
{
    int *const order = wr_binary_scratch(i, (size_t)n * sizeof(int));
    if (!order)
        return WR_BINARY_ERROR;
    for (int k = 0; k < n; k++)
        order[k] = 1;
    return CALL(fmi2SetRealInputDerivatives, i->fmu, number, (size_t)n, order, value);
}

static wr_binary_status keep(wr_binary_instance *i, void **slot)
{
    return CALL(fmi2GetFMUstate, i->fmu, slot);
}

static wr_binary_status go_back(wr_binary_instance *i, void *slot)
{
    return CALL(fmi2SetFMUstate, i->fmu, slot);
}

static wr_binary_status forget(wr_binary_instance *i, void **slot)
{
    return CALL(fmi2FreeFMUstate, i->fmu, slot);
}

static wr_binary_status state_bytes(wr_binary_instance *i, void *slot, size_t *ret_n_bytes)
{
    return CALL(fmi2SerializedFMUstateSize, i->fmu, slot, ret_n_bytes);
}

static wr_binary_status write_state(wr_binary_instance *i, void *slot, void *bytes, size_t n_bytes)
{
    return CALL(fmi2SerializeFMUstate, i->fmu, slot, bytes, n_bytes);
}

static wr_binary_status read_state(wr_binary_instance *i, const void *bytes, size_t n_bytes,
                                   void **slot)
{
    return CALL(fmi2DeSerializeFMUstate, i->fmu, bytes, n_bytes, slot);
}

static wr_binary_status directional(wr_binary_instance *i, const uint32_t *unknown, int n_unknown,
                                    const uint32_t *known, int n_known, const double *seed,
                                    double *sensitivity)
{
    return CALL(fmi2GetDirectionalDerivative, i->fmu, unknown, (size_t)n_unknown, known,
                (size_t)n_known, seed, sensitivity);
}

const wr_binary_ops wr_binary_fmi2 = {
    .platform = "binaries/linux64",
    .version = "2.0",
    .symbol = symbols,
    .n_symbol = sizeof symbols / sizeof symbols[0],
    .table_bytes = sizeof(functions),
    .version_of = version_of,
    .other_types = other_types,
    .instantiate = instantiate,
    .free = free_instance,
    .enter_initialisation = enter_initialisation,
    .exit_initialisation = exit_initialisation,
    .enter_events = enter_events,
    .update_discrete = update_discrete,
    .leave_events = leave_events,
    .terminate = terminate,
    .reset = reset,
    .get = get,
    .set = set,
    .set_point = set_point,
    .get_states = get_states,
    .get_nominals = get_nominals,
    .get_derivatives = get_derivatives,
    .get_indicators = get_indicators,
    .step_completed = step_completed,
    .do_step = do_step,
    .set_input_derivatives = set_input_derivatives,
    .keep = keep,
    .go_back = go_back,
    .forget = forget,
    .state_bytes = state_bytes,
    .write_state = write_state,
    .read_state = read_state,
    .directional = directional,
};
