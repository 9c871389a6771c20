/* Declarations of FMI 3.0: types, values and functions that the binary of an FMU exports.
 *
 * Source: Modelica Association, Functional Mock-up Interface 3.0 (2022), sections 2.2, 2.3, 3.2 and 4.2. The list of functions has one row
 * for each function that wrsim calls: X(name without prefix, result, arguments, need). Enumerations are Int64.
 *
 * Thread: plain data.
 */
#ifndef WR_FMI3_H
#define WR_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "subsystems/model_host/fmi/fmi_need.h"

typedef uint32_t wr_fmi3_number; /* value reference */

typedef enum wr_fmi3_status {
    WR_FMI3_OK,
    WR_FMI3_WARNING,
    WR_FMI3_DISCARD,
    WR_FMI3_ERROR,
    WR_FMI3_FATAL
} wr_fmi3_status;

typedef void wr_fmi3_logger(void *env, wr_fmi3_status status, const char *category,
                            const char *message);
typedef void wr_fmi3_intermediate_update(void *env, double t_s, bool may_set, bool may_get,
                                         bool is_step_finished, bool may_return_early,
                                         bool *is_return_asked, double *return_time_s);

/* Types of numeric variables, apart from Float64: X(name, type in C). */
#define WR_FMI3_CONVERTED(X)                                                                       \
    X(Float32, float)                                                                              \
    X(Int8, int8_t)                                                                                \
    X(UInt8, uint8_t)                                                                              \
    X(Int16, int16_t)                                                                              \
    X(UInt16, uint16_t)                                                                            \
    X(Int32, int32_t)                                                                              \
    X(UInt32, uint32_t)                                                                            \
    X(Int64, int64_t)                                                                              \
    X(UInt64, uint64_t)                                                                            \
    X(Boolean, bool)

