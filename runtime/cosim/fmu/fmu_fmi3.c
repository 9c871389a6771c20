/* The functions of FMI 3.0 that an exported FMU has (co-simulation). See fmu.h. Functions of other interfaces refuse the call.
 *
 * Source: Modelica Association, Functional Mock-up Interface 3.0 (2022), sections 2.2 and 4.2.
 *
 * Thread: as fmu.h. Real-time: as fmu.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cosim/fmu/fmu.h"
#include "runtime/cosim/fmu/fmu_log.h"
#include "runtime/cosim/fmu/fmu_state.h"
#include "subsystems/model_host/fmi/fmi3.h"

#define EXPORT __attribute__((visibility("default")))

#define WR_X(name, result, arguments, need) EXPORT result fmi3##name arguments;
WR_FMI3_LIST(WR_X)
#undef WR_X

enum { BLOCK = 256 }; /* variables per conversion between types */

typedef struct instance {
    wr_fmu *fmu;
    wr_fmi3_logger *logger;
    void *env;
} instance;

static void log_text(void *user, wr_fmu_status status, const char *category, const char *text)
{
    const instance *const i = user;
    if (i->logger)
        i->logger(i->env, (wr_fmi3_status)status, category, text);
}

/* Defines fmu, unless the call is not allowed in the present phase. */
#define CHECK(c, phases, call)                                                                     \
    if (!(c) || wr_fmu_check(((instance *)(c))->fmu, (phases), (call)) != WR_FMU_OK)               \
        return WR_FMI3_ERROR;                                                                      \
    wr_fmu *const fmu = ((instance *)(c))->fmu

enum {
    START = WR_FMU_INSTANTIATED | WR_FMU_INITIALISING,
    ALIVE = START | WR_FMU_STEPPING | WR_FMU_TERMINATED,
    ANY = ALIVE | WR_FMU_FAILED
};

static wr_fmi3_status refuse(wr_fmu *fmu, const char *what)
{
    wr_fmu_log(fmu, WR_FMU_ERROR, "%s", what);
    return WR_FMI3_ERROR;
}

/* ---- functions without a use ---- */

