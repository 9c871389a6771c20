/* Calls of FMI 3.0. See binary_parts.h. Thread: as binary.h. Real-time: as binary.h. */
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "subsystems/model_host/fmi/binary_call.h"
#include "subsystems/model_host/fmi/fmi3.h"

typedef struct functions {
#define WR_X(name, result, arguments, need) wr_fmi3_##name *fmi3##name;
    WR_FMI3_LIST(WR_X)
#undef WR_X
} functions;

static const wr_binary_symbol symbols[] = {
#define WR_X(name, result, arguments, need) {"fmi3" #name, offsetof(functions, fmi3##name), need},
    WR_FMI3_LIST(WR_X)
#undef WR_X
};

static const functions *of(const wr_binary_instance *instance)
{
    return instance->binary->functions;
}

#define CALL(function, ...) WR_BINARY_CALL(of(i), i, function, __VA_ARGS__)

static const char *version_of(wr_binary *binary)
{
    return ((const functions *)binary->functions)->fmi3GetVersion();
}

static const char *other_types(wr_binary *binary)
{
    (void)binary;
    return NULL;
}

static void store(void *env, wr_fmi3_status status, const char *category, const char *message)
{
    (void)category;
    if (env && status != WR_FMI3_OK)
        wr_binary_store_log(env, message);
}

/* FMI 3.0 passes no folder if the FMU has no resources. Without logging the FMU may not report the reason of an error (section 2.3.1). */
static void instantiate(wr_binary_instance *i)
{
    const wr_binary *const binary = i->binary;
    const char *const resources = access(binary->resources, F_OK) == 0 ? binary->resources : NULL;
    const bool is_logging = true;
    if (binary->uses & WR_FMI_NEED_CS) {
        wr_binary_begin(i, "fmi3InstantiateCoSimulation");
        i->fmu = of(i)->fmi3InstantiateCoSimulation(
            i->name, binary->token, resources, false, is_logging,
            (binary->uses & WR_FMI_NEED_EVENT_MODE) != 0, true, NULL, 0, i, store, NULL);
    } else {
        wr_binary_begin(i, "fmi3InstantiateModelExchange");
        i->fmu = of(i)->fmi3InstantiateModelExchange(i->name, binary->token, resources, false,
                                                     is_logging, i, store);
    }
    wr_binary_end(i);
}

static void free_instance(wr_binary_instance *i)
{
    wr_binary_begin(i, "fmi3FreeInstance");
    of(i)->fmi3FreeInstance(i->fmu);
    wr_binary_end(i);
}

static wr_binary_status enter_initialisation(wr_binary_instance *i,
                                             const wr_binary_experiment *experiment)
{
    const bool has_tolerance = !isnan(experiment->tolerance), has_stop = !isnan(experiment->stop_s);
    return CALL(fmi3EnterInitializationMode, i->fmu, has_tolerance,
                has_tolerance ? experiment->tolerance : 0, experiment->start_s, has_stop,
                has_stop ? experiment->stop_s : 0);
}

static wr_binary_status exit_initialisation(wr_binary_instance *i)
{
    return CALL(fmi3ExitInitializationMode, i->fmu);
}

static wr_binary_status enter_events(wr_binary_instance *i)
{
    return CALL(fmi3EnterEventMode, i->fmu);
}

static wr_binary_status update_discrete(wr_binary_instance *i, wr_binary_update *ret)
{
    bool is_iteration_needed = false, is_terminated = false, has_new_nominals = false,
         has_new_states = false, has_next_time = false;
    double next_time_s = 0;
    const wr_binary_status status =
        CALL(fmi3UpdateDiscreteStates, i->fmu, &is_iteration_needed, &is_terminated,
             &has_new_nominals, &has_new_states, &has_next_time, &next_time_s);
    if (status == WR_BINARY_OK)
        *ret = (wr_binary_update){is_iteration_needed, is_terminated, has_new_nominals,
                                  has_new_states, has_next_time ? next_time_s : (double)INFINITY};
    return status;
}