#define WR_FMI3_LIST(X)                                                                            \
    X(GetVersion, const char *, (void), WR_FMI_NEED_BOTH)                                          \
    X(InstantiateModelExchange, void *,                                                            \
      (const char *name, const char *token, const char *resources, bool is_visible,                \
       bool is_logging, void *env, wr_fmi3_logger *logger),                                        \
      WR_FMI_NEED_ME)                                                                              \
    X(InstantiateCoSimulation, void *,                                                             \
      (const char *name, const char *token, const char *resources, bool is_visible,                \
       bool is_logging, bool has_event_mode, bool may_return_early,                                \
       const wr_fmi3_number *intermediate, size_t n_intermediate, void *env,                       \
       wr_fmi3_logger *logger, wr_fmi3_intermediate_update *update),                               \
      WR_FMI_NEED_CS)                                                                              \
    X(FreeInstance, void, (void *c), WR_FMI_NEED_BOTH)                                             \
    X(EnterInitializationMode, wr_fmi3_status,                                                     \
      (void *c, bool has_tolerance, double tolerance, double start_s, bool has_stop,               \
       double stop_s),                                                                             \
      WR_FMI_NEED_BOTH)                                                                            \
    X(ExitInitializationMode, wr_fmi3_status, (void *c), WR_FMI_NEED_BOTH)                         \
    X(EnterEventMode, wr_fmi3_status, (void *c), WR_FMI_NEED_ME | WR_FMI_NEED_EVENT_MODE)          \
    X(Terminate, wr_fmi3_status, (void *c), WR_FMI_NEED_BOTH)                                      \
    X(Reset, wr_fmi3_status, (void *c), WR_FMI_NEED_BOTH)                                          \
    X(GetFloat64, wr_fmi3_status,                                                                  \
      (void *c, const wr_fmi3_number *number, size_t n, double *value, size_t n_value),            \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetFloat64, wr_fmi3_status,                                                                  \
      (void *c, const wr_fmi3_number *number, size_t n, const double *value, size_t n_value),      \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetFloat32, wr_fmi3_status,                                                                  \
      (void *c, const wr_fmi3_number *number, size_t n, float *value, size_t n_value),             \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetFloat32, wr_fmi3_status,                                                                  \
      (void *c, const wr_fmi3_number *number, size_t n, const float *value, size_t n_value),       \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetInt8, wr_fmi3_status,                                                                     \
      (void *c, const wr_fmi3_number *number, size_t n, int8_t *value, size_t n_value),            \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetInt8, wr_fmi3_status,                                                                     \
      (void *c, const wr_fmi3_number *number, size_t n, const int8_t *value, size_t n_value),      \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetUInt8, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, uint8_t *value, size_t n_value),           \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetUInt8, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, const uint8_t *value, size_t n_value),     \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetInt16, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, int16_t *value, size_t n_value),           \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetInt16, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, const int16_t *value, size_t n_value),     \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetUInt16, wr_fmi3_status,                                                                   \
      (void *c, const wr_fmi3_number *number, size_t n, uint16_t *value, size_t n_value),          \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetUInt16, wr_fmi3_status,                                                                   \
      (void *c, const wr_fmi3_number *number, size_t n, const uint16_t *value, size_t n_value),    \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetInt32, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, int32_t *value, size_t n_value),           \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetInt32, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, const int32_t *value, size_t n_value),     \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetUInt32, wr_fmi3_status,                                                                   \
      (void *c, const wr_fmi3_number *number, size_t n, uint32_t *value, size_t n_value),          \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetUInt32, wr_fmi3_status,                                                                   \
      (void *c, const wr_fmi3_number *number, size_t n, const uint32_t *value, size_t n_value),    \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetInt64, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, int64_t *value, size_t n_value),           \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetInt64, wr_fmi3_status,                                                                    \
      (void *c, const wr_fmi3_number *number, size_t n, const int64_t *value, size_t n_value),     \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetUInt64, wr_fmi3_status,                                                                   \
      (void *c, const wr_fmi3_number *number, size_t n, uint64_t *value, size_t n_value),          \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetUInt64, wr_fmi3_status,                                                                   \
      (void *c, const wr_fmi3_number *number, size_t n, const uint64_t *value, size_t n_value),    \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetBoolean, wr_fmi3_status,                                                                  \
      (void *c, const wr_fmi3_number *number, size_t n, bool *value, size_t n_value),              \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetBoolean, wr_fmi3_status,                                                                  \
      (void *c, const wr_fmi3_number *number, size_t n, const bool *value, size_t n_value),        \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetFMUState, wr_fmi3_status, (void *c, void **state), WR_FMI_NEED_STATE)                     \
    X(SetFMUState, wr_fmi3_status, (void *c, void *state), WR_FMI_NEED_STATE)                      \
    X(FreeFMUState, wr_fmi3_status, (void *c, void **state), WR_FMI_NEED_STATE)                    \
    X(SerializedFMUStateSize, wr_fmi3_status, (void *c, void *state, size_t *bytes),               \
      WR_FMI_NEED_SERIALISE)                                                                       \
    X(SerializeFMUState, wr_fmi3_status, (void *c, void *state, uint8_t *to, size_t bytes),        \
      WR_FMI_NEED_SERIALISE)                                                                       \
    X(DeserializeFMUState, wr_fmi3_status,                                                         \
      (void *c, const uint8_t *from, size_t bytes, void **state), WR_FMI_NEED_SERIALISE)           \
    X(GetDirectionalDerivative, wr_fmi3_status,                                                    \
      (void *c, const wr_fmi3_number *unknown, size_t n_unknown, const wr_fmi3_number *known,      \
       size_t n_known, const double *seed, size_t n_seed, double *sensitivity,                     \
       size_t n_sensitivity),                                                                      \
      WR_FMI_NEED_DIRECTIONAL)                                                                     \
    X(UpdateDiscreteStates, wr_fmi3_status,                                                        \
      (void *c, bool *is_iteration_needed, bool *is_terminated, bool *has_new_nominals,            \
       bool *has_new_states, bool *has_next_time, double *next_time_s),                            \
      WR_FMI_NEED_ME | WR_FMI_NEED_EVENT_MODE)                                                     \
    X(EnterContinuousTimeMode, wr_fmi3_status, (void *c), WR_FMI_NEED_ME)                          \
    X(CompletedIntegratorStep, wr_fmi3_status,                                                     \
      (void *c, bool may_forget, bool *is_event, bool *is_terminated), WR_FMI_NEED_ME)             \
    X(SetTime, wr_fmi3_status, (void *c, double t_s), WR_FMI_NEED_ME)                              \
    X(SetContinuousStates, wr_fmi3_status, (void *c, const double *x, size_t n), WR_FMI_NEED_ME)   \
    X(GetContinuousStateDerivatives, wr_fmi3_status, (void *c, double *dx, size_t n),              \
      WR_FMI_NEED_ME)                                                                              \
    X(GetEventIndicators, wr_fmi3_status, (void *c, double *z, size_t n), WR_FMI_NEED_ME)          \
    X(GetContinuousStates, wr_fmi3_status, (void *c, double *x, size_t n), WR_FMI_NEED_ME)         \
    X(GetNominalsOfContinuousStates, wr_fmi3_status, (void *c, double *nominal, size_t n),         \
      WR_FMI_NEED_ME)                                                                              \
    X(EnterStepMode, wr_fmi3_status, (void *c), WR_FMI_NEED_EVENT_MODE)                            \
    X(DoStep, wr_fmi3_status,                                                                      \
      (void *c, double t_s, double h_s, bool is_final, bool *is_event, bool *is_terminated,        \
       bool *is_early, double *last_time_s),                                                       \
      WR_FMI_NEED_CS)

#define WR_X(name, result, arguments, need) typedef result wr_fmi3_##name arguments;
WR_FMI3_LIST(WR_X)
#undef WR_X

#endif