/* Declares and defines functions that refuse every call, with a reason. */
#define REFUSING(name, arguments, why)                                                             \
    EXPORT wr_fmi3_status fmi3##name arguments;                                                    \
    wr_fmi3_status fmi3##name arguments                                                            \
    {                                                                                              \
        return c ? refuse(((instance *)c)->fmu, "fmi3" #name " is refused, because " why)          \
                 : WR_FMI3_ERROR;                                                                  \
    }
/* As REFUSING() for functions that the list of fmi3.h declares. */
#define REFUSING_LISTED(name, arguments, why)                                                      \
    wr_fmi3_status fmi3##name arguments                                                            \
    {                                                                                              \
        return c ? refuse(((instance *)c)->fmu, "fmi3" #name " is refused, because " why)          \
                 : WR_FMI3_ERROR;                                                                  \
    }
#define NO_EVENTS "the FMU has no event mode"
#define NO_EXCHANGE "the FMU is of co-simulation only"
#define NO_CLOCKS "the FMU has no clocks"
#define NO_DERIVATIVES "the FMU provides no derivatives"
#define NO_STRUCTURE "the FMU has no structural parameters"

/* The compiler must not warn of arguments that refusing functions ignore. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
REFUSING_LISTED(EnterEventMode, (void *c), NO_EVENTS)
REFUSING_LISTED(EnterStepMode, (void *c), NO_EVENTS)
REFUSING_LISTED(UpdateDiscreteStates,
                (void *c, bool *is_iteration_needed, bool *is_terminated, bool *has_new_nominals,
                 bool *has_new_states, bool *has_next_time, double *next_time_s),
                NO_EVENTS)
REFUSING(EvaluateDiscreteStates, (void *c), NO_EVENTS)
REFUSING_LISTED(EnterContinuousTimeMode, (void *c), NO_EXCHANGE)
REFUSING_LISTED(CompletedIntegratorStep,
                (void *c, bool may_forget, bool *is_event, bool *is_terminated), NO_EXCHANGE)
REFUSING_LISTED(SetTime, (void *c, double t_s), NO_EXCHANGE)
REFUSING_LISTED(SetContinuousStates, (void *c, const double *x, size_t n), NO_EXCHANGE)
REFUSING_LISTED(GetContinuousStateDerivatives, (void *c, double *dx, size_t n), NO_EXCHANGE)
REFUSING_LISTED(GetEventIndicators, (void *c, double *z, size_t n), NO_EXCHANGE)
REFUSING_LISTED(GetContinuousStates, (void *c, double *x, size_t n), NO_EXCHANGE)
REFUSING_LISTED(GetNominalsOfContinuousStates, (void *c, double *nominal, size_t n), NO_EXCHANGE)
REFUSING(GetNumberOfEventIndicators, (void *c, size_t *n), NO_EXCHANGE)
REFUSING(GetNumberOfContinuousStates, (void *c, size_t *n), NO_EXCHANGE)
REFUSING(ActivateModelPartition, (void *c, wr_fmi3_number clock, double t_s), NO_EXCHANGE)
REFUSING_LISTED(GetDirectionalDerivative,
                (void *c, const wr_fmi3_number *unknown, size_t n_unknown,
                 const wr_fmi3_number *known, size_t n_known, const double *seed, size_t n_seed,
                 double *sensitivity, size_t n_sensitivity),
                NO_DERIVATIVES)
REFUSING(GetAdjointDerivative,
         (void *c, const wr_fmi3_number *unknown, size_t n_unknown, const wr_fmi3_number *known,
          size_t n_known, const double *seed, size_t n_seed, double *sensitivity,
          size_t n_sensitivity),
         NO_DERIVATIVES)
REFUSING(GetOutputDerivatives,
         (void *c, const wr_fmi3_number *number, size_t n, const int32_t *order, double *value,
          size_t n_value),
         NO_DERIVATIVES)
REFUSING(EnterConfigurationMode, (void *c), NO_STRUCTURE)
REFUSING(ExitConfigurationMode, (void *c), NO_STRUCTURE)
REFUSING(GetNumberOfVariableDependencies, (void *c, wr_fmi3_number number, size_t *n),
         "the FMU has no arrays with dependencies of elements")
REFUSING(GetVariableDependencies,
         (void *c, wr_fmi3_number number, size_t *dependent, wr_fmi3_number *independent,
          size_t *of_independent, int *kind, size_t n),
         "the FMU has no arrays with dependencies of elements")
REFUSING(GetIntervalDecimal,
         (void *c, const wr_fmi3_number *clock, size_t n, double *interval, int *qualifier),
         NO_CLOCKS)
REFUSING(GetIntervalFraction,
         (void *c, const wr_fmi3_number *clock, size_t n, uint64_t *counter, uint64_t *resolution,
          int *qualifier),
         NO_CLOCKS)
REFUSING(GetShiftDecimal, (void *c, const wr_fmi3_number *clock, size_t n, double *shift),
         NO_CLOCKS)
REFUSING(GetShiftFraction,
         (void *c, const wr_fmi3_number *clock, size_t n, uint64_t *counter, uint64_t *resolution),
         NO_CLOCKS)
REFUSING(SetIntervalDecimal,
         (void *c, const wr_fmi3_number *clock, size_t n, const double *interval), NO_CLOCKS)
REFUSING(SetIntervalFraction,
         (void *c, const wr_fmi3_number *clock, size_t n, const uint64_t *counter,
          const uint64_t *resolution),
         NO_CLOCKS)
REFUSING(SetShiftDecimal, (void *c, const wr_fmi3_number *clock, size_t n, const double *shift),
         NO_CLOCKS)
REFUSING(SetShiftFraction,
         (void *c, const wr_fmi3_number *clock, size_t n, const uint64_t *counter,
          const uint64_t *resolution),
         NO_CLOCKS)

/* The other interfaces have no instances. */
void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                   bool is_visible, bool is_logging, void *env,
                                   wr_fmi3_logger *logger)
{
    if (logger)
        logger(env, WR_FMI3_ERROR, WR_FMU_CATEGORY_ERROR,
               "the FMU is of co-simulation only; call fmi3InstantiateCoSimulation");
    return NULL;
}

EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                               const char *resources, bool is_visible,
                                               bool is_logging, void *env, wr_fmi3_logger *logger,
                                               void (*update)(void), void (*lock)(void),
                                               void (*unlock)(void));