static wr_binary_status leave_events(wr_binary_instance *i)
{
    return i->binary->uses & WR_FMI_NEED_CS ? CALL(fmi3EnterStepMode, i->fmu)
                                            : CALL(fmi3EnterContinuousTimeMode, i->fmu);
}

static wr_binary_status terminate(wr_binary_instance *i) { return CALL(fmi3Terminate, i->fmu); }
static wr_binary_status reset(wr_binary_instance *i) { return CALL(fmi3Reset, i->fmu); }

/* Conversion of values of a type, and the calls that take them. */
typedef struct access_row {
    wr_binary_status (*get)(wr_binary_instance *i, const uint32_t *number, size_t n, double *value,
                            size_t n_value);
    wr_binary_status (*set)(wr_binary_instance *i, const uint32_t *number, size_t n,
                            const double *value, size_t n_value);
} access_row;

/* Whether a value is in a type. Integers end at 2^53 - 1, because the double 2^53 may be a rounded 2^53 + 1. Integer types have
 * (ctype)0.5 == 0, and refuse fractions. A number beyond Float32 would become infinite. */
#define IS_IN_Float32(v) (!(fabs(v) > (double)FLT_MAX) || isinf(v))
#define IS_IN_Int8(v) ((v) >= INT8_MIN && (v) <= INT8_MAX)
#define IS_IN_UInt8(v) ((v) >= 0 && (v) <= UINT8_MAX)
#define IS_IN_Int16(v) ((v) >= INT16_MIN && (v) <= INT16_MAX)
#define IS_IN_UInt16(v) ((v) >= 0 && (v) <= UINT16_MAX)
#define IS_IN_Int32(v) ((v) >= INT32_MIN && (v) <= INT32_MAX)
#define IS_IN_UInt32(v) ((v) >= 0 && (v) <= UINT32_MAX)
#define IS_IN_Int64(v) ((v) > -0x1p53 && (v) < 0x1p53)
#define IS_IN_UInt64(v) ((v) >= 0 && (v) < 0x1p53)
#define IS_IN_Boolean(v) ((v) == 0 || (v) == 1)