void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                        bool is_visible, bool is_logging, void *env,
                                        wr_fmi3_logger *logger, void (*update)(void),
                                        void (*lock)(void), void (*unlock)(void))
{
    return fmi3InstantiateModelExchange(name, token, resources, is_visible, is_logging, env,
                                        logger);
}
#pragma GCC diagnostic pop

/* ---- creation ---- */

const char *fmi3GetVersion(void) { return "3.0"; }

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool is_visible, bool is_logging, bool has_event_mode,
                                  bool may_return_early, const wr_fmi3_number *intermediate,
                                  size_t n_intermediate, void *env, wr_fmi3_logger *logger,
                                  wr_fmi3_intermediate_update *update)
{
    (void)name;
    (void)is_visible;
    (void)may_return_early; /* permissions that the FMU does not use */
    (void)intermediate;
    (void)n_intermediate;
    (void)update;
    instance *const i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    *i = (instance){.logger = logger, .env = env};
    const char *const why = has_event_mode ? "the FMU has no event mode; pass eventModeUsed = false"
                            : !token || !resources
                                ? "fmi3InstantiateCoSimulation needs the instantiation token and "
                                  "the path of the resources"
                                : NULL;
    const wr_fmu_host host = {
        .log = log_text, .user = i, .is_logging = is_logging, .no_value = WR_FMU_DISCARD};
    if (why)
        log_text(i, WR_FMU_ERROR, WR_FMU_CATEGORY_ERROR, why);
    else
        i->fmu = wr_fmu_open(resources, token, &host);
    if (i->fmu)
        return i;
    free(i);
    return NULL;
}

void fmi3FreeInstance(void *c)
{
    instance *const i = c;
    if (!i)
        return;
    wr_fmu_close(&i->fmu);
    free(i);
}

EXPORT wr_fmi3_status fmi3SetDebugLogging(void *c, bool is_logging, size_t n,
                                          const char *const *category);
wr_fmi3_status fmi3SetDebugLogging(void *c, bool is_logging, size_t n, const char *const *category)
{
    (void)n; /* errors always appear, and the other categories together */
    (void)category;
    CHECK(c, ANY, "fmi3SetDebugLogging");
    wr_fmu_set_logging(fmu, is_logging);
    return WR_FMI3_OK;
}

/* ---- phases ---- */

wr_fmi3_status fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance,
                                           double start_s, bool has_stop, double stop_s)
{
    (void)has_tolerance; /* the config has tolerances for solvers and coupling */
    (void)tolerance;
    CHECK(c, WR_FMU_INSTANTIATED, "fmi3EnterInitializationMode");
    const wr_fmu_status status = wr_fmu_set_times(fmu, start_s, has_stop ? stop_s : (double)NAN);
    return (wr_fmi3_status)(status == WR_FMU_OK ? wr_fmu_begin(fmu) : status);
}

wr_fmi3_status fmi3ExitInitializationMode(void *c)
{
    CHECK(c, WR_FMU_INITIALISING, "fmi3ExitInitializationMode");
    return (wr_fmi3_status)wr_fmu_end_initialisation(fmu);
}

wr_fmi3_status fmi3Terminate(void *c)
{
    CHECK(c, WR_FMU_STEPPING, "fmi3Terminate");
    return (wr_fmi3_status)wr_fmu_terminate(fmu);
}

wr_fmi3_status fmi3Reset(void *c)
{
    CHECK(c, ANY, "fmi3Reset");
    return (wr_fmi3_status)wr_fmu_reset(fmu);
}

/* ---- variables ---- */

/* Checks the number of values of n scalars. */
static wr_fmi3_status check_count(wr_fmu *fmu, size_t n, size_t n_value)
{
    return n == n_value ? WR_FMI3_OK
                        : refuse(fmu, "the number of values differs from the number of variables, "
                                      "which are scalars");
}

wr_fmi3_status fmi3GetFloat64(void *c, const wr_fmi3_number *number, size_t n, double *value,
                              size_t n_value)
{
    CHECK(c, ANY, "fmi3GetFloat64");
    const wr_fmi3_status status = check_count(fmu, n, n_value);
    return status != WR_FMI3_OK ? status
                                : (wr_fmi3_status)wr_fmu_get(fmu, WR_COSIM_REAL, number, n, value);
}

wr_fmi3_status fmi3SetFloat64(void *c, const wr_fmi3_number *number, size_t n, const double *value,
                              size_t n_value)
{
    CHECK(c, START | WR_FMU_STEPPING, "fmi3SetFloat64");
    const wr_fmi3_status status = check_count(fmu, n, n_value);
    return status != WR_FMI3_OK ? status
                                : (wr_fmi3_status)wr_fmu_set(fmu, WR_COSIM_REAL, number, n, value);
}

/* Defines the functions of a type with whole numbers. */
#define WHOLE(name, type, cosim)                                                                   \
    wr_fmi3_status fmi3Get##name(void *c, const wr_fmi3_number *number, size_t n, type *value,     \
                                 size_t n_value)                                                   \
    {                                                                                              \
        CHECK(c, ANY, "fmi3Get" #name);                                                            \
        wr_fmi3_status status = check_count(fmu, n, n_value);                                      \
        for (size_t at = 0; at < n && status == WR_FMI3_OK; at += BLOCK) {                         \
            double block[BLOCK];                                                                   \
            const size_t n_block = n - at < BLOCK ? n - at : BLOCK;                                \
            status = (wr_fmi3_status)wr_fmu_get(fmu, cosim, number + at, n_block, block);          \
            for (size_t k = 0; k < n_block && status == WR_FMI3_OK; k++)                           \
                value[at + k] = (type)block[k];                                                    \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    wr_fmi3_status fmi3Set##name(void *c, const wr_fmi3_number *number, size_t n,                  \
                                 const type *value, size_t n_value)                                \
    {                                                                                              \
        CHECK(c, START | WR_FMU_STEPPING, "fmi3Set" #name);                                        \
        wr_fmi3_status status = check_count(fmu, n, n_value);                                      \
        for (size_t at = 0; at < n && status == WR_FMI3_OK; at += BLOCK) {                         \
            double block[BLOCK];                                                                   \
            const size_t n_block = n - at < BLOCK ? n - at : BLOCK;                                \
            for (size_t k = 0; k < n_block; k++)                                                   \
                block[k] = (double)value[at + k];                                                  \
            status = (wr_fmi3_status)wr_fmu_set(fmu, cosim, number + at, n_block, block);          \
        }                                                                                          \
        return status;                                                                             \
    }
WHOLE(Int32, int32_t, WR_COSIM_INTEGER)
WHOLE(Boolean, bool, WR_COSIM_BOOLEAN)

/* Defines the functions of a type that no variable has. */
#define NO_TYPE(name, type)                                                                        \
    wr_fmi3_status fmi3Get##name(void *c, const wr_fmi3_number *number, size_t n, type *value,     \
                                 size_t n_value)                                                   \
    {                                                                                              \
        (void)number, (void)value, (void)n_value;                                                  \
        CHECK(c, ANY, "fmi3Get" #name);                                                            \
        return n == 0 ? WR_FMI3_OK : refuse(fmu, "the FMU has no variables of the type " #name);   \
    }                                                                                              \
    wr_fmi3_status fmi3Set##name(void *c, const wr_fmi3_number *number, size_t n,                  \
                                 const type *value, size_t n_value)                                \
    {                                                                                              \
        (void)number, (void)value, (void)n_value;                                                  \
        CHECK(c, START | WR_FMU_STEPPING, "fmi3Set" #name);                                        \
        return n == 0 ? WR_FMI3_OK : refuse(fmu, "the FMU has no variables of the type " #name);   \
    }
NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)
NO_TYPE(UInt64, uint64_t)

/* Types whose functions wrsim does not call. fmi3GetClock() and fmi3SetClock() have one count. */
#define NO_LISTED_TYPE(name, get, set)                                                             \
    EXPORT wr_fmi3_status fmi3Get##name get;                                                       \
    wr_fmi3_status fmi3Get##name get                                                               \
    {                                                                                              \
        (void)number, (void)value;                                                                 \
        CHECK(c, ANY, "fmi3Get" #name);                                                            \
        return n == 0 ? WR_FMI3_OK : refuse(fmu, "the FMU has no variables of the type " #name);   \
    }                                                                                              \
    EXPORT wr_fmi3_status fmi3Set##name set;                                                       \
    wr_fmi3_status fmi3Set##name set                                                               \
    {                                                                                              \
        (void)number, (void)value;                                                                 \
        CHECK(c, START | WR_FMU_STEPPING, "fmi3Set" #name);                                        \
        return n == 0 ? WR_FMI3_OK : refuse(fmu, "the FMU has no variables of the type " #name);   \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NO_LISTED_TYPE(
    String, (void *c, const wr_fmi3_number *number, size_t n, const char **value, size_t n_value),
    (void *c, const wr_fmi3_number *number, size_t n, const char *const *value, size_t n_value))
NO_LISTED_TYPE(Binary,
               (void *c, const wr_fmi3_number *number, size_t n, size_t *size,
                const uint8_t **value, size_t n_value),
               (void *c, const wr_fmi3_number *number, size_t n, const size_t *size,
                const uint8_t *const *value, size_t n_value))
NO_LISTED_TYPE(Clock, (void *c, const wr_fmi3_number *number, size_t n, bool *value),
               (void *c, const wr_fmi3_number *number, size_t n, const bool *value))
#pragma GCC diagnostic pop

/* ---- steps ---- */

wr_fmi3_status fmi3DoStep(void *c, double t_s, double h_s, bool is_final, bool *is_event,
                          bool *is_terminated, bool *is_early, double *last_time_s)
{
    (void)is_final;
    CHECK(c, WR_FMU_STEPPING, "fmi3DoStep");
    int has_ended;
    wr_fmu_status status = wr_fmu_step(fmu, t_s, h_s, last_time_s, &has_ended);
    *is_event = false;
    *is_early = false;
    *is_terminated = has_ended != 0;
    /* The end of the simulation is no failure of the step. */
    if (status == WR_FMU_DISCARD && has_ended)
        status = WR_FMU_OK;
    return (wr_fmi3_status)status;
}

/* ---- states ---- */

wr_fmi3_status fmi3GetFMUState(void *c, void **state)
{
    CHECK(c, ALIVE, "fmi3GetFMUState");
    return (wr_fmi3_status)wr_fmu_state_get(fmu, (wr_fmu_state **)state);
}

wr_fmi3_status fmi3SetFMUState(void *c, void *state)
{
    CHECK(c, ANY, "fmi3SetFMUState");
    return (wr_fmi3_status)wr_fmu_state_set(fmu, state);
}

wr_fmi3_status fmi3FreeFMUState(void *c, void **state)
{
    /* The instance may be freed. */
    return c && wr_fmu_state_free((wr_fmu_state **)state) == 0 ? WR_FMI3_OK : WR_FMI3_ERROR;
}

wr_fmi3_status fmi3SerializedFMUStateSize(void *c, void *state, size_t *bytes)
{
    CHECK(c, ANY, "fmi3SerializedFMUStateSize");
    const unsigned char *data;
    return (wr_fmi3_status)wr_fmu_state_bytes(fmu, state, &data, bytes);
}

wr_fmi3_status fmi3SerializeFMUState(void *c, void *state, uint8_t *to, size_t bytes)
{
    CHECK(c, ANY, "fmi3SerializeFMUState");
    return (wr_fmi3_status)wr_fmu_state_write(fmu, state, to, bytes);
}

wr_fmi3_status fmi3DeserializeFMUState(void *c, const uint8_t *from, size_t bytes, void **state)
{
    CHECK(c, ANY, "fmi3DeserializeFMUState");
    return (wr_fmi3_status)wr_fmu_state_read(fmu, from, bytes, (wr_fmu_state **)state);
}