#define WR_X(name, ctype)                                                                          \
    static wr_binary_status get_##name(wr_binary_instance *i, const uint32_t *number, size_t n,    \
                                       double *value, size_t n_value)                              \
    {                                                                                              \
        ctype *const scratch = wr_binary_scratch(i, n_value * sizeof *scratch);                    \
        if (!scratch)                                                                              \
            return WR_BINARY_ERROR;                                                                \
        const wr_binary_status status = CALL(fmi3Get##name, i->fmu, number, n, scratch, n_value);  \
        for (size_t k = 0; k < n_value && status == WR_BINARY_OK; k++) {                           \
            value[k] = (double)scratch[k];                                                         \
            if (!IS_IN_##name(value[k]) && !isnan(value[k]))                                       \
                return wr_binary_refuse(i, "a value of the type " #name                            \
                                           " exceeds the integers of wrsim (2^53 - 1)");           \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    static wr_binary_status set_##name(wr_binary_instance *i, const uint32_t *number, size_t n,    \
                                       const double *value, size_t n_value)                        \
    {                                                                                              \
        ctype *const scratch = wr_binary_scratch(i, n_value * sizeof *scratch);                    \
        if (!scratch)                                                                              \
            return WR_BINARY_ERROR;                                                                \
        for (size_t k = 0; k < n_value; k++) {                                                     \
            if (!IS_IN_##name(value[k]) || ((ctype)0.5 == 0 && value[k] != trunc(value[k])))       \
                return wr_binary_refuse(i, "a value is outside of the type " #name                 \
                                           " or of the integers of wrsim (2^53 - 1)");             \
            scratch[k] = (ctype)value[k];                                                          \
        }                                                                                          \
        return CALL(fmi3Set##name, i->fmu, number, n, scratch, n_value);                           \
    }
WR_FMI3_CONVERTED(WR_X)
#undef WR_X

static wr_binary_status get_Float64(wr_binary_instance *i, const uint32_t *number, size_t n,
                                    double *value, size_t n_value)
{
    return CALL(fmi3GetFloat64, i->fmu, number, n, value, n_value);
}

static wr_binary_status set_Float64(wr_binary_instance *i, const uint32_t *number, size_t n,
                                    const double *value, size_t n_value)
{
    return CALL(fmi3SetFloat64, i->fmu, number, n, value, n_value);
}

static const access_row rows[WR_FMI_TYPE_COUNT] = {
    [WR_FMI_FLOAT64] = {get_Float64, set_Float64}, [WR_FMI_FLOAT32] = {get_Float32, set_Float32},
    [WR_FMI_INT8] = {get_Int8, set_Int8},          [WR_FMI_UINT8] = {get_UInt8, set_UInt8},
    [WR_FMI_INT16] = {get_Int16, set_Int16},       [WR_FMI_UINT16] = {get_UInt16, set_UInt16},
    [WR_FMI_INT32] = {get_Int32, set_Int32},       [WR_FMI_UINT32] = {get_UInt32, set_UInt32},
    [WR_FMI_INT64] = {get_Int64, set_Int64},       [WR_FMI_UINT64] = {get_UInt64, set_UInt64},
    [WR_FMI_BOOLEAN] = {get_Boolean, set_Boolean}, [WR_FMI_ENUMERATION] = {get_Int64, set_Int64},
};

static wr_binary_status get(wr_binary_instance *i, wr_fmi_type type, const uint32_t *number, int n,
                            double *value, int n_value)
{
    return rows[type].get(i, number, (size_t)n, value, (size_t)n_value);
}

static wr_binary_status set(wr_binary_instance *i, wr_fmi_type type, const uint32_t *number, int n,
                            const double *value, int n_value)
{
    return rows[type].set(i, number, (size_t)n, value, (size_t)n_value);
}

/* One record for three calls saves instructions, because each evaluation of the FMU begins with these calls. Every FMU of model exchange
 * has the three functions. */
static wr_binary_status set_point(wr_binary_instance *i, const wr_binary_point *p,
                                  const char **ret_failed)
{
    const functions *const f = of(i);
    const int is_dead = wr_binary_library_is_dead(i->binary->library);
    if (is_dead || !f->fmi3SetTime) {
        *ret_failed = "SetTime";
        return is_dead ? WR_BINARY_FATAL : wr_binary_lacks(i, "fmi3SetTime");
    }
    int status = 0;
    wr_binary_begin(i, "fmi3SetTime");
    if (p->has_time)
        status = (int)f->fmi3SetTime(i->fmu, p->t_s);
    if ((unsigned)status <= 1 && p->n_x > 0) {
        wr_binary_next("fmi3SetContinuousStates");
        status = (int)f->fmi3SetContinuousStates(i->fmu, p->x, (size_t)p->n_x);
    }
    if ((unsigned)status <= 1 && p->n_number > 0) {
        wr_binary_next("fmi3SetFloat64");
        status =
            (int)f->fmi3SetFloat64(i->fmu, p->number, (size_t)p->n_number, p->u, (size_t)p->n_u);
    }
    return wr_binary_last_status(i, status, ret_failed);
}

static wr_binary_status get_states(wr_binary_instance *i, double *x, int n)
{
    return CALL(fmi3GetContinuousStates, i->fmu, x, (size_t)n);
}

static wr_binary_status get_nominals(wr_binary_instance *i, double *nominal, int n)
{
    return CALL(fmi3GetNominalsOfContinuousStates, i->fmu, nominal, (size_t)n);
}

static wr_binary_status get_derivatives(wr_binary_instance *i, double *dx, int n)
{
    return CALL(fmi3GetContinuousStateDerivatives, i->fmu, dx, (size_t)n);
}

static wr_binary_status get_indicators(wr_binary_instance *i, double *z, int n)
{
    return CALL(fmi3GetEventIndicators, i->fmu, z, (size_t)n);
}

static wr_binary_status step_completed(wr_binary_instance *i, int may_forget, wr_binary_step *ret)
{
    bool is_event = false, is_terminated = false;
    const wr_binary_status status =
        CALL(fmi3CompletedIntegratorStep, i->fmu, may_forget != 0, &is_event, &is_terminated);
    if (status == WR_BINARY_OK)
        *ret = (wr_binary_step){is_event, is_terminated, (double)NAN};
    return status;
}

/* Unless the FMU returns early or ends the run, the step ends at its planned end. The time that the FMU reports may differ by the fixed
 * step of the FMU (FMI 3.0, section 4.2.1). */
static wr_binary_status do_step(wr_binary_instance *i, double t_s, double h_s, int may_forget,
                                wr_binary_step *ret)
{
    bool is_event = false, is_terminated = false, is_early = false;
    double reached_s = t_s + h_s;
    wr_binary_status status = CALL(fmi3DoStep, i->fmu, t_s, h_s, may_forget != 0, &is_event,
                                   &is_terminated, &is_early, &reached_s);
    if (status != WR_BINARY_OK)
        return status;
    if (is_event && !(i->binary->uses & WR_FMI_NEED_EVENT_MODE))
        return wr_binary_refuse(i, "the FMU asks for event mode, which wrsim has not allowed");
    wr_binary_step step = {is_event, is_terminated,
                           is_early || is_terminated ? reached_s : t_s + h_s};
    status = wr_binary_check_reached(i, t_s, h_s, &step);
    if (status == WR_BINARY_OK)
        *ret = step;
    return status;
}

static wr_binary_status set_input_derivatives(wr_binary_instance *i, const uint32_t *number, int n,
                                              const double *value)
{
    (void)number;
    (void)n;
    (void)value;
    return wr_binary_lacks(i, "fmi2SetRealInputDerivatives");
}

static wr_binary_status keep(wr_binary_instance *i, void **slot)
{
    return CALL(fmi3GetFMUState, i->fmu, slot);
}

static wr_binary_status go_back(wr_binary_instance *i, void *slot)
{
    return CALL(fmi3SetFMUState, i->fmu, slot);
}

static wr_binary_status forget(wr_binary_instance *i, void **slot)
{
    return CALL(fmi3FreeFMUState, i->fmu, slot);
}

static wr_binary_status state_bytes(wr_binary_instance *i, void *slot, size_t *ret_n_bytes)
{
    return CALL(fmi3SerializedFMUStateSize, i->fmu, slot, ret_n_bytes);
}

static wr_binary_status write_state(wr_binary_instance *i, void *slot, void *bytes, size_t n_bytes)
{
    return CALL(fmi3SerializeFMUState, i->fmu, slot, bytes, n_bytes);
}

static wr_binary_status read_state(wr_binary_instance *i, const void *bytes, size_t n_bytes,
                                   void **slot)
{
    return CALL(fmi3DeserializeFMUState, i->fmu, bytes, n_bytes, slot);
}

static wr_binary_status directional(wr_binary_instance *i, const uint32_t *unknown, int n_unknown,
                                    const uint32_t *known, int n_known, const double *seed,
                                    double *sensitivity)
{
    return CALL(fmi3GetDirectionalDerivative, i->fmu, unknown, (size_t)n_unknown, known,
                (size_t)n_known, seed, (size_t)n_known, sensitivity, (size_t)n_unknown);
}

const wr_binary_ops wr_binary_fmi3 = {
    .platform = "binaries/x86_64-linux",
    .version = "3.0",
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
